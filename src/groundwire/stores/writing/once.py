"""Deeds: which were begun, done or not, by their keys, shared by a user's processes and runs.

A table in the database of grants, so that a deed is begun in the very transaction that uses its
grant. A row stays for good: it holds digests, the tool's name and an idempotency key, and none of
the values that the key was made of.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from typing import Final, Literal, TypeAlias, get_args

import msgspec

from groundwire.canon.digest import tagged
from groundwire.errors import GroundwireError, GuardError
from groundwire.stores.disk.system import process_number
from groundwire.stores.writing.database import Database

DeedState: TypeAlias = Literal["begun", "landed", "refused", "absent", "unknown"]

_TABLE: Final = (
    "CREATE TABLE IF NOT EXISTS deeds (key TEXT PRIMARY KEY, tool TEXT NOT NULL, id TEXT NOT NULL,"
    " owner TEXT NOT NULL, run TEXT NOT NULL, call TEXT NOT NULL, at TEXT NOT NULL,"
    " idempotency TEXT NOT NULL, state TEXT NOT NULL) WITHOUT ROWID"
)


class Deed(msgspec.Struct, frozen=True, kw_only=True):
    """The last try of one deed. `id` names the try, `owner` the process that began it.

    `begun`: it is being carried out, or its process is gone; `unknown`: nobody saw how it ended;
    `refused`: nothing was attempted; `absent`: a read said that it was not done.
    """

    key: str
    tool: str
    id: str
    owner: str
    run: str
    call: str
    at: str
    idempotency: str
    state: DeedState


class Try(msgspec.Struct, frozen=True, kw_only=True):
    """A deed that is to be begun; `idempotency` is the key that the call gives itself, or ""."""

    key: str
    tool: str
    id: str
    run: str
    call: str
    idempotency: str = ""


class Deeds:
    """The deeds of this user. `owner` names this process, `is_alive` says whether another's runs.

    Raises, from every method:
        HostError: as `Database`.
    """

    def __init__(self, database: Database, owner: str, is_alive: Callable[[str], bool]) -> None:
        self._database = database
        self._owner = owner
        self._is_alive = is_alive
        self._process = process_number()
        self._lock = threading.Lock()
        # Of each try that is carried out here: how it stood with the deed before.
        self._carried: dict[str, DeedState] = {}

    def refusal(self, key: str) -> GuardError | None:
        """Why the deed may not be begun now; None where it may, for whoever is first."""
        found = self.find(key)
        return None if found is None else self._refusal(found)

    def begin(
        self, connection: sqlite3.Connection, moment: str, asked: Try
    ) -> tuple[str, GroundwireError | None]:
        """The deed is begun by nobody else, once the transaction stands; its idempotency key.

        Or why it may not be begun, and nothing is changed; the key is then that of the other try.
        """
        connection.execute(_TABLE)
        found = self._row(connection, asked.key)
        refused = self._refusal(found) if found is not None else None
        same = found.idempotency if found is not None else ""
        if refused is not None:
            return same, refused
        if found is not None and found.state == "absent" and asked.idempotency not in ("", same):
            return same, GuardError(
                "once-key-differs",
                f"This was tried before ({_first(found)}) with another idempotency key, by which the"
                " service would take a second for the first; nothing ran. Make the call with the"
                " first one's key, or without one.",
            )
        idempotency = asked.idempotency or same or _idempotency(asked)
        connection.execute(
            "INSERT OR REPLACE INTO deeds VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'begun')",
            (
                asked.key, asked.tool, asked.id, self._owner, asked.run, asked.call, moment,
                idempotency,
            ),
        )  # fmt: skip
        with self._ours():
            self._carried[asked.id] = "refused" if found is None else found.state
        return idempotency, None

    def begin_alone(self, asked: Try, moment: str) -> tuple[str, GroundwireError | None]:
        """As `begin`, of what runs without a grant."""
        with self._database.transaction(durable=True) as connection:
            return self.begin(connection, moment, asked)

    def settle(self, key: str, identity: str, state: DeedState) -> None:
        """What became of this try is kept. What a power cut takes away of it reads as unknown.

        Of a try that was done nothing else is said afterwards; where nothing was attempted it stands
        as before it.
        """
        with self._ours():
            before = self._carried.get(identity)
        if state == "refused" and before == "absent":
            state = before
        try:
            with self._database.transaction(durable=False) as connection:
                connection.execute(_TABLE)
                connection.execute(
                    "UPDATE deeds SET state = ? WHERE key = ? AND id = ? AND state != 'landed'",
                    (state, key, identity),
                )
        finally:  # not before: in between it would read as one that nobody carries out
            with self._ours():
                self._carried.pop(identity, None)

    def read_as(self, deed: Deed, state: Literal["landed", "absent"]) -> bool:
        """A read, begun while the deed was unsettled, said this of it; whether that settled it."""
        with self._database.transaction(durable=True) as connection:
            connection.execute(_TABLE)
            found = self._row(connection, deed.key)
            if found is None or found.id != deed.id or not self.is_unsettled(found):
                return False
            connection.execute("UPDATE deeds SET state = ? WHERE key = ?", (state, deed.key))
            return True

    def find(self, key: str) -> Deed | None:
        """The last try of the deed."""
        with self._database.transaction(durable=False) as connection:
            connection.execute(_TABLE)
            return self._row(connection, key)

    def unsettled(self) -> tuple[Deed, ...]:
        """Every deed of which nobody knows whether it was done, the longest first."""
        with self._database.transaction(durable=False) as connection:
            connection.execute(_TABLE)
            rows = connection.execute(
                "SELECT * FROM deeds WHERE state IN ('begun', 'unknown') ORDER BY at, key"
            ).fetchall()
        return tuple(each for each in map(self._deed, rows) if self.is_unsettled(each))

    def is_unsettled(self, deed: Deed) -> bool:
        """Whether nobody knows, or will say, whether it was done."""
        return deed.state == "unknown" or (deed.state == "begun" and not self._is_carried(deed))

    # -- inside -------------------------------------------------------------------------------

    def _ours(self) -> threading.Lock:
        """In a forked child none of the parent's is carried out, or holds the lock."""
        if self._process != process_number():
            self._process = process_number()
            self._lock = threading.Lock()
            self._carried = {}
        return self._lock

    def _is_carried(self, deed: Deed) -> bool:
        if deed.owner != self._owner:
            return self._is_alive(deed.owner)
        with self._ours():
            return deed.id in self._carried

    def _refusal(self, found: Deed) -> GuardError | None:
        if found.state == "landed":
            return GuardError(
                "already-done",
                f"This was done before, and is to be done once: {_first(found)}; nothing ran.",
            )
        if self.is_unsettled(found):
            return GuardError(
                "once-unsettled",
                f"This was begun before and nobody knows whether it was done: {_first(found)};"
                " nothing ran. A person who looked may say whether it was, by `groundwire guard once"
                f" {found.key}` and --done or --not-done.",
            )
        if found.state == "begun":
            return GuardError(
                "once-running", f"This is being carried out now: {_first(found)}; nothing ran."
            )
        return None

    def _row(self, connection: sqlite3.Connection, key: str) -> Deed | None:
        row = connection.execute("SELECT * FROM deeds WHERE key = ?", (key,)).fetchone()
        return None if row is None else self._deed(row)

    def _deed(self, row: tuple[str, ...]) -> Deed:
        found = dict(zip(Deed.__struct_fields__, row, strict=True))
        if found["state"] not in get_args(DeedState):
            raise self._database.damaged("a deed in it has no known state")
        return msgspec.convert(found, Deed)


def _first(deed: Deed) -> str:
    return f"call {deed.call} of run {deed.run} at {deed.at}"


def _idempotency(asked: Try) -> str:
    """The idempotency key of a deed that is begun for the first time: of that try's grant."""
    return "gw-" + tagged("token", asked.id.encode(), asked.key.encode()).removeprefix("gw1:")[:40]
