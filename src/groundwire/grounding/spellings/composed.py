"""Composed values: lists of values, paths of names, and phrases a model wrote.

"All its tokens occur somewhere" would hide an invented identifier behind its parts, so a list
counts by its elements, a path by its names, and of a phrase every identifier is judged by itself.
"""

from __future__ import annotations

import re

_ELEMENTS = re.compile(r"\s*[,;|]\s*")
_PATH = re.compile(
    r"(?:~|\.{1,2})?/[^\s:?#]*|(?:[^\s/\\:?#]+[/\\])*[^\s/\\:?#]+\.[a-z][a-z0-9]{0,4}"
)
_DRIVE = re.compile(r"[a-z]:\\[^\s:?#]*")
_NAMES = re.compile(r"[/\\]+")
_WORDS = re.compile(r"[^\s\"'`()\[\]{}<>,;=|*\\]+")
_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.\-]*://|\bwww\.)[^\s\"'`<>()\[\]{}|\\]+")
_EMAIL = re.compile(r"[^\s@]+@[^\s@]+\.[a-z]{2,}")
# 8gb, 20th, 72-hour, 1920x1080, q3-2031: counts and names of common things, no identifiers.
_COUNT = re.compile(
    r"[$€£#~+-]?\d[\d.,]*-?[a-z%°]{1,5}(?:-old)?|\d+x\d+|[12]\d{3}[a-z]|[a-z]{1,8}-?\d"
)
_LABEL = re.compile(r"^[a-z]+:(?=[^/\s])")
_VERSIONED = re.compile(
    r"([a-z@][\w./\-]{0,200}?)(?:==|>=|<=|~=|@|:)v?(\d+(?:\.\d+)+(?:[-+][\w.]+)?)"
)
_STOPS = ".:!?*_"
_MOST_WORDS = 200
_MANY_DIGITS = 5
FEW_WORDS = 3


def elements(folded: str) -> tuple[str, ...]:
    """The elements of a list written into one value; empty where it is no list of two or more."""
    found = tuple(part for part in _ELEMENTS.split(folded.strip("[](){}")) if part)
    return tuple(part.strip("\"'") for part in found) if len(found) > 1 else ()


def path_names(folded: str) -> tuple[str, ...]:
    """The names along a file path; empty where the value does not look like one.

    An address with a scheme is none: its parts are words, and words are served everywhere.
    """
    if not (_PATH.fullmatch(folded) or _DRIVE.fullmatch(folded)):
        return ()
    return tuple(name for name in _NAMES.split(folded) if name not in {"", ".", "..", "~"})


def version_parts(folded: str) -> tuple[str, ...]:
    """A name and its version written as one (`lodestar==2.4.2`, `web:2.14.1`); else nothing."""
    found = _VERSIONED.fullmatch(folded)
    return (found[1], found[2]) if found else ()


def is_phrase(folded: str) -> bool:
    """Whether the value is several words rather than one token."""
    return " " in folded


def is_short_phrase(folded: str) -> bool:
    """Whether it has one to `FEW_WORDS` words with letters: a name or title, hardly a sentence."""
    words = [word for word in folded.split() if any(map(str.isalpha, word))]
    return 1 <= len(words) <= FEW_WORDS


def identifiers(folded: str) -> tuple[str, ...]:
    """What in a phrase can only be an identifier: addresses of pages and mail, letters with digits.

    At least four characters and two digits; counts with a unit and ordinals are left out.
    """
    addresses = [match.group().rstrip(_STOPS + ",;") for match in _ADDRESS.finditer(folded)]
    folded = _ADDRESS.sub(" ", folded)
    words = (without_label(word.group().rstrip(_STOPS)) for word in _WORDS.finditer(folded))
    found = [word for word in words if _is_identifier(word)]
    return tuple(dict.fromkeys([*addresses, *found][:_MOST_WORDS]))


def without_label(word: str) -> str:
    """The word without a label before it, as in `from:ivy@example.com`."""
    return _LABEL.sub("", word)


def is_plain_identifier(folded: str) -> bool:
    """Whether one word of a text can only be an identifier even where people search by words.

    A mail address, the address of a page, or letters with many digits; `rtx4090` is none.
    """
    if _EMAIL.fullmatch(folded) or _ADDRESS.fullmatch(folded):
        return True
    return _is_identifier(folded) and sum(map(str.isdigit, folded)) >= _MANY_DIGITS


def _is_identifier(word: str) -> bool:
    if _EMAIL.fullmatch(word):
        return True
    if len(word) < 4 or sum(map(str.isdigit, word)) < 2 or not any(map(str.isalpha, word)):
        return False
    return not _COUNT.fullmatch(word)
