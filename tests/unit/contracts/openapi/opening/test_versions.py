"""What is no description is refused by name; what is one has a version and a dialect."""

from __future__ import annotations

import pytest

from groundwire.contracts.reading.unreadable import Unreadable
from tests.unit.contracts.openapi.opening.folders import NEWER, OPEN, opened


def refused(text: str) -> str:
    with pytest.raises(Unreadable) as caught:
        opened({"api.yaml": text})
    return caught.value.reason


@pytest.mark.parametrize(
    ("version", "dialect"),
    [
        ("3.0.0", "openapi-3.0"),
        ("3.0.4", "openapi-3.0"),
        ("'3.0'", "openapi-3.0"),
        ("3.1.0", "2020-12"),
        ("3.1.2", "2020-12"),
        ("3.2.0", "2020-12"),
    ],
)
def test_a_version_says_how_schemas_are_read(version: str, dialect: str) -> None:
    found = opened({"api.yaml": f"openapi: {version}\npaths: {{}}"})
    assert (found.version, found.dialect) == (version.strip("'"), dialect)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("openapi: 3.0\npaths: {}", "openapi-version"),
        ("openapi: 4.0.0\npaths: {}", "openapi-version"),
        ("openapi: 3.3.0\npaths: {}", "openapi-version"),
        ("openapi: 3.0.x\npaths: {}", "openapi-version"),
        ("openapi: 2.0.0\npaths: {}", "openapi-version"),
        ("openapi: ' 3.0.0'\npaths: {}", "openapi-version"),
        ("openapi: null\npaths: {}", "openapi-version"),
        ("swagger: 2.0\npaths: {}", "openapi-version"),
        ("swagger: '1.2'\npaths: {}", "openapi-version"),
        ("swagger: 3.0.0\npaths: {}", "openapi-version"),
        ("swagger: '2.0'\nopenapi: 3.0.0\npaths: {}", "not-openapi"),
        ("asyncapi: 3.0.0\npaths: {}", "not-openapi"),
        ("info: {}\npaths: {}", "not-openapi"),
        ("[1]", "not-openapi"),
        ("text", "not-openapi"),
        ("openapi: 3.0.3\npaths: []", "not-openapi"),
        ("openapi: 3.0.3\npaths:", "not-openapi"),
        ("openapi: 3.0.3\ncomponents: {}", "not-openapi"),
        ("openapi: 3.1.0\ninfo: {}", "not-openapi"),
        ("openapi: 3.1.0\npaths: {}\nwebhooks: []", "not-openapi"),
        ("openapi: 3.1.0\npaths: {}\ncomponents: x", "not-openapi"),
        ("swagger: '2.0'\ndefinitions: {}", "not-openapi"),
        ("", "empty-file"),
        ("openapi: 3.0.3\nopenapi: 3.0.3", "key-repeated"),
    ],
)
def test_what_is_no_description_of_a_known_version_is_refused(text: str, reason: str) -> None:
    assert refused(text) == reason


def test_the_newer_ones_need_no_paths() -> None:
    assert opened({"api.yaml": NEWER + "webhooks: {}"}).root["webhooks"] == {}
    assert opened({"api.yaml": NEWER + "components: {}"}).root["components"] == {}


@pytest.mark.parametrize(
    ("named", "dialect"),
    [
        ("https://json-schema.org/draft/2020-12/schema", "2020-12"),
        ("http://json-schema.org/draft-07/schema#", "draft-7"),
        ("https://spec.openapis.org/oas/3.1/dialect/base", "2020-12"),
        ("https://spec.openapis.org/oas/3.2/dialect/2025-09-17", "2020-12"),
    ],
)
def test_a_dialect_may_be_named(named: str, dialect: str) -> None:
    found = opened({"api.yaml": f"{NEWER}jsonSchemaDialect: {named}\npaths: {{}}"})
    assert found.dialect == dialect


@pytest.mark.parametrize("named", ["https://example.com/own", "7", "[]"])
def test_a_dialect_that_is_not_known_is_refused(named: str) -> None:
    assert refused(f"{NEWER}jsonSchemaDialect: {named}\npaths: {{}}") == "dialect-unknown"


def test_in_3_0_a_dialect_is_not_named() -> None:
    found = opened({"api.yaml": f"{OPEN}jsonSchemaDialect: x\npaths: {{}}"})
    assert found.dialect == "openapi-3.0"


def test_a_file_that_is_not_there_is_refused_by_name() -> None:
    with pytest.raises(Unreadable) as caught:
        opened({}, "api.yaml")
    assert caught.value.reason == "missing-description"


def test_parts_of_another_kind_than_stands_there_are_named() -> None:
    text = OPEN + (
        "servers: {}\nsecurity: x\ncomponents: {schemas: [], x-a: 1}\n"
        "paths:\n  pets: {}\n  x-note: 1\n  /a: []\n  /b:\n    parameters: {}\n    get: null\n"
        "    post: {parameters: {}, responses: [], requestBody: 1, callbacks: [], security: {}}\n"
    )
    b = "#/paths/~1b"
    assert opened({"api.yaml": text}).unread == {
        "#/components/schemas": "invalid-components",
        "#/paths/pets": "invalid-path",
        "#/paths/~1a": "invalid-path-item",
        f"{b}/get": "invalid-operation",
        f"{b}/parameters": "invalid-parameters",
        f"{b}/post/callbacks": "invalid-callbacks",
        f"{b}/post/parameters": "invalid-parameters",
        f"{b}/post/requestBody": "invalid-requestBody",
        f"{b}/post/responses": "invalid-responses",
        f"{b}/post/security": "invalid-security",
        "#/security": "invalid-security",
        "#/servers": "invalid-servers",
    }


def test_what_could_not_be_read_of_the_file_is_unread_in_the_description() -> None:
    text = OPEN + "paths:\n  /a%b: {get: {x: 1e400}}\n"
    assert opened({"api.yaml": text}).unread == {"#/paths/~1a%25b/get/x": "number-inexact"}
