from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import jsonschema_rs
import pytest

from groundwire.contracts.openapi.description import Description
from groundwire.contracts.openapi.opening.opening import open_description
from groundwire.contracts.openapi.outputs import output_schema
from groundwire.contracts.reading.unreadable import Unreadable

USER = {
    "type": "object",
    "required": ["id", "password"],
    "properties": {
        "id": {"type": "integer"},
        "password": {"type": "string", "writeOnly": True},
        "nick": {"type": "string", "nullable": True},
        "boss": {"$ref": "#/components/schemas/User"},
    },
}


def answer(schema: object, media: str = "application/json") -> dict[str, object]:
    return {"description": "", "content": {media: {"schema": schema}}}


def api(responses: Mapping[str, object] | None, version: str = "3.0.3", **more: Any) -> Description:
    operation: dict[str, Any] = {"operationId": "getUser"}
    if responses is not None:
        operation["responses"] = responses
    root = {
        "openapi": version,
        "info": {"title": "", "version": "1"},
        "paths": {"/users/{id}": {"get": operation}},
        "components": {"schemas": {"User": USER}},
        **more,
    }
    return opened({"api.json": root})


def opened(files: Mapping[str, object]) -> Description:
    data = {name: json.dumps(value).encode() for name, value in files.items()}
    return open_description("api.json", data.get)


def takes(schema: Mapping[str, object], value: object) -> bool:
    made = jsonschema_rs.validator_for(dict(schema), offline=True, validate_formats=False)
    return made.is_valid(value)


REFERS = {"$ref": "#/components/schemas/User"}


def test_the_answer_of_an_operation_is_a_schema_by_itself() -> None:
    found = output_schema(api({"200": answer(REFERS)}), "GET /users/{id}")
    assert takes(found, {"id": 7})
    assert takes(found, {"id": 7, "nick": None, "boss": {"id": 8}})
    assert not takes(found, {"id": "7"})
    assert not takes(found, {"id": 7, "boss": {}})
    assert not takes(found, {"id": 7, "nick": 1})
    assert output_schema(api({"200": answer(REFERS)}), "getUser") == found


def test_what_only_who_asks_sends_is_not_looked_at() -> None:
    found = output_schema(api({"200": answer(REFERS)}), "getUser")
    assert takes(found, {"id": 7, "password": 1})


def test_what_is_nullable_may_be_null_though_its_enum_does_not_list_it() -> None:
    listed = {"type": "string", "nullable": True, "enum": ["a", "b"]}
    within = {"properties": {"enum": {"type": "array", "items": listed}, "n": {"enum": ["c"]}}}
    found = output_schema(api({"200": answer(within)}), "getUser")
    assert takes(found, {"enum": ["a", None]})
    assert not takes(found, {"enum": ["c"]})
    assert not takes(found, {"n": None})
    both = {"type": ["string", "null"], "enum": ["a"]}
    found = output_schema(api({"200": answer(both)}, "3.1.0"), "getUser")
    assert not takes(found, None)


