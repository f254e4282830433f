"""Tools: what an author declares of one tool, and of tools that come and go together."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

from groundwire.authority.reading.governing.once import (
    demand_once,
    read_once_key,
    read_once_per,
    read_settling,
)
from groundwire.authority.reading.governing.outputs import (
    demand_one_output,
    read_output,
    read_output_schema,
)
from groundwire.authority.reading.governing.target import (
    EFFECTS,
    demand_one_meaning,
    read_target,
)
from groundwire.authority.reading.sources import read_argument, read_sources
from groundwire.authority.reading.values import (
    Misdeclared,
    demand,
    read_choice,
    read_count,
    read_entries,
    read_flag,
    read_json_path,
    read_name,
    read_table,
    read_tables,
    show,
    wrong_type,
)
from groundwire.authority.toml_lines import Path
from groundwire.documents.declaration import Column, ColumnType, ToolGroup
from groundwire.documents.policy import Content, ToolDeclaration

CONTENTS: tuple[Content, ...] = ("full", "commitments")
COLUMN_TYPES: tuple[ColumnType, ...] = ("number", "string", "boolean", "date")
JSON_PATHS = ("rows_at", "total_at", "next_at", "as_of", "entity_at")

MAX_SECONDS = 100 * 366 * 86_400
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_DURATION = re.compile(r"([0-9]{1,10}) ?([smhdw])", re.ASCII)


def read_tool(name: str, value: object, content: Content, path: Path) -> ToolDeclaration:
    """One tool's declaration; `content` holds where its own table says nothing."""
    table = read_table(value, "tools.<name>", path)
    read_name(name, path)
    fields = {key: _read_field(name, key, said, (*path, key)) for key, said in table.items()}
    declared = msgspec.convert({"name": name, "content": content} | fields, ToolDeclaration)
    demand_one_meaning(declared.effect, declared.target, (*path, "target"))
    demand_one_output(declared, (*path, "output"))
    demand_once(declared, path)
    return declared


def _read_field(name: str, key: str, value: object, path: Path) -> object:
    if key in JSON_PATHS:
        return read_json_path(value, path)
    read: dict[str, Callable[[], object]] = {
        "arguments_from": lambda: _read_grounds(name, value, path),
        "arguments": lambda: read_sources(value, name, path),
        "content": lambda: read_choice(value, CONTENTS, path),
        "effect": lambda: read_choice(value, EFFECTS, path),
        "idempotent": lambda: read_flag(value, path),
        "volatile": lambda: read_entries(
            value, path, read_argument, "an empty list names no argument; leave the key out"
        ),
        "columns": lambda: _read_columns(value, path),
        "max_age": lambda: _read_age(value, path),
        "says": lambda: read_entries(
            value, path, read_name, "an empty list names no verb; leave the key out"
        ),
        "operation": lambda: read_name(value, path),
        "target": lambda: read_target(value, path),
        "output": lambda: read_output(value, path),
        "output_schema": lambda: read_output_schema(value, path),
        "once_per": lambda: read_once_per(value, path),
        "settled_by": lambda: read_settling(value, name, path),
        "once_key": lambda: read_once_key(value, path),
    }
    return read[key]()


def read_groups(value: object, path: Path) -> tuple[ToolGroup, ...]:
    """Every `[groups.NAME]`."""
    return tuple(
        _read_group(name, table, (*path, name)) for name, table in read_tables(value, path).items()
    )


def _read_group(name: str, value: object, path: Path) -> ToolGroup:
    table = read_table(value, "groups.<name>", path)
    read_name(name, path)
    demand(table, ("tools",), "a group", path)
    tools = read_entries(
        table["tools"], (*path, "tools"), read_name, "a group needs at least one tool"
    )
    parkable = read_flag(table.get("parkable", True), (*path, "parkable"))
    return ToolGroup(name=name, tools=tools, parkable=parkable)


def _read_grounds(name: str, value: object, path: Path) -> tuple[str, ...]:
    def read(entry: object, place: Path) -> str:
        ground = read_name(entry, place)
        if ground == name:
            raise Misdeclared(
                "tool-sources-itself",
                place,
                f"a tool cannot be the source of its own arguments; take {show(name)} out of "
                "'arguments_from'",
            )
        return ground

    return read_entries(
        value,
        path,
        read,
        "an empty list names no source; name the tools whose results these arguments come from, "
        "or leave the key out",
    )


def _read_columns(value: object, path: Path) -> tuple[Column, ...]:
    columns = tuple(
        _read_column(read_name(name, (*path, name)), said, (*path, name))
        for name, said in read_tables(value, path).items()
    )
    if not columns:
        raise Misdeclared(
            "empty-declaration", path, "an empty table names no column; leave it out, or name some"
        )
    return columns


def _read_column(name: str, value: object, path: Path) -> Column:
    if isinstance(value, str):
        return Column(name=name, type=read_choice(value, COLUMN_TYPES, path))
    table = read_table(value, "tools.<name>.columns.<name>", path)
    demand(table, ("type",), "a column", path)
    return Column(
        name=name,
        type=read_choice(table["type"], COLUMN_TYPES, (*path, "type")),
        nullable=read_flag(table.get("nullable", False), (*path, "nullable")),
    )


def _read_age(value: object, path: Path) -> int:
    """Seconds, from a number of them or a text such as `15m`."""
    if isinstance(value, str):
        found = _DURATION.fullmatch(value)
        if found is None:
            raise wrong_type(
                'seconds, or a text such as "90s", "15m", "4h", "2d" or "1w"', value, path
            )
        value = int(found[1]) * _UNITS[found[2]]
    return read_count(value, 1, MAX_SECONDS, path)
