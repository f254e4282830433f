"""Patterns: regular expressions that cannot run away, and no others.

The engine that runs them backtracks. A pattern is accepted only where it is plain that the work
grows with the length of the text and not with its square or worse: no back-references, no
look-around; what is repeated begins in one way only; and where a repeat may also end in several
places, those places are few. Patterns that are searched for have no repeat without an end at all.
"""

from __future__ import annotations

import re
import warnings

import msgspec

from groundwire.authority.reading.regex import (
    Atom,
    Choice,
    Group,
    NotPlain,
    Repeat,
    Sequence,
    read_regex,
)
from groundwire.authority.reading.values import Misdeclared, read_name, show
from groundwire.authority.toml_lines import Path

MAX_PATTERN = 300
MAX_WAYS = 5_000
"""In how many ways a match may be tried at one place before it fails."""


class _Weight(msgspec.Struct, frozen=True):
    """`ways` in which a part can match at one place; `open`: it has a repeat without an end.

    `sure`: wherever it could go on in two ways, the next character decides.
    """

    ways: int = 1
    open: bool = False
    sure: bool = True


def read_pattern(value: object, path: Path, *, searched: bool = False) -> str:
    """The pattern between the slashes of `/^p-[0-9]+$/`.

    `searched`: it will be looked for anywhere in long texts, and not held against whole values.
    """
    text = read_name(value, path)
    if len(text) < 3 or not (text.startswith("/") and text.endswith("/")):
        raise Misdeclared(
            "bad-pattern",
            path,
            f"a pattern stands between slashes, such as /^p-[0-9]+$/: {show(text)}",
        )
    pattern = text[1:-1]
    problem = _problem(pattern, searched=searched)
    if problem:
        raise Misdeclared("bad-pattern", path, f"{problem}: {show(text)}")
    return pattern


def _problem(pattern: str, *, searched: bool) -> str:
    if len(pattern) > MAX_PATTERN:
        return f"has over {MAX_PATTERN} characters"
    try:
        choice = read_regex(pattern)
        weight = _weigh(choice, 0, _Weight())
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            compiled = re.compile(pattern)
    except NotPlain as error:
        return str(error)
    except (re.error, RecursionError, OverflowError, Warning) as error:
        return f"is no regular expression ({error})"
    if compiled.match("") and searched:
        return "matches nothing at all, and so every text"
    if weight.open and searched:
        return "repeats without an end; write {0,200} in place of * or +, as it is searched for"
    return ""


def _weigh(choice: Choice, after: int, behind: _Weight) -> _Weight:
    """The weight of a choice before what weighs `behind` and begins with a character of `after`."""
    weights = [_weigh_sequence(each, after, behind) for each in choice.each]
    ways = sum(weight.ways for weight in weights)
    if choice.is_clear:
        ways = max(weight.ways for weight in weights)
    sure = choice.is_clear and all(weight.sure for weight in weights)
    return _Weight(_counted(ways), any(weight.open for weight in weights), sure)


def _weigh_sequence(sequence: Sequence, after: int, behind: _Weight) -> _Weight:
    weight = behind
    for node in reversed(sequence.nodes):
        match node:
            case Group():
                weight = _weigh(node.choice, after, weight)
            case Repeat():
                weight = _weigh_repeat(node, after, weight)
            case Atom():
                pass
        after = node.first | (after if node.is_nullable else 0)
    return weight


def _weigh_repeat(node: Repeat, after: int, behind: _Weight) -> _Weight:
    weight = behind
    if isinstance(node.body, Group):
        again = node.most is None or node.most > 1
        if again:
            _demand_one_reading(node.body)
        weight = _weigh(node.body.choice, after | (node.body.first if again else 0), weight)
    if node.low == node.most:
        return weight
    overlaps = bool(node.chars & after)
    sure = weight.sure and not overlaps
    if node.most is None:
        if overlaps and weight.open:
            raise NotPlain(
                "has two repeats without an end, the first of which can end in many places; "
                "give it one: {0,50} in place of * or +"
            )
        return _Weight(weight.ways, open=True, sure=sure)
    ways = weight.ways * (node.most - node.low + 1) if overlaps else weight.ways
    return _Weight(_counted(ways), weight.open, sure)


def _demand_one_reading(group: Group) -> None:
    """A text has one reading as repeats of the group, found without trying another."""
    if group.is_nullable or not _weigh(group.choice, group.first, _Weight()).sure:
        raise NotPlain(
            "repeats a group that can be read in several ways; let it begin with a character that "
            "stands nowhere else in it, as in (?:-[a-z]+)*"
        )


def _counted(ways: int) -> int:
    if ways > MAX_WAYS:
        raise NotPlain(f"can match in over {MAX_WAYS} ways; make its repeats shorter")
    return ways
