"""Judging: every value of an answer that has to have come from somewhere, and whether it did."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import cached_property

import msgspec

from groundwire.grounding.answers.conversion import converted
from groundwire.grounding.answers.derived import (
    from_columns,
    from_list,
    from_moved,
    from_named,
    from_operands,
    from_products,
    from_record,
    from_results,
    from_share,
)
from groundwire.grounding.answers.shelf import Shelf
from groundwire.grounding.binding.binder import Binder
from groundwire.grounding.binding.text import AnswerText
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
        "parts",
        "times",
        "moved",
    }
)
NEAREST = 6
FAR = 12
COUNTERPARTS = 2
MOST_SITES = 2000
MOST_TIMES = 100
MOST_RECORDS = 8
# Of one answer no more values are judged, and of its sentences no more stand beside a value.
MOST_JUDGED = 2000
MOST_NEAR = 40
UNREAD = "unread"
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
_NOW = re.compile(r"\b(?:now|new balance|leaves|left|remain\w*)\b", re.IGNORECASE)
_FIGURES = (("sum", _SUM), ("mean", _MEAN), ("difference", _DIFFERENCE), ("range", _RANGE))


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
    of list items are none. Past the first `MOST_JUDGED` they are not judged: `UNREAD`.
    """
    grounds: dict[int, Ground | None] = {}

    def ground(value: Value) -> Ground | None:
        if value.start not in grounds:
            grounds[value.start] = shelf.ground(value, off)
        return grounds[value.start]

    found: list[Judged] = []
    for number, segment in enumerate(answer.segments):
        stead = _Stead(answer, number, shelf, binder, ground)
        for place, value in enumerate(segment.values):
            if not is_candidate(value, answer.text, least_digits):
                continue
            if len(found) >= MOST_JUDGED:
                found.append(Judged(value, number, UNREAD))
                continue
            direct = ground(value)
            if direct is not None:
                found.append(Judged(value, number, direct.method, direct))
                continue
            near = segment.values[max(0, place - MOST_NEAR) : place + MOST_NEAR + 1]
            method = ""
            if value.kind == "number" and DERIVED not in off:
                method = _derived(value, near, stead)
                if method:
                    # What was computed from may be computed with: a subtotal, then its tax.
                    grounds[value.start] = Ground(method, -1)
            found.append(Judged(value, number, method, doubt=_is_doubt(value, shelf, near)))
    return tuple(found)


class _Stead:
    """A segment and what stands around it, read once for all of its values.

    A "sentence" may be a file of numbers: what is looked at for one of them has a bound.
    """

    def __init__(
        self,
        answer: AnswerText,
        number: int,
        shelf: Shelf,
        binder: Binder,
        ground: Callable[[Value], Ground | None],
    ) -> None:
        self.shelf, self.ground = shelf, ground
        self._answer, self._number, self._binder = answer, number, binder

    @cached_property
    def said(self) -> str:
        """Its text, after that of the segment that heads it."""
        above = self._answer.segments[self._number].above[-1:]
        return " ".join(
            self._answer.of(self._answer.segments[place]) for place in (*above, self._number)
        )

    @cached_property
    def is_total(self) -> bool:
        """Whether it speaks of a total."""
        return _TOTAL.search(self.said) is not None

    @cached_property
    def is_difference(self) -> bool:
        """Whether it speaks of a difference."""
        return _DIFFERENCE.search(self.said) is not None

    @cached_property
    def methods(self) -> frozenset[str]:
        """The figures of a column that it speaks of."""
        return frozenset(method for method, cue in _FIGURES if cue.search(self.said))

    @cached_property
    def named(self) -> list[dict[str, set[Decimal]]]:
        """The numbers of the records that it, the items beside it or its heads name."""
        return _named(self._answer, self._number, self._binder)

    def around(self, value: Value, near: Sequence[Value], back: int = FAR) -> Iterator[Value]:
        """The other values of the segments before it and the nearest of its own, in order."""
        for segment in self._answer.segments[max(0, self._number - back) : self._number]:
            yield from segment.values[-MOST_NEAR:]
        yield from (other for other in near if other is not value)


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


