"""A table that goes is judged with the rows in it: others in their place are another change."""

from __future__ import annotations

import pytest

from groundwire.errors import GroundwireError
from tests.databases import PostgresShop, Shop, server
from tests.unit.targets.sql.test_attempts import AT, GRANT, attempt, attempt_in, paused

GONE = "DROP TABLE audit"
BETWEEN = [
    "INSERT INTO audit VALUES ('more', 3)",
    "UPDATE audit SET what = 'precious' WHERE about = 1",
]


def drifted(shop: Shop, text: str, between: str) -> str:
    tried = paused(attempt(shop, text))
    shop.run(between)
    with pytest.raises(GroundwireError) as caught:
        tried.commit(GRANT, AT)
    return caught.value.reason


@pytest.mark.parametrize("between", BETWEEN)
def test_a_table_does_not_go_with_other_rows_than_were_judged(shop: Shop, between: str) -> None:
    shop.run("INSERT INTO audit VALUES ('a', 1), ('b', 2)")
    assert drifted(shop, GONE, between) == "state-drifted"
    assert len(shop.rows("SELECT * FROM audit")) in (2, 3)


def test_a_table_goes_with_the_rows_that_were_judged(shop: Shop) -> None:
    shop.run("INSERT INTO audit VALUES ('a', 1), ('b', 2)")
    paused(attempt(shop, GONE)).commit(GRANT, AT)
    with pytest.raises(Exception, match="audit"):
        shop.rows("SELECT * FROM audit")


@pytest.fixture
def server_shop(monkeypatch: pytest.MonkeyPatch) -> PostgresShop:
    return PostgresShop(server(), monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("between", BETWEEN)
@pytest.mark.parametrize("text", ["TRUNCATE audit", "DROP TABLE orders, audit CASCADE"])
def test_a_table_is_not_emptied_of_other_rows_than_were_judged(
    server_shop: PostgresShop, text: str, between: str
) -> None:
    server_shop.run("INSERT INTO audit VALUES ('a', 1), ('b', 2)")
    assert drifted(server_shop, text, between) == "state-drifted"


@pytest.mark.slow
def test_a_table_that_a_schema_takes_along_is_judged_with_its_rows(
    server_shop: PostgresShop,
) -> None:
    server_shop.run('CREATE SCHEMA "Old"', 'CREATE TABLE "Old"."order" (t text, id text)')
    tried = paused(attempt(server_shop, 'DROP SCHEMA "Old" CASCADE'))
    server_shop.run("""INSERT INTO "Old"."order" VALUES ('a', 'b')""")
    with pytest.raises(GroundwireError) as caught:
        tried.commit(GRANT, AT)
    assert caught.value.reason == "state-drifted"


@pytest.mark.slow
def test_a_change_that_empties_nothing_is_not_kept_by_new_rows(server_shop: PostgresShop) -> None:
    target = server_shop.target()
    tried = paused(attempt_in(target, server_shop, "ALTER TABLE audit ADD COLUMN more integer"))
    server_shop.run("INSERT INTO audit VALUES ('a', 1)")
    tried.commit(GRANT, AT)
    assert server_shop.rows("SELECT more FROM audit") == [(None,)]
    target.close()
