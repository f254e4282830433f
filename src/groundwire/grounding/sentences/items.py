"""Items: what an answer lists, one to a line or a row, and what would tell one from another."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from groundwire.grounding.sentences.splitting import masked

_ITEM = re.compile(r"^[ \t]*(?:[-*+\u2022\u2013]|\(?\d{1,3}[.):])[ \t]+(?P<item>\S.*)$")
_ROW = re.compile(r"^[ \t]*\|(?P<item>.+)\|[ \t]*$")
_RULE = re.compile(r"^[ \t]*\|[\s|:-]+\|[ \t]*$")
_TOKEN = re.compile(r"[#$\u20ac\u00a3]?[\w@][\w.@:/'\u2019-]*")
# What stands before the first word of a sentence or of a label.
_BEGINS = re.compile(r"(?:^|[.:!?|(\"*_])\s*$")
_FEW = 3


class Item(msgspec.Struct, frozen=True, gc=False):
    """One line of a list. `marks` are its numbers, identifiers and names, as written."""

    text: str
    start: int
    marks: tuple[str, ...]


def items(text: str) -> Iterator[Item]:
    """The items an answer lists, in order. Code is no list; the head of a table is no item."""
    start = 0
    for line, shown in zip(text.splitlines(keepends=True), masked(text).splitlines(), strict=False):
        found = _ITEM.match(shown) or _ROW.match(shown)
        if found and not _RULE.match(shown) and not _is_head(text, start + len(line)):
            item = line[found.start("item") : found.end("item")].strip()
            yield Item(item, start, tuple(_marks(item)))
        start += len(line)


def _is_head(text: str, after: int) -> bool:
    return bool(_RULE.match(text[after:].split("\n", 1)[0]))


def _marks(item: str) -> Iterator[str]:
    """Words that say which one it is: with a digit or an @, or a name.

    A capital letter makes a name within a sentence, and everywhere in an item of a few words.
    """
    is_short = len(item.split()) <= _FEW
    for found in _TOKEN.finditer(item):
        word = found[0].rstrip(".:'\u2019-")
        if any(letter.isdigit() or letter == "@" for letter in word):
            if len(word) > 1:
                yield word
        elif (
            word[:1].isupper()
            and len(word) > 2
            and (is_short or not _BEGINS.search(item[: found.start()]))
        ):
            yield word
