"""Connection: what is asked of one database, whichever it is. The order is that of one statement."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Protocol, TypeAlias

import msgspec

from groundwire.documents.sql import SchemaChange, Statement, TableChange

Value: TypeAlias = str | int | float | bool | None
Parameters: TypeAlias = tuple[Value, ...] | Mapping[str, Value]
Stands: TypeAlias = Literal["landed", "not-landed", "unknown"]


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """How far a statement is followed.

    `shown` rows of each table stand in what is judged, `read` changed rows of a table are read at
    all, `given` rows are the tool's result, as far as they have no more than `size` bytes together
    where the database lets that be seen to (SQLite). There no value is longer than `cell` bytes, nor
    than `slow` in a statement that calls what takes the square of a length. `scanned` bytes of a table are looked through for them.
    A statement has `seconds`; `waiting` of them for a lock of others.
    """

    shown: int = 20
    read: int = 10_000
    given: int = 200
    size: int = 16 << 20
    cell: int = 16 << 20
    slow: int = 500_000
    scanned: int = 256 << 20
    seconds: float = 30.0
    waiting: float = 5.0


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What the statement gave back: rows as texts, or how many it changed; None: it says neither.

    `more`: there were more rows than are given.
    """

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Value, ...], ...] = ()
    more: bool = False
    changed: int | None = None


class Did(msgspec.Struct, frozen=True, kw_only=True):
    """What a statement did in the transaction that is still open, and what it gave back.

    `unseen` are codes for what could not be measured.
    """

    tables: tuple[TableChange, ...]
    schema: tuple[SchemaChange, ...]
    unseen: tuple[str, ...]
    result: Result


class Consumed(msgspec.Struct, frozen=True, kw_only=True):
    """A grant as our table in the database holds it: its id, the digest of what it allows, when."""

    grant: str
    changes: str
    at: str


class Connection(Protocol):
    """One connection to one database, for one statement at a time; by any thread, one at a time.

    Raises, from every method but `roll_back` and `close`:
        HostError: `database-unreachable`; `database-failed`: it answered what cannot be.
        GuardError: `database-busy`: others hold what is asked for, or changed it meanwhile.
    """

    root: str
    """Which database it is, without who reads it."""

    def attempt(self, statement: Statement, parameters: Parameters, bounds: Bounds) -> Did:
        """The statement ran in a transaction that stays open; of it nothing stands for others.

        Raises:
            GuardError: `statement-failed`, `statement-timed-out`, `statement-refused`,
                `protected-place`, `arguments-do-not-fit`: nothing of it stands.
            HostError: `grants-table-missing`.
        """
        ...

    def commit(self, consumed: Consumed) -> None:
        """What the attempt did and the grant stand, both.

        Raises:
            GuardError: `grant-used`, `database-busy`: neither stands.
            HostError: `write-unsettled`: nobody can say; `stands` can, once the database is reached.
        """
        ...

    def roll_back(self) -> None:
        """The transaction is over and nothing of it stands. Never raises."""
        ...

    def run_alone(
        self, statement: Statement, parameters: Parameters, bounds: Bounds, consumed: Consumed
    ) -> Result:
        """The grant was consumed, then the statement run outside of any transaction of ours.

        Raises:
            GuardError: `grant-used`, `statement-refused`: the statement did not run.
            HostError: `write-unsettled`: it failed, and may have done a part.
        """
        ...

    def stands(self, consumed: Consumed) -> Stands:
        """Whether what the grant allowed was committed. If not, it never will be: the grant is void."""
        ...

    def make_table(self) -> bool:
        """Our table is there. Whether it was made now."""
        ...

    def is_ready(self) -> bool:
        """Whether it may serve another statement, which sees nothing of the last one."""
        ...

    def close(self) -> None:
        """The connection is gone, and what it had not committed. Never raises."""
        ...
