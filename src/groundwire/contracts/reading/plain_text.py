"""What bytes must be before they are read as text: UTF-8, of a bounded size, not empty."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from itertools import accumulate

from groundwire.contracts.reading.unreadable import Unreadable

MAX_BYTES = 64 << 20
_BLOCK = 1 << 16

_MARK = b"\xef\xbb\xbf"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_CONTINUATION = bytes(range(0x80, 0xC0))
_BREAK = re.compile(rb"\r\n?|\n")


def checked(data: bytes) -> bytes:
    """`data` without a byte order mark; not UTF-16, and without a NUL.

    Whether it is UTF-8 is for `demand_utf8` to say.

    Raises:
        Unreadable: `too-large`, `empty-file`, `not-utf-8`, `nul-in-file`.
    """
    if len(data) > MAX_BYTES:
        raise Unreadable("too-large", f"The file has over {MAX_BYTES >> 20} MiB.")
    # Two ASCII characters in UTF-16 have a NUL among their four bytes, and in UTF-32 more of them.
    if data.startswith(_UTF_16) or (b"\0" in data[:4] and data[:4].strip(b"\0")):
        raise Unreadable("not-utf-8", "The file is in UTF-16 or UTF-32; write it in UTF-8.")
    text = data.removeprefix(_MARK)
    if not text or text.isspace():
        raise Unreadable("empty-file", "The file is empty.")
    at = text.find(b"\0")
    if at >= 0:
        line, column = place(text, at)
        raise Unreadable("nul-in-file", "The file holds a NUL, which no text has.", line, column)
    return text


def demand_utf8(text: bytes) -> None:
    """Nothing, where `text` is UTF-8.

    Raises:
        Unreadable: `not-utf-8`.
    """
    try:
        # Reading ASCII as text would only copy it.
        _ = text.isascii() or text.decode("utf-8")
    except UnicodeDecodeError as error:
        where = place(text, error.start)
        raise Unreadable("not-utf-8", "The file is not UTF-8.", *where) from error


def place(text: bytes, at: int) -> tuple[int, int]:
    """Line and column of the byte `at`, both from 1; a column is a character."""
    line, start = 1, 0
    for found in _BREAK.finditer(text, 0, at):
        line, start = line + 1, found.end()
    return line, len(text[start:at].translate(None, _CONTINUATION)) + 1


class Lines:
    """Where the lines of a text begin, so that many places in it are found without counting anew.

    Of most texts it is kept only how many lines end before each block, not where each begins; and
    how many characters do, where a character may be several bytes.
    """

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._starts: list[int] = []
        self._before: list[int] = []
        self._characters: list[int] = []
        blocks = range(0, len(text) + 1, _BLOCK)
        if b"\r" in text:
            self._starts = [0, *(found.end() for found in _BREAK.finditer(text))]
        else:
            ends = (text.count(b"\n", block, block + _BLOCK) for block in blocks)
            self._before = [0, *accumulate(ends)]
        if not text.isascii():
            counts = (_count(text, block, block + _BLOCK) for block in blocks)
            self._characters = [0, *accumulate(counts)]

    def place(self, at: int) -> tuple[int, int]:
        """As `place`."""
        if self._starts:
            line = bisect_right(self._starts, at)
            return line, 1 + self._between(self._starts[line - 1], at)
        block = at // _BLOCK
        breaks = self._before[block] + self._text.count(b"\n", block * _BLOCK, at)
        start = 0
        if breaks:
            # The block in which the last of them stands.
            last = bisect_left(self._before, breaks) - 1
            start = self._text.rfind(b"\n", last * _BLOCK, min(at, (last + 1) * _BLOCK)) + 1
        return 1 + breaks, 1 + self._between(start, at)

    def _between(self, start: int, end: int) -> int:
        """How many characters begin there."""
        if not self._characters:
            return end - start
        first, last = start // _BLOCK + 1, end // _BLOCK
        if first > last:
            return _count(self._text, start, end)
        whole = self._characters[last] - self._characters[first]
        ends = _count(self._text, start, first * _BLOCK), _count(self._text, last * _BLOCK, end)
        return whole + sum(ends)


def _count(text: bytes, start: int, end: int) -> int:
    """How many characters begin between two bytes."""
    return len(text[start:end].translate(None, _CONTINUATION))
