"""Value: one number, moment or identifier that stands in a text."""

from __future__ import annotations

from decimal import Context, Decimal, InvalidOperation
from typing import Literal, TypeAlias

import msgspec

Kind: TypeAlias = Literal["number", "date", "time", "identifier"]
# How a number stands to the one beside it: 10-12, 101-95, 480x854, 13 of 24, 5.76/21.1.
Joint: TypeAlias = Literal["", "dash", "times", "of", "slash", "dot"]

ONE = Decimal(1)
# Beyond these a number is text: a power of ten that large would cost its size to compute with.
MOST_DIGITS = 40
MOST_EXPONENT = 60
EXACT = Context(prec=120)


class Unit(msgspec.Struct, frozen=True, gc=False):
    """A unit of measure: its family (`data`, `time`, `share`, `money`, …) and its size in it."""

    name: str
    family: str
    size: Decimal = ONE


class Value(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What stands at `text[start:end]`.

    `number` is exact and already scaled by `magnitude` (18.3 million is 18300000); `step` is what
    one unit of its last stated digit is worth (100000). `moment` is (year, month, day) of a date,
    zero for what is not stated, or (hour, minute, second) of a time. `folded` is the text as
    it is compared where it is no number. `worded`: written in words; `ordinal`: it says which, not
    how many; `loose`: "about", "over" or the like stands before it.
    """

    start: int
    end: int
    kind: Kind
    number: Decimal | None = None
    step: Decimal = ONE
    magnitude: Decimal = ONE
    unit: Unit | None = None
    moment: tuple[int, int, int] = (0, 0, 0)
    folded: str = ""
    worded: bool = False
    ordinal: bool = False
    loose: bool = False
    joint: Joint = ""
    seconds: bool = False

    @property
    def digits(self) -> int:
        """How many digits the number has before its point and after it, as stated."""
        if self.number is None:
            return 0
        mantissa = abs(self.number / self.magnitude)
        return len(mantissa.as_tuple().digits)


def decimal_of(text: str) -> Decimal | None:
    """The exact number of plain digits, point and exponent; None where it is none or too large."""
    if len(text) > MOST_DIGITS + 8:
        return None
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    if not number.is_finite():
        return None
    if number and abs(number.adjusted()) > MOST_EXPONENT:
        return None
    return number if len(number.as_tuple().digits) <= MOST_DIGITS else None


def places_step(text: str) -> Decimal:
    """What one unit of the last digit of this plain number is worth."""
    point = text.find(".")
    return ONE if point < 0 else Decimal((0, (1,), point + 1 - len(text)))
