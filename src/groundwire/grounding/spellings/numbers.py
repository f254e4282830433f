"""Numbers: one amount in other digits. Nothing is computed, nothing rounded."""

from __future__ import annotations

import re
from collections.abc import Iterator

from groundwire.grounding.spellings.shapes import is_expression
from groundwire.grounding.values.units import unit_of

_NUMBER = re.compile(
    r"(?:[$€£¥] ?)?(?P<whole>[1-9]\d{0,2}(?:,\d{3})+|\d{1,15})(?:\.(?P<rest>\d{1,12}))?"
)
_MEASURE = re.compile(r"(?P<number>[-+]?\d[\d.,]*)(?P<gap>[ -]?)(?P<unit>[a-zµ°%]{1,12})")
_OPERAND = re.compile(r"\d[\d,]*(?:\.\d+)?")


def same_number(folded: str) -> Iterator[str]:
    """The same number with and without separators, a sign of money and zeros behind the point.

    Whole numbers that begin with zero are texts.
    """
    match = _NUMBER.fullmatch(folded)
    if match is None:
        return
    plain = match["whole"].replace(",", "")
    if len(plain) > 1 and plain.startswith("0"):
        return
    rest = (match["rest"] or "").rstrip("0")
    grouped = f"{int(plain):,}"
    for whole in dict.fromkeys((plain, grouped)):
        if rest:
            yield f"{whole}.{rest}"
            if len(rest) == 1:
                yield f"{whole}.{rest}0"
        else:
            yield whole
            yield f"{whole}.0"
            yield f"{whole}.00"


def same_measure(folded: str) -> Iterator[str]:
    """A number and its unit with a space, a hyphen or nothing between them."""
    match = _MEASURE.fullmatch(folded)
    if match is None or unit_of(match["unit"]) is None:
        return
    for gap in ("", " ", "-"):
        yield f"{match['number']}{gap}{match['unit']}"


def operands(folded: str) -> tuple[str, ...]:
    """The numbers of an expression that is not computed yet; empty where it is none."""
    return tuple(_OPERAND.findall(folded)) if is_expression(folded) else ()
