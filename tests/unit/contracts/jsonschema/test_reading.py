"""How documents are read: dialects, references, what is declared, formats, and bad input."""

from __future__ import annotations

from typing import Any

import pytest

from groundwire.contracts.jsonschema.comparing import Options, compare
from groundwire.contracts.verdict import Breaking, Compatible, Risky, Undecided
from tests.unit.contracts.jsonschema.judging import verdict, witness

S = {"type": "string"}
DRAFT_4 = "http://json-schema.org/draft-04/schema#"
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
FORMATS = Options()


# -- declared names --------------------------------------------------------------------------------


def test_a_new_optional_property_is_risky_only_by_names_that_nobody_declared() -> None:
    old = {"type": "object", "properties": {"a": S}}
    new = {"type": "object", "properties": {"a": S, "b": S}}
    found = compare(old, new, "accepts")
    assert isinstance(found, Risky)
    assert isinstance(found.witness, dict)
    assert "b" in found.witness
    assert compare(old, new, "produces") == Compatible()


def test_closing_an_object_breaks_those_who_send_free_forms_and_is_a_risk_for_others() -> None:
    closed = {"type": "object", "properties": {"a": S}, "additionalProperties": False}
    assert verdict({"type": "object"}, closed) == "breaking"
    assert verdict({"type": "object", "properties": {"a": S}}, closed) == "risky"
    opened = {"type": "object", "properties": {"a": S}, "additionalProperties": S}
    assert verdict(opened, closed) == "breaking"


def test_names_declared_by_parts_of_a_schema_count_together() -> None:
    old = {"allOf": [{"properties": {"a": S}}, {"properties": {"b": S}}], "type": "object"}
    new = {"not": {"required": ["a", "b"]}}
    assert witness(old, new) == {"a": "", "b": ""}


def test_names_in_parts_are_declared_too() -> None:
    inner = {"type": "object", "properties": {"a": S}}
    old = {"type": "array", "items": inner}
    new = {"type": "array", "items": {**inner, "properties": {"a": S, "b": S}}}
    assert verdict(old, new) == "risky"


# -- references ------------------------------------------------------------------------------------

LIST = {"type": "object", "properties": {"v": S, "next": {"$ref": "#"}}, "required": ["v"]}
NAMED = {
    "$ref": "#/$defs/M",
    "$defs": {
        "M": {
            "type": "object",
            "properties": {"v": S, "next": {"$ref": "#/$defs/M"}},
            "required": ["v"],
        }
    },
}


def test_recursive_schemas_that_are_alike_are_compatible_however_they_are_written() -> None:
    assert verdict(LIST, NAMED) == "compatible"
    assert verdict(NAMED, LIST) == "compatible"


def test_a_difference_below_a_recursion_is_found() -> None:
    other: Any = {
        "$ref": "#/$defs/n",
        "$defs": {
            "n": {
                "type": "object",
                "properties": {
                    "v": {"type": "string", "maxLength": 0},
                    "next": {"$ref": "#/$defs/n"},
                },
                "required": ["v"],
            }
        },
    }
    assert witness(LIST, other) == {"v": "a"}
    assert verdict(other, LIST) == "compatible"


def test_a_witness_goes_as_deep_as_it_must() -> None:
    def tree(right: Any) -> Any:
        members = {"l": {"$ref": "#/$defs/n"}, "r": right}
        node = {"type": "object", "properties": members, "required": ["l", "r"]}
        return {"$defs": {"n": {"anyOf": [{"type": "null"}, node]}}, "$ref": "#/$defs/n"}

    whole, comb = tree({"$ref": "#/$defs/n"}), tree({"type": "null"})
    assert witness(whole, comb) == {"l": None, "r": {"l": None, "r": None}}
    assert verdict(comb, whole) == "compatible"


def test_a_schema_that_no_finite_value_fits_is_empty() -> None:
    endless: Any = {
        "$defs": {
            "n": {"type": "object", "properties": {"n": {"$ref": "#/$defs/n"}}, "required": ["n"]}
        },
        "$ref": "#/$defs/n",
    }
    assert verdict(endless, False) == "compatible"
    items = {"$defs": endless["$defs"], "type": "array", "items": {"$ref": "#/$defs/n"}}
    assert verdict({**items, "minItems": 1}, False) == "compatible"
    assert witness(items, False) == []


