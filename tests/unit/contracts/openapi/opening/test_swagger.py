"""Swagger 2.0 says in the form of 3.0 what it said, or the part is unread."""

from __future__ import annotations

from typing import Any

import pytest

from groundwire.contracts.changes import Where
from groundwire.contracts.openapi.description import Description
from groundwire.contracts.openapi.resolving import Resolver
from tests.unit.contracts.openapi.opening.folders import opened, part

HEAD = "swagger: '2.0'\ninfo: {title: t, version: '1'}\n"


def converted(text: str, **others: str) -> Description:
    files = {name.replace("_", "."): other for name, other in others.items()}
    return opened({"api.yaml": HEAD + text, **files})


def operation(text: str, root: str = "") -> Description:
    return converted(f"{root}\npaths: {{/a: {{post: {text}}}}}")


def post(description: Description) -> Any:
    return part(description, "paths", "/a", "post")


POST = "#/paths/~1a/post"


def test_the_version_is_that_of_the_file_and_the_form_that_of_3_0() -> None:
    found = converted("paths: {}\ntags: [{name: x}]\nx-a: 1\nsecurity: [{k: []}]")
    assert (found.version, found.dialect) == ("2.0", "openapi-3.0")
    assert found.root["openapi"] == "3.0.3"
    assert "swagger" not in found.root
    assert [found.root[name] for name in ("tags", "x-a", "security")] == [
        [{"name": "x"}],
        1,
        [{"k": []}],
    ]


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("", ["/"]),
        ("basePath: /v1/\n", ["/v1"]),
        ("host: h\n", ["//h"]),
        ("host: h:8080\nbasePath: v1\n", ["//h:8080/v1"]),
        ("host: h\nbasePath: /\nschemes: [https, wss]\n", ["https://h", "wss://h"]),
    ],
)
def test_host_base_path_and_schemes_are_servers(text: str, urls: list[str]) -> None:
    found = converted(text + "paths: {}")
    assert part(found, "servers") == [{"url": url} for url in urls]
    assert found.unread == {}


def test_schemes_of_an_operation_are_its_servers() -> None:
    found = operation("{schemes: [http], responses: {}}", "host: h\nschemes: [https]")
    assert post(found)["servers"] == [{"url": "http://h"}]


@pytest.mark.parametrize("text", ["host: 1", "basePath: []", "schemes: https", "schemes: [1]"])
def test_an_address_that_is_none_is_unread(text: str) -> None:
    assert converted(text + "\npaths: {}").unread == {"#/servers": "invalid-servers"}


# --- schemas --------------------------------------------------------------------------------


def test_definitions_are_schemas_of_3_0() -> None:
    found = converted(
        "paths: {}\ndefinitions:\n  A%b:\n    type: object\n    discriminator: k\n"
        "    properties:\n      k: {type: string, x-nullable: true}\n      f: {type: file}\n"
        "      a: {$ref: '#/definitions/A%25b'}\n"
    )
    assert part(found, "components", "schemas", "A%b") == {
        "type": "object",
        "discriminator": {"propertyName": "k"},
        "properties": {
            "k": {"type": "string", "x-nullable": True, "nullable": True},
            "f": {"type": "string", "format": "binary"},
            "a": {"$ref": "#/components/schemas/A%25b"},
        },
    }
    assert found.unread == {}


def test_a_reference_that_is_to_be_nullable_is_a_choice() -> None:
    found = converted(
        "paths: {}\ndefinitions: {A: {items: {$ref: '#/definitions/A', x-nullable: true}}}"
    )
    assert part(found, "components", "schemas", "A", "items") == {
        "anyOf": [
            {"$ref": "#/components/schemas/A"},
            {"type": "string", "nullable": True, "enum": [None]},
        ]
    }
    assert found.unread == {}


