"""Where the lines of a text begin is found without counting anew, whatever is in it."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from groundwire.contracts.reading import plain_text
from groundwire.contracts.reading.plain_text import Lines, place

PIECES = st.sampled_from(["a", "bb" * 3, "\n", "é", "\U0001f600", "x" * 17, "\r", "\r\n"])


@given(st.lists(PIECES, max_size=30), st.integers(1, 9))
@example(["x" * 17, "é", "x" * 17], 4)
@example(["\n", "x" * 17, "\n"], 1)
def test_a_place_is_what_counting_from_the_beginning_says(pieces: list[str], block: int) -> None:
    text = "".join(pieces).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_text, "_BLOCK", block)
        lines = Lines(text)
        starts = [at for at in range(len(text)) if text[at] & 0xC0 != 0x80]
        for at in (*starts, len(text)):
            if text[at - 1 : at + 1] != b"\r\n":
                assert lines.place(at) == place(text, at)
