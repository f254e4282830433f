"""Counts in words: one spelling for a number of things."""

from __future__ import annotations


def counted(number: int, word: str, many: str = "") -> str:
    """`1 run`, `2 runs`; `many` where the plural is not `word` with an s."""
    return f"{number} {word}" if number == 1 else f"{number} {many or word + 's'}"