def test_an_answer_that_leaned_on_a_goal_still_open_is_not_kept_for_good() -> None:
    """While `a` is asked, `b` looks empty: it needs an `a`. Then `a` turns out to have a value."""
    defs = {
        "a": {
            "anyOf": [
                {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/b"}},
                {"type": "object", "properties": {"z": {"const": "k"}}, "required": ["z"]},
            ]
        },
        "b": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/a"}},
    }
    parts = [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}]
    both = {"$defs": defs, "type": "array", "minItems": 2, "items": False, "prefixItems": parts}
    assert witness(both, False) == [{"z": "k"}, [{"z": "k"}]]


@pytest.mark.parametrize(
    ("reference", "defs"),
    [
        ("#name", {"x": {"$anchor": "name", **S}}),
        ("#/$defs/a~1b%20c", {"a/b c": S}),
        ("http://example.com/s", {"x": {"$id": "http://example.com/s", **S}}),
        ("http://example.com/s#in", {"x": {"$id": "http://example.com/s",
                                           "$defs": {"y": {"$anchor": "in", **S}}}}),
        ("http://example.com/s", {"x": {"$id": "http://example.com/s", "$ref": "#/$defs/y",
                                        "$defs": {"y": S}}}),
    ],
)  # fmt: skip
def test_references_inside_the_document_are_followed(reference: str, defs: Any) -> None:
    document = {"$defs": defs, "$ref": reference}
    assert verdict(document, S) == "compatible"
    assert verdict(document, {"type": "integer"}) == "breaking"


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        ("http://example.com/other.json", "reference-remote"),
        ("other.json#/a", "reference-remote"),
        ("file:///etc/passwd", "reference-remote"),
        ("#/$defs/none", "reference-dangling"),
        ("#none", "reference-dangling"),
        (3, "reference-invalid"),
    ],
)
def test_references_out_of_it_are_not(reference: Any, reason: str) -> None:
    assert verdict(S, {"$ref": reference}) == reason


@pytest.mark.parametrize(
    "defs",
    [
        {"a": {"$ref": "#/$defs/a"}},
        {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"anyOf": [{"$ref": "#/$defs/a"}, S]}},
    ],
)
def test_a_reference_to_itself_over_the_same_value_is_never_compatible(defs: Any) -> None:
    assert verdict(S, {"$defs": defs, "$ref": "#/$defs/a"}) in {"reference-cycle", "breaking"}
    assert verdict({"$defs": defs, "$ref": "#/$defs/a"}, S) in {"reference-cycle", "breaking"}


@pytest.mark.parametrize(
    "defs",
    [
        {"a": {"not": {"$ref": "#/$defs/a"}}},
        {"a": {"if": {"$ref": "#/$defs/a"}, "then": S}},
        {"a": {"not": {"$ref": "#/$defs/b"}}, "b": {"allOf": [{"$ref": "#/$defs/a"}]}},
        {"a": {"oneOf": [{"$ref": "#/$defs/a"}, S]}},
    ],
)
def test_a_schema_that_denies_itself_is_nobodys_to_judge(defs: Any) -> None:
    document = {"$defs": defs, "$ref": "#/$defs/a"}
    assert verdict({"type": ["string", "null"]}, document) == "reference-paradox"
    assert verdict({"allOf": [{"type": "null"}, document], "$defs": defs}, S) == "reference-paradox"


# -- dialects --------------------------------------------------------------------------------------


def test_dialects_read_the_same_keyword_in_their_own_way() -> None:
    four = {"$schema": DRAFT_4, "type": "integer", "minimum": 3, "exclusiveMinimum": True}
    assert verdict(four, {"$schema": DRAFT_7, "type": "integer", "minimum": 4}) == "compatible"
    assert verdict(four, {"type": "integer", "exclusiveMinimum": 3}) == "compatible"
    assert witness({"type": "integer", "minimum": 3}, four) == 3


def test_a_reference_hides_what_stands_beside_it_up_to_draft_7_only() -> None:
    beside = {"definitions": {"s": S}, "$ref": "#/definitions/s", "maxLength": 1}
    assert verdict({"$schema": DRAFT_7, **beside}, {"maxLength": 1}) == "breaking"
    assert verdict(beside, {"maxLength": 1}) == "compatible"


def test_lists_of_items_are_read_where_they_are_items() -> None:
    items = {"type": "array", "items": [S], "additionalItems": False}
    assert verdict({"$schema": DRAFT_7, **items}, {"maxItems": 1}) == "compatible"
    assert verdict(items, {"maxItems": 1}) in {
        "keyword-invalid:items",
        "keyword-unknown:additionalItems",
    }
    new = {"type": "array", "prefixItems": [S], "items": False}
    assert verdict(new, {"$schema": DRAFT_7, **items}) == "compatible"


