"""Judging: every value of an answer that has to have come from somewhere, and whether it did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

import msgspec

from groundwire.grounding.answers.derived import from_columns, from_list, from_operands
from groundwire.grounding.answers.shelf import Shelf
from groundwire.grounding.answers.text import AnswerText, Segment
from groundwire.grounding.records.grounds import Ground
from groundwire.grounding.values.value import Value

DERIVED = "derived"
_LEAST_IDENTIFIER = 4


class Judged(msgspec.Struct, frozen=True):
    """A value, the segment it stands in, and what grounds it; `method` is empty where nothing does.

    `doubt`: it may well be the model's own (a date that was computed, a duration where no result
    states any), so it is a place to look and no defect.
    """

    value: Value
    segment: int
    method: str
    ground: Ground | None = None
    doubt: bool = False


def judge_values(
    answer: AnswerText, shelf: Shelf, least_digits: int, off: Sequence[str] = ()
) -> tuple[Judged, ...]:
    """Every candidate of the answer, in order.

    A candidate is a date, a time, an identifier of four characters with a letter and a digit, a
    number with a unit, or a bare one of `least_digits` digits. Number words, ordinals and numbers
    of list items are none.
    """
    grounds: dict[int, Ground | None] = {}

    def ground(value: Value) -> Ground | None:
        if value.start not in grounds:
            grounds[value.start] = shelf.ground(value, off)
        return grounds[value.start]

    found: list[Judged] = []
    for number, segment in enumerate(answer.segments):
        for value in segment.values:
            if not is_candidate(value, answer.text, least_digits):
                continue
            direct = ground(value)
            if direct is not None:
                found.append(Judged(value, number, direct.method, direct))
                continue
            method = ""
            if value.kind == "number" and DERIVED not in off:
                method = _derived(answer, number, value, shelf, ground)
            found.append(Judged(value, number, method, doubt=_is_doubt(value, shelf)))
    return tuple(found)


def is_candidate(value: Value, text: str, least_digits: int) -> bool:
    """Whether the value has to be accounted for."""
    match value.kind:
        case "date" | "time":
            return True
        case "identifier":
            folded = value.folded
            return (
                len(folded) >= _LEAST_IDENTIFIER
                and any(map(str.isdigit, folded))
                and any(letter.isalpha() or letter in ":-./_" for letter in folded)
            )
        case "number":
            if value.worded or value.ordinal or not value.number:
                return False
            if value.unit is not None:
                return True
            stated = sum(map(str.isdigit, text[value.start : value.end]))
            return stated >= least_digits


def _is_doubt(value: Value, shelf: Shelf) -> bool:
    if value.kind == "date":
        return True
    family = value.unit.family if value.unit is not None else ""
    return family == "time" and not any(
        site.unit is not None and site.unit.family == family
        for one in shelf.evidence
        for site in one.sites
    )


def _derived(
    answer: AnswerText,
    number: int,
    value: Value,
    shelf: Shelf,
    ground: object,
) -> str:
    segment = answer.segments[number]
    assert callable(ground)
    beside = [
        other.number
        for other in segment.values
        if other is not value
        and other.number is not None
        and not other.ordinal
        and ground(other) is not None
    ]
    if method := from_operands(value, beside):
        return method
    if method := from_list(value, list(_listed(answer, number, value))):
        return method
    return from_columns(value, shelf.evidence)


def _listed(answer: AnswerText, number: int, value: Value) -> Iterator[Decimal]:
    """The numbers with the same unit in the answer, in order: a breakdown and its total."""
    family = value.unit.family if value.unit else ""
    for segment in _around(answer.segments, number):
        for other in segment.values:
            if other is value or other.number is None or other.ordinal:
                continue
            if (other.unit.family if other.unit else "") == family:
                yield other.number


def _around(segments: Sequence[Segment], number: int) -> Iterator[Segment]:
    yield from segments[max(0, number - 30) : number + 30]
