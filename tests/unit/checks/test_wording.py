from __future__ import annotations

import pytest

from groundwire.checks.wording import clipped, listed


def test_a_long_value_keeps_eighty_characters() -> None:
    assert clipped("x" * 80) == "x" * 80
    assert clipped("x" * 81) == "x" * 79 + "…"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("  db-7 ", "db-7"),
        ("a\nb", r"a\nb"),
        ("a\x1b[31mb", r"a\x1b[31mb"),
        ("a\u202eb", r"a\u202eb"),
        ("a\ud800b", r"a\ud800b"),
        ("a\u200bb", r"a\u200bb"),
        ("café 東京", "café 東京"),
    ],
)
def test_what_cannot_be_printed_is_escaped(value: str, shown: str) -> None:
    assert clipped(value) == shown


def test_escapes_do_not_make_a_value_longer_than_its_clip() -> None:
    assert len(clipped("\x1b" * 200)) == 80


def test_names_are_listed_in_words() -> None:
    assert listed(["a"]) == "`a`"
    assert listed(["a", "b"], "or") == "`a` or `b`"
    assert listed(map(str, range(7))) == "`0`, `1`, `2`, `3`, `4` and 2 more"
    assert listed([]) == ""
