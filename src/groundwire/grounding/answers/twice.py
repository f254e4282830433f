"""Twice: one text that gives one quantity two values.

A quantity is a thing that is counted or measured per something (`470 a month`) or in total, by a
noun that both sentences share. Only where nothing tells the two apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

import msgspec

from groundwire.grounding.binding.text import AnswerText, Segment
from groundwire.grounding.values.value import Value

_PER = re.compile(
    r"\s*(?:/|per\s|an?\s|each\s|every\s)\s*(second|minute|hour|day|night|week|month|quarter|year)\b",
    re.I,
)
_LY = re.compile(r"\s*(hourly|daily|nightly|weekly|monthly|quarterly|annually|yearly)\b", re.I)
_TOTAL = re.compile(
    r"\b(?:a|the|your|grand) total (?:of|is|was|comes to)[\s*_:]*[$\u20ac\u00a3]?$", re.I
)
_NOUN = re.compile(r"[a-z]{5,}")
# How far before a number its cue is looked for; and how many statements and pairs are enough.
_REACH = 60
MOST_STATED = 200
MOST_PAIRS = 20
# What tells two amounts of one thing apart, so that both may be true.
_APART = re.compile(
    r"\b(?:if|would|could|instead|rather|versus|vs|from|before|after|then|now|was|were|previous\w*|"
    r"current\w*|new|old|former|increase\w*|decrease\w*|rais\w+|rose|drop\w*|average\w*|between|up to|"
    r"at least|at most|plan|option|tier|basic|premium|standard|first|second|another|other|each of|"
    r"additional|extra|discount\w*|tax|excluding|including|minimum|maximum|alternativ\w+|estimate\w*)\b",
    re.IGNORECASE,
)
_COMMON = frozenset(
    [
        "about",
        "after",
        "again",
        "amount",
        "answer",
        "before",
        "charge",
        "costs",
        "could",
        "currently",
        "every",
        "month",
        "monthly",
        "total",
        "their",
        "there",
        "these",
        "thing",
        "those",
        "where",
        "which",
        "while",
        "would",
        "spend",
        "spent",
        "please",
        "price",
        "value",
        "years",
        "weeks",
        "hours",
        "yearly",
    ]
)
_FACTOR = {
    "hourly": "hour", "daily": "day", "nightly": "night", "weekly": "week", "monthly": "month",
    "quarterly": "quarter", "annually": "year", "yearly": "year",
}  # fmt: skip


_LY_OF = {factor: word for word, factor in _FACTOR.items()}
# A capital names something, but the one that a sentence begins with only with another behind it.
_NAME = re.compile(r"(?<=[\w,:;)] )[A-Z][\w'\u2019-]+|[A-Z][\w'\u2019-]+(?= [A-Z][a-z])")


class Twice(msgspec.Struct, frozen=True):
    """Two values of one quantity: what both are of, and where they stand."""

    quantity: str
    first: Value
    second: Value
    segments: tuple[int, int]


class _Stated(msgspec.Struct, frozen=True):
    value: Value
    segment: int
    unit: str
    nouns: frozenset[str]
    names: frozenset[str]


def given_twice(answer: AnswerText) -> Iterator[Twice]:
    """Each pair of values that one quantity is given, once: the first `MOST_PAIRS` of them.

    Looks at the first `MOST_STATED` statements of the text.
    """
    yield from islice(_pairs(list(islice(_stated(answer), MOST_STATED))), MOST_PAIRS)


def _pairs(stated: Sequence[_Stated]) -> Iterator[Twice]:
    for place, first in enumerate(stated):
        for second in stated[place + 1 :]:
            shared = first.nouns & second.nouns
            if first.unit != second.unit or not shared or first.segment == second.segment:
                continue
            if _agree(first.value, second.value) or _are_of_two(first.names, second.names):
                continue
            yield Twice(
                f"{min(shared)} {first.unit}",
                first.value,
                second.value,
                (first.segment, second.segment),
            )


def _stated(answer: AnswerText) -> Iterator[_Stated]:
    for number, segment in enumerate(answer.segments):
        found = [
            (value, unit) for value in segment.values if (unit := _unit(answer, segment, value))
        ]
        if len(found) != 1:
            continue
        said = answer.of(segment)
        if segment.item or _APART.search(said):
            continue
        value, unit = found[0]
        nouns = frozenset(_stem(noun) for noun in _NOUN.findall(said.lower())) - _COMMON
        # What it is measured by is not what it is of.
        nouns -= {word for each in unit.split() for word in (each, _LY_OF.get(each, ""))}
        names = frozenset(_NAME.findall(said))
        yield _Stated(value, number, unit, nouns, names)


def _unit(answer: AnswerText, segment: Segment, value: Value) -> str:
    if value.number is None or value.worded or value.loose or value.joint or value.ordinal:
        return ""
    family = value.unit.family if value.unit else ""
    per = _PER.match(answer.text, value.end, segment.end)
    if per is not None:
        return f"per {per[1].lower()}" if family != "time" else ""
    often = _LY.match(answer.text, value.end, segment.end)
    if often is not None:
        return f"per {_FACTOR[often[1].lower()]}"
    if _TOTAL.search(answer.text, max(segment.start, value.start - _REACH), value.start):
        return f"in total {family}".strip()
    return ""


def _are_of_two(first: frozenset[str], second: frozenset[str]) -> bool:
    """Whether each sentence names something that the other does not: two hotels, two plans."""
    return bool(first - second) and bool(second - first)


def _agree(first: Value, second: Value) -> bool:
    if first.number is None or second.number is None:
        return True
    families = {v.unit.family for v in (first, second) if v.unit is not None}
    if len(families) > 1:
        return True
    return abs(first.number - second.number) <= max(first.step, second.step)


def _stem(noun: str) -> str:
    return noun[:-1] if noun.endswith("s") and not noun.endswith("ss") else noun
