"""Parts are passed over only where they are the same with all that they refer to."""

from __future__ import annotations

import pytest

from groundwire.canon.jcs import JSON
from groundwire.contracts.openapi.exchanges.unchanged import Unchanged, is_same
from groundwire.contracts.openapi.resolving import Resolver
from tests.unit.contracts.openapi.describing import described

PART = "#/paths/~1a"


def _root(part: JSON, **schemas: JSON) -> dict[str, JSON]:
    return {"openapi": "3.1.0", "paths": {"/a": part}, "components": {"schemas": schemas}}


def _same(
    old: dict[str, JSON],
    new: dict[str, JSON],
    unread: dict[str, str] | None = None,
) -> bool:
    sides = described(old), described(new, unread)
    return Unchanged(sides, (Resolver(sides[0]), Resolver(sides[1]))).same(PART, PART)


def _to(name: str) -> dict[str, JSON]:
    return {"$ref": f"#/components/schemas/{name}"}


def test_the_order_of_keys_makes_no_difference_that_of_items_does() -> None:
    assert _same(_root({"a": 1, "b": [1, 2]}), _root({"b": [1, 2], "a": 1}))
    assert not _same(_root({"b": [1, 2]}), _root({"b": [2, 1]}))


@pytest.mark.parametrize(("one", "other"), [(True, 1), (1, 1.0), (0, False), (0.0, -0.0)])
def test_values_that_the_language_takes_for_equal_are_not_the_same(one: JSON, other: JSON) -> None:
    assert one == other
    assert not _same(_root({"x": one}), _root({"x": other}))


def test_what_is_referred_to_counts_however_far_it_is() -> None:
    far: dict[str, JSON] = {"A": {"x": _to("B")}, "B": {"x": [_to("C")]}, "C": {"x": 1}}
    assert _same(_root(_to("A"), **far), _root(_to("A"), **far))
    assert not _same(_root(_to("A"), **far), _root(_to("A"), **{**far, "C": {"x": 2}}))
    assert _same(_root(_to("A"), **far), _root(_to("A"), **{**far, "D": {"x": 2}}))


def test_definitions_that_refer_to_one_another_are_followed_once() -> None:
    def ring(last: int) -> dict[str, JSON]:
        return _root(_to("A"), A={"x": _to("B")}, B={"x": _to("A"), "y": _to("C")}, C={"x": last})

    assert _same(ring(1), ring(1))
    assert not _same(ring(1), ring(2))


def test_what_was_found_the_same_stays_so_and_what_was_not_too() -> None:
    old = _root({"p": _to("A"), "q": _to("B"), "r": _to("A")}, A={"x": 1}, B={"x": _to("A")})
    new = _root({"p": _to("A"), "q": _to("B"), "r": _to("A")}, A={"x": 1}, B={"x": 2})
    sides = described(old), described(new)
    unchanged = Unchanged(sides, (Resolver(sides[0]), Resolver(sides[1])))
    for _ in range(2):
        assert [unchanged.same(f"{PART}/{each}", f"{PART}/{each}") for each in "pqr"] == [
            True,
            False,
            True,
        ]


@pytest.mark.parametrize(
    "part",
    [
        {"$ref": "other.yaml"},
        {"$ref": "#anchor"},
        {"$ref": "#/components/schemas/None"},
        {"$ref": '#/components/schemas/a"b'},
        {"$id": "https://a.example"},
        {"$anchor": "a"},
        {"$dynamicRef": "#a"},
    ],
)
def test_what_leads_to_where_it_cannot_be_followed_is_never_the_same(part: JSON) -> None:
    assert not _same(_root(part), _root(part))


def test_a_discriminator_leads_to_every_schema() -> None:
    part: JSON = {"discriminator": {"propertyName": "kind"}}
    assert _same(_root(part, A=1), _root(part, A=1))
    assert not _same(_root(part, A=1), _root(part, A=2))


def test_words_for_people_count_in_no_schema_and_elsewhere_they_do() -> None:
    plain: dict[str, JSON] = {"properties": {"title": {"type": "string"}}}
    worded: JSON = {"properties": {"title": {"type": "string", "title": "Sir"}}, "description": "A"}
    assert _same(_root(_to("A"), A=plain), _root(_to("A"), A=worded))
    assert not _same(_root({"x": plain}), _root({"x": worded}))
    other: JSON = {"properties": {"name": {"type": "string"}}}
    assert not _same(_root(_to("A"), A=plain), _root(_to("A"), A=other))
    inside: JSON = {"$ref": "#/components/schemas/A/properties/title"}
    assert not _same(_root(inside, A=plain), _root(inside, A=worded))


def test_of_all_schemas_that_a_discriminator_leads_to_words_for_people_do_not_count() -> None:
    part: JSON = {"discriminator": {"propertyName": "kind"}}
    old, worded = {"type": "string"}, {"type": "string", "title": "A"}
    assert _same(_root(part, A=old), _root(part, A=worded))
    assert not _same(_root(part, A=old), _root(part, A=worded, B=old))
    assert not _same(_root(part, A=old), _root(part, A={"type": "null", "title": "A"}))


def test_words_that_name_a_resource_are_looked_at_on_both_sides() -> None:
    named: JSON = {"type": "string", "example": {"$anchor": "x"}}
    assert not _same(_root(_to("A"), A={"type": "string"}), _root(_to("A"), A=named))


@pytest.mark.parametrize("pointer", [PART, f"{PART}/x", "#/paths", "#/components/schemas/A", "?"])
def test_what_was_not_read_is_never_the_same(pointer: str) -> None:
    root = _root({"x": _to("A")}, A={"y": 1})
    assert not _same(root, root, {pointer: "not-read"})
    assert _same(root, root, {"#/paths/~1ab": "not-read"})


def test_two_dialects_read_the_same_text_differently() -> None:
    assert not _same(_root({"x": 1}), {**_root({"x": 1}), "openapi": "3.0.3"})


def test_whole_descriptions_are_the_same_word_for_word() -> None:
    root = _root({"x": 1})
    assert is_same(described(root), described(_root({"x": 1})))
    assert not is_same(described(root), described(_root({"x": True})))
    assert not is_same(described(root), described(root, {"#/paths": "not-read"}))
    assert is_same(described(root, {"#/a": "r"}), described(_root({"x": 1}), {"#/a": "r"}))
    assert not is_same(described(root), described({**root, "openapi": "3.1.1"}))
