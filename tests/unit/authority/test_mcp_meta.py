"""MCP `_meta`: what is good is kept, what is bad is told of and dropped."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.authority.declarations import declare_tool
from groundwire.authority.mcp_meta import FromMeta, tool_from_meta

GOOD = {
    "effect": "write",
    "arguments": {"machine": "find:$.machines[*].name", "note": "free-text"},
    "columns": {"lun": "number"},
    "max_age": "15m",
}


def test_a_server_declares_what_a_policy_could() -> None:
    read = tool_from_meta("reboot", {"groundwire": GOOD, "other/key": 1})
    assert read == FromMeta(declare_tool("reboot", GOOD))


@pytest.mark.parametrize("meta", [None, {}, {"other": 1}, "text", {"groundwire": None}])
def test_without_a_declaration_there_is_none(meta: object) -> None:
    assert tool_from_meta("reboot", meta) == FromMeta(None)


def test_a_bad_field_is_told_of_and_the_rest_is_kept() -> None:
    arguments = {"machine": "usr", "note": "free-text"}
    meta = {**GOOD, "effect": "reads", "arguments": arguments, "row_at": "$"}
    read = tool_from_meta("reboot", {"groundwire": meta})
    kept = {"arguments": {"note": "free-text"}, "columns": {"lun": "number"}, "max_age": "15m"}
    assert read.declaration == declare_tool("reboot", kept)
    assert [line.split(":")[0] for line in read.dropped] == [
        "effect",
        "arguments.machine",
        "row_at",
    ]
    assert read == tool_from_meta("reboot", {"groundwire": meta})


def test_what_is_no_table_is_told_of() -> None:
    assert tool_from_meta("reboot", {"groundwire": ["user"]}).dropped == (
        "groundwire: must be a table, not ['user']",
    )


def test_a_server_cannot_put_its_results_into_a_recording_that_keeps_them_out() -> None:
    read = tool_from_meta("look", {"groundwire": {"content": "full"}}, "commitments")
    assert (read.declaration, len(read.dropped)) == (None, 1)
    read = tool_from_meta("look", {"groundwire": {"content": "commitments"}}, "full")
    assert read.declaration is not None
    assert read.declaration.content == "commitments"


def test_a_tool_without_a_usable_name_declares_nothing() -> None:
    read = tool_from_meta(" ", {"groundwire": {"effect": "read"}})
    assert (read.declaration, len(read.dropped)) == (None, 1)


def test_a_nest_of_tables_is_told_of() -> None:
    nest: object = "user"
    for _ in range(5000):
        nest = {"a": nest}
    assert tool_from_meta("look", {"groundwire": {"arguments": nest}}).declaration is None


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=5)
    | st.sampled_from(["$.a", "user"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
KEYS = st.sampled_from(["effect", "arguments", "columns", "rows_at", "says", "content", "x"])


@given(meta=st.dictionaries(KEYS, VALUES, max_size=5) | VALUES)
@settings(max_examples=200, deadline=None)
def test_whatever_a_server_says_is_read_or_dropped(meta: object) -> None:
    read = tool_from_meta("look", {"groundwire": meta})
    assert "\n" not in "".join(read.dropped)
