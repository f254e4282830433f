"""States: whether one field of a record says what a text says."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from groundwire.grounding.records.evidence import key_unit
from groundwire.grounding.records.grounds import scales, tolerance
from groundwire.grounding.records.record import Field
from groundwire.grounding.values.reading import read_short
from groundwire.grounding.values.value import EXACT, Value


def numbers_of(field: Field) -> Iterator[tuple[Decimal, Value | None]]:
    """The numbers of a field: its own, or those that stand in its text."""
    if field.number is not None:
        yield field.number, None
    else:
        for value in read_short(field.text):
            if value.number is not None:
                yield value.number, value


def states(field: Field, value: Value) -> bool:
    """Whether the field holds this value, in any spelling."""
    if value.kind != "number":
        return any(_same(value, other) for other in read_short(field.text))
    if value.number is None:
        return False
    for number, other in numbers_of(field):
        unit = other.unit if other is not None else key_unit(field.key)
        if unit and value.unit and unit.family != value.unit.family:
            continue
        for _, factor in scales(value):
            around = EXACT.multiply(abs(value.number), factor)
            margin = EXACT.multiply(tolerance(value), factor)
            if around - margin <= abs(number) <= around + margin:
                return True
    return False


def is_comparable(field: Field, value: Value) -> bool:
    """Whether the field holds anything of the value's kind."""
    if value.kind == "number":
        return any(True for _ in numbers_of(field))
    return any(other.kind == value.kind for other in read_short(field.text))


def _same(value: Value, other: Value) -> bool:
    if value.kind != other.kind:
        return False
    match value.kind:
        case "time":
            mine, theirs = value.moment[:2], other.moment[:2]
            loose = "either" in {value.folded, other.folded}
            twelve = mine[1] == theirs[1] and (mine[0] - theirs[0]) % 12 == 0
            return mine == theirs or (loose and twelve)
        case "date":
            years = {value.moment[0], other.moment[0]} - {0}
            return value.moment[1:] == other.moment[1:] and len(years) < 2
        case _:
            return value.folded == other.folded
