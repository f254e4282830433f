"""How a description is written changes no verdict: order, references, names, `allOf`, YAML."""

from __future__ import annotations

from typing import Any

from bench.contracting.pairs import opened
from bench.contracting.rewriting import EDITS, as_yaml
from bench.contracting.sameness import unlike, verdict
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.contracts.openapi.comparing import compare
from groundwire.contracts.openapi.opening.opening import open_description
from tests.property.test_inclusion import SCHEMAS


def pointed(schema: Any) -> Any:
    """References to the one definition lead to a component."""
    if isinstance(schema, list):
        return [pointed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: pointed(each) for name, each in schema.items()}
    return found | {"$ref": "#/components/schemas/R"} if "$ref" in found else found


def described(asked: Any, answered: Any, other: Any) -> dict[str, Any]:
    def content(schema: Any) -> dict[str, Any]:
        return {"application/json": {"schema": pointed(schema)}}

    operation = {
        "requestBody": {"required": True, "content": content(asked)},
        "responses": {"200": {"description": "", "content": content(answered)}},
    }
    members = {"a": {"type": "string"}, "b": {"$ref": "#/components/schemas/R"}, "c": True}
    pair = {"type": "object", "properties": members, "required": ["a"]}
    listing = {"application/json": {"schema": {"$ref": "#/components/schemas/Pair"}}}
    listed = {"get": {"responses": {"200": {"description": "", "content": listing}}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "", "version": "1"},
        "paths": {"/one": {"post": operation}, "/two": listed},
        "components": {"schemas": {"R": pointed(other), "Pair": pair}},
    }


DOCUMENTS = st.builds(described, SCHEMAS, SCHEMAS, SCHEMAS)


@given(DOCUMENTS, DOCUMENTS, st.sampled_from(sorted(EDITS)), st.booleans())
@settings(max_examples=100)
def test_no_edit_of_the_writing_changes_what_was_decided(
    old: Any, new: Any, name: str, both: bool
) -> None:
    edit = EDITS[name]
    plain = verdict(compare(opened(old), opened(new)))
    edited = verdict(compare(opened(edit(old) if both else old), opened(edit(new))))
    decided, _ = unlike(plain, edited)
    assert decided == 0


@given(DOCUMENTS, st.sampled_from(sorted(EDITS)))
@settings(max_examples=60)
def test_a_description_written_otherwise_breaks_nobody(document: Any, name: str) -> None:
    found = verdict(compare(opened(document), opened(EDITS[name](document))))
    assert {grade for grade, _ in found} <= {"undecided"}


@given(DOCUMENTS)
@settings(max_examples=50)
def test_a_description_in_yaml_is_the_same_as_in_json(document: Any) -> None:
    data = as_yaml(document)
    read = open_description("api.yaml", lambda name: data if name == "api.yaml" else None)
    assert compare(opened(document), read) == ()


def test_the_edits_do_change_how_a_description_is_written() -> None:
    document = described({"type": "string"}, True, {"type": "object"})
    assert all(list(str(edit(document))) != list(str(document)) for edit in EDITS.values())
    assert verdict(compare(opened(described(True, True, True)), opened(document))) != frozenset()
