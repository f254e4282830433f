"""Files that are one JSON Schema: opened, compared by who sends what they describe."""

from __future__ import annotations

import json

import pytest

from groundwire.canon.jcs import JSON
from groundwire.contracts.changes import Change
from groundwire.contracts.openapi import libraries
from groundwire.contracts.openapi.description import Description
from groundwire.contracts.openapi.options import Options
from groundwire.contracts.openapi.rules.rule import Rule
from groundwire.contracts.reading.unreadable import Unreadable
from groundwire.contracts.schema_files import RULES, compare_schemas, open_schema
from groundwire.contracts.verdict import Direction
from tests.unit.contracts.openapi.test_libraries import library

TEXT: JSON = {"type": "string"}


def opened(document: object) -> Description:
    data = document if isinstance(document, bytes) else json.dumps(document, indent=1).encode()
    return open_schema("s.json", lambda name: data if name == "s.json" else None)


def changes(old: object, new: object, *directions: Direction) -> tuple[Change, ...]:
    return compare_schemas(opened(old), opened(new), directions, Options())


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (b"", "empty-file"),
        (b"{", "not-json"),
        (b"[]", "not-a-schema"),
        (b"true", "not-a-schema"),
        (b'{"$schema": "https://example.com/mine"}', "dialect-unknown"),
    ],
)
def test_what_is_no_schema_is_not_opened(document: bytes, reason: str) -> None:
    with pytest.raises(Unreadable) as caught:
        opened(document)
    assert caught.value.reason == reason


def test_a_schema_that_is_not_there_is_missing() -> None:
    with pytest.raises(Unreadable) as caught:
        open_schema("s.json", lambda _name: None)
    assert caught.value.reason == "missing-description"


def test_who_sends_decides_what_breaks_and_a_value_shows_it() -> None:
    old: JSON = {"type": "object", "properties": {"a": TEXT}, "required": ["a"]}
    new: JSON = {"type": "object", "properties": {"a": TEXT}}
    assert changes(old, new, "accepts") == ()
    (found,) = changes(old, new, "produces")
    assert (found.rule, found.grade) == ("response-property-became-optional", "breaking")
    assert found.value == {}
    assert found.witness is None
    (turned,) = changes(new, old, "accepts")
    assert turned.rule == "request-property-became-required"
    assert changes(new, old, "produces") == ()


def test_both_directions_tell_of_both() -> None:
    found = changes(TEXT, {"type": "integer"}, "accepts", "produces")
    assert [each.rule for each in found] == [
        "request-body-type-changed",
        "response-body-type-changed",
    ]


def test_a_change_has_its_place_in_both_files() -> None:
    (found,) = changes(
        {"properties": {"a~/%": TEXT}}, {"properties": {"a~/%": {"const": "b"}}}, "accepts"
    )
    assert found.before is not None
    assert found.after is not None
    assert (found.before.pointer, found.before.line) == ("/properties/a~0~1%", 3)
    assert (found.after.file, found.after.line) == ("s.json", 3)


def test_what_is_written_otherwise_is_no_change() -> None:
    old: JSON = {"$defs": {"a": TEXT}, "items": {"$ref": "#/$defs/a"}, "description": "x"}
    assert changes(old, {"items": TEXT}, "accepts", "produces") == ()


def test_a_reference_out_of_the_file_is_undecided() -> None:
    (found,) = changes({"items": {"$ref": "other.json"}}, {"items": TEXT}, "accepts")
    assert (found.rule, found.grade) == ("schema-undecided", "undecided")
    assert found.reason


ALIVE: dict[str, tuple[Change, ...]] = {
    "schema-undecided": changes({"items": {"$ref": "other.json"}}, {"items": TEXT}, "accepts"),
    libraries.REMOVED: libraries.compare_libraries(library(A=TEXT), library(), Options()),
    libraries.CHANGED: libraries.compare_libraries(
        library(A={"$ref": "x.json"}), library(A=TEXT), Options()
    ),
}
"""`contract-not-compared` is alive in tests/unit/cli/diffing/test_git_range.py."""


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_explains_a_change_of_its_grade(rule: Rule) -> None:
    if rule.name == "contract-not-compared":
        assert rule.grade == "undecided"
        return
    assert {each.grade for each in ALIVE[rule.name] if each.rule == rule.name} == {rule.grade}
