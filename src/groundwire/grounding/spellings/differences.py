"""Differences: in what a value and the text that holds it are written differently.

Both are compared in one folded form; this says which steps of the folding it took.
"""

from __future__ import annotations

import unicodedata
from itertools import combinations

from groundwire.grounding.folding import MAX_NESTING, TYPOGRAPHIC, unescape

FOLDS = ("case", "white-space", "unicode", "escapes")


def differences(value: str, text: str) -> tuple[str, ...]:
    """The fewest steps after which the text holds the value; none where it does as it stands.

    All of them where even they do not suffice, which happens only between several readings.
    """
    value = value.strip()
    if value in text:
        return ()
    for size in range(1, len(FOLDS)):
        for steps in combinations(FOLDS, size):
            if any(_step(value, steps) in reading for reading in _readings(text, steps)):
                return steps
    return FOLDS


def _readings(text: str, steps: tuple[str, ...]) -> list[str]:
    texts = [text]
    if "escapes" in steps:
        for _ in range(MAX_NESTING):
            texts.append(unescape(texts[-1]).replace("''", "'"))
    return [_step(reading, steps) for reading in dict.fromkeys(texts)]


def _step(text: str, steps: tuple[str, ...]) -> str:
    if "unicode" in steps:
        text = unicodedata.normalize(
            "NFC", unicodedata.normalize("NFC", text).translate(TYPOGRAPHIC)
        )
    if "case" in steps:
        text = text.casefold()
    return " ".join(text.split()) if "white-space" in steps else text
