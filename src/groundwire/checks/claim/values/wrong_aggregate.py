"""Wrong aggregate: a total, mean or extreme that a served column contradicts.

The column has to be named, its table whole, and the sentence about all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from groundwire.checks import made_up
from groundwire.checks.claim.sentences.answers import answer_in
from groundwire.checks.claim.values.sources import Sources, results_in, sources_of
from groundwire.checks.claim.values.value_finding import Said, finding
from groundwire.checks.seams import Encounter, judged, not_applicable
from groundwire.checks.transcript import Transcript
from groundwire.checks.wording import clipped
from groundwire.documents.call import ToolCall
from groundwire.documents.event import Event, Responded
from groundwire.documents.finding import Assertion, Finding, Seam, Subject
from groundwire.documents.frame import CallPart, ResultPart, Text
from groundwire.grounding.answers.figures import Figure, wrong_figures
from groundwire.grounding.answers.shelf import Shelf
from groundwire.grounding.answers.verdict import Verdict
from groundwire.grounding.marks import touches_mark

_WORDS = {"sum": "sum", "mean": "mean", "max": "highest value", "min": "lowest value"}


class WrongAggregate:
    """Always armed; one encounter an answer."""

    kind = "wrong-aggregate"
    seam: Seam = "claim"
    version = 1
    armed_by = "always"
    catches = (
        "The answer states a total, a mean, a highest or a lowest value of a column that was served "
        "whole, and the column's numbers give another."
    )
    fences = (
        (
            "silent where the words around the number do not name exactly one served column, because "
            "then nobody knows what was added up"
        ),
        (
            "silent where the sentence names a row, another number, or a word that narrows (only, "
            "without, among, per), because it may be about some of the rows"
        ),
        (
            "silent where a result states the number itself or it follows from what stands beside it, "
            "because a tool's own total is not for us to add up"
        ),
        "silent where the table was cut, because then nobody has the whole column",
    )
    severity = "defect"
    sees = (Responded,)
    of_answers = True

    def watch(self, transcript: Transcript) -> Watch:
        """A fresh watch for one run."""
        return Watch(transcript)

    def canary(self) -> Sequence[Event]:
        """A sum that no column has."""
        call = CallPart(ToolCall(id="canary", name="canary_tool", arguments="{}"))
        rows = '[{"day":"mon","litres":21},{"day":"tue","litres":34},{"day":"wed","litres":13}]'
        return (
            made_up.request(
                made_up.message("user", Text("How much was used?")),
                made_up.message("assistant", call),
                made_up.message("tool", ResultPart("canary", rows)),
            ),
            made_up.response(Text("In total 87 litres were used.")),
        )


class Watch:
    """An answer is judged when it comes."""

    def __init__(self, transcript: Transcript) -> None:
        self._run = transcript
        self._sources: Sources = sources_of(transcript)

    def see(self, event: Event) -> Iterable[Encounter]:
        """One encounter an answer."""
        return (self._meet(event),) if isinstance(event, Responded) else ()

    def _meet(self, event: Responded) -> Encounter:
        text = answer_in(event, self._run)
        if isinstance(text, Encounter):
            return text
        if not results_in(self._run, event.lane):
            return not_applicable("no-result")
        verdict = self._sources.verdict(event, self._run, text)
        if verdict.binder is None:
            return not_applicable("no-value")
        shelf = self._sources.shelf(event, self._run)
        named = [
            bool(one.values)
            and any(True for _ in verdict.binder.names.mentions(text, one.start, one.end))
            for one in verdict.answer.segments
        ]
        computed = {one.value.start for one in verdict.judged if one.method}
        found = list(
            wrong_figures(
                verdict.answer,
                shelf.evidence,
                named,
                lambda value: value.start in computed or shelf.ground(value) is not None,
            )
        )
        shown = [one for one in found if not touches_mark(text, one.value.start, one.value.end)]
        return judged(
            [_finding(event, verdict, shelf, one) for one in shown],
            spared=len(shown) < len(found),
        )


def _finding(event: Responded, verdict: Verdict, shelf: Shelf, one: Figure) -> Finding:
    said = verdict.answer.text[one.value.start : one.value.end]
    source = shelf.results[one.column.source]
    column = Subject("column", one.column.key)
    actual = f"{one.actual:.10f}".rstrip("0").rstrip(".") if one.actual else "0"
    return finding(
        WrongAggregate.kind,
        event,
        Said(said, verdict.answer.of(verdict.answer.segments[one.segment]), (column,)),
        Assertion(
            subject=column,
            predicate=one.method,
            value=actual,
            provenance=(
                f"{one.column.rows} rows of call {clipped(source.call_id)} of `{clipped(source.tool)}`"
            ),
            step=event.step,
        ),
        (
            f"The answer states `{clipped(said)}` as the {_WORDS[one.method]} of "
            f"`{clipped(one.column.key)}`, and the {_WORDS[one.method]} of its {one.column.rows} rows is "
            f"{actual} (call {clipped(source.call_id)} of `{clipped(source.tool)}`). Compute it again. "
            "The answer was not changed."
        ),
        grade=one.method,
        path=one.column.pointer,
    )
