"""SqlTarget: one database of a policy, and the statements that run in it. Databases: all of them."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from groundwire.documents.sql import DatabaseDeclaration, Statement
from groundwire.documents.target import Plan, Recovered
from groundwire.errors import HostError, PolicyError
from groundwire.targets.sql import refusing
from groundwire.targets.sql.attempting import Attempt
from groundwire.targets.sql.port import Bounds, Connection, Consumed, Parameters
from groundwire.targets.sql.sqlite.connection import SqliteConnection

PLANNED: Final = "sql:"
"""How the root of a plan begins whose write is a statement."""

_MOST_IDLE: Final = 4


class SqlTarget:
    """One database. A write is `same-transaction`, or `non-atomic` where no transaction holds it.

    `folder` is where relative paths begin, `environment` where a way to reach it stands, `clock`
    seconds that never go back. Connections that may serve again are kept, a few.
    """

    def __init__(
        self,
        declared: DatabaseDeclaration,
        folder: Path,
        environment: Mapping[str, str],
        clock: Callable[[], float],
        bounds: Bounds | None = None,
    ) -> None:
        self.declared = declared
        self._folder = folder
        self._environment = environment
        self._clock = clock
        self.bounds = msgspec.structs.replace(bounds or Bounds(), shown=declared.rows_shown)
        """How far a statement is followed."""
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._idle: list[Connection] = []
        weakref.finalize(self, _close_all, self._idle)

    @property
    def file(self) -> Path | None:
        """The file that the database is; None where it is none of this machine's."""
        if self.declared.dialect != "sqlite":
            return None
        return Path(os.path.realpath(self._folder / Path(self.declared.path).expanduser()))

    def root(self) -> str:
        """Which database it is. Raises as a connection to it."""
        connection = self.take()
        self.give_back(connection)
        return connection.root

    def attempt(self, statement: Statement, parameters: Parameters) -> Attempt:
        """The statement, run in a transaction that stays open.

        What cannot run in one is not run, and nothing is known of it.

        Raises:
            GuardError, HostError: as `Connection.attempt`; `statement-refused`.
        """
        if statement.ends_transaction:
            raise refusing.refused("It is several statements, or begins or ends a transaction")
        attempt = Attempt(self, self.declared.name, statement, parameters)
        attempt.run()
        return attempt

    def recover(self, plan: Plan) -> Recovered:
        """What became of a statement that nobody saw end: it stands where its grant does.

        What does not stand now never will: its grant is void from now on.

        Raises:
            HostError: `database-unreachable`, `database-failed`, `grants-table-missing`;
                `write-unsettled`: one that ran outside of a transaction. GuardError: `database-busy`.
        """
        connection = self.take()
        try:
            if PLANNED + connection.root != plan.root:
                raise refusing.unexpected("it is another one than the statement ran in")
            stands = connection.stands(Consumed(grant=plan.write, changes="", at=""))
        finally:
            self.give_back(connection)
        if stands == "unknown":
            raise refusing.unsettled("it ran outside of a transaction")
        after = stands == "landed"
        return Recovered(write=plan.write, stands="after" if after else "before", left_alone=())

    def make_table(self) -> bool:
        """The table of grants is in the database. Whether it was made now."""
        connection = self.take()
        try:
            return connection.make_table()
        finally:
            self.give_back(connection)

    def close(self) -> None:
        """No connection is open."""
        with self._lock:
            idle = self._idle.copy()
            self._idle.clear()
        _close_all(idle)

    def take(self) -> Connection:
        """A connection for one statement, to be given back. Raises as a connection to the database."""
        with self._lock:
            if self._process != os.getpid():  # the parent's are the parent's
                _abandoned.extend(self._idle)
                self._process = os.getpid()
                self._idle.clear()
            if self._idle:
                return self._idle.pop()
        return self._open()

    def give_back(self, connection: Connection) -> None:
        """Whoever took the connection needs it no more."""
        if connection.is_ready():
            with self._lock:
                if self._process == os.getpid() and len(self._idle) < _MOST_IDLE:
                    self._idle.append(connection)
                    return
        connection.close()

    # -- inside -------------------------------------------------------------------------------

    def _open(self) -> Connection:
        file, name = self.file, self.declared.name
        if file is not None:
            return SqliteConnection(file, name, self._clock, self.bounds)
        dsn = self._environment.get(self.declared.dsn_from, "")
        if not dsn:
            raise refusing.not_connected(name, f"{self.declared.dsn_from} is not set")
        try:
            from groundwire.targets.sql.postgresql.connection import (  # noqa: PLC0415 -- psycopg is an extra
                PostgresConnection,
            )
        except ImportError as error:
            raise HostError(
                "psycopg-not-installed",
                "PostgreSQL is reached by psycopg: pip install 'groundwire[sql]'; nothing ran.",
            ) from error
        return PostgresConnection(dsn, name, self.bounds)


class Databases:
    """The databases that a policy declares, each reached when it is first needed."""

    def __init__(
        self,
        declared: Iterable[DatabaseDeclaration],
        folder: Path,
        environment: Mapping[str, str],
        clock: Callable[[], float],
    ) -> None:
        self._targets = {
            each.name: SqlTarget(each, folder, environment, clock) for each in declared
        }

    def named(self, name: str) -> SqlTarget:
        """The database of this name.

        Raises:
            PolicyError: `unknown-database`.
        """
        found = self._targets.get(name)
        if found is None:
            raise PolicyError(
                "unknown-database",
                f"groundwire.toml declares no database {name[:80]!r}; add [databases.NAME].",
            )
        return found

    def recover(self, plan: Plan) -> Recovered:
        """As `SqlTarget.recover`, by the database that the plan is of.

        Raises:
            PolicyError: `unknown-database`: none that can be reached is it.
            GuardError, HostError: as `SqlTarget.recover`.
        """
        for target in self._targets.values():
            with suppress(HostError):
                if PLANNED + target.root() == plan.root:
                    break
        else:
            raise PolicyError(
                "unknown-database",
                "No database that groundwire.toml declares, and that answers, is the one.",
            )
        return target.recover(plan)

    def close(self) -> None:
        """No connection to any is open."""
        for target in self._targets.values():
            target.close()


NO_DATABASES: Final = Databases((), Path(), {}, float)
"""Those of a policy that declares none."""


def is_of_sql(plan: Plan) -> bool:
    """Whether the plan is one of a statement."""
    return plan.root.startswith(PLANNED)


def _close_all(connections: list[Connection]) -> None:
    for connection in connections:
        connection.close()


# Connections of a parent process: to close one here would end it for the parent.
_abandoned: list[Connection] = []
