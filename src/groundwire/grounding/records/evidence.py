"""Evidence: the values of one text, by what they are, with the record and key of each."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from decimal import Decimal
from functools import cached_property, lru_cache

import msgspec

from groundwire.grounding.records.keeping import Kept
from groundwire.grounding.records.reading import read_result
from groundwire.grounding.records.record import Reading
from groundwire.grounding.records.walk import key_words
from groundwire.grounding.values.reading import read_short, read_values
from groundwire.grounding.values.units import unit_of
from groundwire.grounding.values.value import Unit, Value

MOST_VALUES = 200_000
ARGUMENT = "argument "
_DIGIT = re.compile(r"\d")
_LONG_LEAF = 400
# Instructions of many pages state what counts in digits.
_WORDED = 4000


class Site(msgspec.Struct, frozen=True, gc=False):
    """Where a number stands: in which record, at which pointer, under which key; `record` -1: prose."""

    number: Decimal
    record: int
    key: str
    pointer: str
    unit: Unit | None = None


class Evidence:
    """Numbers in order of size, dates, times and identifiers of one text. Read it, never write.

    The text's records are known at once, its values when they are first asked for: of most results
    no value is ever looked for.
    """

    sites: list[Site]
    dates: dict[tuple[int, int], set[int]]
    years: set[int]
    clocks: set[tuple[int, int]]
    identifiers: set[str]
    _sizes: list[Decimal]
    _is_capped: bool

    def __init__(self, reading: Reading) -> None:
        self.reading = reading

    def __getattr__(self, name: str) -> object:
        """One of the above before it is there: then the values are read, and all of them are."""
        if name not in Evidence.__annotations__:
            raise AttributeError(name)
        values = _Values(self.reading)
        self.dates, self.years, self.clocks = values.dates, values.years, values.clocks
        self.identifiers, self.sites, self._sizes = values.identifiers, values.sites, values.sizes
        self._is_capped = values.capped
        return self.__dict__[name]

    @cached_property
    def capped(self) -> bool:
        """Whether the text holds more than was read of it."""
        if self.reading.capped or _most_values(self.reading) <= MOST_VALUES:
            return self.reading.capped
        return self._is_capped

    def between(self, low: Decimal, high: Decimal) -> Iterable[Site]:
        """The numbers from `low` to `high`, both included."""
        sizes = self._sizes
        first = bisect_left(sizes, low)
        return self.sites[first : bisect_right(sizes, high, first)]


class _Values:
    """The values of a reading, read."""

    def __init__(self, reading: Reading) -> None:
        self.capped = False
        self.dates: dict[tuple[int, int], set[int]] = {}
        self.years: set[int] = set()
        self.clocks: set[tuple[int, int]] = set()
        self.identifiers: set[str] = set()
        sites: list[Site] = []
        self._left = MOST_VALUES
        for number, record in enumerate(reading.records):
            for name in record.names:
                if _DIGIT.search(name):
                    self._take(sites, number, name, record.pointer, read_short(name))
            for field in record.fields:
                if field.key.startswith(ARGUMENT):
                    continue
                self._field(sites, number, field.key, field.pointer, field.text, field.number)
        for text in reading.prose:
            words = len(text) <= _WORDED
            self._take(sites, -1, "", "", read_values(text, words=words))
        sites.sort(key=_size)
        self.sites = sites
        self.sizes = [site.number for site in sites]

    def _field(
        self,
        sites: list[Site],
        record: int,
        key: str,
        pointer: str,
        text: str,
        number: Decimal | None,
    ) -> None:
        if number is not None:
            if self._left > 0:
                self._left -= 1
                sites.append(Site(abs(number), record, key, pointer, key_unit(key)))
                if 1000 <= number <= 2999:
                    self.years.add(int(number))
                if len(text) > 3:
                    self.identifiers.add(text.lower())
            else:
                self.capped = True
        elif _DIGIT.search(text):
            short = len(text) < _LONG_LEAF
            values = read_short(text) if short else read_values(text, words=False)
            self._take(sites, record, key, pointer, values)
            if len(text) < 64:
                self.identifiers.add(text.strip().lower())
        if _DIGIT.search(key):
            self._take(sites, record, key, pointer, read_short(key.replace("_", " ")))

    def _take(
        self, sites: list[Site], record: int, key: str, pointer: str, values: Iterable[Value]
    ) -> None:
        for value in values:
            if self._left <= 0:
                self.capped = True
                return
            self._left -= 1
            if value.number is not None:
                sites.append(
                    Site(abs(value.number), record, key, pointer, value.unit or key_unit(key))
                )
                if value.magnitude != 1:
                    sites.append(
                        Site(abs(value.number / value.magnitude), record, key, pointer, value.unit)
                    )
                if 1000 <= value.number <= 2999:
                    self.years.add(int(value.number))
            elif value.kind == "date":
                self._date(value)
            elif value.kind == "time":
                self.clocks.add(value.moment[:2])
                if value.folded == "either":
                    self.clocks.add(((value.moment[0] + 12) % 24, value.moment[1]))
            else:
                self.identifiers.add(value.folded)
                self._pieces(sites, record, key, pointer, value.folded)

    def _date(self, value: Value) -> None:
        year, month, day = value.moment
        self.dates.setdefault((month, day), set()).add(year)
        if day:
            self.dates.setdefault((month, 0), set()).add(year)
        if value.folded:
            other = value.folded.split("-")
            self.dates.setdefault((int(other[1]), int(other[2])), set()).add(year)
        if year:
            self.years.add(year)

    def _pieces(self, sites: list[Site], record: int, key: str, pointer: str, folded: str) -> None:
        """Its parts, and their numbers: prose quotes the digits of a card, a port, a model."""
        self.identifiers.update(part for part in _PARTS.split(folded) if part)
        for found in _PIECE.finditer(folded):
            number = Decimal(found[0])
            sites.append(Site(number, record, key, pointer))
            self.identifiers.add(found[0])


_PARTS = re.compile(r"[/@:+,;|_]")
_PIECE = re.compile(r"\d{1,18}(?:\.\d{1,6})?")


def _size(site: Site) -> Decimal:
    return site.number


@lru_cache(maxsize=1024)
def key_unit(key: str) -> Unit | None:
    """The unit that the last word of a key names: `duration_ms`, `temp_c`, `size bytes`."""
    words = key_words(key)
    if len(words) < 2:
        return None
    last = words[-1]
    return unit_of(last) if len(last) > 1 or last in {"c", "s", "h", "v", "w"} else None


def _most_values(reading: Reading) -> int:
    """No more values than this stand in it: each has a character of its own."""
    return sum(map(len, reading.prose)) + sum(
        sum(map(len, record.names))
        + sum(1 + len(field.text) + len(field.key) for field in record.fields)
        for record in reading.records
    )


def _of_result(text: str, arguments: str) -> Evidence:
    return Evidence(read_result(text, arguments))


def _of_prose(text: str, _: str) -> Evidence:
    return Evidence(Reading(records=(), prose=(text,)))


# The evidence of a result and its call's arguments, and of a text that is no result: what a person
# or the instructions said. Each text is read once.
read_evidence = Kept(_of_result)
prose_evidence = Kept(_of_prose)
