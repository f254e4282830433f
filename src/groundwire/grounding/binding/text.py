"""Text of an answer: its sentences and list items, and the values that stand in each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import msgspec

from groundwire.grounding.values.reading import read_values
from groundwire.grounding.values.value import Value

_LINE = re.compile(r"[^\n]+")
_ENDING = re.compile(
    r"(?<=[.!?])[\"'\u201d\u2019)*]*\s+(?=[\"'\u201c(*]*[A-Z0-9€$£])|\s[.!?]\s+(?=[A-Z])|;\s+"
)
_ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|vs|approx|no|nos|mr|mrs|ms|dr|st|inc|jr|sr|ca|fig|[A-Z])\.|^\W*\d{1,3}\.)$",
    re.I,
)
_MARKER = re.compile(r"^[\s>*_#]*(?:[-•*+]\s+)?[*_]*(?:(?P<number>\d{1,3})[.)](?=[\s*_]|$))?")
_QUOTED_FENCE = re.compile(r"^\s*```")
MOST_SEGMENTS = 4000


class Segment(msgspec.Struct, frozen=True, gc=False):
    """A sentence or list item at `text[start:end]`.

    `above` are the numbers of the segments that head it: the item that an indented list stands
    under, a heading, a line that ends in a colon. `line` counts the lines; `item`: it is in a list.
    """

    start: int
    end: int
    line: int
    item: bool
    indent: int
    above: tuple[int, ...]
    values: tuple[Value, ...]


class AnswerText(msgspec.Struct, frozen=True):
    """A text as segments in order."""

    text: str
    segments: tuple[Segment, ...]

    def of(self, segment: Segment) -> str:
        """The segment's own text."""
        return self.text[segment.start : segment.end]


@lru_cache(maxsize=64)
def read_answer(text: str) -> AnswerText:
    """The segments of a text with their values. A number that only counts list items is no value."""
    values = read_values(text)
    segments: list[Segment] = []
    heads: list[tuple[int, int]] = []
    next_value = 0
    for line_number, line in enumerate(_LINE.finditer(text)):
        if len(segments) >= MOST_SEGMENTS:
            break
        indent, marker_end, item, heading = _layout(line[0])
        while heads and heads[-1][0] >= indent:
            heads.pop()
        above = tuple(number for _, number in heads)
        opened = len(segments)
        for start, end in _sentences(line[0]):
            first, last = line.start() + start, line.start() + end
            own: list[Value] = []
            while next_value < len(values) and values[next_value].start < last:
                if values[next_value].start >= max(first, line.start() + marker_end):
                    own.append(values[next_value])
                next_value += 1
            segments.append(Segment(first, last, line_number, item, indent, above, tuple(own)))
        if heading and len(segments) > opened:
            heads.append((indent, len(segments) - 1))
    return AnswerText(text, tuple(segments))


def _layout(line: str) -> tuple[int, int, bool, bool]:
    """How deep a line stands, where its marker ends, whether it is an item, whether it may head."""
    found = _MARKER.match(line)
    marker_end = found.end() if found else 0
    spaces = len(line) - len(line.lstrip(" \t>"))
    stripped = line.strip()
    numbered = bool(found and found["number"])
    item = numbered or stripped[:2] in {"- ", "* ", "+ ", "• "}
    bold = stripped.startswith(("**", "##", "# "))
    heading = item or bold or stripped.rstrip("*_ ").endswith(":")
    # A heading stands above items of its own depth; a list item above what is deeper.
    depth = 2 * spaces + (1 if item else 0)
    return depth, marker_end, item, heading


def _sentences(line: str) -> Iterator[tuple[int, int]]:
    start = 0
    ends = any(map(line.__contains__, ".!?;"))
    for found in _ENDING.finditer(line) if ends else ():
        if _ABBREVIATED.search(line, max(start, found.start() - 8), found.start()):
            continue
        yield start, found.end()
        start = found.end()
    if start < len(line):
        yield start, len(line)
