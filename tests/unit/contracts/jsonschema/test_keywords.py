"""Each keyword: what a change of it does to those who send and those who read."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.contracts.jsonschema.judging import verdict, witness

S = {"type": "string"}
I = {"type": "integer"}  # noqa: E741 -- short beside S and O
O = {"type": "object"}  # noqa: E741 -- short beside S and I
A = {"type": "array"}
EITHER = {"anyOf": [{"enum": ["x"]}, {"enum": ["y"]}]}

# What the first takes and the second does not, or None where there is no such value.
NARROWED: list[tuple[Any, Any, Any]] = [
    (True, False, "any"),
    (S, I, ""),
    (I, {"type": "number"}, None),
    ({"type": "number"}, I, 0.1),
    ({"type": ["string", "null"]}, S, None.__class__),
    ({"enum": [1, 2]}, {"enum": [1]}, 2),
    ({"enum": [1.0, "a"]}, {"enum": ["a", 1]}, None),
    ({"enum": [True]}, {"enum": [1]}, True),
    ({"enum": [[1, {"a": 2}]]}, {"const": [1.0, {"a": 2.0}]}, None),
    ({"const": {"a": [1, 2]}}, {"const": {"a": [1, 3]}}, {"a": [1, 2]}),
    ({"type": "boolean"}, {"enum": [True, False]}, None),
    ({"type": "boolean"}, {"enum": [True]}, False),
    # numbers
    ({**I, "maximum": 9}, {**I, "maximum": 5}, 6),
    ({**I, "maximum": 5}, {**I, "exclusiveMaximum": 6}, None),
    ({"type": "number", "maximum": 5}, {"exclusiveMaximum": 5}, 5),
    ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, {"multipleOf": 0.1}, "any"),
    ({**I, "multipleOf": 6}, {"multipleOf": 3}, None),
    ({**I, "multipleOf": 5}, {"multipleOf": 10}, 5),
    ({"type": "number", "multipleOf": 0.1}, {"multipleOf": 0.01}, None),
    ({"multipleOf": 1.5, "type": "integer"}, {"multipleOf": 3}, None),
    ({**I, "minimum": 9007199254740993}, {"minimum": 9007199254740994}, 9007199254740993),
    ({**I, "minimum": 1, "maximum": 2}, {"enum": [1, 2]}, None),
    # strings
    ({**S, "maxLength": 5}, {**S, "maxLength": 4}, "aaaaa"),
    ({**S, "minLength": 1}, {"minLength": 2}, "a"),
    ({**S, "pattern": "^a+$"}, {"pattern": "^a"}, None),
    ({**S, "pattern": "^a"}, {"pattern": "^a+$"}, "a0"),
    ({**S, "pattern": "^[0-9]{3}$"}, {"minLength": 3, "maxLength": 3}, None),
    ({**S, "maxLength": 0}, {"enum": [""]}, None),
    # arrays
    ({**A, "maxItems": 3}, {"maxItems": 2}, "any"),
    ({**A, "items": I}, {"items": {"type": "number"}}, None),
    ({**A, "items": I, "minItems": 1}, {"items": S}, [0]),
    ({**A, "prefixItems": [S]}, {"prefixItems": [S, S]}, "any"),
    ({**A, "prefixItems": [I, S], "items": False}, {"maxItems": 2}, None),
    ({**A, "items": {"enum": [1, 2]}, "uniqueItems": True}, {"maxItems": 2}, None),
    ({**A, "items": {"enum": [1, 2, 3]}, "uniqueItems": True}, {"maxItems": 2}, "any"),
    ({**A, "items": {"type": "boolean"}, "minItems": 3}, {"not": {"uniqueItems": True}}, None),
    ({**A, "contains": S}, {"minItems": 1}, None),
    ({**A, "contains": S, "minContains": 2}, {"minItems": 3}, ["", ""]),
    ({**A, "contains": S, "maxContains": 2}, {"contains": S, "maxContains": 1}, ["", ""]),
    ({**A, "contains": S, "maxContains": 1}, {"contains": S, "maxContains": 2}, None),
    ({**A, "contains": S, "minContains": 0}, {"maxItems": 0}, "any"),
    ({**A, "items": S, "contains": {"const": "a"}, "maxContains": 1, "minItems": 2}, {"items": {"const": "a"}}, "any"),
    ({**A, "maxItems": 900}, {"maxItems": 800}, "any"),
    # objects
    ({**O, "required": ["a"]}, {"required": ["a", "b"]}, {"a": None}),
    ({**O, "properties": {"a": I}}, {"properties": {"a": S}}, {"a": 0}),
    ({**O, "patternProperties": {"^a": I}}, {"properties": {"ab": {"type": "number"}}}, None),
    ({**O, "properties": {"a": I}, "additionalProperties": False}, {"maxProperties": 1}, None),
    ({**O, "propertyNames": {"enum": ["a", "b"]}}, {"maxProperties": 2}, None),
    ({**O, "propertyNames": {"enum": ["a", "b"]}}, {"maxProperties": 1}, "any"),
    ({**O, "propertyNames": {"maxLength": 1}}, {"propertyNames": {"pattern": "^.?$"}}, "any"),
    ({**O, "propertyNames": {"pattern": "^a"}}, {"patternProperties": {"^b": False}}, None),
    ({**O, "minProperties": 3}, {"required": ["a"]}, "any"),
    ({**O, "minProperties": 1, "propertyNames": {"const": "a"}}, {"required": ["a"]}, None),
    ({**O, "dependentRequired": {"a": ["b"]}, "required": ["a"]}, {"required": ["b"]}, None),
    ({**O, "dependentSchemas": {"a": {"required": ["b"]}}}, {"dependentRequired": {"a": ["b"]}}, None),
    ({**O, "maxProperties": 1}, {"not": {"required": ["a", "b"]}}, None),
    ({**O, "additionalProperties": I}, {"properties": {"a": {"minimum": 0}}}, {"a": -1}),
    ({**O, "properties": {"a": False}}, {"not": {"required": ["a"]}}, None),
    # logic
    ({"oneOf": [S, I]}, {"anyOf": [S, I]}, None),
    ({"anyOf": [{"minimum": 0}, {"maximum": 5}]}, {"oneOf": [{"minimum": 0}, {"maximum": 5}]}, "any"),
    ({"oneOf": [{"type": "number"}, I]}, {"not": I}, None),
    ({"oneOf": [S, S]}, False, None),
    ({"oneOf": [{**S, "maxLength": 0, **EITHER}, EITHER]}, {"oneOf": [EITHER, EITHER]}, "any"),
    ({"oneOf": [{"required": ["a"]}] * 2}, {"not": O}, None),
    ({"not": {"not": S}}, S, None),
    ({"if": S, "then": {"minLength": 2}, "else": I}, {"type": ["integer", "string"]}, None),
    ({"if": S, "then": {"minLength": 2}}, {"if": S, "then": {"minLength": 3}}, "aa"),
    ({"then": S}, {"type": "null"}, "any"),
    ({"allOf": [{"minimum": 1}, {"maximum": 0}], "type": "number"}, False, None),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "expected"), NARROWED)
def test_a_value_is_lost_or_none_is(old: Any, new: Any, expected: Any) -> None:
    if expected is None:
        assert verdict(old, new) == "compatible"
        return
    found = witness(old, new)
    if expected not in ("any", type(None)):
        assert found == expected
        assert isinstance(found, bool) == isinstance(expected, bool)


@pytest.mark.parametrize(("old", "new", "expected"), NARROWED)
def test_directions_mirror_each_other(old: Any, new: Any, expected: Any) -> None:
    name = "compatible" if expected is None else "breaking"
    assert verdict(new, old, "produces") == name


UNEVALUATED: list[tuple[Any, Any, Any]] = [
    (
        {**O, "allOf": [{"properties": {"a": I}}], "unevaluatedProperties": False},
        {**O, "properties": {"a": I}, "additionalProperties": False},
        None,
    ),
    (
        {**O, "anyOf": [{"properties": {"a": I}, "required": ["a"]}, {"properties": {"b": I}}],
         "unevaluatedProperties": False},
        {"propertyNames": {"enum": ["a"]}},
        {"b": 0},
    ),
    (
        {**O, "if": {"required": ["a"]}, "then": {"properties": {"a": S, "b": S}},
         "unevaluatedProperties": False},
        {"maxProperties": 0},
        {"a": ""},
    ),
    (
        {**O, "if": {"required": ["a"]}, "then": {"properties": {"b": S}},
         "unevaluatedProperties": False},
        {"maxProperties": 0},
        None,
    ),
    (
        {**A, "prefixItems": [I], "unevaluatedItems": False},
        {"maxItems": 1},
        None,
    ),
    (
        {**A, "contains": S, "unevaluatedItems": I},
        {"items": {"type": ["string", "integer"]}},
        None,
    ),
    (
        {**A, "allOf": [{"prefixItems": [I, I]}], "unevaluatedItems": False},
        {"maxItems": 1},
        [0, 0],
    ),
    (
        {"$defs": {"p": {"properties": {"a": I}}}, **O, "$ref": "#/$defs/p",
         "unevaluatedProperties": False},
        {"propertyNames": {"const": "a"}},
        None,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "expected"), UNEVALUATED)
def test_what_nothing_evaluated_is_known_by_cases(old: Any, new: Any, expected: Any) -> None:
    if expected is None:
        assert verdict(old, new) == "compatible"
    else:
        assert witness(old, new) == expected


def test_too_many_cases_of_evaluation_are_undecided() -> None:
    branches = [{"properties": {f"p{each}": I}} for each in range(9)]
    old = {**O, "anyOf": branches, "unevaluatedProperties": False}
    assert verdict(old, {"maxProperties": 20}) == "keyword-not-followed:unevaluatedProperties"
