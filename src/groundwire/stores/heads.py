"""Heads: where each run stands, kept outside its file, so that a file that was cut back shows.

A SQLite database in the user's own state folder, `$XDG_STATE_HOME/groundwire/heads.sqlite`. Whoever
can write there can write the recordings too; it guards against losing an end, by accident or by
somebody who has the files alone. An anchor elsewhere guards against more.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from groundwire.documents.verdict import Head
from groundwire.errors import HostError
from groundwire.stores.disk.folders import make_folders
from groundwire.stores.disk.system import System

RunState: TypeAlias = Literal["opened", "checkpointed", "closed"]

_VERSION = 1
_WAIT_MS = 5_000
_TABLE = """
CREATE TABLE IF NOT EXISTS heads (
    run TEXT NOT NULL, segment INTEGER NOT NULL, size INTEGER NOT NULL, root TEXT NOT NULL,
    state TEXT NOT NULL, path TEXT NOT NULL, at TEXT NOT NULL,
    PRIMARY KEY (run, segment)
) WITHOUT ROWID
"""
# A head only moves on; whoever knows less, or something else of the same size, is told.
_PUT = """
INSERT INTO heads (run, segment, size, root, state, path, at) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (run, segment) DO UPDATE SET
    size = excluded.size, root = excluded.root, state = excluded.state,
    path = excluded.path, at = excluded.at
WHERE excluded.size > heads.size OR (excluded.size = heads.size AND excluded.root = heads.root)
"""

# Connections of a parent process. To close one here could take the parent's write-ahead log away.
_abandoned: list[sqlite3.Connection] = []


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """A head as it was kept: where its file was, and what state the run was in."""

    head: Head
    state: RunState
    path: str
    at: str


class Heads:
    """The heads of this user's runs. Any number of processes and threads may use one file.

    Raises, from every method:
        HostError: `heads-damaged`, `heads-busy`, `heads-unsafe`, `heads-unwritable`;
            `heads-moved`, once: the file that was open is not the one at its path any more. The
            next call opens what stands there, or makes it anew.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None

    def put(self, head: Head, *, state: RunState, path: str, at: str) -> None:
        """The head is kept, in place of the earlier one of this run and segment.

        Raises:
            HostError: `head-went-back`: a later head, or another of the same size, is known.
        """
        row = (head.run, head.segment, head.size, head.root, state, path, at)
        with self._connected() as connection:
            changed = connection.execute(_PUT, row).rowcount
        if changed != 1:
            raise HostError(
                "head-went-back",
                f"A later head of run {head.run[:80]} is known than the one to be kept: two "
                "writers have one run, or its file was put back to an earlier state.",
            )

    def get(self, run: str, segment: int) -> Known | None:
        """The head of a segment; None where none was kept."""
        asked = "SELECT size, root, state, path, at FROM heads WHERE run = ? AND segment = ?"
        with self._connected() as connection:
            row = connection.execute(asked, (run, segment)).fetchone()
        if row is None:
            return None
        size, root, state, path, at = row
        head = Head(run=run, segment=segment, size=size, root=root)
        return Known(head=head, state=state, path=path, at=at)

    def forget(self, run: str, segment: int) -> None:
        """No head of this segment is kept any more: its recording was deleted."""
        with self._connected() as connection:
            connection.execute("DELETE FROM heads WHERE run = ? AND segment = ?", (run, segment))

    def close(self) -> None:
        """The connection is closed; another use opens a new one."""
        self._leave_parent()
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        self._leave_parent()
        with self._lock:
            try:
                self._require_there()
                if self._connection is None:
                    self._connection = self._connect()
                yield self._connection
            except sqlite3.Error as error:
                raise self._told(error) from error

    def _require_there(self) -> None:
        """The open file is the one at the path: what goes into another, nobody will find."""
        if self._connection is None:
            return
        try:
            found = os.stat(self._path, follow_symlinks=False)
            there = (found.st_dev, found.st_ino)
        except OSError:
            there = None
        if there != self._file:
            self._connection.close()
            self._connection = None
            raise HostError(
                "heads-moved",
                f"{self._path} was moved, deleted or replaced while it was in use: heads that were "
                "kept in it are missed from now on. Put it back; `groundwire verify` cannot tell a "
                "recording that was cut back without it.",
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
        self._file = self._require_own()
        connection = sqlite3.connect(
            self._path, isolation_level=None, check_same_thread=False, timeout=_WAIT_MS / 1000
        )
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            self._require_version(connection)
            connection.execute(_TABLE)
            connection.execute(f"PRAGMA user_version = {_VERSION}")
        except BaseException:
            connection.close()
            raise
        return connection

    def _require_version(self, connection: sqlite3.Connection) -> None:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, _VERSION):
            raise self._damaged(f"it is of version {version}, not {_VERSION}")

    def _require_own(self) -> tuple[int, int]:
        """The file is this user's alone; it is made so before SQLite opens it. Which file it is."""
        try:
            descriptor = os.open(
                self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
            )
            try:
                found = os.fstat(descriptor)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise HostError(
                "heads-unwritable",
                f"{self._path} cannot be opened ({error.strerror or error}); set XDG_STATE_HOME "
                "to a folder of your own.",
            ) from error
        open_to_others = found.st_mode & 0o077 or System().user() not in (-1, found.st_uid)
        if not stat.S_ISREG(found.st_mode) or open_to_others:
            raise HostError(
                "heads-unsafe",
                f"{self._path} is no file, another user's, or open to others: its heads prove "
                "nothing. Move it away, or run `chmod 600` if nobody else has written it.",
            )
        return found.st_dev, found.st_ino

    def _told(self, error: sqlite3.Error) -> HostError:
        if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
            return HostError(
                "heads-busy", f"{self._path} was in use for {_WAIT_MS // 1000} s; try again."
            )
        return self._damaged(str(error))

    def _damaged(self, why: str) -> HostError:
        return HostError(
            "heads-damaged",
            f"{self._path} cannot be read ({why}). Move it away and go on: a new one is made. The "
            "heads of earlier runs are in it and nowhere else here, so keep it; `groundwire verify "
            "--against` an anchor's mirror still shows a recording that was cut back.",
        )
