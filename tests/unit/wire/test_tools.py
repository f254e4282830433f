"""Tools as they are offered, in the spellings of all protocols."""

from __future__ import annotations

from typing import Any

import pytest

from groundwire.documents.frame import ToolSpec
from groundwire.wire import scan
from groundwire.wire.tools import read_tools
from tests.unit.wire.rendering import body


def read(*tools: Any) -> tuple[tuple[ToolSpec, ...], list[str]]:
    unread: list[str] = []
    return read_tools(scan.elements(body(list(tools))), "/tools", unread), unread


@pytest.mark.parametrize(
    "tool",
    [
        {"type": "function", "function": {"name": "f", "description": "d", "parameters": {"a": 1}}},
        {"function": {"name": "f", "description": "d", "parameters": {"a": 1}}},
        {"type": "function", "name": "f", "description": "d", "parameters": {"a": 1}},
        {"name": "f", "description": "d", "parameters": {"a": 1}},
        {"name": "f", "description": "d", "input_schema": {"a": 1}},
        {"type": "custom", "name": "f", "description": "d", "input_schema": {"a": 1}},
        {"type": "custom", "custom": {"name": "f", "description": "d", "format": {"a": 1}}},
        {"type": "custom", "name": "f", "description": "d", "format": {"a": 1}},
    ],
)
def test_a_tool_of_the_host_in_every_spelling(tool: dict[str, Any]) -> None:
    assert read(tool) == ((ToolSpec(name="f", schema='{"a":1}', description="d"),), [])


@pytest.mark.parametrize(
    ("tool", "name", "executed_by"),
    [
        ({"type": "web_search"}, "web_search", "provider"),
        ({"type": "web_search_20250305", "name": "web_search"}, "web_search", "provider"),
        ({"type": "code_interpreter"}, "code_interpreter", "provider"),
        ({"type": "mcp"}, "mcp", "provider"),
        ({"type": "vendor:advisor"}, "vendor:advisor", "provider"),
        ({"type": "tool_search"}, "tool_search", "provider"),
        ({"type": "bash_20250124", "name": "bash"}, "bash", "host"),
        ({"type": "text_editor_20250728", "name": "edit"}, "edit", "host"),
        ({"type": "computer_use_preview"}, "computer_use_preview", "host"),
        ({"type": "local_shell"}, "local_shell", "host"),
        ({"type": "shell"}, "shell", "host"),
        ({"type": "apply_patch"}, "apply_patch", "host"),
    ],
)
def test_tools_without_a_schema(tool: dict[str, Any], name: str, executed_by: str) -> None:
    (spec,), unread = read(tool)
    assert (spec.name, spec.schema, spec.executed_by, unread) == (name, "", executed_by, [])


def test_who_runs_a_tool_may_depend_on_its_fields() -> None:
    (spec,), unread = read({"type": "shell", "environment": {"type": "container_auto"}})
    assert (spec.executed_by, unread) == ("provider", ["/tools/0/environment"])
    (spec,), unread = read({"type": "tool_search", "execution": "client"})
    assert (spec.executed_by, unread) == ("host", ["/tools/0/execution"])


def test_the_tools_in_a_namespace_stand_under_their_own_names() -> None:
    inner = {"type": "function", "name": "f", "parameters": {}, "defer_loading": True}
    specs, unread = read({"type": "namespace", "name": "crm", "description": "d", "tools": [inner]})
    assert [spec.name for spec in specs] == ["f"]
    assert unread == ["/tools/0/tools/0/defer_loading", "/tools/0/name", "/tools/0/description"]


def test_what_is_not_read_of_a_tool_is_listed() -> None:
    tool = {
        "type": "function",
        "function": {"name": "f", "strict": True},
        "cache_control": {"a": 1},
    }
    specs, unread = read(tool, 7, {})
    assert [spec.name for spec in specs] == ["f", ""]
    assert unread == ["/tools/0/function/strict", "/tools/0/cache_control", "/tools/1"]


def test_ten_thousand_tools_are_read() -> None:
    specs, _ = read(*[{"name": f"f{number}", "input_schema": {}} for number in range(10_000)])
    assert len({spec.name for spec in specs}) == 10_000
