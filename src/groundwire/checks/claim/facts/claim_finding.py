"""Findings about claims: their facts in words, and the witnesses of answer and results."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from groundwire.canon import digest
from groundwire.canon.jcs import JSON
from groundwire.checks.claim.facts.judging.fields import Place
from groundwire.checks.claim.facts.judging.judgement import Judgement
from groundwire.checks.claim.facts.judging.settling import bare
from groundwire.checks.claim.facts.ledger import Fact
from groundwire.checks.claim.sentences.answers import is_quotable
from groundwire.checks.conflicts import render
from groundwire.checks.transcript import Transcript
from groundwire.checks.wording import clipped
from groundwire.documents.declaration import Claim
from groundwire.documents.event import Responded
from groundwire.documents.finding import Assertion, Finding, Seam, Subject

KIND = "unsupported-claim"
SEAM: Seam = "claim"
# Of the facts that were replaced a finding quotes the last few.
MOST_EARLIER = 20
_LONGEST = 2_000
_KEPT_OUT = "(kept out of the recording)"

_REPAIRS = {
    "case": "only the capitals differ; declare `ignore_case` if they do not matter",
    "order": "only the order of the list differs; declare `as_set` if it does not matter",
    "set": "only repeated elements differ; declare `as_set` if they do not matter",
    "unit": "the unit that is meant is not known; declare the claim's `unit`",
    "rounding": "it may be rounded; declare a `tolerance` if that is meant",
    "time-zone": "one of the two names no time zone",
    "nested": "they differ deeper than is compared",
    "said-since": "the user has said the value since",
    "population": "several results state such facts, and which are meant is not known",
}


class Case(msgspec.Struct, frozen=True):
    """A claim, what the answer says of it, and the run it was said in."""

    run: Transcript
    event: Responded
    claim: Claim
    place: Place


def finding(case: Case, found: Judgement) -> Finding:
    """The finding for a judgement that is no plain agreement."""
    subject = Subject("entity", case.claim.entity)
    claimed = Assertion(
        subject=subject,
        predicate=case.claim.field,
        value=text_of(case.place.value),
        provenance=f"the answer, {case.claim.answer}",
        step=case.event.step,
    )
    settled = _settled(case, found)
    witnesses = (claimed,) if found.word == "declined" else (*settled, claimed)
    if found.word == "contradicted":
        witnesses += tuple(
            _witness(case, fact, quoted=True) for fact in found.earlier[-MOST_EARLIER:]
        )
    return Finding(
        kind=KIND,
        seam=SEAM,
        subjects=(subject,),
        witnesses=witnesses,
        message=_message(case, found),
        lane=case.event.lane,
        step=case.event.step,
        path=case.place.pointer,
        value_digest=digest.tagged(
            "value", render(case.place.value).encode("utf-8", "surrogatepass")
        ),
        grade=found.word if found.word != "doubted" else found.how,
        advisory=found.word != "contradicted",
    )


def text_of(value: JSON) -> str:
    """The value as a witness has it: a text as it is, else its JSON."""
    text = value if isinstance(value, str) else render(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _settled(case: Case, found: Judgement) -> Sequence[Assertion]:
    if not found.figure:
        return [_witness(case, fact) for fact in found.facts]
    tools = ", ".join(dict.fromkeys(fact.tool for fact in found.facts))
    return [
        Assertion(
            subject=Subject("entity", case.claim.entity),
            predicate=case.claim.field,
            value=found.figure,
            provenance=f"the {case.claim.aggregate} over {len(found.facts)} facts of {tools}",
            step=max(fact.step for fact in found.facts),
        )
    ]


def _witness(case: Case, fact: Fact, *, quoted: bool = False) -> Assertion:
    shown = is_quotable(case.run, fact.tool)
    measured = f", measured {clipped(fact.measured_at, 40)}" if fact.measured_at else ""
    source = f", from {clipped(fact.source, 48)}" if fact.source else ""
    return Assertion(
        subject=Subject("entity", fact.entity),
        predicate=fact.field,
        value=text_of(bare(fact)) if shown else _KEPT_OUT,
        provenance=f"the result of call {fact.call_id} of {fact.tool}, {fact.pointer}{measured}{source}",
        stratum="quoted" if quoted else "asserted",
        step=fact.step,
    )


def _message(case: Case, found: Judgement) -> str:
    claim = case.claim
    states = f"The answer states `{clipped(claim.answer, 48)}` = `{_shown(case.place.value)}`"
    of = f"`{clipped(claim.field, 48)}` of `{clipped(claim.entity, 48)}`"
    said = _said(case, found)
    match found.word:
        case "declined":
            return (
                f"The answer does not say {of} (`{clipped(claim.answer, 48)}`), and {said}. A place "
                "to look: the fact was there to be stated. The answer was not changed."
            )
        case "disputed":
            return (
                f"{states}, and of {of} two results of one time say different things: {said}. Find "
                "out which of them holds before the answer is relied on. Nothing was changed."
            )
        case "doubted":
            return (
                f"{states}, and {said}. A place to look, no contradiction: "
                f"{_REPAIRS.get(found.how, 'they may be the same')}. The answer was not changed."
            )
        case _:
            return (
                f"{states}, and {said}. Correct the answer, or look the fact up again. The "
                "answer was not changed."
            )


def _said(case: Case, found: Judgement) -> str:
    claim = case.claim
    if found.figure:
        tools = ", ".join(dict.fromkeys(f"`{clipped(f.tool, 48)}`" for f in found.facts))
        return (
            f"the {claim.aggregate} of `{clipped(claim.field, 48)}` over {len(found.facts)} facts "
            f"of {tools} is `{found.figure}`"
        )
    return " and ".join(_told(case, fact) for fact in found.facts[:3])


def _told(case: Case, fact: Fact) -> str:
    value = _shown(bare(fact)) if is_quotable(case.run, fact.tool) else _KEPT_OUT
    measured = f", measured {clipped(fact.measured_at, 40)}" if fact.measured_at else ""
    turns = case.run.lane(case.event.lane).turn - fact.turn
    age = f", {turns} turn{'s' if turns > 1 else ''} ago" if turns > 0 else ""
    return (
        f"the result of call {clipped(fact.call_id, 48)} of `{clipped(fact.tool, 48)}` says "
        f"{clipped(fact.field, 48)}({clipped(fact.entity, 48)}) = `{value}`{measured}{age}"
    )


def _shown(value: JSON) -> str:
    return clipped(text_of(value))
