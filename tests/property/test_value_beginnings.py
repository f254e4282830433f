"""Where values may begin is looked for first; that must find what trying everywhere finds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from groundwire.grounding.values import moments, words

PIECES = [
    "jan", "January", "sept", "\u017fep", "May", "march", "augu\u017ft", "of", " ", "  ", ",", ".",
    "\n", "-", "/", ":", "2024", "31", "12", "1", "05", "10:30", "10:30:00", "pm", "a.m.", "st", "nd",
    "3rd", "Z", "+02:00", "T", "\u5e74", "\u6708", "\u65e5", "\u0663", "\u00a0", "\u202f", "one",
    "Twenty", "-one", "twenty-one", "first", "half a dozen", "a pair", "hundred", "two hundred and five",
    "third", "ones", "someone", "x", "\u00e9", "\u00df", "\u0130", "_", "#", "$", "\"", "mar 5", "dec. 2",
]  # fmt: skip
texts = st.lists(st.sampled_from(PIECES), max_size=16).map("".join)


@given(texts)
def test_moments_are_those_that_trying_every_character_finds(text: str) -> None:
    everywhere = [
        value for found in moments._MOMENT.finditer(text) for value in moments._values(found)
    ]
    assert list(moments.read_moments(text)) == everywhere


@given(texts)
def test_number_words_are_those_that_trying_every_character_finds(text: str) -> None:
    everywhere = [found.span() for found in words._WORDS.finditer(text)]
    found = [(value.start, value.end) for value in words.read_words(text)]
    # Letters that only case-blind expressions take for others make no word here.
    assert found == everywhere or not text.isascii()
