"""SqliteConnection: one statement at a time in one file, judged within `BEGIN IMMEDIATE`.

From then until the commit nobody else writes in the file, and everybody reads it as it was. Foreign
keys hold (`PRAGMA foreign_keys`), whatever other programs do. Nothing that a statement does to a
temporary table, to another file or to a setting is possible here. Of rows that give way by `REPLACE` in
a table that somebody's triggers stand on only the number is known, and in a file that is larger than
is scanned not even that. One connection serves one statement.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final
from urllib.parse import quote

import msgspec

from groundwire.canon.digest import sha256
from groundwire.documents.sql import GRANTS, SchemaChange, Statement, TableChange, spelled_table
from groundwire.errors import GroundwireError
from groundwire.targets.sql import refusing
from groundwire.targets.sql.port import Bounds, Consumed, Did, Parameters, Result, Stands
from groundwire.targets.sql.rows import Counts, changed, shown_cell
from groundwire.targets.sql.sqlite.bounding import bound, fetched, interrupted
from groundwire.targets.sql.sqlite.logging_rows import RowLog, quoted
from groundwire.targets.sql.sqlite.schema import (
    Schema,
    differences,
    has_trigger,
    is_table,
    is_virtual,
    read_schema,
    tables_of,
)
from groundwire.targets.sql.sqlite.watching import Watch

TABLE: Final = (
    f"CREATE TABLE IF NOT EXISTS main.{GRANTS} (id TEXT PRIMARY KEY NOT NULL, state TEXT NOT NULL,"
    " changes TEXT NOT NULL, at TEXT NOT NULL)"
)
_COLUMNS: Final = ["id", "state", "changes", "at"]
_INTO: Final = re.compile(r"\s*VACUUM\b.*\bINTO\b", re.IGNORECASE | re.DOTALL)
_OFTEN: Final = 10_000
_SAID: Final = (
    "no such table",
    "no such column",
    "no such function",
    "has no column named",
    "already exists",
    "syntax error",
    "incomplete input",
    "datatype mismatch",
)
_BUSY: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})


class SqliteConnection:
    """One file. `name` is what the policy calls it, `clock` seconds that never go back."""

    def __init__(self, path: Path, name: str, clock: Callable[[], float], bounds: Bounds) -> None:
        self.root = os.path.realpath(path)
        self._name = name
        self._clock = clock
        self._deadline = float("inf")
        self._bounds = bounds
        try:
            self._connection = sqlite3.connect(
                f"file:{quote(self.root)}?mode=rw", uri=True, isolation_level=None,
                check_same_thread=False, timeout=bounds.waiting, cached_statements=0,
            )  # fmt: skip
            self._connection.text_factory = _text
            self._connection.execute("PRAGMA foreign_keys = ON")
            self._connection.set_progress_handler(self._is_late, _OFTEN)
        except sqlite3.Error as error:
            raise refusing.not_connected(name, _code(error)) from error

    def attempt(self, statement: Statement, parameters: Parameters, bounds: Bounds) -> Did:
        """As the port has it."""
        self._deadline = self._clock() + bounds.seconds
        watch = Watch()
        try:
            with self._told(watch):
                self._connection.execute("BEGIN IMMEDIATE")
                self._require_table()
                with interrupted(self._connection, bounds.seconds):
                    return self._attempt(statement, parameters, bounds, watch)
        except BaseException:
            self.roll_back()
            raise
        finally:
            self._deadline = float("inf")

    def commit(self, consumed: Consumed) -> None:
        """As the port has it."""
        try:
            self._insert(consumed, "landed")
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            self.roll_back()
            raise _of_commit(error) from error

    def roll_back(self) -> None:
        """As the port has it."""
        with suppress(sqlite3.Error):
            self._connection.set_authorizer(None)
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def run_alone(
        self, statement: Statement, parameters: Parameters, bounds: Bounds, consumed: Consumed
    ) -> Result:
        """As the port has it."""
        watch = Watch(alone=True)
        if _INTO.match(statement.text):
            raise refusing.refused("It writes another file")
        with self._told(watch):
            self._look(statement, parameters, watch)
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                self._require_table()
            except GroundwireError:
                self.roll_back()
                raise
        try:
            self._insert(consumed, "begun")
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            self.roll_back()
            raise _of_commit(error) from error
        self._deadline = self._clock() + bounds.seconds
        try:
            with self._watched(watch), interrupted(self._connection, bounds.seconds):
                result = self._run(statement, parameters, bounds)
            update = f"UPDATE main.{GRANTS} SET state = 'landed' WHERE id = ?"  # noqa: S608 -- our own words
            self._connection.execute(update, (consumed.grant,))
        except (sqlite3.Error, GroundwireError) as error:
            raise refusing.unsettled(_code(error)) from error
        finally:
            self._deadline = float("inf")
        return result

    def stands(self, consumed: Consumed) -> Stands:
        """As the port has it."""
        with self._told(Watch()):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                self._require_table()
                asked = f"SELECT state FROM main.{GRANTS} WHERE id = ?"  # noqa: S608 -- our own words
                found = self._connection.execute(asked, (consumed.grant,)).fetchone()
                if found is None:
                    self._insert(consumed, "void")
                self._connection.execute("COMMIT")
            except BaseException:
                self.roll_back()
                raise
        if found is None or found[0] == "void":
            return "not-landed"
        return "landed" if found[0] == "landed" else "unknown"

    def make_table(self) -> bool:
        """As the port has it."""
        with self._told(Watch()):
            there = bool(self._columns())
            self._connection.execute(TABLE)
            self._require_table()
        return not there

    def is_ready(self) -> bool:
        """Never: to open a file anew costs less than to see that nothing is left."""
        return False

    def close(self) -> None:
        """As the port has it."""
        self.roll_back()
        with suppress(sqlite3.Error):
            self._connection.close()

    # -- inside -------------------------------------------------------------------------------

    def _attempt(
        self, statement: Statement, parameters: Parameters, bounds: Bounds, watch: Watch
    ) -> Did:
        before = read_schema(self._connection)
        self._look(statement, parameters, watch)
        bound(self._connection, watch.called, bounds)
        unseen = ["virtual-table" for table in sorted(watch.written) if is_virtual(before, table)][
            :1
        ]
        counting = self._size() <= bounds.scanned
        if not counting and "replace" in (statement.text + " ".join(before.values())).casefold():
            unseen.append("replaced-rows")
        logs = [
            RowLog(self._connection, table, number, counting=counting)
            for number, table in enumerate(sorted(watch.written - watch.remade))
            if is_table(before, table) and not is_virtual(before, table)
        ]
        if logs and not has_trigger(before, watch.written):
            # Then a row that gives way to another is logged; triggers of others would run anew.
            self._connection.execute("PRAGMA recursive_triggers = ON")
        remade = self._counts(watch.remade) if watch.defined else {}
        stood = {each: self._stood(each) for each, count in remade.items() if count and counting}
        already = self._connection.total_changes
        with self._watched(Watch() if not watch.defined else watch):
            result = self._run(statement, parameters, bounds)
        if not self._connection.in_transaction:
            raise refusing.refused("It left the transaction that it ran in")
        told = self._connection.total_changes - already
        if not watch.defined and told > 2 * sum(log.logged() for log in logs):
            unseen.append("unlogged-rows")
        found = [log.change(bounds.shown, bounds.read) for log in logs]
        after = read_schema(self._connection) if watch.defined else before
        schema = tuple(differences(before, after))
        if not tables_of(after) - tables_of(before) - watch.remade:  # else one has a new name
            found += self._remade(remade, watch)
            schema = tuple(_with_rows(each, stood) for each in schema)
        return Did(
            tables=tuple(each for each in found if each is not None),
            schema=schema,
            unseen=tuple(unseen),
            result=result,
        )

    def _look(self, statement: Statement, parameters: Parameters, watch: Watch) -> None:
        """The watch has heard of everything that the statement may do, and none of it was done."""
        explains = statement.text.lstrip().casefold().startswith("explain")
        text = statement.text if explains else f"EXPLAIN {statement.text}"
        with self._watched(watch):
            self._connection.execute(text, parameters).close()
        if explains:  # it tells what would be done, and does none of it
            watch.written.clear()
            watch.remade.clear()
            watch.defined = False

    def _run(self, statement: Statement, parameters: Parameters, bounds: Bounds) -> Result:
        cursor = self._connection.execute(statement.text, parameters)
        rows, more = fetched(cursor, bounds)
        changed_rows = cursor.rowcount if cursor.rowcount >= 0 else None
        columns = tuple(each[0] for each in cursor.description or ())
        cursor.close()
        return Result(
            columns=columns,
            rows=tuple(tuple(map(shown_cell, row)) for row in rows),
            more=more,
            changed=None if columns else changed_rows,
        )

    def _counts(self, tables: set[str]) -> dict[str, int | None]:
        """How many rows each table has; None where it is not there."""
        schema = read_schema(self._connection)
        return {table: self._count(schema, table) for table in sorted(tables)}

    def _count(self, schema: Schema, table: str) -> int | None:
        if not is_table(schema, table) or is_virtual(schema, table):
            return None
        asked = f"SELECT count(*) FROM main.{quoted(table)}"  # noqa: S608 -- a quoted name
        (count,) = self._connection.execute(asked).fetchone()
        return int(count)

    def _stood(self, table: str) -> str:
        """A digest over each row of the table, in the order in which they stand."""
        digest = ""
        for row in self._connection.execute(f"SELECT * FROM main.{quoted(table)}"):  # noqa: S608 -- a quoted name
            digest = sha256(f"{digest}{row!r}".encode("utf-8", "backslashreplace"))
        return digest

    def _remade(self, before: dict[str, int | None], watch: Watch) -> Iterator[TableChange]:
        """What became of the rows of tables that were made, dropped or altered: how many."""
        after = self._counts(watch.remade) if before else {}
        for table, was in before.items():
            gained = (after[table] or 0) - (was or 0)
            if gained:
                counts = Counts(max(gained, 0), 0, max(-gained, 0))
                yield changed(spelled_table("main", table), counts, None, 0, was)

    def _insert(self, consumed: Consumed, state: str) -> None:
        self._connection.execute(
            f"INSERT INTO main.{GRANTS} (id, state, changes, at) VALUES (?, ?, ?, ?)",  # noqa: S608 -- our own words
            (consumed.grant, state, consumed.changes, consumed.at),
        )

    def _columns(self) -> list[str]:
        asked = "SELECT name FROM pragma_table_info(?, 'main') ORDER BY cid"
        return [name for (name,) in self._connection.execute(asked, (GRANTS,))]

    def _require_table(self) -> None:
        if self._columns() != _COLUMNS:
            raise refusing.no_table(self._name)

    def _size(self) -> int:
        try:
            return os.stat(self.root).st_size
        except OSError:
            return 0

    def _is_late(self) -> int:
        return int(self._clock() > self._deadline)

    @contextmanager
    def _watched(self, watch: Watch) -> Iterator[None]:
        self._connection.set_authorizer(watch)
        try:
            yield
        except sqlite3.Error as error:
            raise (watch.refused or self._refusal(error)) from error
        finally:
            self._connection.set_authorizer(None)

    @contextmanager
    def _told(self, watch: Watch) -> Iterator[None]:
        """A failure of SQLite's as one of ours."""
        try:
            yield
        except sqlite3.Error as error:
            raise (watch.refused or self._refusal(error)) from error

    def _refusal(self, error: sqlite3.Error) -> GroundwireError:
        code = getattr(error, "sqlite_errorcode", None)
        if code is None:  # the library's own: parameters, or several statements
            if "one statement" in str(error):
                return refusing.refused("It is several statements")
            return refusing.misfit("What the placeholders stand for does not fit the statement")
        if code & 0xFF in _BUSY:
            return refusing.busy(_code(error))
        if code & 0xFF == sqlite3.SQLITE_INTERRUPT:
            return refusing.timed_out(self._bounds.seconds)
        if code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CANTOPEN):
            return refusing.unexpected(_code(error))
        return refusing.failed(_code(error))


def _of_commit(error: sqlite3.Error) -> GroundwireError:
    """Why a commit did not take place: SQLite says so, and the transaction was taken back."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if "main.groundwire_grants" in str(error) or f"{GRANTS}.id" in str(error):
        return refusing.used()
    if code in _BUSY:
        return refusing.busy(_code(error))
    if code == sqlite3.SQLITE_CONSTRAINT:
        return refusing.failed(_code(error))
    return refusing.unsettled(_code(error))


def _with_rows(change: SchemaChange, stood: Mapping[str, str]) -> SchemaChange:
    """The change, and where a table goes which rows go with it, so that others are told apart."""
    rows = {spelled_table("main", table): digest for table, digest in stood.items()}
    if change.thing != "table" or change.after is not None or change.table not in rows:
        return change
    return msgspec.structs.replace(
        change, before=f"{change.before} -- with its rows, {rows[change.table]}"
    )


def _code(error: Exception) -> str:
    """SQLite's word for it, and which of its commonest messages it is; no name stands in it."""
    code = str(getattr(error, "sqlite_errorname", type(error).__name__))
    said = next((words for words in _SAID if words in str(error)), "")
    return f"{code}: {said}" if said else code


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")
