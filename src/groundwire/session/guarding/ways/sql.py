"""Statements: run once in a transaction, judged by what they did there, then committed or taken back."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import Final

import msgspec

from groundwire.attest.receipts import Held, Permit
from groundwire.authority.places import Places
from groundwire.contracts.sql.reading import read_statement
from groundwire.documents.governing import GuardRules
from groundwire.documents.profile import Fact
from groundwire.documents.sql import GRANTS, SqlArguments, Statement, Work
from groundwire.documents.target import (
    Absent,
    Change,
    Observation,
    Plan,
    Proposal,
    Reading,
    TargetName,
    Unmeasurable,
)
from groundwire.errors import GuardError
from groundwire.keys.times import format_time
from groundwire.session.guarding.ways.arguments import Arguments
from groundwire.session.guarding.ways.claimed.beside import BesideWay
from groundwire.session.guarding.ways.claimed.untargeted import state_of_content
from groundwire.session.guarding.ways.port import Way
from groundwire.targets.sql import refusing
from groundwire.targets.sql.attempting import Attempt
from groundwire.targets.sql.port import Parameters, Result, Value
from groundwire.targets.sql.target import PLANNED, Databases, SqlTarget

_LARGEST: Final = 1 << 63


class SqlText(str):
    """What a model is shown of a statement that was committed: JSON; beside it the same as values.

    `columns` and `rows` are what it gave, as far as that is given; `more`: there were more rows.
    `changed` is how many rows it changed, None where it gave rows or does not say.
    """

    __slots__ = ("changed", "columns", "more", "rows")

    changed: int | None
    columns: tuple[str, ...]
    more: bool
    rows: tuple[tuple[Value, ...], ...]

    @classmethod
    def of(cls, result: Result) -> SqlText:
        """The text of what a statement gave back."""
        made = cls(_text(result))
        made.changed, made.columns = result.changed, result.columns
        made.more, made.rows = result.more, result.rows
        return made


class SqlWay:
    """One statement in one database. It runs when it is asked what it touches.

    What it gave back is given out only once it stands. Between the two its transaction is open, but
    for while a person is asked: then it is taken back, and run again once they said yes. It is
    committed only if it does the same then. `close` takes back what was not committed.
    """

    owned = True

    def __init__(
        self,
        target: SqlTarget,
        statement: Statement,
        parameters: Parameters,
        *,
        now: Callable[[], str],
        refuse_write: Callable[[Sequence[TargetName]], None],
        refuse_content: Callable[[bytes], None],
    ) -> None:
        self._target = target
        self._statement = statement
        self._parameters = parameters
        self._now = now
        self._refuse_write = refuse_write
        self._refuse_content = refuse_content
        self._attempt: Attempt | None = None
        self._stands = False

    def touches(self) -> tuple[TargetName, ...]:
        """Every table that it changes, or that its text says so of; it runs for that.

        Raises:
            GuardError: `protected-place`, `denied-to-read`, and as `SqlTarget.attempt`.
        """
        if self._attempt is None:
            self._require_allowed()
            attempt = self._target.attempt(self._statement, self._parameters)
            self._attempt = attempt
            attempt.look = lambda result: self._refuse_content(_cells(result))
            attempt.look(attempt.result)
        return self._tried.names()

    def read_state(self, names: tuple[TargetName, ...]) -> tuple[Reading, ...]:
        """What stands of each that becomes something else."""
        before = {content.table: content.before for content in self._tried.contents}
        return tuple(
            Reading(name=name, state=state_of_content(content), content=content)
            for name, content in ((name, before.get(name.path)) for name in names)
        )

    def propose(self, readings: tuple[Reading, ...]) -> Proposal:
        """Every table that it changed, with its rows and definitions before and after."""
        states = {reading.name.path: reading.state for reading in readings}
        changes: list[Change] = []
        for content in self._tried.contents:
            state = states.get(content.table)
            if state is None or isinstance(state, Unmeasurable):
                raise GuardError("target-not-read", "A table was changed and not read before.")
            changes.append(
                Change(
                    name=TargetName(kind="sql", root=self._tried.root, path=content.table),
                    kind=content.kind,
                    state=state,
                    before=content.before,
                    after=content.after,
                )
            )
        return Proposal(changes=tuple(changes))

    def facts(self, proposal: Proposal) -> tuple[Fact, ...]:  # noqa: ARG002 -- as the port has it
        """That no transaction holds it; of one that a transaction holds nothing."""
        return () if self._tried.atomic else ("non-atomic",)

    def lost(self, proposal: Proposal) -> tuple[TargetName, ...]:  # noqa: ARG002 -- as the port has it
        """None: rows are nowhere else, and the rules speak of how many go."""
        return ()

    def recheck(self, proposal: Proposal) -> None:
        """Nothing here: what is open holds it, and what runs again is compared before its commit."""

    def plan(self, proposal: Proposal, write: str) -> Plan | None:  # noqa: ARG002 -- as the port has it
        """In which database it is to be looked up whether its grant stands; nothing undoes it."""
        return Plan(write=write, root=PLANNED + self._tried.root, steps=())

    def write(self, proposal: Proposal, write: str) -> object:  # noqa: ARG002 -- it is the transaction's
        """It is committed with its grant; what it gave back."""
        result = self._tried.commit(write, self._now())
        self._stands = True
        return SqlText.of(result)

    def observe(self, proposal: Proposal) -> tuple[Observation, ...]:
        """Each change is as it was read in the transaction, where that was committed.

        Does not look again: what others do to the rows from then on is theirs.
        """
        return tuple(map(self._seen, proposal.changes))

    def close(self) -> None:
        """What was not committed is taken back."""
        self.pause()

    def pause(self) -> None:
        """Nothing is open while somebody thinks."""
        if self._attempt is not None:
            self._attempt.pause()

    @property
    def work(self) -> Work:
        """What it did, whole."""
        return self._tried.work

    # -- inside -------------------------------------------------------------------------------

    @property
    def _tried(self) -> Attempt:
        if self._attempt is None:
            raise GuardError("host-answer", "The statement has not run yet.")
        return self._attempt

    def _require_allowed(self) -> None:
        """The database is none of groundwire's own, and the text does not name our table in it."""
        statement = self._statement
        named = {table for part in statement.parts for table in part.tables}
        if GRANTS in named | set(statement.reads):
            raise refusing.protected()
        if self._target.file is not None:
            path = str(self._target.file)
            self._refuse_write([TargetName(kind="files", root="/", path=path.lstrip("/"))])

    def _seen(self, change: Change) -> Observation:
        if not self._stands:
            state = Unmeasurable(why="unreadable")
            return Observation(name=change.name, seen="not-observed", state=state)
        state_after = Absent() if change.after is None else state_of_content(change.after)
        return Observation(name=change.name, seen="token-match", state=state_after)


