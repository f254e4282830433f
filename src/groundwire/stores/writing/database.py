"""Database: a SQLite file of ours: made whole, this user's alone, the one at its path."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from groundwire.errors import HostError
from groundwire.stores.disk.folders import make_folders
from groundwire.stores.disk.system import System, process_number

_WAIT_MS: Final = 5_000


class Schema(NamedTuple):
    """What a database is made of. `application` is its SQLite application id: four letters of ours.

    Another program's database, or one of another version, is not taken for one of this schema.
    """

    name: str
    application: int
    version: int
    tables: tuple[str, ...]


GRANTS: Final = Schema(
    name="grants",
    application=0x67776772,  # "gwgr"
    version=1,
    tables=(
        "CREATE TABLE clock (only INTEGER PRIMARY KEY CHECK (only = 0), seen TEXT NOT NULL)",
        "CREATE TABLE grants (id TEXT PRIMARY KEY, expires TEXT NOT NULL) WITHOUT ROWID",
        (
            "CREATE TABLE writes (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
            " receipt TEXT NOT NULL, run TEXT NOT NULL, sequence INTEGER NOT NULL, root TEXT NOT NULL,"
            " owner TEXT NOT NULL, state TEXT NOT NULL, at TEXT NOT NULL, plan BLOB NOT NULL)"
        ),
        "CREATE INDEX writes_by_receipt ON writes (receipt)",
        "CREATE INDEX writes_open ON writes (state) WHERE state IN ('planned', 'unknown')",
    ),
)

# Connections of a parent process. To close one here could take the parent's write-ahead log away.
_abandoned: list[sqlite3.Connection] = []


class Database:
    """One database of a schema, opened when it is first used, by any number of threads and processes.

    Raises, from every method:
        HostError: `grants-damaged`, `grants-busy`, `grants-unsafe`, `grants-unwritable`,
            `grants-moved`.
    """

    def __init__(self, path: Path, schema: Schema = GRANTS) -> None:
        self._path = path
        self._schema = schema
        self._process = process_number()
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._durable: bool | None = None

    @contextmanager
    def transaction(self, *, durable: bool) -> Iterator[sqlite3.Connection]:
        """All of it or none; where `durable`, on the medium when it ends."""
        self._leave_parent()
        with self._lock:
            try:
                self._require_there()
                if self._connection is None:
                    self._connection = self._connect()
                connection = self._connection
                if self._durable is not durable:  # of this connection, as it was left
                    self._durable = None
                    connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                    self._durable = durable
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield connection
                    connection.execute("COMMIT")
                except BaseException:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                    raise
            except sqlite3.Error as error:
                raise self._told(error) from error

    def _require_there(self) -> None:
        """The open file is the one at the path: what is consumed in another, nobody else sees."""
        if self._connection is None:
            return
        try:
            found = os.stat(self._path, follow_symlinks=False)
            there = (found.st_dev, found.st_ino)
        except OSError:
            there = None
        if there != self._file:
            raise HostError(
                "grants-moved",
                f"{self._path} was moved, deleted or replaced while it was in use: grants could be"
                " used twice. Put it back, or begin a new process if you moved it.",
            )

    def close(self) -> None:
        """The connection is closed; another use opens a new one."""
        self._leave_parent()
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    # -- inside -------------------------------------------------------------------------------

    def _leave_parent(self) -> None:
        if self._process != process_number():
            self._process = process_number()
            self._lock = threading.Lock()
            if self._connection is not None:
                _abandoned.append(self._connection)
                self._connection = None

    def _connect(self) -> sqlite3.Connection:
        self._durable = None
        make_folders(self._path.parent, System(), ignored=False)
        if not os.path.lexists(self._path):
            self._make()
        self._file = self._require_own()
        connection = sqlite3.connect(
            self._path, isolation_level=None, check_same_thread=False, timeout=_WAIT_MS / 1000
        )
        try:
            self._require_ours(connection)
            connection.execute("PRAGMA journal_mode = WAL")
        except BaseException:
            connection.close()
            raise
        return connection

    def _make(self) -> None:
        """A database without a row is at the path, whole at once; or another's is.

        So one that is found empty was emptied.
        """
        half = self._path.with_name(f".{self._path.name}.{os.getpid()}.{id(self)}.new")
        try:
            os.close(os.open(half, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
            connection = sqlite3.connect(half, isolation_level=None)
            try:
                connection.execute("BEGIN")
                for table in self._schema.tables:
                    connection.execute(table)
                connection.execute(f"PRAGMA application_id = {self._schema.application}")
                connection.execute(f"PRAGMA user_version = {self._schema.version}")
                connection.execute("COMMIT")
            finally:
                connection.close()
            with suppress(FileExistsError):  # another process was faster
                os.link(half, self._path)
        except OSError as error:
            raise self._unwritable(error) from error
        finally:
            with suppress(OSError):
                os.unlink(half)

    def _require_ours(self, connection: sqlite3.Connection) -> None:
        found = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        schema = self._schema
        if (found, version) != (schema.application, schema.version):
            raise self.damaged(f"it is no database of {schema.name} of version {schema.version}")

    def _require_own(self) -> tuple[int, int]:
        """The file is this user's alone. Which file it is."""
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                found = os.fstat(descriptor)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise self._unwritable(error) from error
        others = found.st_mode & 0o077 or System().user() not in (-1, found.st_uid)
        if not stat.S_ISREG(found.st_mode) or others:
            raise HostError(
                "grants-unsafe",
                f"{self._path} is no file, another user's, or open to others: its grants prove"
                " nothing. Move it away, or run `chmod 600` if nobody else has written it.",
            )
        return found.st_dev, found.st_ino

    def _unwritable(self, error: OSError) -> HostError:
        return HostError(
            "grants-unwritable",
            f"{self._path} cannot be opened ({error.strerror or error}); set XDG_STATE_HOME to a"
            " folder of your own.",
        )

    def _told(self, error: sqlite3.Error) -> HostError:
        if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
            return HostError(
                "grants-busy", f"{self._path} was in use for {_WAIT_MS // 1000} s; try again."
            )
        return self.damaged(str(error))

    def damaged(self, why: str) -> HostError:
        """The refusal of a database in which something cannot be."""
        return HostError(
            "grants-damaged",
            f"{self._path} cannot be used ({why}); nothing is written without it. Move it away to"
            " begin anew: what was written can then not be undone by receipt.",
        )
