"""Asking: what PostgreSQL is asked about a transaction, and how its answers are read.

Every answer is taken as text, so one value has one spelling whatever its type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

import psycopg

from groundwire.documents.sql import GRANTS

Cells: TypeAlias = tuple[str | None, ...]

TABLE: Final = f"public.{GRANTS}"
MAKE: Final = (
    f"CREATE TABLE IF NOT EXISTS {TABLE} (id text PRIMARY KEY, state text NOT NULL,"
    " changes text NOT NULL, at text NOT NULL)"
)
COLUMNS: Final = "id,state,changes,at"
BEGIN: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ"
SETTINGS: Final = (
    "SELECT pg_catalog.set_config('statement_timeout', $1, $5::boolean),"
    " pg_catalog.set_config('lock_timeout', $2, $5::boolean),"
    " pg_catalog.set_config('idle_in_transaction_session_timeout', $3, $5::boolean),"
    " pg_catalog.set_config('groundwire.transaction', $4, $5::boolean)"
)
CONSTRAINTS: Final = "SET CONSTRAINTS ALL IMMEDIATE"
"""What would run at the commit runs now, so that it is seen."""
OWN_PATH: Final = (
    "SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true),"
    " pg_catalog.set_config('statement_timeout', $1, true)"
)
"""From here on a name means what the system has by it, and nothing that the statement made."""
COUNTS: Final = """
SELECT s.relid, s.schemaname, s.relname, s.n_tup_ins, s.n_tup_upd, s.n_tup_del,
       s.schemaname = 'pg_catalog', c.relpersistence = 't', has_table_privilege(s.relid, 'SELECT'),
       pg_relation_size(s.relid)
  FROM pg_catalog.pg_stat_xact_all_tables s JOIN pg_catalog.pg_class c ON c.oid = s.relid
 WHERE s.schemaname <> 'pg_toast' AND s.n_tup_ins + s.n_tup_upd + s.n_tup_del > 0
"""
BASELINE: Final = """
SELECT s.relid, s.n_tup_ins, s.n_tup_upd, s.n_tup_del FROM pg_catalog.pg_stat_xact_all_tables s
 WHERE s.n_tup_ins + s.n_tup_upd + s.n_tup_del > 0
"""
OWN: Final = f"""
SELECT to_regclass('{TABLE}')::oid,
       (SELECT string_agg(attname, ',' ORDER BY attnum) FROM pg_catalog.pg_attribute
         WHERE attrelid = to_regclass('{TABLE}')::oid AND attnum > 0 AND NOT attisdropped)
"""  # noqa: S608 -- our own words
"""Our table by its number, which it has whatever becomes of its name, and its columns."""
STATUS: Final = """
WITH held AS (
  SELECT l.relation, l.mode FROM pg_catalog.pg_locks l
   WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation'
     AND l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database()))
SELECT pg_current_xact_id_if_assigned()::xid,
       current_setting('groundwire.transaction', true),
       current_setting('track_counts'),
       (SELECT string_agg(relation::text, ',') FROM held),
       EXISTS (SELECT FROM held JOIN pg_catalog.pg_class c ON c.oid = held.relation
                WHERE c.relkind = 'f' AND held.mode <> 'AccessShareLock')
"""
KEYS: Final = """
SELECT i.indrelid, a.attname FROM pg_catalog.pg_index i
  JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
 WHERE i.indisprimary AND i.indrelid = ANY ($1::oid[])
"""


class Touched(NamedTuple):
    """One table that the transaction wrote, with how many rows by which deed.

    `system`: it is one of the catalogs, so the schema changed. `own`: only this connection sees it.
    """

    id: str
    schema: str
    name: str
    inserted: int
    updated: int
    deleted: int
    system: bool
    own: bool
    readable: bool
    size: int

    @property
    def quoted(self) -> str:
        """Its name as SQL has it."""
        return f"{quoted(self.schema)}.{quoted(self.name)}"


class Status(NamedTuple):
    """Where a transaction stands. `xid` None: it has written nothing. `held`: what it has locked."""

    xid: int | None
    mark: str | None
    counting: bool
    held: frozenset[str]
    foreign: bool


def cells_of(cursor: psycopg.Cursor[tuple[object, ...]]) -> list[Cells]:
    """Every row of the answer, as texts."""
    result = cursor.pgresult
    if result is None:
        return []
    across = range(result.nfields)
    return [
        tuple(_text(result.get_value(row, at)) for at in across) for row in range(result.ntuples)
    ]


def columns_of(cursor: psycopg.Cursor[tuple[object, ...]]) -> tuple[str, ...]:
    """The names of the answer's columns; none where it has no rows to give."""
    result = cursor.pgresult
    if result is None:
        return ()
    return tuple(_text(result.fname(at)) or "" for at in range(result.nfields))


def touched(rows: Sequence[Cells], baseline: Sequence[Cells]) -> Iterator[Touched]:
    """The tables that were written since the baseline was taken."""
    already: Mapping[str | None, tuple[int, int, int]] = {
        each[0]: (_int(each[1]), _int(each[2]), _int(each[3])) for each in baseline
    }
    for row in rows:
        was = already.get(row[0], (0, 0, 0))
        counts = [_int(cell) - old for cell, old in zip(row[3:6], was, strict=True)]
        if any(counts):
            yield Touched(
                row[0] or "", row[1] or "", row[2] or "", counts[0], counts[1], counts[2],
                row[6] == "t", row[7] == "t", row[8] == "t", _int(row[9]),
            )  # fmt: skip


def status_of(rows: Sequence[Cells]) -> Status:
    """The answer to `STATUS`."""
    ((xid, mark, counting, held, foreign),) = rows
    return Status(
        None if xid is None else int(xid), mark, counting == "on",
        frozenset((held or "").split(",")), foreign == "t",
    )  # fmt: skip


def quoted(name: str) -> str:
    """The name as an identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'


def _int(cell: str | None) -> int:
    return int(cell or 0)


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "backslashreplace")
