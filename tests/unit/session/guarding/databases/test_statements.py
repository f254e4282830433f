"""A statement through the guard: judged by what it does to rows, committed with its grant, proven."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from groundwire.attest.receipts import read_receipt
from groundwire.documents.governing import GuardRules
from groundwire.documents.outcome import Executed
from groundwire.documents.sql import SqlArguments
from groundwire.errors import GroundwireError
from groundwire.session.guarding.recovering import undo
from groundwire.session.guarding.result import GuardedResult
from groundwire.session.guarding.ways.sql import SqlText, databases_of, statement_of
from groundwire.stores.keys import KeyStore, default_folder
from tests.approving import ADA, answered
from tests.databases import Shop, SqliteShop
from tests.hands import verified
from tests.unit.session.guarding.calls import Place, call, state_folder, word
from tests.unit.session.guarding.databases.workplace import asked, place

TOTALS = "SELECT id, total FROM orders ORDER BY id"
BEFORE = [(1, 10), (2, 20), (3, 30)]
GRANTS = "SELECT state FROM groundwire_grants"


def dispatched(at: Place, folder: Path, *calls: Any) -> GuardedResult:
    """The last of the calls, in one run whose recording verifies."""
    path = folder / "run.gw"
    with at.project.session(path):
        results = [at.table().dispatch(each) for each in calls]
    assert verified(path) == ""
    return results[-1]


def only(shop: Shop) -> str:
    return "?" if shop.dialect == "sqlite" else "$1"


def test_a_row_of_no_production_is_updated_unasked_and_its_receipt_holds(
    shop: Shop, tmp_path: Path
) -> None:
    at = place(shop, tmp_path)
    text = f"UPDATE orders SET total = {only(shop)} WHERE id = 1"
    result = dispatched(at, tmp_path, asked(text, [11]))
    assert word(result) == "executed"
    assert shop.rows(TOTALS)[0] == (1, 11)
    assert json.loads(str(result.value)) == {"changed": 1}
    assert isinstance(result.value, SqlText)
    assert result.value.changed == 1
    assert isinstance(result.outcome, Executed)
    assert {(each.name.path, each.seen) for each in result.outcome.observed} == {
        ("orders", "token-match"), ("audit", "token-match"),
    }  # fmt: skip
    assert shop.rows(GRANTS) == [("landed",)]
    assert result.receipt is not None
    receipt, _ = read_receipt(result.receipt, KeyStore(default_folder(os.environ)).keyring())
    assert [each.name.kind for each in receipt.asked.changes] == ["sql", "sql"]
    assert [each.name.root for each in receipt.asked.changes] == [shop.root] * 2
    assert receipt.asked.environment == "test"
    assert at.ran == []


def test_a_delete_of_every_row_is_not_done_without_a_person(shop: Shop, tmp_path: Path) -> None:
    at = place(shop, tmp_path)
    result = dispatched(at, tmp_path, asked("DELETE FROM orders"))
    assert word(result) == "refused: approval-unavailable"
    assert shop.rows(TOTALS) == BEFORE
    assert shop.rows(GRANTS) == []
    assert result.value is None


def test_what_a_trigger_does_to_another_table_is_judged_too(shop: Shop, tmp_path: Path) -> None:
    rules = [{"id": "no-audit", "decide": "deny", "tables": ["audit"]}]
    at = place(shop, tmp_path, rules=rules)
    result = dispatched(at, tmp_path, asked("UPDATE orders SET total = 1 WHERE id = 1"))
    assert word(result) == "refused: decision-denied"
    assert shop.rows(TOTALS) == BEFORE


def test_a_person_allows_what_was_shown_and_it_is_done(shop: Shop, tmp_path: Path) -> None:
    seen: list[Any] = []

    def look() -> None:
        # Nothing is held open while a person thinks: somebody else writes.
        shop.run("UPDATE customers SET name = 'Cyd' WHERE id = 2")
        seen.append(shop.rows(TOTALS))
        answered(ADA)

    at = place(shop, tmp_path, ADA, acts=(look,))
    result = dispatched(at, tmp_path, asked("UPDATE orders SET total = 0"))
    assert seen == [BEFORE]
    assert word(result) == "executed"
    assert [total for _, total in shop.rows(TOTALS)] == [0, 0, 0]


def test_what_changed_while_a_person_thought_is_not_done(shop: Shop, tmp_path: Path) -> None:
    def change() -> None:
        shop.run("INSERT INTO orders VALUES (4, 40, NULL, 2)")
        answered(ADA)

    at = place(shop, tmp_path, ADA, acts=(change,))
    result = dispatched(at, tmp_path, asked("UPDATE orders SET total = 0"))
    assert word(result) == "refused: state-drifted"
    assert shop.rows(TOTALS) == [*BEFORE, (4, 40)]
    assert shop.rows(GRANTS) == []


def test_the_same_statement_may_be_run_again_under_another_grant(
    shop: Shop, tmp_path: Path
) -> None:
    at = place(shop, tmp_path)
    text = "UPDATE orders SET total = total + 1 WHERE id = 1"
    assert word(dispatched(at, tmp_path, asked(text), asked(text, call_id="c2"))) == "executed"
    assert shop.rows(TOTALS)[0] == (1, 12)
    assert len(shop.rows(GRANTS)) == 2


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("UPDATE orders SET total = 1 WHERE id = 1; COMMIT", "statement-refused"),
        ("COMMIT", "statement-refused"),
        ("DELETE FROM groundwire_grants WHERE id = 'a'", "protected-place"),
        ("UPDATE nowhere SET a = 1 WHERE id = 1", "statement-failed"),
        ("INSERT INTO orders VALUES (1, 1, NULL, 1)", "statement-failed"),
    ],
)
def test_what_may_not_or_cannot_run_is_refused_and_nothing_stands(
    shop: Shop, tmp_path: Path, text: str, reason: str
) -> None:
    at = place(shop, tmp_path)
    assert word(dispatched(at, tmp_path, asked(text))) == f"refused: {reason}"
    assert shop.rows(TOTALS) == BEFORE


def test_rows_are_given_to_the_model_only_of_what_stands(shop: Shop, tmp_path: Path) -> None:
    at = place(shop, tmp_path)
    text = "DELETE FROM orders WHERE id = 3 RETURNING id"
    result = dispatched(at, tmp_path, asked(text))
    assert word(result) == "executed"
    assert isinstance(result.value, SqlText)
    assert result.value.columns == ("id",)
    assert [[str(cell) for cell in row] for row in result.value.rows] == [["3"]]
    assert [[str(cell) for cell in row] for row in json.loads(result.value)["rows"]] == [["3"]]


def test_a_database_that_is_not_declared_or_has_no_table_of_ours_runs_nothing(
    shop: Shop, tmp_path: Path
) -> None:
    text = "UPDATE orders SET total = 1 WHERE id = 1"
    at = place(shop, tmp_path, databases=[])
    assert word(dispatched(at, tmp_path, asked(text))) == "refused: unknown-database"
    shop.run("DROP TABLE groundwire_grants")
    at = place(shop, tmp_path / "other")
    assert word(dispatched(at, tmp_path / "other", asked(text))) == "refused: grants-table-missing"
    assert shop.rows(TOTALS) == BEFORE


def test_what_no_transaction_holds_is_asked_and_runs_once_it_was_allowed(
    shop: Shop, tmp_path: Path
) -> None:
    at = place(shop, tmp_path)
    assert word(dispatched(at, tmp_path, asked("VACUUM"))) == "refused: approval-unavailable"
    assert shop.rows(GRANTS) == []
    other = tmp_path / "other"
    at = place(shop, other, ADA, acts=(lambda: answered(ADA),))
    assert word(dispatched(at, other, asked("VACUUM"))) == "executed"
    assert shop.rows(GRANTS) == [("landed",)]


def test_under_a_profile_that_only_observes_the_tools_own_code_runs_it(
    shop: Shop, tmp_path: Path
) -> None:
    at = place(shop, tmp_path, profile="observe/1")
    result = dispatched(at, tmp_path, asked("DELETE FROM orders"))
    assert word(result) == "passed: observe"
    assert at.ran == [("sql", {"statement": "DELETE FROM orders"})]
    assert shop.rows(TOTALS) == BEFORE


async def test_an_async_host_runs_statements_off_its_loop(shop: Shop, tmp_path: Path) -> None:
    at = place(shop, tmp_path)
    text = "UPDATE orders SET total = 1 WHERE id = 1"
    async with at.project.session(tmp_path / "run.gw"):
        result = await at.table().adispatch(asked(text))
    assert word(result) == "executed"
    assert shop.rows(TOTALS)[0] == (1, 1)


def test_a_call_that_does_not_fit_is_refused_without_the_database(
    shop: Shop, tmp_path: Path
) -> None:
    at = place(shop, tmp_path)
    for wrong in (
        call("sql"), call("sql", statement=5), call("sql", statement="SELECT \0"),
        call("sql", statement="SELECT 1", parameters="x"),
        call("sql", statement="SELECT 1", parameters=[2**63]),
        call("sql", statement="SELECT 1", parameters=["\0"]),
    ):  # fmt: skip
        with at.project.session():
            result = at.table().dispatch(wrong)
        assert word(result) == "refused: arguments-do-not-fit"


def test_a_database_that_is_the_guards_own_is_no_target(tmp_path: Path) -> None:
    shop = SqliteShop(tmp_path / "data")
    at = place(shop, tmp_path)
    text = "UPDATE orders SET total = 1 WHERE id = 1"
    dispatched(at, tmp_path, asked(text))
    own = state_folder() / "grants.sqlite"
    assert own.exists()
    declared = [{"name": "shop", "dialect": "sqlite", "path": str(own)}]
    at = place(shop, tmp_path / "other", databases=declared)
    result = dispatched(at, tmp_path / "other", asked("DELETE FROM grants WHERE id = 'a'"))
    assert word(result) == "refused: protected-place"


def test_rows_that_hold_a_secret_of_a_kind_are_not_given(shop: Shop, tmp_path: Path) -> None:
    secret = (
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA"
        + "a" * 64
        + "\n-----END RSA PRIVATE KEY-----"
    )
    shop.run(f"UPDATE customers SET name = '{secret}' WHERE id = 1")
    at = place(shop, tmp_path, deny_read_kinds=["private-key"])
    result = dispatched(at, tmp_path, asked("SELECT name FROM customers"))
    assert word(result) == "refused: denied-to-read"
    assert "MIIE" not in f"{result.value} {result.message}"


def test_a_committed_statement_is_not_undone_by_its_receipt(tmp_path: Path) -> None:
    shop = SqliteShop(tmp_path / "data")
    at = place(shop, tmp_path)
    with at.project.session(tmp_path / "run.gw") as run:
        result = at.table().dispatch(asked("UPDATE orders SET total = 1 WHERE id = 1"))
        assert isinstance(result.outcome, Executed)
        guard = at.project.run_guard(run)
        assert guard is not None
        with pytest.raises(GroundwireError) as caught:
            undo(guard, result.outcome.receipt)
    assert caught.value.reason == "statement-not-undone"
    assert shop.rows(TOTALS)[0] == (1, 1)


def test_half_of_a_character_is_no_statement(shop: Shop) -> None:
    target = shop.target()
    with pytest.raises(GroundwireError) as caught:
        statement_of(SqlArguments(database="shop"), {"statement": "SELECT '\ud800'"}, target)
    assert caught.value.reason == "arguments-do-not-fit"


def test_databases_of_a_policy_without_any_know_none(tmp_path: Path) -> None:
    with pytest.raises(GroundwireError) as caught:
        databases_of(GuardRules(), tmp_path).named("shop")
    assert caught.value.reason == "unknown-database"
