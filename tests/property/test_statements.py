"""Whatever a statement's text: what its database would write is read in it, or it is undecided."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.contracts.sql.lexing import Unlexed, plain_text, tokens_of
from groundwire.contracts.sql.reading import read_statement
from groundwire.contracts.sql.tables import names
from groundwire.documents.sql import Dialect, Statement

TABLES = ("orders", "lines", "audit")
WRITES = {
    sqlite3.SQLITE_INSERT,
    sqlite3.SQLITE_UPDATE,
    sqlite3.SQLITE_DELETE,
}
OTHERS = {
    sqlite3.SQLITE_ATTACH,
    sqlite3.SQLITE_DETACH,
    sqlite3.SQLITE_TRANSACTION,
    sqlite3.SQLITE_SAVEPOINT,
    sqlite3.SQLITE_ALTER_TABLE,
    sqlite3.SQLITE_DROP_TABLE,
    sqlite3.SQLITE_CREATE_TABLE,
    sqlite3.SQLITE_CREATE_INDEX,
    sqlite3.SQLITE_DROP_INDEX,
    sqlite3.SQLITE_CREATE_VIEW,
    sqlite3.SQLITE_DROP_VIEW,
    sqlite3.SQLITE_CREATE_TRIGGER,
    sqlite3.SQLITE_DROP_TRIGGER,
    sqlite3.SQLITE_REINDEX,
    sqlite3.SQLITE_ANALYZE,
}
PIECES = st.sampled_from(
    [
        "SELECT", "DELETE FROM", "UPDATE", "INSERT INTO", "REPLACE INTO", "INSERT OR REPLACE INTO",
        "UPDATE OR IGNORE", "SET", "VALUES", "WHERE", "FROM", "AS", "WITH", "AND", "OR", "NOT", "IN",
        "UNION ALL", "ON CONFLICT DO NOTHING", "ON CONFLICT (id) DO UPDATE SET id = 1", "RETURNING *",
        "ORDER BY", "LIMIT 1", "EXISTS", "CASE WHEN", "THEN", "ELSE", "END", "DROP TABLE",
        "CREATE TABLE", "ALTER TABLE", "RENAME TO", "PRAGMA", "user_version", "BEGIN", "COMMIT",
        "EXPLAIN", "ATTACH", "VACUUM", "ANALYZE", "REINDEX", "DEFAULT VALUES", "orders", "lines",
        "audit", "main", "id", "note", "x", '"orders"', "[lines]", "`audit`", "'orders'", "'a'",
        "'it''s'", "1", "1.5", "x'00'", "?", ":a", "@b", "$c", "(", ")", ",", ";", ".", "*", "=", "<",
        "||", "->", "--", "--\r", "/*", "*/", "\n", "\t", "count", "lower", "max", "json_each",
    ]
)  # fmt: skip
WHOLE = st.sampled_from(
    [
        "SELECT * FROM orders WHERE id = 1",
        "SELECT id, (SELECT count(*) FROM lines) FROM orders",
        "WITH a AS (SELECT * FROM orders) DELETE FROM lines WHERE id IN (SELECT id FROM a)",
        "WITH lines (id) AS (SELECT 1) UPDATE audit SET note = 'x' WHERE id IN (SELECT id FROM lines)",
        "INSERT INTO audit (id, note) SELECT id, note FROM orders WHERE id = ?",
        "INSERT INTO orders (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET note = 'x' RETURNING id",
        "UPDATE orders SET note = (SELECT max(note) FROM lines) WHERE id = 1",
        "DELETE FROM orders WHERE note LIKE 'a;--' AND id NOT IN (1, 2)",
        "REPLACE INTO lines (id, note) VALUES (1, 'a')",
        "CREATE TABLE x AS SELECT * FROM orders",
        "DROP TABLE IF EXISTS lines",
        "PRAGMA user_version = 3",
        "EXPLAIN DELETE FROM orders",
    ]
)


BETWEEN = st.sampled_from(
    [
        " ", "  ", "\n", "\t", "\f", "/**/", "/* ; */", "/* ' */", '/* " */', "--x\n", "-- '\n",
        "-- /*\n", "/* -- */", "/*/*/", "/* /* */", "--\r x\n",
    ]
)  # fmt: skip
SPELLED = st.sampled_from(("{}", '"{}"', "[{}]", "`{}`", "main.{}", 'main."{}"', "'{}'", "{}"))
QUERIES = st.deferred(
    lambda: (
        st.sampled_from(("SELECT 1", "SELECT * FROM orders", "VALUES (1 , 'a')", "SELECT 'a;'"))
        | st.builds("SELECT id FROM lines WHERE id IN ( {} )".format, QUERIES)
        | st.builds("SELECT * FROM ( {} ) AS x , ( {} )".format, QUERIES, QUERIES)
        | st.builds("WITH lines AS ( {} ) SELECT * FROM lines".format, QUERIES)
        | st.builds("{} UNION ALL {}".format, st.just("SELECT 1 , 2"), st.just("SELECT 3 , 4"))
    )
)
CONDITIONS = st.sampled_from(
    ("", "WHERE 1", "WHERE id = 1", "WHERE note = ';' OR id", "WHERE id = ( SELECT 1 )")
)
DEEDS = (
    st.builds("DELETE FROM {} {}".format, st.sampled_from(TABLES), CONDITIONS)
    | st.builds("UPDATE {} SET note = 1 {}".format, st.sampled_from(TABLES), CONDITIONS)
    | st.builds("UPDATE OR IGNORE {} SET id = 9 {}".format, st.sampled_from(TABLES), CONDITIONS)
    | st.builds("INSERT INTO {} VALUES (1 , 'x')".format, st.sampled_from(TABLES))
    | st.builds("INSERT OR REPLACE INTO {} ( id ) VALUES (1)".format, st.sampled_from(TABLES))
    | st.builds("REPLACE INTO {} DEFAULT VALUES".format, st.sampled_from(TABLES))
    | st.builds("INSERT INTO {} ( id ) SELECT id FROM audit".format, st.sampled_from(TABLES))
)
GENERATED = (
    QUERIES
    | DEEDS
    | st.builds("WITH orders AS ( {} ) {}".format, QUERIES, DEEDS)
    | st.builds("{} RETURNING id , 'a' AS note".format, DEEDS)
    | st.builds("CREATE TABLE x AS {}".format, QUERIES)
)


@st.composite
def altered(draw: st.DrawFn) -> str:
    """A whole statement, spelled in some way, in which at times a word is another one."""
    words: list[str] = draw(WHOLE | GENERATED).split(" ")
    if draw(st.integers(0, 3)) == 0:
        at = draw(st.integers(0, len(words)))
        words[at : at + draw(st.integers(0, 1))] = [draw(PIECES)]
    spelled: list[str] = []
    for word in words:
        as_written = draw(SPELLED) if word in TABLES else "{}"
        spelled.append(as_written.format(draw(st.sampled_from((word, word.upper(), word)))))
        spelled.append(draw(BETWEEN))
    return "".join(spelled)


TEXTS = altered() | st.lists(PIECES, max_size=12).map(" ".join) | st.text(max_size=60)


def would_write(text: str) -> tuple[set[str], set[int]] | None:
    """The tables that SQLite would write, and what else it would do; None where it is no statement."""
    written: set[str] = set()
    done: set[int] = set()

    def note(action: int, first: str | None, *_: object) -> int:
        if action in WRITES and first and not first.startswith("sqlite_"):
            written.add(first.lower())
        elif action in OTHERS or (action == sqlite3.SQLITE_PRAGMA and first):
            done.add(action)
        return sqlite3.SQLITE_OK

    connection = sqlite3.connect(":memory:")
    try:
        for table in TABLES:
            connection.execute(f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, note)")
        connection.set_authorizer(note)
        explained = text if text.lstrip().upper().startswith("EXPLAIN") else f"EXPLAIN {text}"
        try:
            connection.execute(explained, _parameters(text))
        except (sqlite3.Error, sqlite3.Warning, ValueError):
            return None
        return written, done
    finally:
        connection.close()


def _parameters(text: str) -> object:
    named = {"a": 1, "b": 1, "c": 1}
    return named if any(mark in text for mark in ":@$") else (1,) * text.count("?")


def told(statement: Statement) -> set[str]:
    return {names(table)[1] for part in statement.parts for table in part.tables}


@settings(deadline=None, max_examples=400)
@given(TEXTS)
def test_what_sqlite_would_write_is_read_in_the_text(text: str) -> None:
    found = would_write(text)
    if found is None:
        return
    written, done = found
    statement = read_statement(text, "sqlite")
    if text.lstrip().upper().startswith("EXPLAIN"):
        return
    if written or done - {sqlite3.SQLITE_PRAGMA}:
        assert not statement.only_reads
    if not statement.undecided and not done:
        assert written <= told(statement)


@settings(deadline=None, max_examples=300)
@given(TEXTS, st.sampled_from(("sqlite", "postgresql")))
def test_any_text_is_read_and_the_same_text_in_the_same_way(text: str, dialect: Dialect) -> None:
    statement = read_statement(text, dialect)
    assert statement == read_statement(text, dialect)
    assert statement.parts
    assert statement.only_reads <= (not statement.undecided)


@settings(deadline=None, max_examples=300)
@given(st.lists(PIECES, max_size=12), st.sampled_from(("sqlite", "postgresql")))
def test_a_plain_text_is_its_own(pieces: Sequence[str], dialect: Dialect) -> None:
    try:
        plain = plain_text(tokens_of(" ".join(pieces), dialect), dialect)
        again = plain_text(tokens_of(plain, dialect), dialect)
    except Unlexed:
        return
    assert again == plain
