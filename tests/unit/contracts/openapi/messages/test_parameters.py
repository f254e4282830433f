"""Parameters: a request that was taken and is not, as it stands on the wire."""

from __future__ import annotations

from typing import Any

import pytest

from groundwire.contracts.openapi.finding import Part
from groundwire.contracts.openapi.messages.parameters import sample_parameters
from groundwire.contracts.openapi.options import Knobs, Options
from tests.unit.contracts.openapi.messages.comparing import A, I, O, S, parameters, schemas, told

N = {"type": "number"}
B = {"type": "boolean"}
REFUSED = ("value", "breaking")
WRITTEN = ("request-parameter-serialisation-changed", "breaking")


def one(schema: Any, place: str = "query", name: str = "q", **more: Any) -> Any:
    found = {"name": name, "in": place, **more}
    return found if schema is None else {**found, "schema": schema}


# -- values ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        (I, N, None),
        (I, S, None),
        (N, S, None),
        (B, S, None),
        (B, {"enum": ["true", "false"]}, None),
        ({"enum": ["true"]}, B, None),
        ({"enum": [1, 2]}, {"enum": ["1", "2", "3"]}, None),
        ({"enum": ["1", "2"]}, I, None),
        ({"type": "integer", "minimum": 1, "maximum": 3}, {"enum": ["1", "2", "3"]}, None),
        ({"type": "integer", "minimum": 1, "maximum": 4}, {"enum": ["1", "2", "3"]}, "4"),
        ({"oneOf": [I, {"enum": ["all"]}]}, S, None),
        ({"type": "integer", "enum": ["a", 1]}, {"enum": ["1"]}, None),
        ({"enum": [1, 2]}, {"type": "string", "enum": ["1", 2]}, "2"),
        ({"type": ["integer", "null"]}, S, None),
        ({"type": "array", "items": I}, A, None),
        (S, I, ""),
        (S, {"enum": ["a"]}, ""),
        ({"enum": ["a", "b"]}, {"enum": ["a"]}, "b"),
        ({"enum": [1, "a"]}, {"enum": ["1", "b"]}, "a"),
        (N, I, "0.1"),
        (S, B, ""),
        ({"type": "integer", "maximum": 9}, {"type": "integer", "maximum": 5}, "6"),
        (I, {"type": "string", "maxLength": 2}, "-10"),
    ],
)  # fmt: skip
def test_on_the_wire_every_scalar_is_text(old: Any, new: Any, shown: str | None) -> None:
    found = parameters([one(old)], [one(new)])
    if shown is None:
        assert found == []
        return
    assert told(found) == [REFUSED]
    part = found[0].part
    assert part is not None
    assert part.fields == (("q", shown),)
    assert (part.location, part.name) == ("query", "q")
    assert (found[0].before, found[0].after) == ("#/here/0/schema", "#/here/0/schema")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"type": ["integer", "null"]}, I),
        ({"enum": ["a", None]}, {"enum": ["a"]}),
        ({"type": "array", "items": {"type": ["integer", "null"]}}, {"type": "array", "items": I}),
        ({"type": "null"}, I),
    ],
)
def test_how_null_is_written_nobody_says_so_that_it_shows_nothing(old: Any, new: Any) -> None:
    assert parameters([one(old)], [one(new)]) == []
    content = {"application/json": {"schema": old}}
    in_json = [{"name": "q", "in": "query", "content": content}]
    other = [{"name": "q", "in": "query", "content": {"application/json": {"schema": new}}}]
    assert [grade for _, grade in told(parameters(in_json, other))] == ["breaking"]


@pytest.mark.parametrize("place", ["query", "header", "cookie", "path"])
def test_the_same_holds_in_every_place(place: str) -> None:
    assert parameters([one(I, place)], [one(S, place)]) == []
    found = parameters([one({"enum": ["a", "b"]}, place)], [one({"enum": ["a"]}, place)])
    assert told(found) == [REFUSED]
    assert found[0].part == Part(location=place, name="q", value="b", fields=(("q", "b"),))  # type: ignore[arg-type]  # one of them


def test_what_this_side_sends_is_asked_the_other_way_round() -> None:
    assert parameters([one(S)], [one(I)], "produces") == []
    found = parameters([one({"enum": ["a"]})], [one({"enum": ["a", "b"]})], "produces")
    assert told(found) == [("value", "breaking")]
    assert found[0].value == "b"


