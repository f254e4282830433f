"""Queries: SELECT, INSERT, UPDATE, DELETE and MERGE, with all that is nested in them."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Final

import sqlglot
from sqlglot import exp

from groundwire.contracts.sql.conditions import leaves_out
from groundwire.contracts.sql.functions import unknown_calls
from groundwire.contracts.sql.lexing import STRING, Token, plain_text
from groundwire.contracts.sql.sketch import Sketch
from groundwire.documents.sql import Dialect, Part, StatementKind, spelled_table

_DIALECTS: Final[Mapping[Dialect, str]] = {"sqlite": "sqlite", "postgresql": "postgres"}
_WRITES: Final = (exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Into)
_ROOTS: Final = (exp.Query, exp.Values, exp.Insert, exp.Update, exp.Delete, exp.Merge)
_VERBS: Final = frozenset({"INSERT", "UPDATE", "DELETE", "MERGE", "TRUNCATE", "INTO"})
# Before these a verb is no deed of its own: `FOR UPDATE`, `DO UPDATE`, `THEN DELETE`.
_AFTER: Final = frozenset({"FOR", "DO", "THEN", "KEY", "NO", "INSERT", "REPLACE", "MERGE", "AS"})
_SETTINGS: Final = "pg_settings"
"""A view of PostgreSQL's own: whoever updates it calls `set_config`."""
_DEEPEST: Final = 150
_MOST_OF_BRACKETS: Final = 10_000
"""What brackets may cost in all: two for each, doubled by every bracket that it stands in."""
_STEPS: Final[Mapping[str, int]] = {"(": 1, ")": -1, "[": 1, "]": -1}
_ON_CONFLICT: Final = frozenset({"ABORT", "FAIL", "IGNORE", "REPLACE", "ROLLBACK"})

_parsing: ContextVar[bool] = ContextVar("groundwire-parses-a-statement", default=False)


class _Unsaid(logging.Filter):
    """Lets nothing of a statement into a log while it is read here; what others parse is theirs."""

    def filter(self, record: logging.LogRecord) -> bool:
        del record
        return not _parsing.get()


logging.getLogger("sqlglot").addFilter(_Unsaid())


def read_query(tokens: Sequence[Token], dialect: Dialect, known: Collection[str] = ()) -> Sketch:
    """What the words say, which begin with one of a query; what is not understood is undecided.

    `known` are functions besides those of the dialect that may be called.
    """
    plain, replaces = _without_or(tokens, dialect)
    if _depth(tokens) > _DEEPEST or _brackets(tokens) > _MOST_OF_BRACKETS:
        return Sketch(undecided=("sql-too-deep",))
    token = _parsing.set(True)
    try:
        tree = sqlglot.parse_one(plain_text(plain, dialect), dialect=_DIALECTS[dialect])
        sketch = _sketch(tree, plain, dialect)
        listed = tuple(_listed(tree, dialect))
    except Exception:  # noqa: BLE001 -- a parser that fails has read nothing
        return Sketch(undecided=("sql-not-understood",))
    finally:
        _parsing.reset(token)
    called = tuple(dict.fromkeys(unknown_calls(tokens, dialect, listed)))
    calls = tuple(name for name in called if name not in known)
    if replaces:
        gone = tuple(Part(kind="delete", tables=part.tables) for part in sketch.parts[:1])
        sketch = sketch.also(parts=gone)
    if len(calls) < len(called):  # whatever they do, it is not reading alone
        vouched = ", ".join(name for name in called if name in known)
        sketch = sketch.also(parts=(Part(kind="select", at_word=vouched),))
    if calls:
        sketch = sketch.also(undecided=("sql-function",), at_word=", ".join(calls[:5]))
    return sketch


def _without_or(tokens: Sequence[Token], dialect: Dialect) -> tuple[list[Token], bool]:
    """`INSERT OR REPLACE` without what SQLite does about conflicts; whether that may delete rows."""
    words = [token.keyword for token in tokens]
    kept = list(tokens)
    if dialect != "sqlite":
        return kept, False
    for index, (before, word, after) in enumerate(_with_neighbours(words)):
        if word == "OR" and before in {"INSERT", "UPDATE"} and after in _ON_CONFLICT:
            del kept[index : index + 2]
            return kept, after == "REPLACE"
        if word == "REPLACE" and after == "INTO":
            kept[index] = tokens[index]._replace(kind="word", text="INSERT")
            return kept, True
    return kept, False


