"""Shapes: what kind of text a value is, and so what it means that nothing served it."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from groundwire.grounding.spellings import composed, dates
from groundwire.grounding.values.units import unit_of

# token: a particular thing. word: letters alone. placeholder: the form of a value in its place.
# composed: what its key says a model words itself.
Shape: TypeAlias = Literal[
    "token", "word", "short-phrase", "phrase", "moment", "quantity", "placeholder", "composed"
]
KeySays: TypeAlias = Literal["", "identifier", "text", "program", "amount"]

_PLACEHOLDER = re.compile(
    r"<[^<>]*[a-z][^<>]*>|\[[^\[\]]*[a-z][^\[\]]*\]|\{\{?[^{}:\"]*[a-z][^{}:\"]*\}?\}|\$\{[^{}]+\}"
)
_TEMPLATE = re.compile(r"(?<![a-z0-9])x{3,}(?![a-z0-9])|(?<=[a-z])[-_]x{3,}")
_QUANTITY = re.compile(
    r"[~<>=]*[-+]?[$€£¥]?\d[\d,]*(?P<point>\.\d+)?(?P<gap> ?)(?P<unit>%|[a-zµ°]{0,7}(?:/[a-z]+)?)"
)
_NUMBER = re.compile(r"\d[\d,]*")
_EXPRESSION = re.compile(r"[\d\s.,()+*/%^-]+")
_OPERATOR = re.compile(r"[+*/%^]|\d\s*-\s*\d")
_FILE = re.compile(r"[^\s/\\]*[a-z0-9_)\]]\.[a-z][a-z0-9]{1,4}")


def shape_of(folded: str, says: KeySays = "") -> Shape:
    """What the folded value is, with what its key says of it."""
    if _PLACEHOLDER.fullmatch(folded) or is_template(folded):
        return "placeholder"
    if says == "identifier":
        return "token"
    if dates.is_moment(folded):
        return "moment"
    if says in {"text", "program"}:
        return "composed"
    if says == "amount" and _NUMBER.fullmatch(folded):
        return "quantity"
    if is_quantity(folded) or is_expression(folded):
        return "quantity"
    if composed.is_phrase(folded) and any(map(str.isalpha, folded)):
        return "short-phrase" if composed.is_short_phrase(folded) else "phrase"
    return "token" if is_particular(folded) else "word"


def is_template(folded: str) -> bool:
    """Whether it shows how a value is written, with crosses where its characters belong."""
    return _TEMPLATE.search(folded) is not None


def is_particular(folded: str) -> bool:
    """Whether one token names a particular thing: a digit, an address or a file with its ending.

    A folder of words alone is none: a model may make one.
    """
    return (
        any(map(str.isdigit, folded))
        or "@" in folded
        or "://" in folded
        or folded.startswith("www.")
        or _FILE.fullmatch(folded.replace("\\", "/").rpartition("/")[2]) is not None
    )


def is_quantity(folded: str) -> bool:
    """Whether it is an amount: a number with a point, a sign of money, a percent or a unit.

    Plain digits are none, nor with commas alone: they may be an identifier.
    """
    match = _QUANTITY.fullmatch(folded)
    if match is None:
        return False
    if unit := match["unit"]:
        return unit == "%" or unit_of(unit) is not None
    return bool(match["point"]) or folded[0] in "$€£¥~<>=+-"


def is_expression(folded: str) -> bool:
    """Whether it is arithmetic over numbers, not yet computed."""
    return bool(
        _EXPRESSION.fullmatch(folded)
        and _OPERATOR.search(folded)
        and any(map(str.isdigit, folded))
        and not dates.is_moment(folded)
        and " " in folded
    )
