"""A schema of which something is not read, as a reference that says so and leads nowhere.

So whoever compares schemas finds it without looking for it, whatever is asked of them; and where it
was written in the same way on both sides, it is the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Final

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.compiling.dialects import ANNOTATIONS
from groundwire.contracts.jsonschema.compiling.references import UNREAD
from groundwire.contracts.openapi.opening.files import at
from groundwire.contracts.openapi.opening.grammar import ANY_OTHER, GRAMMAR, Kind
from groundwire.contracts.openapi.opening.places import Outside
from groundwire.contracts.openapi.resolving import join, names_of

KEPT: Final = "x-groundwire-unread"
# A comparison sees these itself: the reference is left as it is.
_SEEN: Final = ("reference-", "invalid-")


class _Found(msgspec.Struct):
    """A schema, why something of it is not read, and at which places below it."""

    schema: dict[str, JSON]
    reason: str
    places: dict[str, JSON]


def mark(root: dict[str, JSON], unread: Mapping[str, str], numbers: Mapping[str, str]) -> None:
    """Puts a reference in the place of the innermost schema around each pointer of `unread`.

    Beside it stands what the schema was, with what `numbers` say was written. What is no demand,
    such as an example, is left alone, and so is what stands outside of schemas.
    """
    inside = {p: reason for p, reason in unread.items() if not reason.startswith(_SEEN)}
    if not inside:
        return
    schemas = _schemas(root)
    found: dict[int, _Found] = {}
    for pointer, reason in inside.items():
        around = _around(root, names_of(pointer), schemas)
        if around is not None:
            schema, below = around
            one = found.setdefault(id(schema), _Found(schema, reason, {}))
            one.places[join("", *below)] = numbers.get(pointer, reason)
    for one in found.values():
        was = dict(one.schema)
        one.schema.clear()
        one.schema["$ref"] = UNREAD + one.reason
        one.schema[KEPT] = {"places": one.places, "was": was}


def _around(
    root: dict[str, JSON], names: tuple[str, ...], schemas: frozenset[int]
) -> tuple[dict[str, JSON], tuple[str, ...]] | None:
    """The innermost schema around a pointer, and the names from there on; None without one."""
    found: tuple[dict[str, JSON], tuple[str, ...]] | None = None
    value: JSON = root
    for index in range(len(names) + 1):
        if isinstance(value, dict) and id(value) in schemas:
            found = value, names[index:]
        if index < len(names):
            try:
                value = at(value, names[index : index + 1])
            except Outside:
                break
    if found is not None and found[1]:
        keyword = found[1][0]
        if keyword in ANNOTATIONS or keyword.startswith("x-"):
            return None
    return found


def _schemas(root: dict[str, JSON]) -> frozenset[int]:
    """The ids of all schemas in a description, and of those that it refers to."""
    seen: set[tuple[int, Kind]] = set()
    waiting: list[tuple[JSON, Kind]] = [(root, "document")]
    while waiting:
        value, kind = waiting.pop()
        if not isinstance(value, dict) or (id(value), kind) in seen:
            continue
        seen.add((id(value), kind))
        reference = value.get("$ref")
        if isinstance(reference, str) and reference.startswith("#"):
            # One that leads nowhere is for others to find.
            with suppress(Outside):
                waiting.append((at(root, names_of(reference)), kind))
        slots = GRAMMAR[kind]
        for name, part in value.items():
            slot = slots.get(name, slots.get(ANY_OTHER))
            if slot is None:
                continue
            if isinstance(part, list):
                waiting += [(each, slot[1]) for each in part]
            elif isinstance(part, dict) and slot[0] == "map":
                waiting += [(each, slot[1]) for each in part.values()]
            else:
                waiting.append((part, slot[1]))
    return frozenset(each for each, kind in seen if kind == "schema")
