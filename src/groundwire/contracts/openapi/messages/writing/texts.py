"""Texts: schemas of values that are only text on the wire, as schemas of those texts.

A query, a path, a header, a cookie and a form know no types: `5` may be the number or the string.
So two schemas that differ in types are compared by the texts that their values are written as.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice, product
from typing import Final, TypeAlias

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.values import type_of
from groundwire.contracts.openapi.messages.writing.styles import text_of
from groundwire.contracts.openapi.resolving import join
from groundwire.contracts.openapi.schemas import Schemas, Side

_Object: TypeAlias = dict[str, JSON]
_WHOLE: Final = "^-?(0|[1-9][0-9]*)$"
_NUMBER: Final = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$"
_OF_STRINGS: Final = frozenset({"minLength", "maxLength", "pattern", "format"})
_OF_NUMBERS: Final = frozenset(
    {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
)
_OF_ARRAYS: Final = frozenset({"minItems", "maxItems", "uniqueItems"})
_OF_OBJECTS: Final = frozenset({"minProperties", "maxProperties", "required"})
_SILENT: Final = frozenset(
    {
        "title",
        "description",
        "default",
        "example",
        "examples",
        "deprecated",
        "readOnly",
        "writeOnly",
        "nullable",
        "xml",
        "externalDocs",
        "$comment",
    }
)
_JOINING: Final = frozenset({"allOf", "anyOf", "oneOf"})
MAX_DEPTH = 12
MAX_LISTED = 1_000
MAX_READINGS = 64
_IS_NUMBER: Final = re.compile(r"-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,2})?\Z")


class NotText(Exception):
    """The schema says what texts cannot be asked for."""


def readings(value: JSON) -> Iterator[JSON]:
    """The values that are written as `value` is, itself first; of many, the first ones."""
    yield from islice(_readings(value), MAX_READINGS)


def _readings(value: JSON) -> Iterator[JSON]:
    if isinstance(value, Mapping):
        for parts in product(*(list(readings(each)) for each in value.values())):
            yield dict(zip(value, parts, strict=True))
    elif isinstance(value, list | tuple):
        for parts in product(*(list(readings(each)) for each in value)):
            yield list(parts)
    elif isinstance(value, str):
        yield value
        if value in {"true", "false"}:
            yield value == "true"
        elif _IS_NUMBER.match(value):
            yield float(value) if {*".eE"} & {*value} else int(value)
    else:
        yield value
        yield text_of(value)


def readings_of_parameter(value: JSON) -> Iterator[JSON]:
    """The same, where a list of one and that one are written alike."""
    yield from readings(value)
    if isinstance(value, list | tuple):
        if len(value) == 1:
            yield from readings(value[0])
    elif not isinstance(value, Mapping):
        for each in readings(value):
            yield [each]


class Texts:
    """The schemas of one side, as schemas of 2020-12 in which every scalar is a string."""

    def __init__(
        self,
        schemas: Schemas,
        side: Side,
        *,
        sends: bool,
        list_of_one: bool,
        empty_is_absent: bool,
        undeclared: bool,
    ) -> None:
        """With `list_of_one`, a list of one item and that item are written alike.

        With `empty_is_absent`, nothing is sent of an empty list or object. Who sends may send
        names that nobody declared only with `undeclared`.
        """
        self._schemas = schemas
        self._side: Side = side
        self._sends = sends
        self._list_of_one = list_of_one
        self._empty_is_absent = empty_is_absent
        self._undeclared = undeclared

    def of(self, pointer: str) -> JSON:
        """The schema of the texts that the values of the schema at `pointer` are written as.

        Of who sends it may take more, of who reads less, but not the other way.

        Raises:
            NotText: it says something of them that no such schema can.
        """
        return self._of(pointer, 0)

    def _of(self, pointer: str, depth: int) -> JSON:
        if depth > MAX_DEPTH:
            raise NotText
        pointer = self._schemas.schema(self._side, pointer)
        schema = self._schemas.value(self._side, pointer) if pointer else True
        if schema is True or (isinstance(schema, dict) and not _said(schema)):
            # A part of a value is one text, whatever else it could be.
            return {"type": "string"} if depth else True
        if not isinstance(schema, dict) or "$ref" in schema:
            raise NotText
        said = _said(schema)
        joining = sorted(said & _JOINING)
        if joining:
            if len(said) > 1:
                raise NotText
            return self._joined(schema, pointer, joining[0], depth)
        kinds = _types(schema)
        if "enum" in said or "const" in said:
            if said - {"enum", "const", "type", "format"} or {"enum", "const"} <= said:
                raise NotText
            return _listed(schema["enum"] if "enum" in said else [schema["const"]], kinds)
        if kinds is None:
            raise NotText
        # Null has no text of its own: it is left out, or sent as nothing.
        return {
            "anyOf": [self._kind(schema, pointer, kind, depth) for kind in sorted(kinds - {"null"})]
            or [False]
        }

    def _kind(self, schema: _Object, pointer: str, kind: str, depth: int) -> JSON:
        said = _said(schema) - {"type"}
        match kind:
            case "string":
                found: _Object = {name: schema[name] for name in said & _OF_STRINGS}
                return self._only(said, _OF_STRINGS, {"type": "string", **found})
            case "integer" | "number":
                return self._number(schema, said, kind)
            case "boolean":
                return self._only(said, frozenset(), {"enum": ["true", "false"]})
            case "array":
                return self._array(schema, pointer, said, depth)
            case "object":
                return self._object(schema, pointer, said, depth)
            case _:
                raise NotText

    def _array(self, schema: _Object, pointer: str, said: set[str], depth: int) -> JSON:
        kept: _Object = {name: schema[name] for name in said & _OF_ARRAYS}
        items: JSON = {"type": "string"}
        if "items" in schema:
            items = self._of(join(pointer, "items"), depth + 1)
        array: _Object = {"type": "array", **kept, "items": items}
        found = self._only(said, _OF_ARRAYS | {"items"}, array)
        if depth or not self._list_of_one:
            return found
        least, most = schema.get("minItems", 0), schema.get("maxItems", 1)
        if not isinstance(least, int) or not isinstance(most, int):
            raise NotText
        if least > 1 or most < 1:
            return found
        if not self._sends:
            return {"anyOf": [found, items]}
        return {"anyOf": [{**array, "minItems": 2}, items]}

    @staticmethod
    def _only(said: set[str], known: frozenset[str], found: JSON) -> JSON:
        """`found`, where nothing is said that would be lost: of other types it may be said."""
        others = said - known
        if others - _OF_STRINGS - _OF_NUMBERS - _OF_ARRAYS - _OF_OBJECTS:
            raise NotText
        return found

    def _number(self, schema: _Object, said: set[str], kind: str) -> JSON:
        formats = {"format"} & said
        if formats and schema["format"] not in {"int32", "int64", "float", "double"}:
            raise NotText
        bounds = said & _OF_NUMBERS
        if not bounds:
            return {"type": "string", "pattern": _WHOLE if kind == "integer" else _NUMBER}
        low, high = schema.get("minimum"), schema.get("maximum")
        if (
            kind != "integer"
            or bounds != {"minimum", "maximum"}
            or not isinstance(low, int)
            or not isinstance(high, int)
            or not 0 <= high - low < MAX_LISTED
        ):
            raise NotText
        return {"enum": [str(each) for each in range(low, high + 1)]}

    def _object(self, schema: _Object, pointer: str, said: set[str], depth: int) -> JSON:
        found: _Object = {"type": "object"}
        found |= {name: schema[name] for name in said & _OF_OBJECTS}
        if not depth and self._empty_is_absent and self._sends and not found.get("minProperties"):
            # Nothing of an empty one stands on the wire.
            found["minProperties"] = 1
        members = schema.get("properties")
        if isinstance(members, dict):
            at = join(pointer, "properties")
            found["properties"] = {name: self._of(join(at, name), depth + 1) for name in members}
        more = schema.get("additionalProperties")
        if more is False:
            found["additionalProperties"] = False
        elif more is True:
            found["additionalProperties"] = {"type": "string"}
        elif more is None and self._sends:
            found["additionalProperties"] = {"type": "string"} if self._undeclared else False
        elif more is not None:
            found["additionalProperties"] = self._of(
                join(pointer, "additionalProperties"), depth + 1
            )
        return self._only(said, _OF_OBJECTS | {"properties", "additionalProperties"}, found)

    def _joined(self, schema: _Object, pointer: str, name: str, depth: int) -> JSON:
        """A text that is several things at once is taken as each, which of one type it is not."""
        listed = schema[name]
        if not isinstance(listed, list):
            raise NotText
        at = join(pointer, name)
        pointers = [join(at, str(index)) for index in range(len(listed))]
        parts = [self._of(each, depth + 1) for each in pointers]
        kinds = [self._kinds_at(each) for each in pointers]
        if name == "allOf" and any(each != kinds[0] for each in kinds):
            raise NotText
        if name == "oneOf" and len(frozenset[str]().union(*kinds)) < sum(map(len, kinds)):
            raise NotText
        return {"allOf" if name == "allOf" else "anyOf": parts}

    def _kinds_at(self, pointer: str) -> frozenset[str]:
        schema = self._schemas.value(self._side, self._schemas.schema(self._side, pointer))
        kinds = _types(schema) if isinstance(schema, dict) else None
        if kinds is None:
            raise NotText
        return frozenset("number" if each == "integer" else each for each in kinds)


def _said(schema: _Object) -> set[str]:
    return {name for name in schema.keys() - _SILENT if not name.startswith("x-")}


def _types(schema: _Object) -> frozenset[str] | None:
    """The types that are named, or those of the values that are listed."""
    named = schema.get("type")
    if isinstance(named, str):
        return frozenset([named])
    if isinstance(named, list):
        return frozenset(str(each) for each in named)
    listed = schema.get("enum", [schema["const"]] if "const" in schema else None)
    return frozenset(type_of(each) for each in listed) if isinstance(listed, list) else None


def _listed(values: JSON, kinds: frozenset[str] | None) -> JSON:
    if not isinstance(values, list) or any(isinstance(each, list | dict) for each in values):
        raise NotText
    fitting = [each for each in values if each is not None and _is_of(each, kinds)]
    return {"enum": [text_of(each) for each in fitting]}


def _is_of(value: JSON, kinds: frozenset[str] | None) -> bool:
    if kinds is None:
        return True
    kind = type_of(value)
    if kind == "number" and "integer" in kinds and "number" not in kinds:
        return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return kind in kinds