def _is_doubt(value: Value, shelf: Shelf, near: Sequence[Value]) -> bool:
    if value.kind == "date":
        return True
    if value.kind == "time":
        # With another time or a duration beside it, it may have been reckoned.
        return any(
            other is not value
            and (other.kind == "time" or (other.unit is not None and other.unit.family == "time"))
            for other in near
        )
    family = value.unit.family if value.unit is not None else ""
    return family == "time" and family not in shelf.families


def _derived(value: Value, near: Sequence[Value], stead: _Stead) -> str:
    """How the value follows from what stands beside it, the narrowest way first; empty if not."""
    beside = [
        other.number
        for other in near
        if other is not value
        and other.number is not None
        and not other.ordinal
        and stead.ground(other) is not None
    ]
    return (
        from_operands(value, beside)
        or converted(value, near)
        or from_record(value, stead.shelf.evidence)
        or _from_times(value, near, stead)
        or _from_change(value, near, stead)
        or _from_share(value, near, stead)
        or _from_breakdown(value, near, stead)
        or _from_figures(value, stead)
    )


def _from_breakdown(value: Value, near: Sequence[Value], stead: _Stead) -> str:
    if not (stead.is_total or stead.is_difference):
        return ""
    listed = _listed(value, near, stead)
    method = ""
    if stead.is_total:
        method = from_list(value, listed) or from_named(value, stead.named)
    if not method and stead.is_difference:
        method = from_operands(value, listed[-NEAREST:]) or _from_counterpart(value, near, stead)
    return method


def _from_figures(value: Value, stead: _Stead) -> str:
    if not stead.methods:
        return ""
    shelf = stead.shelf
    tools = [source.tool for source in shelf.results]
    return from_columns(value, shelf.evidence, stead.methods) or from_results(
        value, shelf.evidence, tools, stead.methods
    )


def _from_share(value: Value, near: Sequence[Value], stead: _Stead) -> str:
    shares = [
        other.number
        for other in near
        if other.number is not None and other.unit is not None and other.unit.family == "share"
    ]
    if not shares:
        return ""
    others = [
        other.number
        for other in stead.around(value, near, back=2)
        if other.number is not None and stead.ground(other) is not None
    ]
    return from_share(value, others, shares)


def _from_times(value: Value, near: Sequence[Value], stead: _Stead) -> str:
    """So many times a price: `three nights` in its sentence, and what one is a little before it."""
    if value.unit is None or value.unit.family != "money":
        return ""
    counts = [
        other.number
        for other in near
        if other.number is not None
        and not other.ordinal
        and (other.unit is None or other.unit.family == "time")
        and 2 <= other.number <= MOST_TIMES
        and other.number == other.number.to_integral_value()
    ]
    if not counts:
        return ""
    prices = [
        other.number
        for other in stead.around(value, near)
        if other.number is not None and other.unit == value.unit and stead.ground(other)
    ]
    return from_products(value, counts, prices)


def _from_change(value: Value, near: Sequence[Value], stead: _Stead) -> str:
    """What is there now: a served amount, less or more what the text says was moved."""
    if not _NOW.search(stead.said):
        return ""
    moved = [
        other.number
        for other in stead.around(value, near, back=2)
        if other.number and other.unit == value.unit and stead.ground(other) is not None
    ]
    return from_moved(value, moved[-COUNTERPARTS:], stead.shelf.evidence)


def _from_counterpart(value: Value, near: Sequence[Value], stead: _Stead) -> str:
    """A difference to a number that stands beside, from one that was served under the same key."""
    beside = [
        other
        for other in stead.around(value, near)
        if other.number is not None and other.unit == value.unit
    ]
    for other in beside[-COUNTERPARTS:]:
        found = stead.ground(other)
        if found is None or found.site is None or not found.site.key:
            continue
        for one in stead.shelf.evidence:
            for site in one.sites[:MOST_SITES]:
                if (
                    site.key == found.site.key
                    and from_operands(value, (other.number or Decimal(0), site.number))
                    == "difference"
                ):
                    return "difference"
    return ""


def _listed(value: Value, near: Sequence[Value], stead: _Stead) -> list[Decimal]:
    """The numbers with the same unit in the answer, in order: a breakdown and its total."""
    family = value.unit.family if value.unit else ""
    return [
        other.number
        for other in stead.around(value, near)
        if other.number is not None
        and not other.ordinal
        and (other.unit.family if other.unit else "") == family
    ]


def _named(answer: AnswerText, number: int, binder: Binder) -> list[dict[str, set[Decimal]]]:
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
