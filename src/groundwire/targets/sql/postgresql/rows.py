"""Rows: those that a transaction changed, as it sees them and as everybody else still does.

The connection that changed them sees them as they become: a row carries who wrote it. A second one
sees them as they were, marked by who took them away: the transaction holds them locked, so nobody
else can have changed them since. Rows are looked for by reading the table through, so a table over
the bound is not read, and neither is one that this role may not read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import psycopg

from groundwire.documents.sql import TableChange, spelled_table
from groundwire.targets.sql.port import Bounds
from groundwire.targets.sql.postgresql.asking import KEYS, Cells, Touched, cells_of, columns_of
from groundwire.targets.sql.rows import Counts, Row, changed, row_of

# A transaction's own number, and those of its parts, which are drawn after it.
_PARTS: Final = 100_000
# Of a table of which so many rows changed it is asked whether there are others.
_COUNTED: Final = 10

_Cursor = psycopg.Cursor[tuple[object, ...]]
_Connection = psycopg.Connection[tuple[object, ...]]


class Read:
    """The rows of some tables, before and after. What could not be read whole is in `incomplete`.

    `parts`: also those that a part of the transaction wrote, under a number of its own. To look for
    them takes several times as long.
    """

    def __init__(
        self, tables: Sequence[Touched], bounds: Bounds, xid: int, *, parts: bool = False
    ) -> None:
        self._all = tables
        self._parts = parts
        self._bounds = bounds
        self._xid = xid
        self._tables = [
            each for each in tables
            if each.readable and not each.own and each.size <= bounds.scanned
        ]  # fmt: skip
        self._before: dict[str, list[Cells]] = {}
        self._after: dict[str, list[Cells]] = {}
        self._columns: dict[str, tuple[str, ...]] = {}
        self._keys: dict[str, set[str]] = {}
        self._counts: dict[str, int] = {}

    @property
    def wanted(self) -> bool:
        """Whether there is anything to be read."""
        return bool(self._tables)

    def before(self, beside: _Connection) -> None:
        """How the rows were, by a connection that does not see the change. One round trip.

        Raises:
            psycopg.Error: it could not be read.
        """
        ids = "{" + ",".join(each.id for each in self._tables) + "}"
        with beside.pipeline():
            keys = beside.execute(KEYS.encode(), [ids])
            asked = {
                each.id: beside.execute(self._ask(each, "xmax"))
                for each in self._tables
                if each.updated or each.deleted
            }
        for table, name in cells_of(keys):
            self._keys.setdefault(table or "", set()).add(name or "")
        self._before = {table: cells_of(cursor) for table, cursor in asked.items()}

    def after(self, own: _Connection) -> None:
        """How the rows are to be, by the connection that changed them. One round trip.

        A row that was only locked is as it was: it is still where it stood.

        Raises:
            psycopg.Error: it could not be read.
        """
        kept: dict[str, _Cursor] = {}
        counted: dict[str, _Cursor] = {}
        with own.pipeline():
            asked = {each.id: own.execute(self._ask(each, "xmin")) for each in self._tables}
            for each in self._tables:
                found = [row[0] for row in self._before.get(each.id, [])]
                if found:
                    places = "{" + ",".join(f'"{place}"' for place in found) + "}"
                    text = f"SELECT t.ctid FROM ONLY {each.quoted} t WHERE t.ctid = ANY ($1::tid[])"  # noqa: S608 -- a quoted name
                    kept[each.id] = own.execute(text.encode(), [places])
                if max(each.updated, each.deleted) >= _COUNTED:
                    text = f"SELECT count(*) FROM (SELECT FROM ONLY {each.quoted} LIMIT {_enough(each)}) t"  # noqa: S608 -- a quoted name
                    counted[each.id] = own.execute(text.encode())
        for table, cursor in asked.items():
            self._after[table] = cells_of(cursor)
            self._columns[table] = columns_of(cursor)[1:]
        for table, cursor in kept.items():
            still = {row[0] for row in cells_of(cursor)}
            self._before[table] = [row for row in self._before[table] if row[0] not in still]
        self._counts = {table: int(cells_of(each)[0][0] or 0) for table, each in counted.items()}

    def changes(self) -> list[TableChange]:
        """What became of every table."""
        return [self._change(each) for each in self._all]

    @property
    def incomplete(self) -> bool:
        """Whether of a table that was read not every row was found that the database counts."""
        return any(
            each.id in self._after and self._rows(each) is None and not self._over(each)
            for each in self._tables
        )

    # -- inside -------------------------------------------------------------------------------

    def _ask(self, table: Touched, field: str) -> bytes:
        whose = within if self._parts else by
        asked = f"SELECT t.ctid, t.* FROM ONLY {table.quoted} t WHERE {whose(field, self._xid)}"  # noqa: S608 -- a quoted name
        return f"{asked} LIMIT {self._bounds.read + 1}".encode()

    def _over(self, table: Touched) -> bool:
        most = self._bounds.read
        found = (self._before.get(table.id, []), self._after.get(table.id, []))
        return any(len(rows) > most for rows in found)

    def _change(self, table: Touched) -> TableChange:
        counts = Counts(table.inserted, table.updated, table.deleted)
        name = spelled_table(table.schema, table.name)
        return changed(name, counts, self._rows(table), self._bounds.shown, self._had(table))

    def _had(self, table: Touched) -> int | None:
        """How many rows there were; None: nobody asked, or more than changed.

        Counted where the change stands, so rows that others add meanwhile are none of them.
        """
        has = self._counts.get(table.id)
        if has is None or has >= _enough(table):
            return None
        return has - table.inserted + table.deleted

    def _rows(self, table: Touched) -> tuple[list[Row], list[Row]] | None:
        """Every row, or None: not all of them were found."""
        if table.id not in self._after or self._over(table):
            return None
        before, after = self._before.get(table.id, []), self._after[table.id]
        whole = (
            len(before) <= table.updated + table.deleted
            and len(after) <= table.inserted + table.updated
            and len(after) - len(before) == table.inserted - table.deleted
            and (before or after or not table.updated)
        )
        if not whole:
            return None
        columns = self._columns[table.id]
        keys = _places(columns, self._keys.get(table.id, set()))
        return (
            [row_of(columns, row[1:], keys) for row in before],
            [row_of(columns, row[1:], keys) for row in after],
        )


def _enough(table: Touched) -> int:
    """So many rows after the change say that there were more before than it changed."""
    return max(table.updated, table.deleted) - table.deleted + table.inserted + 1


def by(field: str, xid: int) -> str:
    """The condition that a row's `xmin` or `xmax` is this transaction."""
    return f"t.{field} = '{xid}'::xid"


def within(field: str, xid: int) -> str:
    """The condition that a row's `xmin` or `xmax` is this transaction, or a part of it."""
    return f"((t.{field}::text::bigint - {xid} + 4294967296) % 4294967296) < {_PARTS}"


def _places(columns: Sequence[str], keys: set[str]) -> list[int]:
    at: Mapping[str, int] = {name: place for place, name in enumerate(columns)}
    return sorted(at[name] for name in keys if name in at)
