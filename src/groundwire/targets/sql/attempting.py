"""Attempt: one statement, from when it ran to its commit; while somebody is asked nothing is open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import msgspec

from groundwire.canon.digest import sha256
from groundwire.documents.sql import Content, Statement, Work, contents_of
from groundwire.documents.target import TargetName
from groundwire.errors import GroundwireError, GuardError, HostError
from groundwire.targets.sql import refusing
from groundwire.targets.sql.port import Bounds, Connection, Consumed, Did, Parameters, Result


class Connections(Protocol):
    """Where connections to one database come from."""

    bounds: Bounds
    """How far a statement is followed."""

    def take(self) -> Connection:
        """A connection for one statement, to be given back."""
        ...

    def give_back(self, connection: Connection) -> None:
        """Whoever took the connection needs it no more."""
        ...

    def close(self) -> None:
        """None that was kept is open."""
        ...


class Attempt:
    """One statement, from when it ran to its commit. `work` is what it did, which was judged.

    While somebody is asked nothing is held open: `pause` takes everything back, and `commit` runs
    it again then and demands that it does the same. What cannot be tried (`Statement.can_be_tried`)
    does not run before `commit`, and there is nothing to compare then; `look` is asked of what it
    gave back, and may refuse it while nothing stands yet.
    """

    def __init__(
        self, connections: Connections, database: str, statement: Statement, parameters: Parameters
    ) -> None:
        self._connections = connections
        self._statement = statement
        self._parameters = parameters
        self._connection: Connection | None = None
        self._allowed = False
        self.look: Callable[[Result], None] = _looked_at
        self.root = ""
        self.result = Result()
        """What it gave back; for nobody to see before it stands."""
        self.work = Work(database=database, statement=statement, ran=False)

    @property
    def atomic(self) -> bool:
        """Whether a transaction holds it."""
        return self._statement.transactional

    @property
    def contents(self) -> tuple[Content, ...]:
        """What stands at each table that it changes, before and after."""
        return contents_of(self.work)

    def names(self) -> tuple[TargetName, ...]:
        """Every table that it changes or that its text changes; the database where it is none."""
        said = {table for part in self._statement.parts for table in part.tables}
        read = self._statement.only_reads and not self.work.tables
        tables = {each.table for each in self.contents} | (set() if read else said)
        return tuple(
            TargetName(kind="sql", root=self.root, path=table) for table in sorted(tables) or [""]
        )

    def run(self) -> None:
        """It ran, and its transaction is open; or it is one that cannot be tried.

        Raises:
            GuardError, HostError: as `Connection.attempt`.
        """
        try:
            connection, did = self._attempt()
        except HostError as error:
            if error.reason != "database-unreachable":
                raise
            self._connections.close()  # one that was kept may have gone away meanwhile
            connection, did = self._attempt()
        self.work = msgspec.structs.replace(self.work, root=self.root)
        if did is None:
            self._connections.give_back(connection)
            return
        self._connection, self.result = connection, did.result
        self.work = msgspec.structs.replace(
            self.work, ran=True, tables=did.tables, schema=did.schema, unseen=did.unseen
        )

    def pause(self) -> None:
        """Nothing of it stands or is held open. Never raises."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.roll_back()
            self._connections.give_back(connection)

    def commit(self, write: str, at: str) -> Result:
        """What was judged stands, with the grant of this id; what it gave back.

        Raises:
            GuardError: `state-drifted`: run again it does something else; `grant-used`, and as
                `Connection.attempt` and `Connection.commit`: nothing of it stands.
            HostError: `write-unsettled`: nobody can say.
        """
        consumed = Consumed(grant=write, changes=self.digest(), at=at)
        if not self.atomic:
            return self._run_alone(consumed)
        if self._connection is None and not self.work.ran:
            self._run_first()
        elif self._connection is None:
            self._run_again()
        connection, self._connection = self._connection, None
        if connection is None:
            raise refusing.unexpected("there is no transaction")
        try:
            connection.commit(consumed)
        except HostError as error:
            connection.close()
            self._settle(consumed, error)
        finally:
            self._connections.give_back(connection)
        return self.result

    def digest(self) -> str:
        """Over all that it does, of whatever was read; of two runs that do the same it is the same."""
        return sha256(msgspec.json.encode((self.work.ran, self.contents), order="sorted"))

    # -- inside -------------------------------------------------------------------------------

    def _attempt(self) -> tuple[Connection, Did | None]:
        connection = self._connections.take()
        self.root = connection.root
        if not self.atomic or not (self._statement.can_be_tried or self._allowed):
            return connection, None
        try:
            bounds = self._connections.bounds
            return connection, connection.attempt(self._statement, self._parameters, bounds)
        except BaseException:
            self._connections.give_back(connection)
            raise

    def _run_first(self) -> None:
        """It was not tried before somebody allowed it, so nothing can be demanded of what it does."""
        self._allowed = True
        self.run()
        try:
            self.look(self.result)
        except BaseException:
            self.pause()
            raise

    def _run_again(self) -> None:
        judged, unseen = self.digest(), self.work.unseen
        self.run()
        if self.digest() == judged and self.work.unseen == unseen:
            return
        self.pause()
        raise GuardError(
            "state-drifted",
            "Run again, the statement does something else than was judged; nothing of it stands."
            " Ask anew.",
        )

    def _run_alone(self, consumed: Consumed) -> Result:
        connection = self._connections.take()
        try:
            bounds = self._connections.bounds
            return connection.run_alone(self._statement, self._parameters, bounds, consumed)
        finally:
            connection.close()

    def _settle(self, consumed: Consumed, error: HostError) -> None:
        """The commit stands; where it is known not to, or nobody can say, that is raised."""
        if error.reason != "write-unsettled":
            raise error
        try:
            connection = self._connections.take()
        except GroundwireError:
            raise error from None
        try:
            stands = connection.stands(consumed)
        except GroundwireError:
            raise error from None
        finally:
            connection.close()
        if stands == "unknown":
            raise error
        if stands == "not-landed":
            raise refusing.unreachable("it went away before the commit") from error


def _looked_at(result: Result) -> None:
    """Nothing is refused."""
    del result
