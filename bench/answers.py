"""Whether what is said of values in answers is right: `python -m bench.answers [SEED]`.

Agents' prose (tau-bench) has no labels: nearly every number in it is right, so what is accused
there counts as false, and wrong digits are seeded. Texts made from data (quintd, NBA) were marked by people: an
accused number is right where it stands in a span that they marked wrong, false where they marked
nothing, and neither where they could not tell. Numbers that they overlooked count as false
accusations.
"""

from __future__ import annotations

import gzip
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TypeAlias

import msgspec

from bench.runs import DATA, is_there, runs
from groundwire.checks.transcript import answer_text, is_answer
from groundwire.documents.frame import CallPart, Frame, Response, ResultPart, Text
from groundwire.grounding.answers.shelf import Shelf, Source
from groundwire.grounding.answers.verdict import Verdict, judge
from groundwire.grounding.schemas import spec_texts
from groundwire.grounding.values.value import Value

Row: TypeAlias = tuple[str, str, str]
SEED = 20_315
_WRONG = frozenset({"Incorrect", "Misleading", "NUMBER", "NAME", "WORD", "CONTEXT"})
_JUDGED = ("number", "date", "time")
_MANY = 3


class Span(msgspec.Struct):
    """What a person marked in a text."""

    start: int
    end: int
    type: str


class Written(msgspec.Struct, rename={"plain": "text"}):
    """A text that a model made from data, and what people found wrong in it."""

    source: str
    plain: str
    spans: list[Span]
    data: dict[str, object] = {}


def accusations(verdict: Verdict) -> dict[int, Value]:
    """The values that are defects, by where they start; advisories are none."""
    found = {one.value.start: one.value for one in verdict.unsupported if not one.doubt}
    return found | {one.value.start: one.value for one in verdict.bound}


def answers(name: str) -> Iterator[tuple[str, Shelf]]:
    """Every answer of a set's runs, with its sources as the checks see them."""
    for run in runs(name):
        frame: Frame | None = None
        for step in run.steps:
            if isinstance(step, Frame):
                frame = step
            elif frame is not None and is_answer(step):
                yield _answer(step), Shelf(_sources(frame))


def _answer(response: Response) -> str:
    return answer_text(response)


def _sources(frame: Frame) -> list[Source]:
    calls: dict[str, CallPart] = {}
    results: list[Source] = []
    said = ["\n".join(text for tool in frame.tools for text in spec_texts(tool))]
    said += [part.text for part in frame.system if isinstance(part, Text)]
    for message in frame.messages:
        for part in message.parts:
            if isinstance(part, CallPart):
                calls[part.call.id] = part
            elif isinstance(part, ResultPart):
                call = calls.get(part.call_id)
                tool = part.name or (call.call.name if call else "")
                given = call.call.arguments if call else ""
                results.append(Source(part.text, "result", 0, tool, given, part.call_id))
            elif isinstance(part, Text) and message.role != "assistant":
                said.append(part.text)
    return results[::-1] + [Source(text, "said") for text in said if text.strip()]


def _digits(text: str, value: Value) -> int:
    return sum(map(str.isdigit, text[value.start : value.end]))


def prose(seed: int) -> list[Row]:
    """Numbers in agents' prose: those accused, and seeded digits found."""
    dice = random.Random(seed)
    total: Counter[str] = Counter()
    accused: Counter[str] = Counter()
    seeded: Counter[str] = Counter()
    found: Counter[str] = Counter()
    for text, shelf in answers("taubench"):
        verdict = judge(text, shelf)
        wrong = accusations(verdict)
        for segment in verdict.answer.segments:
            for value in segment.values:
                if value.kind not in {"number", "time"} or value.worded or value.ordinal:
                    continue
                sort = _sort(text, value)
                total[sort] += 1
                accused[sort] += value.start in wrong
                if value.start not in wrong:
                    seeded[sort] += 1
                    found[sort] += _is_found(text, value, shelf, dice)
    return [
        row
        for sort, reach in (("three digits or more", ("<= 0.5 %", ">= 95 %")), *_OTHERS)
        for row in (
            (
                f"tau-bench prose numbers of {sort}: accused",
                _rate(accused[sort], total[sort], 2),
                reach[0],
            ),
            ("  seeded digit errors found", _rate(found[sort], seeded[sort]), reach[1]),
        )
    ]


