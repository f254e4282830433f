"""Uses: how often each approval was used, counted for all of this user's processes and threads.

They are a table beside the grants. A use is taken before its grant is consumed, and the same file is made
durable then: so a use is on the medium before its effect. Whoever can write the database can use an
approval again; it lies where no guarded tool writes.
"""

from __future__ import annotations

import sqlite3
from typing import Final

from groundwire.stores.writing.database import Database

_TABLE: Final = (
    "CREATE TABLE IF NOT EXISTS uses (approval TEXT NOT NULL, number INTEGER NOT NULL,"
    " call TEXT NOT NULL, run TEXT NOT NULL, sequence INTEGER NOT NULL, at TEXT NOT NULL,"
    " PRIMARY KEY (approval, number)) WITHOUT ROWID"
)


class Uses:
    """The uses of approvals, each by the SHA-256 of its signed bytes. None is ever given back.

    Raises, from every method:
        HostError: as `stores.writing.database`.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._seen: dict[str, int] = {}

    def take(
        self, approvals: tuple[str, ...], most: int, *, call: str, run: str, sequence: int, at: str
    ) -> int | None:
        """One more use of each of these approvals: its number, the same of all of them.

        None where one of them has had `most` uses: then none of them has one more. Approvals that
        are used together are always used together.
        """
        with self._database.transaction(durable=False) as connection:
            numbers = [self._taken(connection, approval) + 1 for approval in approvals]
            number = max(numbers, default=most + 1)
            if number > most:
                return None
            self._seen |= dict.fromkeys(approvals, number)
            connection.executemany(
                "INSERT INTO uses VALUES (?, ?, ?, ?, ?, ?)",
                [(approval, number, call, run, sequence, at) for approval in approvals],
            )
            return number

    def taken(self, approval: str) -> int:
        """How often an approval was used."""
        with self._database.transaction(durable=False) as connection:
            return self._taken(connection, approval)

    def _taken(self, connection: sqlite3.Connection, approval: str) -> int:
        """As many as stand there, and no fewer than this process has seen: rows may be taken away."""
        connection.execute(_TABLE)
        row = connection.execute(
            "SELECT coalesce(max(number), 0) FROM uses WHERE approval = ?", (approval,)
        ).fetchone()
        count: int = row[0]
        return max(count, self._seen.get(approval, 0))

    def close(self) -> None:
        """The connection is closed; another use opens a new one."""
        self._database.close()
