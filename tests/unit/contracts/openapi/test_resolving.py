"""References of a description are followed to their end, and never past it."""

from __future__ import annotations

import pytest

from groundwire.canon.jcs import JSON
from groundwire.contracts.openapi.resolving import Resolver, canonical, join, names_of
from tests.unit.contracts.openapi.describing import described


def _resolver(unread: dict[str, str] | None = None, **components: JSON) -> Resolver:
    return Resolver(described({"openapi": "3.1.0", "components": components}, unread))


def test_a_reference_to_a_reference_is_followed_to_what_is_none() -> None:
    found = _resolver(
        parameters={"a": {"$ref": "#/components/parameters/b"}, "b": {"name": "x"}}
    ).at("#/components/parameters/a")
    assert found.value == {"name": "x"}
    assert found.pointer == "#/components/parameters/b"
    assert found.members == {"name": "x"}


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("#/components/headers/a", "reference-cycle"),
        ("#/components/headers/none", "reference-dangling"),
        ("#/components/headers/list/7", "reference-dangling"),
        ("#/components/headers/list/-1", "reference-dangling"),
        ("#anchor", "reference-dangling"),
        ("other.yaml#/a", "reference-remote"),
        ("https://example.com/a", "reference-remote"),
    ],
)
def test_a_reference_that_leads_nowhere_has_its_reason_and_no_members(
    target: str, reason: str
) -> None:
    headers: JSON = {"a": {"$ref": target}, "list": [1]}
    found = _resolver(headers=headers).at("#/components/headers/a")
    assert found.reason == reason
    assert found.members == {}
    assert found.value is None


def test_two_references_to_one_another_end() -> None:
    headers: JSON = {
        "a": {"$ref": "#/components/headers/b"},
        "b": {"$ref": "#/components/headers/a"},
    }
    assert _resolver(headers=headers).at("#/components/headers/a").reason == "reference-cycle"


def test_what_was_not_read_is_not_known_nor_what_is_below_it() -> None:
    unread = {"#/components/headers/a": "not-converted"}
    resolver = _resolver(unread, headers={"a": {"x": 1}, "b": {"$ref": "#/components/headers/a"}})
    for pointer in ("a", "b", "a/x", "a/y"):
        assert resolver.at(f"#/components/headers/{pointer}").reason == "not-converted"
    assert resolver.at("#/components/headers").reason == ""


def test_a_list_is_walked_by_its_positions() -> None:
    resolver = _resolver(parameters={"list": [{"name": "x"}]})
    assert resolver.at("#/components/parameters/list/0").members == {"name": "x"}


def test_a_name_with_signs_of_its_own_has_one_pointer() -> None:
    name = "/a~b%2F {c}"
    pointer = join("#/paths", name, "get")
    assert pointer == "#/paths/~1a~0b%252F {c}/get"
    assert names_of(pointer) == ("paths", name, "get")
    assert canonical("#/paths/~1a~0b%252F%20%7Bc%7D/get") == pointer
    assert canonical("#") == "#"
    resolver = Resolver(described({"openapi": "3.1.0", "paths": {name: {"get": {"a": 1}}}}))
    assert resolver.at(pointer).members == {"a": 1}
    assert resolver.below(resolver.at("#/paths"), name, "get").members == {"a": 1}
