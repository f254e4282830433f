"""Schemas of 2.0 as 3.0 writes them, changed where they stand."""

from __future__ import annotations

from typing import Final

from groundwire.canon.jcs import JSON
from groundwire.contracts.openapi.opening.grammar import GRAMMAR
from groundwire.contracts.openapi.opening.swagger.trail import Trail
from groundwire.contracts.openapi.resolving import canonical, join, names_of

_DEFINITIONS: Final = "#/definitions/"
_MOVED: Final = ("#/paths/", "#/parameters/", "#/responses/")


class Schemas:
    """Converts schemas, and remembers the references that lead to what is still to be moved."""

    def __init__(self, trail: Trail) -> None:
        self._trail = trail
        self._seen: set[int] = set()
        self._elsewhere: list[tuple[dict[str, JSON], str]] = []

    def convert(self, schema: JSON, pointer: str) -> None:
        """Changes `schema`, which will stand at `pointer`, and every schema in it.

        `x-nullable` becomes `nullable`, the name in `discriminator` an object, `type: file` a binary
        string. Schemas of other files that it refers to are changed too.
        """
        waiting = [(schema, pointer)]
        while waiting:
            value, where = waiting.pop()
            if not isinstance(value, dict) or id(value) in self._seen:
                continue
            self._seen.add(id(value))
            waiting += self._reference(value, where)
            self._keywords(value)
            for name, (shape, _) in GRAMMAR["schema"].items():
                part = value.get(name)
                if isinstance(part, list):
                    waiting += [(e, join(where, name, str(i))) for i, e in enumerate(part)]
                elif isinstance(part, dict) and shape == "map":
                    waiting += [(each, join(where, name, key)) for key, each in part.items()]
                elif part is not None:
                    waiting.append((part, join(where, name)))

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

    def _reference(self, schema: dict[str, JSON], where: str) -> list[tuple[JSON, str]]:
        reference = schema.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#"):
            return []
        if schema.get("x-nullable") is True:
            self._trail.not_read(where, "nullable-reference")
        pointer = canonical(reference)
        if pointer.startswith(_DEFINITIONS):
            schema["$ref"] = "#/components/schemas/" + pointer.removeprefix(_DEFINITIONS)
            return []
        if pointer.startswith(_MOVED):
            self._elsewhere.append((schema, pointer))
            return []
        # It stays where it is: in another file, or under a key that 3.0 does not know.
        return [self._trail.followed({"$ref": pointer}, pointer)]

    @staticmethod
    def _keywords(schema: dict[str, JSON]) -> None:
        if schema.get("x-nullable") is True:
            schema["nullable"] = True
        if isinstance(schema.get("discriminator"), str):
            schema["discriminator"] = {"propertyName": schema["discriminator"]}
        if schema.get("type") == "file":
            schema["type"] = "string"
            schema["format"] = "binary"
