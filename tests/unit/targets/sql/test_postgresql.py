"""PostgreSQL alone: what functions do behind a text, and what must not deceive the counting."""

from __future__ import annotations

import os

import msgspec
import pytest

from groundwire.documents.sql import Part, Statement
from groundwire.errors import GroundwireError
from groundwire.targets.sql.postgresql.connection import PostgresConnection
from tests.databases import PostgresShop, server
from tests.unit.targets.sql.test_attempts import (
    AT,
    GRANT,
    OTHER,
    TOTALS,
    attempt,
    attempt_in,
    behind,
    paused,
    refusal_behind,
    shown,
    table,
    unread,
)

pytestmark = pytest.mark.slow

FUNCTION = "CREATE FUNCTION act() RETURNS void LANGUAGE plpgsql AS $$ BEGIN %s END $$"


@pytest.fixture
def shop(monkeypatch: pytest.MonkeyPatch) -> PostgresShop:
    return PostgresShop(server(), monkeypatch)


def test_what_an_earlier_statement_of_the_session_did_is_not_counted_again(
    shop: PostgresShop,
) -> None:
    target = shop.target()
    attempt_in(target, shop, "DELETE FROM orders WHERE id = 3").commit(GRANT, AT)
    tried = attempt_in(target, shop, "UPDATE orders SET total = 1 WHERE id = 1")
    change = table(tried, "orders")
    assert (change.inserted, change.updated, change.deleted) == (0, 1, 0)
    tried.pause()
    target.close()


def test_rows_that_a_part_of_the_transaction_wrote_are_shown(shop: PostgresShop) -> None:
    shop.run(
        FUNCTION % "BEGIN UPDATE orders SET total = 77 WHERE id = 2;"
        " EXCEPTION WHEN others THEN NULL; END;"
    )
    ((before, after),) = shown(table(paused(behind(shop, "SELECT act()")), "orders"))
    assert (before["total"], after["total"]) == ("20", "77")


def test_a_part_that_was_taken_back_is_counted_and_said_to_be_unclear(shop: PostgresShop) -> None:
    shop.run(
        FUNCTION % "BEGIN UPDATE orders SET total = 77 WHERE id = 2; RAISE 'no';"
        " EXCEPTION WHEN others THEN NULL; END;"
    )
    tried = paused(behind(shop, "SELECT act()"))
    assert table(tried, "orders").updated == 1
    assert table(tried, "orders").digest == ""
    assert (table(tried, "audit").inserted, table(tried, "audit").digest) == (1, "")
    assert tried.work.unseen == ("rows-incomplete",)


def test_what_a_function_does_to_the_schema_is_seen(shop: PostgresShop) -> None:
    shop.run(FUNCTION % "EXECUTE 'DROP TABLE audit';")
    tried = behind(shop, "SELECT act()")
    assert [(each.table, each.kind) for each in tried.contents] == [("audit", "deleted")]
    tried.pause()
    assert shop.rows("SELECT count(*) FROM audit") == [(0,)]


@pytest.mark.parametrize(
    "deed",
    [
        "DELETE FROM groundwire_grants;",
        "PERFORM * FROM groundwire_grants;",
        "EXECUTE 'DROP TABLE groundwire_grants';",
        "EXECUTE 'ALTER TABLE groundwire_grants RENAME TO mine';",
    ],
)
def test_what_a_function_does_to_our_table_is_refused(shop: PostgresShop, deed: str) -> None:
    shop.run(FUNCTION % deed)
    assert refusal_behind(shop, "SELECT act()") == "protected-place"


def test_a_function_that_ends_the_transaction_cannot(shop: PostgresShop) -> None:
    shop.run(
        "CREATE PROCEDURE act() LANGUAGE plpgsql AS $$ BEGIN DELETE FROM orders; COMMIT; END $$"
    )
    assert refusal_behind(shop, "CALL act()") == "statement-failed"
    assert len(shop.rows(TOTALS)) == 3


