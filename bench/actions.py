"""How often a told deed that nobody did is found, and how often a finding of one is right.

Reads the runs of ../shared/data (tau-bench and AgentDyn), which the project does not hold.

*Right*: the share of the findings (the first 100 by digest) that `bench/labels/actions.jsonl` calls
right; a finding without a label counts as wrong, so with another seed label what is printed first.
Judged are the runs as they are, in which real models say little that they did not do, and the runs
with a call taken out. *Found*: one call that changed something is taken out of a run, with its
result; an answer that told of it now tells of nothing. Which sentence told of it is judged here by a plain rule of its own (a verb in the
past that the tool's name holds, and a value of the call's arguments, that no call that stays
holds), so the check's reader is not measured by itself.

`python -m bench.actions [SEED]`
"""

from __future__ import annotations

import gzip
import random
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from groundwire.audit.logs import log_events
from groundwire.checks.claim.sentences.acts.contradicted_action import ContradictedAction
from groundwire.checks.claim.sentences.acts.unsupported_action import UnsupportedAction
from groundwire.checks.claim.sentences.outcomes import is_failure
from groundwire.checks.engine import Engine
from groundwire.documents.finding import Finding
from groundwire.wire.importers import ImportProblem, import_log

DATA = Path(__file__).parents[1] / ".." / "shared" / "data"
LABELS = Path(__file__).parent / "labels" / "actions.jsonl"
SETS = ("taubench", "agentdyn")
RIGHT, FOUND, JUDGED, SEED = 0.90, 0.60, 100, 20
_SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?](?!\s)[^.!?\n]+)*")
_PAST = re.compile(
    r"\b(?:I|we)(?:'ve| have)?(?: \w+ly| also| now)* (?:\w+ed|sent|made|paid|bought)\b"
    r"|\b(?:has|have)(?: \w+ly| also| now)* been\b",
    re.I,
)
_OPEN = re.compile(r"\b(?:if|once|when|not|need|needed|will|unfortunately|however)\b|n't\b", re.I)
_VALUE = re.compile(r"[A-Za-z0-9#@_.-]{4,}")
_READING = re.compile(r"^(?:get|list|search|find|view|read|browse|verify|think|calculate|login)_?")

Run = dict[str, object]
Message = dict[str, Any]


class Label(msgspec.Struct, frozen=True):
    """What a person says of one finding; the sentence itself stands only in the data."""

    run: str
    message: int
    digest: str
    label: str
    reason: str


def runs(name: str) -> list[Run]:
    """The runs of one data set, each as its row."""
    with gzip.open(DATA / f"{name}.dev.jsonl.gz") as lines:
        return [msgspec.json.decode(line, type=Run) for line in lines]


def filed(row: Run, schemas: Mapping[str, str]) -> list[Finding]:
    """What both checks file on this run, every tool armed."""
    engine = Engine([UnsupportedAction(), ContradictedAction()])
    for run in import_log(msgspec.json.encode(row), tool_schemas=schemas):
        if not isinstance(run, ImportProblem):
            for event in log_events(run.steps, arm_all=True):
                engine.feed(event)
    return list(engine.findings())


def dropped(row: Run, rng: random.Random) -> Iterator[tuple[Run, Message, list[Message]]]:
    """The run without one of its calls that changed something, that call, and what came after it."""
    messages = row["messages"]
    assert isinstance(messages, list)
    calls = [
        (place, call)
        for place, message in enumerate(messages)
        for call in message.get("tool_calls") or ()
        if not _READING.match(call["name"])
    ]
    rng.shuffle(calls)
    results = {
        m.get("tool_call_id"): str(m.get("content")) for m in messages if m["role"] == "tool"
    }
    for place, call in calls:
        if not is_failure(results.get(call["id"], "")):
            kept = _without(messages, call["id"])
            yield {**row, "messages": kept}, call, messages[place + 1 :]


def _without(messages: list[Message], call_id: str) -> list[Message]:
    kept = []
    for message in messages:
        if message.get("tool_call_id") == call_id:
            continue
        calls = message.get("tool_calls")
        if calls and any(call["id"] == call_id for call in calls):
            left = [call for call in calls if call["id"] != call_id]
            if not left and not message.get("content"):
                continue
            kept.append({**message, "tool_calls": left})
        else:
            kept.append(message)
    return kept


def _told(call: Message, kept: list[Message], after: list[Message]) -> set[str]:
    """The sentences of later answers that tell of this call, and of no call that stays.

    `others` is what the calls that stay were given and gave back, those that only read left out.
    """
    verb = next((word for word in call["name"].split("_") if len(word) > 3), call["name"])[:5]
    names = {one["id"]: one["name"] for message in kept for one in message.get("tool_calls") or ()}
    results = [message for message in kept if message["role"] == "tool"]
    if any(_is_report(message, verb) for message in results):
        return set()
    staying = [
        one["arguments"]
        for message in kept
        for one in message.get("tool_calls") or ()
        if not _READING.match(one["name"])
    ] + [
        message["content"]
        for message in results
        if not _READING.match(names.get(message.get("tool_call_id", ""), ""))
    ]
    values = _values(call["arguments"]) - _values(staying)
    return {
        letters(sentence)
        for message in after
        if message["role"] == "assistant" and not message.get("tool_calls")
        for sentence in _SENTENCE.findall(str(message.get("content") or ""))
        if re.search(rf"\b{verb}", sentence, re.I)
        and _PAST.search(sentence)
        and not _OPEN.search(sentence)
        and any(value in sentence.lower() for value in values)
    }


