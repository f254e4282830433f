"""What a statement does is measured in its transaction, and stands with its grant or not at all."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from groundwire.contracts.sql.reading import read_statement
from groundwire.documents.sql import Part, Statement, TableChange
from groundwire.documents.target import Plan
from groundwire.errors import GroundwireError
from groundwire.targets.sql.attempting import Attempt
from groundwire.targets.sql.port import Parameters
from groundwire.targets.sql.target import PLANNED, SqlTarget
from tests.databases import Shop, SqliteShop

GRANT = "0123456789abcdef" * 2
OTHER = "fedcba9876543210" * 2
AT = "2026-03-01T12:00:00.000000Z"
GRANTS = "SELECT id, state FROM groundwire_grants ORDER BY id"
TOTALS = "SELECT id, total FROM orders ORDER BY id"


def attempt(shop: Shop, text: str, parameters: Parameters = ()) -> Attempt:
    return attempt_in(shop.target(), shop, text, parameters)


def attempt_in(target: SqlTarget, shop: Shop, text: str, parameters: Parameters = ()) -> Attempt:
    return target.attempt(read_statement(text, shop.dialect), parameters)


def behind(shop: Shop, text: str) -> Attempt:
    """The statement as if its reading had noticed nothing: the database is what sees it."""
    return shop.target().attempt(unread(shop, text), ())


def paused(tried: Attempt) -> Attempt:
    """It has run and was taken back; what it did is known all the same."""
    tried.pause()
    return tried


def unread(shop: Shop, text: str) -> Statement:
    return Statement(text=text, dialect=shop.dialect, parts=(Part(kind="other"),))


def refusal_behind(shop: Shop, text: str) -> str:
    with pytest.raises(GroundwireError) as caught:
        behind(shop, text).pause()
    return caught.value.reason


def refusal(shop: Shop, text: str, parameters: Parameters = ()) -> str:
    with pytest.raises(GroundwireError) as caught:
        attempt(shop, text, parameters).pause()
    return caught.value.reason


def table(tried: Attempt, name: str) -> TableChange:
    (found,) = (each for each in tried.work.tables if each.table == name)
    return found


def shown(change: TableChange) -> list[tuple[Any, Any]]:
    return [
        tuple(None if side is None else json.loads(side) for side in (row.before, row.after))
        for row in change.shown
    ]  # type: ignore[return-value] -- two sides, as the type says


def first(shop: Shop) -> str:
    return "?" if shop.dialect == "sqlite" else "$1"


def test_an_update_is_shown_with_its_rows_before_and_after_and_stands_only_when_committed(
    shop: Shop,
) -> None:
    tried = attempt(shop, f"UPDATE orders SET total = {first(shop)} WHERE id = 1", (11,))
    change = table(tried, "orders")
    assert (change.inserted, change.updated, change.deleted, change.more) == (0, 1, 0, 0)
    ((before, after),) = shown(change)
    assert (str(before["total"]), str(after["total"])) == ("10", "11")
    assert before["note"] == after["note"] == "first"
    assert shop.rows(TOTALS)[0] == (1, 10)
    result = tried.commit(GRANT, AT)
    assert result.changed == 1
    assert shop.rows(TOTALS)[0] == (1, 11)
    assert shop.rows(GRANTS) == [(GRANT, "landed")]


def test_what_a_trigger_changes_in_another_table_is_counted_and_shown(shop: Shop) -> None:
    tried = attempt(shop, "UPDATE orders SET total = 0 WHERE customer = 1")
    assert {each.table for each in tried.work.tables} == {"orders", "audit"}
    change = table(tried, "audit")
    assert (change.inserted, change.updated, change.deleted) == (2, 0, 0)
    assert sorted(int(after["about"]) for _, after in shown(change)) == [1, 2]
    tried.pause()
    assert shop.rows("SELECT * FROM audit") == []


def test_what_a_cascade_deletes_is_counted_and_shown(shop: Shop) -> None:
    tried = attempt(shop, "DELETE FROM customers WHERE id = 1")
    assert table(tried, "customers").deleted == 1
    change = table(tried, "orders")
    assert change.deleted == 2
    assert sorted(int(before["id"]) for before, _ in shown(change)) == [1, 2]
    tried.pause()
    assert len(shop.rows(TOTALS)) == 3


def test_what_was_not_committed_is_gone_and_locks_nothing(shop: Shop) -> None:
    tried = attempt(shop, "DELETE FROM orders")
    tried.pause()
    shop.run("UPDATE orders SET total = 5 WHERE id = 1")
    assert shop.rows(TOTALS)[0] == (1, 5)
    assert shop.rows(GRANTS) == []


def test_after_a_pause_it_runs_again_and_is_committed_where_it_does_the_same(shop: Shop) -> None:
    tried = attempt(shop, "UPDATE orders SET total = total + 1 WHERE id = 1")
    tried.pause()
    tried.commit(GRANT, AT)
    assert shop.rows(TOTALS)[0] == (1, 11)
    assert shop.rows("SELECT count(*) FROM audit") == [(1,)]


def test_after_a_pause_a_statement_that_does_something_else_by_then_does_nothing(
    shop: Shop,
) -> None:
    tried = attempt(shop, "UPDATE orders SET total = total + 1 WHERE id = 1")
    tried.pause()
    shop.run("UPDATE orders SET total = 50 WHERE id = 1")
    with pytest.raises(GroundwireError) as caught:
        tried.commit(GRANT, AT)
    assert caught.value.reason == "state-drifted"
    assert shop.rows(TOTALS)[0] == (1, 50)
    assert shop.rows(GRANTS) == []


def test_rows_that_are_not_shown_differ_all_the_same(shop: Shop) -> None:
    """Two changes of more rows than are shown: the digest is over all."""
    target = shop.target()
    target.bounds = few(target)
    tried = attempt_in(target, shop, "UPDATE orders SET note = 'x'")
    change = table(tried, "orders")
    assert (len(change.shown), change.more, change.updated) == (1, 2, 3)
    tried.pause()
    shop.run("UPDATE orders SET total = 31 WHERE id = 3")
    with pytest.raises(GroundwireError) as caught:
        tried.commit(GRANT, AT)
    assert caught.value.reason == "state-drifted"


def few(target: SqlTarget) -> Any:
    return msgspec.structs.replace(target.bounds, shown=1)


def test_a_grant_commits_one_statement_and_never_a_second(shop: Shop) -> None:
    attempt(shop, "UPDATE orders SET total = 1 WHERE id = 1").commit(GRANT, AT)
    tried = attempt(shop, "UPDATE orders SET total = 2 WHERE id = 1")
    with pytest.raises(GroundwireError) as caught:
        tried.commit(GRANT, AT)
    assert caught.value.reason == "grant-used"
    assert shop.rows(TOTALS)[0] == (1, 1)


def test_without_our_table_nothing_runs(shop: Shop) -> None:
    shop.run("DROP TABLE groundwire_grants")
    assert refusal(shop, "UPDATE orders SET total = 1 WHERE id = 1") == "grants-table-missing"
    shop.run("CREATE TABLE groundwire_grants (id text)")
    assert refusal(shop, "UPDATE orders SET total = 1 WHERE id = 1") == "grants-table-missing"


def test_our_table_is_made_once(shop: Shop) -> None:
    shop.run("DROP TABLE groundwire_grants")
    assert shop.target().make_table()
    assert not shop.target().make_table()


@pytest.mark.parametrize(
    "text",
    [
        "COMMIT", "ROLLBACK", "BEGIN", "SAVEPOINT a", "RELEASE a", "SELECT 1; DELETE FROM orders",
        "DELETE FROM orders; COMMIT",
    ],
)  # fmt: skip
def test_what_would_leave_the_transaction_never_runs(shop: Shop, text: str) -> None:
    assert refusal(shop, text) == "statement-refused"
    assert len(shop.rows(TOTALS)) == 3


@pytest.mark.parametrize(
    "text",
    [
        "DELETE FROM groundwire_grants",
        "INSERT INTO groundwire_grants VALUES ('a', 'landed', '', '')",
        "SELECT * FROM groundwire_grants",
        "UPDATE Groundwire_Grants SET state = 'void'",
        "DROP TABLE groundwire_grants",
        "ALTER TABLE groundwire_grants ADD COLUMN x text",
    ],
)
def test_our_own_table_is_out_of_reach_whatever_the_text_was_read_as(shop: Shop, text: str) -> None:
    shop.run("INSERT INTO groundwire_grants VALUES ('g', 'landed', '', '')")
    assert refusal(shop, text) == "protected-place"
    assert shop.rows(GRANTS) == [("g", "landed")]


@pytest.mark.parametrize(
    "text",
    [
        "UPDATE nowhere SET a = 1",
        "UPDATE orders SET nothing = 1",
        "UPDTE orders SET total = 1",
        "INSERT INTO orders VALUES (1, 1, NULL, 1)",
        "INSERT INTO orders VALUES (9, 1, NULL, 77)",
        "UPDATE customers SET name = NULL",
    ],
)
def test_what_the_database_refuses_leaves_nothing(shop: Shop, text: str) -> None:
    before = shop.rows(TOTALS)
    with pytest.raises(GroundwireError) as caught:
        attempt(shop, text).commit(GRANT, AT)
    assert caught.value.reason == "statement-failed"
    assert shop.rows(TOTALS) == before
    assert shop.rows(GRANTS) == []


def test_placeholders_that_nothing_stands_for_run_nothing(shop: Shop) -> None:
    text = f"DELETE FROM orders WHERE id = {first(shop)}"
    assert refusal(shop, text) == "arguments-do-not-fit"


def test_a_refusal_quotes_no_row(shop: Shop) -> None:
    shop.run("CREATE UNIQUE INDEX one_note ON orders (note)")
    with pytest.raises(GroundwireError) as caught:
        attempt(shop, "INSERT INTO orders VALUES (9, 1, 'first', 1)")
    assert caught.value.reason == "statement-failed"
    assert "first" not in caught.value.message


def test_rows_are_given_up_to_a_bound_and_it_is_said_that_there_are_more(shop: Shop) -> None:
    values = ", ".join(f"({number}, 'n')" for number in range(10, 310))
    shop.run(f"INSERT INTO customers VALUES {values}")
    result = attempt(shop, "SELECT * FROM customers ORDER BY id").commit(GRANT, AT)
    assert result.columns == ("id", "name")
    assert (len(result.rows), result.more) == (200, True)
    assert [str(cell) for cell in result.rows[0]] == ["1", "Ada"]


def test_a_change_that_gives_rows_back_gives_them_once_it_stands(shop: Shop) -> None:
    result = attempt(shop, "DELETE FROM orders WHERE id = 3 RETURNING id, total").commit(GRANT, AT)
    assert [[str(cell) for cell in row] for row in result.rows] == [["3", "30"]]
    assert [row[0] for row in shop.rows(TOTALS)] == [1, 2]


def test_a_definition_is_shown_before_and_after(shop: Shop) -> None:
    tried = attempt(shop, "ALTER TABLE orders ADD COLUMN colour text")
    assert any(each.table == "orders" and "colour" in (each.after or "") + each.name for each in tried.work.schema)  # fmt: skip
    (content,) = tried.contents
    assert (content.table, content.kind) == ("orders", "changed")
    tried.commit(GRANT, AT)
    assert shop.rows("SELECT colour FROM orders WHERE id = 1") == [(None,)]


def test_a_table_that_is_made_or_dropped_is_created_or_deleted(shop: Shop) -> None:
    made = attempt(shop, "CREATE TABLE fresh (id integer PRIMARY KEY)")
    assert [(each.table, each.kind) for each in made.contents] == [("fresh", "created")]
    made.pause()
    gone = attempt(shop, "DROP TABLE orders")
    assert [(each.table, each.kind) for each in gone.contents] == [("orders", "deleted")]
    gone.pause()


def test_a_table_that_is_made_twice_alike_is_one_change(shop: Shop) -> None:
    """What a server numbers anew each time is not part of what was judged."""
    text = "CREATE TABLE fresh (id integer PRIMARY KEY, n integer DEFAULT 5 CHECK (n > 0))"
    tried = attempt(shop, text)
    tried.pause()
    tried.commit(GRANT, AT)
    assert shop.rows("SELECT count(*) FROM fresh") == [(0,)]


def test_a_statement_that_was_committed_is_told_from_one_that_was_not(shop: Shop) -> None:
    attempt(shop, "UPDATE orders SET total = 1 WHERE id = 1").commit(GRANT, AT)
    target = shop.target()
    landed = target.recover(Plan(write=GRANT, root=PLANNED + shop.root, steps=()))
    assert landed.stands == "after"
    assert target.recover(Plan(write=OTHER, root=PLANNED + shop.root, steps=())).stands == "before"


def test_a_statement_that_was_found_not_to_stand_never_will(shop: Shop) -> None:
    tried = attempt(shop, "UPDATE orders SET total = 1 WHERE id = 1")
    tried.pause()
    plan = Plan(write=GRANT, root=PLANNED + shop.root, steps=())
    assert shop.target().recover(plan).stands == "before"
    with pytest.raises(GroundwireError) as caught:
        tried.commit(GRANT, AT)
    assert caught.value.reason == "grant-used"
    assert shop.rows(TOTALS)[0] == (1, 10)
    assert shop.target().recover(plan).stands == "before"


def test_a_plan_of_another_database_is_not_looked_up_here(shop: Shop) -> None:
    with pytest.raises(GroundwireError) as caught:
        shop.target().recover(Plan(write=GRANT, root=PLANNED + "elsewhere", steps=()))
    assert caught.value.reason == "database-failed"
    assert shop.rows(GRANTS) == []


def test_what_no_transaction_holds_runs_alone_and_its_grant_is_used_before(shop: Shop) -> None:
    tried = attempt(shop, "VACUUM")
    assert (tried.atomic, tried.work.ran, tried.contents) == (False, False, ())
    tried.commit(GRANT, AT)
    assert shop.rows(GRANTS) == [(GRANT, "landed")]
    with pytest.raises(GroundwireError) as caught:
        attempt(shop, "VACUUM").commit(GRANT, AT)
    assert caught.value.reason == "grant-used"


def test_what_ran_alone_and_was_not_seen_to_end_is_unknown(shop: Shop) -> None:
    shop.run(f"INSERT INTO groundwire_grants VALUES ('{GRANT}', 'begun', '', '')")
    with pytest.raises(GroundwireError) as caught:
        shop.target().recover(Plan(write=GRANT, root=PLANNED + shop.root, steps=()))
    assert caught.value.reason == "write-unsettled"


def test_a_row_of_every_type_is_shown_and_reads_the_same_again(shop: Shop) -> None:
    binary = "blob" if isinstance(shop, SqliteShop) else "bytea"
    shop.run(
        f"CREATE TABLE things (id integer PRIMARY KEY, f float, b {binary}, t text, n numeric)"
    )
    hexed = "x'00ff'" if isinstance(shop, SqliteShop) else "'\\x00ff'"
    text = f"INSERT INTO things VALUES (1, 1.5, {hexed}, 'ä\"\n', 12345678901234567)"
    tried = attempt(shop, text)
    ((_, after),) = shown(table(tried, "things"))
    assert "00ff" in str(after["b"])
    assert after["t"] == 'ä"\n'
    assert "12345678901234567" in str(after["n"])
    tried.pause()
    tried.commit(GRANT, AT)
