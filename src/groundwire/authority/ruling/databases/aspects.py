"""Aspects: each effect of a statement, in which database, and whether that counts as production."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

import msgspec

from groundwire.authority.environments import environment_of
from groundwire.authority.reading.governing.rules import PRODUCTION
from groundwire.contracts.sql.judging import About, effects_of
from groundwire.documents.governing import GuardRules, Severity
from groundwire.documents.question import Question
from groundwire.documents.sql import RuleStatement, Work, contents_of
from groundwire.documents.target import ChangeKind, TargetName

Concerns: TypeAlias = About | Literal["other-environment"]
_Content: TypeAlias = tuple[str, str, ChangeKind, bytes | None, bytes | None]


class StatementAspect(msgspec.Struct, frozen=True, kw_only=True):
    """One thing about a statement, as `contracts.sql.judging.Effect`, where it has its effect.

    `name` is the table, or the database where no table is said. `production`: what is not known to
    be of another environment is of that one.
    """

    concerns: Concerns
    name: TargetName
    severity: Severity
    statements: tuple[RuleStatement, ...]
    rows: int | None
    says: str
    production: bool


def statement_aspects(question: Question, rules: GuardRules) -> Iterator[StatementAspect]:
    """Every aspect of the statement; none where the call runs none, or where it only reads."""
    work = question.work
    if work is None:
        return
    production = question.asked.environment == PRODUCTION
    if says := _elsewhere(work, rules):
        yield StatementAspect(
            concerns="other-environment",
            name=_named(work, ""),
            severity="undecided",
            statements=tuple(dict.fromkeys(part.kind for part in work.statement.parts)),
            rows=None,
            says=says,
            production=production,
        )
    for effect in effects_of(work):
        yield StatementAspect(
            concerns=effect.about,
            name=_named(work, effect.table),
            severity=effect.severity,
            statements=effect.statements,
            rows=effect.rows,
            says=effect.says,
            production=production,
        )


def is_of_work(question: Question) -> bool:
    """Whether the tables of the proposal are those of the work, byte for byte; both may be none."""
    proposed = [
        (each.name.root, each.name.path, each.kind, each.before, each.after)
        for each in question.proposal.changes
        if each.name.kind == "sql"
    ]
    work = question.work
    done: list[_Content] = (
        [] if work is None else [(work.root, *each) for each in contents_of(work)]
    )
    return proposed == done


def _elsewhere(work: Work, rules: GuardRules) -> str:
    """Why the database is not where the policy believes it to be; "" where it is, or says nothing.

    Where nobody knows which database it is, its environment is unknown besides, and so production.
    """
    declared = next((each for each in rules.databases if each.name == work.database), None)
    if declared is None:
        return "the policy names no such database"
    if not declared.environment or not work.root:
        return ""
    found = environment_of((_named(work, ""),), rules).name
    if found == declared.environment:
        return ""
    return f"declared to be of {declared.environment}; by its name it is of {found}"


def _named(work: Work, table: str) -> TargetName:
    return TargetName(kind="sql", root=work.root, path=table)
