"""Reading: one statement's text, in the dialect of its database, as what it says it does.

Everything that is not understood is `undecided`: nothing is taken for harmless because nobody here
knows it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise
from typing import Final, NamedTuple

import msgspec

from groundwire.contracts.sql.commands import read_command
from groundwire.contracts.sql.functions import unknown_calls_of_command
from groundwire.contracts.sql.lexing import Token, Unlexed, folded_name, segments, tokens_of
from groundwire.contracts.sql.sketch import Sketch
from groundwire.documents.sql import GRANTS, Dialect, Part, Statement, StatementKind

_OF_QUERIES: Final = frozenset({"SELECT", "WITH", "VALUES", "INSERT", "UPDATE", "DELETE", "MERGE"})
_OF_ROWS: Final = frozenset[StatementKind](
    {"select", "insert", "update", "update-all", "delete", "delete-all", "merge"}
)
_OF_SQLITE: Final = frozenset({"REPLACE"})
_OF_POSTGRESQL: Final = frozenset({"TABLE"})
_ENDINGS: Final = (
    ["WITH", "DATA"],
    ["WITH", "NO", "DATA"],
    ["WITH", "CHECK", "OPTION"],
    ["WITH", "LOCAL", "CHECK", "OPTION"],
    ["WITH", "CASCADED", "CHECK", "OPTION"],
)
_BEFORE_TRIGGER: Final = frozenset({"TEMP", "TEMPORARY"})


@cache
def reader_version() -> str:
    """What reads statements, for receipts: groundwire's part of it, and the library below."""
    try:
        below = version("sqlglot")
    except PackageNotFoundError:
        below = "none"
    return f"groundwire-sql/{version('groundwire')} sqlglot/{below}"


def read_statement(text: str, dialect: Dialect, known: Collection[str] = ()) -> Statement:
    """What the text says that it does; see `Statement` for what a text cannot say.

    `known` are functions that somebody vouches for: whatever they do, its transaction undoes.

    Asks no database: whether the tables are there, what is a view, which triggers they have. The
    same text has the same reading. Needs `groundwire[sql]`; without it every query is undecided.
    """
    tokens: tuple[Token, ...] = ()
    try:
        tokens = tokens_of(text, dialect)
        sketch = _Reader(dialect, frozenset(known)).read(tokens)
    except Unlexed as error:
        sketch = Sketch(parts=(Part(kind="other"),), undecided=(error.reason,))
    reads = set(sketch.reads)
    queried = all(part.kind in _OF_ROWS for part in sketch.parts) and not sketch.undecided
    if _speaks_of_grants(text, tokens, dialect, whole=not queried):
        reads.add(GRANTS)
    return Statement(
        text=text,
        dialect=dialect,
        parts=sketch.parts or (Part(kind="other"),),
        reads=tuple(sorted(reads)),
        transactional=sketch.transactional,
        ends_transaction=sketch.ends_transaction,
        undecided=tuple(dict.fromkeys(sketch.undecided)),
    )


class _Reader(NamedTuple):
    """Reads statements of one dialect, whose own functions of these names do nothing else."""

    dialect: Dialect
    known: frozenset[str]

    def read(self, tokens: Sequence[Token]) -> Sketch:
        statements = segments(tokens)
        if not statements:
            return Sketch(undecided=("sql-empty",))
        if len(statements) > 1 and not _is_trigger(statements):
            return Sketch(
                parts=(Part(kind="other"),), undecided=("sql-several",), ends_transaction=True
            )
        first = statements[0]
        if first[0].keyword == "EXPLAIN":
            return self._explained(first)
        sketch = self._of_one(first)
        for each in statements[1:]:  # of a trigger's body
            sketch = self._with_calls(sketch, each)
        if self.dialect == "sqlite" and _rolls_back(tokens):
            return msgspec.structs.replace(sketch, ends_transaction=True)
        return sketch

    def _of_one(self, tokens: Sequence[Token]) -> Sketch:
        if not _is_query(tokens, self.dialect):
            sketch = read_command(tokens, self.dialect)
            within = _query_within(tokens, self.dialect)
            if not within:
                if ("AS", "EXECUTE") in pairwise(token.keyword for token in tokens):
                    sketch = sketch.also(undecided=("sql-dynamic",))
                return self._with_calls(sketch, tokens)
            sketch = self._with_calls(sketch, _head(tokens, within))
            inner = self._query(within)
            deeds = tuple(part for part in inner.parts if part.kind != "select")
            return msgspec.structs.replace(
                sketch.also(parts=deeds, undecided=inner.undecided), reads=inner.reads
            )
        return self._query(tokens)

    def _with_calls(self, sketch: Sketch, tokens: Sequence[Token]) -> Sketch:
        """The same, undecided if these words of a command call what nobody here has read."""
        called = unknown_calls_of_command(tokens, self.dialect)
        calls = tuple(name for name in dict.fromkeys(called) if name not in self.known)
        if not calls:
            return sketch
        return sketch.also(undecided=("sql-function",), at_word=", ".join(calls[:5]))

    def _query(self, tokens: Sequence[Token]) -> Sketch:
        try:
            # Only where a query is read: the library below takes a tenth of a second to import.
            from groundwire.contracts.sql.queries import read_query  # noqa: PLC0415 -- see above
        except ImportError:
            return Sketch(undecided=("sql-no-reader",))
        return read_query(tokens, self.dialect, self.known)

    def _explained(self, tokens: Sequence[Token]) -> Sketch:
        """`EXPLAIN` shows a plan; with `ANALYZE` the statement runs as well.

        To plan a statement some functions of it are called: what is undecided of it stays so.
        """
        explain = Part(kind="explain")
        at, runs = 1, False
        if self.dialect == "sqlite":
            return Sketch(parts=(explain,))
        if len(tokens) > 1 and tokens[1].mark == "(":
            at = _after_parenthesis(tokens, 1)
            runs = any(each.keyword in {"ANALYZE", "ANALYSE"} for each in tokens[:at])
        while at < len(tokens) and tokens[at].keyword in {"ANALYZE", "ANALYSE", "VERBOSE"}:
            runs = runs or tokens[at].keyword != "VERBOSE"
            at += 1
        if at >= len(tokens):
            return Sketch(parts=(explain,), undecided=("sql-not-understood",))
        inner = self._of_one(tokens[at:])
        if not runs:
            return Sketch(parts=(explain,), reads=inner.reads, undecided=inner.undecided)
        return msgspec.structs.replace(inner, parts=(explain, *inner.parts))


