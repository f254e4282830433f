"""Judging: what a statement's work is, one effect each, and how grave each of them is.

By what it does to rows and definitions, as it was measured in its transaction; by its text for what
was not measured, and for what is grave whatever rows there are today.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from groundwire.contracts.sql.tables import names
from groundwire.documents.governing import Severity
from groundwire.documents.sql import (
    GRANTS,
    Part,
    RuleStatement,
    SchemaChange,
    StatementKind,
    TableChange,
    Work,
)

About: TypeAlias = Literal[
    "statement",
    "rows",
    "all-rows",
    "every-row",
    "many-rows",
    "unread-rows",
    "schema",
    "grant",
    "undecided",
    "non-atomic",
    "ends-transaction",
    "protected",
]

MANY: Final = 100
"""So many rows may change in one statement without anybody being asked for their number."""
_WHOLE: Final = 10
"""A table of at most so many rows may lose or change each of them by a condition."""

_OF_KIND: Final[Mapping[StatementKind, Severity]] = {
    "insert": "none",
    "update": "none",
    "delete": "none",
    "merge": "none",
    "update-all": "breaking",
    "delete-all": "breaking",
    "truncate": "breaking",
    "drop": "breaking",
    "create": "compatible",
    "alter": "risky",
    "grant": "exposure",
    "copy": "exposure",
    "maintenance": "risky",
    "transaction": "undecided",
    "call": "undecided",
    "set": "undecided",
    "other": "undecided",
}
"""Of a deed by its text alone; of those that are `none` the rows decide. Reading has no effect."""

_BY: Final[Mapping[StatementKind, frozenset[StatementKind]]] = {
    "insert": frozenset({"merge", "copy", "create"}),
    "update": frozenset({"update-all", "merge"}),
    "delete": frozenset({"delete-all", "truncate", "merge"}),
}
"""By what besides itself a row is inserted, updated or deleted: a rule for that speaks of it too."""

_SAYS: Final[Mapping[str, str]] = {
    "replaced-rows": "rows gave way to others and were not read",
    "rows-incomplete": "not every row that changed could be read",
    "unlogged-rows": "rows changed that were not written down",
    "virtual-table": "a table that is none, whose rows nobody counts",
    "sql-character": "a character that no statement has outside of quotes",
    "sql-dynamic": "code that the text does not show",
    "sql-empty": "no statement",
    "sql-function": "a function that may do anything",
    "sql-no-reader": "statements cannot be read here; install groundwire[sql]",
    "sql-not-tried": "it runs only once it is allowed, so what it does is not seen before",
    "sql-not-understood": "not understood",
    "sql-reaches-outside": "it may reach outside of the database",
    "sql-several": "several statements, or one with others in its body",
    "sql-spelling": "spelled in a way that could be read otherwise",
    "sql-table": "a table that is not named plainly",
    "sql-too-deep": "nested too deep to be read",
    "sql-too-long": "too long to be read",
    "sql-unclosed": "a quote or a comment that does not end",
}


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that the statement does, to the table `table`; "" where that is not said.

    `statements` are the words by which a rule speaks of it; without one no rule with `statements` does. `rows` is how many changed, None where
    it is of no rows. `says` is for a person: it may hold what a stranger wrote.
    """

    about: About
    severity: Severity
    statements: tuple[RuleStatement, ...]
    table: str = ""
    rows: int | None = None
    says: str = ""


def effects_of(work: Work) -> Iterator[Effect]:
    """Every effect of the work; none of a statement that only reads. None excuses another."""
    yield from _of_our_own(work)
    yield from _unknown(work)
    for part in work.statement.parts:
        yield from _of_part(part)
    for change in work.schema:
        yield _of_schema(change)
    for rows in work.tables:
        if rows.rows:
            yield from _of_rows(rows, work.statement.parts)
    yield from _in_all(work)


def _of_our_own(work: Work) -> Iterator[Effect]:
    """Our own table is named, or was reached."""
    named = [
        *work.statement.reads,
        *(table for part in work.statement.parts for table in part.tables),
    ]
    reached = [each.table for each in work.tables]
    defined = [name for each in work.schema for name in (each.table, each.name)]
    for table in dict.fromkeys((*named, *reached, *defined)):
        if names(table)[1].casefold() == GRANTS:
            yield Effect(
                about="protected",
                severity="breaking",
                statements=("other",),
                table=table,
                says="the table of what was carried out",
            )


