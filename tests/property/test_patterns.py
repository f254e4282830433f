"""A pattern that is taken never runs long, whatever text it is held against."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from groundwire.authority.reading.patterns import read_pattern
from groundwire.authority.reading.values import Misdeclared

ATOMS = st.sampled_from(["a", "b", "-", "[ab]", "[^a]", ".", r"\w", r"\d", "1", "[a1]", r"\b", "^"])
QUANTIFIERS = st.sampled_from(["", "", "*", "+", "?", "{2}", "{1,3}", "{2,}", "*?", "{0,40}"])
PATTERNS = st.recursive(
    st.tuples(ATOMS, QUANTIFIERS).map("".join),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=4).map("".join)
        | st.tuples(
            st.sampled_from(["(", "(?:"]),
            st.lists(inner, min_size=1, max_size=3).map("|".join),
            st.just(")"),
            QUANTIFIERS,
        ).map("".join)
    ),
    max_leaves=8,
)
TEXTS = st.tuples(
    st.text("ab-1", min_size=1, max_size=4), st.sampled_from(["", "!", "\n", "a", "-"])
)
LONG = 4_000
SECONDS = 5.0


class TookLong(Exception):
    """The clock of the process ran out."""


@contextmanager
def limited() -> Iterator[None]:
    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TookLong

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def taken(pattern: str, *, searched: bool) -> bool:
    try:
        read_pattern(f"/{pattern}/", (), searched=searched)
    except Misdeclared as error:
        assert error.reason in {"bad-pattern", "bad-name"}  # noqa: PT017 -- either way is right here
        return False
    return True


@pytest.mark.skipif(sys.platform == "win32", reason="there is no timer of a process's own time")
@given(pattern=PATTERNS, text=TEXTS, searched=st.booleans())
@settings(max_examples=150, deadline=None)
def test_a_pattern_that_is_taken_never_runs_long(
    pattern: str, text: tuple[str, str], searched: bool
) -> None:
    assume(taken(pattern, searched=searched))
    compiled = re.compile(pattern)
    seed, end = text
    long = seed * (LONG // len(seed)) + end
    with limited():
        compiled.search(long) if searched else compiled.fullmatch(long)


@given(pattern=st.text(max_size=12) | st.text("()[]{}|*+?\\^$.-a1,", max_size=14))
@settings(max_examples=150, deadline=None)
def test_any_text_is_a_pattern_that_compiles_or_is_refused(pattern: str) -> None:
    if taken(pattern, searched=False):
        re.compile(pattern)