def test_what_no_text_schema_can_say_is_undecided_and_never_compatible() -> None:
    old = {"type": "integer", "multipleOf": 7}
    found = parameters([one(old)], [one({"type": "string", "minLength": 1})])
    assert [(each.grade, each.reason) for each in found] == [("undecided", "types-written-alike")]
    # Exactly one of two that a text could both be.
    twice = {"oneOf": [{"type": "string"}, {"type": "string", "maxLength": 3}]}
    assert [each.grade for each in parameters([one({"enum": [12345]})], [one(twice)])] == [
        "undecided"
    ]
    assert told(parameters([one({"enum": [123]})], [one(twice)])) == [REFUSED]
    assert [each.grade for each in parameters([one(None)], [one(S)])] == ["undecided"]


def test_a_list_of_one_and_that_one_are_written_alike() -> None:
    assert parameters([one(S)], [one(A)]) == []
    assert parameters([one({**A, "maxItems": 1, "minItems": 1})], [one(S)]) == []
    found = parameters([one(A)], [one(S)])
    assert told(found) == [REFUSED]
    assert found[0].part is not None
    assert len(found[0].part.fields) == 2
    two = {**A, "minItems": 2}
    assert told(parameters([one(S)], [one(two)])) == [REFUSED]


def test_a_property_of_a_deep_object_is_narrowed() -> None:
    def deep(values: list[str]) -> Any:
        schema = {"type": "object", "properties": {"origin": {"enum": values}}}
        return one(schema, style="deepObject", explode=True, name="filter")

    found = parameters([deep(["a", "b"])], [deep(["a"])])
    assert told(found) == [REFUSED]
    assert found[0].part is not None
    assert found[0].part.fields == (("filter[origin]", "b"),)
    assert parameters([deep(["a"])], [deep(["a", "b"])]) == []


def test_a_member_of_an_object_is_text_and_one_that_nobody_declared_is_told_apart() -> None:
    def shape(required: list[str], **members: Any) -> Any:
        return [
            one({"type": "object", "properties": members, "required": required}, style="deepObject")
        ]

    assert parameters(shape([], a=S), shape([], a=S, b=S)) == []
    assert parameters(shape([], a=S, b=S), shape([], a=S)) == []
    assert [each.grade for each in parameters(shape([], a=S), shape([], a=S, b=I))] == ["risky"]
    some = {"type": "string", "minLength": 1}
    assert [each.grade for each in parameters(shape([], a=S), shape([], a=S, b=some))] == ["risky"]
    found = parameters(shape([], a=S), shape(["b"], a=S, b=S))
    assert told(found) == [("value", "breaking")]
    opened = [
        one(
            {"type": "object", "properties": {"a": S}, "additionalProperties": True},
            style="deepObject",
        )
    ]
    assert parameters(opened, shape([], a=S, b=S)) == []
    assert told(parameters(opened, shape([], a=S, b=I))) == [("value", "breaking")]


# -- how they are written --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "schema", "old", "new", "fields"),
    [
        ("query", A, {}, {"explode": False}, 2),
        ("query", A, {}, {"style": "pipeDelimited", "explode": False}, 2),
        ("query", O, {}, {"style": "deepObject"}, 1),
        ("path", S, {}, {"style": "label"}, 1),
        ("path", A, {"style": "matrix"}, {"style": "matrix", "explode": True}, 1),
        ("header", O, {}, {"explode": True}, 1),
    ],
)
def test_another_way_to_write_a_value_is_shown_with_both(
    place: str, schema: Any, old: Any, new: Any, fields: int
) -> None:
    found = parameters([one(schema, place, **old)], [one(schema, place, **new)])
    assert told(found) == [WRITTEN]
    assert found[0].part is not None
    assert len(found[0].part.fields) == fields
    assert found[0].says.count("`") >= 6


@pytest.mark.parametrize(
    ("place", "schema", "old", "new"),
    [
        ("query", A, {}, {"style": "form", "explode": True}),
        ("query", S, {}, {"explode": False}),
        ("query", {**A, "maxItems": 1}, {}, {"explode": False}),
        ("query", A, {}, {"style": "pipeDelimited", "explode": True}),
        ("header", A, {}, {"explode": True}),
        ("path", S, {"style": "simple"}, {"explode": True}),
        ("cookie", I, {}, {"explode": False}),
    ],
)
def test_what_looks_the_same_however_it_is_declared_is_no_change(
    place: str, schema: Any, old: Any, new: Any
) -> None:
    assert parameters([one(schema, place, **old)], [one(schema, place, **new)]) == []
    assert parameters([one(schema, place, **new)], [one(schema, place, **old)]) == []


