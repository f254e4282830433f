"""Places: which schemas of a document speak of a part of a value, as far as they can be followed.

Only to explain: which schemas decide is not asked here, and a part may be followed too far or not
far enough without any verdict being another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.refusing import Path
from groundwire.contracts.openapi.resolving import canonical, join, names_of

Schema = Mapping[str, JSON]

_MOST: Final = 400
"""So many schemas are looked at for one part of a value."""
_LISTS: Final = ("allOf", "anyOf", "oneOf")
_ALONE: Final = ("if", "then", "else")


class Places:
    """The schemas of one document, by pointer."""

    def __init__(self, root: JSON, *, ref_alone: bool) -> None:
        """With `ref_alone`, what stands beside a `$ref` is not there."""
        self._root = root
        self._ref_alone = ref_alone
        self._known: dict[str, JSON] = {}
        self._here: dict[str, tuple[str, ...]] = {}
        self._only: dict[tuple[str, str | int], str] = {}

    def at(self, pointer: str, path: Path) -> tuple[str, ...]:
        """The schemas that speak of the part of a value that `path` leads to."""
        found = self.here([pointer])
        for step in path:
            found = self.here(self.below(found, step))
        return found

    def schema(self, pointer: str) -> Schema:
        """The keywords of the schema at a pointer, its reference not followed; none of a boolean."""
        found = self.value(pointer)
        return found if isinstance(found, Mapping) else {}

    def value(self, pointer: str) -> JSON:
        """What stands there; None where nothing does."""
        if pointer not in self._known:
            self._known[pointer] = self._walk(pointer)
        return self._known[pointer]

    def here(self, pointers: Iterable[str]) -> tuple[str, ...]:
        """The schemas at the pointers and all that speak of the same part: referred to, or joined."""
        waiting = list(pointers)[::-1]
        found: dict[str, None] = {}
        while waiting and len(found) < _MOST:
            pointer = waiting.pop()
            if pointer in found:
                continue
            found[pointer] = None
            waiting += list(self._joined(pointer, self.schema(pointer)))[::-1]
        return tuple(found)

    def declared(self, pointer: str) -> tuple[str, ...]:
        """The members that a schema, with what it refers to or joins, declares by name; sorted."""
        found: set[str] = set()
        for each in self._all(pointer):
            members = self.schema(each).get("properties")
            if isinstance(members, Mapping):
                found |= members.keys()
        return tuple(sorted(found))

    def only(self, pointer: str, step: str | int) -> str:
        """The one schema below that speaks of a member or item; empty where none or several do."""
        key = pointer, step
        if key not in self._only:
            found = tuple(self.below(self._all(pointer), step))
            self._only[key] = found[0] if len(found) == 1 else ""
        return self._only[key]

    def _all(self, pointer: str) -> tuple[str, ...]:
        if pointer not in self._here:
            self._here[pointer] = self.here([pointer])
        return self._here[pointer]

    def _walk(self, pointer: str) -> JSON:
        value = self._root
        for name in names_of(pointer):
            if isinstance(value, Mapping):
                value = value.get(name)
            elif isinstance(value, Sequence) and not isinstance(value, str):
                index = int(name) if name.isdecimal() and len(name) < 10 else len(value)
                value = value[index] if index < len(value) else None
            else:
                return None
        return value

    def _joined(self, pointer: str, schema: Schema) -> Iterator[str]:
        target = schema.get("$ref")
        if isinstance(target, str):
            if target.startswith("#"):
                yield canonical(target)
            if self._ref_alone:
                return
        for keyword in _LISTS:
            parts = schema.get(keyword)
            if isinstance(parts, Sequence) and not isinstance(parts, str):
                for index in range(len(parts)):
                    yield join(pointer, keyword, str(index))
        for keyword in _ALONE:
            if keyword in schema:
                yield join(pointer, keyword)
        depending = schema.get("dependentSchemas")
        if isinstance(depending, Mapping):
            for name in sorted(depending):
                yield join(pointer, "dependentSchemas", name)

    def below(self, pointers: Sequence[str], step: str | int) -> Iterator[str]:
        """The schemas that speak of one member or item, of those that speak of the whole."""
        for pointer in pointers:
            schema = self.schema(pointer)
            if self._ref_alone and "$ref" in schema:
                continue
            if isinstance(step, int):
                yield from _items(pointer, schema, step)
            else:
                yield from _members(pointer, schema, step)


def _members(pointer: str, schema: Schema, name: str) -> Iterator[str]:
    members = schema.get("properties")
    declared = isinstance(members, Mapping) and name in members
    if declared:
        yield join(pointer, "properties", name)
    patterns = schema.get("patternProperties")
    if isinstance(patterns, Mapping):
        for pattern in sorted(patterns):
            yield join(pointer, "patternProperties", pattern)
    for keyword in ("additionalProperties", "unevaluatedProperties"):
        if not declared and keyword in schema:
            yield join(pointer, keyword)


def _items(pointer: str, schema: Schema, index: int) -> Iterator[str]:
    for keyword, others in (("prefixItems", "items"), ("items", "additionalItems")):
        first = schema.get(keyword)
        if isinstance(first, Sequence) and not isinstance(first, str):
            if index < len(first):
                yield join(pointer, keyword, str(index))
            elif others in schema:
                yield join(pointer, others)
            return
    if "items" in schema:
        yield join(pointer, "items")
