"""MCP tools: what a server's list of them says of their outputs, and nothing else of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from groundwire.authority.reading.governing.outputs import schema_text
from groundwire.documents.declaration import OutputSource
from groundwire.documents.policy import Policy, ToolDeclaration
from groundwire.errors import PolicyError
from groundwire.session.executions.values import json_of

MOST: Final = 1_000
"""Tools of one list."""

_OF_A_SERVER: Final = OutputSource(kind="mcp")


class Listed(msgspec.Struct, frozen=True):
    """The texts of the schemas by tool; `dropped` says of the others why."""

    schemas: Mapping[str, str]
    dropped: tuple[str, ...] = ()


def outputs_listed(tools: object) -> Listed:
    """What a `tools/list` says of outputs. A server's slip costs it its schema and no more."""
    if not isinstance(tools, Iterable) or isinstance(tools, str | bytes | Mapping):
        return Listed({}, ("the list of tools is none",))
    schemas: dict[str, str] = {}
    dropped: list[str] = []
    for number, tool in enumerate(tools):
        if number == MOST:
            dropped.append(f"the list has over {MOST} tools; the rest was not read")
            break
        name, schema = _member(tool, "name"), _member(tool, "outputSchema")
        if schema is None:
            continue
        if not isinstance(name, str) or not name:
            dropped.append(f"tool {number}: it has no name")
            continue
        try:
            schemas[name] = schema_text(_plain(schema))
        except PolicyError as error:
            dropped.append(f"{name[:80]!r}: {error.message}")
    return Listed(schemas, tuple(dropped))


def declared_by_server(policy: Policy, schemas: Mapping[str, str]) -> Policy:
    """The policy with these outputs, but of tools of which it says its own."""
    tools = {tool.name: tool for tool in policy.tools}
    for name, text in schemas.items():
        known = tools.get(name) or ToolDeclaration(name=name, content=policy.content)
        if known.output is None and known.output_schema:
            continue
        if known.output is None or known.output.kind == "mcp":
            tools[name] = msgspec.structs.replace(known, output=_OF_A_SERVER, output_schema=text)
    return msgspec.structs.replace(policy, tools=tuple(tools[name] for name in sorted(tools)))


def _member(tool: object, name: str) -> object:
    """The member of this name: of a tool as JSON, or as an SDK's object."""
    if isinstance(tool, Mapping):
        return tool.get(name)
    try:
        return getattr(tool, name, None)
    except Exception:  # noqa: BLE001 -- a stranger's object; this is its one door
        return None


def _plain(schema: object) -> object:
    """The schema made of the types that JSON has; None where it has no JSON."""
    text = json_of(schema).text
    return None if text is None else msgspec.json.decode(text)