def test_dependencies_are_read_where_they_are_a_keyword() -> None:
    old = {
        "$schema": DRAFT_7,
        "type": "object",
        "dependencies": {"a": ["b"], "b": {"required": ["c"]}},
    }
    assert verdict({**old, "required": ["a"]}, {"required": ["b", "c"]}) == "compatible"
    without = {name: each for name, each in old.items() if name != "$schema"}
    assert verdict({"type": "object"}, without) == "keyword-unknown:dependencies"


def test_nullable_is_of_openapi_3_0_and_needs_a_type() -> None:
    openapi = Options(dialect="openapi-3.0")
    assert verdict({**S, "nullable": True}, S, options=openapi) == "breaking"
    assert verdict(S, {**S, "nullable": True}, options=openapi) == "compatible"
    listed = {**S, "nullable": True, "enum": ["a"]}
    # Whether null is allowed then, people differ.
    assert verdict(listed, {"enum": ["a"]}, options=openapi) == "nullable-beside-enum"
    assert (
        verdict({**listed, "title": "a"}, {**listed, "minLength": 0}, options=openapi)
        == "compatible"
    )
    with_null = {**listed, "enum": ["a", None]}
    assert verdict(with_null, {"enum": ["a"]}, options=openapi) == "breaking"
    exclusive = {"type": "integer", "minimum": 3, "exclusiveMinimum": True}
    assert verdict(exclusive, {"type": "integer", "minimum": 4}, options=openapi) == "compatible"


# -- formats ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"format": "date"}, {"format": "date"}, "compatible"),
        ({"format": "date"}, {}, "compatible"),
        ({}, {"format": "date"}, "breaking"),
        ({"format": "date"}, {"format": "uuid"}, "breaking"),
        ({"format": "one"}, {"format": "other"}, "format"),
        ({"format": "uri"}, {"format": "uri-reference"}, "compatible"),
    ],
)
def test_formats_are_names_of_which_some_contain_others(old: Any, new: Any, expected: str) -> None:
    assert verdict({**S, **old}, {**S, **new}, options=FORMATS) == expected
    assert verdict({**S, **old}, {**S, **new}) == "compatible"


def test_of_a_format_a_sample_is_tried_that_holds_to_all_else() -> None:
    stamp = {**S, "format": "date-time"}
    for old, new, sample in (
        (stamp, {**stamp, "pattern": "^[a-z]+$"}, "2020-02-29T12:00:00Z"),
        ({**S, "format": "date", "pattern": "^1"}, {"pattern": "^2"}, "1999-12-31"),
        ({**S, "format": "uuid"}, {"enum": ["a"]}, "123e4567-e89b-42d3-a456-426614174000"),
    ):
        assert compare(old, new, "accepts", FORMATS) == Breaking(sample)
    assert (
        verdict({**S, "format": "date", "pattern": "^x"}, {"pattern": "^2"}, options=FORMATS)
        == "format"
    )


def test_formats_of_numbers_contain_one_another_and_are_not_guessed_at() -> None:
    small = {"type": "integer", "format": "int32"}
    large = {"type": "integer", "format": "int64"}
    assert verdict(small, large, options=FORMATS) == "compatible"
    assert verdict(large, small, options=FORMATS) == "format"


# -- what is not understood ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keyword", "value"), [("minLenght", 3), ("contentSchema", {"a": 1}), ("nullable", True)]
)
def test_a_keyword_that_is_not_known_is_no_change_only_where_it_did_not_change(
    keyword: str, value: Any
) -> None:
    assert verdict(S, {**S, keyword: value}) == f"keyword-unknown:{keyword}"
    assert verdict({**S, keyword: value, "title": "a"}, {**S, keyword: value}) == "compatible"
    assert verdict({**S, keyword: value}, {"type": "integer"}) == "breaking"


def test_annotations_and_extensions_say_nothing() -> None:
    new = {**S, "title": "t", "description": "d", "examples": [1], "x-order": 3, "default": "a"}
    assert verdict(S, new) == "compatible"
    assert verdict(new, S) == "compatible"


def test_a_pattern_that_is_no_language_is_tried_on_the_witness() -> None:
    looking = {**S, "pattern": "^(?=x)x$"}
    assert witness({"enum": ["x", "y"]}, looking) == "y"
    assert verdict(looking, {"enum": ["x"]}) == "pattern-not-regular"
    assert verdict(looking, {**looking, "minLength": 0}) == "compatible"


