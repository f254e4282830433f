"""What schemas say only in OpenAPI: who sends a property, and which kind of thing an object is."""

from __future__ import annotations

from typing import Any

import pytest

from groundwire.contracts.jsonschema.comparing import NoSample, Options, Pair
from groundwire.contracts.verdict import Breaking, Compatible, Direction, Risky, Undecided

S = {"type": "string"}
I = {"type": "integer"}  # noqa: E741 -- short beside S
OPENAPI_30 = Options(dialect="openapi-3.0")
OPENAPI_31 = Options(dialect="2020-12", openapi=True)
BOTH = pytest.mark.parametrize("options", [OPENAPI_30, OPENAPI_31], ids=["3.0", "3.1"])


def document(**schemas: Any) -> Any:
    return {"components": {"schemas": schemas}}


def ask(old: Any, new: Any, direction: Direction, options: Options, name: str = "A") -> Any:
    pointer = f"#/components/schemas/{name}"
    return Pair(old, new, options).ask(pointer, pointer, direction)


def record(required: list[str], **properties: Any) -> Any:
    return {"type": "object", "properties": properties, "required": required}


READ = {**S, "readOnly": True}
WRITE = {**S, "writeOnly": True}
NAMED = record(["name"], name=S)


# -- readOnly and writeOnly ------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("direction", ["accepts", "produces"])
def test_a_property_that_is_not_sent_is_required_of_nobody(
    direction: Direction, options: Options
) -> None:
    mark = READ if direction == "accepts" else WRITE
    more = record(["name", "id"], name=S, id=mark)
    old, new = (NAMED, more) if direction == "accepts" else (more, NAMED)
    assert ask(document(A=old), document(A=new), direction, options) == Compatible()
    unmarked = record(["name", "id"], name=S, id=S)
    old, new = (NAMED, unmarked) if direction == "accepts" else (unmarked, NAMED)
    assert ask(document(A=old), document(A=new), direction, options) == Breaking({"name": ""})


@BOTH
def test_a_mark_counts_in_its_direction_alone(options: Options) -> None:
    marked = document(A=record(["id"], id=READ))
    other = document(A=record(["id"], id={**I, "readOnly": True}))
    assert ask(marked, other, "accepts", options) == Compatible()
    assert ask(marked, other, "produces", options) == Breaking({"id": 0})
    written = document(A=record(["id"], id=WRITE))
    assert ask(written, document(A=record(["id"], id=I)), "accepts", options) == Breaking(
        {"id": ""}
    )
    gone = ask(document(A=record(["id"], id=S)), written, "produces", options)
    assert gone == Breaking({})


@BOTH
def test_a_property_that_is_not_sent_is_not_looked_at_by_who_reads(options: Options) -> None:
    """Not even where the object is closed: what was sent before may be ignored."""
    sent = document(A={**record([], id=S), "additionalProperties": False})
    ignored = document(A={**record([], id={**I, "readOnly": True}), "additionalProperties": False})
    assert ask(sent, ignored, "accepts", options) == Compatible()
    assert ask(ignored, sent, "accepts", options) == Compatible()
    gone = document(A={**record([]), "additionalProperties": False})
    assert ask(ignored, gone, "accepts", options) == Compatible()
    assert ask(sent, gone, "accepts", options) == Breaking({"id": ""})


@BOTH
def test_a_mark_is_found_through_references_and_parts(options: Options) -> None:
    def of(whole: Any) -> Any:
        return document(
            A=whole, Id=READ, Part=record([], id={"allOf": [{"$ref": "#/components/schemas/Id"}]})
        )

    old = of(NAMED)
    through = {"allOf": [{"$ref": "#/components/schemas/Part"}, record(["name", "id"], name=S)]}
    assert ask(old, of(through), "accepts", options) == Compatible()
    # The mark stands in one part, and another part, referred to, requires the property.
    apart = {"allOf": [record([], id=READ), {"$ref": "#/components/schemas/Wants"}]}
    wanting = {"Wants": record(["name", "id"], name=S)}
    new = of(apart)
    new["components"]["schemas"].update(wanting)
    assert ask(old, new, "accepts", options) == Compatible()
    assert isinstance(ask(new, old, "produces", options), Breaking)


@BOTH
def test_a_mark_says_nothing_where_something_is_denied(options: Options) -> None:
    old = document(A=record([], name=S, id=S))
    new = document(A={**record([], name=S), "not": record(["id"], id=READ)})
    assert ask(old, new, "accepts", options) == Breaking({"id": ""})


