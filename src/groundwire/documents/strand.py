"""Strand: a sequence that never changes, and that costs what is new where it goes on.

Strands that go on from one another are so many first items of one list. The frames of a long run
have thousands of messages each, and to copy them is to touch every one of them at every step. A
strand keeps alive all that was put after its own items.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar, overload

T = TypeVar("T")


class Strand(Sequence[T]):
    """Equal to any strand, tuple or list of equal items; a slice of it is a tuple.

    May be read by any thread while another goes on from it; two threads may not go on from one
    strand at once.
    """

    __slots__ = ("_items", "_size")

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._items = list(items)
        self._size = len(self._items)

    def going_on(self, keep: int, fresh: Iterable[T]) -> Strand[T]:
        """The first `keep` items of this strand, then `fresh`; this strand stays as it is."""
        keep = min(keep, self._size)
        if not keep:  # An empty strand may be anybody's: nothing is put into it.
            return Strand(fresh)
        strand: Strand[T] = Strand()
        # Past our own items may stand those of a strand that went on from here before.
        strand._items = self._items if keep == len(self._items) else self._items[:keep]
        strand._items.extend(fresh)
        strand._size = len(strand._items)
        return strand

    def shares_items_with(self, other: Sequence[T]) -> bool:
        """Whether both are so many first items of one list; equal ones need not be."""
        if not isinstance(other, Strand):
            return False
        return other._items is self._items  # noqa: SLF001 -- one of its own class

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[T]:
        return islice(self._items, self._size)

    def __reversed__(self) -> Iterator[T]:
        return map(self._items.__getitem__, range(self._size - 1, -1, -1))

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        if isinstance(index, slice):
            start, stop, step = index.indices(self._size)
            if step == 1:
                return tuple(self._items[start:stop])
            return tuple([self._items[at] for at in range(start, stop, step)])
        if not -self._size <= index < self._size:
            raise IndexError(index)
        return self._items[index if index >= 0 else self._size + index]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Strand | tuple | list):
            return NotImplemented
        return len(other) == self._size and leading(self, other) == self._size

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"Strand({list(self)!r})"


def leading(one: Sequence[T], other: Sequence[T]) -> int:
    """How many leading items of both are equal.

    Of strands of one list nothing is looked at, and of items that are one object their addresses.
    """
    most = min(len(one), len(other))
    if not most:
        return 0
    if isinstance(one, Strand) and one.shares_items_with(other):
        return most
    ones, others = list(islice(one, most)), list(islice(other, most))
    same, unequal = 0, most + 1
    middle = most
    while unequal - same > 1:
        if ones[same:middle] == others[same:middle]:
            same = middle
        else:
            unequal = middle
        middle = (same + unequal) // 2
    return same
