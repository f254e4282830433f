"""Statements that others, a death or a lost connection interrupt: all of it stands, or nothing, and which."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from groundwire.contracts.sql.reading import read_statement
from groundwire.documents.governing import GuardRules
from groundwire.documents.sql import DatabaseDeclaration
from groundwire.errors import GroundwireError
from groundwire.session.clock import now
from groundwire.session.guarding.guard import State
from groundwire.session.guarding.recovering import RecoveredWrite, recover_writes
from groundwire.session.guarding.ways.sql import databases_of
from groundwire.targets.sql.attempting import Attempt
from groundwire.targets.sql.target import SqlTarget
from tests.databases import DIALECTS, PostgresShop, Shop, SqliteShop, server, shop_of
from tests.unit.targets.sql.test_attempts import unread

GRANT = "0123456789abcdef" * 2
AT = "2026-03-01T12:00:00.000000Z"
TOTALS = "SELECT id, total FROM orders ORDER BY id"
BEFORE = [(1, 10), (2, 20), (3, 30)]
UPDATE = "UPDATE orders SET total = 11 WHERE id = 1"

KILLED = """
import json, os, signal, sys
from pathlib import Path
from groundwire.session.guarding.host import GuardHost
from groundwire.targets.sql.postgresql.connection import PostgresConnection
from groundwire.targets.sql.sqlite.connection import SqliteConnection
from tests.unit.session.guarding.calls import Place
from tests.unit.session.guarding.databases.workplace import SQL, asked

folder, rules, point, when = Path(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3], sys.argv[4]
place = Place(folder, rules=rules, declared=(SQL,))

def killing(owner, name, wanted):
    real = getattr(owner, name)
    def act(self, *args, **kwargs):
        if wanted(args) and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        given = real(self, *args, **kwargs)
        if wanted(args):
            os.kill(os.getpid(), signal.SIGKILL)
        return given
    setattr(owner, name, act)

if point == "commit":
    killing(PostgresConnection, point, lambda args: True)
    killing(SqliteConnection, point, lambda args: True)
else:
    killing(GuardHost, "answer", lambda args: type(args[0]).__name__ == point)
table = place.table()
with place.session():
    table.dispatch(asked("UPDATE orders SET total = 11 WHERE id = 1"))
"""


@pytest.fixture(params=DIALECTS)
def shop(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    return shop_of(request.param, tmp_path, monkeypatch)


@pytest.fixture
def postgres(monkeypatch: pytest.MonkeyPatch) -> PostgresShop:
    return PostgresShop(server(), monkeypatch)


def attempt(shop: Shop, text: str, target: SqlTarget | None = None) -> Attempt:
    return (target or shop.target()).attempt(read_statement(text, shop.dialect), ())


def impatient(shop: Shop, **bounds: float) -> SqlTarget:
    target = shop.target()
    target.bounds = msgspec.structs.replace(target.bounds, **bounds)
    return target


def recovered(shop: Shop) -> tuple[RecoveredWrite, ...]:
    rules = GuardRules(databases=(DatabaseDeclaration(**shop.declared),))
    state = State(now, rules)
    if not state.has_grants:
        return ()
    databases = databases_of(rules, Path("/"))
    try:
        return recover_writes(state, databases)
    finally:
        databases.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("point", "when"),
    [
        ("Detect", "after"), ("Preflight", "after"), ("RecordIntent", "after"),
        ("commit", "before"), ("commit", "after"), ("RecordOutcome", "before"),
    ],
)  # fmt: skip
def test_a_kill_leaves_all_or_nothing_and_recovery_says_which(
    shop: Shop, tmp_path: Path, point: str, when: str
) -> None:
    rules = {
        "databases": [shop.declared],
        "environments": [{"name": "test", "pattern": shop.root}],
    }
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path / "project"), msgspec.json.encode(rules).decode(), point, when],
        cwd=Path(__file__).parents[2], check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL
    found = recovered(shop)
    landed = (point, when) in {("commit", "after"), ("RecordOutcome", "before")}
    assert shop.rows(TOTALS)[0] == ((1, 11) if landed else (1, 10))
    begun = landed or point == "commit"
    assert [each.state for each in found] == (
        ["landed" if landed else "not-landed"] if begun else []
    )
    assert recovered(shop) == ()
    # Nothing is held by who is gone: somebody else writes.
    shop.run("UPDATE orders SET total = 5 WHERE id = 1")


def test_a_row_that_others_hold_is_waited_for_and_then_refused(shop: Shop) -> None:
    with holding(shop) as other:
        target = impatient(shop, waiting=0.05)
        with pytest.raises(GroundwireError) as caught:
            attempt(shop, UPDATE, target)
        assert caught.value.reason == "database-busy"
        other("COMMIT")
    assert shop.rows(TOTALS)[0] == (1, 77)


@contextmanager
def holding(shop: Shop) -> Iterator[Callable[[str], object]]:
    """Somebody else's transaction, in which the first order is written, and which is open."""
    assert isinstance(shop, SqliteShop | PostgresShop)
    connection: Any = shop.connect()
    try:
        connection.execute("BEGIN")
        connection.execute("UPDATE orders SET total = 77 WHERE id = 1")
        yield connection.execute
    finally:
        connection.close()


