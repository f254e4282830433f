"""Fields: which key of a record a number in prose is about.

By the noun behind the number (`38 points`) or the label before it (`Departure: 06:00`). A key's
word and a word of the text are the same where they are equal but for a plural, or one is cut or
contracted from the other: `PTS` and points, `qty` and quantity, `temp` and temperature.
"""

from __future__ import annotations

import re
from functools import lru_cache

from groundwire.grounding.records.walk import key_words

_NOUN = re.compile(r"[\s\-\u2013]*([A-Za-z]+)")
_STOP = frozenset(
    [
        "of",
        "in",
        "on",
        "at",
        "for",
        "from",
        "with",
        "and",
        "or",
        "to",
        "by",
        "as",
        "the",
        "a",
        "an",
        "per",
        "this",
        "that",
        "which",
        "who",
        "while",
        "is",
        "was",
        "were",
        "are",
        "has",
        "had",
        "have",
        "over",
        "under",
        "against",
        "but",
        "than",
        "before",
        "after",
        "out",
        "off",
        "during",
        "into",
    ]
)
_LABEL = re.compile(r"([A-Za-z][\w ()/\-]*?)[*_`\"']*\s*[:=|][*_`\"'\s$€£]*$")
_BEFORE = re.compile(r"([A-Za-z][A-Za-z\- ]*?)\s+(?:is|was|are|were|of|at|:)\s+[$€£]?$")
_LABELS, _LINKS = ":=|", ("is", "was", "are", "were", "of", "at", ":")
_MARKS = "*_`\"' \t\n$€£"
# a pair of steals, a dozen of eggs
_COLLECTIVE = re.compile(r"(?<=pair) of(?= )|(?<=couple) of(?= )|(?<=dozen) of(?= )", re.IGNORECASE)
_NTH = {"first": "1", "second": "2", "third": "3", "fourth": "4", "fifth": "5", "sixth": "6"}
_ORDINALS = r"(?:first|second|third|fourth|fifth|sixth|\d{1,2}(?:st|nd|rd|th))"
_WHICH = re.compile(
    rf"(?:\s+(?!in\b)[A-Za-z\-]+){{0,3}}\s+(?:in|during|of)\s+(?:the\s+)?({_ORDINALS})(?!\s+(?:and|two)\b|,\s*(?:and\s+)?{_ORDINALS})(?:\s+([a-z]+))?",
    re.I,
)
_WHICH_BEFORE = re.compile(rf"\bthe\s+({_ORDINALS})\s+(?!and\b|or\b)([a-z]+)", re.I)
_ORDINAL_NOUN = re.compile(rf"\b{_ORDINALS}\s+(?!and\b|or\b)([a-z]+)", re.I)
_MOST_NOUNS = 3
_LEAST_ABBREVIATION = 3
# A record of more is looked at each time.
_FEW_KEYS = 64


def nouns_after(text: str, position: int, end: int) -> tuple[str, ...]:
    """The words right behind a number, up to the first small word or mark."""
    found: list[str] = []
    if collective := _COLLECTIVE.match(text, position, end):
        position = collective.end()
    while len(found) < _MOST_NOUNS:
        noun = _NOUN.match(text, position, end)
        if noun is None or noun[1].lower() in _STOP or ("\n" in noun[0]):
            break
        found.append(noun[1].lower())
        position = noun.end()
    return tuple(found)


def which_after(text: str, position: int, end: int, noun: str) -> tuple[str, ...]:
    """What says which one is counted: `two goals in the second period` gives `period` and `2`.

    Where the noun is left out (`and one in the third`), it is the one that was said before.
    """
    found = _WHICH.match(text, position, end)
    if found is None:
        return ()
    ordinal = found[1].lower()
    number = _NTH.get(ordinal) or ordinal.rstrip("stndrh")
    said = (found[2] or "").lower()
    named = said if said and said not in _STOP else noun
    return (named, number) if named else ()


