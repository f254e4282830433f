"""Schema: what a SQLite database is made of, by its own words, and how two of these differ."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from groundwire.documents.sql import SchemaChange, Thing, spelled_table

Key: TypeAlias = tuple[str, str, str]
Schema: TypeAlias = Mapping[Key, str]
"""The definition of each thing by its kind, its name and the table that it is of."""

_THINGS: Final[Mapping[str, Thing]] = {
    "table": "table",
    "index": "index",
    "view": "view",
    "trigger": "trigger",
}


def read_schema(connection: sqlite3.Connection) -> Schema:
    """Everything that somebody defined; not what SQLite makes for itself."""
    asked = "SELECT type, name, tbl_name, sql FROM main.sqlite_master WHERE sql IS NOT NULL"
    return {(kind, name, table): text for kind, name, table, text in connection.execute(asked)}


def is_virtual(schema: Schema, table: str) -> bool:
    """Whether code of a module stands behind the table, so that no trigger can be on it."""
    return (_definition(schema, table) or "").upper().startswith("CREATE VIRTUAL")


def tables_of(schema: Schema) -> set[str]:
    """The names of its tables."""
    return {name for kind, name, _ in schema if kind == "table"}


def has_trigger(schema: Schema, tables: Iterable[str]) -> bool:
    """Whether somebody's trigger stands on one of the tables."""
    folded = {table.casefold() for table in tables}
    return any(kind == "trigger" and table.casefold() in folded for kind, _, table in schema)


def is_table(schema: Schema, name: str) -> bool:
    """Whether it is a table; a view is none, and rows are never in it."""
    return _definition(schema, name) is not None


def differences(before: Schema, after: Schema) -> Iterator[SchemaChange]:
    """Each thing that is made, gone or defined otherwise, in order of kind and name."""
    for key in sorted({*before, *after}):
        old, new = before.get(key), after.get(key)
        if old == new:
            continue
        kind, name, table = key
        own = spelled_table("main", table)
        yield SchemaChange(
            thing=_THINGS.get(kind, "other"),
            name=own if kind == "table" else name,
            table=own,
            before=old,
            after=new,
        )


def _definition(schema: Schema, table: str) -> str | None:
    folded = table.casefold()
    return next(
        (
            text
            for (kind, name, _), text in schema.items()
            if kind == "table" and name.casefold() == folded
        ),
        None,
    )