def test_a_schema_of_another_file_is_in_it() -> None:
    root = {
        "openapi": "3.1.0",
        "info": {"title": "", "version": "1"},
        "paths": {"/a": {"get": {"responses": {"200": answer({"$ref": "user.json"})}}}},
    }
    described = opened({"api.json": root, "user.json": {"type": ["integer", "null"]}})
    found = output_schema(described, "get /a")
    assert takes(found, None)
    assert not takes(found, "7")
    assert found["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_a_swagger_description_has_outputs_too() -> None:
    root = {
        "swagger": "2.0",
        "info": {"title": "", "version": "1"},
        "produces": ["application/json"],
        "paths": {
            "/a": {"get": {"responses": {"200": {"description": "", "schema": {"type": "array"}}}}}
        },
    }
    found = output_schema(opened({"api.json": root}), "GET /a")
    assert takes(found, [])
    assert not takes(found, {})


def test_a_kind_that_no_discriminator_names_is_not_refused() -> None:
    pet = {
        "type": "object",
        "required": ["kind"],
        "discriminator": {"propertyName": "kind", "mapping": {"cat": "#/components/schemas/Cat"}},
        "properties": {"kind": {"type": "string"}},
    }
    cat = {
        "allOf": [
            {"$ref": "#/components/schemas/Pet"},
            {"required": ["lives"], "properties": {"lives": {"type": "integer"}}},
        ]
    }
    described = api(
        {"200": answer({"$ref": "#/components/schemas/Pet"})},
        components={"schemas": {"Pet": pet, "Cat": cat}},
    )
    found = output_schema(described, "getUser")
    assert takes(found, {"kind": "newt"})
    assert takes(found, {"kind": "cat", "lives": 9})
    assert not takes(found, {"kind": "cat"})


@pytest.mark.parametrize(
    ("statuses", "asked", "taken"),
    [
        (["404", "200", "201"], "", "200"),
        (["2XX", "201"], "", "2XX"),
        (["2xx", "default"], "", "2xx"),
        (["201", "404"], "", "201"),
        (["404", "default"], "", "default"),
        (["200", "404", "4XX"], "404", "404"),
        (["200", "4XX"], "404", "4XX"),
        (["200", "default"], "500", "default"),
        (["200", "2XX"], "2XX", "2XX"),
    ],
)
def test_the_status_decides_which_answer_it_is(statuses: list[str], asked: str, taken: str) -> None:
    responses = {each: answer({"enum": [each]}) for each in statuses}
    found = output_schema(api(responses), "getUser", asked)
    assert takes(found, taken)
    assert not takes(found, "other")


@pytest.mark.parametrize(
    ("media", "taken"),
    [
        (["text/html", "application/json; charset=utf-8"], 1),
        (["application/problem+json", "application/json"], 1),
        (["text/plain", "application/vnd.user+json"], 1),
        (["text/plain", "*/*"], 1),
    ],
)
def test_what_is_in_json_is_taken(media: list[str], taken: int) -> None:
    content = {each: {"schema": {"enum": [place]}} for place, each in enumerate(media)}
    found = output_schema(api({"200": {"description": "", "content": content}}), "getUser")
    assert takes(found, taken)
    assert not takes(found, 1 - taken)


@pytest.mark.parametrize(
    ("described", "operation", "status", "reason"),
    [
        (api({"200": answer({})}), "GET /users", "", "operation-unknown"),
        (api({"200": answer({})}), "POST /users/{id}", "", "operation-unknown"),
        (api(None), "getUser", "", "output-not-described"),
        (api({"404": answer({})}), "getUser", "", "output-not-described"),
        (api({"200": answer({})}), "getUser", "404", "output-not-described"),
        (api({"201": answer({}), "202": answer({})}), "getUser", "", "output-ambiguous"),
        (api({"200": {"description": ""}}), "getUser", "", "output-not-described"),
        (api({"200": answer({}, "text/html")}), "getUser", "", "output-not-described"),
        (
            api({"200": {"description": "", "content": {"application/json": {}}}}),
            "getUser",
            "",
            "output-not-described",
        ),
        (api({"200": answer({"$ref": "nowhere.json"})}), "getUser", "", "output-unreadable"),
        (
            api({"200": {"$ref": "#/components/responses/None"}}),
            "getUser",
            "",
            "output-not-described",
        ),
        (api({"200": {"$ref": "https://example.com/a"}}), "getUser", "", "output-unreadable"),
    ],
)
def test_what_is_not_described_has_no_schema(
    described: Description, operation: str, status: str, reason: str
) -> None:
    with pytest.raises(Unreadable) as refused:
        output_schema(described, operation, status)
    assert refused.value.reason == reason


def test_an_operation_id_that_two_have_names_none() -> None:
    operation = {"operationId": "same", "responses": {"200": answer({})}}
    described = api(None, paths={"/a": {"get": operation}, "/b": {"get": operation}})
    with pytest.raises(Unreadable) as refused:
        output_schema(described, "same")
    assert refused.value.reason == "operation-unknown"
