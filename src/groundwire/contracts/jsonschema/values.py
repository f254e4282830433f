"""JSON values as JSON Schema compares them: by type and worth, `1` equal to `1.0`, not to `true`.

A number is an exact rational; what a decimal text says is what it is, not its nearest double.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from fractions import Fraction
from itertools import chain
from typing import Literal, TypeAlias

import msgspec

from groundwire.canon.jcs import JSON

Type: TypeAlias = Literal["null", "boolean", "number", "string", "array", "object"]
TYPES: tuple[Type, ...] = ("null", "boolean", "number", "string", "array", "object")

Scalar: TypeAlias = tuple[str, bool | Fraction | str | None]

MAX_DEPTH = 100
MAX_DIGITS = 2_000
MAX_VALUES = 3_000_000


class NotComparable(Exception):
    """The document is no JSON value that can be compared; `args[0]` is the reason code."""


def type_of(value: JSON) -> Type:
    """The JSON Schema type of `value`; an integer is a number."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "object" if isinstance(value, Mapping) else "array"


def number(value: int | float) -> Fraction:
    """What the shortest text of `value` says."""
    return Fraction(value) if isinstance(value, int) else Fraction(repr(value))


def scalar(value: JSON) -> Scalar | None:
    """A key that equal scalars share; None for arrays and objects."""
    if isinstance(value, bool) or value is None:
        return (type_of(value), value)
    if isinstance(value, float) and not math.isfinite(value):
        # In no document that is compared; but parts of others are looked at too.
        return ("not-a-number", repr(value))
    if isinstance(value, int | float):
        return ("number", number(value))
    return ("string", value) if isinstance(value, str) else None


def plain(key: Scalar) -> JSON | None:
    """The value of a scalar key; a number that no int or float is exactly has none."""
    found = key[1]
    if not isinstance(found, Fraction):
        return found
    if found.denominator == 1:
        return found.numerator
    try:
        near = float(found)
    except OverflowError:
        return None
    return near if math.isfinite(near) and Fraction(repr(near)) == found else None


def scalar_order(key: Scalar) -> tuple[str, Fraction, str]:
    """Sorts scalars of all types."""
    kind, found = key
    if isinstance(found, str):
        return kind, Fraction(0), found
    return kind, Fraction(0 if found is None else found), ""


def identity(value: JSON) -> object:
    """A hashable form that equal values share, whatever the order of their keys."""
    key = scalar(value)
    if key is not None:
        return key
    if isinstance(value, Mapping):
        return ("object", frozenset((name, identity(each)) for name, each in value.items()))
    if isinstance(value, Sequence):
        return ("array", tuple(identity(each) for each in value))
    return ("null", None)


def check_document(document: JSON) -> None:
    """Nothing, where `document` is JSON within the bounds.

    Raises:
        NotComparable: `not-json`, `document-too-deep`, `document-too-large`, `number-too-long`.
    """
    level: list[JSON] = [document]
    count = 0
    for _ in range(MAX_DEPTH):
        count += len(level)
        if count > MAX_VALUES:
            raise NotComparable("document-too-large")
        # Of large documents only that is looked at one by one of which there is any.
        kinds = set(map(type, level))
        if not kinds <= _KINDS:
            raise NotComparable("not-json")
        objects = [value for value in level if type(value) is dict]
        if not _NAMES.issuperset(map(type, chain.from_iterable(objects))):
            raise NotComparable("not-json")
        _check_numbers(level, kinds)
        below: list[JSON] = []
        for each in objects:
            below += each.values()
        if list in kinds or tuple in kinds:
            below += chain.from_iterable(
                value for value in level if type(value) is list or type(value) is tuple
            )
        level = below
        if not level:
            _check_texts(document)
            return
    raise NotComparable("document-too-deep")


_KINDS = frozenset({dict, list, tuple, str, int, float, bool, type(None)})
_NAMES = frozenset({str})


def _check_texts(document: JSON) -> None:
    try:
        msgspec.json.encode(document)
    except UnicodeEncodeError as error:  # half of a pair
        raise NotComparable("not-json") from error


def _check_numbers(level: Sequence[JSON], kinds: Set[type]) -> None:
    if int in kinds and any(
        value.bit_length() > MAX_DIGITS * 3 for value in level if type(value) is int
    ):
        raise NotComparable("number-too-long")
    if float in kinds and not all(math.isfinite(value) for value in level if type(value) is float):
        raise NotComparable("not-json")