def databases_of(rules: GuardRules, folder: Path) -> Databases:
    """The databases of a policy that lies in this folder; none is reached before it is needed."""
    return Databases(rules.databases, folder, os.environ, monotonic)


def sql_way(
    databases: Databases,
    declared: SqlArguments,
    arguments: Arguments,
    places: Places,
    now: Callable[[], datetime],
) -> SqlWay:
    """How a call is carried out whose tool runs statements.

    Raises:
        GuardError: `arguments-do-not-fit`. PolicyError: `unknown-database`.
    """
    target = databases.named(declared.database)
    statement, parameters = statement_of(declared, arguments, target)
    return SqlWay(
        target,
        statement,
        parameters,
        now=lambda: format_time(now()),
        refuse_write=places.refuse_write,
        refuse_content=places.refuse_content,
    )


def statement_of(
    declared: SqlArguments, arguments: Arguments, target: SqlTarget
) -> tuple[Statement, Parameters]:
    """The statement that a call asks for, read, and what its placeholders stand for.

    Raises:
        GuardError: `arguments-do-not-fit`.
    """
    text = arguments.get(declared.statement)
    if not isinstance(text, str) or not _is_plain(text):
        raise refusing.misfit(f"The argument {declared.statement!r} of the call is not a text")
    given = arguments.get(declared.parameters)
    parameters: Parameters = ()
    if isinstance(given, list):
        parameters = tuple(map(_value, given))
    elif isinstance(given, dict):
        parameters = {str(name): _value(value) for name, value in given.items()}
    elif given is not None:
        raise refusing.misfit(f"The argument {declared.parameters!r} is no list and no object")
    known = target.declared
    return read_statement(text, known.dialect, known.functions), parameters


def let_go_unless_permitted(way: Way | None, opened: Permit | Held) -> None:
    """What is held open for the call is taken back where it is not permitted yet."""
    own = way.inner if isinstance(way, BesideWay) else way
    if isinstance(own, SqlWay) and not isinstance(opened, Permit):
        own.pause()


def work_of(way: Way) -> Work | None:
    """What a statement did; of no other call."""
    own = way.inner if isinstance(way, BesideWay) else way
    return own.work if isinstance(own, SqlWay) else None


def _value(value: object) -> Value:
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        if not -_LARGEST <= value < _LARGEST:
            raise refusing.misfit("A whole number of the call is larger than a database takes")
        return value
    if isinstance(value, str):
        if not _is_plain(value):
            raise refusing.misfit("A text of the call holds what no database takes")
        return value
    return msgspec.json.encode(value).decode()


def _is_plain(text: str) -> bool:
    """Whether a database takes it: no NUL, and no half of a character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def _cells(result: Result) -> bytes:
    """Every cell as it is, a line each."""
    cells = (str(cell) for row in result.rows for cell in row if cell is not None)
    return "\n".join(cells).encode("utf-8", "replace")


def _text(result: Result) -> str:
    if not result.columns:
        return msgspec.json.encode({"changed": result.changed}).decode()
    given: dict[str, object] = {"columns": result.columns, "rows": result.rows}
    if result.more:
        given["more"] = True
    return msgspec.json.encode(given).decode()
