"""Patterns of ECMA-262 (the `u` flag, read leniently) into expressions.

Read are the regular ones. Look-around, references back, word boundaries and property escapes end
in `NotRegular`. Nothing is matched by backtracking, so no pattern takes long to read.
"""

from __future__ import annotations

from groundwire.contracts.regex.characters import (
    DIGITS,
    EVERY,
    NO_LINE_END,
    SPACES,
    WORD,
    Ranges,
    complement,
    union,
)
from groundwire.contracts.regex.expressions import EMPTY, END, ENDLESS, START, Expressions, TooLarge

MAX_CHARACTERS = 5_000
MAX_NESTING = 40
MAX_PARTS = 200

_CLASSES: dict[str, Ranges] = {
    "d": DIGITS,
    "D": complement(DIGITS),
    "w": WORD,
    "W": complement(WORD),
    "s": SPACES,
    "S": complement(SPACES),
}
_CONTROLS = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13}
_HEX = frozenset("0123456789abcdefABCDEF")


class NotRegular(Exception):
    """The pattern is invalid, or says more than a regular expression can; `args[0]` is why."""


def read_pattern(pattern: str, expressions: Expressions) -> int:
    """The expression of all texts in which `pattern` is found, anywhere in them.

    Raises:
        NotRegular: `pattern-invalid`, `pattern-not-regular`, `pattern-too-large`.
    """
    if len(pattern) > MAX_CHARACTERS:
        raise NotRegular("pattern-too-large")
    try:
        reader = _Reader(pattern, expressions)
        found = reader.choices(0)
        if reader.at < len(pattern):
            raise NotRegular("pattern-invalid")
        anything = expressions.anything
        return expressions.then(anything, expressions.then(found, anything))
    except TooLarge as error:
        raise NotRegular("pattern-too-large") from error


