from __future__ import annotations

import pytest

from groundwire.documents.counts import counted


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 runs"), (1, "1 run"), (2, "2 runs"), (1001, "1001 runs")]
)
def test_one_thing_is_not_said_in_the_plural(number: int, words: str) -> None:
    assert counted(number, "run") == words


def test_a_plural_of_its_own_is_used() -> None:
    assert counted(1, "entry", "entries") == "1 entry"
    assert counted(3, "entry", "entries") == "3 entries"
