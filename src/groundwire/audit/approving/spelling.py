r"""Spelling: what a stranger wrote, in characters that are what they look like, and can be told from ours.

A character that does not show, moves or turns what stands around it, joins another one, or may be
taken for another stands as `\u{202e}`, its number. Nothing is lost: from the lines the text can be
told again, character for character. Every line of it has a mark before it, which none of ours has.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from groundwire.audit.approving.lookalikes import LOOKALIKES

BEGINS: Final = "| "
GOES_ON: Final = ": "
CONTINUED: Final = "¬"
TAB: Final = "⇥"
"""Before a line of a stranger's, before the rest of one that was too long, after one that goes on in
the next, and for a tab. Where one of the last two stands in the text itself, it is spelled out."""

NARROWEST: Final = 14
"""So many columns are used at least: a terminal that has fewer breaks lines by itself."""

_WORD: Final = re.compile(r"\w+")
_TOKEN: Final = re.compile(r"\\u\{[0-9a-f]+\}|.", re.DOTALL)
_LITERAL: Final = re.compile(r"\\(?=u\{)")
_TRAILING: Final = re.compile(r" +\Z")
_TURNED: Final = frozenset({"R", "AL", "AN"})
_EASTERN: Final = frozenset({"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "IDEOGRAPHIC"})
_OURS: Final = frozenset((CONTINUED, TAB))
# Letters and symbols that show nothing: a filler, blanks of braille and of music, a placeholder.
_BLANK: Final = frozenset("\u3164\u2800\U0001d159\ufffc")
# Parts of Korean syllables, which a terminal joins to one.
_JOINING: Final = ((0x1100, 0x11FF), (0xA960, 0xA97F), (0xD7B0, 0xD7FF))


def marked(lines: Iterable[str], columns: int) -> Iterator[str]:
    """A stranger's lines, whole, in marked ones of at most `columns`; a line feed in one is spelled.

    Ambiguous characters count as two columns, as some terminals show them.
    """
    room = max(columns, NARROWEST) - len(BEGINS)
    for line in lines:
        told = spelled(line)
        if told.isascii() and len(told) <= room:
            yield f"{BEGINS}{told}".rstrip(" ")
            continue
        mark = BEGINS
        *before, last = _folded(told, room)
        for piece in before:
            yield f"{mark}{piece}{CONTINUED}"
            mark = GOES_ON
        yield f"{mark}{last}".rstrip(" ")


def lines_of(text: str) -> tuple[str, ...]:
    """The lines of a text of several; none of an empty one."""
    return tuple(text.split("\n")) if text else ()


def spelled(line: str) -> str:
    """One line, without its end, in characters that are what they look like.

    In a word of letters of several scripts, and in one that could be written with ASCII letters that
    look the same, each letter that is none of ASCII is spelled out. Does not tell that ASCII
    characters look like one another, nor a word of one script from one of another that is no
    ASCII.
    """
    told = _LITERAL.sub(lambda _: number_of("\\"), line)
    if not told.isascii():
        told = _WORD.sub(lambda found: _word(found[0]), told)
    if not (told.isascii() and told.isprintable()):
        told = "".join(map(_character, told))
    return _TRAILING.sub(lambda found: number_of(" ") * len(found[0]), told)


def number_of(character: str) -> str:
    """The character by its number in Unicode."""
    return f"\\u{{{ord(character):x}}}"


def width(text: str) -> int:
    """How many columns the text takes, where each of its characters takes one or two."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(each) in "WFA" else 1 for each in text)


def _word(word: str) -> str:
    if word.isascii():
        return word
    scripts = {_script(each) for each in word if each.isalpha()} - {""}
    foreign = scripts - {"LATIN", "eastern"}
    if not foreign:
        return word
    letters = [each for each in word if each.isalpha()]
    if len(scripts) == 1 and not all(each in LOOKALIKES for each in letters):
        return word
    return "".join(each if each.isascii() else number_of(each) for each in word)


@cache
def _character(character: str) -> str:
    if character == "\t":
        return TAB
    return number_of(character) if _deceives(character) else character


def _deceives(character: str) -> bool:
    if character.isascii():
        return not character.isprintable()
    category = unicodedata.category(character)
    return (
        not character.isprintable()
        or category[0] in "MCZ"
        or category == "Nd"
        or unicodedata.bidirectional(character) in _TURNED
        or unicodedata.normalize("NFKC", character) != character
        or character in _OURS
        or character in _BLANK
        or any(first <= ord(character) <= last for first, last in _JOINING)
        or (character in LOOKALIKES and _script(character) in ("", "LATIN", "eastern"))
    )


@cache
def _script(character: str) -> str:
    """The first word of a letter's name, which is its script; "" of what is no letter."""
    if not character.isalpha():
        return ""
    first = unicodedata.name(character, "?").replace("-", " ").split(" ", 1)[0]
    return "eastern" if first in _EASTERN else first


def _folded(told: str, room: int) -> Iterator[str]:
    """Pieces that fit, each but the last with room for the mark that it goes on; at least one.

    A number is not cut in two.
    """
    piece, used = "", 0
    tokens: list[str] = _TOKEN.findall(told)
    left = width(told)
    for token in tokens:
        size = width(token)
        fits = used + size <= (room if used + left <= room else room - 1)
        if piece and not fits:
            yield piece
            piece, used = "", 0
        piece += token
        used += size
        left -= size
    yield piece
