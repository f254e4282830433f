"""Derived: values that follow from operands which stand beside them. Never from any two numbers.

Operands of a number are the other numbers of its sentence, those of the list it stands in, and
one column of one result. With so few, a match says something; with all numbers of a run it says
nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import combinations, product

from groundwire.grounding.records.evidence import Evidence
from groundwire.grounding.records.grounds import scales, tolerance
from groundwire.grounding.values.value import EXACT, ONE, Value

MOST_OPERANDS = 12
MOST_LISTED = 40
MOST_ROWS = 20_000
FEW_ROWS = 3
MOST_NAMED = 4
MOST_CHOICES = 4
MOST_PARTS = 6
_HUNDRED = Decimal(100)


def from_operands(value: Value, operands: Sequence[Decimal]) -> str:
    """How the number follows from two of these, or from all of them: the name of the operation."""
    numbers = list(dict.fromkeys(abs(number) for number in operands))[:MOST_OPERANDS]
    for left, right in combinations(numbers, 2):
        for method, number in _of_two(left, right, value):
            if stands_for(value, number):
                return method
    if len(operands) > 2 and stands_for(value, sum(map(abs, operands), Decimal(0))):
        return "sum"
    return ""


def from_list(value: Value, listed: Sequence[Decimal]) -> str:
    """Whether the number is the sum of numbers that stand one after another in its list."""
    listed = listed[:MOST_LISTED]
    for start in range(len(listed)):
        total = listed[start]
        for number in listed[start + 1 :]:
            total = EXACT.add(total, number)
            if stands_for(value, total):
                return "sum"
    return ""


def _of_two(left: Decimal, right: Decimal, value: Value) -> Iterator[tuple[str, Decimal]]:
    yield "sum", EXACT.add(left, right)
    yield "difference", abs(EXACT.subtract(left, right))
    small = min(left, right)
    share = value.unit is not None and value.unit.family == "share"
    if not share and small == small.to_integral_value() and small <= 1000:
        yield "product", EXACT.multiply(left, right)
    for one, other in ((left, right), (right, left)):
        if not other:
            continue
        ratio = EXACT.divide(one, other)
        if share:
            yield "ratio", EXACT.multiply(ratio, _HUNDRED)
            yield "change", EXACT.multiply(abs(EXACT.subtract(ratio, ONE)), _HUNDRED)
        elif ratio >= 1:
            yield "ratio", ratio
    if share and left <= _HUNDRED and right <= _HUNDRED:
        yield "complement", abs(EXACT.subtract(_HUNDRED, left))
        yield "complement", abs(EXACT.subtract(_HUNDRED, right))


def from_columns(value: Value, evidence: Sequence[Evidence], methods: Collection[str]) -> str:
    """Whether the number is one of these figures of one column of one result.

    With `FEW_ROWS` rows at most, the difference or sum of two of them too.
    """
    for one in evidence:
        for method, number in figures_of(one):
            if method in methods and stands_for(value, number):
                return method
    return ""


def from_results(
    value: Value, evidence: Sequence[Evidence], tools: Sequence[str], methods: Collection[str]
) -> str:
    """The same over one field of several results of one tool: two lookups are a column, too.

    Of those, all of them, or the latest two, three, …
    """
    columns: dict[tuple[str, str], list[Decimal]] = {}
    for one, tool in zip(evidence, tools, strict=True):
        for record in one.reading.records:
            if record.parent < 0 and tool:
                for field in record.fields:
                    if field.number is not None:
                        columns.setdefault((tool, field.key), []).append(field.number)
    for numbers in columns.values():
        for size in range(2, min(len(numbers), MOST_OPERANDS) + 1):
            for method, number in aggregates(numbers[:size]):
                if method in methods and method != "count" and stands_for(value, number):
                    return method
    return ""


def from_share(value: Value, numbers: Sequence[Decimal], shares: Sequence[Decimal]) -> str:
    """Whether the number is one of these more or less a share of it, or that share."""
    for number in numbers[:MOST_OPERANDS]:
        for share in shares[:MOST_OPERANDS]:
            part = EXACT.divide(EXACT.multiply(number, share), _HUNDRED)
            if any(stands_for(value, n) for n in (number + part, number - part, part)):
                return "change"
    return ""


def from_products(value: Value, counts: Sequence[Decimal], prices: Sequence[Decimal]) -> str:
    """Whether the number is one of these counts times one of these prices."""
    for count, price in product(counts[:MOST_OPERANDS], prices[-MOST_OPERANDS:]):
        if stands_for(value, EXACT.multiply(count, price)):
            return "times"
    return ""


def from_record(value: Value, evidence: Sequence[Evidence]) -> str:
    """Whether the whole number is the sum of all numbers of one record: its parts."""
    if value.number is None or value.unit is not None:
        return ""
    return "parts" if any(abs(value.number) in parts_of(one) for one in evidence) else ""


def from_moved(value: Value, moved: Sequence[Decimal], evidence: Sequence[Evidence]) -> str:
    """Whether the number is one that was served, less or more one of these; exactly."""
    if value.number is None:
        return ""
    for amount, one in product(moved, evidence):
        for before in (value.number + abs(amount), value.number - abs(amount)):
            if any(site.key and site.record >= 0 for site in one.between(before, before)):
                return "moved"
    return ""


def from_named(value: Value, named: Sequence[Mapping[str, Collection[Decimal]]]) -> str:
    """Whether the number is the sum of one field over the records that are named beside it.

    `named` has one mapping for each of them, field to its numbers. Two to `MOST_NAMED` of them.
    """
    if not 2 <= len(named) <= MOST_NAMED:
        return ""
    for size in range(2, len(named) + 1):
        for some in combinations(named, size):
            for key in set.intersection(*(set(one) for one in some)):
                choices = [sorted(one[key])[:MOST_CHOICES] for one in some]
                if any(
                    stands_for(value, sum(numbers, Decimal(0))) for numbers in product(*choices)
                ):
                    return "sum"
    return ""


@lru_cache(maxsize=256)
def columns_of(evidence: Evidence) -> dict[tuple[int, str], list[Decimal]]:
    """The numbers of each column: those under one key in the records of one table."""
    columns: dict[tuple[int, str], list[Decimal]] = {}
    for record in evidence.reading.records:
        for field in record.fields:
            if field.number is not None:
                columns.setdefault((record.table, field.key), []).append(field.number)
    return {key: numbers for key, numbers in columns.items() if 1 < len(numbers) <= MOST_ROWS}


@lru_cache(maxsize=256)
def parts_of(evidence: Evidence) -> frozenset[Decimal]:
    """Of each record with a few whole numbers and nothing else in digits, their sum."""
    sums: set[Decimal] = set()
    for record in evidence.reading.records:
        numbers = [field.number for field in record.fields if field.number is not None]
        whole = all(number == number.to_integral_value() for number in numbers)
        if 2 <= len(numbers) <= MOST_PARTS and whole:
            sums.add(sum(numbers, Decimal(0)))
    return frozenset(sums)


@lru_cache(maxsize=256)
def figures_of(evidence: Evidence) -> tuple[tuple[str, Decimal], ...]:
    """What may be said of each of its columns as a whole."""
    return tuple(
        figure for numbers in columns_of(evidence).values() for figure in aggregates(numbers)
    )


def aggregates(numbers: Sequence[Decimal]) -> Iterable[tuple[str, Decimal]]:
    """What may be said of a column as a whole."""
    total = sum(numbers, Decimal(0))
    yield "sum", total
    yield "mean", EXACT.divide(total, Decimal(len(numbers)))
    yield "range", max(numbers) - min(numbers)
    yield "count", Decimal(len(numbers))
    yield "max", max(numbers)
    yield "min", min(numbers)
    if len(numbers) <= FEW_ROWS:
        for left, right in combinations(numbers, 2):
            yield "difference", abs(left - right)
            yield "sum", left + right


def stands_for(value: Value, number: Decimal) -> bool:
    """Whether the value as it is stated may be this number: rounded, in millions, in percent."""
    if value.number is None:
        return False
    stated, spread = abs(value.number), tolerance(value)
    number = abs(number)
    for method, factor in scales(value):
        if method in {"exact", "magnitude", "percent"}:
            around, margin = EXACT.multiply(stated, factor), EXACT.multiply(spread, factor)
            if around - margin <= number <= around + margin:
                return True
    return False
