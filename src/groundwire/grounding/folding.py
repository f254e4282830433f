"""Folding: the one form in which a value and a text are compared.

Lower case (full case folding), NFC, trimmed, one space for each run of white space, typographic
quotes and dashes as their ASCII counterparts, invisible characters gone. Positions do not survive
folding; whoever needs bytes looks the value up again in the text it came from.
"""

from __future__ import annotations

import html
import re
import unicodedata
from functools import lru_cache

# How often a text may be a JSON string inside a JSON string.
MAX_NESTING = 3
_KEPT = 1 << 13

_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
TYPOGRAPHIC = str.maketrans(
    {
        **dict.fromkeys(map(ord, _INVISIBLE), None),
        **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u2032\u02bc"), "'"),
        **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u2033"), '"'),
        **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-"),
    }
)
_TYPOGRAPHIC = [(chr(letter), plain or "") for letter, plain in TYPOGRAPHIC.items()]
_OTHER_CASES = "\u0130\u0131\u017f\u212a"
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")
_ESCAPE = re.compile(
    r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"
    r"|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([\"'\\/bfnrt_*#|~\-\[\]]))"
)
_SHORT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def fold(text: str) -> str:
    """The text as it is compared; two texts are equal if their folds are."""
    if text.isascii():
        if text.isprintable() and "  " not in text:
            return text.lower().strip()
        return " ".join(text.lower().split())
    folded = unicodedata.normalize("NFC", text).casefold()
    # Few stand in any text: to look for each is several times faster than to map every character.
    for letter, plain in _TYPOGRAPHIC:
        if letter in folded:
            folded = folded.replace(letter, plain)
    return " ".join(unicodedata.normalize("NFC", folded).split())


def lowers_alike(text: str) -> bool:
    """Whether an expression that ignores case finds ASCII letters only where `text.lower()` has them.

    Four letters outside ASCII count as one there: a dotted capital i, a dotless i, a long s, and the
    sign for kelvin.
    """
    return text.isascii() or not any(map(text.__contains__, _OTHER_CASES))


def unescape(text: str) -> str:
    r"""The text with the escapes of JSON (and of Python and Markdown) and HTML's entities read once.

    Works on any text that holds JSON: a whole document, several, one cut short, or one with notes
    behind it. A backslash that begins no escape stays. Does not check that the text is JSON, so a
    Windows path in plain text may lose characters: compare with the text as it is, too.
    """
    if "&" in text:
        text = _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
    return _ESCAPE.sub(_read_escape, text) if "\\" in text else text


def readings(text: str) -> tuple[str, ...]:
    r"""Every way a text may be read, folded: as it stands, and with its escapes read.

    A result that is JSON shows the model `C:\\srv` where the value is `C:\srv`; a JSON string
    within JSON does so twice. Read to a depth of `MAX_NESTING`. YAML doubles its quotes instead.
    """
    return _remembered(text) if len(text) <= _KEPT else _readings(text)


def _readings(text: str) -> tuple[str, ...]:
    found = [fold(text)]
    for _ in range(MAX_NESTING):
        read = unescape(text).replace("''", "'")
        if read == text:
            break
        text = read
        found.append(fold(text))
    return tuple(dict.fromkeys(found))


# The runs of one agent read the same instructions, and much the same results.
_remembered = lru_cache(maxsize=1024)(_readings)


def _read_escape(match: re.Match[str]) -> str:
    high, low, unit, byte, short = match.groups()
    if high is not None:
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + (int(low, 16) - 0xDC00))
    if unit is not None:
        code = int(unit, 16)
        return match[0] if 0xD800 <= code <= 0xDFFF else chr(code)
    if byte is not None:
        return chr(int(byte, 16))
    return _SHORT.get(short, short)
