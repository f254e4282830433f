"""MCP `_meta`: what a tool server declares of its own tools, under the key `groundwire`.

The keys are those of `[tools.NAME]`. A field that cannot be what was meant is dropped and the rest
kept: a server's slip must not keep an agent from starting, as the agent's own policy would.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from groundwire.authority.declarations import spelled
from groundwire.authority.reading.tools import read_tool
from groundwire.authority.reading.values import Misdeclared, show
from groundwire.documents.policy import Content, ToolDeclaration

META_KEY: Final = "groundwire"
MAX_FIELDS: Final = 200

# Of these each entry is read alone, so that one slip costs one entry.
_BY_ENTRY: Final = frozenset({"arguments", "columns"})


class FromMeta(msgspec.Struct, frozen=True):
    """What a tool's `_meta` declares; None where it declares nothing that could be kept.

    `dropped` says of each field that was not taken which and why; the same for the same `_meta`, so
    that a caller who lists a server's tools again can keep from warning again.
    """

    declaration: ToolDeclaration | None
    dropped: tuple[str, ...] = ()


def tool_from_meta(name: str, meta: object, content: Content = "full") -> FromMeta:
    """What the `_meta` of the MCP tool `name` declares of it.

    `content` is the policy's: a server can keep its results out of a recording, and cannot put them
    into one. Nothing is raised for what stands in `meta`.
    """
    declared = meta.get(META_KEY) if isinstance(meta, Mapping) else None
    if declared is None:
        return FromMeta(None)
    if not isinstance(declared, Mapping):
        return FromMeta(None, (f"{META_KEY}: must be a table, not {show(declared)}",))
    kept: dict[str, object] = {}
    dropped: list[str] = []
    for number, (key, value) in enumerate(_fields(declared)):
        if number == MAX_FIELDS:
            dropped.append(f"{META_KEY}: has over {MAX_FIELDS} fields; the rest was not read")
            break
        together = _with(kept, key, value)
        problem = _problem(name, key, together, content)
        if problem:
            dropped.append(problem)
        else:
            kept = together
    if not kept:
        return FromMeta(None, tuple(dropped))
    return FromMeta(read_tool(name, kept, content, ("tools", name)), tuple(dropped))


def _fields(declared: Mapping[object, object]) -> Iterator[tuple[str, object]]:
    for key, value in declared.items():
        name = key if isinstance(key, str) else show(key)
        if name in _BY_ENTRY and isinstance(value, Mapping) and value:
            for entry, said in value.items():
                yield name, {entry: said}
        else:
            yield name, value


def _with(kept: Mapping[str, object], key: str, value: object) -> dict[str, object]:
    known = kept.get(key)
    if key in _BY_ENTRY and isinstance(known, Mapping) and isinstance(value, Mapping):
        value = {**known, **value}
    return {**kept, key: value}


def _problem(name: str, key: str, declared: Mapping[str, object], content: Content) -> str:
    if key == "output":
        return "output: only the agent's own policy names files; a tool has its outputSchema"
    if key == "target":
        return "target: only the agent's own policy says what a tool writes to"
    try:
        said = read_tool(name, declared, content, ("tools", name))
    except Misdeclared as error:
        place = spelled(error.path[2:]) or key
        return f"{place}: {error}"
    except RecursionError:
        return f"{key}: nested deeper than any declaration is"
    if content == "commitments" and said.content != content:
        return "content: a server cannot put results into a recording that the policy keeps out"
    return ""
