"""Patterns of tables, and names as they are spelled."""

from __future__ import annotations

import pytest

from groundwire.contracts.sql.tables import is_pattern, is_table, names
from groundwire.documents.sql import spelled_table


@pytest.mark.parametrize(
    ("table", "pattern"),
    [
        ("orders", "orders"),
        ("orders", "ORDERS"),
        ("orders", "ord*"),
        ("orders", "order?"),
        ("orders", "*"),
        ("orders", "public.orders"),
        ("orders", "main.ord*"),
        ("orders", "*.orders"),
        ("audit.orders", "orders"),
        ("audit.orders", "audit.*"),
        ("audit.orders", "a*.o*"),
        ('"Orders"', "orders"),
        ('"a.b"', "a?b"),
        ('"Audit"."Orders"', "audit.orders"),
        ('"say ""hi"""', "say*hi*"),
    ],
)
def test_a_pattern_names_a_table(table: str, pattern: str) -> None:
    assert is_table(table, pattern)


@pytest.mark.parametrize(
    ("table", "pattern"),
    [
        ("orders", "order"),
        ("orders", "rders"),
        ("orders", "audit.orders"),
        ("audit.orders", "public.orders"),
        ("audit.orders", "audit"),
        ("old_orders", "orders"),
        ('"a.b"', "a.b"),
        ("", "*"),
    ],
)
def test_a_pattern_names_no_other(table: str, pattern: str) -> None:
    assert not is_table(table, pattern)


@pytest.mark.parametrize("text", ["a.b.c", "", ".", "a.", ".a", '"a"', "*" * 9, "a" * 257])
def test_what_is_no_pattern(text: str) -> None:
    assert not is_pattern(text)


@pytest.mark.parametrize(
    ("schema", "name"),
    [("", "a"), ("audit", "a"), ("Au.dit", 'a"b.'), ("", "ä"), ("x", "1"), ("x", "")],
)
def test_a_name_is_told_from_its_spelling(schema: str, name: str) -> None:
    assert names(spelled_table(schema, name)) == (schema, name)


def test_schemas_that_go_without_saying_are_not_said() -> None:
    assert {spelled_table(schema, "a") for schema in ("", "public", "main")} == {"a"}
