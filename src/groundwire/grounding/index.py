"""The index of served values: which passages hold a value, found by its tokens.

One index a run; each text is read once, however many frames and lanes show it. What a lane sees at
a moment is a set of passage numbers that the caller passes in.
"""

from __future__ import annotations

import re
import string
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import chain

import msgspec

from groundwire.grounding import boundaries
from groundwire.grounding.folding import readings
from groundwire.grounding.passages import OWN, Passage
from groundwire.grounding.spellings.identifiers import Form

# For ASCII a table that leaves only letters and digits is four times as fast as an expression.
_ALONE = frozenset(string.ascii_lowercase + string.digits)
_ASCII_ATOMS = "".join(letter if letter in _ALONE else " " for letter in map(chr, range(128)))
_ATOM = re.compile(rf"[{boundaries.UNSPACED}]|[^\W_{boundaries.UNSPACED}]+")

_BLOCK = 1 << 13
_SHORT = 1 << 13
_SCANS = 256
# Folded characters that are kept; a text past them is not read, and whoever asks is told.
MOST_CHARACTERS = 128 << 20

# Whether a passage must not count for a value.
Refuse = Callable[[int], bool]


class Hit(msgspec.Struct, frozen=True):
    """Where a value stands: the passage, and the longer token around it if it is inside one.

    `number` is the passage's, -1 for a tool's schema; `spelling` is the folded text found there.
    """

    passage: Passage
    around: str = ""
    number: int = -1
    spelling: str = ""


def atoms(folded: str) -> list[str]:
    """The runs of letters and digits of a folded text; a letter of an unspaced script is one."""
    return folded.translate(_ASCII_ATOMS).split() if folded.isascii() else _ATOM.findall(folded)


def _each(texts: tuple[str, ...]) -> frozenset[str]:
    """The atoms of several texts, each once."""
    return frozenset(chain.from_iterable(map(atoms, texts)))


_atoms_of = lru_cache(maxsize=1024)(_each)


class _Scan(msgspec.Struct):
    """How far the texts were searched for a value, and which of them hold it."""

    upto: int = 0
    holders: list[int] = []


