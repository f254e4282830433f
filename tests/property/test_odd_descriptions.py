"""Whatever stands in a description, it is opened or refused by name; nothing else comes out."""

from __future__ import annotations

import copy
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.contracts.detecting import detect
from groundwire.contracts.openapi.opening.opening import open_description
from groundwire.contracts.openapi.resolving import Resolver
from groundwire.contracts.reading.unreadable import Unreadable

SCHEMA = {
    "type": "object",
    "discriminator": {"propertyName": "k", "mapping": {"a": "s.json#/S", "b": "B"}},
    "properties": {"k": {"type": "string"}, "n": {"$ref": "s.json#/S"}},
    "allOf": [{"$ref": "#/components/schemas/B"}, {"maximum": 1.5}],
    "items": {"$id": "https://x/y", "items": {"$ref": "z"}},
}
RESPONSE = {
    "description": "d",
    "headers": {"X": {"schema": {"type": "array", "items": {}}}},
    "content": {"a/b": {"schema": SCHEMA, "encoding": {"k": {"headers": {}}}}},
    "links": {"l": {"operationRef": "s.json#/S"}},
}
NEWER = {
    "openapi": "3.1.0",
    "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
    "servers": [{"url": "/"}],
    "paths": {
        "/a": {
            "parameters": [{"name": "q", "in": "query", "schema": {}}],
            "get": {
                "parameters": [{"$ref": "#/components/parameters/P"}],
                "requestBody": {"content": {"a/b": {"schema": {"$ref": "s.json"}}}},
                "responses": {"200": RESPONSE},
                "callbacks": {"c": {"x": {"post": {"$ref": "s.json#/O"}}}},
                "security": [{"k": []}],
            },
        },
        "/b": {"$ref": "s.json#/I"},
    },
    "components": {
        "schemas": {"A": SCHEMA, "B": {"type": "string"}},
        "parameters": {"P": {"name": "p", "in": "path", "schema": {}}},
    },
}
SWAGGER = {
    "swagger": "2.0",
    "host": "h",
    "basePath": "/v1",
    "schemes": ["https"],
    "consumes": ["a/b"],
    "definitions": {
        "A": {"type": "object", "discriminator": "k", "properties": {"k": {"type": "file"}}},
        "B": {"$ref": "s.json#/S", "x-nullable": True},
    },
    "parameters": {"P": {"name": "p", "in": "body", "schema": {"$ref": "#/definitions/A"}}},
    "responses": {"R": {"description": "d", "schema": {"$ref": "#/definitions/B"}}},
    "securityDefinitions": {"k": {"type": "oauth2", "flow": "implicit", "scopes": {}}},
    "paths": {
        "/a": {
            "parameters": [{"name": "f", "in": "formData", "type": "array", "items": {}}],
            "post": {
                "consumes": ["multipart/form-data"],
                "produces": ["c/d"],
                "parameters": [{"name": "q", "in": "query", "type": "array", "items": {}}],
                "responses": {
                    "200": {
                        "description": "d",
                        "schema": {"type": "file"},
                        "headers": {"X": {"type": "array", "items": {"type": "array"}}},
                        "examples": {"c/d": 1},
                    },
                    "404": {"$ref": "#/responses/R"},
                },
            },
            "put": {"parameters": [{"$ref": "#/parameters/P"}], "responses": {}},
        },
        "/b": {"$ref": "s.json#/I"},
    },
}
OTHER = b"""{"S": {"items": {"$ref": "a.json#/paths/~1a"}, "maximum": 1e400}, "I": {"get": {}},
 "O": {"responses": {"200": {"$ref": "#/nothing"}}}}"""
ODD = st.sampled_from(
    [
        None,
        True,
        0,
        -1.5,
        "",
        "x",
        [],
        {},
        [None],
        [[]],
        {"": None},
        {"$ref": 1},
        {"$ref": "#"},
        {"$ref": "#/paths"},
        {"$ref": "s.json"},
        {"$ref": "s.json#/S"},
        {"$ref": "s.json#nothing"},
        {"$ref": "../x"},
        {"$ref": "%"},
        {"$ref": "#/%zz/~2"},
        {"$ref": "a.json#/paths/~1a/get"},
        {"$ref": "http://[x"},
        {"x-a": {"$ref": "s.json"}},
        {"type": "array"},
        {"in": "body"},
        {"in": "formData", "name": 1, "type": "file"},
    ]
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    if isinstance(value, dict):
        for key, each in value.items():
            found += places(each, (*path, key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            found += places(each, (*path, index))
    return found


@settings(deadline=None, max_examples=120)
@given(st.sampled_from([NEWER, SWAGGER]), st.data())
def test_an_odd_part_anywhere_is_unread_or_refused_and_no_error_of_ours(
    seed: dict[str, Any], data: st.DataObject
) -> None:
    root = copy.deepcopy(seed)
    for _ in range(data.draw(st.integers(1, 3))):
        *outer, last = data.draw(st.sampled_from(places(root)))
        holder: Any = root
        for step in outer:
            holder = holder[step]
        holder[last] = copy.deepcopy(data.draw(ODD))
    files = {"a.json": msgspec.json.encode(root), "s.json": OTHER}
    try:
        found = open_description("a.json", files.get)
    except Unreadable:
        return
    assert detect("a.json", files["a.json"]) == "openapi"
    resolver = Resolver(found)
    for pointer, reason in found.unread.items():
        assert reason
        assert found.locator.where(pointer).file in files
        resolver.at(pointer)
    again = open_description("a.json", files.get)
    assert (again.root, again.unread) == (found.root, found.unread)
    assert msgspec.json.encode(again.root) == msgspec.json.encode(found.root)
