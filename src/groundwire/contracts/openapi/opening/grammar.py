"""Which fields of a description hold what, so that a reference is told from data that looks like one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

Kind: TypeAlias = Literal[
    "document",
    "components",
    "path-item",
    "operation",
    "parameter",
    "header",
    "body",
    "response",
    "media-type",
    "encoding",
    "callback",
    "link",
    "example",
    "security-scheme",
    "schema",
]
Shape: TypeAlias = Literal["one", "list", "map"]
Slot: TypeAlias = tuple[Shape, Kind]

_METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
_SCHEMA_MAPS: Final = (
    "properties",
    "patternProperties",
    "dependentSchemas",
    "$defs",
    "definitions",
)
_SCHEMA_LISTS: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_SCHEMA_PARTS: Final = (
    "items",
    "additionalItems",
    "unevaluatedItems",
    "contains",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
    "contentSchema",
)
_COMPONENTS: Final[Mapping[str, Slot]] = {
    "schemas": ("map", "schema"),
    "responses": ("map", "response"),
    "parameters": ("map", "parameter"),
    "examples": ("map", "example"),
    "requestBodies": ("map", "body"),
    "headers": ("map", "header"),
    "securitySchemes": ("map", "security-scheme"),
    "links": ("map", "link"),
    "callbacks": ("map", "callback"),
    "pathItems": ("map", "path-item"),
    "mediaTypes": ("map", "media-type"),
}
_VALUED: Final[Mapping[str, Slot]] = {
    "schema": ("one", "schema"),
    "content": ("map", "media-type"),
    "examples": ("map", "example"),
}
# Every other name of an object of this kind holds one of that kind, extensions excepted.
ANY_OTHER: Final = "*"
# The fields of 2.0, 3.0, 3.1 and 3.2 together: none means two things.
GRAMMAR: Final[Mapping[Kind, Mapping[str, Slot]]] = {
    "document": {
        "paths": ("map", "path-item"),
        "webhooks": ("map", "path-item"),
        "components": ("one", "components"),
        "definitions": ("map", "schema"),
        "parameters": ("map", "parameter"),
        "responses": ("map", "response"),
        "securityDefinitions": ("map", "security-scheme"),
    },
    "components": _COMPONENTS,
    "path-item": {
        "parameters": ("list", "parameter"),
        "additionalOperations": ("map", "operation"),
        **dict.fromkeys(_METHODS, ("one", "operation")),
    },
    "operation": {
        "parameters": ("list", "parameter"),
        "requestBody": ("one", "body"),
        "responses": ("map", "response"),
        "callbacks": ("map", "callback"),
    },
    "parameter": _VALUED,
    "header": _VALUED,
    "body": {"content": ("map", "media-type")},
    "response": {
        "schema": ("one", "schema"),
        "headers": ("map", "header"),
        "content": ("map", "media-type"),
        "links": ("map", "link"),
    },
    "media-type": {
        "schema": ("one", "schema"),
        "itemSchema": ("one", "schema"),
        "examples": ("map", "example"),
        "encoding": ("map", "encoding"),
        "prefixEncoding": ("list", "encoding"),
        "itemEncoding": ("one", "encoding"),
    },
    "encoding": {
        "headers": ("map", "header"),
        "encoding": ("map", "encoding"),
        "prefixEncoding": ("list", "encoding"),
        "itemEncoding": ("one", "encoding"),
    },
    "callback": {ANY_OTHER: ("one", "path-item")},
    "link": {},
    "example": {},
    "security-scheme": {},
    "schema": {
        **dict.fromkeys(_SCHEMA_MAPS, ("map", "schema")),
        **dict.fromkeys(_SCHEMA_LISTS, ("list", "schema")),
        **dict.fromkeys(_SCHEMA_PARTS, ("one", "schema")),
    },
}
# A `$ref` in the place of these is no reference of OpenAPI's; what it leads to is put there instead.
PUT_IN_PLACE: Final[frozenset[Kind]] = frozenset({"components", "operation"})
