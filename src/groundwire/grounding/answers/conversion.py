"""Conversion: the same amount beside it in another unit (72 \u00b0F and 22 \u00b0C, 650 m and 2,133 ft)."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from groundwire.grounding.records.grounds import tolerance
from groundwire.grounding.values.value import EXACT, Value

_SCALE, _ZERO = Decimal("1.8"), Decimal(32)


def converted(value: Value, beside: Sequence[Value]) -> str:
    """`converted` where a value of the same sentence is this one in another unit, else nothing.

    To the coarser of both precisions. The other value has to be grounded by itself.
    """
    if value.number is None or value.unit is None:
        return ""
    for other in beside:
        if other is value or other.number is None or other.unit is None:
            continue
        number = _in_unit_of(value, other)
        if number is None:
            continue
        spread = tolerance(value) + EXACT.multiply(tolerance(other), _ratio(value, other))
        if abs(number - value.number) <= spread:
            return "converted"
    return ""


def _in_unit_of(value: Value, other: Value) -> Decimal | None:
    if value.unit is None or other.unit is None or other.number is None:
        return None
    families = (other.unit.family, value.unit.family)
    if families == ("celsius", "fahrenheit"):
        return EXACT.add(EXACT.multiply(other.number, _SCALE), _ZERO)
    if families == ("fahrenheit", "celsius"):
        return EXACT.divide(EXACT.subtract(other.number, _ZERO), _SCALE)
    if families[0] == families[1] != "money" and value.unit.size != other.unit.size:
        return EXACT.multiply(other.number, EXACT.divide(other.unit.size, value.unit.size))
    return None


def _ratio(value: Value, other: Value) -> Decimal:
    if value.unit is None or other.unit is None:
        return Decimal(1)
    if value.unit.family == other.unit.family:
        return EXACT.divide(other.unit.size, value.unit.size)
    return _SCALE if value.unit.family == "fahrenheit" else EXACT.divide(Decimal(1), _SCALE)
