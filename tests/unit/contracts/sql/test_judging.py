"""What a statement's work is, one effect each, and how grave each of them is."""

from __future__ import annotations

import pytest

from groundwire.contracts.sql.judging import MANY, Effect, effects_of
from groundwire.documents.governing import Severity
from groundwire.documents.sql import RowChange, SchemaChange, TableChange, Thing
from tests.unit.authority.guarding.statements import rows, work

UPDATE = "UPDATE orders SET a = 1 WHERE id = 1"


def found(*tables: TableChange, text: str = UPDATE, **said: object) -> list[Effect]:
    return list(effects_of(work(text, *tables, **said)))  # type: ignore[arg-type] -- as given


def abouts(*tables: TableChange, text: str = UPDATE, **said: object) -> list[str]:
    return [each.about for each in found(*tables, text=text, **said)]


def test_a_statement_that_only_reads_has_no_effect() -> None:
    assert found(text="SELECT * FROM orders") == []
    assert found(text="EXPLAIN DELETE FROM orders") == []


def test_a_table_without_a_changed_row_has_none() -> None:
    assert abouts(rows("orders")) == ["statement"]


def test_each_kind_of_change_of_rows_is_told_by_itself_and_all_together() -> None:
    change = rows("orders", deleted=2, inserted=1)
    effects = [each for each in found(change, text="DELETE FROM orders") if each.rows]
    assert [(each.about, each.statements, each.rows) for each in effects] == [
        ("rows", ("insert",), 1),
        ("rows", ("delete", "delete-all"), 2),
        ("all-rows", (), 3),
    ]
    assert {(each.table, each.severity) for each in effects} == {("orders", "none")}


def test_one_kind_of_change_is_not_told_again_of_all() -> None:
    assert abouts(rows("orders", updated=3)) == ["statement", "rows"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (rows("orders", updated=MANY + 1), [("update",)]),
        (rows("orders", updated=MANY + 1, deleted=1), [("update",)]),
        (rows("orders", updated=MANY + 1, deleted=MANY + 1), [("update",), ("delete",)]),
        (rows("orders", updated=MANY, deleted=1), [()]),
    ],
)
def test_many_rows_are_told_of_the_kind_that_they_are_of(
    change: TableChange, told: list[tuple[str, ...]]
) -> None:
    assert [each.statements for each in found(change) if each.about == "many-rows"] == told


@pytest.mark.parametrize(
    ("text", "deleted", "inserted"),
    [
        ("MERGE INTO orders USING b ON orders.i = b.i WHEN MATCHED THEN DELETE", "merge", "merge"),
        ("TRUNCATE orders", "truncate", ""),
        ("UPDATE orders SET a = 1 WHERE id = 1", "", ""),
        ("CREATE TABLE orders AS SELECT 1", "", "create"),
    ],
)
def test_a_change_of_rows_is_spoken_of_by_what_makes_it(
    text: str, deleted: str, inserted: str
) -> None:
    (gone,) = [each for each in found(rows("orders", deleted=1), text=text) if each.rows]
    (came,) = [each for each in found(rows("orders", inserted=1), text=text) if each.rows]
    assert "".join(gone.statements[1:]) == deleted
    assert "".join(came.statements[1:]) == inserted


def test_rows_of_a_table_that_the_statement_does_not_name_are_told_as_such() -> None:
    effect = found(rows("audit", inserted=1))[-1]
    assert effect.statements == ("insert",)
    assert "does not name" in effect.says
    assert "does not name" not in found(rows("orders", updated=1))[-1].says


@pytest.mark.parametrize(("count", "many"), [(MANY, False), (MANY + 1, True)])
def test_many_rows_are_more_than_a_number(count: int, many: bool) -> None:
    assert ("many-rows" in abouts(rows("orders", updated=count))) is many


