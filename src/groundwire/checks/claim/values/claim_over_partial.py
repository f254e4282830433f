"""Claim over partial: a count, total, extreme, "all" or "none" that rests on a part of a result.

The answer may still be right; that the model could not know it is the finding.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal

import msgspec

from groundwire.checks import made_up
from groundwire.checks.claim.sentences.answers import answer_in
from groundwire.checks.claim.values.value_finding import Said, finding
from groundwire.checks.seams import Encounter, judged, not_applicable
from groundwire.checks.transcript import Served, Transcript
from groundwire.checks.wording import clipped
from groundwire.documents.call import ToolCall
from groundwire.documents.event import Event, Responded
from groundwire.documents.finding import Assertion, Finding, Seam, Subject
from groundwire.documents.frame import CallPart, ResultPart, Text
from groundwire.grounding.answers.whole import Sweeping, sweeping
from groundwire.grounding.binding.text import AnswerText, read_answer
from groundwire.grounding.marks import has_mark
from groundwire.grounding.records.partial import Partial, partial_reason
from groundwire.grounding.records.reading import read_result
from groundwire.grounding.records.record import Reading
from groundwire.grounding.records.walk import key_words

_WHY = {
    "cut": "was cut before the model saw it",
    "prefix": "is only the beginning of what the tool returned",
    "total": "has fewer rows than it says there are",
    "next-page": "has a next page that was not fetched",
    "content-only": "is only a summary of what the tool returned",
}


class ClaimOverPartial:
    """Always armed; one encounter an answer. What is partial, `partial_reason` says."""

    kind = "claim-over-partial"
    seam: Seam = "claim"
    version = 1
    armed_by = "always; a tool's rows_at, total_at and next_at let it see more"
    catches = (
        "The answer counts the rows of a result of this turn, or speaks of all or none of them, of "
        "their total or extreme, and the model was shown only a part of that result."
    )
    fences = (
        (
            "silent where the answer says that it saw a part (cut, at least, so far, the first), "
            "because then it claims nothing of the rest"
        ),
        (
            "silent where the words around the claim do not name the rows, because it may be about "
            "something else"
        ),
        (
            "silent about what is quoted, asked, offered, planned, wished, ordered, denied or supposed, "
            "because none of that says what there is"
        ),
        "silent about a number that the result states beside its rows, because that is its total",
        "silent where a later result of the same tool in the turn is whole, because it was read on",
    )
    severity = "defect"
    sees = (Responded,)
    of_answers = True

    def watch(self, transcript: Transcript) -> Watch:
        """A fresh watch for one run."""
        return Watch(transcript)

    def canary(self) -> Sequence[Event]:
        """A count of the rows of a list that was cut."""
        call = CallPart(ToolCall(id="canary", name="list_tickets", arguments="{}"))
        part = '{"tickets":[{"id":"T-1"},{"id":"T-2"},{"id":"T-3"}\n[output cut at 48 characters]'
        return (
            made_up.request(
                made_up.message("user", Text("How many tickets are there?")),
                made_up.message("assistant", call),
                made_up.message("tool", ResultPart("canary", part)),
            ),
            made_up.response(Text("There are 3 tickets.")),
        )


class _Part(msgspec.Struct, frozen=True):
    served: Served
    partial: Partial
    nouns: frozenset[str]
    known: frozenset[Decimal]


class Watch:
    """An answer is judged when it comes; each result is asked once whether it is whole."""

    def __init__(self, transcript: Transcript) -> None:
        self._run = transcript
        self._parts: dict[int, _Part | None] = {}

    def see(self, event: Event) -> Iterable[Encounter]:
        """One encounter an answer."""
        return (self._meet(event),) if isinstance(event, Responded) else ()

    def _meet(self, event: Responded) -> Encounter:
        text = answer_in(event, self._run)
        if isinstance(text, Encounter):
            return text
        parts = self._partial(event.lane)
        if not parts:
            return not_applicable("no-partial-result")
        answer = read_answer(text)
        findings: dict[tuple[int, str, str], Finding] = {}
        spared = False
        for part in parts:
            for claim in sweeping(answer, part.nouns, part.known):
                if has_mark(claim.said):
                    spared = True
                    continue
                name = (claim.segment, claim.sort, claim.said)
                findings.setdefault(name, _finding(event, answer, part, claim))
        return judged(list(findings.values()), spared=spared)

    def _partial(self, lane: int) -> list[_Part]:
        turn = self._run.lane(lane).turn
        found: dict[str, _Part] = {}
        for served in self._run.served:
            if served.lane != lane or served.turn != turn or served.part.is_error:
                continue
            part = self._part(served)
            name = served.tool or str(served.number)
            if part is None:
                # What was read on: the last page, or the whole of what was cut before.
                found.pop(name, None)
            else:
                found[name] = part
        return list(found.values())

    def _part(self, served: Served) -> _Part | None:
        if served.number not in self._parts:
            self._parts[served.number] = self._read(served)
        return self._parts[served.number]

    def _read(self, served: Served) -> _Part | None:
        declared = self._run.tools.get(served.tool)
        executed = self._run.execution(served.part.call_id)
        partial = partial_reason(served.part.text, executed, declared)
        if partial is None:
            return None
        reading = read_result(served.part.text)
        known = _beside_rows(reading)
        return _Part(served, partial, _nouns(served, reading), known)


def _nouns(served: Served, reading: Reading) -> frozenset[str]:
    """What the rows are called: by the key of their list, by the tool's name, or rows."""
    found = {"rows", "results", "entries", "records", "items"}
    for record in reading.records:
        steps = record.pointer.split("/")
        if steps[-1].isdigit() and len(steps) > 1 and not steps[-2].isdigit() and steps[-2]:
            found.add(" ".join(key_words(steps[-2])) or steps[-2])
    words = key_words(served.tool)
    if words and words[-1].endswith("s"):
        found.add(words[-1])
    return frozenset(found)


def _beside_rows(reading: Reading) -> frozenset[Decimal]:
    return frozenset(
        field.number
        for record in reading.records
        if record.parent < 0
        for field in record.fields
        if field.number is not None
    )


def _finding(event: Responded, answer: AnswerText, part: _Part, claim: Sweeping) -> Finding:
    served, partial = part.served, part.partial
    tool = Subject("tool", served.tool or "unnamed")
    shown = "a part was shown"
    if partial.rows >= 0:
        shown = "1 row was shown" if partial.rows == 1 else f"{partial.rows} rows were shown"
    if partial.total >= 0:
        shown += f" of {partial.total}"
    return finding(
        ClaimOverPartial.kind,
        event,
        Said(claim.said, answer.of(answer.segments[claim.segment]), (tool,)),
        Assertion(
            subject=Subject("call", served.part.call_id),
            predicate="rows",
            value=shown,
            provenance=f"the result of call {clipped(served.part.call_id)}: {partial.reason}",
            step=served.step,
        ),
        (
            f"The answer says `{clipped(claim.said)}` of the rows of `{clipped(served.tool)}`, and that "
            f"result {_WHY[partial.reason]}: {shown}. Fetch the rest, or say that it is a part. The "
            "answer was not changed."
        ),
        grade=claim.sort,
    )
