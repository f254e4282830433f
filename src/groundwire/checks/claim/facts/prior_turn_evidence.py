"""Prior-turn evidence: every value of the answer that results ground was served in an earlier turn.

A notice, no verdict: a question back to what was found before looks the same as an answer that
should have been fetched anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from groundwire.canon import digest
from groundwire.checks import made_up
from groundwire.checks.claim.facts.ages.sight import unseen
from groundwire.checks.claim.facts.ages.turns import Turns, judge_turns, original_turns, turns_of
from groundwire.checks.claim.sentences.answers import THE_ANSWER
from groundwire.checks.claim.values.sources import Sources, sources_of
from groundwire.checks.seams import Encounter, no_response, not_applicable, unreachable
from groundwire.checks.transcript import Lane, Served, Transcript, answer_text, is_answer
from groundwire.checks.wording import listed
from groundwire.documents.call import ToolCall
from groundwire.documents.declaration import CheckRules, Evidence
from groundwire.documents.event import Declared, Event, Responded
from groundwire.documents.finding import Assertion, Finding, Seam
from groundwire.documents.frame import CallPart, Response, ResultPart, Text


class PriorTurnEvidence:
    """Armed with the evidence gate; one encounter an answer."""

    kind = "prior-turn-evidence"
    seam: Seam = "claim"
    version = 1
    armed_by = "checks.evidence.posture, or --arm-all; `prior_turns = false` switches it off"
    catches = (
        "An answer with values from results, every one of them served in an earlier turn and none in "
        "this one."
    )
    fences = (
        "an advisory always, because a question back to what was found before looks the same",
        "silent where one value of this turn stands in it, because then not every value is old",
        "silent about values that people or instructions said, because they need no result",
        (
            "silent where what a host wrote in the user's place follows a result, because the person did "
            "not speak"
        ),
        "silent where the lane was shown an image or file, because those are not read",
        "silent where other lanes have results, because their turns are not these",
        "silent about values computed in a turn that has results, because they may be its",
    )
    severity = "advisory"
    sees = (Responded,)

    def watch(self, transcript: Transcript) -> Watch:
        """A fresh watch for one run."""
        return Watch(transcript)

    def canary(self) -> Sequence[Event]:
        """A number from the first turn in the answer of the second."""
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
                made_up.message("tool", ResultPart("canary", '{"due": 48151}')),
                made_up.message("assistant", Text("I looked it up.")),
                made_up.message("user", Text("And now?")),
            ),
            made_up.response(Text("The amount due is 48,151.")),
        )


class Watch:
    """What was said is kept as it comes; an answer is judged when it comes."""

    def __init__(self, transcript: Transcript) -> None:
        self._run = transcript
        self._sources: Sources = sources_of(transcript)
        self._unarmed = False

    def see(self, event: Event) -> Iterable[Encounter]:
        """One encounter an answer; where it is not armed, one in all."""
        if not isinstance(event, Responded):
            return ()
        rules = self._run.rules
        gated = self._run.arm_all or rules.evidence.posture != "off"
        if gated and rules.prior_turns:
            return (self._meet(event),)
        if self._unarmed:
            return ()
        self._unarmed = True
        return (not_applicable("not-declared" if rules.prior_turns else "switched-off"),)

    def _meet(self, event: Responded) -> Encounter:
        response = event.response
        if response is None:
            return no_response(event)
        if response.error is not None:
            return not_applicable("error-response")
        if not is_answer(response):
            return (
                unreachable("empty-answer") if _is_empty(response) else not_applicable("no-answer")
            )
        frame = self._run.lane(event.lane).frame
        if frame is None:
            return unreachable("unreadable-body")
        text = answer_text(response)
        original = self._run.rules.rules == "original"
        if not original and (reason := unseen(self._run, event)):
            return unreachable(reason)
        turns = self._by_original(event, text) if original else self._turns(event, text)
        word, reason = judge_turns(turns)
        if word == "checked-fail" and not original and self._has_other_lanes(event):
            # What another lane was shown may be of this turn, and has turns of its own.
            return unreachable("other-lanes")
        findings = (_finding(event, turns),) if word == "checked-fail" else ()
        return Encounter(disposition=word, reason=reason, findings=findings)

    def _turns(self, event: Responded, text: str) -> Turns:
        lane = self._run.lane(event.lane)
        now = _of_this_turn(lane)
        numbers = {served.number for served in now}
        results = [served for served in self._run.served if served.lane == event.lane]
        before = [served for served in results if served.number not in numbers]
        verdict = self._sources.verdict(event, self._run, text)
        said = self._sources.said(event, self._run)
        off = self._run.rules.equivalences_off
        return turns_of(verdict, now, before, said, lane.turn, off)

    def _has_other_lanes(self, event: Responded) -> bool:
        return any(served.lane != event.lane for served in self._run.served)

    def _by_original(self, event: Responded, text: str) -> Turns:
        lane = self._run.lane(event.lane)
        said = self._sources.said(event, self._run)
        return original_turns(text, lane.results, said, lane.turn, self._run.rules.evidence)


def _of_this_turn(lane: Lane) -> list[Served]:
    """The results since the user spoke, and since the last answer: no person speaks in between.

    Hosts that put words into the user's mouth after a result ("now answer") begin no turn.
    """
    found = [served for served in lane.results if served.turn == lane.turn]
    for standing in reversed(lane.standing):
        message = standing.message
        if message.role == "assistant" and not any(isinstance(p, CallPart) for p in message.parts):
            break
        found += (served for served in standing.served if served not in found)
    return found


def _is_empty(response: Response) -> bool:
    """A whole response that neither says nor calls anything."""
    called = any(isinstance(part, CallPart) for part in response.parts)
    return response.complete and not called


def _finding(event: Responded, turns: Turns) -> Finding:
    back = turns.current - turns.newest
    when = f"in turn {turns.newest}, at least {back} turn{'s' if back > 1 else ''} ago"
    if not turns.newest:
        when = "in earlier turns"
    fetched = (
        "This turn fetched nothing."
        if not turns.results
        else f"None of them stands in the {turns.results} results of this turn."
    )
    every = "The one value" if turns.prior == 1 else f"All {turns.prior} values"
    values = (
        ("values", str(turns.prior), f"the values of the answer that results ground: {when}"),
        ("last served", f"turn {turns.newest}", "the newest result that holds one of them"),
        ("results", str(turns.results), f"tool results of this turn, turn {turns.current}"),
    )
    return Finding(
        kind=PriorTurnEvidence.kind,
        seam=PriorTurnEvidence.seam,
        subjects=(THE_ANSWER,),
        witnesses=tuple(
            Assertion(
                subject=THE_ANSWER, predicate=name, value=value, provenance=where, step=event.step
            )
            for name, value, where in values
        ),
        message=(
            f"{every} of the answer that results ground ({listed(turns.values)}) "
            f"{'was' if turns.prior == 1 else 'were'} last served {when}. {fetched} A place to look: "
            "a question back to what was found looks the same as an answer gone stale, the "
            "distance is a floor, and values that people or instructions said are not looked at. If "
            "it had to be current, fetch it again. The answer was not changed."
        ),
        lane=event.lane,
        step=event.step,
        value_digest=digest.tagged(
            "value", "\n".join(sorted(turns.values)).encode("utf-8", "surrogatepass")
        ),
        grade="nothing-fetched" if not turns.results else "nothing-used",
        advisory=True,
    )
