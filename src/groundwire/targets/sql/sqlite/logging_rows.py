"""RowLog: temporary triggers that write down each row of a table as it was and as it becomes.

They fire for whatever changes the table, other triggers and cascades too. Not for a row that gives
way to another by `REPLACE` while `recursive_triggers` is off: such a row is missed in the log and
shows in the number of rows alone.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Final

from groundwire.documents.sql import TableChange, spelled_table
from groundwire.targets.sql.rows import Cell, Counts, Row, changed, row_of
from groundwire.targets.sql.sqlite.watching import OWN

_ROWIDS: Final = ("rowid", "_rowid_", "oid")


def quoted(name: str) -> str:
    """The name as an identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'


class RowLog:
    """The log of one table, from when it is made until the transaction is over."""

    def __init__(
        self, connection: sqlite3.Connection, table: str, number: int, *, counting: bool
    ) -> None:
        self.table = table
        self._connection = connection
        self._log = f"{OWN}{number}"
        info = connection.execute("SELECT name, hidden, pk FROM pragma_table_xinfo(?)", (table,))
        columns = [(name, pk) for name, hidden, pk in info if hidden != 1]
        self._columns = [name for name, _ in columns]
        rowid = _rowid(connection, table, self._columns)
        ordered = sorted((pk, name) for name, pk in columns if pk)
        self._key = [rowid] if rowid else [name for _, name in ordered]
        self.rows_before = self._count() if counting else None
        self._make()

    def change(self, shown: int, read: int) -> TableChange | None:
        """What became of the table; None where nothing did."""
        counted = dict(
            self._connection.execute(f"SELECT op, count(*) FROM temp.{self._log} GROUP BY op")  # noqa: S608 -- our own words
        )
        inserted, updated, deleted = (counted.get(op, 0) for op in ("i", "u", "d"))
        replaced = self._replaced(inserted, deleted)
        if not inserted + updated + deleted + replaced:
            return None
        whole = not replaced and inserted + updated + deleted <= read
        return changed(
            spelled_table("main", self.table),
            Counts(inserted, updated, deleted + replaced),
            self._folded() if whole else None,
            shown,
            self.rows_before,
        )

    def logged(self) -> int:
        """How many changes were written down."""
        (count,) = self._connection.execute(f"SELECT count(*) FROM temp.{self._log}").fetchone()  # noqa: S608 -- our own words
        return int(count)

    # -- inside -------------------------------------------------------------------------------

    def _replaced(self, inserted: int, deleted: int) -> int:
        """How many rows gave way to others, of which no trigger heard."""
        if self.rows_before is None:
            return 0
        return max(self.rows_before + inserted - deleted - self._count(), 0)

    def _count(self) -> int:
        asked = f"SELECT count(*) FROM main.{quoted(self.table)}"  # noqa: S608 -- a quoted name
        (count,) = self._connection.execute(asked).fetchone()
        return int(count)

    def _make(self) -> None:
        names = [*self._key, *self._columns]
        slots = range(len(names))
        logged = ", ".join(["op", *(f"o{at}" for at in slots), *(f"n{at}" for at in slots)])
        self._connection.execute(
            f"CREATE TEMP TABLE {self._log} (number INTEGER PRIMARY KEY, {logged})"
        )
        nothing = ["NULL"] * len(names)
        for op, event in (("i", "INSERT"), ("u", "UPDATE"), ("d", "DELETE")):
            old = nothing if op == "i" else [f"OLD.{quoted(name)}" for name in names]
            new = nothing if op == "d" else [f"NEW.{quoted(name)}" for name in names]
            self._connection.execute(
                f"CREATE TEMP TRIGGER {self._log}_{op} AFTER {event} ON main.{quoted(self.table)}"  # noqa: S608 -- quoted names
                f" BEGIN INSERT INTO {self._log} ({logged})"
                f" VALUES ('{op}', {', '.join([*old, *new])}); END"
            )

    def _folded(self) -> tuple[list[Row], list[Row]]:
        """Each row that changed once: as it was before all, as it is after all."""
        began: dict[tuple[Cell, ...], Sequence[Cell] | None] = {}
        became: dict[tuple[Cell, ...], Sequence[Cell]] = {}
        gone: list[Sequence[Cell]] = []
        width, keys = len(self._key) + len(self._columns), len(self._key)
        for _, op, *cells in self._connection.execute(
            f"SELECT * FROM temp.{self._log} ORDER BY number"  # noqa: S608 -- our own words
        ):
            old, new = cells[:width], cells[width:]
            was: Sequence[Cell] | None = None
            if op != "i":
                key = tuple(old[:keys])
                was = began.pop(key, old)
                became.pop(key, None)
            if op != "d":
                key = tuple(new[:keys])
                began[key], became[key] = was, new
            elif was is not None:
                gone.append(was)
        before = [*gone, *(was for was in began.values() if was is not None)]
        return [self._row(row) for row in before], [self._row(row) for row in became.values()]

    def _row(self, cells: Sequence[Cell]) -> Row:
        keys = len(self._key)
        row = row_of(self._columns, cells[keys:])
        return Row(tuple(map(repr, cells[:keys])), row.text)


def _rowid(connection: sqlite3.Connection, table: str, columns: Sequence[str]) -> str:
    """A name of the number that each row has; "" where the table's rows have none."""
    asked = "SELECT wr FROM pragma_table_list(?) WHERE schema = 'main'"
    found = connection.execute(asked, (table,)).fetchone()
    if found is None or found[0]:
        return ""
    taken = {name.casefold() for name in columns}
    return next((name for name in _ROWIDS if name not in taken), "")