class _Reader:
    """Where the reading of one pattern stands."""

    def __init__(self, pattern: str, expressions: Expressions) -> None:
        self._pattern = pattern
        self._make = expressions
        self._parts = 0
        self.at = 0

    def _next(self) -> str:
        return self._pattern[self.at] if self.at < len(self._pattern) else ""

    def _take(self, text: str) -> bool:
        if not self._pattern.startswith(text, self.at):
            return False
        self.at += len(text)
        return True

    def choices(self, depth: int) -> int:
        if depth > MAX_NESTING:
            raise NotRegular("pattern-too-large")
        found = [self._sequence(depth)]
        while self._take("|"):
            found.append(self._sequence(depth))
        return self._make.either(found)

    def _sequence(self, depth: int) -> int:
        parts: list[int] = []
        while self._next() not in {"", "|", ")"}:
            parts.append(self._repeated(self._atom(depth)))
        self._parts += len(parts)
        if self._parts > MAX_PARTS:
            raise NotRegular("pattern-too-large")
        whole = EMPTY
        for part in reversed(parts):
            whole = self._make.then(part, whole)
        return whole

    def _atom(self, depth: int) -> int:
        sign = self._next()
        self.at += 1
        if sign == "^":
            return START
        if sign == "$":
            return END
        if sign == ".":
            return self._make.characters(NO_LINE_END)
        if sign == "(":
            return self._group(depth)
        if sign == "[":
            return self._make.characters(self._class())
        if sign == "\\":
            return self._make.characters(self._escape(in_class=False))
        if sign in "*+?{":
            raise NotRegular("pattern-invalid")
        return self._make.characters(union([(ord(sign), ord(sign))]))

    def _group(self, depth: int) -> int:
        if self._take("?<") and self._next() not in {"=", "!"}:
            end = self._pattern.find(">", self.at)
            if end < 0 or not self._pattern[self.at : end].isidentifier():
                raise NotRegular("pattern-invalid")
            self.at = end + 1
        elif not self._take("?:") and (self._next() == "?" or self._pattern[self.at - 1] == "<"):
            raise NotRegular("pattern-not-regular")
        found = self.choices(depth + 1)
        if not self._take(")"):
            raise NotRegular("pattern-invalid")
        return found

    def _repeated(self, part: int) -> int:
        least, most = 1, 1
        if self._take("*"):
            least, most = 0, ENDLESS
        elif self._take("+"):
            most = ENDLESS
        elif self._take("?"):
            least = 0
        elif self._take("{"):
            least, most = self._counts()
        else:
            return part
        self._take("?")
        if self._next() in {"*", "+", "?"}:
            raise NotRegular("pattern-invalid")
        return self._make.repeat(part, least, most)

    def _counts(self) -> tuple[int, int]:
        least = self._number()
        most = least
        if self._take(","):
            most = ENDLESS if self._next() == "}" else self._number()
        if not self._take("}") or (most != ENDLESS and most < least):
            raise NotRegular("pattern-invalid")
        return least, most

    def _number(self) -> int:
        digits = ""
        while self._next() in DIGIT_SIGNS:
            digits += self._next()
            self.at += 1
        if not digits:
            raise NotRegular("pattern-invalid")
        if len(digits) > 6:
            raise NotRegular("pattern-too-large")
        return int(digits)

    def _class(self) -> Ranges:
        negated = self._take("^")
        found: list[tuple[int, int]] = []
        while not self._take("]"):
            first = self._member()
            if self._next() == "-" and self._pattern[self.at + 1 : self.at + 2] != "]":
                self.at += 1
                last = self._member()
                found.extend(_range(first, last))
            else:
                found.extend(first)
        ranges = union(found)
        return complement(ranges) if negated else ranges

    def _member(self) -> Ranges:
        sign = self._next()
        if not sign:
            raise NotRegular("pattern-invalid")
        self.at += 1
        if sign == "\\":
            return self._escape(in_class=True)
        return ((ord(sign), ord(sign)),)

    def _escape(self, *, in_class: bool) -> Ranges:
        sign = self._next()
        self.at += 1
        if sign in _CLASSES:
            return _CLASSES[sign]
        if sign == "b" and in_class:
            return ((8, 8),)
        if sign in _CONTROLS:
            point = _CONTROLS[sign]
        elif sign == "c":
            point = self._control()
        elif sign == "x":
            point = self._hex(2)
        elif sign == "u":
            point = self._unicode()
        elif sign == "0" and self._next() not in DIGIT_SIGNS:
            point = 0
        else:
            point = _literal(sign)
        return ((point, point),)

    def _control(self) -> int:
        letter = self._next()
        if not (letter.isascii() and letter.isalpha()):
            raise NotRegular("pattern-invalid")
        self.at += 1
        return ord(letter) % 32

    def _hex(self, count: int) -> int:
        digits = self._pattern[self.at : self.at + count]
        if len(digits) < count or not _HEX.issuperset(digits):
            raise NotRegular("pattern-invalid")
        self.at += count
        return int(digits, 16)

    def _unicode(self) -> int:
        if self._take("{"):
            end = self._pattern.find("}", self.at)
            point = self._hex(end - self.at) if 0 < end - self.at <= 6 else -1
            if not 0 <= point <= EVERY[-1][1]:
                raise NotRegular("pattern-invalid")
            self.at += 1
            return point
        point = self._hex(4)
        if 0xD800 <= point < 0xDC00 and self._take("\\u"):
            low = self._hex(4)
            if not 0xDC00 <= low < 0xE000:
                raise NotRegular("pattern-invalid")
            return 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00)
        return point


DIGIT_SIGNS = frozenset("0123456789")


def _range(first: Ranges, last: Ranges) -> Ranges:
    """From `first` to `last`; where one is a class of many, the hyphen means itself."""
    if not _is_one(first) or not _is_one(last):
        return (*first, (0x2D, 0x2D), *last)
    if last[0][0] < first[0][0]:
        raise NotRegular("pattern-invalid")
    return ((first[0][0], last[0][0]),)


def _is_one(ranges: Ranges) -> bool:
    return len(ranges) == 1 and ranges[0][0] == ranges[0][1]


def _literal(sign: str) -> int:
    if not sign:
        raise NotRegular("pattern-invalid")
    if sign.isascii() and sign.isalnum():
        # Letters and digits that ECMA-262 gives another meaning: \b \B \k \p \P and \1 ... \9.
        known = sign in "bBkpP" or sign.isdigit()
        raise NotRegular("pattern-not-regular" if known else "pattern-invalid")
    return ord(sign)
