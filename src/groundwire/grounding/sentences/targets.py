"""Targets: the identifiers a sentence or a call names, each with its shape.

Two identifiers of one shape are two of a kind: the same words beside a number, the same letters
before it, or letters and digits mixed to one length. Amounts, dates and times are no targets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

_TOKEN = re.compile(r"[#]?[A-Za-z0-9][A-Za-z0-9_.@/+-]*[A-Za-z0-9]")
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+\Z")
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\Z|\d{1,4}-\d{1,2}-\d{1,2}[tT]\S*\Z")
_LETTERS = re.compile(r"[A-Za-z]")
_DIGIT = re.compile(r"\d")
# The letters before a number say what it numbers.
_PREFIXED = re.compile(r"([A-Za-z]{1,6})(\d+)\Z")
_LEAST_DIGITS = 6


class Target(msgspec.Struct, frozen=True, gc=False):
    """An identifier as written, and what all identifiers of its kind look like."""

    text: str
    shape: str


def targets_of(text: str) -> Iterator[Target]:
    """The identifiers in a text, in order: addresses, and words of letters and digits."""
    for found in _TOKEN.finditer(text):
        token = found[0]
        if _EMAIL.match(token):
            yield Target(token, "address")
        elif _is_identifier(token):
            yield Target(token, _shape(token))


def _is_identifier(token: str) -> bool:
    digits = len(_DIGIT.findall(token))
    if not digits or _DATE.match(token) or "." in token:
        return False
    if not _LETTERS.search(token):
        return digits >= _LEAST_DIGITS and digits == len(token.lstrip("#"))
    return len(token) >= 4 and not re.match(r"\d+(?:-?[A-Za-z]+)?\Z", token)


def _shape(token: str) -> str:
    bare = token.lstrip("#")
    if "_" in bare or "-" in bare:
        # The words of `gift_card_8190333` are its kind, its number is which.
        return re.sub(r"\d+", "9", bare.lower()).rstrip("9") + "9"
    prefixed = _PREFIXED.match(bare)
    if prefixed:
        return f"{prefixed[1]}{len(prefixed[2])}"
    kind = "number" if bare.isdigit() else "lower" if bare == bare.lower() else "code"
    return f"{kind}{len(bare)}"
