"""Descriptions without operations: each component for whoever sends it and whoever reads it."""

from __future__ import annotations

import pytest

from groundwire.canon.jcs import JSON
from groundwire.contracts.openapi.description import Description
from groundwire.contracts.openapi.libraries import compare_libraries, is_library
from groundwire.contracts.openapi.options import Options
from tests.unit.contracts.openapi.describing import described

TEXT: JSON = {"type": "string"}


def library(kind: str = "schemas", /, **members: JSON) -> Description:
    return described({"openapi": "3.1.0", "components": {kind: members}})


def rules(old: Description, new: Description) -> list[tuple[str, str]]:
    return [(each.rule, each.grade) for each in compare_libraries(old, new, Options())]


@pytest.mark.parametrize("root", [{}, {"paths": {}}, {"components": {}}, {"webhooks": {}}])
def test_a_description_without_operations_is_a_library(root: dict[str, JSON]) -> None:
    assert is_library(described(root))


@pytest.mark.parametrize("name", ["paths", "webhooks"])
def test_one_with_operations_is_none(name: str) -> None:
    assert not is_library(described({name: {"/a": {}}}))


def test_a_component_that_is_gone_breaks_and_one_that_is_new_does_not() -> None:
    assert rules(library(A=TEXT), library(B=TEXT)) == [("component-removed", "breaking")]
    assert rules(library(), library(B=TEXT)) == []
    assert rules(library(A=TEXT), described({})) == [("component-removed", "breaking")]


def test_a_schema_is_asked_of_in_both_directions() -> None:
    longer: JSON = {"type": ["string", "null"]}
    assert [name for name, _ in rules(library(A=TEXT), library(A=longer))] == [
        "response-body-became-nullable"
    ]
    assert [name for name, _ in rules(library(A=longer), library(A=TEXT))] == [
        "request-body-became-not-nullable"
    ]


def test_a_change_names_the_component_and_has_a_value_and_no_exchange() -> None:
    (found,) = compare_libraries(
        library(A=TEXT), library(A={"type": ["string", "null"]}), Options()
    )
    assert found.reaches == ("#/components/schemas/A",)
    assert found.witness is None


def test_a_component_of_another_kind_is_only_held_against_itself() -> None:
    one: JSON = {"name": "q", "in": "query", "schema": TEXT}
    assert rules(library("parameters", A=one), library("parameters", A=one)) == []
    other = library("parameters", A={"name": "r", "in": "query", "schema": TEXT})
    assert rules(library("parameters", A=one), other) == [("component-undecided", "undecided")]


@pytest.mark.parametrize("kind", ["examples", "links"])
def test_examples_and_links_say_nothing(kind: str) -> None:
    assert rules(library(kind, A={"value": 1}), library(kind)) == []


@pytest.mark.parametrize("junk", [None, [], "x", {"schemas": []}, {"schemas": {"A": 7}}])
def test_junk_raises_nothing(junk: JSON) -> None:
    odd = described({"openapi": "3.1.0", "components": junk})
    for ends in ((odd, library(A=TEXT)), (library(A=TEXT), odd), (odd, odd)):
        assert all(grade in {"breaking", "undecided", "risky"} for _, grade in rules(*ends))
