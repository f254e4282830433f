"""Schemas of an OpenAPI 3.0 or 3.1 document for `jsonschema-rs`, read without groundwire.

A judge of witnesses must not share what it judges with who made them, so references, `nullable`,
`readOnly` and `writeOnly` are read here a second time and in the plainest way. `discriminator` is
left out: what it demands in addition is not judged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

import jsonschema_rs

VERBATIM = frozenset({"enum", "const", "default", "example", "examples", "required"})
NAMED = frozenset({"properties", "patternProperties", "dependentSchemas", "definitions", "$defs"})


class Raw:
    """One document as it was parsed."""

    def __init__(self, document: Any) -> None:
        self.document = document
        self._old_form = str(document.get("openapi", "")).startswith("3.0")
        self._validators: dict[tuple[str, bool], Callable[[Any], bool]] = {}

    def at(self, reference: str) -> Any:
        """What stands at a reference such as `#/components/schemas/Pet`."""
        found = self.document
        for step in unquote(reference.removeprefix("#")).split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            found = found[int(name)] if isinstance(found, list) else found[name]
        return found

    def resolved(self, value: Any) -> Any:
        """The value, its references followed."""
        while isinstance(value, dict) and "$ref" in value:
            value = self.at(value["$ref"])
        return value

    def operation(self, method: str, template: str) -> tuple[Any, Any] | None:
        """The path item and operation of that path, whatever its variables are called."""
        for path, item in self.document.get("paths", {}).items():
            if _shape(path) == _shape(template) and method.lower() in item:
                return item, item[method.lower()]
        return None

    def takes(self, schema: Any, value: Any, *, asked: bool) -> bool:
        """Whether a value of a request, or of a response, fits the schema."""
        key = (f"{id(schema)}", asked)
        if key not in self._validators:
            self._validators[key] = self._validator(schema, asked)
        return self._validators[key](value)

    def _validator(self, schema: Any, asked: bool) -> Callable[[Any], bool]:
        numbers: dict[str, str] = {}
        waiting: list[str] = []

        def named(reference: str) -> str:
            if reference not in numbers:
                numbers[reference] = f"#/definitions/{len(numbers)}"
                waiting.append(reference)
            return numbers[reference]

        whole: dict[str, Any] = {"allOf": [self._plain(schema, asked, named)], "definitions": {}}
        while waiting:
            reference = waiting.pop()
            name = numbers[reference].rpartition("/")[2]
            whole["definitions"][name] = self._plain(self.at(reference), asked, named)
        kind = (
            jsonschema_rs.Draft4Validator if self._old_form else jsonschema_rs.Draft202012Validator
        )
        return kind(whole, validate_formats=True, offline=True).is_valid

    def _plain(self, schema: Any, asked: bool, named: Callable[[str], str]) -> Any:
        if isinstance(schema, list):
            return [self._plain(each, asked, named) for each in schema]
        if not isinstance(schema, dict):
            return schema
        if "$ref" in schema and self._old_form:
            return {"$ref": named(schema["$ref"])}
        found: dict[str, Any] = {}
        for name, value in schema.items():
            if name in VERBATIM:
                found[name] = value
            elif name == "$ref":
                found[name] = named(value)
            elif name in NAMED:
                found[name] = {key: self._plain(each, asked, named) for key, each in value.items()}
            else:
                found[name] = self._plain(value, asked, named)
        if (
            self._old_form
            and schema.get("nullable") is True
            and isinstance(schema.get("type"), str)
        ):
            found["type"] = [schema["type"], "null"]
        self._without_unsent(schema, found, asked)
        return found

    def _without_unsent(self, schema: Any, found: dict[str, Any], asked: bool) -> None:
        mark = "readOnly" if asked else "writeOnly"
        for name, each in schema.get("properties", {}).items():
            told = self.resolved(each)
            if isinstance(told, dict) and told.get(mark) is True:
                found["required"] = [kept for kept in found.get("required", []) if kept != name]
        if not found.get("required", True):
            del found["required"]


def _shape(template: str) -> tuple[str, ...]:
    """A path without the names of its variables."""
    steps = []
    for step in template.split("/"):
        head, brace, rest = step.partition("{")
        steps.append(head + "{}" + rest.partition("}")[2] if brace else step)
    return tuple(steps)