_OTHERS = (("two digits", ("", "")), ("one digit", ("", "")), ("a time of day", ("", "")))


def _sort(text: str, value: Value) -> str:
    if value.kind == "time":
        return "a time of day"
    digits = _digits(text, value)
    return ("one digit", "two digits", "three digits or more")[min(digits, _MANY) - 1]


def _is_found(text: str, value: Value, shelf: Shelf, dice: random.Random) -> bool:
    places = [place for place in range(value.start, value.end) if text[place].isdigit()]
    place = dice.choice(places)
    others = [d for d in "0123456789" if d != text[place] and not (d == "0" and place == places[0])]
    changed = text[:place] + dice.choice(others) + text[place + 1 :]
    verdict = judge(changed, shelf)
    filed = [one.value for one in verdict.unsupported] + [one.value for one in verdict.bound]
    return any(one.start <= place < one.end for one in filed)


def marked(name: str) -> Counter[str]:
    """How numbers of the texts of this set were marked, and which of them are accused."""
    counts: Counter[str] = Counter()
    rows = gzip.decompress((DATA / f"{name}.dev.jsonl.gz").read_bytes()).splitlines()
    for line in rows:
        row = msgspec.json.decode(line, type=Written)
        source = _data(row)
        verdict = judge(row.plain, Shelf([Source(source, "result")]))
        wrong = {
            start: value for start, value in accusations(verdict).items() if value.kind in _JUDGED
        }
        # `a steal` counts one where it is accused; the article is no number elsewhere.
        every = {
            value.start: value
            for segment in verdict.answer.segments
            for value in segment.values
            if value.kind in _JUDGED and not value.ordinal
        } | wrong
        for value in every.values():
            sort = _mark(value, row.spans)
            counts[sort] += 1
            counts[f"accused {sort}"] += value.start in wrong
        for span in row.spans:
            if span.type == "NUMBER":
                counts["number errors"] += 1
                counts["number errors found"] += any(
                    one.start < span.end and span.start < one.end for one in wrong.values()
                )
    return counts


def _data(row: Written) -> str:
    if not row.data:
        return row.source
    # The report that a person wrote of the same match is no data.
    kept: Mapping[str, object] = {k: v for k, v in row.data.items() if k != "detokenized_text"}
    return msgspec.json.encode(kept).decode()


def _mark(value: Value, spans: list[Span]) -> str:
    over = [span for span in spans if value.start < span.end and span.start < value.end]
    if not over:
        return "good"
    return "wrong" if any(span.type in _WRONG for span in over) else "neither"


def texts() -> list[Row]:
    """Texts made from data, against what people marked in them."""
    found: list[Row] = []
    quintd, nba = marked("docs_quintd"), marked("docs_nba")
    right, false = quintd["accused wrong"], quintd["accused good"]
    found += [
        ("quintd numbers: precision", _rate(right, right + false), ">= 80 %"),
        ("  good numbers accused", _rate(false, quintd["good"], 2), "<= 0.5 %"),
        ("  wrong numbers found", _rate(right, quintd["wrong"]), ""),
    ]
    right, false = nba["accused wrong"], nba["accused good"]
    found += [
        (
            "NBA number errors found",
            _rate(nba["number errors found"], nba["number errors"]),
            ">= 50 %",
        ),
        ("  precision", _rate(right, right + false), ">= 75 %"),
        ("  good numbers accused", _rate(false, nba["good"], 2), ""),
    ]
    return found


def _rate(part: int, whole: int, places: int = 1) -> str:
    share = 100 * part / whole if whole else 0.0
    return f"{share:.{places}f} % ({part} of {whole})"


def rows(seed: int = SEED) -> list[Row]:
    """Measure, measured, reach; none where the data are not there."""
    found: list[Row] = []
    if is_there("taubench"):
        found += prose(seed)
    if is_there("docs_quintd", "docs_nba"):
        found += texts()
    return found


def main() -> int:
    """Prints the table."""
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else SEED
    for measure, measured, reach in rows(seed):
        print(f"{measure:<58} {measured:<26} {reach}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
