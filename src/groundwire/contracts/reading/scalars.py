"""Plain scalars of YAML by the core schema of YAML 1.2: `no` and `1:30` are text, `0o14` is 12."""

from __future__ import annotations

import re
from typing import Final

from groundwire.contracts.reading.numbers import decimal, integer
from groundwire.contracts.reading.unreadable import Unreadable

_NAMED: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_BEGINS_NUMBER: Final = frozenset("+-.0123456789")
_INTEGER: Final = re.compile(r"[-+]?[0-9]+")
_OCTAL: Final = re.compile(r"0o[0-7]+")
_HEXADECIMAL: Final = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE: Final = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


def plain(text: str) -> bool | int | float | str | None:
    """What an untagged plain scalar is; a float may be a `Rounded`.

    Dates, sexagesimals, `yes` and `on` are text in 1.2, and so they are here.

    Raises:
        Unreadable: `number-out-of-range`: infinity, not-a-number, or too many digits.
    """
    if text in _NAMED:
        return _NAMED[text]
    if text[0] not in _BEGINS_NUMBER:
        return text
    if _INTEGER.fullmatch(text):
        return integer(text)
    if _OCTAL.fullmatch(text):
        return integer(text[2:], 8)
    if _HEXADECIMAL.fullmatch(text):
        return integer(text[2:], 16)
    if _FLOAT.fullmatch(text):
        return decimal(text)
    if _NOT_FINITE.fullmatch(text):
        raise Unreadable("number-out-of-range", "Infinity and not-a-number have no JSON form.")
    return text


def key(text: str) -> str | None:
    """The name that an untagged plain scalar is as a key; None where it is not plain which.

    What is no text becomes the name that its JSON is: `200` and `true`, but neither `0x1F` nor
    `True` nor nothing.

    Raises:
        Unreadable: as `plain`.
    """
    value = plain(text)
    if isinstance(value, str):
        return value
    spelled = repr(value).lower() if isinstance(value, bool) else str(value)
    return text if text == ("null" if value is None else spelled) else None
