"""Statements read: what they do to which tables, and what nobody can tell."""

from __future__ import annotations

import logging
import sys

import pytest

from groundwire.contracts.sql.reading import read_statement, reader_version
from groundwire.documents.sql import GRANTS, Dialect, Statement


def read(text: str, dialect: Dialect = "postgresql") -> Statement:
    return read_statement(text, dialect)


def parts(text: str, dialect: Dialect = "postgresql") -> list[str]:
    return [" ".join((part.kind, *part.tables)) for part in read(text, dialect).parts]


BENIGN = (
    "SELECT DISTINCT ON (customer) * FROM orders ORDER BY customer, created DESC",
    "SELECT * FROM orders WHERE id = ANY($1)",
    "SELECT * FROM docs WHERE to_tsvector('english', body) @@ plainto_tsquery($1)",
    "SELECT o.id, l.* FROM orders o LEFT JOIN LATERAL (SELECT * FROM lines LIMIT 3) l ON true",
    "SELECT count(*) FILTER (WHERE paid), sum(total) OVER w FROM a WINDOW w AS (PARTITION BY b)",
    "SELECT sum(total) FROM orders GROUP BY GROUPING SETS ((shop), ())",
    "SELECT * FROM orders WHERE created > now() - interval '7 days'",
    "SELECT * FROM orders WHERE data->>'k' = 'x' AND data @> '{\"a\":1}'::jsonb AND data ? 'b'",
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM t WHERE n < 5) SELECT * FROM t",
    "WITH t AS (SELECT 1), u (m) AS MATERIALIZED (SELECT 1) SELECT * FROM t, u",
    "SELECT * FROM unnest(ARRAY[1,2,3]) WITH ORDINALITY AS t(a, n)",
    "SELECT * FROM generate_series(1, 10) g(i)",
    "SELECT EXTRACT(EPOCH FROM a), coalesce(x, 0)::numeric(10,2), cast(b AS varchar(3)) FROM t",
    "SELECT * FROM json_to_recordset('[{\"a\":1}]') AS x(a int)",
    "SELECT pg_catalog.lower(a), substring(a from 2 for 3), position('a' in b) FROM t",
    "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM t",
    "SELECT * FROM t FOR UPDATE SKIP LOCKED",
    "(SELECT 1) UNION (SELECT 2)",
    "TABLE orders",
    "VALUES (1, 2)",
    "SHOW server_version",
    "EXPLAIN (FORMAT JSON) DELETE FROM orders",
    "SELECT 1;",
)
BENIGN_OF_SQLITE = (
    "SELECT name FROM sqlite_master WHERE type = 'table'",
    "PRAGMA table_info(orders)",
    "PRAGMA main.user_version",
    "SELECT strftime('%Y', a), json_extract(d, '$.a'), d->>'$.b' FROM t WHERE a GLOB 'x*'",
    "SELECT * FROM docs WHERE docs MATCH ? ORDER BY bm25(docs)",
    "SELECT * FROM t, json_each(t.d) WHERE json_each.value = 3",
    "SELECT iif(a, 1, 2), group_concat(a, ',') FROM t INDEXED BY i WHERE x ISNULL",
    "EXPLAIN QUERY PLAN DELETE FROM orders",
)


@pytest.mark.parametrize("text", BENIGN)
def test_what_only_reads_is_read_as_such(text: str) -> None:
    assert read(text).undecided == ()
    assert read(text).only_reads


