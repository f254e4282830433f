"""Keeping: what was read of a text is kept for when the same text comes again, within a bound.

Nothing that is kept is ever changed, so whoever asks gets the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")
# Characters of the texts of which something is kept: what a model's whole window may show.
MOST_CHARACTERS = 4 << 20


class Kept(Generic[T]):
    """What `read(text, beside)` gives, of the texts that were asked for last.

    Together they have `most` characters at most, but for a single text that has more. Two halves:
    when the newer one is full it becomes the older, and what was not asked for since is forgotten.
    Threads that ask at once may read a text twice, and no worse.
    """

    def __init__(self, read: Callable[[str, str], T], most: int = MOST_CHARACTERS) -> None:
        self._read = read
        self._half = most // 2
        self._newer: dict[tuple[str, str], T] = {}
        self._older: dict[tuple[str, str], T] = {}
        self._size = 0

    def __call__(self, text: str, beside: str = "") -> T:
        """What was read of these two, now or earlier."""
        name = (text, beside)
        found = self._newer.get(name)
        if found is None:
            found = self._older.get(name)
            if found is None:
                found = self._read(text, beside)
            self._add(name, found, len(text) + len(beside))
        return found

    def _add(self, name: tuple[str, str], found: T, size: int) -> None:
        if self._newer and self._size + size > self._half:
            self._older, self._newer, self._size = self._newer, {}, 0
        self._newer[name] = found
        self._size += size

    def clear(self) -> None:
        """Nothing is kept any more."""
        self._older, self._newer, self._size = {}, {}, 0
