"""A statement that would hold a SQLite file, or the memory, for long ends early."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from groundwire.errors import GroundwireError
from tests.databases import SqliteShop
from tests.unit.targets.sql.test_attempts import attempt, attempt_in, paused


@pytest.fixture
def file(tmp_path: Path) -> SqliteShop:
    return SqliteShop(tmp_path / "data")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT instr(hex(zeroblob(500000)), hex(zeroblob(250000)) || '1')",
        "SELECT hex(zeroblob(200000)) LIKE '%' || hex(zeroblob(1000)) || '1'",
        "SELECT length(hex(zeroblob(100000000)))",
    ],
)
def test_a_value_is_no_longer_than_its_functions_get_along_with(
    file: SqliteShop, text: str
) -> None:
    with pytest.raises(GroundwireError) as caught:
        attempt(file, text)
    assert caught.value.reason == "statement-failed"


def test_short_values_are_looked_through(file: SqliteShop) -> None:
    result = attempt(file, "SELECT instr(hex(zeroblob(1000)), '1'), 'abc' LIKE 'a%'").result
    assert result.rows == ((0, 1),)


def test_rows_are_given_as_far_as_their_bytes_go(file: SqliteShop) -> None:
    target = file.target()
    target.bounds = msgspec.structs.replace(target.bounds, size=5000)
    text = "SELECT hex(zeroblob(1000)) FROM orders"
    result = paused(attempt_in(target, file, text)).result
    assert (len(result.rows), result.more) == (2, True)
    assert not paused(attempt(file, text)).result.more


def test_sqlite_is_told_to_stop_by_somebody_beside_it(file: SqliteShop) -> None:
    target = file.target()
    target._clock = lambda: 0.0  # the clock that SQLite's own look at the time is held against
    target.bounds = msgspec.structs.replace(target.bounds, seconds=0.05)
    text = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    with pytest.raises(GroundwireError) as caught:
        attempt_in(target, file, text)
    assert caught.value.reason == "statement-timed-out"
