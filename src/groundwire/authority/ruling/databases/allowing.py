"""Allowing: by which keys a rule speaks of one aspect of a statement, and of as little else as can be."""

from __future__ import annotations

from groundwire.authority.reading.values import Misdeclared
from groundwire.authority.ruling.databases.aspects import StatementAspect
from groundwire.contracts.sql.judging import MANY
from groundwire.contracts.sql.tables import is_pattern, names
from groundwire.documents.question import Question


def keys_of_statement(aspect: StatementAspect, question: Question) -> list[tuple[str, str | int]]:
    """Keys of a rule, each with its one value: for this tool, this table, this environment.

    Raises:
        Misdeclared: no pattern names this table alone.
    """
    keys: list[tuple[str, str | int]] = [("tools", question.tool)]
    if aspect.concerns not in {"rows", "many-rows"}:
        keys.append(("statements", aspect.statements[0]))
    if aspect.concerns == "many-rows":
        keys.append(("rows_over", MANY))
    if aspect.name.path:
        keys.append(("tables", _pattern(aspect.name.path, question)))
    elif aspect.concerns == "rows":
        raise Misdeclared("bad-table-pattern", (), "No table is said.")
    return [*keys, ("environments", question.asked.environment)]


def _pattern(table: str, question: Question) -> str:
    schema, name = names(table)
    home = "public" if question.work and question.work.statement.dialect == "postgresql" else "main"
    pattern = f"{schema or home}.{name}"
    if {"*", "?", "."} & set(name + schema) or not is_pattern(pattern):
        raise Misdeclared("bad-table-pattern", (), "A name is no pattern.")
    return pattern
