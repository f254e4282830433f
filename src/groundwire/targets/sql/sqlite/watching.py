"""Watch: what SQLite says a statement reads, writes and changes, before any of it happens.

SQLite asks about each deed of a statement when it compiles it, triggers and cascades among them, and
does none that is denied. What is not known here is denied.
"""

from __future__ import annotations

import sqlite3
from typing import Final

from groundwire.documents.sql import GRANTS
from groundwire.errors import GuardError
from groundwire.targets.sql.refusing import protected, refused

OWN: Final = "groundwire_log_"
"""How the names of our own temporary tables and triggers begin."""

_READS: Final = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE, sqlite3.SQLITE_FUNCTION}
)
_WRITES: Final = frozenset({sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE})
_DEFINES: Final = frozenset(
    {
        sqlite3.SQLITE_CREATE_TABLE,
        sqlite3.SQLITE_CREATE_VTABLE,
        sqlite3.SQLITE_CREATE_VIEW,
        sqlite3.SQLITE_CREATE_INDEX,
        sqlite3.SQLITE_CREATE_TRIGGER,
        sqlite3.SQLITE_DROP_TABLE,
        sqlite3.SQLITE_DROP_VTABLE,
        sqlite3.SQLITE_DROP_VIEW,
        sqlite3.SQLITE_DROP_INDEX,
        sqlite3.SQLITE_DROP_TRIGGER,
        sqlite3.SQLITE_ALTER_TABLE,
        sqlite3.SQLITE_REINDEX,
        sqlite3.SQLITE_ANALYZE,
    }
)
_TABLES: Final = frozenset(
    {
        sqlite3.SQLITE_CREATE_TABLE,
        sqlite3.SQLITE_CREATE_VTABLE,
        sqlite3.SQLITE_DROP_TABLE,
        sqlite3.SQLITE_DROP_VTABLE,
    }
)
_TELLING: Final = frozenset(
    {
        "collation_list",
        "compile_options",
        "data_version",
        "database_list",
        "foreign_key_check",
        "foreign_key_list",
        "function_list",
        "index_info",
        "index_list",
        "index_xinfo",
        "integrity_check",
        "quick_check",
        "table_info",
        "table_list",
        "table_xinfo",
    }
)
_SETTLING: Final = frozenset(
    {
        "application_id",
        "auto_vacuum",
        "incremental_vacuum",
        "journal_mode",
        "optimize",
        "user_version",
        "wal_checkpoint",
    }
)
_TRANSACTIONS: Final = frozenset({sqlite3.SQLITE_TRANSACTION, sqlite3.SQLITE_SAVEPOINT})
_OWN_TABLES: Final = frozenset({"sqlite_master", "sqlite_schema", "sqlite_temp_master"})
_WORDS: Final = {
    sqlite3.SQLITE_ATTACH: "It reaches another database",
    sqlite3.SQLITE_DETACH: "It reaches another database",
    sqlite3.SQLITE_TRANSACTION: "It begins or ends a transaction",
    sqlite3.SQLITE_SAVEPOINT: "It begins or ends a transaction",
    sqlite3.SQLITE_PRAGMA: "It changes a setting that no statement may",
}


class Watch:
    """Listens to one statement. `written` are the tables whose rows it may change.

    `defined`: it changes the schema; `remade` are the tables that it makes, drops or alters;
    `called` are the functions that it calls, operators such as `LIKE` among them.
    `refused` says why it was not let do something. `alone`: it runs outside of a transaction, so it
    may be one that no transaction holds.
    """

    def __init__(self, *, alone: bool = False) -> None:
        self.written: set[str] = set()
        self.remade: set[str] = set()
        self.called: set[str] = set()
        self.defined = False
        self.refused: GuardError | None = None
        self._alone = alone

    def __call__(
        self, action: int, one: str | None, two: str | None, database: str | None, by: str | None
    ) -> int:
        """SQLite's question: may it do this? `by` is the trigger or view that it is done for."""
        why = self._why_not(action, one or "", two or "", database or "", by or "")
        if why is None:
            return sqlite3.SQLITE_OK
        self.refused = self.refused or why
        return sqlite3.SQLITE_DENY

    def _why_not(
        self, action: int, one: str, two: str, database: str, by: str
    ) -> GuardError | None:
        if action in _READS:
            return self._read(action, one, two)
        if action in _WRITES:
            return self._write(one, database, by)
        if action in _DEFINES:
            return self._define(action, one, two, database)
        name = one.casefold()
        if action == sqlite3.SQLITE_PRAGMA and (
            name in _TELLING or (self._alone and name in _SETTLING)
        ):
            return None
        if self._alone and (
            action in _TRANSACTIONS or (action == sqlite3.SQLITE_ATTACH and not one)
        ):
            return None  # as VACUUM does, to a file of its own that is gone afterwards
        return refused(_WORDS.get(action, "It does what is not known here"))

    def _read(self, action: int, one: str, two: str) -> GuardError | None:
        if action == sqlite3.SQLITE_FUNCTION and two.casefold() == "load_extension":
            return refused("It loads code into the database")
        if action == sqlite3.SQLITE_FUNCTION:
            self.called.add(two.casefold())
        if action == sqlite3.SQLITE_READ and _is_ours(one) and not self._alone:
            return protected()
        return None

    def _write(self, table: str, database: str, by: str) -> GuardError | None:
        if by.startswith(OWN) and table.startswith(OWN):
            return None
        if table.casefold() in _OWN_TABLES:  # by what defines something: nobody else can
            self.defined = True
            return None
        if _is_ours(table) and not self._alone:
            return protected()
        if database not in ("", "main") and not self._alone:
            return refused("It makes something that is gone after it")
        self.written.add(table)
        return None

    def _define(self, action: int, one: str, two: str, database: str) -> GuardError | None:
        altered = action == sqlite3.SQLITE_ALTER_TABLE  # names its database first
        names = {two} if altered else {one, two}
        if any(map(_is_ours, names)) and not self._alone:
            return protected()
        where = one if altered else database
        if where not in ("", "main") and not self._alone:
            return refused("It makes something that is gone after it")
        self.defined = True
        if altered:
            self.remade.add(two)
        elif action in _TABLES:
            self.remade.add(one)
        return None


def _is_ours(name: str) -> bool:
    return name.casefold() == GRANTS
