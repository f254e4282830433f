"""YAML into its value by the core schema of 1.2; nothing of it is run, no tag makes an object.

PyYAML parses, in C where its wheel has that; what scalars mean, which keys stand twice, and how far
aliases expand is decided here. Values that an alias repeats are one object, not copies.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import msgspec
import yaml

from groundwire.canon.jcs import JSON
from groundwire.contracts.reading import scalars
from groundwire.contracts.reading.numbers import Rounded, decimal
from groundwire.contracts.reading.unread import Settled, settle
from groundwire.contracts.reading.unreadable import Unreadable
from groundwire.contracts.reading.yaml_events import Start, events, place

MAX_DEPTH: Final = 256
MAX_NODES: Final = 3_000_000
# How many nodes all aliases of a file may stand for.
MAX_REPEATED: Final = 1_000_000

_CORE: Final = "tag:yaml.org,2002:"
_Kind: TypeAlias = Literal["mapping", "sequence"]
Marks: TypeAlias = dict[int, list[Start]]


class Loaded(msgspec.Struct, frozen=True):
    """A value, and by the id of each container where its members begin."""

    settled: Settled
    marks: Marks
    start: Start

    def at(self, names: tuple[str, ...]) -> tuple[int, int] | None:
        """Line and column of the key or element that these names lead to; None where to nothing."""
        value, found = self.settled.value, self.start
        for name in names:
            if isinstance(value, dict) and name in value:
                index, below = list(value).index(name), value[name]
            elif isinstance(value, list) and name.isdecimal() and int(name[:9]) < len(value):
                index, below = int(name[:9]), value[int(name[:9])]
            else:
                return None
            marks = self.marks.get(id(value), [])
            if index >= len(marks):
                return None  # put there by somebody else, after the file was read
            value, found = below, marks[index]
        return place(found)


class _Anchored(msgspec.Struct, frozen=True):
    """What an alias repeats: `nodes` of it, nested `height` deep."""

    value: JSON
    nodes: int
    height: int


class _Open(msgspec.Struct):
    """A mapping or sequence that is being read; `marks` has the places of its members."""

    holder: dict[str, JSON] | list[JSON]
    marks: list[Start]
    anchor: str | None
    before: int
    height: int = 1
    key: str | None = None


def load(text: bytes) -> Loaded:
    """The value of the one document in `text`; aliases are expanded, within a bound.

    Merge keys (`<<`) are none in 1.2: the key stays as it is, and its mapping is `merge-key` in
    what is unread; so is `number-inexact` what no float says.

    Raises:
        Unreadable: `not-yaml`, `empty-file`, `key-repeated`, `key-not-text`, `yaml-tag`,
            `yaml-documents`, `yaml-version`, `alias-unknown`, `alias-cycle`, `alias-expansion`,
            `number-out-of-range`, `lone-surrogate`, `too-deep`, `too-large`.
    """
    builder = _Builder()
    for event in events(text):
        builder.take(event)
    if not builder.started:
        raise Unreadable("empty-file", "The file holds no document.")
    settled = Settled(builder.value)
    if builder.merging or builder.rounded:
        settled = settle(builder.value, frozenset(builder.merging))
    return Loaded(settled, builder.marks, builder.start)


class _Builder:
    """Makes a value of events; recursion in the file is depth of a list here."""

    def __init__(self) -> None:
        self.value: JSON = None
        self.started = False
        self.start: Start = None
        self.marks: Marks = {}
        self.merging: set[int] = set()
        self.rounded = False
        self._stack: list[_Open] = []
        self._anchors: dict[str, _Anchored | None] = {}
        self._nodes = 0
        self._repeated = 0

    def take(self, event: yaml.Event) -> None:
        """The next event."""
        if isinstance(event, yaml.ScalarEvent):
            self._scalar(event)
        elif isinstance(event, yaml.MappingStartEvent):
            self._open(event, {}, "mapping")
        elif isinstance(event, yaml.SequenceStartEvent):
            self._open(event, [], "sequence")
        elif isinstance(event, yaml.CollectionEndEvent):
            self._close()
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event)
        elif isinstance(event, yaml.DocumentStartEvent):
            self._document(event)

    def _document(self, event: yaml.DocumentStartEvent) -> None:
        if self.started:
            message = "The file holds several documents; put each into a file of its own."
            raise Unreadable("yaml-documents", message, *place(event.start_mark))
        if event.version is not None and tuple(event.version) != (1, 2):
            message = "The file asks by %YAML to be read otherwise than by YAML 1.2."
            raise Unreadable("yaml-version", message, *place(event.start_mark))
        self.started = True

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        try:
            if self._takes_key():
                self._key(self._key_of(event), event)
                return
            value = _value_of(event)
        except Unreadable as error:
            if error.line:
                raise
            where = place(event.start_mark)
            raise Unreadable(error.reason, error.says, *where) from error
        if not event.value.isascii():
            _demand_whole_characters(event)
        self._nodes += 1
        self.rounded = self.rounded or type(value) is Rounded
        if event.anchor is not None:
            self._anchors[event.anchor] = _Anchored(value, 1, 0)
        self._put(value, event.start_mark)

    def _key_of(self, event: yaml.ScalarEvent) -> str:
        untagged = event.tag is None and event.implicit[0]
        found: JSON = scalars.key(event.value) if untagged else _value_of(event)
        _demand_whole_characters(event)
        if not isinstance(found, str):
            message = "A key is no text; write it in quotes."
            raise Unreadable("key-not-text", message, *place(event.start_mark))
        if event.anchor is not None:
            self._anchors[event.anchor] = _Anchored(found, 1, 0)
        if untagged and found == "<<":
            self.merging.add(id(self._stack[-1].holder))
        return found

    def _key(self, key: str, event: yaml.NodeEvent) -> None:
        inner = self._stack[-1]
        if key in inner.holder:
            first = inner.marks[list(inner.holder).index(key)]
            line, column = place(first)
            says = f"A key stands twice in one mapping, in line {line}, column {column}, and again."
            raise Unreadable("key-repeated", says, *place(event.start_mark))
        inner.key = key
        inner.marks.append(event.start_mark)

    def _takes_key(self) -> bool:
        if not self._stack:
            return False
        inner = self._stack[-1]
        return inner.key is None and type(inner.holder) is dict

    def _open(
        self, event: yaml.CollectionStartEvent, holder: dict[str, JSON] | list[JSON], kind: _Kind
    ) -> None:
        tags = (None, "!", _CORE + ("map" if kind == "mapping" else "seq"))
        if event.tag not in tags:
            raise Unreadable("yaml-tag", "A tag is none of JSON's.", *place(event.start_mark))
        if self._takes_key():
            message = "A key is a mapping or a list, which JSON has not."
            raise Unreadable("key-not-text", message, *place(event.start_mark))
        if len(self._stack) >= MAX_DEPTH:
            raise self._too_deep(event)
        self._put(holder, event.start_mark)
        marks = self.marks[id(holder)] = []
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        self._stack.append(_Open(holder, marks, event.anchor, self._nodes))
        self._nodes += 1

    def _close(self) -> None:
        done = self._stack.pop()
        if done.anchor is not None:
            nodes = self._nodes - done.before
            self._anchors[done.anchor] = _Anchored(done.holder, nodes, done.height)
        if self._stack:
            outer = self._stack[-1]
            outer.height = max(outer.height, done.height + 1)

    def _alias(self, event: yaml.AliasEvent) -> None:
        where = place(event.start_mark)
        name = event.anchor or ""
        if name not in self._anchors:
            raise Unreadable("alias-unknown", "An alias has no anchor before it.", *where)
        found = self._anchors[name]
        if found is None:
            raise Unreadable("alias-cycle", "An alias stands inside what it repeats.", *where)
        if self._takes_key():
            if not isinstance(found.value, str):
                raise Unreadable("key-not-text", "A key is an alias of what is no text.", *where)
            self._key(found.value, event)
            return
        self._nodes += found.nodes
        self._repeated += found.nodes
        if self._repeated > MAX_REPEATED:
            message = f"Aliases stand for over {MAX_REPEATED} values."
            raise Unreadable("alias-expansion", message, *where)
        if self._stack:
            if len(self._stack) + found.height > MAX_DEPTH:
                raise self._too_deep(event)
            outer = self._stack[-1]
            outer.height = max(outer.height, found.height + 1)
        self._put(found.value, event.start_mark)

    def _put(self, value: JSON, start: Start) -> None:
        """`value` at the place that is to be filled."""
        if self._nodes > MAX_NODES:
            raise Unreadable("too-large", f"The file has over {MAX_NODES} values.", *place(start))
        if not self._stack:
            self.value, self.start = value, start
            return
        inner = self._stack[-1]
        if isinstance(inner.holder, list):
            inner.holder.append(value)
            inner.marks.append(start)
        elif inner.key is not None:
            inner.holder[inner.key] = value
            inner.key = None

    @staticmethod
    def _too_deep(event: yaml.Event) -> Unreadable:
        message = f"The file nests over {MAX_DEPTH} levels."
        return Unreadable("too-deep", message, *place(event.start_mark))


def _demand_whole_characters(event: yaml.ScalarEvent) -> None:
    """PyYAML's pure parser takes half a surrogate pair for a character."""
    if any("\ud800" <= character <= "\udfff" for character in event.value):
        message = "A text in the file holds half a surrogate pair."
        raise Unreadable("lone-surrogate", message, *place(event.start_mark))


def _value_of(event: yaml.ScalarEvent) -> JSON:
    """What a scalar is, by its tag if it has one."""
    text, tag = event.value, event.tag
    if tag is None:
        return scalars.plain(text) if event.implicit[0] else text
    if tag in {"!", _CORE + "str"}:
        return text
    value = scalars.plain(text)
    named = tag.removeprefix(_CORE)
    if named == "float" and type(value) in {int, float, Rounded}:
        return decimal(str(value)) if type(value) is int else value
    fits = {"null": type(None), "bool": bool, "int": int}.get(named)
    if fits is not None and type(value) is fits:
        return value
    raise Unreadable("yaml-tag", "A tag is none of JSON's, or its value is not what it says.")
