"""Figures: what a sentence says of a column as a whole, against the column.

A total, a mean, the highest, the lowest, or how many rows. Only where the sentence names the
column (or the table has only one), names no row of it, and holds no other number that could narrow it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import Literal, TypeAlias

import msgspec

from groundwire.grounding.answers.derived import stands_for
from groundwire.grounding.binding.fields import label_before, nouns_after, same_word
from groundwire.grounding.binding.text import AnswerText, Segment
from groundwire.grounding.records.evidence import ARGUMENT, Evidence
from groundwire.grounding.records.record import Record
from groundwire.grounding.records.walk import key_words
from groundwire.grounding.values.value import EXACT, Value

Method: TypeAlias = Literal["sum", "mean", "max", "min", "count"]

_CUES: tuple[tuple[Method, re.Pattern[str]], ...] = (
    ("mean", re.compile(r"\b(?:on average|average of|averages?|mean of|the mean)\b", re.I)),
    ("sum", re.compile(r"\b(?:in total|total of|total|sum of|altogether|combined)\b", re.I)),
    ("max", re.compile(r"\b(?:highest|maximum|largest|peak)\b", re.I)),
    ("min", re.compile(r"\b(?:lowest|minimum|smallest)\b", re.I)),
)
# What makes it a figure of some rows, or of something else.
_NARROWED = re.compile(
    r"\b(?:second|third|among|one of|except|excluding|without|only|other|remaining|first|last|next|"
    r"per|each|if|would|could|about|so far|since|until|before|after|between|these|those|new|"
    r"estimated|expected|than|both|including|plus|minus|discount\w*|tax|fees?|with|for)\b",
    re.IGNORECASE,
)
MOST_ROWS = 20_000
_LEAST_ROWS = 2


class Column(msgspec.Struct, frozen=True):
    """A column of one table of one result: its key, its numbers, its pointer."""

    source: int
    key: str
    pointer: str
    numbers: tuple[Decimal, ...]
    rows: int


class Figure(msgspec.Struct, frozen=True):
    """A figure that a sentence states, and what the column says it is."""

    value: Value
    segment: int
    method: Method
    column: Column
    actual: Decimal


def columns(evidence: Sequence[Evidence]) -> Iterator[Column]:
    """The number columns of every table that has one number in each of its rows."""
    for place, one in enumerate(evidence):
        if one.capped or one.reading.cut:
            continue
        tables: dict[int, list[Record]] = {}
        for record in one.reading.records[:MOST_ROWS]:
            if record.parent >= 0:
                tables.setdefault(record.table, []).append(record)
        for records in tables.values():
            if len(records) >= _LEAST_ROWS:
                yield from _columns_of(place, records)


def _columns_of(place: int, records: Sequence[Record]) -> Iterator[Column]:
    numbers: dict[str, list[Decimal]] = {}
    for record in records:
        for field in record.fields:
            if field.number is not None and not field.key.startswith(ARGUMENT):
                numbers.setdefault(field.key, []).append(field.number)
    for key, found in numbers.items():
        if len(found) == len(records) and not _is_key(key, found):
            yield Column(place, key, records[0].pointer, tuple(found), len(records))


def _is_key(key: str, numbers: Sequence[Decimal]) -> bool:
    """Whether the numbers name rows rather than measure them: ids, years, serial numbers."""
    words = key_words(key)
    named = bool({"id", "year", "no", "number", "index", "code", "zip", "rank"} & set(words))
    return named and len(set(numbers)) == len(numbers)


def wrong_figures(
    answer: AnswerText,
    evidence: Sequence[Evidence],
    named: Sequence[bool],
    is_known: Callable[[Value], bool],
) -> Iterator[Figure]:
    """Figures that a column contradicts. `named`: whether a segment names a row of some table.

    `is_known`: a value stands somewhere in the evidence, or was computed; a total that a result
    states itself is not for us to add up.
    """
    every: list[Column] | None = None
    for number, segment in enumerate(answer.segments):
        values = [v for v in segment.values if v.kind == "number" and not v.ordinal]
        if len(values) != 1 or values[0].joint or values[0].loose:
            continue
        said = answer.of(segment)
        method = next((name for name, cue in _CUES if cue.search(said)), None)
        if method is None or named[number] or _NARROWED.search(said):
            continue
        if every is None:
            every = list(columns(evidence))
        figure = _against(answer, number, segment, values[0], method, every)
        extreme = method in {"max", "min"}
        if figure is not None and (extreme or not is_known(values[0])):
            yield figure


def _against(
    answer: AnswerText,
    number: int,
    segment: Segment,
    value: Value,
    method: Method,
    every: Sequence[Column],
) -> Figure | None:
    meant = [column for column in every if _names(answer, segment, value, column)]
    if len({(column.source, column.key) for column in meant}) != 1 or len(meant) != 1:
        return None
    column = meant[0]
    if any(
        stands_for(value, _figure(column.numbers, one)) for one in ("sum", "mean", "max", "min")
    ):
        return (
            None
            if stands_for(value, _figure(column.numbers, method))
            else _made(value, number, method, column)
        )
    if method in {"max", "min"} and value.number not in column.numbers:
        return None
    if stands_for(value, Decimal(column.rows)):
        return None
    return _made(value, number, method, column)


def _made(value: Value, number: int, method: Method, column: Column) -> Figure:
    return Figure(value, number, method, column, _figure(column.numbers, method))


def _figure(numbers: Sequence[Decimal], method: str) -> Decimal:
    match method:
        case "sum":
            return sum(numbers, Decimal(0))
        case "mean":
            return EXACT.divide(sum(numbers, Decimal(0)), Decimal(len(numbers)))
        case "max":
            return max(numbers)
        case _:
            return min(numbers)


def _names(answer: AnswerText, segment: Segment, value: Value, column: Column) -> bool:
    """Whether the words around the number name the column: each word of its key, or its initials."""
    text = answer.text
    own = key_words(text[value.start : value.end])
    nouns = (*own, *nouns_after(text, value.end, segment.end))
    label = label_before(text, segment.start, value.start)
    words = [word for word in (*nouns, *label) if not word.isdigit()]
    key = [word for word in key_words(column.key) if len(word) > 1]
    if key and all(any(same_word(part, word) for word in words) for part in key):
        return True
    joined = "".join(word for word in nouns if not word.isdigit())
    return len(key) == 1 and 3 <= len(key[0]) <= 5 and _is_initials(key[0], nouns, joined)


def _is_initials(key: str, nouns: Sequence[str], joined: str) -> bool:
    """`mha` for million hectares: it begins as the first does and takes letters in turn."""
    words = [noun for noun in nouns if not noun.isdigit()]
    if len(words) < _LEAST_ROWS or not joined or key[0] != joined[0]:
        return False
    letters = iter(joined)
    return all(letter in letters for letter in key) and words[1][0] in key[1:]
