"""Reading: every value of a text, each once, in order, with where it stands."""

from __future__ import annotations

import re
from functools import lru_cache
from operator import attrgetter

import msgspec

from groundwire.grounding.values.moments import read_moments
from groundwire.grounding.values.numbers import read_run, run_around
from groundwire.grounding.values.value import Value
from groundwire.grounding.values.words import read_words

# A text longer than this is read to here and no further: `read_values` of a whole file would
# hold an object for each number in it.
MOST_CHARACTERS = 1 << 20
_DIGIT = re.compile(r"\d")
_OF = re.compile(r"\s*-?\s*(?:of|out of|for|from)\s*-?\s*(?:the\s)?$", re.IGNORECASE)
_SPACED = re.compile(r"\s+([-\u2013\u2014/\u00d7x])\s+$")
_FAR = 16
_START = attrgetter("start")


def read_values(text: str, *, words: bool = True) -> tuple[Value, ...]:
    """The values of the text. `words`: numbers written in words too.

    A word that is no number (`a`, `single`) is never read as one. Overlaps are settled: a date
    wins over its numbers, a run of digits over a word.
    """
    text = text[:MOST_CHARACTERS]
    found: list[Value] = []
    if _DIGIT.search(text):
        moments = list(read_moments(text))
        found = _runs(text, moments)
    if words:
        taken = [(value.start, value.end) for value in found]
        for word in read_words(text):
            if not any(start < word.end and word.start < end for start, end in taken):
                found.append(word)
    found.sort(key=_START)
    return tuple(_spaced_joints(text, found))


@lru_cache(maxsize=4096)
def read_short(text: str) -> tuple[Value, ...]:
    """The values of a short text (a leaf of a result), kept: the same leaves come again."""
    return read_values(text, words=False)


def _runs(text: str, moments: list[Value]) -> list[Value]:
    found = list(moments)
    position, length = 0, len(text)
    next_moment = 0
    while position < length:
        digit = _DIGIT.search(text, position)
        if digit is None:
            break
        start, end = run_around(text, digit.start(), position)
        while next_moment < len(moments) and moments[next_moment].end <= start:
            next_moment += 1
        if next_moment < len(moments) and moments[next_moment].start < end:
            # The run holds a moment or a piece of one: what stands before it is no value.
            position = max(moments[next_moment].end, start + 1)
            next_moment += 1
            continue
        position = end
        found += read_run(text, start, end)
    return found


def _spaced_joints(text: str, values: list[Value]) -> list[Value]:
    """`113 - 107` and `13 - of - 24`: numbers whose joint stands apart from them."""
    joined = list(values)
    for place in range(1, len(values)):
        left, right = joined[place - 1], joined[place]
        if left.number is None or right.number is None or right.joint:
            continue
        if not 0 < right.start - left.end <= _FAR:
            continue
        between = text[left.end : right.start]
        worded = left.worded or right.worded
        joint = "of" if not worded and _OF.fullmatch(between) else ""
        if not joint and (dash := _SPACED.fullmatch(between)):
            joint = {"/": "slash", "\u00d7": "times", "x": "times"}.get(dash[1], "dash")
        if joint and joint != left.joint:
            if not left.joint:
                joined[place - 1] = _joined(left, joint)
            joined[place] = _joined(right, joint)
    return joined


def _joined(value: Value, joint: str) -> Value:
    return msgspec.structs.replace(value, joint=joint)
