"""Emptied: tables whose rows a transaction takes away whole, which nobody counts one by one.

Who drops or truncates a table holds it locked, and what stood in it is not to be read any more. So
what stands there is told before, in a transaction that locked it first. Of a table over the bound,
or that this role may not read, its size alone is told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

import msgspec
import psycopg

from groundwire.documents.sql import SchemaChange, spelled_table
from groundwire.targets.sql.port import Bounds
from groundwire.targets.sql.postgresql.asking import cells_of, quoted
from groundwire.targets.sql.postgresql.rows import within

_Cursor = psycopg.Cursor[tuple[object, ...]]
_Connection = psycopg.Connection[tuple[object, ...]]
Stood: TypeAlias = Mapping["Emptied", _Cursor]

_BEFORE: Final = (
    "SELECT t.oid, t.relfilenode, n.nspname, t.relname, has_table_privilege(t.oid, 'SELECT')"
    " FROM pg_catalog.pg_class t JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace"
    " WHERE t.relkind = 'r' AND t.relpersistence <> 't' AND {within}"
)
_AFTER: Final = "SELECT oid, relfilenode FROM pg_catalog.pg_class WHERE oid = ANY ($1::oid[])"
_SIZE: Final = "pg_catalog.pg_relation_size({id}::pg_catalog.oid)"
_ROWS: Final = (
    "SELECT CASE WHEN {size} <= {scanned} THEN (SELECT pg_catalog.concat(pg_catalog.count(*),"
    " ' rows, ', pg_catalog.sum(('x' || pg_catalog.substr(pg_catalog.md5("
    '("groundwire row".*)::pg_catalog.text), 1, 15))::pg_catalog.bit(60)::pg_catalog.int8))'
    " FROM ONLY {table} \"groundwire row\") ELSE pg_catalog.concat({size}, ' bytes') END"
)


class Emptied(NamedTuple):
    """One table, by its number and its name."""

    id: str
    schema: str
    name: str
    readable: bool

    @property
    def quoted(self) -> str:
        """Its name as SQL has it."""
        return f"{quoted(self.schema)}.{quoted(self.name)}"


def emptied(own: _Connection, beside: _Connection, xid: int) -> tuple[Emptied, ...]:
    """The tables that are gone, or whose rows stand elsewhere now. Two round trips.

    Raises:
        psycopg.Error: it could not be read.
    """
    before = cells_of(beside.execute(_BEFORE.format(within=within("xmax", xid)).encode()))
    if not before:
        return ()
    ids = "{" + ",".join(row[0] or "" for row in before) + "}"
    after = {row[0]: row[1] for row in cells_of(own.execute(_AFTER.encode(), [ids]))}
    return tuple(
        Emptied(row[0] or "", row[2] or "", row[3] or "", row[4] == "t")
        for row in sorted(before, key=lambda row: (row[2] or "", row[3] or ""))
        if after.get(row[0]) != row[1]
    )


def lock(own: _Connection, tables: Sequence[Emptied], bounds: Bounds) -> None:
    """Nobody else changes the tables from here on. To be the first that a transaction does."""
    if not tables:
        return
    for name, seconds in (("lock_timeout", bounds.waiting), ("statement_timeout", bounds.seconds)):
        own.execute(f"SET LOCAL {name} = {int(seconds * 1000)}".encode())
    names = ", ".join(f"ONLY {each.quoted}" for each in tables)
    own.execute(f"LOCK TABLE {names} IN ACCESS EXCLUSIVE MODE".encode())


def ask(own: _Connection, tables: Sequence[Emptied], bounds: Bounds) -> Stood:
    """What stands in the tables, asked within a pipeline."""
    return {each: own.execute(_asked(each, bounds.scanned)) for each in tables}


def told(changes: Sequence[SchemaChange], stood: Stood) -> list[SchemaChange]:
    """The changes, and with each table that is emptied what stood in it, counted or estimated."""
    texts = {
        spelled_table(each.schema, each.name): cells_of(cursor)[0][0]
        for each, cursor in stood.items()
    }
    return [
        msgspec.structs.replace(
            each,
            before=f"{each.before} ({texts[each.table]})",
            told="" if " rows, " in (texts[each.table] or "") else each.told,
        )
        if each.thing == "table" and each.table in texts and each.before is not None
        else each
        for each in changes
    ]


def _asked(table: Emptied, scanned: int) -> bytes:
    size = _SIZE.format(id=table.id)
    if not table.readable:
        return f"SELECT pg_catalog.concat({size}, ' bytes')".encode()
    return _ROWS.format(size=size, scanned=scanned, table=table.quoted).encode()
