"""What bytes must be before they are read as text: UTF-8, of a bounded size, not empty."""

from __future__ import annotations

import re
from bisect import bisect_right
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

    Of most texts it is kept only how many lines end before each block, not where each begins.
    """

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._starts: list[int] = []
        self._before: list[int] = []
        if b"\r" in text:
            self._starts = [0, *(found.end() for found in _BREAK.finditer(text))]
        else:
            blocks = range(0, len(text) + 1, _BLOCK)
            ends = (text.count(b"\n", block, block + _BLOCK) for block in blocks)
            self._before = [0, *accumulate(ends)]

    def place(self, at: int) -> tuple[int, int]:
        """As `place`."""
        if self._starts:
            line = bisect_right(self._starts, at)
            start = self._starts[line - 1]
        else:
            block = at // _BLOCK
            line = 1 + self._before[block] + self._text.count(b"\n", block * _BLOCK, at)
            start = self._text.rfind(b"\n", 0, at) + 1
        return line, len(self._text[start:at].translate(None, _CONTINUATION)) + 1
