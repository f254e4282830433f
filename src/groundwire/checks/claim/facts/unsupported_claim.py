"""Unsupported claim: a declared field of the answer says otherwise than the facts that were collected."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from groundwire.checks import made_up
from groundwire.checks.claim.facts import claim_finding
from groundwire.checks.claim.facts.claim_finding import Case
from groundwire.checks.claim.facts.judging.default import judge
from groundwire.checks.claim.facts.judging.fields import Answer, read_answer, value_at
from groundwire.checks.claim.facts.judging.judgement import Judgement
from groundwire.checks.claim.facts.judging.original import judge_original
from groundwire.checks.claim.facts.ledger import Fact, Ledger, ledger_of
from groundwire.checks.claim.facts.since import may_have_changed, was_said
from groundwire.checks.seams import Encounter, judged, no_response, not_applicable, unreachable
from groundwire.checks.transcript import Transcript, answer_text, is_answer
from groundwire.documents.call import ToolCall
from groundwire.documents.declaration import CheckRules, Claim
from groundwire.documents.event import Declared, Event, Responded
from groundwire.documents.finding import Seam
from groundwire.documents.frame import CallPart, ResultPart, Text
from groundwire.documents.policy import ToolDeclaration
from groundwire.grounding.records.partial import partial_reason


class UnsupportedClaim:
    """Armed by declared claims; one encounter a claim and answer."""

    kind = claim_finding.KIND
    seam: Seam = claim_finding.SEAM
    version = 1
    armed_by = "claims, and tools with entity_at or that return gw.Facts"
    catches = "A declared field of the structured answer says otherwise than the latest fact of its entity."
    fences = (
        "silent where the answer leaves the field out, because it claims nothing",
        (
            "silent where no fact was collected, or the fact says of itself that it is unknown, "
            "because there is nothing to hold the claim against"
        ),
        (
            "silent about the same value in another spelling (separators, float noise, rounding to the "
            "stated precision, a convertible unit, a date), because it is the same value"
        ),
        (
            "an advisory where only capitals, the order of a list or an unstated unit differ, because "
            "they may mean the same"
        ),
        "an advisory where the answer says that it does not know, because that is no claim",
        (
            "silent where two facts of one time disagree and the answer has one of them (an advisory "
            "says that they do), because nobody here knows which holds"
        ),
        (
            "silent where a call since may have changed it, and an advisory where the user has said the "
            "value since, because the fact may no longer hold"
        ),
        (
            "silent about a figure over all entities where a result was partial, because the rest may "
            "make up the difference"
        ),
        "silent about marks that stand for secrets, because nobody can say what they were",
    )
    severity = "defect; advisory where they may agree or the answer only declines"
    sees = (Responded,)

    def watch(self, transcript: Transcript) -> Watch:
        """A fresh watch for one run."""
        return Watch(transcript)

    def canary(self) -> Sequence[Event]:
        """A size that the answer has wrong."""
        call = CallPart(ToolCall(id="canary", name="canary_tool", arguments="{}"))
        claim = Claim(answer="size", entity="canary", field="size")
        return (
            Declared(
                step=made_up.BEFORE,
                at="",
                declarations=(ToolDeclaration(name="canary_tool", entity_at="$.name"),),
                grounding="whole",
                posture="observe",
                checks=CheckRules(claims=(claim,)),
            ),
            made_up.request(
                made_up.message("user", Text("How large is it?")),
                made_up.message("assistant", call),
                made_up.message("tool", ResultPart("canary", '{"name": "canary", "size": 2719}')),
            ),
            made_up.response(Text('{"size": 48151}')),
        )


class Watch:
    """Results are read when an answer is to be judged, each once."""

    def __init__(self, transcript: Transcript) -> None:
        self._run = transcript
        self._ledger: Ledger = ledger_of(transcript)
        self._unarmed = False

    def see(self, event: Event) -> Iterable[Encounter]:
        """One encounter for each declared claim and answer; without claims one in all."""
        if not isinstance(event, Responded):
            return ()
        if self._run.rules.claims:
            return self._judge(event)
        if self._unarmed:
            return ()
        self._unarmed = True
        return (not_applicable("not-declared"),)

    def _judge(self, event: Responded) -> Iterable[Encounter]:
        response = event.response
        if response is None:
            yield no_response(event)
        elif response.error is not None:
            yield not_applicable("error-response")
        elif not is_answer(response):
            yield not_applicable("no-answer")
        else:
            original = self._run.rules.rules == "original"
            answer = read_answer(answer_text(response), fenced=not original)
            for claim in self._run.rules.claims:
                yield self._meet(event, claim, answer)

    def _meet(self, event: Responded, claim: Claim, answer: Answer) -> Encounter:
        if answer.value is None:
            return unreachable(answer.reason)
        place = value_at(answer.value, claim.answer)
        if place is None:
            return not_applicable("field-omitted")
        if any(place.pointer.startswith(pointer) for pointer in answer.repeated):
            return unreachable("repeated-key")
        case = Case(self._run, event, claim, place)
        if self._run.rules.rules == "original":
            return _encounter(case, judge_original(place, self._facts_of_turn(event, claim)))
        facts = self._ledger.facts(event.lane, claim.entity, claim.field)
        found = judge(claim, place, facts, self._run.rules.equivalences_off)
        return _encounter(case, self._fenced(case, found))

    def _facts_of_turn(self, event: Responded, claim: Claim) -> list[Fact]:
        """What the original's ledger holds: the facts of this turn, which is its run."""
        turn = self._run.lane(event.lane).turn
        facts = self._ledger.facts(event.lane, claim.entity, claim.field, nested=False)
        return [fact for fact in facts if fact.turn == turn and fact.entity == claim.entity]

    def _fenced(self, case: Case, found: Judgement) -> Judgement:
        """The judgement, unless something that happened since the facts came explains the answer."""
        if found.word not in {"contradicted", "doubted"}:
            return found
        results = sorted({fact.result for fact in found.facts})
        if case.claim.aggregate and any(map(self._is_partial, results)):
            return Judgement("unreachable", "partial-result")
        lane, claimed = case.event.lane, case.place.value
        if found.word == "doubted" or not found.facts:
            return found
        last = max(found.facts, key=lambda fact: fact.result)
        if may_have_changed(self._run, lane, last, claimed):
            return Judgement("unreachable", "changed-since")
        if was_said(self._run, lane, last, claimed):
            return Judgement("doubted", "said-since", found.facts, figure=found.figure)
        return found

    def _is_partial(self, result: int) -> bool:
        served = self._run.served[result]
        executions = () if served.chosen is None else served.chosen.executions
        ran = executions[-1] if executions else None
        return partial_reason(served.part.text, ran, self._run.tools.get(served.tool)) is not None


def _encounter(case: Case, found: Judgement) -> Encounter:
    match found.word:
        case "same":
            return judged((), (found.how,))
        case "unreachable":
            return unreachable(found.how)
        case "disputed":
            return Encounter(
                disposition="unreachable",
                reason=found.how,
                findings=(claim_finding.finding(case, found),),
            )
        case _:
            return judged([claim_finding.finding(case, found)], (found.how or found.word,))