@pytest.mark.parametrize("text", BENIGN_OF_SQLITE)
def test_what_only_reads_in_sqlite_is_read_as_such(text: str) -> None:
    assert read(text, "sqlite").undecided == ()
    assert read(text, "sqlite").only_reads


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("UPDATE public.orders SET a = 1 WHERE id = 1", ["update orders"]),
        ('UPDATE "Audit"."Log" AS l SET a = 1 WHERE l.id = 1', ['update "Audit"."Log"']),
        ("UPDATE a SET (x, y) = (SELECT 1, 2) WHERE id = $1 RETURNING *", ["update a"]),
        ("INSERT INTO a (b) VALUES (1) ON CONFLICT DO NOTHING", ["insert a"]),
        ("INSERT INTO a (b) VALUES (1) ON CONFLICT (b) DO UPDATE SET c = 1", ["insert a", "update a"]),
        ("DELETE FROM a USING b WHERE a.id = b.id", ["delete a"]),
        ("WITH m AS (DELETE FROM a WHERE id = 1 RETURNING *) INSERT INTO b SELECT * FROM m", ["insert b", "delete a"]),
        ("WITH a AS (SELECT 1) DELETE FROM a WHERE id = 1", ["delete a"]),
        ("MERGE INTO a USING b ON a.i = b.i WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (i) VALUES (1)", ["merge a"]),
        ("TRUNCATE TABLE a, ONLY b, c.d *", ["truncate a b c.d"]),
        ("DROP TABLE IF EXISTS a, b.c CASCADE", ["drop a b.c"]),
        ("DROP SCHEMA a CASCADE", ["drop"]),
        ("DROP TABLE index, database", ["drop index database"]),
        ("CREATE FOREIGN TABLE a (b int) SERVER c", ["create a"]),
        ("DROP MATERIALIZED VIEW a", ["drop a"]),
        ("CREATE TABLE IF NOT EXISTS a (b int REFERENCES c (d))", ["create a"]),
        ("CREATE TABLE a AS SELECT * FROM b WITH NO DATA", ["create a"]),
        ("CREATE UNIQUE INDEX i ON a (b)", ["create a"]),
        ("CREATE OR REPLACE VIEW v AS SELECT 1", ["create v"]),
        ("CREATE TRIGGER t AFTER UPDATE OF x ON a EXECUTE FUNCTION f()", ["create a"]),
        ("CREATE POLICY p ON a USING (true)", ["create a", "grant a"]),
        ("ALTER TABLE ONLY a OWNER TO b", ["alter a", "grant a"]),
        ("GRANT SELECT ON TABLE a, b TO c", ["grant a b"]),
        ("GRANT ALL ON ALL TABLES IN SCHEMA a TO b", ["grant"]),
        ("REVOKE a FROM b", ["grant"]),
        ("CREATE ROLE a SUPERUSER", ["create", "grant"]),
        ("SET ROLE a", ["grant"]),
        ("SET search_path = a", ["set"]),
        ("SET CONSTRAINTS ALL DEFERRED", ["set"]),
        ("COMMENT ON TABLE a IS 'b'", ["alter"]),
        ("LOCK TABLE a", ["other"]),
        ("EXPLAIN ANALYZE VERBOSE DELETE FROM a", ["explain", "delete-all a"]),
    ],
)  # fmt: skip
def test_a_deed_is_told_with_its_tables(text: str, told: list[str]) -> None:
    assert parts(text) == told
    assert read(text).undecided == ()
    assert not read(text).only_reads


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("REPLACE INTO a VALUES (1)", ["insert a", "delete a"]),
        ("INSERT OR REPLACE INTO a VALUES (1)", ["insert a", "delete a"]),
        ("UPDATE OR REPLACE a SET b = 1 WHERE c = 2", ["update a", "delete a"]),
        ("UPDATE OR IGNORE a SET b = 1 WHERE c = 2", ["update a"]),
        ("DELETE FROM [a;b] WHERE c = 1", ['delete "a;b"']),
        ("DELETE FROM MAIN.A WHERE c = 1", ["delete a"]),
        ("CREATE TEMP TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM b; END;", ["create a"]),
        ("CREATE VIRTUAL TABLE a USING fts5(b)", ["create a"]),
    ],
)
def test_a_deed_of_sqlite_is_told_with_its_tables(text: str, told: list[str]) -> None:
    assert parts(text, "sqlite") == told
    assert read(text, "sqlite").undecided == ()


