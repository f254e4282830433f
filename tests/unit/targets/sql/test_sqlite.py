"""SQLite alone: what its authorizer denies, and rows that its triggers do not hear of."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from groundwire.errors import GroundwireError
from tests.databases import SqliteShop, target_of
from tests.unit.targets.sql.test_attempts import (
    AT,
    GRANT,
    TOTALS,
    attempt,
    attempt_in,
    paused,
    refusal_behind,
    shown,
    table,
)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SqliteShop:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return SqliteShop(tmp_path / "data")


@pytest.mark.parametrize(
    "text",
    [
        "ATTACH 'other.db' AS other",
        "DETACH main",
        "CREATE TEMP TABLE gone (a)",
        "CREATE TEMP TRIGGER mine AFTER UPDATE ON orders BEGIN SELECT 1; END",
        "SELECT load_extension('x')",
    ],
)
def test_what_reaches_out_of_the_transaction_or_the_file_is_refused(
    file: SqliteShop, text: str
) -> None:
    assert refusal_behind(file, text) == "statement-refused"
    assert list(Path.cwd().iterdir()) == []


@pytest.mark.parametrize(
    "text", ["VACUUM INTO 'copy.db'", "PRAGMA writable_schema = 1", "PRAGMA temp_store = 2"]
)
def test_what_runs_alone_writes_no_other_file_and_opens_no_way_in(
    file: SqliteShop, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(file.path.parent)
    tried = attempt(file, text)
    assert not tried.atomic
    with pytest.raises(GroundwireError) as caught:
        tried.commit(GRANT, AT)
    assert caught.value.reason == "statement-refused"
    assert [path.name for path in file.path.parent.iterdir()] == ["shop.db"]


def test_a_row_that_gives_way_to_another_is_shown_where_no_trigger_stands_in_the_way(
    file: SqliteShop,
) -> None:
    file.run("CREATE TABLE words (id integer PRIMARY KEY, word text)")
    file.run("INSERT INTO words VALUES (1, 'old'), (2, 'kept')")
    tried = attempt(file, "INSERT OR REPLACE INTO words VALUES (1, 'new')")
    change = table(tried, "words")
    assert (change.inserted, change.updated, change.deleted) == (1, 0, 1)
    assert shown(change) == [({"id": 1, "word": "old"}, {"id": 1, "word": "new"})]
    assert tried.work.unseen == ()
    tried.pause()


def test_a_row_that_gives_way_where_triggers_stand_is_counted_and_not_shown(
    file: SqliteShop,
) -> None:
    """Triggers would run otherwise than they do, were they made to hear of it."""
    change = table(paused(attempt(file, "REPLACE INTO orders VALUES (2, 5, NULL, 1)")), "orders")
    assert (change.inserted, change.updated, change.deleted) == (1, 0, 1)
    assert (change.shown, change.more, change.digest) == ((), 2, "")


def test_what_a_module_writes_is_not_seen_and_that_is_said(file: SqliteShop) -> None:
    file.run("CREATE VIRTUAL TABLE texts USING fts5 (words)")
    tried = attempt(file, "INSERT INTO texts VALUES ('hello')")
    assert "virtual-table" in tried.work.unseen
    tried.commit(GRANT, AT)
    assert file.rows("SELECT words FROM texts") == [("hello",)]


def test_an_explanation_does_and_shows_nothing_of_what_it_explains(file: SqliteShop) -> None:
    tried = attempt(file, "EXPLAIN DELETE FROM orders")
    assert (tried.work.tables, tried.work.schema) == ((), ())
    tried.commit(GRANT, AT)
    assert len(file.rows(TOTALS)) == 3


def test_a_table_that_gets_another_name_loses_no_row(file: SqliteShop) -> None:
    tried = attempt(file, "ALTER TABLE audit RENAME TO log")
    assert tried.work.tables == ()
    assert {each.name for each in tried.work.schema} >= {"audit", "log"}
    tried.pause()


def test_what_goes_with_a_dropped_table_is_counted_and_its_cascade_is_shown(
    file: SqliteShop,
) -> None:
    tried = attempt(file, "DROP TABLE customers")
    assert (table(tried, "customers").deleted, table(tried, "customers").rows_before) == (2, 2)
    assert table(tried, "orders").deleted == 3
    assert len(table(tried, "orders").shown) == 3
    tried.pause()


def test_rows_are_told_apart_without_a_number_of_their_own(file: SqliteShop) -> None:
    file.run(
        "CREATE TABLE pairs (a text, b text, rowid text, PRIMARY KEY (a, b)) WITHOUT ROWID",
        "INSERT INTO pairs VALUES ('1', '2', 'x'), ('2', '1', 'y')",
    )
    change = table(paused(attempt(file, "UPDATE pairs SET rowid = 'z' WHERE a = '2'")), "pairs")
    assert shown(change) == [
        ({"a": "2", "b": "1", "rowid": "y"}, {"a": "2", "b": "1", "rowid": "z"})
    ]


def test_a_row_that_changes_twice_is_shown_once_from_its_beginning_to_its_end(
    file: SqliteShop,
) -> None:
    file.run(
        "CREATE TRIGGER again AFTER UPDATE OF total ON orders WHEN NEW.note IS NULL"
        " BEGIN UPDATE orders SET note = 'changed' WHERE id = NEW.id; END"
    )
    change = table(paused(attempt(file, "UPDATE orders SET total = 0 WHERE id = 2")), "orders")
    ((before, after),) = shown(change)
    assert (before["total"], before["note"]) == (20, None)
    assert (after["total"], after["note"]) == (0, "changed")


def test_of_a_large_file_rows_before_are_not_counted_and_what_replaces_is_not_trusted(
    file: SqliteShop,
) -> None:
    target = file.target()
    target.bounds = msgspec.structs.replace(target.bounds, scanned=0)
    tried = attempt_in(target, file, "UPDATE orders SET total = 1 WHERE id = 1")
    assert table(tried, "orders").rows_before is None
    assert tried.work.unseen == ()
    tried.pause()
    tried = attempt_in(target, file, "REPLACE INTO orders VALUES (2, 5, NULL, 1)")
    assert tried.work.unseen == ("replaced-rows",)
    tried.pause()


def test_more_changed_rows_than_are_read_are_counted(file: SqliteShop) -> None:
    target = file.target()
    target.bounds = msgspec.structs.replace(target.bounds, read=2)
    change = table(paused(attempt_in(target, file, "UPDATE orders SET total = 1")), "orders")
    assert (change.updated, change.shown, change.more, change.digest) == (3, (), 3, "")


def test_a_file_that_is_no_database_is_told(tmp_path: Path) -> None:
    path = tmp_path / "shop.db"
    path.write_bytes(b"no database at all, and long enough to be looked at" * 100)
    with pytest.raises(GroundwireError) as caught:
        target_of({"name": "shop", "dialect": "sqlite", "path": str(path)}).make_table()
    assert caught.value.reason == "database-failed"


def test_a_link_to_a_file_is_the_file(tmp_path: Path) -> None:
    shop = SqliteShop(tmp_path / "data")
    os.symlink(shop.path, tmp_path / "link.db")
    target = target_of({"name": "shop", "dialect": "sqlite", "path": str(tmp_path / "link.db")})
    assert target.root() == shop.root


def test_a_broken_reference_that_waits_for_the_commit_is_refused_there(file: SqliteShop) -> None:
    file.run(
        "CREATE TABLE later (id integer REFERENCES customers (id) DEFERRABLE INITIALLY DEFERRED)"
    )
    tried = attempt(file, "INSERT INTO later VALUES (99)")
    with pytest.raises(GroundwireError) as caught:
        tried.commit(GRANT, AT)
    assert caught.value.reason == "statement-failed"
    assert file.rows("SELECT count(*) FROM later") == [(0,)]
    assert file.rows("SELECT count(*) FROM groundwire_grants") == [(0,)]
