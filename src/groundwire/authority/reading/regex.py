r"""Regex: a regular expression of the plain kind as a tree, with what each part begins with.

Plain are literals, classes, `.`, groups, alternatives, greedy or lazy repeats, `^`, `$`, `\b` and a
leading `(?i)`. Sets of characters are bit masks: one bit for each of ASCII, and four for the
rest (digits, other letters, spaces, everything else); a set may be too large, never too small.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeAlias

import msgspec

MAX_REPEAT = 1000
MAX_DEPTH = 20

_DIGIT, _LETTER, _SPACE, _OTHER = (1 << bit for bit in range(128, 132))
_ASCII = (1 << 128) - 1
ANY = (1 << 132) - 1
_COUNT = re.compile(r"\{(\d{1,4})(?:(,)(\d{0,4}))?\}", re.ASCII)
_ZERO_WIDTH = frozenset("bBAZ")
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v"}


class NotPlain(Exception):
    """The pattern is none of the plain kind; the message says why, as the end of a sentence."""


class Atom(msgspec.Struct, frozen=True):
    """One character out of a set; or, where the set is empty, an edge that takes none."""

    chars: int

    @property
    def first(self) -> int:
        return self.chars

    @property
    def least(self) -> int:
        return 1 if self.chars else 0

    @property
    def is_nullable(self) -> bool:
        return not self.chars


class Group(msgspec.Struct, frozen=True):
    """Alternatives in parentheses."""

    choice: Choice

    @property
    def chars(self) -> int:
        return _union(node.chars for each in self.choice.each for node in each.nodes)

    @property
    def first(self) -> int:
        return _union(each.first for each in self.choice.each)

    @property
    def least(self) -> int:
        return min(each.least for each in self.choice.each)

    @property
    def is_nullable(self) -> bool:
        return not self.least


class Repeat(msgspec.Struct, frozen=True):
    """`body` from `least` to `most` times; without an end where `most` is None."""

    body: Atom | Group
    low: int
    most: int | None

    @property
    def chars(self) -> int:
        return self.body.chars

    @property
    def first(self) -> int:
        return self.body.first

    @property
    def least(self) -> int:
        return self.low

    @property
    def is_nullable(self) -> bool:
        return not self.low or self.body.is_nullable


Node: TypeAlias = Atom | Group | Repeat


class Sequence(msgspec.Struct, frozen=True):
    """Parts one after the other."""

    nodes: tuple[Node, ...]

    @property
    def first(self) -> int:
        first = 0
        for node in self.nodes:
            first |= node.first
            if not node.is_nullable:
                break
        return first

    @property
    def least(self) -> int:
        return sum(0 if node.is_nullable else node.least for node in self.nodes)


class Choice(msgspec.Struct, frozen=True):
    """Alternatives; there is at least one."""

    each: tuple[Sequence, ...]

    @property
    def is_clear(self) -> bool:
        """Whether the next character decides between them."""
        seen = 0
        for sequence in self.each:
            if sequence.first & seen or (len(self.each) > 1 and not sequence.least):
                return False
            seen |= sequence.first
        return True


def read_regex(pattern: str) -> Choice:
    """The tree of a pattern.

    Raises:
        NotPlain: it has a part that is not of the plain kind.
    """
    folds = pattern.startswith("(?i)")
    reader = _Reader(pattern, 4 if folds else 0, folds=folds)
    choice = reader.choice(0)
    if reader.at < len(pattern):
        raise NotPlain("has a parenthesis that nothing opened")
    return choice


class _Reader:
    def __init__(self, pattern: str, at: int, *, folds: bool) -> None:
        self.pattern = pattern
        self.at = at
        self._folds = folds

    def choice(self, depth: int) -> Choice:
        if depth > MAX_DEPTH:
            raise NotPlain("nests too deep")
        sequences = [self._sequence(depth)]
        while self._peek() == "|":
            self.at += 1
            sequences.append(self._sequence(depth))
        return Choice(tuple(sequences))

    def _sequence(self, depth: int) -> Sequence:
        nodes: list[Node] = []
        while self._peek() not in {"", "|", ")"}:
            nodes.append(self._repeated(self._atom(depth)))
        return Sequence(tuple(nodes))

    def _repeated(self, body: Atom | Group) -> Node:
        low, most = self._count()
        if (low, most) == (1, 1):
            return body
        if isinstance(body, Atom) and not body.chars:
            raise NotPlain("repeats an edge")
        if self._peek() == "?":
            self.at += 1
        if self._peek() in {"*", "+", "?"} or _COUNT.match(self.pattern, self.at):
            raise NotPlain("repeats a repeat")
        return Repeat(body, low, most)

    def _count(self) -> tuple[int, int | None]:
        simple: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
        if self._peek() in simple:
            self.at += 1
            return simple[self.pattern[self.at - 1]]
        found = _COUNT.match(self.pattern, self.at)
        if found is None:
            if self._peek() == "{":
                raise NotPlain("has a brace that counts nothing; write \\{")
            return 1, 1
        self.at = found.end()
        low = int(found[1])
        most = low if not found[2] else int(found[3]) if found[3] else None
        if low > MAX_REPEAT or (most is not None and not low <= most <= MAX_REPEAT):
            raise NotPlain(f"repeats over {MAX_REPEAT} times, or from more to less")
        return low, most

    def _atom(self, depth: int) -> Atom | Group:
        taken = self._take()
        match taken:
            case "(":
                return self._group(depth)
            case "[":
                return Atom(self._class())
            case ".":
                return Atom(ANY & ~(1 << ord("\n")))
            case "^" | "$":
                return Atom(0)
            case "\\":
                if self._peek() in _ZERO_WIDTH:
                    self.at += 1
                    return Atom(0)
                return Atom(self._escape())
            case "*" | "+" | "?" | "{":
                raise NotPlain("repeats nothing")
            case _:
                return Atom(self._literal(taken))

    def _group(self, depth: int) -> Group:
        if self.pattern.startswith("?:", self.at):
            self.at += 2
        elif self._peek() in {"?", "*"}:
            raise NotPlain("looks around, refers back or sets flags; only (?:…) and (…) are read")
        group = Group(self.choice(depth + 1))
        if self._peek() != ")":
            raise NotPlain("has a parenthesis that nothing closes")
        self.at += 1
        return group

    def _class(self) -> int:
        negated = self._peek() == "^"
        self.at += negated
        may = sure = 0  # what it may hold, and what it holds for certain
        first = True
        while first or self._peek() != "]":
            first = False
            category = self._category()
            chars = category or self._range()
            may |= chars
            sure |= category or chars & _ASCII
        self.at += 1
        return ANY & ~sure if negated else may

    def _category(self) -> int:
        following = self.pattern[self.at + 1 : self.at + 2]
        if self._peek() != "\\" or following not in _CATEGORIES:
            return 0
        self.at += 2
        return _CATEGORIES[following]

    def _range(self) -> int:
        low = self._member()
        high = low
        if self._peek() == "-" and self.pattern[self.at + 1 : self.at + 2] not in {"]", ""}:
            self.at += 1
            high = self._member()
        if low > high:
            raise NotPlain("has a range that runs backwards")
        chars = _union(
            self._literal(chr(code)) for code in range(ord(low), min(ord(high), 127) + 1)
        )
        return chars | (ANY & ~_ASCII if ord(high) > 127 else 0)

    def _member(self) -> str:
        taken = self._take()
        if taken == "[" or (taken in "-&~|" and self._peek() == taken):
            raise NotPlain("has a class that other engines read otherwise; escape [ - & ~ |")
        return self._escaped() if taken == "\\" else taken

    def _escape(self) -> int:
        self.at -= 1
        known = self._category()
        if known:
            return known
        self.at += 1
        return self._literal(self._escaped())

    def _escaped(self) -> str:
        taken = self._take()
        if taken in _CONTROLS:
            return _CONTROLS[taken]
        if taken.isalnum():
            raise NotPlain(f"has \\{taken}, which is not read here")
        return taken

    def _literal(self, letter: str) -> int:
        chars = _mask(letter)
        if self._folds:
            # Some letters beyond ASCII have the same small letter as one within.
            chars |= _mask(letter.lower()[:1]) | _mask(letter.upper()[:1]) | _LETTER
        return chars

    def _peek(self) -> str:
        return self.pattern[self.at : self.at + 1]

    def _take(self) -> str:
        if self.at >= len(self.pattern):
            raise NotPlain("breaks off")
        self.at += 1
        return self.pattern[self.at - 1]


def _mask(letter: str) -> int:
    if ord(letter) < 128:
        return 1 << ord(letter)
    if letter.isdecimal():
        return _DIGIT
    if letter.isalnum():
        return _LETTER
    return _SPACE if letter.isspace() else _OTHER


def _union(sets: Iterable[int]) -> int:
    union = 0
    for each in sets:
        union |= each
    return union


def _ascii(matches: str) -> int:
    return _union(1 << code for code in range(128) if re.match(matches, chr(code)))


_CATEGORIES = {
    "d": _ascii(r"\d") | _DIGIT,
    "w": _ascii(r"\w") | _DIGIT | _LETTER,
    "s": _ascii(r"\s") | _SPACE,
}
_CATEGORIES |= {
    "D": ANY & ~_CATEGORIES["d"],
    "W": ANY & ~_CATEGORIES["w"],
    "S": ANY & ~_CATEGORIES["s"],
}