def test_a_reference_into_an_operation_leads_to_where_that_stands_now() -> None:
    found = converted(
        "definitions:\n  A: {$ref: '#/paths/~1a/post/responses/200/schema/items'}\n"
        "  B: {$ref: '#/paths/~1a/post/parameters/0/schema'}\n"
        "  C: {$ref: '#/x-own/C'}\nx-own: {C: {x-nullable: true, type: string}}\n"
        "paths: {/a: {post: {parameters: [{name: b, in: body, schema: {type: string}}],"
        " responses: {200: {description: d, schema: {items: {type: integer}}}}}}}"
    )
    resolver = Resolver(found)
    assert resolver.at("#/components/schemas/A").value == {"type": "integer"}
    assert resolver.at("#/components/schemas/B").value == {"type": "string"}
    assert resolver.at("#/components/schemas/C").members["nullable"] is True


# --- parameters -----------------------------------------------------------------------------


def test_a_parameters_constraints_stand_in_a_schema() -> None:
    found = operation(
        "{parameters: [{name: q, in: query, required: true, description: d, allowEmptyValue: true,"
        " type: integer, format: int32, maximum: 9, exclusiveMaximum: true, enum: [1], default: 1,"
        " x-a: 1, x-nullable: true}], responses: {}}"
    )
    assert post(found)["parameters"] == [
        {
            "name": "q",
            "in": "query",
            "description": "d",
            "required": True,
            "allowEmptyValue": True,
            "x-a": 1,
            "x-nullable": True,
            "schema": {
                "type": "integer",
                "format": "int32",
                "default": 1,
                "maximum": 9,
                "exclusiveMaximum": True,
                "enum": [1],
                "nullable": True,
            },
        }
    ]
    assert found.unread == {}


@pytest.mark.parametrize(
    ("place", "wanted", "style", "explode"),
    [
        ("query", "", "form", False),
        ("query", "csv", "form", False),
        ("query", "multi", "form", True),
        ("query", "ssv", "spaceDelimited", False),
        ("query", "pipes", "pipeDelimited", False),
        ("path", "csv", "simple", False),
        ("header", "", "simple", False),
    ],
)
def test_the_format_of_a_list_is_a_style(
    place: str, wanted: str, style: str, *, explode: bool
) -> None:
    named = f", collectionFormat: {wanted}" if wanted else ""
    found = operation(
        f"{{parameters: [{{name: q, in: {place}, type: array, items: {{type: string}}{named}}}],"
        " responses: {}}"
    )
    (parameter,) = post(found)["parameters"]
    assert (parameter["style"], parameter["explode"]) == (style, explode)
    assert parameter["schema"] == {"type": "array", "items": {"type": "string"}}
    assert found.unread == {}


@pytest.mark.parametrize(
    ("place", "wanted"),
    [("query", "tsv"), ("path", "multi"), ("path", "ssv"), ("header", "pipes"), ("query", "[]")],
)
def test_a_format_of_lists_that_no_style_writes_is_unread(place: str, wanted: str) -> None:
    found = operation(
        f"{{parameters: [{{name: q, in: {place}, type: array, items: {{type: string}},"
        f" collectionFormat: {wanted}}}], responses: {{}}}}"
    )
    assert found.unread[f"{POST}/parameters/0"] == "collection-format-unknown"


def test_lists_in_lists_are_unread() -> None:
    found = operation(
        "{parameters: [{name: q, in: query, type: array, items: {type: array, items: {}}}], responses: {}}"
    )
    assert found.unread == {f"{POST}/parameters/0/schema/items": "collection-format-nested"}


