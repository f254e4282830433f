"""The index of served values: which passages hold a value, found by its tokens.

One index a run; each text is read once, however many frames and lanes show it. What a lane sees at
a moment is a set of passage numbers that the caller passes in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

import msgspec

from groundwire.grounding import boundaries
from groundwire.grounding.folding import readings
from groundwire.grounding.passages import Passage

_ASCII_ATOM = re.compile(r"[a-z0-9]+")
_ATOM = re.compile(rf"[{boundaries.UNSPACED}]|[^\W_{boundaries.UNSPACED}]+")


_BLOCK = 1 << 16
_SCANS = 256


class Hit(msgspec.Struct, frozen=True):
    """Where a value stands: the passage, and the longer token around it if it is inside one."""

    passage: Passage
    around: str = ""


def atoms(folded: str) -> list[str]:
    """The runs of letters and digits of a folded text; a letter of an unspaced script is one."""
    return (_ASCII_ATOM if folded.isascii() else _ATOM).findall(folded)


class _Scan(msgspec.Struct):
    """How far the texts were searched for a value, and which of them hold it."""

    upto: int = 0
    holders: list[int] = []


class Index:
    """Passages by number, and by the tokens of their texts.

    A passage is read when it is first looked in, not when it is added.
    """

    def __init__(self) -> None:
        self._passages: list[Passage] = []
        self._readings: dict[int, tuple[str, ...]] = {}
        self._holders: dict[str, list[int]] = {}
        self._unread: set[int] = set()
        # Numbers in the order they were read, in blocks: one search of a block of text costs far
        # less than one of each text in it.
        self._order: list[int] = []
        self._blocks: list[tuple[int, str]] = []
        self._open: list[str] = []
        self._open_size = 0
        self._scans: dict[str, _Scan] = {}

    def add(self, passage: Passage) -> int:
        """The passage's number; it can be looked up from now on."""
        number = len(self._passages)
        self._passages.append(passage)
        self._unread.add(number)
        return number

    def passage(self, number: int) -> Passage:
        """The passage of this number."""
        return self._passages[number]

    def whole(self, value: str, among: AbstractSet[int], separators: str = "") -> Hit | None:
        """The latest passage among these in which the folded value stands whole, if any does.

        `separators` as in `boundaries.standing`.
        """
        for number in self._candidates(value, among):
            for text in self._readings[number]:
                if boundaries.standing(text, value, separators)[0] == "whole":
                    return Hit(self._passages[number])
        return None

    def inside(self, value: str, among: AbstractSet[int]) -> Hit | None:
        """The latest passage among these that holds the folded value at all.

        For values that stand nowhere whole: searches every text that was not yet searched for it.
        """
        for number in self._holding(value, among):
            for text in self._readings[number]:
                place = text.find(value)
                if place >= 0:
                    around = boundaries.token_around(text, place, place + len(value))
                    return Hit(self._passages[number], around)
        return None

    def _candidates(self, value: str, among: AbstractSet[int]) -> Iterator[int]:
        self._read(among)
        parts = atoms(value)
        if not parts:
            yield from sorted(among, reverse=True)
            return
        rarest = min((self._holders.get(part, []) for part in parts), key=len)
        yield from (number for number in sorted(rarest, reverse=True) if number in among)

    def _holding(self, value: str, among: AbstractSet[int]) -> list[int]:
        self._read(among)
        # All but its first and last token stand whole in whatever holds the value.
        if any(part not in self._holders for part in atoms(value)[1:-1]):
            return []
        scan = self._scans.pop(value, None) or _Scan()
        self._scans[value] = scan
        if len(self._scans) > _SCANS:
            del self._scans[next(iter(self._scans))]
        scan.holders += self._scanned(value, scan.upto)
        scan.upto = len(self._order)
        return sorted((number for number in scan.holders if number in among), reverse=True)

    def _scanned(self, value: str, start: int) -> Iterator[int]:
        before = 0
        for end, text in self._blocks:
            if start < end and value in text:
                yield from self._found(value, self._order[max(start, before) : end])
            before = end
        yield from self._found(value, self._order[max(start, before) :])

    def _found(self, value: str, numbers: list[int]) -> Iterator[int]:
        return (n for n in numbers if any(value in text for text in self._readings[n]))

    def _read(self, among: AbstractSet[int]) -> None:
        for number in sorted(self._unread.intersection(among)):
            self._unread.discard(number)
            texts = readings(self._passages[number].text)
            self._readings[number] = texts
            for atom in set[str]().union(*map(atoms, texts)):
                self._holders.setdefault(atom, []).append(number)
            self._order.append(number)
            self._open += texts
            self._open_size += sum(map(len, texts))
            if self._open_size > _BLOCK:
                self._blocks.append((len(self._order), "\n".join(self._open)))
                self._open, self._open_size = [], 0
