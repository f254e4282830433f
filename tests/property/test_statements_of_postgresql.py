"""Whatever PostgreSQL says would write is read as such: tried in a transaction that may only read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groundwire.contracts.sql.reading import read_statement
from tests.databases import server

TABLES = ("orders", "lines", "audit")
EVIL = "RETURNS int LANGUAGE plpgsql AS $$ BEGIN DELETE FROM audit; RETURN 1; END $$"
MADE = (
    *(f"CREATE TABLE {table} (id int PRIMARY KEY, note text)" for table in TABLES),
    f"CREATE FUNCTION evil(int) {EVIL}",
    "CREATE SCHEMA shadow",
    f"CREATE FUNCTION shadow.lower(text) {EVIL}",
)
BETWEEN = st.sampled_from(
    [
        " ", "  ", "\n", "\t", "\f", "\r\n", "/**/", "/* ; */", "/* ' */", '/* " */', "--x\n",
        "-- '\n", "-- /*\n", "/* /* */ */", "--x\r", "-- '\r", "/* $$ */", "/*+ x */",
    ]
)  # fmt: skip
SPELLED = st.sampled_from(("{}", "{}", '"{}"', "public.{}", 'public."{}"', "ONLY {}"))
VALUES = st.sampled_from(
    [
        "1", "'a;'", r"E'\''", "$$ ; $$", "$a$ $$ ' $a$", "'it''s'", "note", "U&'a'", "b'1'", "NULL",
        "array [1]", "'x'::text", "lower ( 'x' )", "evil ( 1 )", "shadow.lower ( 'x' )", "count (*)",
        "( select 1 )", "case when true then 1 end", "1e5", ".5", '"note"',
    ]
)  # fmt: skip
CONDITIONS = st.sampled_from(("", "WHERE true", "WHERE id = 1", "WHERE note = $$ ; $$ OR id = 1"))
TABLE = st.sampled_from(TABLES)
QUERIES: st.SearchStrategy[str] = st.deferred(
    lambda: (
        st.builds("SELECT {} FROM orders".format, VALUES)
        | st.builds("VALUES ( {} , 'a' )".format, VALUES)
        | st.just("TABLE lines")
        | st.builds("SELECT id FROM lines WHERE id IN ( SELECT {} )".format, VALUES)
        | st.builds("SELECT * FROM ( {} ) AS x , lateral ( {} ) y".format, QUERIES, QUERIES)
        | st.builds("WITH lines AS ( {} ) SELECT * FROM lines".format, QUERIES | DEEDS)
        | st.builds("SELECT {} INTO made FROM orders".format, VALUES)
        | st.builds("EXPLAIN {}".format, QUERIES | DEEDS)
        | st.builds("EXPLAIN ANALYZE {}".format, QUERIES | DEEDS)
        | st.builds("EXPLAIN ( ANALYZE on ) {}".format, QUERIES | DEEDS)
    )
)
DEEDS: st.SearchStrategy[str] = st.deferred(
    lambda: (
        st.builds("DELETE FROM {} {}".format, TABLE, CONDITIONS)
        | st.builds("UPDATE {} SET note = 'x' {}".format, TABLE, CONDITIONS)
        | st.builds("INSERT INTO {} VALUES ( 1 , 'x' )".format, TABLE)
        | st.builds(
            "INSERT INTO {} ( id ) SELECT 1 ON CONFLICT ( id ) DO UPDATE SET note = 'z'".format,
            TABLE,
        )
        | st.builds("DELETE FROM {} USING lines AS l WHERE l.id = 3".format, TABLE)
        | st.builds("WITH a AS ( {} ) {}".format, QUERIES, DEEDS)
        | st.builds("{} RETURNING *".format, DEEDS)
    )
)
OTHERS = st.sampled_from(
    (
        "TRUNCATE orders",
        "DROP TABLE orders",
        "CREATE TABLE x AS SELECT evil ( 1 )",
        "ALTER TABLE orders ADD x int",
        "COMMENT ON TABLE orders IS 'x'",
        "GRANT SELECT ON orders TO public",
        "DO $$ begin delete from orders ; end $$",
        "COPY ( DELETE FROM orders RETURNING id ) TO STDOUT",
        "MERGE INTO orders AS m USING lines ON m.id = lines.id WHEN MATCHED THEN DELETE",
    )
)
PIECES = st.sampled_from(
    [
        "SELECT", "DELETE FROM", "WHERE", "AS", "WITH", "OR", "(", ")", ",", ";", "*", "--", "/*", "*/",
        "'", '"', "$$", "$a$", "E'", "U&'", "INTO", "orders", "evil", "1", "{#", "#}", "%", "@", "\\",
        "\u00a0", "\ufeff", "\u2028", "\v", "N'a'", "MATERIALIZED", "::", "[", "]", "`",
    ]
)  # fmt: skip


@st.composite
def statements(draw: st.DrawFn) -> str:
    """A statement, spelled in some way, in which at times a word is another one."""
    words: list[str] = draw(QUERIES | DEEDS | OTHERS).split(" ")
    if draw(st.integers(0, 2)) == 0:
        at = draw(st.integers(0, len(words)))
        words[at : at + draw(st.integers(0, 1))] = [draw(PIECES)]
    spelled: list[str] = []
    for word in words:
        written = draw(SPELLED) if word in TABLES else "{}"
        spelled += [written.format(word) if word in TABLES else word, draw(BETWEEN)]
    return "".join(spelled)


Session = psycopg.Connection[tuple[Any, ...]]


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    running = server()
    with psycopg.connect(running.dsn(running.fresh()), autocommit=True) as made:
        for text in MADE:
            made.execute(text.encode())
        yield made


def would_write(session: Session, text: str) -> bool | None:
    """Whether PostgreSQL refuses it where only reading is allowed; None where it is no statement."""
    try:
        with session.transaction(force_rollback=True):
            session.execute("SET TRANSACTION READ ONLY")
            psycopg.RawCursor(session).execute(text.encode(), prepare=True)
    except psycopg.errors.ReadOnlySqlTransaction:
        return True
    except psycopg.Error:
        return None
    return False


@pytest.mark.slow
@settings(deadline=None, max_examples=500, suppress_health_check=[HealthCheck.too_slow])
@given(statements())
def test_what_postgresql_would_write_is_read_in_the_text(session: Session, text: str) -> None:
    if would_write(session, text):
        statement = read_statement(text, "postgresql")
        assert not statement.only_reads
        if not statement.undecided:
            assert any(part.kind not in {"select", "explain"} for part in statement.parts)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "writes"),
    [("SELECT 1", False), ("DELETE FROM orders", True), ("SELECT evil(1)", True), ("SELEC", None)],
)
def test_the_server_tells_what_would_write(
    session: Session, text: str, writes: bool | None
) -> None:
    assert would_write(session, text) is writes
