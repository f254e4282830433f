"""Grounds: whether a value of an answer stands in the evidence, and by which equivalence.

Equivalences are narrow and named. Nothing is computed here but scale: sums and differences are
`derived`, and only over operands that stand beside the value.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal

import msgspec

from groundwire.grounding.records.evidence import Evidence, Site
from groundwire.grounding.records.walk import key_words
from groundwire.grounding.values.value import EXACT, ONE, Unit, Value

HALF = Decimal("0.5")
_MINOR = frozenset(("cents", "cent", "pence", "minor", "centimes", "ore"))
_HUNDRED = Decimal(100)
_SCALES: dict[str, tuple[Decimal, ...]] = {
    "data": tuple(Decimal(base) ** power for base in (1000, 1024) for power in (1, 2, 3, 4)),
    "time": tuple(map(Decimal, (60, 3600, 86400, 604800, 1000, 24, 7, 1440, 60000, 3600000))),
    "frequency": tuple(map(Decimal, (1000, 10**6, 10**9))),
    "length": tuple(map(Decimal, (10, 100, 1000))),
    "mass": tuple(map(Decimal, (1000, 10**6))),
    "power": (Decimal(1000), Decimal(10**6)),
    "charge": (Decimal(1000),),
    "pixels": (Decimal(10**6),),
    "energy": (Decimal(1000), Decimal(10**6)),
}


class Ground(msgspec.Struct, frozen=True, gc=False):
    """What accepted a value: the equivalence, the number of the evidence, and where it stands."""

    method: str
    source: int
    site: Site | None = None


def tolerance(value: Value) -> Decimal:
    """Half of what is stated: 18.3 stands for 18.25 to 18.35; `about 1,200` for 1,150 to 1,250."""
    step = value.step
    number = value.number or Decimal(0)
    if value.loose and number:
        mantissa = EXACT.divide(number, step).normalize().as_tuple()
        if isinstance(mantissa.exponent, int) and mantissa.exponent > 0:
            step = EXACT.multiply(step, Decimal(10) ** mantissa.exponent)
    return EXACT.multiply(step, HALF)


def scales(value: Value) -> Iterator[tuple[str, Decimal]]:
    """The factors by which a served number may differ from the stated one, each with its name."""
    yield "exact", ONE
    if value.magnitude != ONE:
        yield "magnitude", EXACT.divide(ONE, value.magnitude)
    family = value.unit.family if value.unit else ""
    if family == "money":
        yield "minor-unit", _HUNDRED
    if family == "share":
        yield "percent", EXACT.divide(ONE, _HUNDRED)
    for factor in _SCALES.get(family, ()):
        yield "unit", factor
        yield "unit", EXACT.divide(ONE, factor)


def find_number(
    value: Value, evidence: Sequence[Evidence], off: Collection[str] = ()
) -> Iterator[Ground]:
    """Every place where the number stands, the closest spelling first."""
    if value.number is None:
        return
    number, spread = abs(value.number), tolerance(value)
    for method, factor in scales(value):
        if method in off:
            continue
        around = EXACT.multiply(number, factor)
        margin = EXACT.multiply(spread, factor)
        for place, one in enumerate(evidence):
            for site in one.between(around - margin, around + margin):
                accepted = accepts(value, site, method, around)
                if accepted and accepted not in off:
                    yield Ground(accepted, place, site)


def accepts(value: Value, site: Site, method: str, around: Decimal) -> str:
    """The equivalence by which this number is the stated one; empty where it is another.

    A number of another kind of unit is another number; where one of the two has none, they may
    be the same.
    """
    stated, served = value.unit, site.unit
    if method == "minor-unit":
        # Cents stand for dollars only where the field says that they are cents.
        return method if _MINOR.intersection(key_words(site.key)) else ""
    if stated is not None and served is not None and not _comparable(stated, served):
        return ""
    if method == "unit" and stated is not None and served is not None:
        return _converted(value, stated, site, served)
    if (
        method == "exact"
        and stated is not None
        and served is not None
        and stated.family == served.family
        and stated.size != served.size
    ):
        return _converted(value, stated, site, served)
    if site.number == around:
        return method
    return "rounding" if method == "exact" else method


def _comparable(stated: Unit, served: Unit) -> bool:
    return stated.family == served.family or "°" in {stated.name, served.name}


def _converted(value: Value, stated: Unit, site: Site, served: Unit) -> str:
    """Powers of 1024 are met by powers of 1000 where both are data."""
    if value.number is None:
        return ""
    ratio = EXACT.divide(stated.size, served.size)
    ratios = [ratio]
    if stated.family == "data":
        power = next((n for n in range(-5, 6) if Decimal(1000) ** n == ratio), 0)
        ratios.append(Decimal(1024) ** power)
    for one in ratios:
        around, margin = (
            EXACT.multiply(abs(value.number), one),
            EXACT.multiply(tolerance(value), one),
        )
        if around - margin <= site.number <= around + margin:
            return "unit" if one != ONE else "exact"
    return ""


def find_moment(value: Value, evidence: Sequence[Evidence]) -> Ground | None:
    """Where the date or time of day stands; a date without its year counts where its day is."""
    for place, one in enumerate(evidence):
        if value.kind == "time":
            hour, minute, _ = value.moment
            clocks = {(hour, minute)}
            if value.folded == "either":
                clocks.add(((hour + 12) % 24, minute))
            if clocks & one.clocks:
                return Ground("time", place)
        else:
            year, month, day = value.moment
            years = one.dates.get((month, day))
            if years and (not year or year in years or 0 in years):
                return Ground("date", place)
    if value.kind == "date" and value.folded:
        year, month, day = map(int, value.folded.split("-"))
        return next(
            (
                Ground("date", place)
                for place, one in enumerate(evidence)
                if year in one.dates.get((month, day), ())
            ),
            None,
        )
    return None
