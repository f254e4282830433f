from __future__ import annotations

import msgspec

from groundwire.documents.frame import ToolSpec
from groundwire.grounding.schemas import enum_strings, schema_value, spec_texts


def test_enums_are_pooled_from_any_field_and_lower_cased() -> None:
    schema = {"properties": {"mode": {"enum": ["Fast", 3, None]}, "x": {"items": {"enum": ["b"]}}}}
    assert enum_strings(schema) == {"fast", "b"}


def test_enums_deeper_than_eight_levels_are_ignored() -> None:
    shallow: dict[str, object] = {"enum": ["here"]}
    for _ in range(7):
        shallow = {"a": shallow}
    assert enum_strings(shallow) == {"here"}
    assert enum_strings({"a": {"a": shallow}}) == frozenset()


def test_a_schema_that_is_no_json_has_no_enums() -> None:
    assert enum_strings(schema_value("nightly or weekly")) == frozenset()
    assert enum_strings(schema_value("\ud800")) == frozenset()


def test_an_enum_that_is_no_array_is_ignored() -> None:
    assert enum_strings({"enum": "nightly"}) == frozenset()


def test_a_tool_shows_its_name_description_and_every_string_of_its_schema() -> None:
    schema = {"properties": {"rack": {"default": "rack-9", "examples": ["rack-1"], "const": "x"}}}
    tool = ToolSpec(
        name="find", description="Finds it.", schema=msgspec.json.encode(schema).decode()
    )
    assert {"find", "Finds it.", "rack", "rack-9", "rack-1", "x"} <= set(spec_texts(tool))


def test_a_schema_told_in_prose_is_shown_as_it_stands() -> None:
    tool = ToolSpec(name="find", schema="rack: the rack, such as rack-1")
    assert "rack: the rack, such as rack-1" in set(spec_texts(tool))