@pytest.mark.parametrize("text", ["COMMIT", "COMMIT AND CHAIN", "ROLLBACK"])
def test_a_statement_that_left_the_transaction_is_noticed_afterwards(
    shop: PostgresShop, text: str
) -> None:
    assert refusal_behind(shop, text) == "statement-refused"


def test_a_database_is_known_by_the_address_that_is_asked_and_no_name_beside_it(
    shop: PostgresShop, monkeypatch: pytest.MonkeyPatch
) -> None:
    way = shop.dsn.replace("host=127.0.0.1", "host=staging.example hostaddr=127.0.0.1")
    monkeypatch.setenv("SHOP_DSN", way)
    assert shop.target().root() == shop.root


def test_operators_of_an_attackers_own_do_not_hide_what_changed(shop: PostgresShop) -> None:
    """Names in our questions mean the system's, whatever path the statement set."""
    shop.run(
        "CREATE SCHEMA evil",
        "CREATE FUNCTION evil.never(name, name) RETURNS boolean LANGUAGE sql AS 'SELECT false'",
        "CREATE OPERATOR evil.<> (leftarg = name, rightarg = name, function = evil.never)",
        FUNCTION % "DELETE FROM public.orders;"
        " PERFORM pg_catalog.set_config('search_path', 'evil, pg_catalog, public', false);",
    )
    tried = behind(shop, "SELECT act()")
    assert table(tried, "orders").deleted == 3
    tried.pause()


def test_what_waits_for_the_commit_runs_before_it_is_judged(shop: PostgresShop) -> None:
    shop.run(
        "CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN DELETE FROM audit; INSERT INTO audit VALUES ('late', 0); RETURN NULL; END $$",
        "CREATE CONSTRAINT TRIGGER late AFTER INSERT ON customers DEFERRABLE INITIALLY DEFERRED"
        " FOR EACH ROW EXECUTE FUNCTION late()",
    )
    tried = attempt(shop, "INSERT INTO customers VALUES (3, 'Cyd')")
    assert table(tried, "audit").inserted == 1
    tried.pause()


def test_an_emptied_table_is_seen_whoever_empties_it(shop: PostgresShop) -> None:
    shop.run(FUNCTION % "TRUNCATE orders;")
    tried = behind(shop, "SELECT act()")
    assert [content.table for content in tried.contents] == ["orders"]
    tried.pause()
    assert len(shop.rows(TOTALS)) == 3


def test_a_row_that_is_only_locked_is_not_shown_as_changed(shop: PostgresShop) -> None:
    text = (
        "WITH a AS (UPDATE customers SET name = 'Bea' WHERE id = 2)"
        " INSERT INTO orders VALUES (9, 1, NULL, 1)"
    )
    change = table(paused(behind(shop, text)), "customers")
    assert (change.updated, change.more) == (1, 0)
    ((before, after),) = shown(change)
    assert (before["name"], after["name"]) == ("Ben", "Bea")


def test_a_table_over_the_bound_is_counted_and_not_read(shop: PostgresShop) -> None:
    target = shop.target()
    target.bounds = msgspec.structs.replace(target.bounds, scanned=1)
    change = table(paused(attempt_in(target, shop, "UPDATE orders SET total = 1")), "orders")
    assert (change.updated, change.shown, change.more, change.digest) == (3, (), 3, "")


def test_more_changed_rows_than_are_read_are_counted(shop: PostgresShop) -> None:
    target = shop.target()
    target.bounds = msgspec.structs.replace(target.bounds, read=2)
    tried = paused(attempt_in(target, shop, "UPDATE orders SET total = 1"))
    assert (table(tried, "orders").shown, table(tried, "orders").digest) == ((), "")
    assert tried.work.unseen == ()


def test_a_table_that_the_role_may_not_read_is_counted(
    shop: PostgresShop, monkeypatch: pytest.MonkeyPatch
) -> None:
    role = f"writer_of_{shop.name}"
    shop.run(
        f"CREATE ROLE {role} LOGIN",
        f"GRANT INSERT ON audit TO {role}",
        f"GRANT SELECT, INSERT, UPDATE ON groundwire_grants TO {role}",
    )
    monkeypatch.setenv("SHOP_DSN", shop.dsn.replace("user=tester", f"user={role}"))
    tried = attempt(shop, "INSERT INTO audit VALUES ('blind', 1)")
    assert (table(tried, "audit").inserted, table(tried, "audit").digest) == (1, "")
    tried.commit(GRANT, AT)
    assert shop.rows("SELECT what FROM audit") == [("blind",)]


