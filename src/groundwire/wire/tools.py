"""Tools: what a request offers the model to call, in all three protocols.

A tool's name is the one the model calls it by: its `name`, that of its `function` or `custom` part,
else its type. A namespace is no tool; the tools in it stand under their own names, as they are called.
"""

from __future__ import annotations

from msgspec import Raw

from groundwire.documents.call import Executor
from groundwire.documents.frame import ToolSpec
from groundwire.wire import scan
from groundwire.wire.reading import Fields, Reading

# Types that have no schema of their own and that the host runs all the same.
_RUN_BY_HOST = (
    "apply_patch",
    "bash",
    "browser_toolset",
    "computer",
    "custom",
    "function",
    "local_shell",
    "memory",
    "shell",
    "str_replace",
    "text_editor",
)
_SCHEMAS = ("parameters", "input_schema", "format")
_HOSTED_SHELL = ("container_auto", "container_reference")


def read_tools(values: list[Raw], at: str, unread: list[str]) -> tuple[ToolSpec, ...]:
    """A tool specification for every element; what is none is listed in `unread`."""
    reading = Reading(unread)
    found: list[ToolSpec] = []
    for index, value in enumerate(values):
        place = f"{at}/{index}"
        if scan.first(value) == b"{":
            found += _read_tool(Fields(value, place, reading))
        else:
            unread.append(place)
    return tuple(found)


def _read_tool(fields: Fields) -> list[ToolSpec]:
    kind = fields.text("type") or ""
    if kind == "namespace" and (inner := fields.elements("tools")) is not None:
        found = list(read_tools(inner, fields.place("tools"), fields.reading.unread))
        fields.close()
        return found
    wrapped = fields.fields(kind) if kind in {"function", "custom"} else None
    if wrapped is None and not kind:
        wrapped = fields.fields("function")
    inside = fields if wrapped is None else wrapped
    spec = ToolSpec(
        name=_name(fields, wrapped, kind),
        schema=_schema(inside),
        description=inside.text("description") or "",
        executed_by=_executor(kind, fields),
    )
    if wrapped is not None:
        wrapped.close()
    fields.close()
    return [spec]


def _name(fields: Fields, wrapped: Fields | None, kind: str) -> str:
    name = fields.text("name")
    if name is None and wrapped is not None:
        name = wrapped.text("name")
    return kind if name is None else name


def _schema(fields: Fields) -> str:
    for name in _SCHEMAS:
        found = fields.json(name)
        if found is not None:
            return found
    return ""


def _executor(kind: str, fields: Fields) -> Executor:
    if kind == "shell" and _is_hosted(fields.peek("environment")):
        return "provider"
    if kind == "tool_search" and _states(fields, "execution", "client"):
        return "host"
    if not kind or kind.startswith(_RUN_BY_HOST):
        return "host"
    return "provider"


def _is_hosted(environment: Raw | None) -> bool:
    if environment is None or scan.first(environment) != b"{":
        return False
    return Fields(environment, "", Reading()).text("type") in _HOSTED_SHELL


def _states(fields: Fields, name: str, word: str) -> bool:
    value = fields.peek(name)
    return value is not None and scan.first(value) == b'"' and scan.text(value) == word
