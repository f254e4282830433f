"""Readers of sentences take any text, and what they say of places is true."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.grounding.sentences.acts import acts
from groundwire.grounding.sentences.channels import imitations
from groundwire.grounding.sentences.items import items
from groundwire.grounding.sentences.quotes import citations, quotes
from groundwire.grounding.sentences.splitting import masked, sentences

PIECES = st.sampled_from(
    ["I have ", "sent ", "it", ". ", "\n", '"', "```\n", "> ", "The page says ", "- ", "| a |", "not ",
     "[1]", "<tool_result>", "find(", ")", "\u201c", "\u201d", "?", "Dear ", "User: ", "7. "]
)  # fmt: skip
TEXTS = st.lists(PIECES | st.text(max_size=6), max_size=25).map("".join)


@settings(deadline=None, max_examples=150)
@given(TEXTS)
def test_every_place_that_a_reader_names_is_there(text: str) -> None:
    assert len(masked(text)) == len(text)
    for sentence in sentences(text):
        assert text[sentence.start :].startswith(sentence.text)
        assert len(sentence.masked) == len(sentence.text)
    for act in acts(text):
        assert act.sentence.text in text
    for quote in quotes(text):
        assert 0 <= quote.start < len(text)
    for item in items(text):
        assert item.text in text
    assert all(0 <= one.start < len(text) for one in imitations(text, ["find"]))
    assert all(number >= 0 for number in citations(text))
