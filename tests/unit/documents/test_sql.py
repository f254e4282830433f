"""What a statement did, as bytes that a receipt has digests of."""

from __future__ import annotations

import json

import msgspec
import pytest

from groundwire.documents.sql import (
    RowChange,
    SchemaChange,
    Statement,
    TableChange,
    Work,
    contents_of,
    postgresql_root,
)

STATEMENT = Statement(text="x", dialect="sqlite", parts=())
ROWS = TableChange(
    table="orders", inserted=0, updated=2, deleted=0, more=1, digest="sha256:" + "0" * 64,
    shown=(RowChange(before='{"id":1}', after='{"id":2}'),),
)  # fmt: skip
TABLE = SchemaChange(thing="table", name="orders", table="orders", before=None, after="id int")
INDEX = SchemaChange(thing="index", name="i", table="orders", before=None, after="on id")
replace = msgspec.structs.replace


def work(*tables: TableChange, schema: tuple[SchemaChange, ...] = ()) -> Work:
    return Work(database="shop", statement=STATEMENT, ran=True, tables=tables, schema=schema)


def lines(content: bytes | None) -> list[object]:
    assert content is not None
    return [json.loads(line) for line in content.splitlines()]


def test_rows_stand_before_and_after_with_how_many_changed() -> None:
    (content,) = contents_of(work(ROWS))
    assert (content.table, content.kind) == ("orders", "changed")
    assert lines(content.before) == [{"id": 1}]
    assert lines(content.after) == [
        {"id": 2},
        {"deleted": 0, "digest": ROWS.digest, "inserted": 0, "more": 1, "updated": 2},
    ]


@pytest.mark.parametrize(
    "other",
    [
        replace(ROWS, digest="sha256:" + "1" * 64),
        replace(ROWS, updated=3),
        replace(ROWS, inserted=1),
        replace(ROWS, deleted=1),
        replace(ROWS, more=2),
        replace(ROWS, table="lines"),
        replace(ROWS, shown=()),
    ],
)
def test_another_change_has_other_bytes(other: TableChange) -> None:
    assert contents_of(work(other)) != contents_of(work(ROWS))


def test_a_table_of_which_no_row_changed_is_no_change() -> None:
    assert contents_of(work(replace(ROWS, updated=0))) == ()


def test_a_table_that_comes_is_created_and_one_that_goes_is_deleted() -> None:
    gone = replace(TABLE, before="id int", after=None)
    renewed = replace(TABLE, before="id int")
    (came,) = contents_of(work(ROWS, schema=(TABLE,)))
    assert (came.kind, came.before) == ("created", None)
    (went,) = contents_of(work(ROWS, schema=(gone,)))
    assert (went.kind, went.after) == ("deleted", None)
    assert {"deleted", "digest"} <= set(lines(went.before)[-1])  # type: ignore[call-overload] -- an object
    (changed,) = contents_of(work(schema=(renewed,)))
    assert changed.kind == "changed"


def test_what_belongs_to_a_table_changes_it_and_stands_in_one_order() -> None:
    second = replace(INDEX, name="j")
    (content,) = contents_of(work(schema=(second, INDEX)))
    assert content.kind == "changed"
    assert content == contents_of(work(schema=(INDEX, second)))[0]
    assert [each["name"] for each in lines(content.after)] == ["i", "j"]  # type: ignore[index] -- objects


def test_tables_stand_once_each_in_order_of_name() -> None:
    found = contents_of(work(ROWS, replace(ROWS, table="audit"), schema=(INDEX,)))
    assert [each.table for each in found] == ["audit", "orders"]


@pytest.mark.parametrize(
    ("host", "name", "root"),
    [
        ("db.example", "shop", "postgresql/db.example/5432/shop"),
        ("/var/run", "shop", "postgresql/%2Fvar%2Frun/5432/shop"),
        ("db", "a/b%", "postgresql/db/5432/a%2Fb%25"),
    ],
)
def test_a_database_is_named_by_host_port_and_name(host: str, name: str, root: str) -> None:
    assert postgresql_root(host, 5432, name) == root
