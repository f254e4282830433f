"""What a policy says of databases, of tools that run statements in them, and of rules about these."""

from __future__ import annotations

import pytest

from groundwire.authority.policy import decode_policy, policy_document
from groundwire.documents.policy import Policy
from groundwire.documents.sql import DatabaseDeclaration, SqlArguments
from groundwire.errors import PolicyError

TOOL = '[tools.query]\neffect = "write"\ntarget = { sql = "shop" }\n'
SHOP = '[databases.shop]\ndialect = "sqlite"\npath = "shop.db"\n'
SERVER = '[databases.shop]\ndialect = "postgresql"\ndsn_from = "SHOP_DSN"\n'


def read(*said: str) -> Policy:
    return decode_policy("\n".join(said), "policy")


def refusal(*said: str) -> PolicyError:
    with pytest.raises(PolicyError) as caught:
        read(*said)
    return caught.value


def test_a_database_is_read_with_its_defaults() -> None:
    assert read(TOOL, SHOP).guard.databases == (
        DatabaseDeclaration(name="shop", dialect="sqlite", path="shop.db"),
    )
    assert read(SERVER).guard.databases == (
        DatabaseDeclaration(name="shop", dialect="postgresql", dsn_from="SHOP_DSN"),
    )


def test_a_database_is_read_with_all_that_is_said() -> None:
    said = f'{SHOP}rows_shown = 0\nenvironment = "production"\nfunctions = ["a", "b.c"]\n'
    (found,) = read(said).guard.databases
    assert (found.rows_shown, found.environment) == (0, "production")
    assert found.functions == ("a", "b.c")


def test_a_tool_is_read_with_the_names_of_its_arguments() -> None:
    target = '{ sql = "shop", statement = "text", parameters = "values" }'
    policy = read(TOOL.replace('{ sql = "shop" }', target), SHOP)
    assert policy.tools[0].target == SqlArguments(
        database="shop", statement="text", parameters="values"
    )


def test_databases_and_rules_about_them_are_part_of_the_policys_document() -> None:
    rule = '[[guard.rules]]\nid = "a"\ndecide = "deny"\ntables = ["orders"]\n'
    documents = [policy_document(read(*said)) for said in ((TOOL, SHOP), (TOOL, SHOP, rule))]
    assert documents[0] != documents[1]
    assert documents[0] != policy_document(read(TOOL, SHOP.replace("shop.db", "other.db")))


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (TOOL, "unknown-database"),
        (TOOL + SHOP.replace("shop", "shops"), "unknown-database"),
        (SHOP.replace("sqlite", "mysql"), "unknown-choice"),
        (SHOP.replace('path = "shop.db"', ""), "missing-setting"),
        (SERVER.replace('dsn_from = "SHOP_DSN"', ""), "missing-setting"),
        (SHOP.replace('dialect = "sqlite"', ""), "missing-setting"),
        (SHOP + 'dsn_from = "SHOP_DSN"\n', "bad-database"),
        (SERVER + 'path = "shop.db"\n', "bad-database"),
        (SERVER.replace("SHOP_DSN", "postgres://ada:secret@db/shop"), "bad-database"),
        (SERVER.replace("SHOP_DSN", "1SHOP"), "bad-database"),
        (SHOP.replace("databases.shop", 'databases."Shop 1"'), "bad-name"),
        (SHOP + "rows_shown = 1001\n", "out-of-range"),
        (SHOP + "rows_shown = -1\n", "out-of-range"),
        (SHOP + 'environment = "stagin"\n', "unknown-environment"),
        (SHOP + 'password = "x"\n', "unknown-setting"),
        (SHOP + "functions = []\n", "empty-declaration"),
        (SHOP + 'functions = ["a.b.c"]\n', "bad-database"),
        (SHOP + 'functions = ["A"]\n', "bad-database"),
        (SHOP + 'functions = ["*"]\n', "bad-database"),
        ('[databases]\nshop = "shop.db"\n', "wrong-type"),
        (TOOL.replace('"write"', '"read"') + SHOP, "contradictory-target"),
        (TOOL.replace('"shop" }', '"shop", path = "a" }') + SHOP, "bad-target"),
        (TOOL.replace('sql = "shop"', 'sql = "shop", shell = "a"') + SHOP, "bad-target"),
    ],
)
def test_what_cannot_be_meant_is_refused(said: str, reason: str) -> None:
    assert refusal(said).reason == reason


def test_no_secret_that_was_written_is_told_again() -> None:
    error = refusal(SERVER.replace("SHOP_DSN", "postgres://ada:secret@db/shop"))
    assert "secret@" not in error.message


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('statements = ["dropp"]', "unknown-choice"),
        ("statements = []", "empty-declaration"),
        ('tables = ["a.b.c"]', "bad-table-pattern"),
        ("tables = ['\"a\"']", "bad-table-pattern"),
        ("rows_over = -1", "out-of-range"),
        ('rows_over = "10"', "wrong-type"),
        ('tables = ["a"]\nchanges = ["changed"]', "contradictory-rule"),
        ('statements = ["drop"]\nartifacts = ["openapi"]', "contradictory-rule"),
        ("rows_over = 1\nlarger_than = 1", "contradictory-rule"),
    ],
)
def test_a_rule_that_cannot_be_meant_is_refused(line: str, reason: str) -> None:
    assert refusal(f'[[guard.rules]]\nid = "a"\ndecide = "deny"\n{line}\n').reason == reason


def test_a_rule_is_read_with_all_that_it_may_say_of_statements() -> None:
    lines = (
        'statements = ["drop", "undecided"]\ntables = ["orders*"]\nrows_over = 0\npaths = ["**"]'
    )
    (rule,) = read(f'[[guard.rules]]\nid = "a"\ndecide = "deny"\n{lines}\n').guard.rules
    assert (rule.statements, rule.tables, rule.rows_over) == (
        ("drop", "undecided"),
        ("orders*",),
        0,
    )
