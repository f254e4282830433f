"""Declared outputs: whatever fits by the library itself is never accused, and nothing raises."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.canon import jcs
from groundwire.checks.write.outputs.validator import Misfit, Prepared, prepared
from groundwire.documents.policy import ToolDeclaration
from tests.stories import Story

KIND = "result-violates-schema"
NAMES = st.sampled_from(["a", "b", "id"])
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from([0.5, 1.0, 2.0, "", "a", "bb"])
)
VALUES = st.recursive(
    SCALARS,
    lambda below: st.one_of(st.lists(below, max_size=3), st.dictionaries(NAMES, below, max_size=3)),
    max_leaves=8,
)
TYPES = st.sampled_from(["object", "array", "string", "integer", "number", "boolean", "null"])
LEAVES = st.one_of(
    st.booleans(),
    st.builds(lambda kind: {"type": kind}, TYPES),
    st.builds(lambda value: {"const": value}, SCALARS),
    st.builds(lambda values: {"enum": values}, st.lists(SCALARS, min_size=1, max_size=3)),
    st.builds(lambda number: {"minimum": number}, st.integers(-2, 2)),
    st.builds(lambda number: {"maxLength": number}, st.integers(0, 2)),
    st.builds(lambda names: {"required": names}, st.lists(NAMES, unique=True, max_size=2)),
    st.just({"pattern": "^a+$"}),
    st.just({"format": "date"}),
    st.just({"$ref": "#"}),
    st.just({"$ref": "#/$defs/one"}),
)


def _larger(below: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(below, min_size=1, max_size=2)
    return st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(NAMES, below, max_size=2),
            "additionalProperties": below,
            "unevaluatedProperties": below,
            "items": below,
            "contains": below,
            "allOf": several,
            "anyOf": several,
            "oneOf": several,
            "not": below,
            "if": below,
            "then": below,
            "type": TYPES,
        },
    )


SCHEMAS = st.builds(
    lambda root, one: {**(root if isinstance(root, dict) else {}), "$defs": {"one": one}},
    st.recursive(LEAVES, _larger, max_leaves=8),
    st.recursive(LEAVES, _larger, max_leaves=4),
)


def library(schema: object) -> jsonschema_rs.Validator | None:
    """The validator as anybody makes it; None where it can make none."""
    try:
        return jsonschema_rs.validator_for(schema, offline=True, validate_formats=False)
    except (ValueError, jsonschema_rs.ValidationError):
        return None


@settings(max_examples=300)
@given(SCHEMAS, VALUES)
def test_what_fits_is_never_accused_and_what_is_accused_does_not_fit(
    schema: dict[str, Any], value: Any
) -> None:
    plain = library(schema)
    story = Story()
    story.declare(ToolDeclaration(name="t", output_schema=json.dumps(schema)))
    story.execute("t", result="", structured=json.dumps(value))
    row = story.row(KIND)
    assert "raised" not in str(row)
    found = story.filed(KIND)
    if plain is None:
        assert found == []
        return
    assert bool(found) == (not plain.is_valid(value)) or "unreachable" in row
    for finding in found:
        assert not plain.is_valid(value)
        assert len(finding.message) < 700


@settings(max_examples=150)
@given(SCHEMAS, VALUES)
def test_the_place_that_is_told_is_one_that_the_library_names(
    schema: dict[str, Any], value: Any
) -> None:
    plain, made = library(schema), prepared(json.dumps(schema))
    if plain is None or not isinstance(made, Prepared):
        return
    found = made.misfit(value)
    if isinstance(found, Misfit):
        named = {
            (tuple(map(str, error.instance_path)), str(error.schema_path[-1]))
            for error in plain.iter_errors(value)
        }
        steps = tuple(
            each.replace("~1", "/").replace("~0", "~") for each in found.pointer.split("/")[1:]
        )
        assert steps in {steps for steps, _ in named}


@settings(max_examples=150)
@given(st.one_of(st.text(max_size=40), VALUES.map(json.dumps)), SCHEMAS)
def test_no_text_raises_and_a_text_without_json_accuses_nobody(
    text: str, schema: dict[str, Any]
) -> None:
    story = Story()
    story.declare(ToolDeclaration(name="t", output_schema=json.dumps(schema)))
    story.execute("t", result=text)
    assert "raised" not in str(story.row(KIND))
    if story.filed(KIND):
        value = jcs.decode_foreign(text.encode()).value
        assert isinstance(value, dict | list)
