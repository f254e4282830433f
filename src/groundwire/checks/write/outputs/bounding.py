"""Bounds: how much work it is to hold a value against a schema, counted before it is done.

The validator has no limit of its own. Schemas that refer to themselves twice in one place cost
twice as much a level, and a few lines may mean more work than there is time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from groundwire.canon.jcs import JSON

Step: TypeAlias = tuple[JSON, JSON]

# Places of a schema, each counted as often as it is reached.
LARGEST_SCHEMA: Final = 20_000
# Places times values, where that is known without looking.
MOST_BY_SIZE: Final = 2_000_000
# Places at values, where they have to be counted one by one.
MOST_BY_COUNT: Final = 50_000

_HERE_LISTS: Final = ("allOf", "anyOf", "oneOf")
_HERE: Final = ("not", "if", "then", "else")
_HERE_MAPS: Final = ("dependentSchemas", "dependencies")
_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
_MEMBERS: Final = ("additionalProperties", "unevaluatedProperties", "propertyNames")
_ELEMENTS: Final = ("items", "additionalItems", "unevaluatedItems", "contains")
_TWICE: Final = ("unevaluatedProperties", "unevaluatedItems")


class NotFollowed(Exception):
    """The schema refers to something by a name that is not followed here."""


class Places:
    """The places of one schema and what stands under each."""

    def __init__(self, root: JSON) -> None:
        self.root = root
        self._known: dict[str, JSON] = {}
        self._here: dict[int, tuple[JSON, ...]] = {}

    def here(self, schema: JSON) -> tuple[JSON, ...]:
        """What is applied to the same value.

        Raises:
            NotFollowed: a reference to no pointer inside the schema.
        """
        known = self._here.get(id(schema))
        if known is None:
            applied = tuple(self._applied(schema))
            if isinstance(schema, Mapping) and any(name in schema for name in _TWICE):
                # What they leave over is found by asking all the others again.
                applied *= 2
            known = self._here[id(schema)] = applied
        return known

    def _applied(self, schema: JSON) -> Iterator[JSON]:
        if not isinstance(schema, Mapping):
            return
        if schema is not self.root and _is_resource(schema):
            raise NotFollowed
        for name in _HERE_LISTS:
            parts = schema.get(name)
            if isinstance(parts, list):
                yield from parts
        yield from (schema[name] for name in _HERE if name in schema)
        for name in _HERE_MAPS:
            parts = schema.get(name)
            if isinstance(parts, Mapping):
                yield from (part for part in parts.values() if not isinstance(part, list))
        yield from (self._target(schema[name]) for name in _REFERENCES if name in schema)

    def _target(self, reference: JSON) -> JSON:
        if not isinstance(reference, str) or reference[:2] not in {"#", "#/"} or "%" in reference:
            raise NotFollowed
        found = self._known.get(reference)
        if found is None:
            found = self.root
            for name in reference[2:].split("/") if len(reference) > 1 else ():
                found = _member(found, name.replace("~1", "/").replace("~0", "~"))
            self._known[reference] = found
        return found


def _is_resource(schema: Mapping[str, JSON]) -> bool:
    return any(isinstance(schema.get(name), str) and schema[name] != "" for name in ("$id", "id"))


def _member(value: JSON, name: str) -> JSON:
    if isinstance(value, dict) and name in value:
        found: JSON = value[name]
        return found
    if isinstance(value, list) and name.isdecimal() and len(name) < 8 and int(name) < len(value):
        element: JSON = value[int(name)]
        return element
    raise NotFollowed


def size(places: Places) -> int | None:
    """How many places the schema has, all that it refers to written out; None for too many.

    Raises:
        NotFollowed: a reference cannot be followed.
    """
    count, waiting = 0, [places.root]
    while waiting:
        schema = waiting.pop()
        count += 1
        if count > LARGEST_SCHEMA:
            return None
        waiting += places.here(schema)
        if isinstance(schema, Mapping):
            waiting += _below(schema)
    return count


def _below(schema: Mapping[str, JSON]) -> Iterator[JSON]:
    for name in ("properties", "patternProperties"):
        parts = schema.get(name)
        if isinstance(parts, Mapping):
            yield from parts.values()
    for name in (*_MEMBERS, *_ELEMENTS, "prefixItems"):
        part = schema.get(name)
        if isinstance(part, list):
            yield from part
        elif part is not None:
            yield part


def fits_in(places: Places, schema_size: int | None, value: JSON, values: int) -> bool:
    """Whether holding the value, which holds so many `values`, against the schema is within bounds.

    Raises:
        NotFollowed: a reference cannot be followed.
    """
    if schema_size is not None and schema_size * values <= MOST_BY_SIZE:
        return True
    count, waiting = 0, [(places.root, value)]
    while waiting:
        schema, held = waiting.pop()
        count += 1
        if count > MOST_BY_COUNT:
            return False
        waiting += [(part, held) for part in places.here(schema)]
        if isinstance(schema, Mapping):
            if isinstance(held, Mapping):
                waiting += _of_members(schema, held)
            elif isinstance(held, list):
                waiting += _of_elements(schema, held)
    return True


def _of_members(schema: Mapping[str, JSON], held: Mapping[str, JSON]) -> Iterator[Step]:
    named = schema.get("properties")
    if isinstance(named, Mapping):
        yield from ((part, held[name]) for name, part in named.items() if name in held)
    every = [schema[name] for name in _MEMBERS if name in schema]
    patterns = schema.get("patternProperties")
    if isinstance(patterns, Mapping):
        # Whether a pattern takes a name is not asked here: as if all did.
        every += patterns.values()
    for part in every:
        yield from ((part, each) for each in held.values())


def _of_elements(schema: Mapping[str, JSON], held: Sequence[JSON]) -> Iterator[Step]:
    for name in ("items", "prefixItems"):
        parts = schema.get(name)
        if isinstance(parts, list):
            yield from zip(parts, held, strict=False)
    for name in _ELEMENTS:
        part = schema.get(name)
        if part is not None and not isinstance(part, list):
            yield from ((part, each) for each in held)