def which_before(text: str, start: int, position: int) -> tuple[str, ...]:
    """What says which one a score is of: `the second period ended 2-1` gives `period` and `2`."""
    every = list(_WHICH_BEFORE.finditer(text, start, position))
    found = every[-1] if every else None
    if found is None or position - found.end() > _NEAR:
        return ()
    if any(mark in text[found.end() : position] for mark in ",;:"):
        return ()
    ordinal = found[1].lower()
    return (found[2].lower(), _NTH.get(ordinal) or ordinal.rstrip("stndrh"))


_NEAR = 40


def ordinal_noun(text: str, start: int, end: int) -> str:
    """The noun that follows the first ordinal of a sentence: the `period` of `the first period`."""
    found = _ORDINAL_NOUN.search(text, start, end)
    return found[1].lower() if found else ""


def label_before(text: str, start: int, position: int) -> tuple[str, ...]:
    """The words of the label that a value stands behind: `Economy Price: $121`."""
    found = _label(text[max(start, position - 80) : position])
    return key_words(found[1]) if found else ()


def _label(before: str) -> re.Match[str] | None:
    """The label that this text ends with. Most end with none, and the expression is slow to say so."""
    last = before.rstrip(_MARKS)[-1:]
    return _LABEL.search(before) if last in _LABELS or last.isspace() else None


def phrase_before(text: str, start: int, position: int) -> tuple[str, ...]:
    """The words before `is`, `was` or `of` in front of a value: `the economy price is $121`."""
    before = text[max(start, position - 60) : position]
    if not before.rstrip().rstrip("$€£").rstrip().endswith(_LINKS):
        return ()
    found = _BEFORE.search(before)
    return tuple(word for word in key_words(found[1]) if word not in _STOP)[-3:] if found else ()


def matching(
    keys: tuple[str, ...], words: tuple[str, ...], shared: frozenset[str]
) -> tuple[str, ...]:
    """The keys whose every word (but those all keys share) is one of `words`, the fullest match first.

    Of keys that match, those with the most words win; `PTS` wins over `PTS_QTR1` for "points".
    """
    if not words:
        return ()
    # The rows of a table have the same keys, and the words beside a value stand beside others too.
    return (_remembered if len(keys) <= _FEW_KEYS else _matching)(keys, words, shared)


def _matching(
    keys: tuple[str, ...], words: tuple[str, ...], shared: frozenset[str]
) -> tuple[str, ...]:
    best: list[str] = []
    most = 0
    for key in keys:
        own = [word for word in key_words(key) if word not in shared]
        if not own or not all(any(same_word(part, word) for word in words) for part in own):
            continue
        if len(own) > most:
            best, most = [key], len(own)
        elif len(own) == most:
            best.append(key)
    return tuple(best)


_remembered = lru_cache(maxsize=1024)(_matching)


@lru_cache(maxsize=16384)
def same_word(part: str, word: str) -> bool:
    """Whether a key's word means this word of the text."""
    if part == word or _singular(part) == _singular(word):
        return True
    if len(part) < _LEAST_ABBREVIATION or part[0] != word[0] or len(part) >= len(word) + 1:
        return False
    if word.startswith(part):
        return len(part) >= 3
    if len(part) > 5 or (len(part) > 3 and _VOWELS.intersection(part[1:])):
        return False
    plural = part.endswith("s") and not word.endswith("s") and len(word) <= 2 * len(part)
    return _contracts(part, word + "s" if plural else word)


_VOWELS = frozenset("aeiou")


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("s") and not word.endswith("ss") and len(word) > 3:
        return word[:-1]
    return word


def _contracts(part: str, word: str) -> bool:
    letters = iter(word)
    return all(letter in letters for letter in part)


def covering(keys: tuple[str, ...], label: tuple[str, ...]) -> tuple[str, ...]:
    """The keys that hold every word of a label: `Departure` for `scheduled_departure_time`.

    None where keys of different last words hold it: the label does not say which.
    """
    words = [word for word in label if word not in _STOP]
    if not words:
        return ()
    return tuple(
        key
        for key in keys
        if all(any(same_word(part, word) for part in key_words(key)) for word in words)
    )


def label_start(text: str, start: int, position: int) -> int:
    """Where the label before a value begins; the position itself where there is none."""
    begin = max(start, position - 80)
    found = _label(text[begin:position])
    return begin + found.start(1) if found else position
