"""Sets of characters, as sorted ranges of code points that do not touch.

The alphabet is what a JSON text can hold: every code point but the surrogates.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

Ranges: TypeAlias = tuple[tuple[int, int], ...]

LAST = 0x10FFFF
EVERY: Ranges = ((0, 0xD7FF), (0xE000, LAST))


def union(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """The characters that are in any of `ranges`, less the surrogates."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(_without_surrogates(ranges)):
        if joined and first <= joined[-1][1] + 1 and first != 0xE000:
            joined[-1] = (joined[-1][0], max(joined[-1][1], last))
        else:
            joined.append((first, last))
    return tuple(joined)


def complement(ranges: Ranges) -> Ranges:
    """The characters that are in none of `ranges`."""
    left: list[tuple[int, int]] = []
    start = 0
    for first, last in ranges:
        if first > start:
            left.append((start, first - 1))
        start = last + 1
    if start <= LAST:
        left.append((start, LAST))
    return union(left)


def holds(ranges: Ranges, point: int) -> bool:
    """Whether `point` is one of the characters."""
    return any(first <= point <= last for first, last in ranges)


def _without_surrogates(ranges: Iterable[tuple[int, int]]) -> Iterable[tuple[int, int]]:
    for first, last in ranges:
        if first <= min(last, 0xD7FF):
            yield first, min(last, 0xD7FF)
        if max(first, 0xE000) <= last:
            yield max(first, 0xE000), last


# ECMA-262: CharacterClassEscape, WhiteSpace and LineTerminator.
DIGITS: Ranges = ((0x30, 0x39),)
WORD: Ranges = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
SPACES: Ranges = union(
    (point, point)
    for point in (
        *(9, 10, 11, 12, 13, 32, 0xA0, 0x1680, *range(0x2000, 0x200B)),
        *(0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF),
    )
)
NO_LINE_END: Ranges = complement(((10, 10), (13, 13), (0x2028, 0x2029)))
