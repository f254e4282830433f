"""The default rule for one claim: facts that hold now, compared as an honest writer would write them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from groundwire.canon.jcs import JSON
from groundwire.checks.claim.facts.judging.aggregates import counted, figures
from groundwire.checks.claim.facts.judging.agreement import Agreement, agree, is_declined
from groundwire.checks.claim.facts.judging.amounts import Terms
from groundwire.checks.claim.facts.judging.fields import Place
from groundwire.checks.claim.facts.judging.judgement import Judgement, Word
from groundwire.checks.claim.facts.judging.settling import bare, settle, value_of
from groundwire.checks.claim.facts.ledger import Fact
from groundwire.checks.conflicts import NoValue, render
from groundwire.documents.declaration import Claim

_WORDS: dict[str, Word] = {"same": "same", "perhaps": "doubted", "different": "contradicted"}
_WITHHELD = "\u27e6withheld"


def judge(claim: Claim, place: Place, facts: Sequence[Fact], off: Sequence[str] = ()) -> Judgement:
    """What is to be said of this claim; `facts` are what is known of it, in order of arrival.

    Does not know what was changed or said since the facts came.
    """
    terms = _terms(claim, off)
    if claim.aggregate:
        return _judge_figure(claim, place.value, facts, terms)
    settled = settle(facts, claim.order)
    if settled.reason:
        return Judgement("unreachable", settled.reason)
    unknown = next((v for f in settled.facts if isinstance(v := value_of(f), NoValue)), None)
    if unknown is not None:
        return Judgement("unreachable", f"fact-{unknown.kind}", settled.facts)
    if any(map(_is_withheld, (place.value, *map(bare, settled.facts)))):
        return Judgement("unreachable", "withheld")
    found = [agree(place.value, bare(fact), terms) for fact in settled.facts]
    if len(found) == 1:
        return _one(place.value, settled.facts, settled.earlier, found[0])
    if all(one.match == "different" for one in found):
        declined = is_declined(place.value)
        return Judgement(
            "declined" if declined else "contradicted", "", settled.facts, settled.earlier
        )
    if len({fact.result for fact in settled.facts}) == 1:
        return Judgement("unreachable", "several-facts", settled.facts)
    return Judgement("disputed", "sources-disagree", settled.facts, settled.earlier)


def _one(
    claimed: JSON, facts: tuple[Fact, ...], earlier: tuple[Fact, ...], found: Agreement
) -> Judgement:
    if found.match == "different" and is_declined(claimed):
        both = is_declined(bare(facts[0]))
        return Judgement("same" if both else "declined", "unknown" if both else "", facts)
    return Judgement(_WORDS[found.match], found.how, facts, earlier)


def _judge_figure(claim: Claim, claimed: JSON, facts: Sequence[Fact], terms: Terms) -> Judgement:
    if any(_is_withheld(bare(fact)) for fact in facts) or _is_withheld(claimed):
        return Judgement("unreachable", "withheld")
    candidates = figures(facts, claim.aggregate)
    if not candidates:
        return Judgement("unreachable", "uncollected")
    if any(one.value is None for one in candidates):
        return Judgement("unreachable", "not-numbers")
    found = [agree(claimed, one.value, terms) for one in candidates]
    for one, agreement in zip(candidates, found, strict=True):
        if agreement.match == "same":
            return Judgement("same", agreement.how, one.facts)
    first = candidates[0]
    if claim.aggregate == "count" and counted(first.facts) < len(first.facts):
        # Whether rows without a value count is for nobody here to say.
        said = agree(claimed, counted(first.facts), terms)
        if said.match == "same":
            return Judgement("same", said.how, first.facts)
    figure = render(first.value)
    if is_declined(claimed):
        return Judgement("declined", "", first.facts, figure=figure)
    doubt = next((one for one in found if one.match == "perhaps"), None)
    if doubt is not None or len(candidates) > 1:
        how = "population" if doubt is None else doubt.how
        return Judgement("doubted", how, first.facts, figure=figure)
    return Judgement("contradicted", "figure", first.facts, figure=figure)


def _terms(claim: Claim, off: Sequence[str]) -> Terms:
    return Terms(
        tolerance=claim.tolerance,
        unit=claim.unit,
        synonyms=claim.synonyms,
        ignore_case=claim.ignore_case,
        as_set=claim.as_set,
        claimed_key=claim.answer.rsplit(".", 1)[-1],
        settled_key=claim.field.rsplit(".", 1)[-1],
        off=tuple(off),
    )


def _is_withheld(value: JSON) -> bool:
    return any(_WITHHELD in text for text in _texts(value))


def _texts(value: JSON) -> Iterator[str]:
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, dict):
            yield from node
            waiting += node.values()
        elif isinstance(node, list):
            waiting += node
