"""Two descriptions are compared as a whole: exchanges with the messages in them."""

from __future__ import annotations

import pytest

from groundwire.canon.jcs import JSON
from groundwire.contracts.changes import Change, Content
from groundwire.contracts.openapi.comparing import compare
from groundwire.contracts.openapi.options import Knobs, Options
from tests.unit.contracts.openapi.describing import described
from tests.unit.contracts.openapi.exchanges.asking import OK, api


def _changes(
    old: dict[str, JSON], new: dict[str, JSON], options: Options | None = None
) -> tuple[Change, ...]:
    return compare(described(old), described(new), options or Options())


def _only(old: dict[str, JSON], new: dict[str, JSON]) -> Change:
    found = _changes(old, new)
    assert len(found) == 1, found
    return found[0]


def _user(schema: JSON, name: str = "id") -> dict[str, JSON]:
    parameter: JSON = {"name": name, "in": "path", "required": True, "schema": schema}
    path: JSON = {"get": {"parameters": [parameter], "responses": OK}}
    return api(paths={f"/users/{{{name}}}": path})


def _body(schema: JSON) -> JSON:
    return {"description": "", "content": {"application/json": {"schema": schema}}}


def _answering(schema: JSON, **more: JSON) -> dict[str, JSON]:
    return api(paths={"/a": {"get": {"responses": {"200": _body(schema)}, **more}}})


def test_a_description_is_the_same_as_itself_even_where_it_cannot_be_read() -> None:
    broken = api(paths={"/a": {"$ref": "https://a.example"}, "/b": 1}, webhooks=[1])
    assert _changes(broken, broken) == ()
    assert _changes(broken, {**broken}) == ()


def test_a_variable_of_a_path_is_never_empty() -> None:
    text: dict[str, JSON] = {"type": "string"}
    assert _changes(_user(text), _user({**text, "minLength": 1})) == ()
    found = _only(_user(text), _user({**text, "minLength": 2}, name="user"))
    assert found.witness is not None
    assert found.witness.asked.target == "/users/a"
    assert found.reaches == ("GET /users/{id}",)


def test_a_request_that_is_shown_fills_its_path() -> None:
    found = _only(_user({"type": "string"}), api())
    assert found.witness is not None
    assert found.witness.asked.target == "/users/a"


def test_a_response_is_shown_whole_after_the_request_that_leads_to_it() -> None:
    old: JSON = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
    new: JSON = {"type": "object", "properties": {"id": {"type": "integer"}}}
    query: JSON = [{"name": "q", "in": "query", "required": True, "schema": {"type": "integer"}}]
    found = _only(_answering(old, parameters=query), _answering(new, parameters=query))
    assert found.grade == "breaking"
    assert found.witness is not None
    assert found.witness.asked.target == "/a?q=0"
    assert found.witness.answered is not None
    assert found.witness.answered.status == "200"
    assert found.witness.answered.content == Content("application/json", {})
    assert (found.witness.before, found.witness.after) == (
        "no such response was allowed",
        "such a response may come",
    )


def test_examples_and_defaults_of_a_description_are_in_no_exchange() -> None:
    schema: JSON = {
        "type": "string",
        "minLength": 3,
        "example": "secret",
        "default": "secret",
        "examples": ["secret"],
    }
    found = _only(_user(schema), api())
    assert found.witness is not None
    assert "secret" not in repr(found.witness)


@pytest.mark.parametrize("grade", ["breaking", "risky", "noted"])
def test_a_knob_says_how_grave_a_change_is(grade: str) -> None:
    knobs = Knobs(response_enum_added=grade)  # type: ignore[arg-type]  # one of the grades
    old, new = _answering({"enum": ["a"]}), _answering({"enum": ["a", "b"]})
    assert [each.grade for each in _changes(old, new, Options(knobs=knobs))] == [grade]


def test_a_schema_that_many_operations_share_is_one_cause() -> None:
    def sharing(schema: JSON) -> dict[str, JSON]:
        reference: JSON = {"$ref": "#/components/schemas/S"}
        item: JSON = {"get": {"responses": {"200": _body(reference), "400": _body(reference)}}}
        return api(
            paths={f"/{name}": item for name in "cab"}, components={"schemas": {"S": schema}}
        )

    found = _only(sharing({"type": "integer"}), sharing({"type": "number"}))
    assert found.reaches == ("GET /a", "GET /b", "GET /c")
    assert found.before is not None
    assert found.before.pointer == "#/components/schemas/S"


def test_texts_extensions_and_names_of_components_are_no_change() -> None:
    def named(name: str, **said: JSON) -> dict[str, JSON]:
        schema: JSON = {"type": "object", "properties": {"a": {"type": "string"}}, **said}
        reference: JSON = {"$ref": f"#/components/schemas/{name}"}
        operation: JSON = {
            "summary": name,
            "responses": {"200": _body(reference)},
            "requestBody": {"content": {"application/json": {"schema": reference}}},
            "x-of-ours": name,
        }
        return api(
            info={"title": name, "version": "1"},
            tags=[{"name": name}],
            paths={"/a": {"post": operation}},
            components={"schemas": {name: schema}},
        )

    old, new = named("A", description="One.", example={}), named("B", title="Other", default={})
    assert _changes(old, new) == ()


def _asking(answer: JSON, *parameters: JSON) -> dict[str, JSON]:
    return _answering({"type": "object", "properties": {"a": answer}}, parameters=[*parameters])


def test_parameters_count_beside_an_answer_that_changed() -> None:
    text: dict[str, JSON] = {"name": "q", "in": "query", "schema": {"type": "string"}}
    more: JSON = {"name": "r", "in": "query", "required": True, "schema": {"type": "string"}}
    number: JSON = {**text, "schema": {"type": "integer"}}
    nameless: JSON = {"in": "query"}
    old: JSON = {"type": "string"}
    new: JSON = {"type": "string", "maxLength": 3}
    for before, after, rule in (
        ([text], [number], "request-parameter-type-changed"),
        ([text], [text, more], "request-parameter-added-required"),
        ([nameless], [nameless], "request-parameter-unread"),
    ):
        found = _changes(_asking(old, *before), _asking(new, *after))
        assert [each.rule for each in found] == [rule]
    assert _changes(_asking(old, text), _asking(new, text)) == ()


def test_each_pair_of_schemas_has_causes_of_its_own() -> None:
    def both(one: JSON, other: JSON) -> dict[str, JSON]:
        answers: JSON = {"200": _body(one), "201": _body(other)}
        return api(paths={"/a": {"get": {"responses": answers}}})

    found = _changes(both({"type": "string"}, {"type": "number"}), both({}, {"type": "string"}))
    assert {each.rule for each in found} == {
        "response-body-type-removed",
        "response-body-type-changed",
    }