def _is_query(tokens: Sequence[Token], dialect: Dialect) -> bool:
    first = next((token for token in tokens if token.mark != "("), tokens[0])
    own = _OF_SQLITE if dialect == "sqlite" else _OF_POSTGRESQL
    return first.keyword in _OF_QUERIES | own


def _query_within(tokens: Sequence[Token], dialect: Dialect) -> Sequence[Token]:
    """The query that `CREATE TABLE … AS` or `COPY (…)` runs at once, or that a view is; else empty."""
    if tokens[0].keyword == "COPY" and tokens[1:2] and tokens[1].mark == "(":
        return tokens[2 : _after_parenthesis(tokens, 1) - 1]
    if tokens[0].keyword == "CREATE" and any(
        each.keyword in {"TABLE", "VIEW"} for each in tokens[:6]
    ):
        for index, token in enumerate(tokens[:-1]):
            if token.keyword == "AS" and _is_query(tokens[index + 1 :], dialect):
                return _without_data(tokens[index + 1 :])
    return ()


def _head(tokens: Sequence[Token], within: Sequence[Token]) -> Sequence[Token]:
    """What stands before the query that is within."""
    return tokens[: tokens.index(within[0])]


def _without_data(tokens: Sequence[Token]) -> Sequence[Token]:
    """Without `WITH DATA`, `WITH CHECK OPTION` and the like at the end, which no query has."""
    words = [token.keyword for token in tokens]
    for ending in _ENDINGS:
        if words[-len(ending) :] == ending:
            return tokens[: -len(ending)]
    return tokens


def _after_parenthesis(tokens: Sequence[Token], at: int) -> int:
    """Behind the parenthesis that closes the one at `at`; the end where none does."""
    depth = 0
    for index in range(at, len(tokens)):
        depth += {"(": 1, ")": -1}.get(tokens[index].mark, 0)
        if not depth:
            return index + 1
    return len(tokens)


def _is_trigger(statements: Sequence[Sequence[Token]]) -> bool:
    """Whether the semicolons stand in the body of one trigger of SQLite, which ends with `END`."""
    words = [token.keyword for token in statements[0]]
    words = [word for word in words[:3] if word not in _BEFORE_TRIGGER]
    ends = [len(each) == 1 and each[0].keyword == "END" for each in statements]
    return words[:2] == ["CREATE", "TRIGGER"] and ends[-1] and not any(ends[:-1])


def _rolls_back(tokens: Sequence[Token]) -> bool:
    """Whether a conflict would end the whole transaction: `INSERT OR ROLLBACK`."""
    words = [token.keyword for token in tokens]
    return any(pair == ("OR", "ROLLBACK") for pair in pairwise(words))


def _speaks_of_grants(text: str, tokens: Sequence[Token], dialect: Dialect, *, whole: bool) -> bool:
    """Whether our own table is named; where not all was understood, anywhere in the text."""
    if whole and GRANTS in text.lower():
        return True
    return any(
        token.kind in {"word", "name"} and folded_name(token, dialect).lower() == GRANTS
        for token in tokens
    )
