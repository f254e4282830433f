"""SQL: databases that a policy names, a statement as it was read, and what it did to them.

A statement runs in a transaction; what it did there is `Work`, and it is committed once that was
judged. Contents stand in `Work` alone; `contents_of` gives the bytes that a receipt has digests of.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from groundwire.canon import jcs
from groundwire.documents.target import ChangeKind

Dialect: TypeAlias = Literal["sqlite", "postgresql"]
StatementKind: TypeAlias = Literal[
    "select",
    "insert",
    "update",
    "update-all",
    "delete",
    "delete-all",
    "merge",
    "truncate",
    "create",
    "alter",
    "drop",
    "grant",
    "copy",
    "call",
    "set",
    "transaction",
    "explain",
    "maintenance",
    "other",
]
"""What one part of a statement does. `update-all`, `delete-all`: of every row, without a condition.

`call`: code that the text does not show: `DO`, `CALL`, `EXECUTE`. `set`: a setting, a `PRAGMA`.
`transaction`: it begins or ends one. `maintenance`: `VACUUM` and its like, which no transaction
holds. `grant`: who may do what, taken away too. `other`: no kind of these.
"""
RuleStatement: TypeAlias = StatementKind | Literal["undecided", "non-atomic"]
"""What a rule can speak of: what a statement does, that nobody can tell, that nothing undoes it."""
Thing: TypeAlias = Literal[
    "table", "column", "index", "view", "trigger", "function", "constraint", "privilege", "other"
]

GRANTS: Final = "groundwire_grants"
"""Our table in a guarded database, which says what was carried out. No statement may touch it."""

HOME: Final = frozenset({"main", "public"})
"""Schemas that go without saying: `orders` is `public.orders`, or `main.orders`."""

_PLAIN: Final = re.compile(r"[a-z_][a-z0-9_$]*")


class SqlArguments(msgspec.Struct, frozen=True, kw_only=True, tag="sql"):
    """The tool runs the statement in the argument `statement` in the database of this name.

    `database` is the name of a `[databases.NAME]` table. `parameters` is the argument that holds
    what the statement's placeholders stand for: a list, or an object; a call may leave it out.
    """

    database: str
    statement: str = "statement"
    parameters: str = "parameters"


class DatabaseDeclaration(msgspec.Struct, frozen=True, kw_only=True):
    """A database that tools may run statements in.

    Of SQLite `path` is the file; of PostgreSQL `dsn_from` names the environment variable that holds
    how to reach it: no secret stands in a policy. Of each table so many rows are shown as they were
    and as they become as `rows_shown` says. `environment` is where the policy believes it to be;
    where it is really is read off its name. `functions` are the database's own whose effects a
    transaction undoes, all of them: a statement may call them before it is judged by what it did.
    """

    name: str
    dialect: Dialect
    path: str = ""
    dsn_from: str = ""
    rows_shown: int = 20
    environment: str = ""
    functions: tuple[str, ...] = ()


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One deed of a statement: to which tables, as `spelled_table` has them; none where none is said.

    `at_word` quotes what in the text it rests on: a function that is called, a setting; for a person.
    """

    kind: StatementKind
    tables: tuple[str, ...] = ()
    at_word: str = ""


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    """A statement as its text reads. `parts` are its deeds, the outermost first.

    `reads` are tables that it only reads. `transactional` false: it cannot run in a transaction, or
    what it does is not undone with one. `ends_transaction`: it would begin, end or leave ours, so it
    never runs. `undecided` says as codes why it may do more than is read here; empty where it
    does not. Views, triggers, rules and defaults are not in a text: what really was done is `Work`.
    """

    text: str
    dialect: Dialect
    parts: tuple[Part, ...]
    reads: tuple[str, ...] = ()
    transactional: bool = True
    ends_transaction: bool = False
    undecided: tuple[str, ...] = ()

    @property
    def only_reads(self) -> bool:
        """Whether nothing in the text can write: what is not understood can, and what is called."""
        read = all(part.kind in _HARMLESS and not part.at_word for part in self.parts)
        return not self.undecided and read

    @property
    def can_be_tried(self) -> bool:
        """Whether it may run before anybody decided: its transaction undoes all that it does.

        Code that nobody here has read may reach outside of the database, which nothing undoes.
        """
        known = set(self.undecided) <= _TABLE_UNKNOWN
        return self.transactional and not self.ends_transaction and known


_TABLE_UNKNOWN: Final = frozenset({"sql-table"})
"""Of what is undecided only that: what is done is known, and not to what."""
_HARMLESS: Final = frozenset[StatementKind]({"select", "explain"})


class RowChange(msgspec.Struct, frozen=True, kw_only=True):
    """One row before and after, each the text of a JSON object by column; None where it is not."""

    before: str | None
    after: str | None


