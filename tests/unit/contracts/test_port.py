"""The port: which engine two versions go to, and how a file that cannot be opened is named."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from groundwire.canon.jcs import JSON
from groundwire.contracts.detecting import Kind
from groundwire.contracts.openapi.options import Options
from groundwire.contracts.openapi.rules import exchanges, messages, schemas
from groundwire.contracts.port import RULES, Source, compare
from groundwire.contracts.reading.unreadable import Unreadable
from groundwire.contracts.schema_files import RULES as OF_FILES

OK: JSON = {"200": {"description": "ok"}}
API: Mapping[str, JSON] = {
    "openapi": "3.1.0",
    "info": {"title": "t", "version": "1.2"},
    "paths": {"/a": {"get": {"responses": OK}}},
}


def source(document: object, called: str = "") -> Source:
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    return Source("a.json", lambda name: data if name == "a.json" else None, called)


def rules(kind: Kind, before: object, after: object) -> list[str]:
    ends = [None if each is None else source(each) for each in (before, after)]
    return [each.rule for each in compare(kind, ends[0], ends[1], Options()).changes]


def test_every_rule_of_files_is_among_all_rules() -> None:
    assert list(RULES) == sorted(RULES)
    tables = (exchanges.RULES, messages.RULES, schemas.RULES, OF_FILES)
    # Of each table a test shows that every rule of it explains some change.
    assert set(RULES) == {rule.name for rules in tables for rule in rules}


def test_without_before_all_was_added_and_without_after_all_is_gone() -> None:
    assert rules("openapi", None, API) == ["operation-added"]
    assert rules("openapi", API, None) == ["path-removed"]
    assert rules("openapi", API, API) == []


def test_nothing_stands_in_a_file_that_is_not_there() -> None:
    [gone] = compare("openapi", source(API), None, Options()).changes
    assert gone.before is not None
    assert gone.after is None
    [new] = compare("openapi", None, source(API), Options()).changes
    assert new.before is None
    assert new.after is not None


def test_a_description_needs_one_end_at_least() -> None:
    with pytest.raises(Unreadable) as caught:
        compare("openapi", None, None, Options())
    assert caught.value.reason == "missing-description"


def test_versions_are_what_the_descriptions_call_themselves() -> None:
    found = compare("openapi", source(API), source({**API, "info": {"version": 2}}), Options())
    assert found.versions == ("1.2", "")
    assert compare("openapi", None, source(API), Options()).versions == ("", "1.2")


def test_descriptions_without_operations_are_compared_by_their_components() -> None:
    def library(schema: JSON) -> object:
        return {"openapi": "3.1.0", "info": {}, "components": {"schemas": {"A": schema}}}

    assert rules("openapi", library({"type": "string"}), library({"type": "integer"})) == [
        "request-body-type-changed",
        "response-body-type-changed",
    ]
    assert "component-removed" not in rules("openapi", API, {**API, "components": {}})


def test_a_schema_that_is_new_or_gone_harms_nobody_and_is_read_all_the_same() -> None:
    assert rules("json-schema", None, {"type": "string"}) == []
    assert rules("json-schema", {"type": "string"}, None) == []
    with pytest.raises(Unreadable):
        rules("json-schema", None, b"{")


@pytest.mark.parametrize("kind", ["openapi", "json-schema"])
@pytest.mark.parametrize("first", [False, True])
def test_a_file_that_cannot_be_opened_is_named_as_it_is_called(kind: Kind, first: bool) -> None:
    good = source(API if kind == "openapi" else {"type": "string"}, "good")
    bad = source(b'{"a": 1,\n "a": 2}', "bad")
    ends = (bad, good) if first else (good, bad)
    with pytest.raises(Unreadable) as caught:
        compare(kind, *ends, Options())
    assert caught.value.reason == "key-repeated"
    assert caught.value.says.startswith(f"bad:{caught.value.line}:{caught.value.column}: ")


def test_a_file_that_is_called_nothing_is_not_named() -> None:
    with pytest.raises(Unreadable) as caught:
        compare("openapi", source(API), source(b"{"), Options())
    assert "a.json" not in caught.value.says
