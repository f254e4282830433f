"""Unsupported value: a number, identifier, date or time of an answer that nothing served.

The evidence gate. A value counts as served wherever it stands: that it belongs to something else
is what `wrong-record` looks for. Names without a digit are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from groundwire.checks import made_up
from groundwire.checks.claim.sentences.unread import has_unread
from groundwire.checks.claim.values.sources import Sources, sources_of
from groundwire.checks.claim.values.value_finding import Said, finding
from groundwire.checks.seams import Encounter, judged, no_response, not_applicable, unreachable
from groundwire.checks.transcript import Transcript, answer_text
from groundwire.checks.wording import clipped
from groundwire.documents.call import ToolCall
from groundwire.documents.declaration import CheckRules, Evidence
from groundwire.documents.event import Declared, Event, Responded
from groundwire.documents.finding import Assertion, Finding, Seam, Subject
from groundwire.documents.frame import CallPart, ResultPart, Text
from groundwire.grounding.answers import original
from groundwire.grounding.answers.judging import UNREAD, Judged
from groundwire.grounding.answers.verdict import Verdict
from groundwire.grounding.marks import touches_mark

_RESULTS = Subject("channel", "results")


class UnsupportedValue:
    """Armed by an evidence posture or `arm_all`; one encounter an answer."""

    kind = "unsupported-value"
    seam: Seam = "claim"
    version = 1
    armed_by = "checks.evidence.posture, or --arm-all"
    catches = (
        "A number, identifier, date or time of day of the answer stands in no tool result and in "
        "nothing that people or instructions said, and follows from nothing that stands beside it."
    )
    fences = (
        (
            "silent about number words, ordinals, list numbers and bare numbers below the least count "
            "of digits, because they are words of the language as often as data"
        ),
        (
            "silent where the value was served in another spelling (separators, unit, rounding to the "
            "stated precision, percent, the same date or time), because it is the same value"
        ),
        (
            "silent where the value is the sum, difference, ratio or mean of what stands beside it or "
            "in one column of one result, because it was computed; never from any two numbers"
        ),
        (
            "a date, a duration where no result states durations, and anything after an image or file "
            "is a place to look and no defect, because it may have been computed or read there"
        ),
        "silent about marks that stand for secrets, because nobody can say what they were",
    )
    severity = (
        "defect; advisory for dates, for durations nothing states, and after what is not read"
    )
    sees = (Responded,)

    def watch(self, transcript: Transcript) -> Watch:
        """A fresh watch for one run."""
        return Watch(transcript)

    def canary(self) -> Sequence[Event]:
        """An amount and a number that no result holds."""
        call = CallPart(ToolCall(id="canary", name="canary_tool", arguments="{}"))
        return (
            Declared(
                step=made_up.BEFORE,
                at="",
                declarations=(),
                grounding="whole",
                posture="observe",
                checks=CheckRules(evidence=Evidence(posture="assist")),
            ),
            made_up.request(
                made_up.message("user", Text("What is due?")),
                made_up.message("assistant", call),
                made_up.message("tool", ResultPart("canary", '{"due": 2719}')),
            ),
            made_up.response(Text("The amount due is 48,151.")),
        )


class Watch:
    """An answer is judged when it comes."""

    def __init__(self, transcript: Transcript) -> None:
        self._run = transcript
        self._sources: Sources = sources_of(transcript)
        self._unarmed = False

    def see(self, event: Event) -> Iterable[Encounter]:
        """One encounter an answer; where the gate is off, one in all."""
        if not isinstance(event, Responded):
            return ()
        if self._run.arm_all or self._run.rules.evidence.posture != "off":
            return (self._meet(event),)
        if self._unarmed:
            return ()
        self._unarmed = True
        return (not_applicable("not-declared"),)

    def _meet(self, event: Responded) -> Encounter:
        response = event.response
        if response is None:
            return no_response(event)
        if response.error is not None:
            return not_applicable("error-response")
        lane = self._run.lane(event.lane)
        if lane.answer is not response:
            return not_applicable("no-answer")
        frame = lane.frame
        if frame is None:
            return unreachable("unreadable-body")
        text = answer_text(response)
        if self._run.rules.rules == "original":
            return self._by_original(event, text)
        return self._judge(event, text, held=frame.held_by_provider is not None)

    def _judge(self, event: Responded, text: str, *, held: bool) -> Encounter:
        verdict = self._sources.verdict(event, self._run, text)
        if not verdict.judged:
            return not_applicable("no-value")
        text = verdict.answer.text
        shown = [
            one
            for one in verdict.unsupported
            if not touches_mark(text, one.value.start, one.value.end)
        ]
        missing = [one for one in shown if not self._is_exempt(text, one)]
        if missing and held:
            return unreachable("held-by-provider")
        if missing and self._sources.shelf(event, self._run).capped:
            return unreachable("index-truncated")
        unread = has_unread(self._run, event.lane)
        findings = [_finding(event, verdict, one, unread=unread) for one in missing]
        grades = [one.method or "unsupported" for one in verdict.judged]
        if not missing and UNREAD in grades:
            return unreachable("index-truncated")
        return judged(findings, grades, spared=len(shown) < len(verdict.unsupported))

    def _is_exempt(self, text: str, one: Judged) -> bool:
        token = original.normalise(text[one.value.start : one.value.end])
        return original.is_exempt(token, self._run.rules.evidence)

    def _by_original(self, event: Responded, text: str) -> Encounter:
        results = [
            served.part.text for served in self._run.lane(event.lane).results if served.part.text
        ]
        said = self._sources.said(event, self._run)
        rules = self._run.rules.evidence
        every, missing, cut = original.unsupported(text, results, said, rules)
        if not every:
            return not_applicable("no-value")
        if cut:
            return unreachable("index-truncated")
        findings = [_plain_finding(event, value, text) for value in missing]
        return judged(findings, ["unsupported" if v in missing else "exact" for v in every])


def _finding(event: Responded, verdict: Verdict, one: Judged, *, unread: bool) -> Finding:
    said = verdict.answer.text[one.value.start : one.value.end]
    sentence = verdict.answer.of(verdict.answer.segments[one.segment])
    doubt = one.doubt or unread
    word = {"number": "number", "identifier": "identifier", "date": "date", "time": "time of day"}
    sentences = [
        (
            f"The answer states the {word[one.value.kind]} `{clipped(said)}`, which stands in no "
            "tool result, in nothing that was said to the model, and follows from nothing beside it."
        ),
    ]
    if unread:
        sentences.append("An image or file may hold it; those are not read.")
    elif doubt:
        sentences.append("It may have been computed, so this is a place to look, not a defect.")
    sentences.append("Look the value up with a tool, or leave it out. The answer was not changed.")
    return finding(
        UnsupportedValue.kind,
        event,
        Said(said, sentence),
        against=_nothing(event),
        message=" ".join(sentences),
        grade=one.value.kind,
        advisory=doubt,
    )


def _plain_finding(event: Responded, value: str, text: str) -> Finding:
    return finding(
        UnsupportedValue.kind,
        event,
        Said(value, text),
        against=_nothing(event),
        message=(
            f"The answer states `{clipped(value)}`, which stands in no tool result and in nothing "
            "that was said to the model. Look the value up with a tool, or leave it out. The "
            "answer was not changed."
        ),
        grade="original",
    )


def _nothing(event: Responded) -> Assertion:
    return Assertion(
        subject=_RESULTS,
        predicate="holds",
        value="nothing like it",
        provenance="every tool result of the run and everything that was said in this lane",
        step=event.step,
    )
