"""Grants: which were used, and what was written under them, outside of every working folder.

A SQLite database in the user's own state folder, which any number of processes and threads share.
A grant is consumed in it before its effect, in one transaction with the plan of the write, so that
recovery and undo find both. Whoever can write the database can use a grant twice.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, Literal, TypeAlias, get_args

import msgspec

from groundwire.documents.grant import Grant
from groundwire.documents.target import Plan
from groundwire.errors import GroundwireError, GuardError, HostError, TrustError
from groundwire.keys.times import format_time, parse_time
from groundwire.stores.disk.system import process_number
from groundwire.stores.writing.database import Database

WriteState: TypeAlias = Literal["planned", "landed", "not-landed", "unknown"]
Beside: TypeAlias = Callable[[sqlite3.Connection, str], GroundwireError | None]
"""What else is to happen when a grant is used, at a moment; or why the grant is not to be used."""

_MOST_WRITES: Final = 100_000
_PRUNE_EVERY: Final = 256


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


class _Consumption:
    """One grant that somebody waits to use; `error` says why it was not, once it is `done`."""

    def __init__(
        self, grant: Grant, moment: str, plan: Plan | None, run: str, sequence: int,
        beside: Beside | None,
    ) -> None:  # fmt: skip
        self.beside = beside
        self.grant = grant
        self.moment = moment
        self.plan = plan
        self.run = run
        self.sequence = sequence
        self.done = False
        self.error: GroundwireError | None = None


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
        self._database = Database(path)
        self._owner = owner
        self._keep = keep
        self._process = process_number()
        self._turn, self._queueing = threading.Lock(), threading.Lock()
        self._queue: list[_Consumption] = []
        self._settled: list[tuple[WriteState, str]] = []
        self._count = 0

    @property
    def database(self) -> Database:
        """Where they are kept: a table beside theirs is changed in one transaction with them."""
        return self._database

    def consume(
        self, grant: Grant, now: datetime, plan: Plan | None, run: str, sequence: int,
        beside: Beside | None = None,
    ) -> None:  # fmt: skip
        """The grant is used from here on, durably, and its plan kept; nobody uses it again.

        `beside` happens in the same transaction; the grant is not used where that refuses. Does not
        check its signature or whom it is for: `attest.open_grant` does.

        Raises:
            GuardError: `grant-used`: somebody has used it.
            TrustError: `grant-expired`; `clock-went-back`: by the latest time seen it is over.
        """
        self._in_this_process()
        asked = _Consumption(grant, format_time(now), plan, run, sequence, beside)
        with self._queueing:
            self._queue.append(asked)
        with self._turn:
            if not asked.done:
                self._serve_queued()
        with suppress(GroundwireError):  # of another's write, which recovery looks at then
            self._serve_settled()
        refused = asked.error
        if refused is not None:
            raise refused

    def settle(self, write: str, state: WriteState) -> None:
        """What became of the write is kept. A power cut may take that away, never the plan.

        Waits for nobody: while grants are being consumed, whoever does it keeps this too, next. A
        death in between leaves a write of which nobody has said what became of it.
        """
        self._in_this_process()
        with self._queueing:
            self._settled.append((state, write))
        self._serve_settled()

    def examined(self, write: str, state: WriteState) -> None:
        """As `settle`, of a write whose process is gone: it has no owner any more."""
        with self._database.transaction(durable=False) as connection:
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

        What was consumed stays consumed until it would have run out by the new time too, but for what
        was forgotten while the clock was wrong.
        """
        with self._database.transaction(durable=True) as connection:
            connection.execute("INSERT OR REPLACE INTO clock VALUES (0, ?)", (format_time(now),))

    def close(self) -> None:
        """The connection is closed; another use opens a new one."""
        with suppress(GroundwireError):
            self._serve_settled()
        self._database.close()

    # -- inside -------------------------------------------------------------------------------

    def _in_this_process(self) -> None:
        """In a forked child nobody of the parent's waits or holds a lock."""
        if self._process != process_number():
            self._process = process_number()
            self._turn, self._queueing = threading.Lock(), threading.Lock()
            self._queue, self._settled = [], []

    def _serve_settled(self) -> None:
        """What was settled is kept, here or by whoever has the turn: it looks again afterwards."""
        while self._settled and self._turn.acquire(blocking=False):
            try:
                self._serve_queued()
            finally:
                self._turn.release()

    def _serve_queued(self) -> None:
        """Whoever waits is served in one transaction: the medium is waited for once for all."""
        with self._queueing:
            queued, self._queue = self._queue, []
            settled, self._settled = self._settled, []
        try:
            with self._database.transaction(durable=bool(queued)) as connection:
                connection.executemany("UPDATE writes SET state = ? WHERE id = ?", settled)
                for each in queued:
                    each.error = self._consume(connection, each)
        except BaseException as error:
            for each in queued:
                each.error = error if isinstance(error, GroundwireError) else _interrupted()
            if not queued or not isinstance(error, GroundwireError):
                raise
        finally:
            for each in queued:
                each.done = True

    def _consume(
        self, connection: sqlite3.Connection, asked: _Consumption
    ) -> GroundwireError | None:
        """Why the grant cannot be used; None: it is used, once the transaction stands."""
        grant, moment = asked.grant, asked.moment
        before = _seen(connection)
        seen = max(moment, before)
        if moment >= grant.expires:
            return TrustError(
                "grant-expired",
                f"The grant was good until {grant.expires}; ask for a decision anew.",
            )
        if seen >= grant.expires:
            return TrustError(
                "clock-went-back",
                f"The clock says {moment}, and it was {seen} before: a grant that ran out could be"
                " used again. Set the clock; if it was wrong before and is right now, run"
                " `groundwire guard recover --accept-clock`.",
            )
        row = (grant.id, grant.expires)
        if asked.beside is not None:
            used = connection.execute("SELECT 1 FROM grants WHERE id = ?", (grant.id,)).fetchone()
            refused = None if used else asked.beside(connection, moment)
            if refused is not None:
                return refused
        if connection.execute("INSERT OR IGNORE INTO grants VALUES (?, ?)", row).rowcount != 1:
            return GuardError(
                "grant-used", "The grant was used before; each is good for one effect."
            )
        if seen != before:
            connection.execute("INSERT OR REPLACE INTO clock VALUES (0, ?)", (seen,))
        if asked.plan is not None:
            self._insert(connection, grant, asked.plan, asked.run, asked.sequence, moment)
        self._count += 1
        if self._count % _PRUNE_EVERY == 1:
            self._prune(connection, parse_time(seen))
        return None

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
        with self._turn:
            if self._settled:
                self._serve_queued()
        asked = f"SELECT id, owner, plan, receipt, run, sequence, state FROM writes WHERE {where}"  # noqa: S608 -- our own words
        with self._database.transaction(durable=False) as connection:
            rows = connection.execute(asked, values).fetchall()
        return tuple(self._write(row) for row in rows)

    def _write(self, row: tuple[str, str, bytes, str, str, int, WriteState]) -> Write:
        identity, owner, plan, receipt, run, sequence, state = row
        try:
            read = msgspec.json.decode(plan, type=Plan)
        except msgspec.MsgspecError as error:
            raise self._database.damaged("a plan in it is none") from error
        if state not in get_args(WriteState):
            raise self._database.damaged("a write in it has no known state")
        return Write(
            id=identity, owner=owner, plan=read, receipt=receipt, run=run, sequence=sequence,
            state=state,
        )  # fmt: skip


def _interrupted() -> GroundwireError:
    return HostError("grants-busy", "The store of grants was interrupted; ask for a decision anew.")


def _seen(connection: sqlite3.Connection) -> str:
    row = connection.execute("SELECT seen FROM clock").fetchone()
    seen: str = row[0] if row else ""
    return seen
