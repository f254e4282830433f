"""Statements by their text alone: what a call would run, of which nothing was tried."""

from __future__ import annotations

from groundwire.documents.sql import SqlArguments, Work
from groundwire.session.guarding.ways.arguments import Arguments
from groundwire.session.guarding.ways.sql import statement_of
from groundwire.targets.sql.target import SqlTarget


def untried(target: SqlTarget, declared: SqlArguments, arguments: Arguments) -> Work:
    """The statement as its text reads, as if it had changed no row.

    Which database it is can be said of SQLite alone; to ask PostgreSQL for its name it would have to
    be reached, so its environment counts as unknown.

    Raises:
        GuardError: `arguments-do-not-fit`.
    """
    statement, _ = statement_of(declared, arguments, target)
    root = "" if target.file is None else str(target.file)
    return Work(
        database=declared.database, statement=statement, ran=statement.can_be_tried, root=root
    )