@pytest.mark.parametrize(
    ("condition", "kind"),
    [
        ("", "delete-all"),
        ("WHERE true", "delete-all"),
        ("WHERE 1", "delete-all"),
        ("WHERE ((1 = 1))", "delete-all"),
        ("WHERE id = id", "delete-all"),
        ("WHERE id >= id AND 1 = 1", "delete-all"),
        ("WHERE id = 3 OR true", "delete-all"),
        ("WHERE $1", "delete-all"),
        ("WHERE NOT false", "delete-all"),
        ("WHERE id = 3", "delete"),
        ("WHERE 1 = 1 AND id = 3", "delete"),
        ("WHERE id = 3 OR id = 4", "delete"),
        ("WHERE EXISTS (SELECT 1 FROM b WHERE b.id = a.id)", "delete"),
        ("WHERE id IN (SELECT id FROM b LIMIT 5)", "delete"),
    ],
)
def test_a_condition_that_can_leave_nothing_out_is_none(condition: str, kind: str) -> None:
    assert parts(f"DELETE FROM a {condition}") == [f"{kind} a"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("SELECT evil(1)", "sql-function"),
        ('SELECT "Lower"(1)', "sql-function"),
        ("SELECT shadow.lower('a')", "sql-function"),
        ("SELECT pg_catalog.pg_sleep(1)", "sql-function"),
        ("INSERT INTO a VALUES (evil(1))", "sql-function"),
        ("SELECT 5 %s(1)", "sql-function"),
        ("UPDATE a SET b = 1 WHERE c = 1 RETURNING evil(b)", "sql-function"),
        ("CREATE TABLE a AS SELECT evil(1)", "sql-function"),
        ("SELECT * FROM b, evil(1) AS (x int)", "sql-function"),
        ("SELECT evil(1) FROM a AS evil(x)", "sql-function"),
        ("WITH evil AS (SELECT 1) SELECT evil(1)", "sql-function"),
        ("SELECT nextval('a'), setval('a', 1)", "sql-function"),
        ("EXPLAIN SELECT * FROM a WHERE b = evil(1)", "sql-function"),
        ("DO $$ BEGIN END $$", "sql-dynamic"),
        ("CALL a()", "sql-dynamic"),
        ("EXECUTE a", "sql-dynamic"),
        ("PREPARE a AS SELECT 1", "sql-dynamic"),
        ("COPY a FROM STDIN", "sql-reaches-outside"),
        ("NOTIFY a", "sql-reaches-outside"),
        ("DELETE FROM other.public.a WHERE id = 1", "sql-table"),
        ("TRUNCATE", "sql-table"),
        ("DROP TABLE", "sql-table"),
        ("SELECT FROM WHERE", "sql-not-understood"),
        ("FROBNICATE a", "sql-not-understood"),
        ("WITH a AS (EXPLAIN SELECT 1) SELECT * FROM a", "sql-not-understood"),
        ("EXPLAIN", "sql-not-understood"),
        ("SELECT a.delete b FROM a UPDATE", "sql-not-understood"),
        ("SELECT " + "(" * 151 + "1" + ")" * 151, "sql-too-deep"),
        ("SELECT " + "NOT " * 151 + "1", "sql-too-deep"),
        ("", "sql-empty"),
        (";;", "sql-empty"),
    ],
)
def test_what_nobody_can_tell_is_undecided_and_never_taken_for_reading(
    text: str, reason: str
) -> None:
    assert reason in read(text).undecided
    assert not read(text).only_reads


@pytest.mark.parametrize(
    "text", ["DELETE FROM 'a' WHERE id = 1", "UPDATE 'a' SET b = 1 WHERE c = 1"]
)
def test_a_string_in_a_tables_place_names_none(text: str) -> None:
    assert read(text, "sqlite").undecided == ("sql-table",)
    assert read(text, "sqlite").parts[0].tables == ()


@pytest.mark.parametrize(
    "text",
    [
        "BEGIN",
        "COMMIT",
        "END",
        "ROLLBACK TO a",
        "SAVEPOINT a",
        "RELEASE a",
        "PREPARE TRANSACTION 'a'",
        "SET TRANSACTION READ WRITE",
        "SET LOCAL transaction_isolation = 'serializable'",
        "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
        "SELECT 1; SELECT 2",
        "SELECT 1; COMMIT",
    ],
)
def test_what_would_leave_the_transaction_says_so(text: str) -> None:
    assert read(text).ends_transaction


@pytest.mark.parametrize(
    "text", ["INSERT OR ROLLBACK INTO a VALUES (1)", "UPDATE OR ROLLBACK a SET b = 1 WHERE c = 1"]
)
def test_a_conflict_that_would_roll_back_leaves_the_transaction(text: str) -> None:
    assert read(text, "sqlite").ends_transaction
    assert not read(text.replace("ROLLBACK", "ABORT"), "sqlite").ends_transaction


