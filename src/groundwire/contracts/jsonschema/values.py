"""JSON values as JSON Schema compares them: by type and worth, `1` equal to `1.0`, not to `true`.

A number is an exact rational; what a decimal text says is what it is, not its nearest double.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import chain
from typing import Literal, TypeAlias

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
        if not _KINDS.issuperset(map(type, level)):
            raise NotComparable("not-json")
        objects = [value for value in level if isinstance(value, dict)]
        _check_texts([name for each in objects for name in each])
        _check_texts([value for value in level if isinstance(value, str)])
        _check_numbers(level)
        level = list(chain.from_iterable(each.values() for each in objects)) + list(
            chain.from_iterable(value for value in level if isinstance(value, list | tuple))
        )
        if not level:
            return
    raise NotComparable("document-too-deep")


_KINDS = frozenset({dict, list, tuple, str, int, float, bool, type(None)})


def _check_texts(texts: Sequence[object]) -> None:
    try:
        joined = "".join(texts)  # type: ignore[arg-type]  # names are looked at here
    except TypeError as error:
        raise NotComparable("not-json") from error
    try:
        joined.encode()
    except UnicodeEncodeError as error:  # half of a pair
        raise NotComparable("not-json") from error


def _check_numbers(level: Sequence[JSON]) -> None:
    whole = [value for value in level if isinstance(value, int)]
    if any(value.bit_length() > MAX_DIGITS * 3 for value in whole):
        raise NotComparable("number-too-long")
    if not all(math.isfinite(value) for value in level if isinstance(value, float)):
        raise NotComparable("not-json")
