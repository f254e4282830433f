"""Code that nobody here has read does not run before somebody allowed it."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundwire.contracts.sql.reading import read_statement
from groundwire.documents.sql import Dialect
from groundwire.errors import GuardError
from groundwire.targets.sql.attempting import Attempt
from groundwire.targets.sql.port import Result
from tests.approving import ADA, answered
from tests.databases import PostgresShop, SqliteShop, server
from tests.unit.session.guarding.calls import word
from tests.unit.session.guarding.databases.workplace import asked, place
from tests.unit.targets.sql.test_attempts import AT, GRANT

COUNT = "SELECT last_value FROM counter"
RESET = "SELECT setval('counter', 100)"
"""What no transaction takes back."""


@pytest.fixture
def shop(monkeypatch: pytest.MonkeyPatch) -> PostgresShop:
    made = PostgresShop(server(), monkeypatch)
    made.run("CREATE SEQUENCE counter")
    return made


def tried(shop: PostgresShop, text: str) -> Attempt:
    return shop.target().attempt(read_statement(text, "postgresql"), ())


@pytest.mark.parametrize(
    ("text", "dialect", "can"),
    [
        ("UPDATE a SET b = 1", "postgresql", True),
        ("DROP TABLE a", "postgresql", True),
        ("DELETE FROM 'a' WHERE b = 1", "sqlite", True),
        ("SELECT evil(1)", "postgresql", False),
        ("DO $$ BEGIN END $$", "postgresql", False),
        ("CALL a()", "postgresql", False),
        ("COPY a FROM '/tmp/x'", "postgresql", False),
        ("NOTIFY a", "postgresql", False),
        ("FROBNICATE", "postgresql", False),
        ("VACUUM", "postgresql", False),
        ("COMMIT", "postgresql", False),
        ("DELETE FROM 'a' WHERE b = evil(1)", "sqlite", False),
    ],
)
def test_only_what_is_undone_with_its_transaction_can_be_tried(
    text: str, dialect: Dialect, can: bool
) -> None:
    assert read_statement(text, dialect).can_be_tried is can


def test_in_sqlite_too_what_calls_an_unknown_function_is_not_tried(tmp_path: Path) -> None:
    shop = SqliteShop(tmp_path / "data")
    attempt = shop.target().attempt(read_statement("SELECT evil(1)", "sqlite"), ())
    assert not attempt.work.ran
    assert attempt.work.root == shop.root
    with pytest.raises(GuardError) as caught:
        attempt.commit(GRANT, AT)
    assert caught.value.reason == "statement-failed"


@pytest.mark.slow
def test_a_function_that_may_do_anything_does_not_run_to_be_judged(shop: PostgresShop) -> None:
    attempt = tried(shop, RESET)
    assert not attempt.work.ran
    assert attempt.work.root == shop.root
    attempt.pause()
    assert shop.rows(COUNT) == [(1,)]


@pytest.mark.slow
def test_it_runs_in_a_transaction_with_its_grant_once_it_is_allowed(shop: PostgresShop) -> None:
    attempt = tried(shop, "DO $$ BEGIN UPDATE orders SET total = 7 WHERE id = 1; END $$")
    attempt.pause()
    attempt.commit(GRANT, AT)
    assert shop.rows("SELECT total FROM orders WHERE id = 1") == [(7,)]
    assert shop.rows("SELECT id, state FROM groundwire_grants") == [(GRANT, "landed")]


@pytest.mark.slow
def test_what_it_gave_back_is_looked_at_while_nothing_of_it_stands(shop: PostgresShop) -> None:
    shop.run(
        "CREATE FUNCTION evil() RETURNS text LANGUAGE plpgsql AS"
        " $$ BEGIN UPDATE orders SET total = 7; RETURN 'secret'; END $$"
    )
    attempt = tried(shop, "SELECT evil()")

    def refuse(result: Result) -> None:
        assert result.rows == (("secret",),)
        raise GuardError("denied-to-read", "No.")

    attempt.look = refuse
    with pytest.raises(GuardError):
        attempt.commit(GRANT, AT)
    assert shop.rows("SELECT count(*) FROM orders WHERE total = 7") == [(0,)]
    assert shop.rows("SELECT count(*) FROM groundwire_grants WHERE state = 'landed'") == [(0,)]


@pytest.mark.slow
def test_through_the_guard_it_does_nothing_where_nobody_can_be_asked(
    shop: PostgresShop, tmp_path: Path
) -> None:
    at = place(shop, tmp_path)
    with at.project.session(tmp_path / "run.gw"):
        result = at.table().dispatch(asked(RESET))
    assert word(result) == "refused: approval-unavailable"
    assert shop.rows(COUNT) == [(1,)]


@pytest.mark.slow
def test_through_the_guard_it_runs_once_a_person_says_yes(
    shop: PostgresShop, tmp_path: Path
) -> None:
    at = place(shop, tmp_path, ADA, acts=(lambda: answered(ADA),))
    with at.project.session(tmp_path / "run.gw"):
        result = at.table().dispatch(asked(RESET))
    assert word(result) == "executed"
    assert shop.rows(COUNT) == [(100,)]


@pytest.mark.slow
def test_a_function_that_the_policy_vouches_for_is_tried_and_judged_by_its_rows(
    shop: PostgresShop,
) -> None:
    shop.run(
        "CREATE FUNCTION void(which integer) RETURNS integer LANGUAGE plpgsql AS"
        " $$ BEGIN UPDATE orders SET total = 0 WHERE id = which; RETURN which; END $$"
    )
    statement = read_statement("SELECT void(1)", "postgresql", ("void",))
    attempt = shop.target().attempt(statement, ())
    assert attempt.work.ran
    assert {(each.table, each.updated) for each in attempt.work.tables} >= {("orders", 1)}
    attempt.pause()
    assert shop.rows("SELECT count(*) FROM orders WHERE total = 0") == [(0,)]
