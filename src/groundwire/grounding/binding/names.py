"""Names: which records a sentence is about, by the names that stand in it.

A name is a text of a record, a key above it, or an argument of its call. In the answer it counts
with its capital or a digit in it; a common word in small letters names nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias
from weakref import WeakKeyDictionary

import msgspec

from groundwire.grounding.records.evidence import ARGUMENT, Evidence
from groundwire.grounding.records.record import Field, Record

_WORDS = re.compile(r"[^\W_][\w'\u2019.\-/@:]*[^\W_]|[^\W_]")
_LONGEST = 8
_MOST_NAMES = 50_000
_POSSESSIVE = ("'s", "\u2019s")


class Mention(msgspec.Struct, frozen=True):
    """A name at `start:end` of the answer, and its records: (result, record) pairs."""

    start: int
    end: int
    name: str
    records: frozenset[tuple[int, int]]


# The number of a result, and its names that begin with one word, each with its records.
_Holder: TypeAlias = tuple[int, dict[tuple[str, ...], set[int]]]


class _Known:
    """The names of one result: words to records, and the keys that count in small letters."""

    def __init__(self, evidence: Evidence) -> None:
        self.by_first: dict[str, dict[tuple[str, ...], set[int]]] = {}
        # Keys of several words name their records in small letters too: `the home team`.
        self.keys: set[str] = set()
        self._count = 0
        records = evidence.reading.records
        numeric = _numeric_keys(records)
        for number, record in enumerate(records):
            self.keys.update(n for n in record.names if n.islower() and " " in n)
            for text in _texts(record, numeric):
                self._add(text, number)

    def _add(self, text: str, record: int) -> None:
        if self._count >= _MOST_NAMES:
            return
        words = tuple(_plain_words(text))
        if not 0 < len(words) <= _LONGEST:
            return
        self._count += 1
        self.by_first.setdefault(words[0], {}).setdefault(words, set()).add(record)


# What is known of a result is gone when its evidence is.
_KNOWN: WeakKeyDictionary[Evidence, _Known] = WeakKeyDictionary()


def _known(evidence: Evidence) -> _Known:
    known = _KNOWN.get(evidence)
    if known is None:
        known = _KNOWN[evidence] = _Known(evidence)
    return known


class _Holders(dict[str, list[_Holder]]):
    """For each word the results that know names which begin with it, and those names."""

    def __init__(self, known: Sequence[_Known]) -> None:
        super().__init__()
        self._known = [(place, one.by_first) for place, one in enumerate(known)]
        # Most words of an answer begin no name at all.
        self._firsts = frozenset[str]().union(*(names for _, names in self._known))

    def __missing__(self, word: str) -> list[_Holder]:
        plain = _plain(word)
        held = self[word] = (
            [(place, names[plain]) for place, names in self._known if plain in names]
            if plain in self._firsts
            else []
        )
        return held


class Names:
    """The names of every record of these results, looked up by their first word."""

    def __init__(self, evidence: Sequence[Evidence]) -> None:
        self._known = [_known(one) for one in evidence]
        self._keys = frozenset[str]().union(*(known.keys for known in self._known))
        # Of words and stretches that were looked at already.
        self._holders = _Holders(self._known)
        self._found: dict[tuple[str, int, int], tuple[Mention, ...]] = {}

    def mentions(self, text: str, start: int, end: int) -> tuple[Mention, ...]:
        """The names in `text[start:end]`, the longest at each place, none inside another."""
        place = (text, start, end)
        found = self._found.get(place)
        if found is None:
            found = self._found[place] = tuple(self._mentions(text, start, end))
        return found

    def _mentions(self, text: str, start: int, end: int) -> Iterator[Mention]:
        found = list(_WORDS.finditer(text, start, end))
        holders = [self._holders[match[0]] for match in found]
        position = 0
        while position < len(found):
            first = holders[position]
            named = _longest(first, found, position) if first else None
            if named is None:
                position += 1
                continue
            length, records = named
            said = text[found[position].start() : found[position + length - 1].end()]
            if not _is_proper(said) and said.lower() not in self._keys:
                position += 1
                continue
            last = found[position + length - 1]
            stop = last.end() - (2 if last[0].endswith(_POSSESSIVE) else 0)
            begin = found[position].start()
            yield Mention(begin, stop, text[begin:stop], frozenset(records))
            position += length


def _longest(
    holders: Sequence[_Holder], found: Sequence[re.Match[str]], position: int
) -> tuple[int, set[tuple[int, int]]] | None:
    longest = min(_LONGEST, len(found) - position)
    words = [_plain(match[0]) for match in found[position : position + longest]]
    for length in range(longest, 0, -1):
        name = tuple(words[:length])
        records = {(place, record) for place, named in holders for record in named.get(name, ())}
        if records:
            return length, records
    return None


def _texts(record: Record, numeric: frozenset[tuple[int, str]]) -> Iterator[str]:
    yield from record.names
    for field in record.fields:
        if _names(field, record, numeric):
            yield field.text


def _names(field: Field, record: Record, numeric: frozenset[tuple[int, str]]) -> bool:
    if field.number is not None:
        return (record.table, field.key) in numeric
    if not 1 < len(field.text) <= 80 or field.text in {"true", "false", "N/A", "n/a"}:
        return False
    return any(map(str.isalpha, field.text))


def _numeric_keys(records: Sequence[Record]) -> frozenset[tuple[int, str]]:
    """Columns whose numbers name their rows: years, each once, in a table of at least two rows."""
    columns: dict[tuple[int, str], list[str]] = {}
    rows: dict[int, int] = {}
    for record in records:
        rows[record.table] = rows.get(record.table, 0) + 1
        for field in record.fields:
            if field.number is not None and not field.key.startswith(ARGUMENT):
                columns.setdefault((record.table, field.key), []).append(field.text)
    return frozenset(
        (table, key)
        for (table, key), texts in columns.items()
        if len(texts) == rows[table] > 1
        and len(set(texts)) == len(texts)
        and all(len(text) == 4 and text.isdigit() and text[:2] in {"19", "20"} for text in texts)
    )


def _plain_words(text: str) -> list[str]:
    words: list[str] = _WORDS.findall(text)
    if "'" in text or "\u2019" in text:
        return [_plain(word) for word in words]
    return [word.lower() for word in words]


def _plain(word: str) -> str:
    word = word.lower()
    return word[:-2] if word.endswith(_POSSESSIVE) else word


def _is_proper(text: str) -> bool:
    return text[0].isupper() or any(map(str.isdigit, text)) or any(map(str.isupper, text))