def test_a_shared_parameter_stays_a_reference_and_a_shared_body_is_put_in() -> None:
    found = converted(
        "parameters:\n  Q: {name: q, in: query, type: string}\n"
        "  B: {name: b, in: body, required: true, schema: {$ref: '#/definitions/D'}}\n"
        "definitions: {D: {type: object}}\nconsumes: [a/b, c/d]\n"
        "paths: {/a: {post: {parameters: [{$ref: '#/parameters/B'}, {$ref: '#/parameters/Q'}], responses: {}}}}"
    )
    assert post(found)["parameters"] == [{"$ref": "#/components/parameters/Q"}]
    schema = {"schema": {"$ref": "#/components/schemas/D"}}
    assert post(found)["requestBody"] == {
        "required": True,
        "content": {"a/b": schema, "c/d": schema},
    }
    assert list(part(found, "components", "parameters")) == ["Q"]
    assert found.locator.where(f"{POST}/requestBody") == Where("api.yaml", "/parameters/B", 5, 3)
    assert found.locator.where(f"{POST}/parameters/0") == Where("api.yaml", "/parameters/Q", 4, 3)


def test_a_parameter_that_leads_nowhere_may_have_been_the_body() -> None:
    found = operation("{parameters: [{$ref: '#/parameters/none'}], responses: {}}")
    assert found.unread == {
        f"{POST}/parameters": "reference-dangling",
        f"{POST}/requestBody": "reference-dangling",
    }


def test_parameters_of_a_path_are_sent_by_each_operation_unless_it_has_its_own() -> None:
    found = converted(
        "paths:\n  /a:\n    parameters:\n      - {name: b, in: body, schema: {type: string}}\n"
        "      - {name: f, in: query, type: string}\n"
        "    post: {responses: {}}\n"
        "    put: {parameters: [{name: c, in: body, schema: {type: integer}}], responses: {}}\n"
    )
    item = part(found, "paths", "/a")
    assert [each["name"] for each in item["parameters"]] == ["f"]
    assert item["post"]["requestBody"]["content"] == {
        "application/json": {"schema": {"type": "string"}}
    }
    assert item["put"]["requestBody"]["content"] == {
        "application/json": {"schema": {"type": "integer"}}
    }
    assert found.unread == {}


# --- bodies ---------------------------------------------------------------------------------


def test_a_form_is_an_object_with_a_property_for_each_parameter() -> None:
    found = operation(
        "{parameters: [{name: n, in: formData, type: integer, required: true, description: d},"
        " {name: l, in: formData, type: array, items: {type: string}, collectionFormat: multi}],"
        " responses: {}}"
    )
    assert post(found)["requestBody"] == {
        "required": True,
        "content": {
            "application/x-www-form-urlencoded": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "n": {"type": "integer", "description": "d"},
                        "l": {"type": "array", "items": {"type": "string"}},
                    },
                    "required": ["n"],
                },
                "encoding": {"l": {"style": "form", "explode": True}},
            }
        },
    }
    assert found.unread == {}
    schema = f"{POST}/requestBody/content/application~1x-www-form-urlencoded/schema"
    place = found.locator.where(f"{schema}/properties/l/items")
    assert place.pointer == "/paths/~1a/post/parameters/1/items"


def test_a_file_is_sent_in_parts() -> None:
    found = operation(
        "{consumes: [application/x-www-form-urlencoded, multipart/form-data],"
        " parameters: [{name: f, in: formData, type: file}], responses: {}}"
    )
    content = post(found)["requestBody"]["content"]
    assert content == {
        "multipart/form-data": {
            "schema": {
                "type": "object",
                "properties": {"f": {"type": "string", "format": "binary"}},
            }
        }
    }
    assert "required" not in post(found)["requestBody"]


def test_a_joined_list_in_parts_is_unread() -> None:
    found = operation(
        "{consumes: [multipart/form-data],"
        " parameters: [{name: l, in: formData, type: array, items: {type: string}}], responses: {}}"
    )
    (pointer,) = found.unread
    assert pointer.endswith("/content/multipart~1form-data/schema/properties/l")


@pytest.mark.parametrize(
    "second", ["{name: c, in: body, schema: {}}", "{name: f, in: formData, type: string}"]
)
def test_more_than_one_body_is_unread(second: str) -> None:
    found = operation(
        f"{{parameters: [{{name: b, in: body, schema: {{}}}}, {second}], responses: {{}}}}"
    )
    assert found.unread[f"{POST}/requestBody"] == "several-bodies"


