"""Walk: a tree made into records.

An object is a record. Objects beside one another in a list, or under keys of one object where
they have most keys in common, are records of one table; a single object under a key is a part of
the record it stands in. A table written by columns is turned. Keys with one first word belong
together: what `home_name` says names what stands under `home_line`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache

from groundwire.grounding.records.lenient import MOST_DEPTH, MOST_LEAVES, Leaf, Tree
from groundwire.grounding.records.record import Field, Record
from groundwire.grounding.values.value import decimal_of

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_ALIKE = 0.5
_LONGEST_NAME = 80


class _Growing:
    def __init__(self, names: tuple[str, ...], table: int, parent: int, pointer: str) -> None:
        self.names = names
        self.table = table
        self.parent = parent
        self.pointer = pointer
        self.fields: list[Field] = []
        self.end = 0
        self.row = False


class Walk:
    """Records of one result, in the order of the text."""

    def __init__(self, arguments: Tree = None) -> None:
        self.capped = False
        self._records: list[_Growing] = []
        self._leaves = 0
        self._tables = 0
        self._arguments = arguments

    def add(self, value: Tree) -> None:
        """Another block of the result; what stands in no object is a record of its own."""
        record = self._begin((), self._table(), -1, "")
        if isinstance(self._arguments, dict) and len(self._records) == 1:
            for key, leaf in self._arguments.items():
                self._argument(record, key, leaf)
        number = len(self._records) - 1
        if isinstance(value, dict):
            self._object(value, record, number, "", "", 0)
        else:
            self._member(record, number, "", value, "", 0)
        self._close(number)

    def records(self) -> tuple[Record, ...]:
        """All of them."""
        return tuple(
            Record(tuple(r.fields), r.names, r.table, r.parent, r.pointer, r.end)
            for r in self._records
        )

    def _argument(self, record: _Growing, key: str, leaf: Tree) -> None:
        if isinstance(leaf, list):
            for item in leaf:
                self._argument(record, key, item)
        elif not isinstance(leaf, dict) and leaf is not None and not isinstance(leaf, bool):
            field = self._field(f"argument {key}", "", leaf)
            record.fields.append(field)

    def _begin(self, names: tuple[str, ...], table: int, parent: int, pointer: str) -> _Growing:
        record = _Growing(names, table, parent, pointer)
        self._records.append(record)
        return record

    def _close(self, number: int) -> None:
        self._records[number].end = len(self._records)

    def _table(self) -> int:
        self._tables += 1
        return self._tables

    def _object(
        self,
        value: Mapping[str, Tree],
        record: _Growing,
        number: int,
        pointer: str,
        key: str,
        depth: int,
    ) -> None:
        if depth > MOST_DEPTH or self.capped:
            self.capped = True
            return
        turned = _turned(value)
        if turned is not None:
            self._rows(turned, number, f"{pointer}", (), depth + 1)
            return
        alike = _alike(value)
        if record.row and not _kin(value) and all(_is_flat(value[name]) for name in alike):
            # Prices by class beside seats by class: parts of one row, not rows of their own.
            alike = frozenset()
        table = self._table() if alike else 0
        kin = _kin(value) if alike else {}
        for name, inner in value.items():
            place = f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}"
            if name in alike and isinstance(inner, dict):
                names = (name, *kin.get(name, ()))
                child = self._begin(names, table, number, place)
                own = len(self._records) - 1
                self._object(inner, child, own, place, "", depth + 1)
                self._close(own)
            else:
                self._member(record, number, f"{key} {name}".strip(), inner, place, depth)

    def _member(
        self, record: _Growing, number: int, key: str, value: Tree, pointer: str, depth: int
    ) -> None:
        if isinstance(value, dict):
            self._object(value, record, number, pointer, key, depth + 1)
        elif isinstance(value, list):
            if depth > MOST_DEPTH:
                self.capped = True
            elif any(isinstance(item, dict) for item in value):
                self._rows(value, number, pointer, (key,) if key else (), depth + 1)
            else:
                for place, item in enumerate(value):
                    self._member(record, number, key, item, f"{pointer}/{place}", depth + 1)
        elif value is not None:
            if self._leaves >= MOST_LEAVES:
                self.capped = True
                return
            record.fields.append(self._field(key, pointer, value))

    def _rows(
        self, rows: Sequence[Tree], parent: int, pointer: str, names: tuple[str, ...], depth: int
    ) -> None:
        table = self._table()
        for place, row in enumerate(rows):
            if self.capped:
                return
            child = self._begin((), table, parent, f"{pointer}/{place}")
            child.row = True
            own = len(self._records) - 1
            if isinstance(row, dict):
                self._object(row, child, own, child.pointer, "", depth)
            else:
                self._member(child, own, " ".join(names), row, child.pointer, depth)
            self._close(own)

    def _field(self, key: str, pointer: str, value: Leaf | float) -> Field:
        self._leaves += 1
        if isinstance(value, bool):
            return Field(key, pointer, "true" if value else "false")
        if isinstance(value, Decimal):
            return Field(key, pointer, str(value), value)
        if isinstance(value, (int, float)):
            text = repr(value)
            return Field(key, pointer, text, decimal_of(text))
        text = value or ""
        number = decimal_of(text) if len(text) <= 24 and text[:1] in _NUMERIC else None
        return Field(key, pointer, text, number)


_NUMERIC = frozenset("+-.0123456789")


@lru_cache(maxsize=4096)
def key_words(key: str) -> tuple[str, ...]:
    """The words of a key, lower-cased: `homeScore`, `TEAM-PTS_QTR1`, `unit price (EUR)`."""
    return tuple(word.lower() for word in _WORD.findall(key))


def _turned(value: Mapping[str, Tree]) -> list[Tree] | None:
    """The rows of a table that is written by columns, or None."""
    columns = list(value.values())
    if len(columns) < 2:
        return None
    if all(isinstance(column, dict) for column in columns):
        first = columns[0]
        if not isinstance(first, dict) or len(first) < 2 or not all(map(str.isdigit, first)):
            return None
        if not all(isinstance(c, dict) and c.keys() == first.keys() for c in columns):
            return None
        return [
            {name: column[row] for name, column in value.items() if isinstance(column, dict)}
            for row in first
        ]
    lengths = {len(column) if isinstance(column, list) else -1 for column in columns}
    if len(lengths) != 1 or min(lengths) < 2:
        return None
    if any(isinstance(item, (dict, list)) for column in columns for item in _items(column)):
        return None
    (length,) = lengths
    return [
        {name: column[row] for name, column in value.items() if isinstance(column, list)}
        for row in range(length)
    ]


def _items(column: Tree) -> Iterator[Tree]:
    if isinstance(column, list):
        yield from column


def _is_flat(value: Tree) -> bool:
    """Whether an object holds nothing but numbers, truth values and gaps."""
    return isinstance(value, dict) and not any(
        isinstance(leaf, (dict, list, str)) for leaf in value.values()
    )


def _alike(value: Mapping[str, Tree]) -> frozenset[str]:
    """The keys whose objects have most of their own keys in common with another's."""
    objects = [(name, inner) for name, inner in value.items() if isinstance(inner, dict) and inner]
    if len(objects) < 2:
        return frozenset()
    if len(objects) > 50:
        return frozenset(name for name, _ in objects)
    found: set[str] = set()
    for place, (name, inner) in enumerate(objects):
        for other, beside in objects[place + 1 :]:
            common = len(inner.keys() & beside.keys())
            if common >= _ALIKE * min(len(inner), len(beside)) and common:
                found |= {name, other}
    return frozenset(found)


def _kin(value: Mapping[str, Tree]) -> dict[str, tuple[str, ...]]:
    """What else names the objects under these keys: texts under keys with the same first word."""
    first: dict[str, list[str]] = {}
    for name in value:
        words = key_words(name)
        if len(words) > 1:
            first.setdefault(words[0], []).append(name)
    groups = {word: names for word, names in first.items() if len(names) > 1}
    if len(groups) < 2:
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for names in groups.values():
        texts: list[str] = []
        for name in names:
            inner = value[name]
            leaves = inner.values() if isinstance(inner, dict) else [inner]
            texts += [leaf for leaf in leaves if isinstance(leaf, str) and _is_name(leaf)]
            texts.append(" ".join(key_words(name)))
        for name in names:
            found[name] = tuple(dict.fromkeys(texts))
    return found


def _is_name(text: str) -> bool:
    return 1 < len(text) <= _LONGEST_NAME and text[0].isalpha()
