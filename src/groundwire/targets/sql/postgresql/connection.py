"""PostgresConnection: one statement at a time in a transaction, judged by what the server counts.

The transaction is REPEATABLE READ: what was read is what is changed, and where another transaction
changed the same row first the statement is refused. It does not see to it that two transactions that
each read what the other writes come out as one after the other (SERIALIZABLE does). Constraints that
wait for the commit are held to at once. The server counts the rows of every table, of triggers and
cascades too, and the catalogs are tables like others, so a change of the schema is seen whatever
makes it.

Not seen: values drawn from sequences, which no transaction takes back; what a function does outside
of this database (`dblink`, a foreign server's own effects, `COPY … PROGRAM`, files); `NOTIFY`; what a
superuser hides by switching `track_counts` off within a function. Session settings, temporary tables
and advisory locks end with the statement.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Final, NamedTuple

import msgspec
import psycopg
from psycopg.pq import ExecStatus, TransactionStatus

from groundwire.documents.sql import Statement, postgresql_root
from groundwire.targets.sql import refusing
from groundwire.targets.sql.port import Bounds, Consumed, Did, Parameters, Result, Stands, Value
from groundwire.targets.sql.postgresql import asking, emptied
from groundwire.targets.sql.postgresql.asking import Cells, Status, Touched
from groundwire.targets.sql.postgresql.emptied import Emptied
from groundwire.targets.sql.postgresql.refusals import (
    refusal_of,
    refusal_of_commit,
    why_not_connected,
    word_of,
)
from groundwire.targets.sql.postgresql.rows import Read
from groundwire.targets.sql.postgresql.schema import schema_changes

_Cursor = psycopg.Cursor[tuple[object, ...]]
_Connection = psycopg.Connection[tuple[object, ...]]

_CONNECTING: Final = 5
_IDLE: Final = 60.0
_STREAM: Final = re.compile(r"\b(?:STDIN|STDOUT)\b", re.IGNORECASE)
_ROWS: Final = "groundwire_rows"


class _Ran(NamedTuple):
    answer: _Cursor
    own: _Cursor
    baseline: _Cursor
    counts: _Cursor
    status: _Cursor
    stood: emptied.Stood


class PostgresConnection:
    """One session, and a second one that sees how everything was, made when it is first needed."""

    def __init__(self, dsn: str, name: str, bounds: Bounds) -> None:
        self._dsn = dsn
        self._name = name
        self._bounds = bounds
        self._count = 0
        self._process = os.getpid()
        self._own = _connect(dsn, name)
        self._second: _Connection | None = None
        info = self._own.info
        # Where an address is given, that is who is asked, whatever name stands beside it.
        host = info.get_parameters().get("hostaddr") or info.host or info.hostaddr
        self.root = postgresql_root(host, info.port, info.dbname)

    def attempt(self, statement: Statement, parameters: Parameters, bounds: Bounds) -> Did:
        """As the port has it."""
        given = _listed(parameters)
        if any(part.kind == "copy" for part in statement.parts) and _STREAM.search(statement.text):
            raise refusing.refused("It sends rows to, or waits for rows from, who calls it")
        try:
            return self._tried(statement, given, bounds)
        except BaseException:
            self.roll_back()
            raise

    def commit(self, consumed: Consumed) -> None:
        """As the port has it."""
        try:
            with self._own.pipeline() as pipeline:
                self._insert(consumed, "landed")
                ended = self._own.execute(b"COMMIT")
                pipeline.sync()
                word = ended.statusmessage
                if word == "COMMIT":
                    # Nothing of this statement is left for the next; it waits for nobody.
                    self._own.execute(b"DISCARD ALL")
        except psycopg.Error as error:
            self.roll_back()
            raise refusal_of_commit(error, self._bounds.seconds) from error
        if word != "COMMIT":
            self.roll_back()
            raise refusing.failed("the transaction could not be committed")

    def roll_back(self) -> None:
        """As the port has it."""
        try:
            if self._own.info.transaction_status != TransactionStatus.IDLE:
                self._own.execute(b"ROLLBACK")
            self._own.execute(b"DISCARD ALL")
        except psycopg.Error:
            self.close()

    def run_alone(
        self, statement: Statement, parameters: Parameters, bounds: Bounds, consumed: Consumed
    ) -> Result:
        """As the port has it."""
        given = _listed(parameters)
        if given:
            raise refusing.misfit("A statement outside of a transaction takes no parameters")
        with self._told():
            self._require_table()
        try:
            self._insert(consumed, "begun")
        except psycopg.Error as error:
            raise refusal_of_commit(error, bounds.seconds) from error
        try:
            self._set(bounds)
            # One statement alone, as the extended protocol has it: no second one hides behind it.
            done = self._own.pgconn.exec_params(statement.text.encode(), None)
            if done.status not in (ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK):
                raise refusing.unsettled("the database refused it, or a part of it")
            self._own.execute(
                f"UPDATE {asking.TABLE} SET state = 'landed' WHERE id = $1".encode(),  # noqa: S608 -- our own words
                [consumed.grant],
            )
        except psycopg.Error as error:
            raise refusing.unsettled(word_of(error)) from error
        return Result()

    def stands(self, consumed: Consumed) -> Stands:
        """As the port has it. Waits for a commit that is still under way."""
        with self._told():
            self._require_table()
            self._set(self._bounds)
            self._insert(consumed, "void", " ON CONFLICT (id) DO NOTHING")
            asked = f"SELECT state FROM {asking.TABLE} WHERE id = $1"  # noqa: S608 -- our own words
            found = asking.cells_of(self._own.execute(asked.encode(), [consumed.grant]))
        state = found[0][0] if found else "unknown"
        if state == "landed":
            return "landed"
        return "not-landed" if state == "void" else "unknown"

    def make_table(self) -> bool:
        """As the port has it."""
        with self._told():
            there = self._columns() is not None
            self._own.execute(asking.MAKE.encode())
            self._require_table()
        return not there

    def is_ready(self) -> bool:
        """Whether both sessions are there and idle, and nothing of the last statement is."""
        sessions = [self._own] + ([] if self._second is None else [self._second])
        return all(
            not each.closed and each.info.transaction_status == TransactionStatus.IDLE
            for each in sessions
        )

    def close(self) -> None:
        """As the port has it. What a parent process opened stays the parent's."""
        if self._process != os.getpid():
            return
        for each in (self._own, self._second):
            if each is not None:
                with suppress(psycopg.Error):
                    each.close()

    # -- inside -------------------------------------------------------------------------------

    def _tried(self, statement: Statement, given: Sequence[Value], bounds: Bounds) -> Did:
        """What it did; where it empties tables it ran anew, once what stands there was read."""
        did, gone = self._once(statement, given, bounds)
        if not gone or not statement.can_be_tried:  # it may run once alone
            return did
        self.roll_back()
        did, again = self._once(statement, given, bounds, gone)
        if again != gone:
            raise refusing.busy("tables changed meanwhile")
        return did

    def _once(
        self,
        statement: Statement,
        given: Sequence[Value],
        bounds: Bounds,
        gone: tuple[Emptied, ...] = (),
    ) -> tuple[Did, tuple[Emptied, ...]]:
        """What the statement did, and the tables that it emptied; of `gone` what stood there."""
        self._count += 1
        mark = str(self._count)
        with self._told():
            ran = self._run(statement, given, bounds, mark, gone)
        status = asking.status_of(asking.cells_of(ran.status))
        self._require_within(status, mark, asking.cells_of(ran.own))
        counts = asking.cells_of(ran.counts)
        tables = list(asking.touched(counts, asking.cells_of(ran.baseline)))
        with self._told():
            did = self._did(tables, status, _result(ran.answer, bounds), bounds)
            if status.xid is None or not any(each.name == "pg_class" for each in tables):
                return did, ()
            schema = tuple(emptied.told(did.schema, ran.stood))
            empty = emptied.emptied(self._own, self._beside(), status.xid)
        return msgspec.structs.replace(did, schema=schema), empty

    def _run(
        self,
        statement: Statement,
        given: Sequence[Value],
        bounds: Bounds,
        mark: str,
        gone: Sequence[Emptied],
    ) -> _Ran:
        """The statement between two counts, in one round trip."""
        text = statement.text.encode()
        gives = statement.only_reads and {part.kind for part in statement.parts} == {"select"}
        with self._own.pipeline():
            self._own.execute(asking.BEGIN.encode())
            emptied.lock(self._own, gone, bounds)
            self._set(bounds, mark)
            stood = emptied.ask(self._own, gone, bounds)
            own = self._own.execute(asking.OWN.encode())
            baseline = self._own.execute(asking.BASELINE.encode())
            if gives:  # no more of it is computed than is given
                self._own.execute(f"DECLARE {_ROWS} NO SCROLL CURSOR FOR ".encode() + text, given)
                ran = self._own.execute(f"FETCH FORWARD {bounds.given + 1} FROM {_ROWS}".encode())
            else:
                ran = self._own.execute(text, given)
            self._own.execute(asking.CONSTRAINTS.encode())
            self._own.execute(asking.OWN_PATH.encode(), [str(int(bounds.seconds * 1000))])
            counts = self._own.execute(asking.COUNTS.encode())
            status = self._own.execute(asking.STATUS.encode())
        return _Ran(ran, own, baseline, counts, status, stood)

    def _require_within(self, status: Status, mark: str, own: Sequence[Cells]) -> None:
        """The transaction is the one that was begun, and our table is there and untouched."""
        within = self._own.info.transaction_status == TransactionStatus.INTRANS
        if not within or status.mark != mark:
            raise refusing.refused("It left the transaction that it ran in")
        ((table, columns),) = own
        if columns != asking.COLUMNS:
            raise refusing.no_table(self._name)
        if table in status.held:
            raise refusing.protected()
        if status.foreign:
            raise refusing.refused("It writes in a table of another server")
        if not status.counting:
            raise refusing.unexpected("track_counts is off, so nobody counts what changes")

    def _did(
        self, tables: Sequence[Touched], status: Status, result: Result, bounds: Bounds
    ) -> Did:
        if status.xid is None or not tables:
            return Did(tables=(), schema=(), unseen=(), result=result)
        own = [each for each in tables if not each.system]
        system = [each for each in tables if each.system]
        unseen: list[str] = []
        schema = []
        read = Read([] if system else own, bounds, status.xid)
        if system:
            schema = schema_changes(system, self._own, self._beside(), status.xid)
        elif read.wanted:
            self._read(read)
            if read.incomplete:
                read = Read(own, bounds, status.xid, parts=True)
                self._read(read)
            if read.incomplete:
                unseen.append("rows-incomplete")
        counted = Read(own, bounds, status.xid) if system else read
        return Did(
            tables=tuple(counted.changes()),
            schema=tuple(schema),
            unseen=tuple(unseen),
            result=result,
        )

    def _read(self, read: Read) -> None:
        read.before(self._beside())
        read.after(self._own)

    def _beside(self) -> _Connection:
        if self._second is None or self._second.closed:
            self._second = _connect(self._dsn, self._name)
            seconds = str(int(self._bounds.waiting * 1000))
            self._second.execute(b"SELECT set_config('lock_timeout', $1, false)", [seconds])
            self._second.execute(b"SELECT set_config('default_transaction_read_only', 'on', false)")
            self._second.execute(b"SELECT set_config('search_path', 'pg_catalog, pg_temp', false)")
        return self._second

    def _set(self, bounds: Bounds, mark: str = "") -> None:
        limits = [str(int(each * 1000)) for each in (bounds.seconds, bounds.waiting, _IDLE)]
        self._own.execute(asking.SETTINGS.encode(), [*limits, mark, bool(mark)])

    def _insert(self, consumed: Consumed, state: str, otherwise: str = "") -> None:
        self._own.execute(
            f"INSERT INTO {asking.TABLE} (id, state, changes, at) VALUES ($1, $2, $3, $4){otherwise}".encode(),  # noqa: S608 -- our own words
            [consumed.grant, state, consumed.changes, consumed.at],
        )

    def _columns(self) -> str | None:
        ((_, columns),) = asking.cells_of(self._own.execute(asking.OWN.encode()))
        return columns

    def _require_table(self) -> None:
        if self._columns() != asking.COLUMNS:
            raise refusing.no_table(self._name)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """A failure of PostgreSQL's or psycopg's as one of ours."""
        try:
            yield
        except psycopg.Error as error:
            raise refusal_of(error, self._bounds.seconds) from error


def _connect(dsn: str, name: str) -> _Connection:
    try:
        return psycopg.connect(
            dsn,
            autocommit=True,
            cursor_factory=psycopg.RawCursor,
            prepare_threshold=None,
            connect_timeout=_CONNECTING,
            client_encoding="utf8",
            application_name="groundwire",
        )
    except (psycopg.Error, UnicodeError) as error:  # its message may quote the way, and so a secret
        raise refusing.not_connected(name, why_not_connected(dsn, error)) from None


def _listed(parameters: Parameters) -> list[Value]:
    if isinstance(parameters, Mapping):
        raise refusing.misfit("PostgreSQL's placeholders are $1, $2, …; give a list for them")
    return list(parameters)


def _result(cursor: _Cursor, bounds: Bounds) -> Result:
    columns = asking.columns_of(cursor)
    rows = asking.cells_of(cursor)
    counted = cursor.rowcount if cursor.rowcount >= 0 else None
    return Result(
        columns=columns,
        rows=tuple(rows[: bounds.given]),
        more=len(rows) > bounds.given,
        changed=None if columns else counted,
    )