def test_while_it_is_judged_nobody_else_changes_what_was_read(shop: Shop) -> None:
    assert isinstance(shop, SqliteShop | PostgresShop)
    tried = attempt(shop, UPDATE)
    other: Any = shop.connect()
    if shop.dialect == "postgresql":
        other.execute("SET lock_timeout = '50ms'")
    with pytest.raises(Exception, match="lock"):
        other.execute("UPDATE orders SET total = 77 WHERE id = 1")
    other.close()
    tried.commit(GRANT, AT)
    assert shop.rows(TOTALS)[0] == (1, 11)


def test_a_statement_that_takes_too_long_is_ended_and_nothing_stands(shop: Shop) -> None:
    target = impatient(shop, seconds=0.2)
    if shop.dialect == "sqlite":
        text = "WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) INSERT INTO audit SELECT 'x', n FROM r"
    else:
        text = "UPDATE orders SET total = (SELECT count(*) FROM generate_series(1, 1000000000))"
    with pytest.raises(GroundwireError) as caught:
        attempt(shop, text, target)
    assert caught.value.reason == "statement-timed-out"
    assert shop.rows(TOTALS) == BEFORE


@pytest.mark.slow
def test_a_row_that_another_transaction_changed_first_is_refused(postgres: PostgresShop) -> None:
    """REPEATABLE READ: what was read before is not what would be changed."""
    with holding(postgres) as other:
        reasons: list[str] = []

        def run() -> None:
            try:
                attempt(postgres, "UPDATE orders SET total = total + 1 WHERE id = 1")
            except GroundwireError as error:
                reasons.append(error.reason)

        thread = threading.Thread(target=run)
        thread.start()
        waited(postgres)
        other("COMMIT")
        thread.join(30)
    assert reasons == ["database-busy"]
    assert postgres.rows(TOTALS)[0] == (1, 77)


@pytest.mark.slow
def test_of_two_that_wait_for_one_another_ours_is_refused(postgres: PostgresShop) -> None:
    postgres.run(
        "CREATE FUNCTION swapped() RETURNS void LANGUAGE plpgsql AS $$ BEGIN"
        " UPDATE orders SET total = 0 WHERE id = 2; UPDATE orders SET total = 0 WHERE id = 1;"
        " END $$"
    )
    with holding(postgres) as other:
        other("SET deadlock_timeout = '1min'")
        reasons: list[str] = []

        def run() -> None:
            try:
                postgres.target().attempt(unread(postgres, "SELECT swapped()"), ())
            except GroundwireError as error:
                reasons.append(error.reason)

        thread = threading.Thread(target=run)
        thread.start()
        waited(postgres)
        other("UPDATE orders SET total = 78 WHERE id = 2")
        thread.join(30)
        other("COMMIT")
    assert reasons == ["database-busy"]
    assert postgres.rows(TOTALS)[:2] == [(1, 77), (2, 78)]


def waited(shop: PostgresShop) -> None:
    """Somebody waits for a lock."""
    asked_for = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    assert any(shop.rows(asked_for) != [(0,)] for _ in range(3000)), "nobody waits"