def _with_neighbours(words: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Each word with the one before it and the one after it, "" where there is none."""
    return zip(["", *words], words, [*words[1:], ""], strict=False)


def _depth(tokens: Sequence[Token]) -> int:
    deepest = depth = 0
    for token in tokens:
        depth += _STEPS.get(token.mark, 0)
        deepest = max(deepest, depth)
    # Words that nest without a parenthesis nest as well.
    return deepest + sum(token.keyword in {"CASE", "NOT"} for token in tokens)


def _brackets(tokens: Sequence[Token]) -> int:
    """What it costs to parse the brackets: a parser tries what stands in each of them twice."""
    cost = depth = 0
    for token in tokens:
        if token.mark == "[":
            depth = min(depth + 1, _DEEPEST)
            cost += 2**depth
        elif token.mark == "]":
            depth = max(depth - 1, 0)
    return cost


def _sketch(tree: exp.Expr, tokens: Sequence[Token], dialect: Dialect) -> Sketch:
    if not isinstance(tree, _ROOTS) or tree.find(exp.Command) is not None:
        return Sketch(undecided=("sql-not-understood",))
    deeds = [each for each in tree.find_all(*_WRITES) if each.find_ancestor(exp.When) is None]
    parts: list[Part] = []
    targets: set[int] = set()
    undecided: tuple[str, ...] = ()
    for deed in deeds:
        table = _target(deed)
        names: tuple[str, ...] = ()
        if table is not None and _is_named(table):
            names = (_spelled(table, dialect),)
            targets.add(id(table))
        else:
            undecided = (*undecided, "sql-table")
        if table is not None and table.name.lower() == _SETTINGS:
            undecided = (*undecided, "sql-function")
        parts += [Part(kind=kind, tables=names) for kind in _kinds(deed)]
    if _verbs(tokens) != len(deeds):
        undecided = (*undecided, "sql-not-understood")
    if not isinstance(tree, _WRITES):
        parts.insert(0, Part(kind="select"))
    return Sketch(
        parts=tuple(dict.fromkeys(parts)),
        reads=tuple(sorted(set(_reads(tree, targets, dialect)))),
        undecided=undecided,
    )


def _target(deed: exp.Expr) -> exp.Table | None:
    """The table that is written."""
    named = deed.this
    while isinstance(named, exp.Schema | exp.Alias):
        named = named.this
    return named if isinstance(named, exp.Table) else None


def _is_named(table: exp.Table) -> bool:
    """By a name of this database; SQLite takes a string for a name too."""
    named = isinstance(table.this, exp.Identifier) and table.name != STRING
    return named and not table.catalog


def _kinds(deed: exp.Expr) -> Iterator[StatementKind]:
    match deed:
        case exp.Delete():
            yield "delete" if leaves_out(deed.args.get("where")) else "delete-all"
        case exp.Update():
            yield "update" if leaves_out(deed.args.get("where")) else "update-all"
        case exp.Merge():
            yield "merge"
        case exp.Into():
            yield "create"
        case _:
            yield "insert"
            conflict = deed.args.get("conflict")
            if isinstance(conflict, exp.OnConflict) and conflict.expressions:
                yield "update"


def _reads(tree: exp.Expr, targets: set[int], dialect: Dialect) -> Iterator[str]:
    """Tables that are only read; a name that a query of the statement has is none."""
    named = {each.alias.lower() for each in tree.find_all(exp.CTE)}
    for table in tree.find_all(exp.Table):
        if id(table) in targets or not _is_named(table):
            continue
        if table.db or table.name.lower() not in named:
            yield _spelled(table, dialect)


def _listed(tree: exp.Expr, dialect: Dialect) -> Iterator[str]:
    """Tables and aliases whose columns are listed, once for each list."""
    for alias in tree.find_all(exp.TableAlias):
        if alias.args.get("columns"):
            yield _folded(alias.args.get("this"), dialect)
    for schema in tree.find_all(exp.Schema):
        table = schema.this
        if isinstance(table, exp.Table) and isinstance(schema.parent, exp.Insert):
            renamed = table.args.get("alias")
            named: exp.Expr = renamed if isinstance(renamed, exp.TableAlias) else table
            yield _folded(named.args.get("this"), dialect)


def _spelled(table: exp.Table, dialect: Dialect) -> str:
    return spelled_table(
        _folded(table.args.get("db"), dialect), _folded(table.args.get("this"), dialect)
    )


def _folded(name: object, dialect: Dialect) -> str:
    if not isinstance(name, exp.Identifier):
        return ""
    if name.quoted and dialect == "postgresql":
        return name.name
    return "".join(each.lower() if each.isascii() else each for each in name.name)


def _verbs(tokens: Sequence[Token]) -> int:
    """How many deeds the words name, to be held against how many were found in them."""
    count = 0
    for index, token in enumerate(tokens):
        if token.keyword not in _VERBS:
            continue
        before = tokens[index - 1].keyword if index else ""
        after = tokens[index + 1].mark if index + 1 < len(tokens) else ""
        if before in _AFTER or after in {"(", "=", ".", ","}:
            continue
        count += 1
    return count
