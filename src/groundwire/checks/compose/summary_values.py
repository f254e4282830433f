"""Summary values: what a summary holds beyond its ground, and what of the ground it lost."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from groundwire.grounding.boundaries import standing
from groundwire.grounding.folding import fold, readings
from groundwire.grounding.marks import has_mark, touches_mark
from groundwire.grounding.values.reading import read_values
from groundwire.grounding.values.value import Value

_QUOTED = re.compile(
    r"(?<![\w.,;!?)\]])\"(?=\w)([^\"\n]{12,400})(?<=[\w.!?)])\"(?!\w)"
    r"|\u201c([^\u201c\u201d\n]{12,400})\u201d"
)
_TOKEN = re.compile(r"[#]?[\w][\w.@:/+-]*[\w]")
_WORD = re.compile(r"[^\W_]+")
_MOST_LOST = 5


class Extra(msgspec.Struct, frozen=True):
    """Something that only the summary holds: its own words, what it is, and whether that is sure."""

    text: str
    kind: str
    doubtful: bool


def extra_values(summary: str, ground: Sequence[str]) -> Iterator[Extra]:
    """The identifiers, numbers, dates and quotations of a summary that its ground does not hold."""
    folded = [reading for text in ground for reading in readings(text)]
    seen: set[str] = set()
    for token in identifiers(summary):
        if token not in seen and not any(_holds(text, token) for text in folded):
            seen.add(token)
            yield Extra(token, "identifier", doubtful=False)
    known = [value for text in ground for value in read_values(text)]
    for value in read_values(summary, words=False):
        shown = summary[value.start : value.end]
        if _counts(value) and shown not in seen and not any(_holds(text, shown) for text in folded):
            seen.add(shown)
            if not any(_same(value, other) for other in known):
                yield Extra(shown, value.kind, doubtful=True)
    words = [" ".join(_WORD.findall(text)) for text in folded]
    for found in _QUOTED.finditer(summary):
        quoted = (found[1] or found[2]).strip()
        said = " ".join(_WORD.findall(fold(quoted)))
        if said.count(" ") > 1 and not has_mark(quoted) and not any(said in w for w in words):
            yield Extra(quoted, "quotation", doubtful=False)


def lost_values(replaced: Sequence[str], kept: Sequence[str]) -> tuple[tuple[str, ...], int]:
    """The first identifiers of the replaced texts that stand nowhere any more, and how many."""
    folded = [reading for text in kept for reading in readings(text)]
    lost = [
        token
        for token in dict.fromkeys(token for text in replaced for token in identifiers(text))
        if not any(_holds(text, token) for text in folded)
    ]
    return tuple(lost[:_MOST_LOST]), len(lost)


def identifiers(text: str) -> Iterator[str]:
    """Words of letters and digits, and addresses: what names one thing and no other."""
    for found in _TOKEN.finditer(text):
        token = found[0].rstrip(".:/-")
        if (
            _is_name(token)
            and not _is_amount(token)
            and not touches_mark(text, found.start(), found.end())
        ):
            yield token


def _is_name(token: str) -> bool:
    if "@" in token and "." in token:
        return True
    has_digit = any(letter.isdigit() for letter in token)
    return has_digit and len(token) > 3 and any(letter.isalpha() for letter in token)


def _is_amount(token: str) -> bool:
    """A number with a unit, an ordinal, a time: not a name."""
    return bool(
        re.fullmatch(r"[\d.,:/-]+(?:st|nd|rd|th|[a-zA-Z\u00b5%]{1,3})?|\d[\dT:.+-]*Z?", token)
    )


def _holds(folded: str, token: str) -> bool:
    return standing(folded, fold(token), "/_")[0] == "whole"


def _counts(value: Value) -> bool:
    if value.kind == "identifier" or value.worded or value.ordinal:
        return False
    return value.kind in {"date", "time"} or value.digits > 1


def _same(value: Value, other: Value) -> bool:
    if value.kind in {"date", "time"}:
        pairs = zip(value.moment, other.moment, strict=True)
        return other.kind == value.kind and all(a == b or not (a and b) for a, b in pairs)
    if value.number is None or other.number is None:
        return False
    return abs(value.number - other.number) * 2 <= value.step
