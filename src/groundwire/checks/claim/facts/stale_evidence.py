"""Stale evidence: a value of the answer stands only in a result that is too old, or was replaced.

Too old is what the tool's declaration says (`max_age`). Replaced is a result whose call was made
again and gave another value at the same place of the same record.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import timedelta

import msgspec

from groundwire.checks import made_up
from groundwire.checks.claim.facts.ages.clock import age_floor, measured_in
from groundwire.checks.claim.facts.ages.sight import unseen
from groundwire.checks.claim.facts.ages.turns import source_of
from groundwire.checks.claim.facts.ages.twins import Twins, fields_with, replaced
from groundwire.checks.claim.facts.ledger import document
from groundwire.checks.claim.sentences.answers import answer_in, is_quotable
from groundwire.checks.claim.values.sources import Sources, sources_of
from groundwire.checks.claim.values.value_finding import Said, finding
from groundwire.checks.seams import Encounter, judged, not_applicable, unreachable
from groundwire.checks.transcript import Served, Transcript
from groundwire.checks.wording import clipped
from groundwire.documents.call import ToolCall
from groundwire.documents.event import Event, Requested, Responded
from groundwire.documents.finding import Assertion, Finding, Seam, Subject
from groundwire.documents.frame import CallPart, ResultPart, Text
from groundwire.grounding.answers.judging import COMPUTED, Judged
from groundwire.grounding.answers.shelf import Shelf, Source
from groundwire.grounding.answers.verdict import LEAST_DIGITS, Verdict, judge
from groundwire.grounding.folding import fold
from groundwire.grounding.marks import touches_mark
from groundwire.grounding.records.record import Field

# What says of a value that it was so, and not that it is.
_PAST = re.compile(
    r"\b(?:as of|as at|at the time|last (?:known|measured|updated|checked|reported|seen)|was|were|had"
    r"|earlier|previous\w*|before|formerly|original\w*|initial\w*|old|used to|from|until|yesterday"
    r"|ago|instead of|no longer|changed?|since)\b",
    re.IGNORECASE,
)


class StaleEvidence:
    """Armed by `max_age` for ages; always for values that a later result replaced."""

    kind = "stale-evidence"
    seam: Seam = "claim"
    version = 1
    armed_by = "always for replaced values; a tool's max_age for ages"
    catches = (
        "A value of the answer stands only in a result that was older than its tool's max_age, or "
        "that the same call, made again, replaced with another value."
    )
    fences = (
        (
            "silent where any other result, or anything that was said, has the value too, because the "
            "answer may rest on that"
        ),
        (
            "silent where the sentence speaks of what was (as of, previously, was, from), because then "
            "it says itself that it is old"
        ),
        (
            "silent about a replaced value where the answer also states the new one, because it tells of "
            "the change"
        ),
        (
            "silent where the later result has no such place, or another record stands there, because "
            "lists move"
        ),
        (
            "an advisory about a replaced value where another tool ran in between that is no declared "
            "read, because the answer may speak of what it changed"
        ),
        "silent where images, files or the provider may hold the value, because those are not read",
        (
            "silent about values that were computed, and about marks that stand for secrets, because "
            "neither stands in a result with an age"
        ),
        (
            "silent where the age may be less than the limit, because a moment without a zone may be "
            "half a day off and a date a day more, and of rows the newest counts"
        ),
        (
            "an advisory where the run has no clock and only turns can be counted, because a turn may "
            "be a minute or a day"
        ),
    )
    severity = "defect; advisory where other tools ran between the two results, or only turns can be counted"
    sees = (Requested, Responded)
    of_answers = True

    def watch(self, transcript: Transcript) -> Watch:
        """A fresh watch for one run."""
        return Watch(transcript)

    def canary(self) -> Sequence[Event]:
        """A level that was read twice, and the answer has the first."""
        calls = [
            CallPart(ToolCall(id=one, name="canary_level", arguments="{}")) for one in ("c1", "c2")
        ]
        return (
            made_up.request(
                made_up.message("user", Text("What is the level?")),
                made_up.message("assistant", calls[0]),
                made_up.message("tool", ResultPart("c1", '{"tank":"Canaria","level":2719}')),
                made_up.message("assistant", calls[1]),
                made_up.message("tool", ResultPart("c2", '{"tank":"Canaria","level":48151}')),
            ),
            made_up.response(Text("The level is 2719.")),
        )


class Old(msgspec.Struct, frozen=True):
    """A result on which nothing should rest any more: its age, or the result that came after it.

    `turns`: how many turns ago it was served, where there is no clock.
    """

    served: Served
    age: timedelta | None = None
    turns: int = 0
    after: Served | None = None


class Watch:
    """When requests left is kept; an answer is judged when it comes."""

    def __init__(self, transcript: Transcript) -> None:
        self._run = transcript
        self._sources: Sources = sources_of(transcript)
        self._twins = Twins(transcript)
        self._at: dict[int, str] = {}

    def see(self, event: Event) -> Iterable[Encounter]:
        """One encounter an answer."""
        if isinstance(event, Requested):
            self._at[event.step] = event.at
        elif isinstance(event, Responded):
            return (self._meet(event),)
        return ()

    def _meet(self, event: Responded) -> Encounter:
        text = answer_in(event, self._run)
        if isinstance(text, Encounter):
            return text
        aged = [s for s in self._run.served if s.lane == event.lane and self._limit(s) is not None]
        twins = self._twins.later(event.lane)
        if not aged and not twins:
            return not_applicable("nothing-ages")
        old = {number: Old(self._run.served[number], after=twin) for number, twin in twins.items()}
        blind = False
        for served in aged:
            found = self._aged(served, event)
            blind |= found is None
            if found is not None and (found.age is not None or found.turns):
                old.setdefault(served.number, found)
        if not old:
            return unreachable("no-clock") if blind else judged(())
        verdict = self._sources.verdict(event, self._run, text)
        findings = list(self._findings(event, verdict, old))
        reason = unseen(self._run, event) if findings else ""
        return unreachable(reason) if reason else judged(findings)

    def _limit(self, served: Served) -> int | None:
        declared = self._run.tools.get(served.tool)
        return None if declared is None else declared.max_age

    def _aged(self, served: Served, event: Responded) -> Old | None:
        """The result with its age where it is over the limit; without one where it is not.

        None: nobody can say how old it is.
        """
        limit = timedelta(seconds=self._limit(served) or 0)
        declared = self._run.tools[served.tool]
        measured = measured_in(document(served.part.text), declared.as_of)
        age = age_floor(event.at, self._at.get(served.step, ""), measured)
        if age is not None:
            return Old(served, age=age) if age > limit else Old(served)
        if event.at:
            return None
        return Old(served, turns=self._run.lane(event.lane).turn - served.turn)

    def _findings(
        self, event: Responded, verdict: Verdict, old: dict[int, Old]
    ) -> Iterable[Finding]:
        found = []
        for one in verdict.judged:
            sentence = verdict.answer.of(verdict.answer.segments[one.segment])
            if not one.method or one.method in COMPUTED:
                continue
            if touches_mark(verdict.answer.text, one.value.start, one.value.end):
                continue
            holder = None if _PAST.search(sentence) else self._holder(verdict, one, old)
            if holder is not None:
                found.append((one, holder))
        standing = self._standing(event, verdict, old) if found else frozenset()
        for one, holder in found:
            if one.value.start not in standing:
                yield self._finding(event, verdict, one, holder)

    def _standing(self, event: Responded, verdict: Verdict, old: dict[int, Old]) -> frozenset[int]:
        """Where the values stand that anything else grounds, by arithmetic too."""
        said = [Source(t, "said") for t in self._sources.said(event, self._run) if t.strip()]
        fresh = [source_of(s) for s in reversed(self._run.served) if s.number not in old]
        off = self._run.rules.equivalences_off
        again = judge(verdict.answer.text, Shelf([*fresh, *said]), LEAST_DIGITS, off)
        return frozenset(one.value.start for one in again.judged if one.method)

    def _holder(
        self, verdict: Verdict, one: Judged, old: dict[int, Old]
    ) -> tuple[Old, tuple[Field, Field] | None] | None:
        """The newest result that has the value, and what took its place."""
        off = self._run.rules.equivalences_off
        for number in sorted(old, reverse=True):
            each = old[number]
            ground = Shelf([source_of(each.served)]).ground(one.value, off)
            if ground is None:
                continue
            if each.after is None:
                return each, None
            spelled = verdict.answer.text[one.value.start : one.value.end]
            places = [ground.site.pointer] if ground.site is not None else []
            places += [field.pointer for field in fields_with(each.served, spelled)]
            for place in places:
                change = replaced(each.served, each.after, place)
                if change is not None and fold(change[1].text) not in fold(verdict.answer.text):
                    return each, change
            return None
        return None

    def _finding(
        self,
        event: Responded,
        verdict: Verdict,
        one: Judged,
        holder: tuple[Old, tuple[Field, Field] | None],
    ) -> Finding:
        old, change = holder
        said = verdict.answer.text[one.value.start : one.value.end]
        tool, call_id = old.served.tool, clipped(old.served.part.call_id, 48)
        call = f"call {call_id} of `{clipped(tool, 48)}`"
        limit = self._limit(old.served)
        if change is not None and old.after is not None:
            new = clipped(change[1].text) if is_quotable(self._run, tool) else "another value"
            doubt = self._changed_between(old.served, old.after)
            grade, now = "replaced", f"{change[1].key} = {new}"
            later = clipped(old.after.part.call_id, 48)
            why = (
                f"the same call was made again (call {later}) and says `{clipped(change[1].key, 40)}` "
                f"= `{new}`. {'A place to look: other tools ran in between. ' if doubt else ''}Use the "
                "later result."
            )
            step = old.after.step
        elif old.age is not None:
            doubt = False
            grade, now = "age", f"at least {int(old.age.total_seconds())} s old"
            why = f"it was {now} by then, and its tool declares {limit} s. Call it again."
            step = old.served.step
        else:
            doubt = True
            grade, now = "turns", f"{old.turns} turns old"
            why = (
                f"it was served {old.turns} turn{'s' if old.turns > 1 else ''} before. Its tool "
                f"declares {limit} s, and this run has no clock: a place to look. Call it again."
            )
            step = old.served.step
        return finding(
            StaleEvidence.kind,
            event,
            Said(said, verdict.answer.of(verdict.answer.segments[one.segment])),
            against=Assertion(
                subject=Subject("call", old.served.part.call_id),
                predicate="age" if change is None else "says now",
                value=now,
                provenance=f"the result of {call}",
                step=step,
            ),
            message=(
                f"The answer states `{clipped(said)}`, which stands only in the result of {call}; "
                f"{why} The answer was not changed."
            ),
            grade=grade,
            advisory=doubt,
        )

    def _changed_between(self, before: Served, after: Served) -> bool:
        """Whether another tool than this one, and none that is declared a read, ran in between."""
        for chosen in self._run.called:
            declared = self._run.tools.get(chosen.call.name)
            reads = declared is not None and declared.effect == "read"
            between = chosen.lane == before.lane and before.step <= chosen.step <= after.step
            if between and not reads and chosen.call.name != before.tool:
                return True
        return False
