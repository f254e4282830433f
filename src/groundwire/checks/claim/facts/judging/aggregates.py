"""Aggregates: a figure over all entities, from the results that state their facts."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.checks.claim.facts.judging.amounts import amount_of
from groundwire.checks.claim.facts.judging.settling import bare
from groundwire.checks.claim.facts.ledger import Fact
from groundwire.documents.declaration import Aggregate
from groundwire.grounding.folding import fold
from groundwire.grounding.values.value import EXACT


class Figure(msgspec.Struct, frozen=True):
    """What the facts come to, and the facts; `value` None: they are no numbers."""

    value: JSON
    facts: tuple[Fact, ...]


def figures(facts: Sequence[Fact], aggregate: Aggregate) -> list[Figure]:
    """The figure over the latest result, and that over all entities, where they are not the same.

    Which of the two the answer means nobody can tell; entities keep their last fact.
    """
    if not facts:
        return []
    last = [fact for fact in facts if fact.result == facts[-1].result]
    newest: dict[str, Fact] = {}
    for fact in facts:
        newest[fold(fact.entity)] = fact
    # By identity: the values of facts may be lists.
    same = set(map(id, newest.values())) == set(map(id, last))
    groups = [last] if same else [last, list(newest.values())]
    return [Figure(_figure(group, aggregate), tuple(group)) for group in groups]


def counted(facts: Sequence[Fact]) -> int:
    """How many of the facts say anything."""
    return sum(bare(fact) is not None for fact in facts)


def _figure(facts: Sequence[Fact], aggregate: Aggregate) -> JSON:
    if aggregate == "count":
        return len(facts)
    amounts = [amount_of(value) for fact in facts if (value := bare(fact)) is not None]
    numbers = [amount.number for amount in amounts if amount is not None and amount.unit is None]
    if not numbers or len(numbers) < len(amounts):
        return None
    match aggregate:
        case "sum":
            return _spelled(_total(numbers))
        case "mean":
            return _spelled(EXACT.divide(_total(numbers), Decimal(len(numbers))))
        case "min":
            return _spelled(min(numbers))
        case _:
            return _spelled(max(numbers))


def _total(numbers: Sequence[Decimal]) -> Decimal:
    total = Decimal(0)
    for number in numbers:
        total = EXACT.add(total, number)
    return total


def _spelled(number: Decimal) -> JSON:
    """A JSON number, which keeps what a float keeps."""
    return int(number) if number == number.to_integral_value() else float(number)
