"""Wording: how values of strangers are quoted in a message."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

CLIP = 80
_LISTED = 5
# Control, format, surrogate, private, line and paragraph separators: what could move a cursor,
# turn a line around or be read as two lines.
_ESCAPED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def clipped(value: str, length: int = CLIP) -> str:
    """The trimmed value in at most `length` characters, with unprintable ones escaped."""
    start = value.strip()[: length + 1]
    shown = "".join(map(_printable, start))
    return shown if len(shown) <= length else shown[: length - 1] + "…"


def listed(names: Iterable[str], word: str = "and") -> str:
    """The names as a list in words, each clipped; past five it says how many more there are."""
    every = [f"`{clipped(name, 48)}`" for name in names]
    shown = every[:_LISTED]
    if len(every) > len(shown):
        shown.append(f"{len(every) - len(shown)} more")
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} {word} {shown[-1]}"


def _printable(letter: str) -> str:
    if unicodedata.category(letter) not in _ESCAPED:
        return letter
    return letter.encode("unicode_escape", "surrogatepass").decode("ascii")
