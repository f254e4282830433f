"""What a stranger wrote is shown in characters that are what they look like, and all of it."""

from __future__ import annotations

import re
import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.audit.approving.spelling import (
    BEGINS,
    CONTINUED,
    GOES_ON,
    NARROWEST,
    TAB,
    marked,
    width,
)

HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Mn", "Mc", "Me"}
PIECES = st.sampled_from(
    ["\\u{", "\\u{202e}", "\\", "u{41}", "| ", ": ", CONTINUED, TAB, "\t", " ", "  ", "\u202e", "\u200b",
     "p\u0430ypal", "\u0441\u043e\u0440", "caf\u00e9", "e\u0301\u0302", "\u754c", "\ud800", "\r", "\x1b[2J", "\u2028",
     "\u3164", "\u2800", "\U000e0041", "\U0001f600\ufe0f", "--- Request", "\u05d0b\u05d1", "\uff41", "\u1100\u1161"]
)  # fmt: skip
LINES = st.lists(
    PIECES | st.text(st.characters(exclude_characters="\n"), max_size=8), max_size=12
).map("".join)
TEXTS = st.lists(LINES, min_size=1, max_size=4)
COLUMNS = st.integers(NARROWEST, 60) | st.sampled_from([20, 80])


def told(lines: list[str]) -> list[str]:
    """The lines that are shown so, read back by the words of the legend alone."""
    whole: list[str] = []
    for line in lines:
        if line.startswith(GOES_ON):
            assert whole[-1].endswith(CONTINUED)
            whole[-1] = whole[-1].removesuffix(CONTINUED) + line.removeprefix(GOES_ON)
        else:
            assert line.startswith(BEGINS) or line == BEGINS.rstrip(" ")
            whole.append(line.removeprefix(BEGINS) if line != BEGINS.rstrip(" ") else "")
    return [
        re.sub(
            r"\\u\{([0-9a-f]+)\}", lambda found: chr(int(found[1], 16)), line.replace(TAB, r"\u{9}")
        )
        for line in whole
    ]


@settings(deadline=None, max_examples=300)
@given(TEXTS, COLUMNS)
def test_from_what_is_shown_the_text_can_be_told_again(text: list[str], columns: int) -> None:
    """So no two texts are shown alike, however they differ."""
    assert told(list(marked(text, columns))) == text


@settings(deadline=None, max_examples=300)
@given(TEXTS, COLUMNS)
def test_nothing_shown_hides_moves_joins_or_turns_anything(text: list[str], columns: int) -> None:
    for line in marked(text, columns):
        assert {unicodedata.category(each) for each in line} & HIDDEN == set()
        assert {unicodedata.bidirectional(each) for each in line} & {"R", "AL", "AN"} == set()
        assert unicodedata.normalize("NFKC", line) == line
        assert line.isprintable()
        assert not line.endswith(" ")


@settings(deadline=None, max_examples=300)
@given(TEXTS, COLUMNS)
def test_every_line_fits_the_terminal_and_has_its_mark(text: list[str], columns: int) -> None:
    for line in marked(text, columns):
        assert width(line) <= columns
        assert line.startswith((BEGINS, GOES_ON)) or line == BEGINS.rstrip(" ")


@settings(deadline=None, max_examples=300)
@given(st.characters(min_codepoint=128))
def test_a_character_alone_that_does_not_print_is_a_number(character: str) -> None:
    (line,) = marked([character], 80)
    assert (line == f"{BEGINS}\\u{{{ord(character):x}}}") or character.isprintable()