def test_the_body_of_one_trigger_is_one_statement_and_what_follows_it_is_not() -> None:
    text = "CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM b; UPDATE c SET d = 1; END"
    assert not read(text, "sqlite").ends_transaction
    assert read(f"{text}; DROP TABLE c", "sqlite").undecided == ("sql-several",)
    assert read(f"{text}; END", "sqlite").undecided == ("sql-several",)
    assert read("CREATE TABLE a (b); END", "sqlite").undecided == ("sql-several",)


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("VACUUM", "postgresql"),
        ("REINDEX TABLE a", "postgresql"),
        ("CREATE DATABASE a", "postgresql"),
        ("DROP DATABASE a", "postgresql"),
        ("ALTER SYSTEM SET a = 1", "postgresql"),
        ("CREATE INDEX CONCURRENTLY i ON a (b)", "postgresql"),
        ("DROP INDEX CONCURRENTLY i", "postgresql"),
        ("COPY a TO '/tmp/x'", "postgresql"),
        ("COPY a FROM PROGRAM 'x'", "postgresql"),
        ("DISCARD ALL", "postgresql"),
        ("VACUUM INTO 'x'", "sqlite"),
        ("ATTACH 'x' AS y", "sqlite"),
        ("PRAGMA journal_mode = wal", "sqlite"),
        ("PRAGMA main.writable_schema(1)", "sqlite"),
        ("PRAGMA frobnicate", "sqlite"),
    ],
)
def test_what_no_transaction_holds_says_so(text: str, dialect: Dialect) -> None:
    assert not read(text, dialect).transactional
    assert not read(text, dialect).only_reads


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM groundwire_grants",
        'SELECT * FROM "groundwire_grants"',
        "UPDATE Groundwire_Grants SET a = 1 WHERE b = 1",
        "SELECT 1 FROM a WHERE EXISTS (SELECT 1 FROM groundwire_grants)",
        "ALTER TABLE groundwire_grants RENAME TO a",
        "DO $$ BEGIN DELETE FROM GROUNDWIRE_GRANTS; END $$",
        "CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$ DELETE FROM groundwire_grants $$",
        "SELECT evil('groundwire_grants')",
    ],
)
def test_our_own_table_is_found_wherever_it_is_named(text: str) -> None:
    assert GRANTS in read(text).reads


def test_a_text_about_our_own_table_in_a_plain_query_names_it_not() -> None:
    assert read("SELECT * FROM notes WHERE body LIKE '%groundwire_grants%'").reads == ("notes",)


def test_tables_that_are_only_read_are_listed_and_named_queries_are_not() -> None:
    text = "WITH a AS (SELECT * FROM b) UPDATE c SET d = (SELECT 1 FROM x.a) FROM a WHERE c.i = a.i"
    assert read(text).reads == ("b", "x.a")


def test_a_parser_says_nothing_of_the_statement_in_a_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        read("WITH a AS (SHOW secret_thing) SELECT * FROM a")
    assert caplog.records == []


def test_without_the_library_every_query_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "groundwire.contracts.sql.queries", None)
    assert read("SELECT 1").undecided == ("sql-no-reader",)
    assert not read("SELECT 1").only_reads


def test_a_parser_that_fails_has_read_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyError("a")

    monkeypatch.setattr("sqlglot.parse_one", fail)
    assert read("SELECT 1").undecided == ("sql-not-understood",)


def test_the_version_names_the_library_below() -> None:
    assert reader_version().startswith("groundwire-sql/")
    assert " sqlglot/" in reader_version()


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("SELECT total(1), billing.total(2)", False),
        ("SELECT TOTAL(1)", False),
        ("EXPLAIN ANALYZE SELECT total(1)", False),
        ("CREATE TABLE a AS SELECT total(1)", False),
        ("SELECT other.total(1)", True),
        ("SELECT totals(1)", True),
        ('SELECT "Total"(1)', True),
        ("SELECT total(evil(1))", True),
        ("CALL total(1)", True),
    ],
)
def test_a_function_that_somebody_vouches_for_may_be_called(text: str, unknown: bool) -> None:
    statement = read_statement(text, "postgresql", ("total", "billing.total"))
    assert bool(statement.undecided) is unknown
    assert not statement.only_reads
