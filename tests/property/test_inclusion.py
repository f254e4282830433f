"""What is called compatible holds for every value that is tried; and how a schema is written down
changes no verdict."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.contracts.jsonschema.comparing import Options, compare
from groundwire.contracts.verdict import Breaking, Compatible, Risky, Undecided

NAMES = st.sampled_from(["a", "b", "ab", "x-1"])
PATTERNS = st.sampled_from(["^a", "b$", "^[ab]+$", "a|b", "^.{2}$", r"\d"])
SCALARS = st.sampled_from([None, True, False, 0, 1, 2, -1, 1.5, "", "a", "b", "ab", "x-1"])
VALUES = st.recursive(
    SCALARS,
    lambda part: st.lists(part, max_size=3) | st.dictionaries(NAMES, part, max_size=3),
    max_leaves=6,
)
TYPES = st.sampled_from(["null", "boolean", "integer", "number", "string", "array", "object"])
COUNTS = st.integers(0, 3)
NUMBERS = st.sampled_from([-1, 0, 1, 1.5, 2, 5])
LEAVES = (
    st.booleans()
    | st.fixed_dictionaries({"type": TYPES})
    | st.fixed_dictionaries({"const": SCALARS})
    | st.just({"$ref": "#/$defs/r"})
)
OPTIONS = Options(formats=False)


def schemas(part: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    some = st.lists(part, min_size=1, max_size=3)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": TYPES | st.lists(TYPES, min_size=1, max_size=3, unique=True),
            "enum": st.lists(VALUES, min_size=1, max_size=4),
            "minimum": NUMBERS,
            "exclusiveMaximum": NUMBERS,
            "multipleOf": st.sampled_from([0.5, 1, 2, 3]),
            "minLength": COUNTS,
            "maxLength": COUNTS,
            "pattern": PATTERNS,
            "items": part,
            "prefixItems": st.lists(part, min_size=1, max_size=2),
            "contains": part,
            "minContains": COUNTS,
            "maxContains": COUNTS,
            "maxItems": COUNTS,
            "uniqueItems": st.booleans(),
            "unevaluatedItems": part,
            "properties": st.dictionaries(NAMES, part, max_size=3),
            "patternProperties": st.dictionaries(PATTERNS, part, max_size=2),
            "additionalProperties": part,
            "unevaluatedProperties": part,
            "propertyNames": part,
            "required": st.lists(NAMES, max_size=2, unique=True),
            "minProperties": COUNTS,
            "maxProperties": COUNTS,
            "dependentRequired": st.dictionaries(NAMES, st.lists(NAMES, max_size=2, unique=True), max_size=1),
            "dependentSchemas": st.dictionaries(NAMES, part, max_size=1),
            "allOf": some,
            "anyOf": some,
            "oneOf": some,
            "not": part,
            "if": part,
            "then": part,
            "else": part,
        },
    ).map(lambda schema: dict(list(schema.items())[:4]))  # fmt: skip


SCHEMAS = st.recursive(LEAVES, schemas, max_leaves=5)
ROOTS = st.builds(
    lambda schema, other: {"$defs": {"r": other}, "allOf": [schema]}, SCHEMAS, SCHEMAS
)


def is_valid(schema: Any, value: Any) -> bool:
    return jsonschema_rs.Draft202012Validator(schema, validate_formats=False).is_valid(value)


@given(ROOTS, ROOTS, ROOTS, st.lists(VALUES, max_size=12))
@settings(max_examples=400)
def test_no_value_of_a_compatible_schema_is_refused(
    old: Any, new: Any, third: Any, values: list[Any]
) -> None:
    found = compare(old, new, "accepts", OPTIONS)
    if isinstance(found, Undecided):
        assert not found.reason.startswith("witness"), found
    if not isinstance(found, Compatible):
        return
    # A value of the old schema that is made for the purpose: what breaks in a change to a third.
    made = [compare(old, other, "accepts", OPTIONS) for other in (third, False)]
    values = values + [each.witness for each in made if isinstance(each, Breaking | Risky)]
    for value in values:
        assert not is_valid(old, value) or is_valid(new, value), value


@given(ROOTS, ROOTS)
@settings(max_examples=200)
def test_a_schema_is_within_what_it_is_one_of_and_around_what_also_holds(
    schema: Any, other: Any
) -> None:
    parts = {"one": schema["$defs"]["r"], "schema": schema["allOf"][0], "other": other["allOf"][0]}
    defs = {"$defs": {"r": parts["one"]}}
    wider = {**defs, "anyOf": [parts["schema"], parts["other"]]}
    narrower = {**defs, "allOf": [parts["schema"], parts["other"]]}
    assert not isinstance(compare(schema, wider, "accepts", OPTIONS), Breaking | Risky)
    assert not isinstance(compare(narrower, schema, "accepts", OPTIONS), Breaking | Risky)


def reordered(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {name: reordered(schema[name]) for name in reversed(schema)}
    return [reordered(each) for each in schema] if isinstance(schema, list) else schema


def kind(old: Any, new: Any) -> str:
    return type(compare(old, new, "accepts", OPTIONS)).__name__


@given(ROOTS, ROOTS)
@settings(max_examples=200)
def test_the_order_of_keys_and_how_schemas_are_nested_change_no_verdict(old: Any, new: Any) -> None:
    before = compare(old, new, "accepts", OPTIONS)
    assert compare(reordered(old), reordered(new), "accepts", OPTIONS) == before
    split = {"$defs": new["$defs"], "allOf": [{"allOf": new["allOf"]}, {"anyOf": new["allOf"]}]}
    assert kind(old, split) == type(before).__name__
    hoisted = {"$defs": {**new["$defs"], "moved": new["allOf"][0]}, "$ref": "#/$defs/moved"}
    assert kind(old, hoisted) == type(before).__name__
