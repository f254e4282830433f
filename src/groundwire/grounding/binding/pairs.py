"""Pairs: two joined numbers, a score or so many of so many, against the records that are named."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise

from groundwire.grounding.binding.binder import Binder
from groundwire.grounding.binding.fields import same_word
from groundwire.grounding.binding.names import Mention
from groundwire.grounding.binding.states import states
from groundwire.grounding.binding.text import AnswerText
from groundwire.grounding.records.record import Record
from groundwire.grounding.records.walk import key_words
from groundwire.grounding.values.value import Value

LEAST_AGREEING = 2
MOST_PARTS = 12
MOST_KEYS = 40
# A score that stood for a while is in no record.
RUNNING = re.compile(
    r"\b(?:lead|leads|led|tied|tying|trail\w*|ahead|bring|brought|made it|remaining)\b",
    re.IGNORECASE,
)
TAKEN = re.compile(
    r"\b(?:leads?|leading|led|trail\w*|ahead|bring|brought|t[ao]ke?n?|took)\b", re.IGNORECASE
)
BETWEEN = re.compile(r"[\s\-\u2013\u2014/]*(?:of|for|from|out of)?[\s\-\u2013\u2014/]*")
_AFTER = re.compile(r"\s{0,2}([A-Za-z0-9]{1,12})(?=\s{0,2}[,)])")


def label_after(text: str, value: Value) -> str:
    """The word between a pair and the end of its bracket: `( 5 - 6 FG , 8 - 12 FT )`."""
    found = _AFTER.match(text, value.end)
    return found[1].lower() if found else ""


def is_that(key: str, which: tuple[str, ...]) -> bool:
    """Whether the key is that numbered field, or the sum from the first to it; others pass."""
    noun, number = which
    words = key_words(key)
    if not words or not words[-1].isdigit():
        return True
    at = -3 if "+" in key else -2
    stem = words[at] if len(words) >= -at else ""
    return words[-1] == number and (at == -2 or words[-2] == "1") and same_word(stem, noun)


def scores(record: Record) -> Iterator[tuple[str, Decimal]]:
    """The record's numbers by key, and the sums of numbered ones (`QTR1+3`) from one to another."""
    numbered: dict[str, list[tuple[str, Decimal]]] = {}
    for field in record.fields:
        if field.number is None:
            continue
        yield field.key, field.number
        stem = field.key.rstrip("0123456789")
        if stem != field.key:
            numbered.setdefault(stem, []).append((field.key[len(stem) :], field.number))
    for stem, parts in numbered.items():
        some = sorted(parts)[:MOST_PARTS]
        for first in range(len(some)):
            total = some[first][1]
            for last in range(first + 1, len(some)):
                total += some[last][1]
                yield f"{stem}{some[first][0]}+{some[last][0]}", total


def key_pairs(record: Record, left: Value, right: Value) -> Iterator[tuple[str, str]]:
    """The pairs of keys under which the record holds these two."""
    lefts = [f.key for f in record.fields if states(f, left)][:MOST_KEYS]
    rights = [f.key for f in record.fields if states(f, right)][:MOST_KEYS]
    yield from ((one, other) for one in lefts for other in rights if one != other)


def follows(text: str, mention: Mention, left: Value) -> bool:
    """Whether the pair stands in a bracket right behind the name: `Owls (32-18)`."""
    return 0 <= left.start - mention.end <= 3 and "(" in text[mention.end : left.start]


def form(
    answer: AnswerText, binder: Binder, seen: Mapping[int, Sequence[Mention]]
) -> tuple[str, str] | None:
    """The two keys that pairs in brackets behind a name stand for, where most of them agree.

    One text writes one thing in one form: wins and losses behind every team.
    """
    counts: Counter[tuple[str, str]] = Counter()
    pairs: set[tuple[str, int, int]] = set()
    for number, segment in enumerate(answer.segments):
        for left, right in pairwise(segment.values):
            if (
                left.joint != "dash"
                or right.joint != "dash"
                or not left.number
                or right.number is None
            ):
                continue
            for mention in seen.get(number, ()):
                if not follows(answer.text, mention, left):
                    continue
                name = (mention.name, int(left.number), int(right.number))
                if name in pairs:
                    continue
                pairs.add(name)
                found = {p for _, r in binder.records(mention) for p in key_pairs(r, left, right)}
                counts.update(found)
    if not counts:
        return None
    best, most = counts.most_common(1)[0]
    rivals = [pair for pair, count in counts.items() if count == most]
    return best if most >= LEAST_AGREEING and len(rivals) == 1 else None


def has_pairs(record: Record) -> bool:
    """Whether the record holds enough numbers that two of them could be a pair."""
    return sum(field.number is not None for field in record.fields) > 3
