"""Grants: which were used, and what was written under them, outside of every working folder.

A SQLite database in the user's own state folder, which any number of processes and threads share.
A grant is consumed in it before its effect, in one transaction with the plan of the write, so that
recovery and undo find both. Whoever can write the database can use a grant twice.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, Literal, TypeAlias, get_args

import msgspec

from groundwire.documents.grant import Grant
from groundwire.documents.target import Plan
from groundwire.errors import GuardError, HostError, TrustError
from groundwire.keys.times import format_time, parse_time
from groundwire.stores.disk.folders import make_folders
from groundwire.stores.disk.system import System

WriteState: TypeAlias = Literal["planned", "landed", "not-landed", "unknown"]

_VERSION: Final = 1
_APPLICATION: Final = 0x67776772  # "gwgr": another program's database is not taken for ours
_WAIT_MS: Final = 5_000
_MOST_WRITES: Final = 100_000
_PRUNE_EVERY: Final = 256
_TABLES: Final = (
    "CREATE TABLE clock (only INTEGER PRIMARY KEY CHECK (only = 0), seen TEXT NOT NULL)",
    "CREATE TABLE grants (id TEXT PRIMARY KEY, expires TEXT NOT NULL) WITHOUT ROWID",
    (
        "CREATE TABLE writes (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
        " receipt TEXT NOT NULL, run TEXT NOT NULL, sequence INTEGER NOT NULL, root TEXT NOT NULL,"
        " owner TEXT NOT NULL, state TEXT NOT NULL, at TEXT NOT NULL, plan BLOB NOT NULL)"
    ),
    "CREATE INDEX writes_by_receipt ON writes (receipt)",
    "CREATE INDEX writes_open ON writes (state) WHERE state IN ('planned', 'unknown')",
)

# Connections of a parent process. To close one here could take the parent's write-ahead log away.
_abandoned: list[sqlite3.Connection] = []


class Write(msgspec.Struct, frozen=True, kw_only=True):
    """One write under a grant, whose id it has.

    `owner` names the process that began it; "" where it is gone and the write was looked at since.
    """

    id: str
    owner: str
    plan: Plan
    receipt: str
    run: str
    sequence: int
    state: WriteState


class Grants:
    """The grants that this user's processes consumed, and the plans of their writes.

    `owner` names this process in what it plans. Grants whose time is over are forgotten, which
    makes none of them good: the latest time ever seen is kept. Plans go after `keep`, and the
    oldest first over a bound.

    Raises, from every method:
        HostError: `grants-damaged`, `grants-busy`, `grants-unsafe`, `grants-unwritable`;
            `grants-moved`: the file that was open is not the one at its path any more. None of
            these consumes anything, and none makes a new database in the place of a bad one.
    """

    def __init__(self, path: Path, owner: str, keep: timedelta = timedelta(days=30)) -> None:
        self._path = path
        self._owner = owner
        self._keep = keep
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._count = 0

    def consume(
        self, grant: Grant, now: datetime, plan: Plan | None, run: str, sequence: int
    ) -> None:
        """The grant is used from here on, durably, and its plan kept; nobody uses it again.

        Does not check its signature or whom it is for: `attest.open_grant` does.

        Raises:
            GuardError: `grant-used`: somebody has used it.
            TrustError: `grant-expired`; `clock-went-back`: by the latest time seen it is over.
        """
        moment = format_time(now)
        with self._transaction(durable=True) as connection:
            seen = max(moment, _seen(connection))
            if moment >= grant.expires:
                raise TrustError(
                    "grant-expired",
                    f"The grant was good until {grant.expires}; ask for a decision anew.",
                )
            if seen >= grant.expires:
                raise TrustError(
                    "clock-went-back",
                    f"The clock says {moment}, and it was {seen} before: a grant that ran out"
                    " could be used again. Set the clock; if it was wrong before and is right now,"
                    " run `groundwire guard recover --accept-clock`.",
                )
            row = (grant.id, grant.expires)
            if connection.execute("INSERT OR IGNORE INTO grants VALUES (?, ?)", row).rowcount != 1:
                raise GuardError(
                    "grant-used", "The grant was used before; each is good for one effect."
                )
            connection.execute("INSERT OR REPLACE INTO clock VALUES (0, ?)", (seen,))
            if plan is not None:
                self._insert(connection, grant, plan, run, sequence, moment)
            self._count += 1
            if self._count % _PRUNE_EVERY == 1:
                self._prune(connection, parse_time(seen))

    def settle(self, write: str, state: WriteState) -> None:
        """What became of the write is kept. A power cut may take that away, never the plan."""
        with self._transaction(durable=False) as connection:
            connection.execute("UPDATE writes SET state = ? WHERE id = ?", (state, write))

    def examined(self, write: str, state: WriteState) -> None:
        """As `settle`, of a write whose process is gone: it has no owner any more."""
        with self._transaction(durable=False) as connection:
            connection.execute(
                "UPDATE writes SET state = ?, owner = '' WHERE id = ?", (state, write)
            )

    def under(self, receipt: str) -> tuple[Write, ...]:
        """Every write under the receipt of this digest, the first first."""
        return self._writes("receipt = ? ORDER BY number", (receipt,))

    def unsettled(self) -> tuple[Write, ...]:
        """Every write of which nobody has said that it landed or did not, the first first."""
        return self._writes("state IN ('planned', 'unknown') ORDER BY number", ())

    def accept_clock(self, now: datetime) -> None:
        """The latest time seen is now. To be asked for by a person alone: see `consume`.

        What was consumed stays consumed until it would have run out by the new time too.
        """
        with self._transaction(durable=True) as connection:
            connection.execute("INSERT OR REPLACE INTO clock VALUES (0, ?)", (format_time(now),))

    def close(self) -> None:
        """The connection is closed; another use opens a new one."""
        self._leave_parent()
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    # -- inside -------------------------------------------------------------------------------

    def _insert(
        self, connection: sqlite3.Connection, grant: Grant, plan: Plan, run: str, sequence: int,
        moment: str,
    ) -> None:  # fmt: skip
        connection.execute(
            "INSERT INTO writes (id, receipt, run, sequence, root, owner, state, at, plan)"
            " VALUES (?, ?, ?, ?, ?, ?, 'planned', ?, ?)",
            (
                grant.id, grant.receipt, run, sequence, plan.root, self._owner, moment,
                msgspec.json.encode(plan),
            ),
        )  # fmt: skip

    def _prune(self, connection: sqlite3.Connection, now: datetime) -> None:
        connection.execute("DELETE FROM grants WHERE expires < ?", (format_time(now),))
        old = format_time(now - self._keep)
        connection.execute(
            "DELETE FROM writes WHERE state IN ('landed', 'not-landed') AND (at < ? OR number <="
            " (SELECT max(number) FROM writes) - ?)",
            (old, _MOST_WRITES),
        )

    def _writes(self, where: str, values: tuple[str, ...]) -> tuple[Write, ...]:
        asked = f"SELECT id, owner, plan, receipt, run, sequence, state FROM writes WHERE {where}"  # noqa: S608 -- our own words
        with self._transaction(durable=False) as connection:
            rows = connection.execute(asked, values).fetchall()
        return tuple(self._write(row) for row in rows)

    def _write(self, row: tuple[str, str, bytes, str, str, int, WriteState]) -> Write:
        identity, owner, plan, receipt, run, sequence, state = row
        try:
            read = msgspec.json.decode(plan, type=Plan)
        except msgspec.MsgspecError as error:
            raise self._damaged("a plan in it is none") from error
        if state not in get_args(WriteState):
            raise self._damaged("a write in it has no known state")
        return Write(
            id=identity, owner=owner, plan=read, receipt=receipt, run=run, sequence=sequence,
            state=state,
        )  # fmt: skip

    @contextmanager
    def _transaction(self, *, durable: bool) -> Iterator[sqlite3.Connection]:
        """All of it or none; where `durable`, on the medium when it ends."""
        self._leave_parent()
        with self._lock:
            try:
                self._require_there()
                if self._connection is None:
                    self._connection = self._connect()
                connection = self._connection
                connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
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

    def _leave_parent(self) -> None:
        if self._process != os.getpid():
            self._process = os.getpid()
            self._lock = threading.Lock()
            if self._connection is not None:
                _abandoned.append(self._connection)
                self._connection = None

    def _connect(self) -> sqlite3.Connection:
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
        """A database without a grant is at the path, whole at once; or another's is.

        So one that is found empty was emptied.
        """
        half = self._path.with_name(f".{self._path.name}.{os.getpid()}.{id(self)}.new")
        try:
            os.close(os.open(half, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
            connection = sqlite3.connect(half, isolation_level=None)
            try:
                connection.execute("BEGIN")
                for table in _TABLES:
                    connection.execute(table)
                connection.execute(f"PRAGMA application_id = {_APPLICATION}")
                connection.execute(f"PRAGMA user_version = {_VERSION}")
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
        if found != _APPLICATION or version != _VERSION:
            raise self._damaged(f"it is no database of grants of version {_VERSION}")

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
        return self._damaged(str(error))

    def _damaged(self, why: str) -> HostError:
        return HostError(
            "grants-damaged",
            f"{self._path} cannot be used ({why}); nothing is written without it. Move it away to"
            " begin anew: what was written can then not be undone by receipt.",
        )


def _seen(connection: sqlite3.Connection) -> str:
    row = connection.execute("SELECT seen FROM clock").fetchone()
    seen: str = row[0] if row else ""
    return seen