def _unknown(work: Work) -> Iterator[Effect]:
    """What nobody can tell, and what nothing undoes."""
    untried = work.statement.transactional and not work.ran
    told_late = ("sql-not-tried",) if untried else ()
    codes = dict.fromkeys((*work.statement.undecided, *work.unseen, *told_late))
    if codes:
        told = [f"{_SAYS.get(code, 'not measured')} ({code})" for code in codes]
        quoted = [part.at_word for part in work.statement.parts if part.at_word]
        says = "; ".join((*told, *quoted))
        yield Effect(about="undecided", severity="undecided", statements=("undecided",), says=says)
    if work.statement.ends_transaction:
        says = "it is several statements, or begins or ends the transaction that holds it"
        kinds = tuple(dict.fromkeys(part.kind for part in work.statement.parts))
        yield Effect(about="ends-transaction", severity="breaking", statements=kinds, says=says)
    if not work.statement.transactional:
        says = "it runs outside of a transaction, so what it does is seen only afterwards"
        yield Effect(
            about="non-atomic", severity="undecided", statements=("non-atomic",), says=says
        )


def _of_part(part: Part) -> Iterator[Effect]:
    severity = _OF_KIND.get(part.kind)
    if severity is None:  # a query, a plan: nothing of it stays
        return
    for table in part.tables or ("",):
        says = f"{part.kind} {part.at_word}".rstrip()
        yield Effect(
            about="statement", severity=severity, statements=(part.kind,), table=table, says=says
        )


def _of_schema(change: SchemaChange) -> Effect:
    """A definition comes, goes or changes."""
    kind: StatementKind = (
        "create" if change.before is None else "drop" if change.after is None else "alter"
    )
    severity: Severity = _OF_KIND[kind]
    statements: tuple[StatementKind, ...] = (kind,)
    if change.name != change.table:  # of a table that stays
        statements = tuple(dict.fromkeys((kind, "alter")))
    if change.thing == "privilege":
        severity, statements = "exposure", ("grant",)
    elif change.thing == "index":
        severity = "compatible"
    says = (
        f"{change.thing} {change.name}: {change.before or 'none'} becomes {change.after or 'none'}"
    )
    if change.told:
        says = f"{says}; {change.told}"
    about: About = "grant" if change.thing == "privilege" else "schema"
    return Effect(
        about=about, severity=severity, statements=statements, table=change.table, says=says
    )


def _of_rows(change: TableChange, parts: tuple[Part, ...]) -> Iterator[Effect]:
    """What becomes of one table's rows, whoever reached them.

    Each kind of change by itself, so that a rule for one says nothing of another; and all together,
    of no kind, so that a rule for a number counts them all.
    """
    counted: tuple[tuple[StatementKind, int], ...] = (
        ("insert", change.inserted),
        ("update", change.updated),
        ("delete", change.deleted),
    )
    own = [part.kind for part in parts if change.table in part.tables]
    told = ", ".join(f"{count} by {kind}" for kind, count in counted if count)
    reached = "" if own else ", which the statement does not name"
    effects = [
        Effect(
            about="rows",
            severity="none",
            statements=(kind, *(each for each in own if each in _BY[kind])),
            table=change.table,
            rows=count,
            says=f"{count} by {kind}{reached}{_shown(change)}",
        )
        for kind, count in counted
        if count
    ]
    if len(effects) > 1:
        effects.append(
            msgspec.structs.replace(
                effects[0], about="all-rows", statements=(), rows=change.rows, says=told
            )
        )
    yield from effects
    yield from _of_many(effects, told)
    yield from _of_every(change, told)
    if not change.digest:
        yield Effect(
            about="unread-rows",
            severity="undecided",
            statements=("undecided",),
            table=change.table,
            rows=change.rows,
            says=f"{told}; the rows could not be read",
        )


def _of_many(effects: Sequence[Effect], told: str) -> Iterator[Effect]:
    """More rows of one table than anybody changes unasked, of each kind; else of all kinds."""
    many = [each for each in effects if (each.rows or 0) > MANY]
    for effect in many[:-1] if len(many) > 1 else many:
        yield msgspec.structs.replace(
            effect, about="many-rows", severity="risky", says=f"{told}: over {MANY}"
        )


def _of_every(change: TableChange, told: str) -> Iterator[Effect]:
    """Each row that the table had is gone, or changed."""
    before = change.rows_before or 0
    every: tuple[tuple[StatementKind, int], ...] = (
        ("delete-all", change.deleted),
        ("update-all", change.updated),
    )
    for kind, count in every:
        if count >= before > _WHOLE:
            yield Effect(
                about="every-row",
                severity="breaking",
                statements=(kind,),
                table=change.table,
                rows=change.rows,
                says=f"{told}: every one there was",
            )


def _in_all(work: Work) -> Iterator[Effect]:
    """Many rows in all, of those tables that have not many by themselves."""
    few = [each.rows for each in work.tables if each.rows <= MANY]
    if sum(few) > MANY:
        says = f"{sum(few)} rows of {len(few)} tables: over {MANY}"
        yield Effect(about="many-rows", severity="risky", statements=(), rows=sum(few), says=says)


def _shown(change: TableChange) -> str:
    """The rows that are shown, before and after."""
    lines = [f"\n- {row.before or 'none'}\n+ {row.after or 'none'}" for row in change.shown]
    more = f"\n… and {change.more} rows more" if change.more else ""
    return "".join(lines) + more