def test_a_dynamic_reference_is_followed_where_it_leads_to_one_place_alone() -> None:
    assert verdict(S, {"$recursiveRef": "#", **S}) == "keyword-not-followed:$recursiveRef"
    leaf = {"$dynamicAnchor": "leaf", "type": "integer"}
    once = {"$defs": {"leaf": leaf}, "items": {"$dynamicRef": "#leaf"}}
    assert witness({"type": "array"}, once) == [None]
    assert verdict({"items": {"type": "integer", "minimum": 1}}, once) == "compatible"
    twice = {**once, "$defs": {"leaf": leaf, "other": {**leaf, "$id": "https://e/other"}}}
    sent = {"type": "array", "items": {"type": "integer"}, "minItems": 1}
    assert verdict(sent, twice) == "reference-dynamic"


# -- bad input -------------------------------------------------------------------------------------


def nested(depth: int) -> Any:
    schema: Any = {}
    for _ in range(depth):
        schema = {"not": schema}
    return schema


def within_itself() -> Any:
    schema: Any = {}
    schema["not"] = schema
    return schema


def doubled() -> Any:
    schema: Any = S
    for _ in range(40):
        schema = {"anyOf": [schema, schema]}
    return schema


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (nested(10_000), "document-too-deep"),
        (within_itself(), "document-too-deep"),
        (doubled(), "document-too-large"),
        ({"const": 10**9_000}, "number-too-long"),
        ({"const": float("nan")}, "not-json"),
        ({"maximum": float("inf")}, "not-json"),
        ({"const": b"bytes"}, "not-json"),
        ({"const": "\ud800"}, "not-json"),
        ({1: 2}, "not-json"),
        ([1], "schema-invalid"),
        (None, "schema-invalid"),
        (3, "schema-invalid"),
        ({"type": "strin"}, "keyword-invalid:type"),
        ({"minLength": "a"}, "keyword-invalid:minLength"),
        ({"minLength": -1}, "keyword-invalid:minLength"),
        ({"minLength": 1.5}, "keyword-invalid:minLength"),
        ({"multipleOf": 0}, "keyword-invalid:multipleOf"),
        ({"anyOf": []}, "keyword-invalid:anyOf"),
        ({"required": "a"}, "keyword-invalid:required"),
        ({"properties": []}, "keyword-invalid:properties"),
        ({"properties": {"a": 3}}, "schema-invalid"),
        ({"pattern": "("}, "keyword-invalid:pattern"),
        ({"patternProperties": {"[": True}}, "keyword-invalid:patternProperties"),
        ({"$schema": "http://example.com/mine"}, "dialect-unknown"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_undecided_in_either_place(document: Any, reason: str) -> None:
    assert verdict(document, True) == reason
    assert verdict(S, document) == reason


def test_a_document_that_cannot_be_read_is_not_even_like_itself() -> None:
    assert verdict(nested(10_000), nested(10_000)) == "document-too-deep"


def test_a_document_is_like_itself_whatever_it_says() -> None:
    for document in ({"$ref": "http://example.com/x"}, {"pattern": "("}, {"$ref": "#"}):
        assert compare(document, dict(document), "accepts") == Compatible()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({**S, "pattern": "^(a|b)*a(a|b){30}$"}, {"pattern": "^(a|b)*b(a|b){29}"}),
        ({**S, "pattern": "^((a{0,50}){0,50}){0,50}$"}, {"pattern": "^a*$"}),
        (
            {"type": "array", "minItems": 30, "maxItems": 40, "uniqueItems": True},
            {"allOf": [{"contains": {"const": each}, "maxContains": 3} for each in range(9)]},
        ),
        (
            {"type": "object"},
            {"patternProperties": {f"{each}$": {"const": each} for each in "abcdefghijk"}},
        ),
    ],
)
def test_the_steps_of_a_question_have_an_end(old: Any, new: Any) -> None:
    found = compare(old, new, "accepts", Options(steps=400))
    assert isinstance(found, Undecided | Breaking)
    if isinstance(found, Undecided):
        assert not found.reason.startswith("witness")


def test_what_only_draft_4_has_is_no_part_of_openapi_3_0() -> None:
    openapi = Options(dialect="openapi-3.0")
    old = {"type": "object", "properties": {"enum": {**S, "nullable": True}, "id": S}}
    new = {"type": "object", "properties": {"enum": S, "id": S}}
    assert compare(old, new, "accepts", openapi) == Breaking({"enum": None})
    assert verdict(S, {**S, "patternProperties": {}}, options=openapi) == (
        "keyword-unknown:patternProperties"
    )