@pytest.mark.parametrize("name", ["consumes", "produces"])
def test_media_types_that_are_no_list_are_unread(name: str) -> None:
    found = operation(f"{{{name}: a/b, responses: {{}}}}")
    what = "requestBody" if name == "consumes" else "responses"
    assert found.unread == {f"{POST}/{what}": f"invalid-{name}"}


# --- responses ------------------------------------------------------------------------------


def test_a_response_has_its_schema_for_each_media_type_that_is_produced() -> None:
    found = operation(
        "{produces: [a/b, c/d], responses: {200: {description: d, schema: {type: string},"
        " headers: {X-A: {type: array, items: {type: integer}, description: h}},"
        " examples: {a/b: e}}, 204: {description: n}}}",
        "produces: [x/y]",
    )
    assert post(found)["responses"] == {
        "200": {
            "description": "d",
            "headers": {
                "X-A": {
                    "description": "h",
                    "schema": {"type": "array", "items": {"type": "integer"}},
                    "style": "simple",
                    "explode": False,
                }
            },
            "content": {
                "a/b": {"schema": {"type": "string"}, "example": "e"},
                "c/d": {"schema": {"type": "string"}},
            },
        },
        "204": {"description": "n"},
    }
    assert found.unread == {}
    schema = f"{POST}/responses/200/content/c~1d/schema/type"
    assert found.locator.where(schema).pointer == "/paths/~1a/post/responses/200/schema/type"


def test_a_shared_response_is_put_in_where_an_operation_produces_something_else() -> None:
    text = (
        "responses: {N: {description: n, schema: {type: string}}}\nproduces: [x/y]\n"
        "paths: {/a: {post: {%sresponses: {404: {$ref: '#/responses/N'}}}}}"
    )
    kept = converted(text % "")
    assert post(kept)["responses"]["404"] == {"$ref": "#/components/responses/N"}
    assert list(part(kept, "components", "responses", "N", "content")) == ["x/y"]
    put_in = converted(text % "produces: [a/b], ")
    assert list(post(put_in)["responses"]["404"]["content"]) == ["a/b"]


def test_a_response_of_a_file_is_bytes() -> None:
    found = operation("{responses: {200: {description: d, schema: {type: file}}}}")
    assert post(found)["responses"]["200"]["content"] == {
        "application/octet-stream": {"schema": {"type": "string", "format": "binary"}}
    }


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ("{responses: []}", "responses"),
        ("{responses: {200: []}}", "responses/200"),
        ("{responses: {200: {$ref: '#/responses/none'}}, produces: [a/b]}", "responses/200"),
        ("{responses: {200: {headers: []}}}", "responses/200/headers"),
        ("{responses: {200: {headers: {A: 1}}}}", "responses/200/headers/A"),
    ],
)
def test_a_response_that_is_none_is_unread(text: str, pointer: str) -> None:
    assert list(operation(text).unread) == [f"{POST}/{pointer}"]


# --- security -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{type: basic, description: d}", {"type": "http", "scheme": "basic", "description": "d"}),
        ("{type: apiKey, name: k, in: header}", {"type": "apiKey", "name": "k", "in": "header"}),
        (
            "{type: oauth2, flow: implicit, authorizationUrl: a, scopes: {s: d}}",
            {
                "type": "oauth2",
                "flows": {"implicit": {"authorizationUrl": "a", "scopes": {"s": "d"}}},
            },
        ),
        (
            "{type: oauth2, flow: application, tokenUrl: t, scopes: {}}",
            {"type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": "t", "scopes": {}}}},
        ),
        (
            "{type: oauth2, flow: password, tokenUrl: t}",
            {"type": "oauth2", "flows": {"password": {"tokenUrl": "t", "scopes": {}}}},
        ),
        (
            "{type: oauth2, flow: accessCode, authorizationUrl: a, tokenUrl: t, scopes: {}}",
            {
                "type": "oauth2",
                "flows": {
                    "authorizationCode": {"authorizationUrl": "a", "tokenUrl": "t", "scopes": {}}
                },
            },
        ),
    ],
)
def test_a_security_scheme_is_one_of_3_0(old: str, new: object) -> None:
    found = converted(f"paths: {{}}\nsecurityDefinitions: {{s: {old}}}")
    assert part(found, "components", "securitySchemes", "s") == new
    assert found.unread == {}
    assert found.locator.where("#/components/securitySchemes/s").pointer == "/securityDefinitions/s"


