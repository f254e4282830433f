"""What stands in the place of a secret, and what stands beside it."""

from __future__ import annotations

import pytest

from groundwire.grounding.marks import beside_marks, has_mark, touches_mark

MARK = "\u27e6withheld bearer 0123456789ab\u27e7"


def test_only_a_whole_mark_is_one() -> None:
    assert has_mark(f"key {MARK}")
    assert not has_mark("key \u27e6withheld bearer")
    assert not has_mark(f"key \u27e6withheld {'a' * 90}\u27e7")


@pytest.mark.parametrize(
    ("text", "piece", "touched"),
    [
        (f"{MARK} and 4711", "4711", False),
        (f"4711, {MARK}", "4711", False),
        (f"4711{MARK}", "4711", True),
        (f"{MARK}-4711", "4711", True),
        (f"{MARK}", "0123456789ab", True),
        (f"https://ops:{MARK}@petrel-7/x 4711", "petrel-7", True),
        (f"https://ops:{MARK}@petrel-7/x 4711", "4711", False),
        ("4711 \u27e6withheld ", "4711", False),
    ],
)
def test_a_value_is_touched_within_a_mark_and_where_it_is_glued_to_one(
    text: str, piece: str, touched: bool
) -> None:
    start = text.index(piece)
    assert touches_mark(text, start, start + len(piece)) is touched


def test_beside_marks_is_what_is_not_glued_to_one() -> None:
    assert beside_marks(f"a {MARK} b").split() == ["a", "b"]
    assert beside_marks(f"user:{MARK}@host{MARK} b").split() == ["b"]
    assert beside_marks(f"{MARK}{MARK}").split() == []
    assert beside_marks("plain") == "plain"