def test_content_in_a_parameter_is_compared_as_such_and_with_a_style_by_what_is_sent() -> None:
    def json(schema: Any) -> Any:
        return {"name": "q", "in": "query", "content": {"application/json": {"schema": schema}}}

    assert parameters([json(I)], [json(N)]) == []
    found = parameters([json(I)], [json(S)])
    assert told(found) == [REFUSED]
    assert parameters([one(I)], [json(I)]) == []
    assert parameters([json(I)], [one(S)]) == []
    # Of these some are written alike, and others are not.
    mixed = {"enum": [1, "a"]}
    found = parameters([json(mixed)], [one(mixed)])
    assert [(each.grade, each.reason) for each in found] == [
        ("undecided", "serialisation-not-compared")
    ]
    found = parameters([json({"enum": ["a"]})], [json({"enum": ["b"]})])
    assert [each.part and each.part.fields for each in found] == [(("q", "%22a%22"),)]
    assert told(parameters([one(A)], [json(A)])) == [WRITTEN]
    assert [each.reason for each in parameters([one(S)], [{**json(S), "content": {}}])] == [
        "content-of-several-types"
    ]


def test_reserved_signs_that_are_to_be_escaped_are_undecided() -> None:
    found = parameters([one(S, allowReserved=True)], [one(S)])
    assert [each.reason for each in found] == ["reserved-signs-escaped"]
    assert parameters([one(S)], [one(S, allowReserved=True)]) == []


def test_a_parameter_may_have_been_sent_without_a_value() -> None:
    found = parameters([one(I, allowEmptyValue=True)], [one(I)])
    assert told(found) == [("request-parameter-empty-value-refused", "breaking")]
    assert found[0].part is not None
    assert found[0].part.fields == (("q", ""),)
    assert parameters([one(S, allowEmptyValue=True)], [one(S)]) == []
    assert parameters([one(I)], [one(I, allowEmptyValue=True)]) == []
    longer = one({**S, "minLength": 1}, allowEmptyValue=True)
    assert parameters([one(S)], [longer]) == []
    assert parameters([one({**S, "maxLength": 0})], [one(I, allowEmptyValue=True)]) == []


# -- whether they are there ------------------------------------------------------------------------


def test_a_parameter_that_has_to_be_sent_is_missed() -> None:
    assert told(parameters([], [one(S, required=True)])) == [
        ("request-parameter-added-required", "breaking")
    ]
    assert told(parameters([one(S)], [one(S, required=True)])) == [
        ("request-parameter-became-required", "breaking")
    ]
    assert parameters([], [one(S)]) == []
    assert parameters([one(S, required=True)], [one(S)]) == []


def test_a_policy_may_say_how_grave_a_demand_with_a_default_is() -> None:
    options = Options(knobs=Knobs(required_with_default="noted"))
    new = [one({**S, "default": "a"}, required=True)]
    assert told(parameters([], new)) == [("request-parameter-added-required", "breaking")]
    assert told(parameters([], new, options=options)) == [
        ("request-parameter-added-required", "noted")
    ]
    assert told(parameters([one(S)], new, options=options)) == [
        ("request-parameter-became-required", "noted")
    ]
    plain = [one(S, required=True)]
    assert told(parameters([], plain, options=options)) == [
        ("request-parameter-added-required", "breaking")
    ]


def test_a_parameter_that_is_gone_is_not_looked_at_any_more() -> None:
    found = parameters([one({"enum": ["b", "a"]})], [])
    assert told(found) == [("request-parameter-removed", "risky")]
    assert found[0].part == Part(location="query", name="q", value="a", fields=(("q", "a"),))


def test_a_parameter_that_will_go_is_noted() -> None:
    old, new = [one(S)], [one(S, deprecated=True)]
    assert told(parameters(old, new)) == [("request-parameter-deprecated", "noted")]
    assert parameters(new, old) == []
    assert parameters(new, new) == []


def test_a_parameter_that_moved_is_told_once() -> None:
    moved = parameters([one(S)], [one(S, "header", "Q", required=True)])
    assert told(moved) == [("request-parameter-moved", "breaking")]
    assert told(parameters([one(S)], [one(S, "header", "Q")])) == [
        ("request-parameter-moved", "risky")
    ]


