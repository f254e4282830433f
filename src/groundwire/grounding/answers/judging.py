"""Judging: every value of an answer that has to have come from somewhere, and whether it did."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal

import msgspec

from groundwire.grounding.answers.conversion import converted
from groundwire.grounding.answers.derived import (
    from_columns,
    from_list,
    from_named,
    from_operands,
    from_results,
    from_share,
)
from groundwire.grounding.answers.shelf import Shelf
from groundwire.grounding.binding.binder import Binder
from groundwire.grounding.binding.text import AnswerText, Segment
from groundwire.grounding.records.grounds import Ground
from groundwire.grounding.values.value import Value

DERIVED = "derived"
COMPUTED = frozenset(
    {
        "sum",
        "difference",
        "product",
        "ratio",
        "change",
        "complement",
        "mean",
        "range",
        "count",
        "converted",
    }
)
NEAREST = 6
FAR = 12
COUNTERPARTS = 2
MOST_SITES = 2000
MOST_RECORDS = 8
_LEAST_IDENTIFIER = 4
# yyyy-mm-ddThh:mm:00 says how something is written.
_TEMPLATE = re.compile(r"[ymdhst:\-/.0]+")
# What says that a number was computed, and how: only then are operands looked for further away.
_TOTAL = re.compile(
    r"\b(?:total\w*|sum|altogether|combined|overall|in all|both|together|refund\w*|charged?|cost\w*"
    r"|price|amount\w*|pay\w*|balance|subtotal|due|spent|spend)\b",
    re.IGNORECASE,
)
_DIFFERENCE = re.compile(
    r"\b(?:difference\w*|refund\w*|remain\w*|balance|sav\w+|more|less|fewer|increase\w*|decrease\w*"
    r"|drop\w*|r[oi]se\w*|fell|fall\w*|warmer|colder|higher|lower|cheaper|gap|margin|left"
    r"|additional|extra|older|younger|longer|shorter)\b",
    re.IGNORECASE,
)
_SUM = re.compile(r"\b(?:total\w*|sum|altogether|combined|overall|in all)\b", re.IGNORECASE)
_MEAN = re.compile(r"\b(?:average\w*|mean)\b", re.IGNORECASE)
_RANGE = re.compile(r"\b(?:range\w*|spread|span\w*)\b", re.IGNORECASE)


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
    answer: AnswerText,
    shelf: Shelf,
    binder: Binder,
    least_digits: int,
    off: Sequence[str] = (),
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
                method = _derived(answer, number, value, shelf, binder, ground)
            found.append(Judged(value, number, method, doubt=_is_doubt(value, shelf, segment)))
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
                and not _TEMPLATE.fullmatch(folded)
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


def _is_doubt(value: Value, shelf: Shelf, segment: Segment) -> bool:
    if value.kind == "date":
        return True
    if value.kind == "time":
        # With another time or a duration beside it, it may have been reckoned.
        return any(
            other is not value
            and (other.kind == "time" or (other.unit is not None and other.unit.family == "time"))
            for other in segment.values
        )
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
    binder: Binder,
    ground: Callable[[Value], Ground | None],
) -> str:
    segment = answer.segments[number]
    said = " ".join(answer.of(answer.segments[n]) for n in (*segment.above[-1:], number))
    beside = [
        other.number
        for other in segment.values
        if other is not value
        and other.number is not None
        and not other.ordinal
        and ground(other) is not None
    ]
    shares = [
        other.number
        for other in segment.values
        if other.number is not None and other.unit is not None and other.unit.family == "share"
    ]
    if method := from_operands(value, beside) or converted(value, segment.values):
        return method
    if shares and (method := _from_share(value, answer, number, shares, ground)):
        return method
    total, difference = _TOTAL.search(said), _DIFFERENCE.search(said)
    if total or difference:
        listed = list(_listed(answer, number, value))
        if total and (method := from_list(value, listed)):
            return method
        if total and (method := from_named(value, _named(answer, number, binder))):
            return method
        if difference and (method := from_operands(value, listed[-NEAREST:])):
            return method
        if difference and (method := _from_counterpart(answer, number, value, shelf, ground)):
            return method
    cues = (("sum", _SUM), ("mean", _MEAN), ("difference", _DIFFERENCE), ("range", _RANGE))
    methods = {method for method, cue in cues if cue.search(said)}
    if not methods:
        return ""
    tools = [source.tool for source in shelf.results]
    return from_columns(value, shelf.evidence, methods) or from_results(
        value, shelf.evidence, tools, methods
    )


def _from_share(
    value: Value,
    answer: AnswerText,
    number: int,
    shares: Sequence[Decimal],
    ground: Callable[[Value], Ground | None],
) -> str:
    near = [
        other.number
        for segment in answer.segments[max(0, number - 2) : number + 1]
        for other in segment.values
        if other is not value and other.number is not None and ground(other) is not None
    ]
    return from_share(value, near, shares)


def _from_counterpart(
    answer: AnswerText,
    number: int,
    value: Value,
    shelf: Shelf,
    ground: Callable[[Value], Ground | None],
) -> str:
    """A difference to a number that stands beside, from one that was served under the same key."""
    beside = [
        other
        for segment in _around(answer.segments, number)
        for other in segment.values
        if other is not value and other.number is not None and other.unit == value.unit
    ]
    for other in beside[-COUNTERPARTS:]:
        found = ground(other)
        if found is None or found.site is None or not found.site.key:
            continue
        for one in shelf.evidence:
            for site in one.sites[:MOST_SITES]:
                if (
                    site.key == found.site.key
                    and from_operands(value, (other.number or Decimal(0), site.number))
                    == "difference"
                ):
                    return "difference"
    return ""


def _listed(answer: AnswerText, number: int, value: Value) -> Iterator[Decimal]:
    """The numbers with the same unit in the answer, in order: a breakdown and its total."""
    family = value.unit.family if value.unit else ""
    for segment in _around(answer.segments, number):
        for other in segment.values:
            if other is value or other.number is None or other.ordinal:
                continue
            if (other.unit.family if other.unit else "") == family:
                yield other.number


def _named(answer: AnswerText, number: int, binder: Binder) -> list[dict[str, set[Decimal]]]:
    """The numbers of the records that the value's sentence, list item or its heads name."""
    segment = answer.segments[number]
    head = segment.above[-1] if segment.above else number
    block = [
        place
        for place in range(max(0, number - FAR), number + 1)
        if place in {head, number} or head in answer.segments[place].above
    ]
    found: dict[str, dict[str, set[Decimal]]] = {}
    for place in block:
        one = answer.segments[place]
        for mention in binder.names.mentions(answer.text, one.start, one.end):
            if any(map(str.isdigit, mention.name)) and len(mention.records) <= MOST_RECORDS:
                fields = found.setdefault(mention.name.lower(), {})
                for field in binder.fields(mention):
                    if field.number is not None:
                        fields.setdefault(field.key, set()).add(field.number)
    return list(found.values())[:FAR]


def _around(segments: Sequence[Segment], number: int) -> Iterator[Segment]:
    yield from segments[max(0, number - FAR) : number + 1]
