from __future__ import annotations

import json
from typing import Any

import pytest

from groundwire.documents.declaration import OutputSource
from groundwire.documents.policy import Policy, ToolDeclaration
from groundwire.session.executions.mcp_tools import MOST, declared_by_server, outputs_listed

SCHEMA = {"type": "object", "required": ["id"]}
TEXT = '{"required":["id"],"type":"object"}'


class Tool:
    """As an SDK has it."""

    def __init__(self, name: object, schema: object) -> None:
        self.name = name
        self.outputSchema = schema


class Raises:
    @property
    def name(self) -> str:
        raise ValueError("no")


@pytest.mark.parametrize("tool", [{"name": "a", "outputSchema": SCHEMA}, Tool("a", SCHEMA)])
def test_a_listed_tool_s_output_schema_is_taken(tool: object) -> None:
    listed = outputs_listed([tool])
    assert (listed.schemas, listed.dropped) == ({"a": TEXT}, ())


@pytest.mark.parametrize(
    "tools", [[{"name": "a"}], [Tool("a", None)], [], ({"name": "a"} for _ in range(2)), [7]]
)
def test_a_tool_without_one_is_passed_over(tools: Any) -> None:
    listed = outputs_listed(tools)
    assert (listed.schemas, listed.dropped) == ({}, ())


@pytest.mark.parametrize(
    "tool",
    [
        {"outputSchema": SCHEMA},
        {"name": 7, "outputSchema": SCHEMA},
        {"name": "", "outputSchema": SCHEMA},
        {"name": "a", "outputSchema": {"type": "objects"}},
        {"name": "a", "outputSchema": object()},
        {"name": "a", "outputSchema": "object"},
        {"name": "a", "outputSchema": {"$ref": "https://example.com"}},
    ],
)
def test_a_slip_costs_one_schema_and_is_said(tool: object) -> None:
    listed = outputs_listed([tool, {"name": "b", "outputSchema": SCHEMA}, Raises()])
    assert listed.schemas == {"b": TEXT}
    assert len(listed.dropped) == 1


@pytest.mark.parametrize("tools", [None, "tools", {"tools": []}, 7])
def test_what_is_no_list_is_said(tools: Any) -> None:
    assert outputs_listed(tools).dropped == ("the list of tools is none",)


def test_a_list_without_end_is_read_to_a_bound() -> None:
    def forever() -> Any:
        while True:
            yield {"name": "a", "outputSchema": SCHEMA}

    listed = outputs_listed(forever())
    assert listed.dropped == (f"the list has over {MOST} tools; the rest was not read",)


def test_the_policy_s_own_output_stays() -> None:
    own = (
        ToolDeclaration(name="in_code", output_schema="{}"),
        ToolDeclaration(name="in_file", output_schema="{}", output=OutputSource(kind="schema")),
        ToolDeclaration(name="silent", effect="read"),
        ToolDeclaration(name="before", output_schema="{}", output=OutputSource(kind="mcp")),
    )
    names = ("in_code", "in_file", "silent", "before", "new")
    policy = declared_by_server(
        Policy(tools=own, content="commitments"), dict.fromkeys(names, TEXT)
    )
    tools = {tool.name: tool for tool in policy.tools}
    assert [tools[name].output_schema for name in names] == ["{}", "{}", TEXT, TEXT, TEXT]
    assert tools["silent"].effect == "read"
    assert tools["new"] == ToolDeclaration(
        name="new", content="commitments", output=OutputSource(kind="mcp"), output_schema=TEXT
    )
    assert json.loads(TEXT) == SCHEMA