class TableChange(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one table's rows, whether the statement names it or a trigger reached it.

    `table` is as `spelled_table` has it. `rows_before` is how many there were, None where nobody
    counted. `shown` are rows before and after, in one order whenever they are read again; `more` is
    how many further changed rows are not shown. `digest` is over every changed row, before and after,
    shown or not: two changes with one digest are one change; "" where the rows could not be read,
    and then only the counts are known.
    """

    table: str
    inserted: int
    updated: int
    deleted: int
    rows_before: int | None = None
    shown: tuple[RowChange, ...] = ()
    more: int = 0
    digest: str = ""

    @property
    def rows(self) -> int:
        """How many rows changed."""
        return self.inserted + self.updated + self.deleted


class SchemaChange(msgspec.Struct, frozen=True, kw_only=True):
    """One thing of a schema before and after, as the database defines it; None where it is not.

    `table` is what it belongs to, as `spelled_table` has it, its own name where it is a table or
    stands by itself. `told` is for a person, what the server estimates of it, and in none of the
    bytes that are compared: an estimate may be another one a moment later.
    """

    thing: Thing
    name: str
    table: str
    before: str | None
    after: str | None
    told: str = ""


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """What a statement did in its transaction, all of it, before anything was committed.

    `database` is the name that the policy has for it, `root` which database that is, as in the
    names of its tables. `ran` false: it was not run, since it cannot be tried, so nothing is known of
    what it does. `unseen` are codes for what could not be measured.
    """

    database: str
    statement: Statement
    ran: bool
    root: str = ""
    tables: tuple[TableChange, ...] = ()
    schema: tuple[SchemaChange, ...] = ()
    unseen: tuple[str, ...] = ()


class Content(NamedTuple):
    """What stands at one table before and after, as bytes that can be compared and shown."""

    table: str
    kind: ChangeKind
    before: bytes | None
    after: bytes | None


def spelled_table(schema: str, name: str) -> str:
    """The table's name, with its schema where that does not go without saying (`HOME`).

    A name that is not of small letters, digits and `_` stands in double quotes, as in SQL. Two
    tables of one database have two spellings, but for those of `main` and `public`.
    """
    plain = name if _PLAIN.fullmatch(name) else _quoted(name)
    if not schema or schema in HOME:
        return plain
    return f"{schema if _PLAIN.fullmatch(schema) else _quoted(schema)}.{plain}"


def postgresql_root(host: str, port: int, database: str) -> str:
    """Which database it is, without user and password: `postgresql/HOST/PORT/DATABASE`.

    Patterns of environments are held against it: `postgresql/*.staging.example/**`. A host that is
    a folder of sockets has its slashes escaped.
    """
    return f"postgresql/{_escaped(host)}/{port}/{_escaped(database)}"


def contents_of(work: Work) -> tuple[Content, ...]:
    """Every table that the work changed, once, in order of name; equal work has equal bytes.

    Lines of JSON: definitions, the rows that are shown, then how many changed with the digest of all.
    """
    rows = {each.table: each for each in work.tables if each.rows}
    defined: dict[str, list[SchemaChange]] = {}
    for each in work.schema:
        defined.setdefault(each.table, []).append(each)
    return tuple(
        _content(table, rows.get(table), defined.get(table, []))
        for table in sorted({*rows, *defined})
    )


def _content(table: str, rows: TableChange | None, defined: list[SchemaChange]) -> Content:
    own = [each for each in defined if each.name == table]
    kind: ChangeKind = "changed"
    if own and all(each.before is None for each in own):
        kind = "created"
    elif own and all(each.after is None for each in own):
        kind = "deleted"
    before = [
        _defined(each, each.before)
        for each in sorted(defined, key=_order)
        if each.before is not None
    ]
    after = [
        _defined(each, each.after) for each in sorted(defined, key=_order) if each.after is not None
    ]
    if rows is not None:
        counted = jcs.encode(
            {
                "deleted": rows.deleted,
                "digest": rows.digest,
                "inserted": rows.inserted,
                "more": rows.more,
                "updated": rows.updated,
            }
        )
        before += [row.before.encode() for row in rows.shown if row.before is not None]
        after += [row.after.encode() for row in rows.shown if row.after is not None]
        (before if kind == "deleted" else after).append(counted)
    return Content(
        table,
        kind,
        None if kind == "created" else _lines(before),
        None if kind == "deleted" else _lines(after),
    )


def _defined(change: SchemaChange, text: str | None) -> bytes:
    return jcs.encode({"defined": text or "", "name": change.name, "thing": change.thing})


def _order(change: SchemaChange) -> tuple[str, str]:
    return change.thing, change.name


def _lines(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def _escaped(name: str) -> str:
    return name.replace("%", "%25").replace("/", "%2F")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
