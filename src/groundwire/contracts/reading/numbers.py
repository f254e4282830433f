"""Numbers as they are written: the int or float that says the same, and whether it does."""

from __future__ import annotations

import math
import re
import sys
from decimal import Decimal
from typing import Final

from groundwire.contracts.reading.unreadable import Unreadable

# As many as an interpreter reads by default.
MAX_DIGITS: Final = 4_300
_EXPONENT: Final = re.compile(r"[eE]([-+]?[0-9]+)")
# Beyond this every number but zero overflows or vanishes, whatever digits stand before it.
_LONGEST_EXPONENT: Final = MAX_DIGITS + 400


class Rounded(float):
    """A float that is near the number that was written as `text`, and is another one."""

    __slots__ = ("text",)

    def __init__(self, _: float) -> None:
        self.text = ""


def _rounded(value: float, text: str) -> Rounded:
    made = Rounded(value)
    made.text = text
    return made


def integer(text: str, base: int = 10) -> int:
    """The integer that `text` says.

    Raises:
        Unreadable: `number-out-of-range`.
    """
    if len(text.lstrip("+-")) > MAX_DIGITS:
        raise Unreadable("number-out-of-range", f"A number has over {MAX_DIGITS} digits.")
    return int(text, base)


def decimal(text: str) -> float:
    """The float whose shortest text says what `text` says; a `Rounded` where there is none.

    A number too large for a float becomes the largest `Rounded` there is.
    """
    value = float(text)
    if math.isfinite(value) and (len(text) <= 15 and "e" not in text.lower()):
        return value
    if not math.isfinite(value):
        return _rounded(math.copysign(sys.float_info.max, value), text)
    return value if _says(text, value) else _rounded(value, text)


def _says(text: str, value: float) -> bool:
    exponent = _EXPONENT.search(text)
    if len(text) > MAX_DIGITS or (
        exponent is not None and abs(int(exponent[1][:9])) > _LONGEST_EXPONENT
    ):
        return value == 0 and not _EXPONENT.sub("", text).strip("+-0.")
    return Decimal(text) == Decimal(repr(value))
