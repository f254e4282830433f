"""Secrets by their shape: where in some bytes something stands that opens a door.

One pass per rare mark (`-`, `_`, `A`, `.`, `@` and a few words) finds where a secret could be; only
there the expensive look is taken. What is found, and what is not, is `find_secrets`' docstring.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

import msgspec

from groundwire.recording.content import CONTINUED
from groundwire.recording.withholding import shapes


class Secret(msgspec.Struct, frozen=True, order=True):
    """`[start, end)` in bytes, and the closed word for its shape.

    Where a stream hands a secret over in pieces, the first piece has all of it in `joined` and the
    others have the shape `continued`.
    """

    start: int
    end: int
    shape: str
    joined: bytes = b""


# The digits of a JSON escape for an ASCII character: a key may be spelled with such, at any depth
# of nesting, and a look at the bytes as they stand would miss it.
_DIGITS = re.compile(rb"[0-7][0-9a-fA-F]")
_BACKSLASH = 0x5C

# How a stream of events begins: maybe a mark or empty lines, then a field or a comment.
_STREAM = re.compile(rb"(?:\xef\xbb\xbf)?[\r\n]*(?:data|event|id|retry)?:")

# The strings in which a stream hands over text bit by bit, whatever the provider.
_PIECE = re.compile(
    rb'"(content|text|partial_json|arguments|delta|thinking|reasoning|reasoning_content|refusal)"'
    rb'\s{0,4}:\s{0,4}"([^"\\]*(?:\\.[^"\\]*)*)"'
)


def find_secrets(data: bytes) -> list[Secret]:
    """Every stretch of `data` that has the shape of a secret, in order and apart from one another.

    Knows: keys of model providers, clouds and code hosts by their prefixes, JSON web tokens, PEM
    private keys, `Bearer` tokens and values of `Authorization` and `x-api-key`, passwords inside
    URLs; also where a word stands before one, with a hyphen or an underscore. It reads through JSON escapes at any depth, and through the pieces of a streamed text.

    Does not find: secrets without a shape (a password in prose, a bare AWS secret key), a secret
    inside base64, compression or another encoding than UTF-8, one whose pieces are spread over
    several messages, or over parts of a stream that are interleaved with others of the same name.

    UUIDs, hexadecimal digests, ids of calls and base64 media are not secrets by their shape.
    """
    found = [*_escaped(data)] if b"\\u00" in data else [*_scan(data)]
    if _STREAM.match(data):
        found.extend(_streamed(data))
    return _apart(found) if found else found


def _scan(data: bytes) -> Iterator[Secret]:
    for mark, look in shapes.MARKS:
        for hit in mark.finditer(data):
            stretch = look(data, hit.start())
            if stretch is not None:
                yield Secret(*stretch)
    for word, look in shapes.WORDS:
        at = data.find(word)
        while at >= 0:
            stretch = look(data, at)
            if stretch is not None:
                yield Secret(*stretch)
            at = data.find(word, at + len(word))


def _escapes(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Start and end of each escape of an ASCII character, and the character."""
    at = data.find(b"\\u00")
    while at >= 0:
        digits = _DIGITS.match(data, at + 4)
        if digits:
            start = at
            while start > 0 and data[start - 1] == _BACKSLASH:
                start -= 1
            yield start, at + 6, bytes((int(digits[0], 16),))
        at = data.find(b"\\u00", at + 4)


def _escaped(data: bytes) -> Iterator[Secret]:
    """Secrets of the text with its ASCII escapes resolved, at their places in `data`."""
    pieces: list[bytes] = []
    starts: list[tuple[int, int]] = []  # of every piece: in the text, in `data`
    plain = at = 0
    for start, end, character in _escapes(data):
        pieces += (data[at:start], character)
        starts += ((plain, at), (plain + start - at, start))
        plain += start - at + 1
        at = end
    pieces.append(data[at:])
    starts.append((plain, at))

    def places(position: int) -> tuple[int, int]:
        # Odd pieces are escapes: one character, whose place is the whole escape.
        index = bisect_right(starts, position, key=lambda start: start[0]) - 1
        if index % 2:
            return starts[index][1], starts[index + 1][1]
        place = position - starts[index][0] + starts[index][1]
        return place, place + 1

    for secret in _scan(b"".join(pieces)):
        yield Secret(places(secret.start)[0], places(secret.end - 1)[1], secret.shape)


def _streamed(data: bytes) -> Iterator[Secret]:
    """Secrets of the texts that a stream's events hand over in pieces."""
    channels: dict[bytes, list[tuple[int, int]]] = {}
    for piece in _PIECE.finditer(data):
        start, end = piece.span(2)
        if start < end:
            channels.setdefault(piece[1], []).append((start, end))
    for spans in channels.values():
        starts = [0]
        for start, end in spans:
            starts.append(starts[-1] + end - start)
        text = b"".join([data[start:end] for start, end in spans])
        for secret in _escaped(text) if b"\\u00" in text else _scan(text):
            first = bisect_right(starts, secret.start) - 1
            last = bisect_right(starts, secret.end - 1) - 1
            for index in range(first, last + 1):
                begin = spans[index][0] - starts[index]
                yield Secret(
                    max(secret.start, starts[index]) + begin,
                    min(secret.end, starts[index + 1]) + begin,
                    secret.shape if index == first else CONTINUED,
                    text[secret.start : secret.end] if index == first != last else b"",
                )


def _apart(found: Iterable[Secret]) -> list[Secret]:
    apart: list[Secret] = []
    for secret in sorted(found):
        if apart and secret.start < apart[-1].end:
            last = apart[-1]
            wider = last if last.end - last.start >= secret.end - secret.start else secret
            apart[-1] = Secret(
                last.start, max(last.end, secret.end), wider.shape, last.joined or secret.joined
            )
        else:
            apart.append(secret)
    return apart
