"""Bounding: how long a statement runs, how long a value is, how much is given out.

SQLite looks whether it is to stop between the steps of a statement, and never within a function. So
values are kept short where a function takes the square of their length. It stays possible to spend a
few seconds in one step.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from groundwire.targets.sql.port import Bounds
from groundwire.targets.sql.rows import Cell

_SLOW: Final = frozenset({"instr", "replace", "trim", "ltrim", "rtrim", "like", "glob"})
_PATTERN: Final = 1_000


def bound(connection: sqlite3.Connection, called: set[str], bounds: Bounds) -> None:
    """No value is longer from here on than what the functions that are called get along with."""
    longest = bounds.slow if called & _SLOW else bounds.cell
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, longest)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, _PATTERN)


@contextmanager
def interrupted(connection: sqlite3.Connection, seconds: float) -> Iterator[None]:
    """Within, SQLite is told to stop once so many seconds are over; never afterwards."""
    timer = threading.Timer(seconds, connection.interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


def fetched(cursor: sqlite3.Cursor, bounds: Bounds) -> tuple[list[tuple[Cell, ...]], bool]:
    """The rows that are given out, and whether there are more."""
    rows: list[tuple[Cell, ...]] = []
    size = 0
    if not cursor.description:
        return rows, False
    for row in cursor:
        size += sum(len(cell) for cell in row if isinstance(cell, str | bytes))
        if len(rows) >= bounds.given or size > bounds.size:
            return rows, True
        rows.append(row)
    return rows, False
