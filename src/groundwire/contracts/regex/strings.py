"""The shortest string that matches some expressions and not others, or the proof of none."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import TypeAlias

import msgspec

from groundwire.contracts.regex.characters import EVERY, holds
from groundwire.contracts.regex.expressions import NOTHING, Expressions

# Tried first, so that a witness reads well.
_LIKED = tuple(ord(sign) for sign in "a0A-_ b1Zz.@/:")
_UNLIKED = len(_LIKED)

_State: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]


class Wanted(msgspec.Struct, frozen=True):
    """What the string must be: expressions it matches, and not; its length; what it is not."""

    matching: tuple[int, ...] = ()
    failing: tuple[int, ...] = ()
    least: int = 0
    most: int | None = None
    excluded: frozenset[str] = frozenset()


def shortest(wanted: Wanted, expressions: Expressions, tick: Callable[[], None]) -> str | None:
    """The shortest string as wanted, of those the one that reads best; None where there is none.

    `tick` is called once a state, and ends the search by raising.

    Raises:
        TooLarge: the expressions grew past their bound.
    """
    search = _Search(wanted, expressions)
    start: _State = (wanted.matching, wanted.failing)
    waiting: deque[tuple[_State, str]] = deque([(start, "")])
    seen = {(start, search.length_that_counts(""), search.prefix(""))}
    while waiting:
        state, text = waiting.popleft()
        tick()
        if search.accepts(state, text):
            return text
        if wanted.most is not None and len(text) >= wanted.most:
            continue
        for point in search.characters(state, text):
            following = search.after(state, point, at_start=not text)
            if following is None:
                continue
            longer = text + chr(point)
            key = (following, search.length_that_counts(longer), search.prefix(longer))
            if key not in seen:
                seen.add(key)
                waiting.append((following, longer))
    return None


def matches(expression: int, text: str, expressions: Expressions) -> bool:
    """Whether `text` is in the language of `expression`.

    Raises:
        TooLarge: the expressions grew past their bound.
    """
    state = expression
    for index, sign in enumerate(text):
        state = expressions.after(state, ord(sign), at_start=index == 0)
    return expressions.is_empty_in(state, at_start=not text, at_end=True)


class _Search:
    def __init__(self, wanted: Wanted, expressions: Expressions) -> None:
        self._wanted = wanted
        self._make = expressions
        self._following: dict[str, set[int]] = {}
        for text in sorted(wanted.excluded):
            for index, sign in enumerate(text):
                self._following.setdefault(text[:index], set()).add(ord(sign))
            self._following.setdefault(text, set())

    def length_that_counts(self, text: str) -> int:
        """Past the least length a shorter way to the same state is never worse."""
        return min(len(text), self._wanted.least)

    def prefix(self, text: str) -> str | None:
        return text if text in self._following else None

    def accepts(self, state: _State, text: str) -> bool:
        if len(text) < self._wanted.least or text in self._wanted.excluded:
            return False
        ends = [self._make.is_empty_in(each, at_start=not text, at_end=True) for each in state[0]]
        nots = [self._make.is_empty_in(each, at_start=not text, at_end=True) for each in state[1]]
        return all(ends) and not any(nots)

    def after(self, state: _State, point: int, *, at_start: bool) -> _State | None:
        matching = self._all_after(state[0], point, at_start=at_start)
        if NOTHING in matching:
            return None
        failing = self._all_after(state[1], point, at_start=at_start)
        if self._make.anything in failing:
            return None
        return matching, failing

    def _all_after(self, numbers: Sequence[int], point: int, *, at_start: bool) -> tuple[int, ...]:
        return tuple(self._make.after(each, point, at_start=at_start) for each in numbers)

    def characters(self, state: _State, text: str) -> list[int]:
        """One character of each class that the state, and what is excluded, tells apart."""
        edges = {first for first, _ in EVERY} | {last + 1 for _, last in EVERY}
        for number in (*state[0], *state[1]):
            edges |= self._make.firsts(number)
        for point in self._following.get(text, ()):
            edges |= {point, point + 1}
        ordered = sorted(edges)
        chosen = [
            _best(first, after - 1) for first, after in pairwise(ordered) if holds(EVERY, first)
        ]
        return sorted(chosen, key=_rank)


def _best(first: int, last: int) -> int:
    """The character from `first` to `last` that reads best."""
    return min(_candidates(first, last), key=_rank)


def _candidates(first: int, last: int) -> Iterable[int]:
    yield from (point for point in _LIKED if first <= point <= last)
    yield from range(max(first, 33), min(last, 126) + 1)
    yield first


def _rank(point: int) -> tuple[int, int]:
    if point in _LIKED:
        return _LIKED.index(point), point
    return (_UNLIKED, point) if 33 <= point <= 126 else (_UNLIKED + 1, point)
