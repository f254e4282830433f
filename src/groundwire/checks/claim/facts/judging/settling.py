"""Settling: which of several facts about one thing holds, and those that it replaced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.checks.claim.facts.ledger import Fact
from groundwire.checks.conflicts import Known, NoValue, Said, render

Order: TypeAlias = Literal["arrival", "measured_at"]


class Settled(msgspec.Struct, frozen=True):
    """The facts that hold now, mostly one, and the earlier ones; or why none can be said to hold.

    Where there are several, they are of one time and say different things.
    """

    facts: tuple[Fact, ...] = ()
    earlier: tuple[Fact, ...] = ()
    reason: str = ""


def value_of(fact: Fact) -> Said | Known | NoValue:
    """The value with its wrapper read: `{"kind": "known" | "unknown" | "not-applicable", …}`.

    Only `gw.Facts` has wrappers; an object in plain JSON is itself.
    """
    value = fact.value
    if not fact.enveloped or not isinstance(value, Mapping):
        return Said(value)
    kind, keys = value.get("kind"), set(value)
    if kind == "known" and "value" in keys and keys <= {"kind", "value", "evidence"}:
        return Known(value["value"])
    if kind == "unknown" and keys <= {"kind", "reason", "evidence"}:
        return NoValue("unknown", str(value.get("reason", "")))
    if kind == "not-applicable" and keys <= {"kind", "evidence"}:
        return NoValue("not-applicable")
    return Said(value)


def bare(fact: Fact) -> JSON:
    """The value inside the wrapper; null for one that is not known."""
    value = value_of(fact)
    return None if isinstance(value, NoValue) else value.value


def settle(facts: Sequence[Fact], order: Order) -> Settled:
    """The latest facts: by arrival, or by when they were measured.

    Facts of one batch arrived at one time; of those the last measured holds, where that can be
    said. Facts that say the same are one fact, the last of them.
    """
    if not facts:
        return Settled(reason="uncollected")
    if order == "measured_at":
        latest = _last_measured(facts)
        if latest is None:
            if len(_distinct(facts)) > 1:
                return Settled(reason="no-measured-at")
            latest = (facts[-1],)
    else:
        group = [fact for fact in facts if fact.batch == facts[-1].batch]
        latest = _last_measured(group) or tuple(group)
    held = _distinct(latest)
    # What is said twice at one time is neither history nor news.
    earlier = tuple(fact for fact in facts if not any(fact is each for each in latest))
    return Settled(held, earlier)


def _last_measured(facts: Sequence[Fact]) -> tuple[Fact, ...] | None:
    """Those with the latest time; None where some have no time or one that sorts with no other."""
    moments = [fact.measured for fact in facts if fact.measured is not None]
    if len(moments) < len(facts) or not all(m.sorts_with(moments[0]) for m in moments):
        return None
    last = max(moment.moment for moment in moments)
    return tuple(fact for fact, m in zip(facts, moments, strict=True) if m.moment == last)


def _distinct(facts: Sequence[Fact]) -> tuple[Fact, ...]:
    """One fact for each thing that is said, the last that says it, in order."""
    found: dict[str, Fact] = {}
    for fact in facts:
        name = render(fact.value)
        found.pop(name, None)
        found[name] = fact
    return tuple(found.values())
