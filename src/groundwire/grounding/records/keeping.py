"""Keeping: what was read of a text is kept for when the same text comes again, within a bound.

Nothing that is kept is ever changed, so whoever asks gets the same. Threads may share it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")
# Characters of the texts of which something is kept: what a model's whole window may show.
MOST_CHARACTERS = 4 << 20


class Kept(Generic[T]):
    """What `read(text, beside)` gives, of the texts that were asked for last.

    Together they have `most` characters at most, but the last one is kept however long it is.
    """

    def __init__(self, read: Callable[[str, str], T], most: int = MOST_CHARACTERS) -> None:
        self._read = read
        self._most = most
        self._size = 0
        self._known: OrderedDict[tuple[str, str], T] = OrderedDict()
        self._lock = Lock()

    def __call__(self, text: str, beside: str = "") -> T:
        """What was read of these two, now or earlier."""
        name = (text, beside)
        with self._lock:
            known = self._known.get(name)
            if known is not None:
                self._known.move_to_end(name)
                return known
        found = self._read(text, beside)
        with self._lock:
            if name not in self._known:
                self._known[name] = found
                self._size += len(text) + len(beside)
            while self._size > self._most and len(self._known) > 1:
                gone, _ = self._known.popitem(last=False)
                self._size -= len(gone[0]) + len(gone[1])
        return found

    def clear(self) -> None:
        """Nothing is kept any more."""
        with self._lock:
            self._known.clear()
            self._size = 0
