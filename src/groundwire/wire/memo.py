"""Memo: what was read once need not be read again, within a bound on memory."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Memo(Generic[K, V]):
    """Keeps at least the last `room` bytes that were put in or looked up, at most twice as much.

    Forgets in two generations, so that no look-up costs more than two of a dict.
    """

    def __init__(self, room: int) -> None:
        self._room = room
        self._used = 0
        self._young: dict[K, tuple[V, int]] = {}
        self._old: dict[K, tuple[V, int]] = {}

    def get(self, key: K) -> V | None:
        """What was put in under an equal key, or None where it was forgotten or never known."""
        found = self._young.get(key)
        if found is None:
            found = self._old.get(key)
            if found is None:
                return None
            self.put(key, found[0], found[1])
        return found[0]

    def get_all(self, keys: Sequence[K]) -> list[V | None]:
        """`get` of each of these keys, faster than one by one where all are known of late."""
        found = list(map(self._young.get, keys))
        return [
            self.get(key) if entry is None else entry[0]
            for key, entry in zip(keys, found, strict=True)
        ]

    def put(self, key: K, value: V, size: int) -> None:
        """`get(key)` answers `value` from now on; `size` is what it costs in bytes."""
        if self._used > self._room:
            self._old, self._young, self._used = self._young, {}, 0
        self._young[key] = (value, size)
        self._used += size
