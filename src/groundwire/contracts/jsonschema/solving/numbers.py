"""A number within bounds, a multiple of these and not of those: exact rationals throughout."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import msgspec

from groundwire.contracts.jsonschema.answers import Answer, Branch, Empty, Found, Unknown
from groundwire.contracts.jsonschema.graph import Atom
from groundwire.contracts.jsonschema.solving.scalars import (
    candidates,
    excluded,
    first_that_fits,
    value_of,
)
from groundwire.contracts.jsonschema.values import Scalar

# How many multiples, or points of an interval, are looked at one by one.
MAX_TRIES = 2_000


class _Range(msgspec.Struct):
    low: Fraction | None = None
    low_open: bool = False
    high: Fraction | None = None
    high_open: bool = False

    def raise_low(self, bound: Fraction, *, is_open: bool) -> None:
        if self.low is None or (bound, is_open) > (self.low, self.low_open):
            self.low, self.low_open = bound, is_open

    def lower_high(self, bound: Fraction, *, is_open: bool) -> None:
        if self.high is None or (bound, not is_open) < (self.high, not self.high_open):
            self.high, self.high_open = bound, is_open

    def is_empty(self) -> bool:
        if self.low is None or self.high is None:
            return False
        return self.low > self.high or (self.low == self.high and (self.low_open or self.high_open))

    def holds(self, value: Fraction) -> bool:
        above = self.low is None or value > self.low or (value == self.low and not self.low_open)
        below = (
            self.high is None or value < self.high or (value == self.high and not self.high_open)
        )
        return above and below


def solve_number(branch: Branch) -> Answer:
    """A number as wanted, at a bound where one can be; `format` is not looked at."""
    wanted = candidates(branch, "number")
    if wanted is not None:
        return first_that_fits(wanted, lambda key: _fits(branch, key), "")
    limits = _limits(branch)
    if limits.is_empty():
        return Empty()
    taken = {key[1] for key in excluded(branch) if isinstance(key[1], Fraction)}
    steps = [a.number for a, sign in branch.atoms if a.kind == "multiple" and sign]
    never = [a.number for a, sign in branch.atoms if a.kind == "multiple" and not sign]
    if steps:
        return _multiple(limits, _least_common(steps), never, taken)
    return _point(limits, never, taken)


def _limits(branch: Branch) -> _Range:
    limits = _Range()
    for atom, sign in branch.atoms:
        if atom.kind in {"at-least", "above"}:
            strict = atom.kind == "above"
            if sign:
                limits.raise_low(atom.number, is_open=strict)
            else:
                limits.lower_high(atom.number, is_open=not strict)
        elif atom.kind in {"at-most", "below"}:
            strict = atom.kind == "below"
            if sign:
                limits.lower_high(atom.number, is_open=strict)
            else:
                limits.raise_low(atom.number, is_open=not strict)
    return limits


def _fits(branch: Branch, key: Scalar) -> bool:
    value = key[1]
    if not isinstance(value, Fraction):
        return False
    return all(_holds(atom, value) == sign for atom, sign in branch.atoms if atom.kind != "format")


def _holds(atom: Atom, value: Fraction) -> bool:
    match atom.kind:
        case "at-least":
            return value >= atom.number
        case "above":
            return value > atom.number
        case "at-most":
            return value <= atom.number
        case "below":
            return value < atom.number
        case _:
            return (value / atom.number).denominator == 1


def _least_common(steps: list[Fraction]) -> Fraction:
    common = steps[0]
    for step in steps[1:]:
        over = common.denominator * step.denominator
        left, right = common.numerator * step.denominator, step.numerator * common.denominator
        common = Fraction(math.lcm(left, right), over)
    return common


def _multiple(
    limits: _Range, step: Fraction, never: list[Fraction], taken: set[Fraction]
) -> Answer:
    """A multiple of `step`; in terms of its factor, those of `never` are multiples of a number."""
    periods = [(_least_common([step, each]) / step).numerator for each in never]
    if 1 in periods:
        return Empty()
    first = None if limits.low is None else math.ceil(limits.low / step)
    last = None if limits.high is None else math.floor(limits.high / step)
    for tried, factor in enumerate(_factors(first, last)):
        value = factor * step
        if value in taken or any(factor % period == 0 for period in periods):
            pass
        elif limits.holds(value):
            return value_of(("number", value))
        if tried >= MAX_TRIES:
            return _far_multiple(limits, step, periods, taken)
    return Empty()


def _far_multiple(
    limits: _Range, step: Fraction, periods: list[int], taken: set[Fraction]
) -> Answer:
    """Next to a common multiple of the periods, no period divides a factor."""
    common = math.lcm(*periods)
    start = 0 if limits.low is None else math.ceil(limits.low / step)
    if limits.low is None and limits.high is not None:
        start = math.floor(limits.high / step) - common * (len(taken) + 3)
    start = -(-start // common) * common
    for index in range(len(taken) + 3):
        value = (start + index * common + 1) * step
        if limits.holds(value) and value not in taken:
            return value_of(("number", value))
    return Unknown("numbers-too-many")


def _factors(first: int | None, last: int | None) -> Iterator[int]:
    """From the bound that there is, away from it."""
    if first is None and last is not None:
        low = last
        while True:
            yield low
            low -= 1
    factor = first or 0
    while last is None or factor <= last:
        yield factor
        factor += 1


def _point(limits: _Range, never: list[Fraction], taken: set[Fraction]) -> Answer:
    if limits.low is not None and limits.low == limits.high:
        points: Iterator[Fraction] = iter([limits.low])
    else:
        points = _points(limits)
    answer: Answer = Empty()
    for value in points:
        if not limits.holds(value) or value in taken:
            continue
        if any((value / each).denominator == 1 for each in never):
            continue
        answer = value_of(("number", value))
        if isinstance(answer, Found):
            return answer
    if limits.low is not None and limits.low == limits.high:
        return answer
    return Unknown("numbers-too-many")


def _points(limits: _Range) -> Iterator[Fraction]:
    """Points of an interval: the bounds, whole numbers near them, ever finer decimals."""
    bounds = [each for each in (limits.low, limits.high) if each is not None]
    yield from bounds
    yield Fraction(0)
    for distance in range(1, 60):
        for bound in bounds or [Fraction(0)]:
            yield Fraction(math.floor(bound)) + distance
            yield Fraction(math.ceil(bound)) - distance
    for digits in range(1, 18):
        grain = Fraction(1, 10**digits)
        for bound in bounds or [Fraction(0)]:
            for distance in range(1, 40):
                yield (math.floor(bound / grain) + distance) * grain
                yield (math.ceil(bound / grain) - distance) * grain
    if limits.low is not None and limits.high is not None:
        for part in range(1, 40):
            yield limits.low + (limits.high - limits.low) * part / 40
