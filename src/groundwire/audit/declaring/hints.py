"""Hints: what MCP servers say of their tools' effects, read from the answers they gave to `tools/list`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

import msgspec

from groundwire.audit.declaring.runs import bytes_of
from groundwire.canon import jcs
from groundwire.errors import EncodingError, PolicyError
from groundwire.guard.effects import Hints, hints_of


class Told(msgspec.Struct, frozen=True):
    """What is said of one tool, and whether every server that says it is trusted."""

    hints: Hints = Hints()
    trusted: bool = False


def told_by_servers(given: Iterable[str], trusted: Collection[str]) -> Mapping[str, Told]:
    """What the servers say of each tool; each of `given` is `SERVER=FILE`.

    A tool that several servers have is as suspect as the most suspect of them.

    Raises:
        PolicyError: `bad-server-file`: not `SERVER=FILE`.
        HostError: `file-unreadable`.
        EncodingError: `not-tools-list`.
    """
    found: dict[str, Told] = {}
    for each in given:
        server, equals, file = each.partition("=")
        if not (server and equals and file):
            raise PolicyError(
                "bad-server-file",
                f"{each!r} is not SERVER=FILE; write --mcp files=tools.json, where the file holds "
                "the server's answer to tools/list.",
            )
        for name, hints in _tools_in(Path(file)):
            told = Told(hints, server in trusted)
            found[name] = _both(found[name], told) if name in found else told
    return found


def _tools_in(file: Path) -> list[tuple[str, Hints]]:
    try:
        answer = jcs.decode_foreign(bytes_of(file)).value
    except EncodingError as error:
        raise _not_a_list(file) from error
    if isinstance(answer, dict) and isinstance(answer.get("result"), dict):
        answer = answer["result"]
    tools = answer.get("tools") if isinstance(answer, dict) else answer
    if not isinstance(tools, list):
        raise _not_a_list(file)
    found = []
    for tool in tools:
        name = tool.get("name") if isinstance(tool, dict) else None
        if not isinstance(tool, dict) or not isinstance(name, str):
            raise _not_a_list(file)
        found.append((name, hints_of(tool.get("annotations"))))
    return found


def _both(one: Told, other: Told) -> Told:
    first, second = one.hints, other.hints
    said = {first.read_only, second.read_only}
    return Told(
        Hints(
            read_only=False if False in said else True if said == {True} else None,
            destructive=first.destructive or second.destructive,
            open_world=first.open_world or second.open_world,
        ),
        one.trusted and other.trusted,
    )


def _not_a_list(file: Path) -> EncodingError:
    return EncodingError(
        "not-tools-list",
        f"{file} is no answer to an MCP server's tools/list; save that answer as JSON and name it.",
    )
