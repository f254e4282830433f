"""A migration that only makes indexes, and everything else that a migration may be."""

from __future__ import annotations

import pytest

from groundwire.authority.ruling.engines.migrations import MigrationEngine


@pytest.mark.parametrize(
    "text",
    [
        "CREATE INDEX a ON t (b);\n",
        "-- faster\ncreate index concurrently if not exists a on s.t (b desc, c)",
        'CREATE INDEX "a b" ON "t" ("c");;\n\n',
        "CREATE INDEX a ON t (b);\nCREATE INDEX c ON t (d ASC);",
    ],
)
def test_plain_indexes_of_columns_change_nothing(text: str) -> None:
    found = MigrationEngine().judge(None, text.encode())
    assert (found.severity, found.rules) == ("compatible", ("index-added",))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-- CREATE INDEX a ON t (b);",
        "CREATE UNIQUE INDEX a ON t (b);",
        "CREATE INDEX a ON t (lower(b));",
        "CREATE INDEX a ON t (b) WHERE c > 1;",
        "CREATE INDEX a ON t USING gin (b);",
        "CREATE INDEX a ON t (b); DROP TABLE t;",
        "CREATE INDEX a ON t (b) /* ; */ ; DELETE FROM t",
        "CREATE INDEX a ON t (b)\n; -- x\nDROP TABLE t",
        "CREATE INDEX a ON t (b) -- x\r; DROP TABLE t",
        "CREATE TABLE t (a int);",
        "CREATE INDEX ä ON t (b);",
        "CREATE INDEX a ON t (b);" + " " * 70_000,
    ],
)
def test_whatever_else_it_is_is_undecided(text: str) -> None:
    assert MigrationEngine().judge(None, text.encode()).severity == "undecided"


def test_a_migration_that_changes_or_goes_is_undecided() -> None:
    plain = b"CREATE INDEX a ON t (b);"
    assert MigrationEngine().judge(plain, plain + plain).severity == "undecided"
    assert MigrationEngine().judge(plain, None).severity == "undecided"
    assert MigrationEngine().judge(None, b"\xff").severity == "undecided"
