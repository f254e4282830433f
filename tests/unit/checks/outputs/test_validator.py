from __future__ import annotations

import json
import time

import pytest

from groundwire.checks.write.outputs.bounding import (
    LARGEST_SCHEMA,
    NotFollowed,
    Places,
    fits_in,
    size,
)
from groundwire.checks.write.outputs.validator import Misfit, Prepared, Unusable, prepared

DRAFT_4 = "http://json-schema.org/draft-04/schema#"
DRAFT_7 = "http://json-schema.org/draft-07/schema#"


def held(schema: object, value: object) -> Misfit | Unusable | None:
    made = prepared(json.dumps(schema))
    assert isinstance(made, Prepared)
    return made.misfit(value)  # type: ignore[arg-type]  # JSON


def doubling(levels: int) -> dict[str, object]:
    """A schema that costs twice as much a level, in one place."""
    named: dict[str, object] = {
        f"a{level}": {"allOf": [{"$ref": f"#/$defs/a{level + 1}"}] * 2} for level in range(levels)
    }
    return {"$ref": "#/$defs/a0", "$defs": named | {f"a{levels}": {"type": "string"}}}


BRANCHING = {
    "$ref": "#/$defs/n",
    "$defs": {
        "n": {
            "anyOf": [
                {"required": ["a"], "properties": {"a": {"$ref": "#/$defs/n"}}, "type": "object"}
            ]
            * 2
        }
    },
}


def nested(depth: int) -> object:
    value: object = 1
    for _ in range(depth):
        value = {"a": value}
    return value


def test_the_first_place_that_does_not_fit_is_told_without_its_value() -> None:
    found = held({"items": {"type": "integer"}}, [1, "private", 2, "other"])
    assert found == Misfit("/1", "type", 'the value is not of type "integer"', "private")


def test_a_pointer_is_escaped() -> None:
    schema = {"properties": {"a/b": {"properties": {"c~d": {"type": "null"}}}}}
    found = held(schema, {"a/b": {"c~d": 1}})
    assert isinstance(found, Misfit)
    assert found.pointer == "/a~1b/c~0d"


@pytest.mark.parametrize("draft", [DRAFT_7, "https://json-schema.org/draft/2020-12/schema"])
def test_formats_are_no_reason(draft: str) -> None:
    assert held({"$schema": draft, "format": "date"}, "soon") is None


def test_draft_4_does_not_tell_1_0_from_1_here() -> None:
    whole = {"$schema": DRAFT_4, "items": {"type": "integer"}}
    assert held(whole, [1.0, -0.0, 2.0]) is None
    assert held({"$schema": DRAFT_4, "type": "integer"}, 3.0) is None
    nested_value = {"$schema": DRAFT_4, "properties": {"n": {"type": "integer"}}}
    assert held(nested_value, {"n": 1.0}) is None
    found = held(whole, [1.5])
    assert isinstance(found, Misfit)
    assert found.rule == "type"


def test_what_a_draft_demands_of_encoded_texts_is_no_reason() -> None:
    schema = {"$schema": DRAFT_7, "contentMediaType": "application/json"}
    assert held(schema, "{") == Unusable("content-demanded")
    assert held(schema, "{}") is None


@pytest.mark.parametrize(
    ("schema", "value"),
    [(doubling(40), 1), (BRANCHING, nested(60)), ({"allOf": [{"$ref": "#"}] * 2}, 1)],
)
def test_work_without_end_is_not_begun(schema: object, value: object) -> None:
    begun = time.process_time()
    assert held(schema, value) == Unusable("too-many-steps")
    assert time.process_time() - begun < 5


def test_a_schema_that_refers_to_itself_is_held_against_what_is_not_too_deep() -> None:
    assert isinstance(held(BRANCHING, nested(6)), Misfit)
    tree = {"properties": {"c": {"items": {"$ref": "#"}}}, "required": ["id"]}
    value = {"id": 1, "c": [{"id": 2, "c": []}, {"c": []}]}
    found = held(tree, value)
    assert isinstance(found, Misfit)
    assert found.pointer == "/c/1"


def test_a_large_result_is_within_bounds_where_the_schema_is_small() -> None:
    rows = [{"id": number} for number in range(20_000)]
    assert held({"items": {"properties": {"id": {"type": "integer"}}}}, rows) is None


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#name", "$defs": {"a": {"$anchor": "name"}}},
        {"properties": {"a": {"$id": "https://example.com/a", "$ref": "#/$defs/b"}}},
        {"properties": {"a": {"$ref": "#/$defs/a%20b"}}, "$defs": {"a b": {}}},
    ],
)
def test_what_is_referred_to_by_a_name_is_not_followed(schema: object) -> None:
    with pytest.raises(NotFollowed):
        size(Places(schema))  # type: ignore[arg-type]  # JSON


def test_a_schema_by_a_name_of_its_own_is_followed() -> None:
    schema = {"$id": "https://example.com/a", "$ref": "#/$defs/b", "$defs": {"b": {"type": "null"}}}
    assert held(schema, None) is None
    assert isinstance(held(schema, 1), Misfit)


def test_every_keyword_that_holds_a_schema_is_counted() -> None:
    here = {
        "allOf": [{}],
        "anyOf": [{}],
        "oneOf": [{}],
        "not": {},
        "if": {},
        "then": {},
        "else": {},
    }
    more = {
        "dependentSchemas": {"a": {}},
        "dependencies": {"b": {}, "c": ["d"]},
        "$ref": "#/$defs/x",
    }
    below = {
        "properties": {"a": {}},
        "patternProperties": {"a": {}},
        "additionalProperties": {},
        "propertyNames": {},
        "items": {},
        "contains": {},
        "prefixItems": [{}, {}],
    }
    assert size(Places({**here, **more, **below, "$defs": {"x": {}, "y": {}}})) == 19
    # Those are asked twice where what is left over is spoken of.
    assert size(Places({**here, "unevaluatedProperties": {}})) == 16
    assert size(Places({"items": [{}, True], "additionalItems": False})) == 4


def test_the_size_of_a_schema_ends() -> None:
    assert size(Places({"properties": {"a": {"$ref": "#"}}})) is None
    wide = {"properties": {str(number): {} for number in range(LARGEST_SCHEMA)}}
    assert size(Places(wide)) is None


def test_steps_are_counted_at_values() -> None:
    places = Places(BRANCHING)  # type: ignore[arg-type]  # JSON
    assert fits_in(places, None, nested(4), 1)  # type: ignore[arg-type]  # JSON
    assert not fits_in(places, None, nested(40), 1)  # type: ignore[arg-type]  # JSON
    # A size says something only together with how much is held against it.
    assert not fits_in(places, 10_000, nested(40), 1_000)  # type: ignore[arg-type]  # JSON
    assert fits_in(places, 10_000, nested(40), 100)  # type: ignore[arg-type]  # JSON


def test_a_schema_is_made_ready_once() -> None:
    text = json.dumps({"title": "once"})
    assert prepared(text) is prepared(text)
    assert prepared('{"title":"' + "a" * (1 << 20) + '"}') == Unusable("unreadable-schema")
