"""Statements that are something else than they look like, in a real database of SQLite."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

import groundwire as gw
from tests.adversarial.attack import Attack, add, attack
from tests.adversarial.world import World
from tests.databases import SqliteShop

_ASKED: Final = "asked: approval-unavailable"
_NOT_RUN: Final = "refused: statement-refused"
_PROTECTED: Final = "refused: protected-place"
_ROWS: Final = "SELECT id, total, note FROM orders ORDER BY id"


def _shop(world: World) -> SqliteShop:
    """A shop beside the folder, in an environment that is none of production's, and a tool for it."""
    shop = SqliteShop(Path(world.place.home) / "shop")
    world.policy(
        f'[databases.shop]\ndialect = "sqlite"\npath = "{shop.path}"\n'
        f'[[guard.environments]]\nname = "test"\npattern = "{shop.root}"\n'
    )

    @gw.tool(effect="write", target={"sql": "shop"})
    def query(statement: str) -> str:
        """Runs one statement."""
        raise AssertionError(f"the tool's own code ran: {statement}")

    world.tools(query)
    world.ready()
    return shop


def _tried(statement: str) -> str:
    return " ".join(statement.split())[:70]


def _add(name: str, statement: str, end: str) -> None:
    def deed(world: World) -> str:
        shop = _shop(world)
        before = shop.rows(_ROWS), shop.rows("SELECT count(*) FROM sqlite_master")
        how = world.do("query", statement=statement).word
        assert (shop.rows(_ROWS), shop.rows("SELECT count(*) FROM sqlite_master")) == before
        assert shop.rows("SELECT count(*) FROM groundwire_grants WHERE state = 'landed'") == [(0,)]
        return how

    add(Attack("statements", f"statement, {name}", _tried(statement), (end,), deed))


for _name, _statement, _end in (
    ("every row without a condition", "DELETE FROM orders", _ASKED),
    ("a condition that always holds", "DELETE FROM orders WHERE id = 1 OR 1 = 1", _ASKED),
    ("a deed behind a semicolon", "SELECT 1; DELETE FROM orders", _NOT_RUN),
    ("a deed behind an open comment", "SELECT 1 /* /* */ ; DELETE FROM orders --", _NOT_RUN),
    ("it ends its transaction first", "COMMIT", _NOT_RUN),
    ("a conflict that rolls back", "INSERT OR ROLLBACK INTO orders (id) VALUES (1)", _NOT_RUN),
    ("code that is loaded", "SELECT load_extension('/tmp/evil.so')", _ASKED),
    ("a schema that is written as rows", "PRAGMA writable_schema = 1", _ASKED),
    ("a file that is attached", "ATTACH '/tmp/other.db' AS other", _ASKED),
    ("a copy in another file", "VACUUM INTO '/tmp/copy-of-the-shop.db'", _ASKED),
    ("a table that is renamed away", "ALTER TABLE orders RENAME TO gone", _ASKED),
    ("a trigger for later", "CREATE TRIGGER t AFTER INSERT ON audit BEGIN DELETE FROM orders; END", _ASKED),
    ("the table of grants", "DELETE FROM groundwire_grants", _PROTECTED),
    ("the table of grants in another case", 'UPDATE "GroundWire_Grants" SET state = 1', _PROTECTED),
    ("the table of grants renamed", "ALTER TABLE groundwire_grants RENAME TO gone", _PROTECTED),
    ("a view over the table of grants", "CREATE VIEW v AS SELECT * FROM groundwire_grants", _PROTECTED),
):  # fmt: skip
    _add(_name, _statement, _end)


@attack("statements", "statement, a trigger on another table",
        "UPDATE of one row", _ASKED)  # fmt: skip
def _(world: World) -> str:
    shop = _shop(world)
    shop.run(
        "INSERT INTO audit SELECT 'seen', value FROM json_each('[1,2,3,4,5,6,7,8,9,10,11,12]')",
        "CREATE TRIGGER hidden AFTER UPDATE ON orders BEGIN DELETE FROM audit; END",
    )
    how = world.do("query", statement="UPDATE orders SET note = 'x' WHERE id = 1").word
    assert shop.rows("SELECT count(*) FROM audit WHERE what = 'seen'") == [(12,)]
    assert shop.rows("SELECT note FROM orders WHERE id = 1") == [("first",)]
    return how


@attack("statements", "statement, a trigger on the table of grants",
        "UPDATE of one row", _PROTECTED, "refused: statement-failed")  # fmt: skip
def _(world: World) -> str:
    shop = _shop(world)
    shop.run(
        "CREATE TRIGGER hidden AFTER UPDATE ON orders BEGIN DELETE FROM groundwire_grants; END"
    )
    how = world.do("query", statement="UPDATE orders SET note = 'x' WHERE id = 1").word
    assert shop.rows("SELECT note FROM orders WHERE id = 1") == [("first",)]
    return how


@attack("statements", "statement, the same file under another name",
        "a link of the agent's to production's file", _ASKED)  # fmt: skip
def _(world: World) -> str:
    shop = _shop(world)
    production = SqliteShop(Path(world.place.home) / "production")
    shop.path.unlink()
    shop.path.symlink_to(production.path)
    how = world.do("query", statement="UPDATE orders SET note = 'x' WHERE id = 1").word
    with sqlite3.connect(production.path) as connection:
        (note,) = connection.execute("SELECT note FROM orders WHERE id = 1").fetchone()
    connection.close()
    assert note == "first"
    return how
