"""Splitting: an answer cut into sentences, with what it does not itself say masked.

Fenced and inline code, block quotes, text in quotation marks and thinking aloud keep their places
and lose their letters in `masked`, so a rule that reads `masked` never judges a quotation. English
punctuation; what it cannot tell apart stays one sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

_FENCE = re.compile(
    r"^[ \t]*(```|~~~)[^\n]*\n(?:.*?\n)??[ \t]*\1[ \t]*$|^[ \t]*(?:```|~~~).*\Z", re.M | re.S
)
_THINKING = re.compile(r"<(think|thinking|scratchpad|reasoning)>.*?(?:</\1>|\Z)", re.S | re.I)
# A letter within an answer, from its greeting to its close, and fields of something shown.
_DRAFT = re.compile(
    r"(?<=\n)[ \t>*_]*(?:subject:|dear |hi |hello |to whom )[^\n]*\n.*?"
    r"(?:^[ \t>*_]*(?:best|kind|warm|sincerely|regards|thanks|thank you|cheers|yours)\b[^\n]*$|\Z)",
    re.M | re.S | re.I,
)
_FIELD = re.compile(
    r"^[ \t>*_+\-\u2022]*(?:body|message|content|text|description|subject|comment|notes?|title|"
    r"reason|quote|excerpt|from|details)\b[*_ ]*:[^\n]*$",
    re.M | re.I,
)
_MASKS: tuple[tuple[tuple[str, ...], re.Pattern[str]], ...] = (
    (("```", "~~~"), _FENCE),
    (("<",), _THINKING),
    (("\n",), _DRAFT),
    ((":",), _FIELD),
    ((">",), re.compile(r"^[ \t]*>[^\n]*$", re.M)),
    (("`",), re.compile(r"`[^`\n]+`")),
    (
        ('"', "\u201c", "\u00ab"),
        re.compile(
            r"\"[^\"\n]{1,400}\"|\u201c[^\u201d\n]{1,400}\u201d|\u00ab[^\u00bb\n]{1,400}\u00bb"
        ),
    ),
    (
        ("'", "\u2018"),
        re.compile(r"(?<!\w)['\u2018](?=\w)[^'\u2018\u2019\n]{1,200}(?<=[\w.!?])['\u2019](?!\w)"),
    ),
)
_SHOWN = re.compile(r"\S")
_END = re.compile(r"[.!?]+[\"'\u201d\u2019)*_]*(?=\s|$)|\n+")
# What stands before a full stop that ends no sentence: a letter, a title, the number of an item.
_NO_END = re.compile(r"(?:(?:^|[^\w])(?:[A-Za-z]|No|Mr|Ms|Dr|Mrs|e\.g|i\.e|etc)|(?:^|\s)\d\d?)$")
_HEAD = re.compile(r"^(?:[\s>#|*_+\-\u2022\u2705\u2714\u2713]|\d{1,2}[.)]\s)+")


class Sentence(msgspec.Struct, frozen=True, gc=False):
    """A sentence as it stands at `start` of the answer; `masked` has the same length."""

    text: str
    masked: str
    start: int

    @property
    def asks(self) -> bool:
        """Whether it is a question."""
        return self.text.rstrip(" *_\"'\u201d)").endswith("?")


def masked(text: str) -> str:
    """The text with low lines for everything that somebody else said, or that is code."""
    for marks, pattern in _MASKS:
        for mark in marks:
            if mark in text:
                text = pattern.sub(_blank, text)
                break
    return text


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of an answer, in order, without the marks of lists and headings before them."""
    hidden = masked(text)
    start = 0
    for end in _ends(hidden):
        head = _HEAD.match(text[start:end])
        begin = start + (head.end() if head else 0)
        if text[begin:end].strip():
            yield Sentence(text[begin:end].rstrip(), hidden[begin:end].rstrip(), begin)
        start = end


def _ends(hidden: str) -> Iterator[int]:
    for found in _END.finditer(hidden):
        here = found.start()
        if hidden[here] != "." or not _NO_END.search(hidden, max(0, here - 5), here):
            yield found.end()
    yield len(hidden)


def _blank(found: re.Match[str]) -> str:
    return _SHOWN.sub("_", found[0])
