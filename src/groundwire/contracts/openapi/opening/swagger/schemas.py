"""Schemas of 2.0 as 3.0 writes them, changed where they stand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from groundwire.canon.jcs import JSON
from groundwire.contracts.openapi.opening.grammar import GRAMMAR
from groundwire.contracts.openapi.opening.swagger.trail import Trail
from groundwire.contracts.openapi.resolving import canonical, join, names_of

_NULL: Final[Mapping[str, JSON]] = {"type": "string", "nullable": True, "enum": [None]}
_DEFINITIONS: Final = "#/definitions/"
_MOVED: Final = ("#/paths/", "#/parameters/", "#/responses/")


class Schemas:
    """Converts schemas, and remembers the references that lead to what is still to be moved."""

    def __init__(self, trail: Trail) -> None:
        self._trail = trail
        self._seen: set[int] = set()
        self._elsewhere: list[tuple[dict[str, JSON], str]] = []

    def convert(self, schema: JSON) -> None:
        """Changes `schema` and every schema in it, and in other files that it refers to.

        `x-nullable` becomes `nullable`, or beside a reference a choice of null; the name in
        `discriminator` an object, `type: file` a binary string.
        """
        waiting = [schema]
        while waiting:
            value = waiting.pop()
            if not isinstance(value, dict) or id(value) in self._seen:
                continue
            self._seen.add(id(value))
            waiting += self._reference(value)
            self._keywords(value)
            for name, (shape, _) in GRAMMAR["schema"].items():
                part = value.get(name)
                if isinstance(part, list):
                    waiting += part
                elif isinstance(part, dict) and shape == "map":
                    waiting += part.values()
                elif part is not None:
                    waiting.append(part)

    def lead_on(self) -> None:
        """References to parts of operations lead to where those stand now."""
        places: dict[str, str] = {}
        for new, old in self._trail.moved.items():
            places.setdefault(old, new)
        for schema, pointer in self._elsewhere:
            names = names_of(pointer)
            for length in range(len(names), 0, -1):
                there = places.get(join("#", *names[:length]))
                if there is not None:
                    schema["$ref"] = join(there, *names[length:])
                    break

    def _reference(self, schema: dict[str, JSON]) -> list[JSON]:
        reference = schema.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#"):
            return []
        if schema.get("x-nullable") is True:
            # Beside a reference nothing counts, in 3.0 either.
            schema.clear()
            schema["anyOf"] = [{"$ref": reference}, dict(_NULL)]
            return []
        pointer = canonical(reference)
        if pointer.startswith(_DEFINITIONS):
            schema["$ref"] = "#/components/schemas/" + pointer.removeprefix(_DEFINITIONS)
            return []
        if pointer.startswith(_MOVED):
            self._elsewhere.append((schema, pointer))
            return []
        # It stays where it is: in another file, or under a key that 3.0 does not know.
        return [self._trail.followed({"$ref": pointer}, pointer)[0]]

    @staticmethod
    def _keywords(schema: dict[str, JSON]) -> None:
        if schema.get("x-nullable") is True:
            schema["nullable"] = True
        if isinstance(schema.get("discriminator"), str):
            schema["discriminator"] = {"propertyName": schema["discriminator"]}
        if schema.get("type") == "file":
            schema["type"] = "string"
            schema["format"] = "binary"