def _is_report(message: Message, verb: str) -> bool:
    """Whether a short result says itself that such a thing was done."""
    said = str(message["content"])
    return len(said) < 300 and bool(re.search(rf"\b{verb}\w*(?:ed|t)\b", said, re.I))


def _values(of: object) -> set[str]:
    return set(_VALUE.findall(msgspec.json.encode(of).decode().lower()))


def letters(text: str) -> str:
    """The letters and digits of a text alone, to know a sentence again."""
    return "".join(letter for letter in text.lower() if letter.isalnum())


def where(row: Run, finding: Finding) -> int:
    """The place of the message that a finding is about; -1 if it stands in none."""
    said = letters(finding.witnesses[0].value)
    messages = row["messages"]
    assert isinstance(messages, list)
    places = (
        place
        for place, message in enumerate(messages)
        if message["role"] == "assistant" and said in letters(str(message.get("content") or ""))
    )
    return next(places, -1)


def precision(filed_on: list[tuple[Run, Finding]]) -> tuple[int, int]:
    """How many of the findings, the first of them by digest, a person calls right."""
    known = msgspec.json.decode(
        b"[" + b",".join(LABELS.read_bytes().splitlines()) + b"]", type=list[Label]
    )
    labels = {(label.run, label.message, label.digest): label.label for label in known}
    judged = sorted(filed_on, key=lambda pair: pair[1].value_digest)[:JUDGED]
    right = 0
    for row, finding in judged:
        name = (str(row["run_id"]), where(row, finding), finding.value_digest)
        if name not in labels:
            print(f"without a label: {name} {finding.witnesses[0].value!r}")
        right += labels.get(name) == "right"
    return right, len(judged)


def with_a_call_dropped(
    rows: list[Run], schemas: Mapping[str, str], rng: random.Random
) -> tuple[int, int, list[tuple[Run, Finding]]]:
    """Of the runs that a told call was taken out of, one each: found, all, and everything filed."""
    total = hit = 0
    everything: list[tuple[Run, Finding]] = []
    for row in rows:
        for changed, call, after in dropped(row, rng):
            kept = changed["messages"]
            assert isinstance(kept, list)
            told = _told(call, kept, after)
            if told:
                findings = filed(changed, schemas)
                everything += [(changed, finding) for finding in findings]
                said = [letters(finding.witnesses[0].value) for finding in findings]
                total += 1
                hit += any(one in sentence or sentence in one for one in said for sentence in told)
                break
    return hit, total, everything


class Measured(NamedTuple):
    """What was measured: `right` of `judged` findings that have a label or need one, as the runs are
    and with a call taken out; by data set, calls found and taken out."""

    real: tuple[int, int]
    taken_out: tuple[int, int]
    found: dict[str, tuple[int, int]]


def measure(seed: int) -> Measured:
    """The numbers, measured anew."""
    schemas = msgspec.json.decode((DATA / "schemas.json").read_bytes(), type=dict[str, str])
    rng = random.Random(seed)
    real: list[tuple[Run, Finding]] = []
    made: list[tuple[Run, Finding]] = []
    counts: dict[str, tuple[int, int]] = {}
    for name in SETS:
        some = runs(name)
        real += [(row, finding) for row in some for finding in filed(row, schemas)]
        hit, total, everything = with_a_call_dropped(some, schemas, rng)
        made += everything
        counts[name] = hit, total
    return Measured(precision(real), precision(made), counts)


def rows(seed: int = SEED) -> list[tuple[str, str, str]]:
    """The measure, what is reached, and what is to be reached."""
    measured = measure(seed)
    reached = ", ".join(f"{name} {hit} of {total}" for name, (hit, total) in measured.found.items())
    right = "{} of {}".format(*measured.real) + ", with a call taken out {} of {}".format(
        *measured.taken_out
    )
    return [
        ("unsupported action: right, by hand", right, f"at least {RIGHT:.0%}"),
        ("unsupported action: a dropped call is found", reached, f"at least {FOUND:.0%}"),
    ]


def main(seed: int) -> int:
    """Prints the numbers; 0 if they hold, 2 if the data are not there."""
    if not all((DATA / f"{name}.dev.jsonl.gz").is_file() for name in SETS):
        print("../shared/data does not hold the runs; nothing was measured")
        return 2
    measured = measure(seed)
    for what, (right, judged) in (
        ("as they are", measured.real),
        ("less a call", measured.taken_out),
    ):
        print(f"right in runs {what}: {right} of {judged} judged, at least {RIGHT:.0%}")
    for name, (hit, total) in measured.found.items():
        print(f"found in {name}: {hit} of {total} ({hit / total:.0%}), at least {FOUND:.0%}")
    holds = all(
        right >= RIGHT * judged for right, judged in (measured.real, measured.taken_out)
    ) and all(hit >= FOUND * total for hit, total in measured.found.values())
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else SEED))
