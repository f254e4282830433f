"""Databases: the tables `[databases.NAME]`, and that tools write to no other."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, get_args

import msgspec

from groundwire.authority.reading.governing.rules import environment_names, one_of, read_id
from groundwire.authority.reading.values import (
    Misdeclared,
    Table,
    demand,
    nearest,
    read_choice,
    read_count,
    read_entries,
    read_name,
    read_table,
    read_tables,
    show,
)
from groundwire.authority.toml_lines import Path
from groundwire.documents.governing import GuardRules
from groundwire.documents.policy import ToolDeclaration
from groundwire.documents.sql import DatabaseDeclaration, Dialect, SqlArguments

DIALECTS: Final[tuple[Dialect, ...]] = get_args(Dialect)

_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FUNCTION: Final = re.compile(r"[a-z_][a-z0-9_$]*(?:\.[a-z_][a-z0-9_$]*)?")
_MOST_SHOWN: Final = 1000


def read_databases(value: object, guard: GuardRules, path: Path) -> tuple[DatabaseDeclaration, ...]:
    """Every `[databases.NAME]`."""
    known = environment_names(guard.environments)
    return tuple(
        _read_database(name, table, known, (*path, name))
        for name, table in read_tables(value, path).items()
    )


def demand_known_databases(
    tools: Iterable[ToolDeclaration], databases: Iterable[DatabaseDeclaration], path: Path
) -> None:
    """Each tool that runs statements names a database of the policy."""
    known = [each.name for each in databases]
    for tool in tools:
        if isinstance(tool.target, SqlArguments) and tool.target.database not in known:
            near = f"; the nearest is {show(nearest(tool.target.database, known))}" if known else ""
            raise Misdeclared(
                "unknown-database",
                (*path, tool.name, "target", "sql"),
                f"there is no [databases.{tool.target.database}]{near}",
            )


def _read_database(
    name: str, value: object, known: tuple[str, ...], path: Path
) -> DatabaseDeclaration:
    table = read_table(value, "databases.<name>", path)
    read_id(name, path)
    demand(table, ("dialect",), "a database", path)
    dialect = read_choice(table["dialect"], DIALECTS, (*path, "dialect"))
    own, other = ("path", "dsn_from") if dialect == "sqlite" else ("dsn_from", "path")
    demand(table, (own,), f"a database of {dialect}", path)
    if other in table:
        raise Misdeclared(
            "bad-database", (*path, other), f"a database of {dialect} has no '{other}'"
        )
    declared = DatabaseDeclaration(
        name=name,
        dialect=dialect,
        path=read_name(table["path"], (*path, "path")) if own == "path" else "",
        dsn_from=_read_variable(table, path) if own == "dsn_from" else "",
    )
    if "rows_shown" in table:
        shown = read_count(table["rows_shown"], 0, _MOST_SHOWN, (*path, "rows_shown"))
        declared = msgspec.structs.replace(declared, rows_shown=shown)
    if "environment" in table:
        place = (*path, "environment")
        said = one_of(table["environment"], known, "unknown-environment", "environment", place)
        declared = msgspec.structs.replace(declared, environment=said)
    if "functions" in table:
        functions = read_entries(
            table["functions"],
            (*path, "functions"),
            _read_function,
            "an empty list names nothing; leave the key out",
        )
        declared = msgspec.structs.replace(declared, functions=functions)
    return declared


def _read_function(value: object, path: Path) -> str:
    text = read_name(value, path)
    if _FUNCTION.fullmatch(text) is None:
        raise Misdeclared(
            "bad-database",
            path,
            "must be the name of a function in small letters, as total or billing.total, not"
            f" {show(text)}",
        )
    return text


def _read_variable(table: Table, path: Path) -> str:
    place = (*path, "dsn_from")
    text = read_name(table["dsn_from"], place)
    if _VARIABLE.fullmatch(text) is None:
        raise Misdeclared(
            "bad-database",
            place,
            "must be the name of an environment variable that holds how to reach it, such as"
            " ORDERS_DSN; no secret stands in a policy",
        )
    return text
