"""Whole: sentences that speak of all rows of a result: a count, "all", "none", a total, an extreme.

Left out is what claims nothing: quotations and code, offers, plans, wishes, conditions, orders, and
what is denied ("I will not restart all hosts").
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from decimal import Decimal
from typing import Literal, TypeAlias

import msgspec

from groundwire.grounding.binding.fields import same_word
from groundwire.grounding.binding.text import AnswerText, Segment
from groundwire.grounding.sentences.splitting import masked
from groundwire.grounding.values.value import Value

Sort: TypeAlias = Literal["count", "none", "all", "figure"]

# Whoever says so claims nothing of the rest.
_ADMITS = re.compile(
    r"\b(?:cut(?: off| short)?|truncated|partial\w*|incomplete|so far|at least|part of|shown|"
    r"may be more|might be more|more than|limited|first \w+|excerpt|sample|some of|visible|"
    r"could see|was given|was able to see|not all|page|up to|preview|including|such as|e\.g)\b",
    re.IGNORECASE,
)
_NONE = re.compile(
    r"\b(?:no|none of(?: the| these| your)?|not a single|there are no|there is no|"
    r"(?:doesn|don|isn|aren)['\u2019]t (?:any|a))\s+((?:[a-z\-]+\s+){0,2}[a-z\-]+)",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"\b(?:all(?: of)?(?: the| these| your)?|every(?: single)?|each of(?: the| your)?|the only)\s+"
    r"((?:[a-z\-]+\s+){0,2}[a-z\-]+)",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    r"\b(?:in total|total of|altogether|on average|highest|lowest|largest|smallest|most \w+|"
    r"cheapest|earliest|latest|oldest|newest|longest|shortest)\b",
    re.IGNORECASE,
)
# What stands before the words in their clause and makes them no claim about what was served.
_UNCLAIMED = re.compile(
    r"\b(?:not|never|without|cannot|if|when|whenever|once|until|unless|whether|before|in case|should|"
    r"would|could|might|may|must|can|will|shall|going to|let me|let us|want\w*|wish\w*|like|please|"
    r"need\w*|ask\w*|request\w*|prefer\w*|recommend\w*|suggest\w*|instead of|rather than|for example|"
    r"suppose|assum\w+)\b|n['\u2019]t\b|['\u2019](?:ll|d)\b|\bto\s+(?:\w+\s+){1,3}$",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;:()\u2013\u2014]|\s-\s|\b(?:but|so|and|while|whereas)\b", re.IGNORECASE)
# A single word before them is an order ("Restart all hosts") or names a deed ("Restarting all hosts
# is …"), unless it is one of these.
_LONE = re.compile(
    r"^\W*(?:(?:only|always|just|then|next|first|now)\s+)*([a-z'\u2019\-]+)\s+$", re.IGNORECASE
)
_NO_ORDER = re.compile(
    r"(?:yes|no|ok|okay|overall|currently|now|here|thus|therefore|hence|then|also|still|nearly|almost|"
    r"across|for|on|in|of|with|at|from|among|because|since|as|that|thankfully|found|got|showing|"
    r"listing|displaying|covers|shows|lists|has|is|are|was|were|there|the|these|those|\w+ed|\w+ly)$",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z]+")
_AHEAD = 4


class Sweeping(msgspec.Struct, frozen=True):
    """A claim over all rows: its words, where it stands, and its number where it counts."""

    sort: Sort
    said: str
    segment: int
    value: Value | None = None


def sweeping(
    answer: AnswerText, nouns: Collection[str], known: Collection[Decimal]
) -> Iterator[Sweeping]:
    """The claims about things called one of `nouns`; nothing where the answer admits that it saw a part.

    `known` are numbers that the result states beside its rows: a total of its own is no count.
    """
    if any(_ADMITS.search(answer.of(segment)) for segment in answer.segments):
        return
    hidden = masked(answer.text)
    for number, segment in enumerate(answer.segments):
        text = hidden[segment.start : segment.end]
        if "?" in text[-3:]:
            continue
        yield from _counts(hidden, number, segment, nouns, known)
        for sort, pattern in (("none", _NONE), ("all", _ALL)):
            for found in pattern.finditer(text):
                if _is_about(found[1], nouns) and _is_claimed(text[: found.start()]):
                    said = found[0].strip()
                    yield Sweeping("none" if sort == "none" else "all", said, number)
        figure = _FIGURE.search(text)
        if figure and _is_about(text, nouns) and any(v.number is not None for v in segment.values):
            yield Sweeping("figure", figure[0], number)


def _is_claimed(before: str) -> bool:
    """Whether what stands in front of the words leaves them a claim."""
    clause = before[max((found.end() for found in _CLAUSE.finditer(before)), default=0) :]
    lone = _LONE.match(clause)
    return not _UNCLAIMED.search(clause) and (lone is None or bool(_NO_ORDER.match(lone[1])))


def _counts(
    hidden: str,
    number: int,
    segment: Segment,
    nouns: Collection[str],
    known: Collection[Decimal],
) -> Iterator[Sweeping]:
    for value in segment.values:
        if value.number is None or value.ordinal or value.unit is not None or value.joint:
            continue
        if value.number in known or value.number != value.number.to_integral_value():
            continue
        if not _is_claimed(hidden[segment.start : value.start]):
            continue
        after = _WORD.findall(hidden[value.end : segment.end])[:_AHEAD]
        if any(same_word(_last(noun), word.lower()) for noun in nouns for word in after[:2]):
            yield Sweeping("count", hidden[value.start : value.end], number, value)


def _is_about(words: str, nouns: Collection[str]) -> bool:
    said = [word.lower() for word in _WORD.findall(words)]
    return any(same_word(_last(noun), word) for noun in nouns for word in said)


def _last(noun: str) -> str:
    return noun.rsplit(maxsplit=1)[-1]
