"""What would be said of a statement before it runs: by its text alone, or tried and taken back."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundwire.audit.deciding.asking import Answer, Asker
from groundwire.authority.places import PolicyPin
from groundwire.authority.policy import decode_policy
from groundwire.session.guarding.guard import Guard
from tests.databases import SqliteShop
from tests.unit.session.guarding.calls import LONG_AGO, call

POLICY = """
[tools.query]
effect = "write"
target = {{ sql = "shop" }}

[databases.shop]
dialect = "sqlite"
path = "{path}"

[[guard.environments]]
name = "test"
pattern = "{path}"
"""


@pytest.fixture
def shop(tmp_path: Path) -> SqliteShop:
    return SqliteShop(tmp_path / "data")


def answer(shop: SqliteShop, text: str, *, stage: bool = False, said: str = "") -> Answer:
    policy = decode_policy(POLICY.format(path=shop.root) + said, "policy")
    guard = Guard(policy, shop.path.parent, PolicyPin.of(None), lambda: LONG_AGO)
    return Asker(policy, guard, LONG_AGO, stage=stage).ask(call("query", statement=text))


@pytest.mark.parametrize("stage", [False, True])
@pytest.mark.parametrize(
    ("text", "says", "rule"),
    [
        ("SELECT * FROM orders", "allow", "default/no-change"),
        ("DELETE FROM orders", "approve", "default/every-row"),
        ("DROP TABLE audit", "approve", "default/schema-change"),
        ("SELECT evil(1)", "approve", "default/undecided-statement"),
        ("VACUUM", "approve", "default/non-atomic"),
    ],
)
def test_what_is_held_by_its_text_is_held_whether_it_is_tried_or_not(
    shop: SqliteShop, text: str, says: str, rule: str, stage: bool
) -> None:
    asked = answer(shop, text, stage=stage)
    assert asked.says == says
    assert asked.environment == "test"
    assert asked.ruling is not None
    assert rule in asked.ruling.decision.rules
    assert shop.rows("SELECT count(*) FROM orders") == [(3,)]


def test_what_its_rows_decide_is_not_judged_by_its_text(shop: SqliteShop) -> None:
    asked = answer(shop, "UPDATE orders SET total = 1 WHERE id = 1")
    assert (asked.says, asked.reason) == ("not-judged", "not-run-here")


def test_tried_it_is_judged_by_its_rows_and_nothing_of_it_stands(shop: SqliteShop) -> None:
    asked = answer(shop, "UPDATE orders SET total = 1 WHERE id = 1", stage=True)
    assert asked.says == "allow"
    assert {name.path for name in asked.names} == {"orders", "audit"}
    held = answer(
        shop,
        "UPDATE orders SET total = 1 WHERE id < 3",
        stage=True,
        said='\n[[guard.rules]]\nid = "one"\ndecide = "deny"\nrows_over = 1\n',
    )
    assert held.says == "deny"
    assert shop.rows("SELECT total FROM orders ORDER BY id") == [(10,), (20,), (30,)]


def test_arguments_that_hold_no_statement_are_refused(shop: SqliteShop) -> None:
    policy = decode_policy(POLICY.format(path=shop.root), "policy")
    guard = Guard(policy, shop.path.parent, PolicyPin.of(None), lambda: LONG_AGO)
    asked = Asker(policy, guard, LONG_AGO).ask(call("query", other="SELECT 1"))
    assert (asked.says, asked.reason) == ("refused", "arguments-do-not-fit")


def test_of_a_server_that_is_not_reached_the_text_decides(
    shop: SqliteShop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SHOP_DSN", raising=False)
    said = (
        '[tools.query]\neffect = "write"\ntarget = { sql = "shop" }\n'
        '[databases.shop]\ndialect = "postgresql"\ndsn_from = "SHOP_DSN"\nenvironment = "test"\n'
        '[[guard.environments]]\nname = "test"\npattern = "postgresql/**"\n'
    )
    policy = decode_policy(said, "policy")
    guard = Guard(policy, shop.path.parent, PolicyPin.of(None), lambda: LONG_AGO)
    asker = Asker(policy, guard, LONG_AGO)
    assert asker.ask(call("query", statement="SELECT 1")).says == "allow"
    asked = asker.ask(call("query", statement="DELETE FROM orders"))
    assert (asked.says, asked.environment) == ("approve", "production")
    assert asked.ruling is not None
    assert asked.ruling.decision.rules == ("default/every-row",)
