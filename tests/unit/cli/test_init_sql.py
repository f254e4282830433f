"""`groundwire init --sql NAME` makes the guard's table where a policy's statements run."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

import groundwire as gw
from groundwire.cli.main import run
from groundwire.documents.outcome import Executed

POLICY = """
[tools.sql]
effect = "write"
target = { sql = "shop" }

[databases.shop]
dialect = "sqlite"
path = "shop.db"

[[guard.environments]]
name = "test"
pattern = "%s"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    connection = sqlite3.connect("shop.db")
    connection.execute("CREATE TABLE orders (id integer PRIMARY KEY, total integer)")
    connection.execute("INSERT INTO orders VALUES (1, 10)")
    connection.commit()
    connection.close()
    (tmp_path / "groundwire.toml").write_text(POLICY % (tmp_path / "shop.db"))
    return tmp_path


def test_the_table_is_made_once_and_then_a_statement_of_the_policys_tool_runs(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["init", "--sql", "shop"]) == 0
    assert run(["init", "--sql", "shop"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "made groundwire_grants in shop",
        "there already: groundwire_grants in shop",
    ]
    project = gw.Project("groundwire.toml")

    def sql(statement: str) -> str:
        """Run a statement."""
        return statement

    table = project.guard([sql])
    with project.session(folder / "run.gw"):
        result = table.dispatch(
            ("sql", {"statement": "UPDATE orders SET total = 11 WHERE id = 1"}, "c1")
        )
    assert isinstance(result.outcome, Executed)
    connection = sqlite3.connect("shop.db")
    assert connection.execute("SELECT total FROM orders").fetchall() == [(11,)]
    connection.close()


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["init", "--sql", "nowhere"], 2, "unknown-database"),
        (["init", "--sql", "shop", "run.gw"], 2, "--sql NAME stands alone"),
        (["init", "--sql", "shop", "--effects"], 2, "--sql NAME stands alone"),
    ],
)
def test_what_cannot_be_is_said_and_makes_nothing(
    folder: Path, arguments: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == code
    captured = capsys.readouterr()
    assert said in captured.err + captured.out


def test_a_file_that_is_not_there_is_not_made(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "shop.db").unlink()
    assert run(["init", "--sql", "shop"]) == 3
    assert "database-unreachable" in capsys.readouterr().err
    assert not (folder / "shop.db").exists()