def test_a_definition_with_marks_is_not_taken_for_the_same_in_both_roles() -> None:
    """Who sends leaves the property out; who reads takes whatever stands there."""
    shared = record(["id"], id=READ)
    old = document(A={"type": "array", "items": {"$ref": "#/components/schemas/B"}}, B=shared)
    new = document(
        A={"type": "array", "maxItems": 2, "items": {"$ref": "#/components/schemas/B"}}, B=shared
    )
    assert ask(old, new, "accepts", OPENAPI_31) == Breaking([{}, {}, {}])
    assert ask(new, old, "produces", OPENAPI_31) == Breaking([{"id": ""}] * 3)


# -- discriminators --------------------------------------------------------------------------------


def union(keyword: str = "oneOf", mapping: dict[str, str] | None = None, **schemas: Any) -> Any:
    by: dict[str, Any] = {"propertyName": "t"}
    if mapping is not None:
        by["mapping"] = mapping
    references = [{"$ref": f"#/components/schemas/{name}"} for name in schemas]
    return document(A={keyword: references, "discriminator": by}, **schemas)


CAT = record(["t"], t=S)
DOG = record(["t", "z"], t=S, z=S)


@BOTH
@pytest.mark.parametrize("keyword", ["oneOf", "anyOf"])
def test_a_key_that_is_gone_is_a_kind_that_is_gone(keyword: str, options: Options) -> None:
    both = union(keyword, {"c": "Cat", "d": "#/components/schemas/Dog"}, Cat=CAT, Dog=DOG)
    one = union(keyword, {"c": "Cat"}, Cat=CAT, Dog=DOG)
    assert ask(both, one, "accepts", options) == Breaking({"t": "d", "z": ""})
    assert ask(both, one, "produces", options) == Compatible()
    assert ask(one, both, "accepts", options) == Compatible()
    assert ask(one, both, "produces", options) == Breaking({"t": "d", "z": ""})


@BOTH
def test_an_object_is_of_the_kind_that_its_key_says_and_of_no_other(options: Options) -> None:
    old = union(Cat=CAT, Dog=DOG)
    narrower = union(Cat=CAT, Dog=record(["t", "z", "y"], t=S, z=S, y=S))
    assert ask(old, narrower, "accepts", options) == Breaking({"t": "Dog", "z": ""})
    # What fits another schema too is still told apart by its key.
    assert ask(old, union("anyOf", Cat=CAT, Dog=DOG), "accepts", options) == Compatible()
    plain = document(A={"anyOf": [CAT, DOG]})
    assert ask(old, plain, "accepts", options) == Compatible()
    found = ask(plain, old, "accepts", options)
    assert isinstance(found, Breaking)
    assert isinstance(found.witness, dict)
    assert found.witness["t"] not in {"Cat", "Dog"}


@BOTH
def test_a_kind_that_lists_its_key_goes_by_that_and_not_by_its_name(options: Options) -> None:
    cat, more = record(["t"], t={"enum": ["cat"]}), record(["t", "n"], t={"enum": ["cat"]}, n=S)
    old, new = union(Cat=cat, Dog=DOG), union(Cat=more, Dog=DOG)
    assert ask(old, new, "accepts", options) == Breaking({"t": "cat"})
    assert ask(old, new, "produces", options) == Compatible()
    parts = union(Cat={"allOf": [{"$ref": "#/components/schemas/Dog"}, more]}, Dog=DOG)
    assert ask(old, parts, "accepts", options) == Breaking({"t": "cat"})
    mapped = union("oneOf", {"cat": "Cat"}, Cat=cat, Dog=DOG)
    assert ask(old, mapped, "accepts", options) == Compatible()
    assert ask(old, mapped, "produces", options) == Compatible()


def test_a_value_that_is_no_object_needs_no_key() -> None:
    old = union(Cat=CAT)
    new = union(Cat=CAT)
    new["components"]["schemas"]["A"]["oneOf"].append({"type": "null"})
    assert ask(old, new, "accepts", OPENAPI_31) == Compatible()
    assert ask(new, old, "accepts", OPENAPI_31) == Breaking(None)


def test_a_branch_in_place_has_no_key_so_nothing_is_claimed() -> None:
    old = union(Cat=CAT)
    new = union(Cat=CAT)
    new["components"]["schemas"]["A"]["oneOf"].append(DOG)
    assert ask(old, new, "produces", OPENAPI_31) == Undecided("keyword-unknown:discriminator")
    narrower = union(Cat=record(["t", "q"], t=S, q=S))
    narrower["components"]["schemas"]["A"]["oneOf"].append(DOG)
    assert not isinstance(ask(new, narrower, "accepts", OPENAPI_31), Compatible)
    assert ask(new, new, "accepts", OPENAPI_31) == Compatible()