@pytest.mark.parametrize(("count", "many"), [(MANY // 2, False), (MANY // 2 + 1, True)])
def test_many_rows_in_all_are_told_once_and_of_no_table(count: int, many: bool) -> None:
    effects = found(rows("orders", updated=count), rows("lines", updated=count))
    told = [each for each in effects if each.about == "many-rows"]
    assert [(each.table, each.rows) for each in told] == ([("", 2 * count)] if many else [])


def test_many_rows_of_one_table_are_not_told_again_of_all() -> None:
    effects = found(rows("orders", updated=MANY + 1), rows("lines", updated=1))
    assert [each.table for each in effects if each.about == "many-rows"] == ["orders"]


def test_a_table_of_many_rows_hides_no_others_that_have_many_together() -> None:
    half = MANY // 2 + 1
    tables = (rows("a", updated=half), rows("b", updated=half), rows("c", updated=MANY + 1))
    told = [each.table for each in found(*tables) if each.about == "many-rows"]
    assert sorted(told) == ["", "c"]


@pytest.mark.parametrize(
    ("deleted", "updated", "before", "told"),
    [
        (11, 0, 11, ["delete-all"]),
        (0, 11, 11, ["update-all"]),
        (10, 0, 10, []),
        (10, 0, 11, []),
        (5, 6, 11, []),
        (11, 0, None, []),
    ],
)
def test_every_row_of_more_than_a_few_is_told_whatever_the_condition(
    deleted: int, updated: int, before: int | None, told: list[str]
) -> None:
    effects = found(rows("orders", deleted=deleted, updated=updated, before=before))
    every = [each for each in effects if each.about == "every-row"]
    assert [each.statements[0] for each in every] == told
    assert {each.severity for each in every} <= {"breaking"}


def test_rows_that_could_not_be_read_are_told() -> None:
    assert "unread-rows" in abouts(rows("orders", updated=1, digest=""))
    assert "unread-rows" not in abouts(rows("orders", updated=1))


def test_shown_rows_stand_in_what_a_person_sees_with_how_many_more_there_are() -> None:
    change = TableChange(
        table="orders", inserted=0, updated=3, deleted=0, digest="d", more=2,
        shown=(RowChange(before='{"id":1}', after='{"id":2}'),),
    )  # fmt: skip
    says = found(change)[-1].says
    assert '- {"id":1}\n+ {"id":2}' in says
    assert "and 2 rows more" in says


def test_codes_of_the_text_and_of_what_was_not_measured_are_told_once_each() -> None:
    effects = found(text="SELECT evil(1)", unseen=("x-y", "x-y"))
    (effect,) = [each for each in effects if each.about == "undecided"]
    assert effect.statements == ("undecided",)
    assert effect.says.count("x-y") == 1
    assert "sql-function" in effect.says
    assert "evil" in effect.says


def test_what_no_transaction_holds_is_told() -> None:
    assert "non-atomic" in abouts(text="VACUUM")
    assert "non-atomic" not in abouts()
    assert "non-atomic" not in abouts(ran=False)


def test_what_did_not_run_to_be_judged_is_undecided() -> None:
    (effect,) = [each for each in found(ran=False) if each.about == "undecided"]
    assert "sql-not-tried" in effect.says
    assert "undecided" not in abouts()
    assert "undecided" not in abouts(text="VACUUM")


def test_what_leaves_the_transaction_is_told() -> None:
    assert "ends-transaction" in abouts(text="COMMIT")
    assert "ends-transaction" not in abouts()


@pytest.mark.parametrize(
    ("thing", "name", "before", "after", "severity", "statements"),
    [
        ("table", "orders", None, "id", "compatible", ("create",)),
        ("table", "orders", "id", None, "breaking", ("drop",)),
        ("column", "note", "text", None, "breaking", ("drop", "alter")),
        ("column", "note", None, "text", "compatible", ("create", "alter")),
        ("column", "note", "text", "int", "risky", ("alter",)),
        ("index", "i", "a", None, "compatible", ("drop", "alter")),
        ("privilege", "bob", None, "ALL", "exposure", ("grant",)),
    ],
)  # fmt: skip
def test_a_definition_that_changes_is_as_grave_as_what_is_gone(
    thing: Thing,
    name: str,
    before: str | None,
    after: str | None,
    severity: Severity,
    statements: tuple[str, ...],
) -> None:
    change = SchemaChange(thing=thing, name=name, table="orders", before=before, after=after)
    effect = found(schema=(change,))[-1]
    assert effect.about == ("grant" if thing == "privilege" else "schema")
    assert (effect.severity, effect.statements, effect.table) == (severity, statements, "orders")


@pytest.mark.parametrize(
    "table", ["groundwire_grants", '"GroundWire_Grants"', "other.groundwire_grants"]
)
def test_our_own_table_is_found_among_rows_and_definitions(table: str) -> None:
    gone = SchemaChange(thing="table", name=table, table=table, before="a", after=None)
    index = SchemaChange(thing="trigger", name=table, table="orders", before=None, after="x")
    assert abouts(rows(table, deleted=1))[0] == "protected"
    assert abouts(schema=(gone,))[0] == "protected"
    assert abouts(schema=(index,))[0] == "protected"
    assert abouts(text=f"SELECT * FROM {table}")[:1] == ["protected"]


def test_what_is_estimated_of_a_table_that_goes_is_told() -> None:
    gone = SchemaChange(
        thing="table", name="orders", table="orders", before="a", after=None, told="about 50 rows"
    )
    assert found(schema=(gone,))[-1].says == "table orders: a becomes none; about 50 rows"