class Index:
    """Passages by number, and by the tokens of their texts.

    Passages are read when something is first looked up after they were added. The latest are
    searched as they are, which costs a short run less than tokens would; the others by token.
    """

    def __init__(self, most_characters: int = MOST_CHARACTERS) -> None:
        self._room = most_characters
        self._passages: list[Passage] = []
        self._readings: list[tuple[str, ...]] = []
        self._holders: defaultdict[str, list[int]] = defaultdict(list)
        # Texts in blocks: one search of a block costs far less than one of each text in it.
        self._blocks: list[tuple[int, str]] = []
        self._open: list[str] = []
        self._open_size = 0
        self._open_text = ""
        self._scans: dict[str, _Scan] = {}
        self._forms: dict[str, tuple[list[int], dict[str, list[int]]]] = {}

    @property
    def unread(self) -> range:
        """The numbers of the passages that are past what the index may hold."""
        self._read()
        return range(len(self._readings), len(self._passages))

    def add(self, passage: Passage) -> int:
        """The passage's number; it can be looked up from now on."""
        self._passages.append(passage)
        return len(self._passages) - 1

    def passage(self, number: int) -> Passage:
        """The passage of this number."""
        return self._passages[number]

    def whole(
        self,
        value: str,
        among: AbstractSet[int],
        separators: str = "",
        refuse: Refuse | None = None,
    ) -> Hit | None:
        """The latest passage among these in which the folded value stands whole, if any does.

        `separators` as in `boundaries.standing`. A passage that is refused is passed over.
        """
        readings_of = self._readings
        for number in self._candidates(value, among):
            if number not in among:
                continue
            for text in readings_of[number]:
                if value not in text or boundaries.standing(text, value, separators)[0] != "whole":
                    continue
                if refuse is None or not refuse(number):
                    return Hit(self._passages[number], number=number, spelling=value)
                break
        return None

    def holds(self, number: int, value: str, separators: str = "") -> bool:
        """Whether the folded value stands whole in this passage; never in one that is unread."""
        return number < len(self._readings) and any(
            boundaries.standing(text, value, separators)[0] == "whole"
            for text in self._readings[number]
        )

    def first_is_own(self, value: str) -> bool:
        """Whether the model wrote the folded value before any passage that it was shown held it whole."""
        self._read()
        parts = atoms(value)
        if not parts:
            return False
        for number in chain(self._rarest(parts), self._recent(value, latest_first=False)):
            voice = self._passages[number].voice
            # A tool returns before the call that it answers is shown: that shows the model nothing.
            if voice != "returned" and self.holds(number, value):
                return voice in OWN
        return False

    def of_form(
        self, form: Form, canonical: str, among: AbstractSet[int], refuse: Refuse | None = None
    ) -> Hit | None:
        """The latest passage among these that holds an identifier of this canonical spelling."""
        for number in reversed(self._of_form(form).get(canonical, [])):
            if number in among and not (refuse and refuse(number)):
                return Hit(self._passages[number], number=number, spelling=canonical)
        return None

    def spellings_of(self, form: Form) -> Iterator[str]:
        """Every canonical spelling of this form that some passage holds."""
        return iter(self._of_form(form))

    def _of_form(self, form: Form) -> dict[str, list[int]]:
        self._read()
        upto, known = self._forms.setdefault(form.name, ([0], {}))
        for number in range(upto[0], len(self._readings)):
            for text in self._readings[number]:
                for canonical, _ in form.found(text):
                    numbers = known.setdefault(canonical, [])
                    if not numbers or numbers[-1] != number:
                        numbers.append(number)
        upto[0] = len(self._readings)
        return known

    def inside(self, value: str, among: AbstractSet[int]) -> Hit | None:
        """The latest passage among these that holds the folded value at all.

        For values that stand nowhere whole: searches every text that was not yet searched for it.
        """
        for number in self._holding(value, among):
            for text in self._readings[number]:
                place = text.find(value)
                if place >= 0:
                    around = boundaries.token_around(text, place, place + len(value))
                    return Hit(self._passages[number], around, number, value)
        return None

    def _candidates(self, value: str, among: AbstractSet[int]) -> Iterable[int]:
        """Passages that may hold the value, the latest first, also others than those."""
        if len(self._readings) < len(self._passages):
            self._read()
        parts = atoms(value)
        if not parts:
            return [number for number in sorted(among, reverse=True) if number < self.unread.start]
        # Those in no block yet are seen at a glance not to hold it.
        recent = range(0)
        if self._open and value in self._recent_text():
            recent = range(len(self._readings) - 1, self._closed - 1, -1)
        older = reversed(self._rarest(parts)) if self._holders else ()
        return chain(recent, older)

    def _rarest(self, parts: Sequence[str]) -> list[int]:
        return min([self._holders.get(part, []) for part in parts], key=len)

    def _recent(self, value: str, *, latest_first: bool = True) -> Iterator[int]:
        """Those of the passages in no block yet that hold the value at all."""
        if not self._open or value not in self._recent_text():
            return iter(())
        numbers = range(self._closed, len(self._readings))
        return self._found(value, numbers[::-1] if latest_first else numbers)

    def _recent_text(self) -> str:
        if not self._open_text:
            self._open_text = "\n".join(self._open)
        return self._open_text

    @property
    def _closed(self) -> int:
        return self._blocks[-1][0] if self._blocks else 0

    def _holding(self, value: str, among: AbstractSet[int]) -> list[int]:
        self._read()
        scan = self._scans.pop(value, None) or _Scan()
        self._scans[value] = scan
        if len(self._scans) > _SCANS:
            del self._scans[next(iter(self._scans))]
        scan.holders += self._scanned(value, scan.upto)
        scan.upto = len(self._readings)
        return [number for number in reversed(scan.holders) if number in among]

    def _scanned(self, value: str, start: int) -> Iterator[int]:
        before = 0
        # All but its first and last token stand whole in whatever holds the value.
        if start < self._closed and all(part in self._holders for part in atoms(value)[1:-1]):
            for end, text in self._blocks:
                if start < end and value in text:
                    yield from self._found(value, range(max(start, before), end))
                before = end
        recent = self._recent(value, latest_first=False)
        yield from (number for number in recent if number >= start)

    def _found(self, value: str, numbers: Sequence[int]) -> Iterator[int]:
        for number in numbers:
            for text in self._readings[number]:
                if value in text:
                    yield number
                    break

    def _read(self) -> None:
        for number in range(len(self._readings), len(self._passages)):
            if self._room <= 0:
                return
            texts = readings(self._passages[number].text)
            self._room -= sum(map(len, texts))
            self._readings.append(texts)
            self._open += texts
            self._open_text = ""
            self._open_size += sum(map(len, texts))
            if self._open_size > _BLOCK:
                self._close()

    def _close(self) -> None:
        holders = self._holders
        for number in range(self._closed, len(self._readings)):
            texts = self._readings[number]
            for atom in _atoms_of(texts) if sum(map(len, texts)) <= _SHORT else _each(texts):
                holders[atom].append(number)
        self._blocks.append((len(self._readings), "\n".join(self._open)))
        self._open, self._open_size, self._open_text = [], 0, ""
