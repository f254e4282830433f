"""Whether a change took every row that there was; and numbers at the edge of what is exact."""

from __future__ import annotations

import json

import pytest

from groundwire.targets.sql.rows import row_of
from tests.databases import Shop
from tests.unit.targets.sql.test_attempts import attempt, paused, table


def fill(shop: Shop, count: int) -> None:
    values = ", ".join(f"({number}, 'n')" for number in range(count))
    shop.run("CREATE TABLE items (id integer PRIMARY KEY, word text)")
    shop.run(f"INSERT INTO items VALUES {values}")


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("DELETE FROM items WHERE id >= 0", 50),
        ("UPDATE items SET word = 'm' WHERE id >= 0", 50),
        ("UPDATE items SET word = 'm' WHERE id >= 40", 10),
    ],
)
def test_of_many_changed_rows_it_is_known_whether_they_were_all(
    shop: Shop, text: str, changed: int
) -> None:
    fill(shop, 50)
    change = table(paused(attempt(shop, text)), "items")
    assert max(change.deleted, change.updated) == changed
    assert (change.rows_before == changed) == (changed == 50)


def test_all_but_one_row_are_not_all(shop: Shop) -> None:
    fill(shop, 50)
    change = table(paused(attempt(shop, "DELETE FROM items WHERE id > 0")), "items")
    assert change.deleted == 49
    assert change.rows_before in (None, 50)


def test_rows_that_come_with_the_change_were_not_there_before(shop: Shop) -> None:
    fill(shop, 50)
    event = "AFTER DELETE ON items FOR EACH ROW"
    if shop.dialect == "sqlite":
        shop.run(
            f"CREATE TRIGGER more {event} BEGIN INSERT INTO items VALUES (OLD.id + 100, 'x'); END"
        )
    else:
        shop.run(
            "CREATE FUNCTION more() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            " INSERT INTO items VALUES (OLD.id + 100, 'x'); RETURN OLD; END $$",
            f"CREATE TRIGGER more {event} EXECUTE FUNCTION more()",
        )
    change = table(paused(attempt(shop, "DELETE FROM items WHERE id < 100")), "items")
    assert (change.inserted, change.deleted, change.rows_before) == (50, 50, 50)


@pytest.mark.parametrize("number", [(1 << 53) - 1, 1 << 53, -(1 << 53), 1 << 62])
def test_an_integer_of_any_size_stands_in_a_row(number: int) -> None:
    row = json.loads(row_of(["n"], [number]).text)["n"]
    exact = abs(number) < 1 << 53
    assert row == (number if exact else {"integer": str(number)})
