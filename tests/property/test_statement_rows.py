"""What a statement of SQLite is said to have done to rows is what the tables themselves show."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.documents.sql import Part, Statement
from groundwire.errors import GroundwireError
from groundwire.targets.sql.attempting import Attempt
from groundwire.targets.sql.rows import row_of
from groundwire.targets.sql.target import SqlTarget
from tests.databases import target_of

TABLES = (
    "CREATE TABLE a (id integer PRIMARY KEY, n, t text)",
    "CREATE TABLE b (k text, n, PRIMARY KEY (k)) WITHOUT ROWID",
    "CREATE TABLE c (n, a_id integer REFERENCES a (id) ON DELETE SET NULL ON UPDATE CASCADE)",
)
TRIGGERS = (
    "CREATE TRIGGER t1 AFTER UPDATE ON a BEGIN UPDATE c SET n = NEW.n WHERE a_id = NEW.id; END",
    "CREATE TRIGGER t2 AFTER DELETE ON b BEGIN INSERT INTO c VALUES (OLD.k, NULL); END",
    "CREATE TRIGGER t3 AFTER INSERT ON c BEGIN DELETE FROM b WHERE k = NEW.n; END",
)
cell = st.one_of(
    st.integers(-3, 3), st.none(), st.sampled_from(["", "x", "ä'"]), st.floats(allow_nan=False),
    st.binary(max_size=3),
)  # fmt: skip
number = st.integers(0, 4)
statement = st.one_of(
    st.tuples(st.just("INSERT OR IGNORE INTO a VALUES (?, ?, ?)"), st.tuples(number, cell, cell)),
    st.tuples(st.just("UPDATE a SET n = ?, t = ? WHERE id >= ?"), st.tuples(cell, cell, number)),
    st.tuples(st.just("UPDATE OR IGNORE a SET id = id + ? WHERE id < ?"), st.tuples(number, number)),
    st.tuples(st.just("DELETE FROM a WHERE id = ?"), st.tuples(number)),
    st.tuples(st.just("INSERT OR IGNORE INTO b VALUES (?, ?)"), st.tuples(st.sampled_from("xyz"), cell)),
    st.tuples(st.just("UPDATE b SET n = ?"), st.tuples(cell)),
    st.tuples(st.just("DELETE FROM b WHERE k <> ?"), st.tuples(st.sampled_from("xyz"))),
    st.tuples(st.just("INSERT INTO c VALUES (?, NULL)"), st.tuples(st.sampled_from("xyz"))),
    st.tuples(st.just("DELETE FROM c"), st.just(())),
    st.tuples(st.just("INSERT INTO c SELECT n, id FROM a WHERE id > ?"), st.tuples(number)),
)  # fmt: skip


def everything(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table, by another connection."""
    connection = sqlite3.connect(path)
    try:
        return {
            table: sorted(connection.execute(f"SELECT * FROM {table}").fetchall(), key=repr)
            for table in "abc"
        }
    finally:
        connection.close()


def told(tried: Attempt, columns: dict[str, list[str]], side: str) -> dict[str, list[str]]:
    """The texts of rows as they were, or as they become, of every table."""
    found: dict[str, list[str]] = {table: [] for table in columns}
    for change in tried.work.tables:
        assert change.more == 0
        assert change.digest
        texts = [getattr(row, side) for row in change.shown]
        found[change.table] = sorted(text for text in texts if text is not None)
    return found


def as_text(row: tuple[Any, ...], columns: list[str]) -> str:
    return row_of(columns, row).text


def carried_out(
    target: SqlTarget, read: Statement, parameters: tuple[Any, ...], grant: str
) -> Attempt | str:
    """The statement, committed; or why nothing of it stands."""
    try:
        tried = target.attempt(read, parameters)
        tried.commit(grant, "")
    except GroundwireError as error:
        return error.reason
    return tried


@settings(deadline=None, max_examples=60)
@given(st.lists(statement, min_size=1, max_size=8), st.sets(st.sampled_from(TRIGGERS)))
def test_rows_told_are_the_difference_of_the_tables(
    statements: list[tuple[str, tuple[Any, ...]]], triggers: set[str]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "shop.db")
        connection = sqlite3.connect(path)
        for text in (*TABLES, *sorted(triggers)):
            connection.execute(text)
        connection.commit()
        connection.close()
        target = target_of(
            {"name": "shop", "dialect": "sqlite", "path": str(path), "rows_shown": 1000}
        )
        target.make_table()
        columns = {"a": ["id", "n", "t"], "b": ["k", "n"], "c": ["n", "a_id"]}
        for place, (text, parameters) in enumerate(statements):
            read = Statement(text=text, dialect="sqlite", parts=(Part(kind="other"),))
            before = everything(path)
            tried = carried_out(target, read, parameters, f"{place:032x}")
            if isinstance(tried, str):
                assert tried == "statement-failed"
                assert everything(path) == before
                continue
            after = everything(path)
            assert tried.work.unseen == ()
            was, becomes = told(tried, columns, "before"), told(tried, columns, "after")
            for table, names in columns.items():
                old = [as_text(row, names) for row in before[table]]
                new = [as_text(row, names) for row in after[table]]
                # What is told goes, what is told comes, and nothing else does.
                left = list(old)
                for row in was[table]:
                    left.remove(row)
                assert sorted([*left, *becomes[table]]) == sorted(new)
            assert all(json.loads(text) is not None for rows in was.values() for text in rows)