@pytest.mark.parametrize("old", ["{type: other}", "{type: oauth2, flow: x}", "{type: oauth2}", "1"])
def test_a_security_scheme_that_is_not_known_is_unread(old: str) -> None:
    found = converted(f"paths: {{}}\nsecurityDefinitions: {{s: {old}}}")
    assert list(found.unread) == ["#/components/securitySchemes/s"]


# --- several files, and what was unread before -----------------------------------------------


def test_parts_in_other_files_are_converted_too() -> None:
    found = converted(
        "paths:\n  /a: {post: {parameters: [{$ref: 'o.yaml#/P'}, {$ref: 'o.yaml#/B'}],"
        " responses: {200: {$ref: 'o.yaml#/R'}}}}\n  /b: {$ref: 'o.yaml#/I'}",
        o_yaml="P: {name: p, in: query, type: string}\n"
        "B: {name: b, in: body, schema: {$ref: '#/S'}}\n"
        "R: {description: d, schema: {$ref: '#/S'}}\nS: {type: string, x-nullable: true}\n"
        "I: {get: {responses: {204: {description: n}}}}",
    )
    assert post(found)["parameters"] == [{"name": "p", "in": "query", "schema": {"type": "string"}}]
    reference = {"$ref": "#/x-groundwire-files/o.yaml/S"}
    assert post(found)["requestBody"]["content"]["application/json"] == {"schema": reference}
    assert post(found)["responses"]["200"]["content"]["application/json"] == {"schema": reference}
    assert Resolver(found).at(reference["$ref"]).members["nullable"] is True
    assert part(found, "paths", "/b", "get", "responses") == {"204": {"description": "n"}}
    assert found.locator.where("#/paths/~1b/get").file == "o.yaml"
    assert found.locator.where(f"{POST}/parameters/0/schema") == Where("o.yaml", "/P", 1, 1)
    assert found.unread == {}


def test_what_was_unread_is_unread_where_it_went() -> None:
    found = operation(
        "{parameters: [{name: b, in: body, schema: {maximum: 1e400}},"
        " {name: q, in: query, type: number, maximum: 1e400}],"
        " responses: {200: {description: d, schema: {$ref: ../x.yaml}}}}",
        "produces: [a/b, c/d]",
    )
    responses = f"{POST}/responses/200/content"
    assert found.unread == {
        f"{POST}/requestBody/content/application~1json/schema/maximum": "number-inexact",
        f"{POST}/parameters/0/schema/maximum": "number-inexact",
        f"{POST}/parameters/0/maximum": "number-inexact",
        f"{responses}/a~1b/schema": "reference-outside",
        f"{responses}/c~1d/schema": "reference-outside",
    }


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ("/a: 1", "#/paths/~1a"),
        ("/a: {$ref: '#/paths/none'}", "#/paths/~1a"),
        ("a: {}", "#/paths/a"),
        ("/a: {get: 1}", "#/paths/~1a/get"),
        ("/a: {parameters: {}}", "#/paths/~1a/parameters"),
    ],
)
def test_parts_of_another_kind_than_stands_there_are_named(text: str, pointer: str) -> None:
    assert pointer in converted(f"paths: {{{text}}}").unread
