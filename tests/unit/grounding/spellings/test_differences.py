from __future__ import annotations

import pytest

from groundwire.grounding.spellings.differences import FOLDS, differences


@pytest.mark.parametrize(
    ("value", "text", "steps"),
    [
        ("db-7", "the db-7 host", ()),
        (" db-7 ", "the db-7 host", ()),
        ("DB-7", "the db-7 host", ("case",)),
        ("north  gate", "hall north\ngate", ("white-space",)),
        ("caf\u00e9", "cafe\u0301", ("unicode",)),
        ("D:\\x", "D:\\\\x", ("escapes",)),
        ("d:\\x", "D:\\\\x", ("case", "escapes")),
        ("db-9", "db-7", FOLDS),
    ],
)
def test_only_the_steps_that_it_takes_are_named(
    value: str, text: str, steps: tuple[str, ...]
) -> None:
    assert differences(value, text) == steps
