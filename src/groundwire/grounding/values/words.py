"""Number words: twenty-three, a dozen, two hundred and five, third."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from groundwire.grounding.folding import lowers_alike
from groundwire.grounding.values.value import ONE, Value

_ONES = dict(
    zip(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ],
        range(20),
        strict=True,
    )
)
_TENS = dict(
    zip(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"],
        range(20, 100, 10),
        strict=True,
    )
)
_GROUPS = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_COLLECTIVE = {"dozen": 12, "pair": 2, "couple": 2}
_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7,
    "eighth": 8, "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12,
}  # fmt: skip
_SIMPLE = "|".join([*_ONES, *_TENS])
_WORDS = re.compile(
    rf"\b(?:(?P<run>(?:{'|'.join(_TENS)})(?:\s?-\s?|\s)(?:{'|'.join(list(_ONES)[1:10])})\b|(?:{_SIMPLE})\b)"
    rf"(?P<groups>(?:[ -](?:{'|'.join(_GROUPS)})\b(?: and)?(?:[ -](?:{_SIMPLE})\b)*)*)"
    rf"|(?P<some>(?:half )?a (?:dozen|pair|couple|hundred|thousand|million)\b)"
    rf"|(?P<which>{'|'.join(_ORDINALS)})\b)",
    re.IGNORECASE,
)


_ANY = re.compile(r"[a-z]+")
# For ASCII a table that leaves only small letters is several times as fast as an expression.
_LETTERS = "".join(letter.lower() if letter.isalpha() else " " for letter in map(chr, range(128)))
_VOCABULARY = frozenset((*_ONES, *_TENS, *_COLLECTIVE, *_ORDINALS, *_GROUPS))
# What every other run of them begins with; the groups and `a dozen` begin with none of these.
_BEGINNINGS = frozenset((*_ONES, *_TENS, *_ORDINALS))


def read_words(text: str) -> Iterator[Value]:
    """The numbers that are written in words, in order. `one` is among them; so are ordinals."""
    for found in _found(text):
        ordinal = found["which"] is not None
        number = _ORDINALS[found[0].lower()] if ordinal else _number(found[0].lower())
        yield Value(
            start=found.start(),
            end=found.end(),
            kind="number",
            number=Decimal(number),
            step=ONE,
            worded=True,
            ordinal=ordinal,
        )


def _found(text: str) -> Iterator[re.Match[str]]:
    if not lowers_alike(text):
        yield from _WORDS.finditer(text)
        return
    if text.isascii():
        low = text.translate(_LETTERS)
        words = _VOCABULARY.intersection(low.split())
    else:
        low = text.lower()
        words = _VOCABULARY.intersection(_ANY.findall(low))
    if not words <= _BEGINNINGS:
        yield from _WORDS.finditer(text)
        return
    # Few words begin all there are: to try the expression at every character costs far more.
    starts: list[int] = []
    for word in words:
        place = low.find(word)
        while place >= 0:
            starts.append(place)
            place = low.find(word, place + 1)
    position = 0
    for start in sorted(starts):
        found = _WORDS.match(text, start) if start >= position else None
        if found is not None:
            yield found
            position = found.end()


def _number(words: str) -> int:
    total = current = 0
    for word in re.split(r"[\s-]+", words):
        if word in _ONES or word in _TENS:
            current += _ONES.get(word, _TENS.get(word, 0))
        elif word == "a":
            current = 1
        elif word in _COLLECTIVE:
            current = max(current, 1) * _COLLECTIVE[word]
        elif word == "hundred":
            current = max(current, 1) * 100
        elif word in _GROUPS:
            total, current = total + max(current, 1) * _GROUPS[word], 0
    total += current
    return total // 2 if words.startswith("half ") else total