def family(mapping: dict[str, str] | None = None, **kinds: Any) -> Any:
    by: dict[str, Any] = {"propertyName": "t"}
    if mapping is not None:
        by["mapping"] = mapping
    made = {
        name: {"allOf": [{"$ref": "#/components/schemas/Pet"}, kind]}
        for name, kind in kinds.items()
    }
    pets = {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}}
    return document(A=pets, Pet={**record(["t"], t=S), "discriminator": by}, **made)


@BOTH
def test_what_is_of_a_base_is_of_the_kind_that_its_key_says(options: Options) -> None:
    old = family(Cat=record([], m={"enum": ["a"]}))
    new = family(Cat=record([], m={"enum": ["a", "b"]}))
    assert ask(old, new, "accepts", options) == Compatible()
    assert ask(old, new, "produces", options) == Breaking([{"m": "b", "t": "Cat"}])
    assert ask(old, new, "produces", options, "Cat") == Breaking({"m": "b", "t": ""})
    assert ask(old, old, "produces", options) == Compatible()


@BOTH
def test_a_kind_of_a_base_that_nobody_knows_is_undecided(options: Options) -> None:
    old, new = family(Cat=record([])), family(Cat=record([]), Dog=record([], z=S))
    assert ask(old, new, "produces", options) == Undecided("discriminator-key-unknown")
    assert ask(old, new, "accepts", options) == Compatible()
    named = family({"cat": "Cat"}, Cat=record([]))
    assert ask(named, old, "accepts", options) == Undecided("discriminator-key-unknown")


# -- both documents --------------------------------------------------------------------------------


def test_the_two_documents_may_be_of_different_versions() -> None:
    old, new = document(A={**S, "nullable": True}), document(A={"type": ["string", "null"]})
    options = Options(dialect="openapi-3.0", dialect_of_new="2020-12", openapi=True)
    assert ask(old, new, "accepts", options) == Compatible()
    assert ask(old, new, "produces", options) == Compatible()
    assert ask(old, document(A=S), "accepts", options) == Breaking(None)


def test_what_is_only_for_people_is_no_change_and_what_is_named_like_it_is() -> None:
    texts = {"title": "a", "description": "b", "example": {"x": 1}, "x-a": 1, "deprecated": True}
    plain = record(["title"], title=S)
    assert (
        ask(document(A=plain), document(A={**plain, **texts}), "accepts", OPENAPI_30)
        == Compatible()
    )
    other = record(["title"], title=I)
    assert ask(document(A=plain), document(A=other), "accepts", OPENAPI_30) == Breaking(
        {"title": ""}
    )
    first = document(
        A={"$ref": "#/components/schemas/B"}, B={"dependentRequired": {"title": ["a"]}, **plain}
    )
    second = document(
        A={"$ref": "#/components/schemas/B"}, B={"dependentRequired": {"title": ["b"]}, **plain}
    )
    assert isinstance(ask(first, second, "accepts", OPENAPI_31), Breaking | Risky)


# -- samples ---------------------------------------------------------------------------------------


def test_a_sample_is_valid_on_both_sides_where_it_can_be() -> None:
    old = document(A=record(["n", "d"], n={**I, "minimum": 3}, d={**S, "format": "date"}, id=READ))
    new = document(A=record(["n"], n={**I, "minimum": 5}))
    pair = Pair(old, new, OPENAPI_30)
    pointer = "#/components/schemas/A"
    assert pair.sample("old", pointer, "accepts", None) == {"n": 3, "d": "2020-02-29"}
    assert pair.sample("old", pointer, "accepts", pointer) == {"n": 5, "d": "2020-02-29"}
    apart = document(A=record(["n"], n={**I, "maximum": 1}))
    assert Pair(old, apart, OPENAPI_30).sample("old", pointer, "accepts", pointer) == {
        "n": 3,
        "d": "2020-02-29",
    }


def test_what_nothing_can_be_has_no_sample() -> None:
    pair = Pair(document(A={"allOf": [S, I]}), document(A=S), OPENAPI_30)
    for pointer in ("#/components/schemas/A", "#/components/schemas/None"):
        with pytest.raises(NoSample):
            pair.sample("old", pointer, "accepts", None)