def test_a_header_is_known_in_any_case_and_some_are_described_elsewhere() -> None:
    assert parameters([one(S, "header", "X-A")], [one(S, "header", "x-a")]) == []
    for name in ("Accept", "content-type", "AUTHORIZATION"):
        assert parameters([], [one(S, "header", name, required=True)]) == []
        assert parameters([one(S, "header", name)], []) == []
    # A query is not.
    assert told(parameters([one(S, "query", "a")], [one(S, "query", "A", required=True)])) != []


def test_a_variable_of_a_path_is_known_by_its_place() -> None:
    old, new = [one(S, "path", "id")], [one(S, "path", "key")]
    assert parameters(old, new, renamed={"key": "id"}) == []
    found = parameters([one(S, "path", "id")], [one(I, "path", "key")], renamed={"key": "id"})
    assert told(found) == [REFUSED]
    matrix = [one(S, "path", "key", style="matrix")]
    assert told(parameters(old, matrix, renamed={"key": "id"})) == [WRITTEN]


def test_nothing_is_no_variable_of_a_path() -> None:
    old = [one({"type": "string", "maxLength": 1}, "path")]
    assert parameters(old, [one({"type": "string", "minLength": 1}, "path")]) == []
    found = parameters(old, [one(I, "path")])
    assert [each.part and each.part.fields for each in found] == [(("q", "a"),)]


def test_calls_of_this_side_may_leave_out_nothing_that_always_came() -> None:
    required = [one(S, required=True)]
    assert told(parameters(required, [one(S)], "produces")) == [
        ("callback-parameter-became-optional", "breaking")
    ]
    assert told(parameters(required, [], "produces")) == [
        ("callback-parameter-removed", "breaking")
    ]
    assert parameters([one(S)], [], "produces") == []
    assert parameters([], required, "produces") == []
    assert told(parameters([one(A)], [one(A, explode=False)], "produces")) == [
        ("callback-parameter-serialisation-changed", "breaking")
    ]


# -- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ({"$ref": "#/components/parameters/None"}, "reference-dangling"),
        ({"$ref": "other.yaml#/a"}, "reference-remote"),
        ({"name": "q", "in": "nowhere"}, "parameter-location-unknown"),
        ({"name": 3, "in": "query"}, "parameter-invalid"),
        ("text", "parameter-invalid"),
        (one(S, style="curly"), "style-unknown"),
        (one(S, "query", style="matrix"), "style-unknown"),
    ],
)
def test_what_is_no_parameter_is_undecided(bad: Any, reason: str) -> None:
    for old, new in (([bad], []), ([], [bad])):
        for direction, noun in (("accepts", "request"), ("produces", "callback")):
            found = parameters(old, new, direction)  # type: ignore[arg-type]  # a direction
            assert [(each.rule, each.reason) for each in found] == [
                (f"{noun}-parameter-not-read", reason)
            ]


def test_references_are_followed() -> None:
    page = {"$ref": "#/components/parameters/Page"}
    assert parameters([page], [one(I, "query", "page")]) == []
    found = parameters([one(S, "query", "page")], [page])
    assert told(found) == [REFUSED]
    assert found[0].after == "#/components/parameters/Page/schema"


# -- samples ---------------------------------------------------------------------------------------


def test_a_sample_is_something_that_stands_on_the_wire() -> None:
    here = [
        one({"type": ["null", "integer"]}, "path", "id"),
        one({"type": ["array", "string"], "minLength": 1}, required=True, explode=False),
    ]
    pointers = [f"#/here/{index}" for index in range(len(here))]
    found = sample_parameters(schemas(here, here), "old", pointers, "accepts")
    assert [each.fields for each in found] == [(("id", "0"),), (("q", "a"),)]


def test_a_sample_holds_every_parameter_that_has_to_be_sent() -> None:
    here = [
        one({"type": "integer", "minimum": 5, "example": "secret"}, "path", "id"),
        one(A, required=True),
        one(S, "query", "other"),
        one({"format": "date", **S}, "header", "X-Day", required=True),
        one({"not": {}}, "query", "never", required=True),
    ]
    pointers = [f"#/here/{index}" for index in range(len(here))]
    found = sample_parameters(schemas(here, here), "old", pointers, "accepts")
    assert [(each.name, each.fields) for each in found] == [
        ("id", (("id", "5"),)),
        ("q", (("q", ""), ("q", ""))),
        ("X-Day", (("X-Day", "2020-02-29"),)),
    ]