def test_a_table_of_another_server_is_not_written(shop: PostgresShop) -> None:
    with shop.connect() as connection:
        there = "SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'"
        if connection.execute(there.encode()).fetchall() == [(0,)]:
            pytest.skip("postgres_fdw is not installed with the server")
    shop.run(
        "CREATE EXTENSION postgres_fdw",
        f"CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1',"
        f" port '{shop.server.port}', dbname '{shop.name}')",
        "CREATE USER MAPPING FOR tester SERVER far OPTIONS (user 'tester')",
        "CREATE FOREIGN TABLE afar (id integer, name text) SERVER far"
        " OPTIONS (schema_name 'public', table_name 'customers')",
    )
    assert refusal_behind(shop, "INSERT INTO afar VALUES (9, 'Zed')") == "statement-refused"
    assert shop.rows("SELECT count(*) FROM customers") == [(2,)]


def test_a_table_of_another_schema_has_its_schema_in_its_name(shop: PostgresShop) -> None:
    shop.run("CREATE SCHEMA depot", 'CREATE TABLE depot."Odd Ones" (id integer)')
    tried = attempt(shop, 'INSERT INTO depot."Odd Ones" VALUES (1)')
    assert [each.table for each in tried.work.tables] == ['depot."Odd Ones"']
    tried.pause()


def test_a_statement_does_not_set_how_long_its_own_measuring_may_take(shop: PostgresShop) -> None:
    text = "SELECT set_config('statement_timeout', '20000', true)"
    tried = behind(shop, text)
    assert isinstance(tried._connection, PostgresConnection)
    shown_now = tried._connection._own.execute(b"SHOW statement_timeout").fetchall()
    tried.pause()
    assert shown_now == [("30s",)]


def test_nothing_of_a_statements_session_is_left_for_the_next(shop: PostgresShop) -> None:
    target = shop.target()
    text = (
        "SELECT set_config('search_path', 'nowhere', false), pg_advisory_lock(5),"
        " set_config('statement_timeout', '1', false)"
    )
    target.attempt(unread(shop, text), ()).commit(GRANT, AT)
    tried = attempt_in(target, shop, "UPDATE orders SET total = 1 WHERE id = 1")
    assert table(tried, "orders").updated == 1
    tried.commit(OTHER, AT)
    assert shop.rows("SELECT pg_try_advisory_lock(5)") == [(True,)]
    target.close()


def test_what_a_parent_has_open_a_forked_child_does_not_close(shop: PostgresShop) -> None:
    target = shop.target()
    attempt_in(target, shop, "UPDATE orders SET total = 1 WHERE id = 1").commit(GRANT, AT)
    sessions = "SELECT pid FROM pg_stat_activity WHERE application_name = 'groundwire' AND datname = current_database() ORDER BY pid"  # fmt: skip
    before = shop.rows(sessions)
    child = os.fork()
    if not child:
        target.close()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    attempt_in(target, shop, "UPDATE orders SET total = 2 WHERE id = 1").commit(OTHER, AT)
    assert len(before) == 2
    assert shop.rows(sessions) == before
    target.close()


@pytest.mark.parametrize("text", ["COPY orders TO STDOUT", "COPY orders FROM STDIN"])
def test_rows_are_not_sent_to_or_waited_for_from_us(shop: PostgresShop, text: str) -> None:
    statement = Statement(text=text, dialect="postgresql", parts=(Part(kind="copy"),))
    with pytest.raises(GroundwireError) as caught:
        shop.target().attempt(statement, ())
    assert caught.value.reason == "statement-refused"


