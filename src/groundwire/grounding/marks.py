"""Marks: what stands in the place of a secret, live and in a replay alike.

Nobody can say what a mark was, so no check files about it. Nor does a mark excuse what stands
beside it: a model may write one itself. What a check passed over for a mark it did not check.
"""

from __future__ import annotations

import re

_OPENS = "\u27e6withheld"
_MARK = re.compile(r"\u27e6withheld [^\u27e6\u27e7\n]{1,80}\u27e7")
# What ends the word that a mark stands in, such as an address with a password.
_EDGES = frozenset(" \t\r\n\"'`,;()[]{}<>|")


def has_mark(text: str) -> bool:
    """Whether some mark stands in the text, whole."""
    return _OPENS in text and _MARK.search(text) is not None


def touches_mark(text: str, start: int, end: int) -> bool:
    """Whether `text[start:end]` is of a mark, or of a word that a mark stands in."""
    if _OPENS not in text:
        return False
    # No longer than a mark and what may be glued to it, on each side.
    left, right = max(0, start - 200), end + 200
    return any(first < end and start < last for first, last in _words(text[left:right], left))


def beside_marks(text: str) -> str:
    """The text without its marks and the words that they stand in."""
    kept, position = [], 0
    for start, end in _words(text, 0):
        kept.append(text[position : max(position, start)])
        position = max(position, end)
    return " ".join((*kept, text[position:])) if position else text


def _words(text: str, offset: int) -> list[tuple[int, int]]:
    found = []
    before = 0
    for match in _MARK.finditer(text):
        start, end = match.span()
        while start > before and text[start - 1] not in _EDGES:
            start -= 1
        while end < len(text) and text[end] not in _EDGES and not text.startswith(_OPENS, end):
            end += 1
        found.append((start + offset, end + offset))
        before = match.end()
    return found