def test_what_the_reading_took_for_transactional_and_is_not_leaves_nothing(
    shop: PostgresShop,
) -> None:
    shop.run("CREATE FUNCTION act() RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'VACUUM'; END $$")  # fmt: skip
    assert refusal_behind(shop, "SELECT act()") == "statement-refused"


def test_a_statement_that_runs_alone_and_fails_is_unknown(shop: PostgresShop) -> None:
    tried = attempt(shop, "CREATE INDEX CONCURRENTLY one ON nowhere (a)")
    assert not tried.atomic
    with pytest.raises(GroundwireError) as caught:
        tried.commit(GRANT, AT)
    assert caught.value.reason == "write-unsettled"
    assert shop.rows("SELECT state FROM groundwire_grants") == [("begun",)]


def test_a_definition_of_every_kind_is_named(shop: PostgresShop) -> None:
    for number, (text, thing) in enumerate(
        [
            ("ALTER TABLE orders ALTER COLUMN total SET DEFAULT 5", "column"),
            ("ALTER TABLE orders ADD CONSTRAINT positive CHECK (total > 0)", "constraint"),
            ("CREATE INDEX by_total ON orders (total) WHERE total > 5", "index"),
            ("CREATE VIEW cheap AS SELECT * FROM orders", "view"),
            ("DROP TRIGGER watch ON orders", "trigger"),
            ("CREATE FUNCTION one() RETURNS integer LANGUAGE sql AS 'SELECT 1'", "function"),
            ("CREATE POLICY mine ON orders USING (total > 0)", "privilege"),
            ("GRANT SELECT ON orders TO PUBLIC", "table"),
            ("CREATE SCHEMA depot", "other"),
            ("CREATE TYPE colour AS ENUM ('red')", "other"),
            ("COMMENT ON TABLE orders IS 'a word'", "other"),
            ("CREATE ROLE nobody_in_particular", "other"),
        ]
    ):
        tried = attempt(shop, text)
        assert thing in {each.thing for each in tried.work.schema}, (number, text)
        assert tried.contents, text
        tried.pause()


@pytest.mark.parametrize("text", ["DROP TABLE audit", "TRUNCATE audit", "DROP TABLE audit CASCADE"])
def test_how_many_rows_go_with_a_table_is_told(shop: PostgresShop, text: str) -> None:
    counted = ("SELECT pg_stat_force_next_flush()", "ANALYZE audit")
    shop.run("INSERT INTO audit SELECT 'x', generate_series(1, 5004)", *counted)
    tried = paused(attempt(shop, text))
    assert "(5004 rows, " in "".join(each.before or "" for each in tried.work.schema)
    assert not any(each.told for each in tried.work.schema)
    target = shop.target()
    target.bounds = msgspec.structs.replace(target.bounds, scanned=0)
    tried = paused(attempt_in(target, shop, text))
    target.close()
    (told,) = {each.told for each in tried.work.schema if each.told}
    assert told == "about 5000 rows were there before, as the server estimates"


def test_an_estimate_that_changed_is_no_other_change(shop: PostgresShop) -> None:
    target = shop.target()
    target.bounds = msgspec.structs.replace(target.bounds, scanned=-1)
    tried = paused(attempt_in(target, shop, "DROP TABLE audit"))
    assert "the server does not know" in "".join(each.told for each in tried.work.schema)
    judged = tried.digest()
    shop.run("UPDATE pg_class SET reltuples = 5000 WHERE relname = 'audit'")
    again = paused(attempt_in(target, shop, "DROP TABLE audit"))
    assert "about 5000 rows" in "".join(each.told for each in again.work.schema)
    assert again.digest() == judged
    target.close()


def test_nothing_is_estimated_of_a_table_that_stays_or_has_no_rows(shop: PostgresShop) -> None:
    shop.run("CREATE VIEW cheap AS SELECT * FROM audit", "ANALYZE audit")
    for text in ("ALTER TABLE audit ADD COLUMN a integer", "DROP VIEW cheap"):
        tried = paused(attempt(shop, text))
        assert tried.work.schema
        assert not any(each.told for each in tried.work.schema), text
