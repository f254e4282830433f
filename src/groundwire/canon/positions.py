"""Positions: which bytes of a JSON body a value is, and which bytes each character of a text.

A body is a stranger's and is never parsed whole: msgspec skips values at memory speed and says how
long each is. Every range is checked against the bytes before it is given out. A value may itself be
a text that holds JSON (a tool call's arguments): `TextMap.inner` goes on inside it, and still
speaks of bytes of the outermost body.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate, pairwise

from groundwire.canon import layout
from groundwire.canon.layout import Range, text_of
from groundwire.errors import EncodingError

__all__ = ["Range", "TextMap", "elements", "locate", "text_map"]

MAX_BYTES = 64 << 20
# Each step reads the value it steps into once more, so this bounds the work.
MAX_STEPS = 64
BLOCK = 2048

_INDEX = re.compile(r"(?:0|[1-9][0-9]{0,17})", re.ASCII)
_BAD_TILDE = re.compile(r"~(?![01])")
_WHITE_SPACE = b" \t\n\r"
# One escape is one character; so is the pair of escapes that spells an astral one.
_ESCAPE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.",
    re.DOTALL,
)
_LONGEST_ESCAPE = 6
_CONTINUATION = bytes(range(0x80, 0xC0))


def locate(body: bytes, pointer: str, *, within: Range | None = None) -> Range:
    """The exact bytes of the JSON value at an RFC 6901 pointer, without white space around them.

    Of a key that stands twice the last value is meant, as JSON readers take it. With `within`, the
    pointer starts at the value there, and only that is read; without it the whole body is checked
    to be one JSON text in UTF-8. Numbers out of range and lone surrogates beside the path are not
    looked for.

    Raises:
        EncodingError: `no-such-value`, `bad-pointer`, `not-json`, `too-deep` (the body, or over
            `MAX_STEPS` steps), `too-large`, `no-such-range`.
    """
    place = _trimmed(body) if within is None else within
    _demand_range(body, place)
    _demand_utf8(body[place.start : place.end])
    for step in _steps(pointer):
        opening = body[place.start : place.start + 1]
        if opening == b"{":
            place = layout.member(body, place, step)
        elif opening == b"[" and _INDEX.fullmatch(step):
            place = layout.element(body, place, int(step))
        else:
            layout.demand_value(body, place)
            raise layout.no_such_value()
    if pointer == "":
        layout.demand_value(body, place)
    return place


def elements(body: bytes, value: Range) -> list[Range]:
    """The bytes of each element of the JSON array at `value`, in order.

    Raises:
        EncodingError: `not-json` (or no array), `no-such-range`, `too-deep`, `too-large`.
    """
    _demand_range(body, value)
    _demand_utf8(body[value.start : value.end])
    return layout.elements(body, value)


def text_map(body: bytes, value: Range) -> TextMap:
    """The text of the JSON string at `value`, quotes included, and the way back to its bytes.

    Raises:
        EncodingError: `not-json` (no string, or one with a lone surrogate), `no-such-range`.
    """
    return TextMap(body, value)


class TextMap:
    """An unescaped JSON string, `text`, and which bytes of the body each character of it is.

    A character is a Unicode code point, however many escapes spell it.
    """

    __slots__ = ("_body", "_bytes", "_characters", "_inside", "_near", "_outer", "text")

    def __init__(self, body: bytes, value: Range, outer: TextMap | None = None) -> None:
        _demand_range(body, value)
        if value.end - value.start < 2 or body[value.start] != 0x22 or body[value.end - 1] != 0x22:
            raise EncodingError("not-json", "The bytes are not one JSON string with its quotes.")
        self._body = body
        self._outer = outer
        self._inside: _Utf8 | None = None
        # The block that was looked at last, and the runs in it: the next look is often near.
        self._near: tuple[int, list[int], list[int]] | None = None
        bounds = [*_blocks(body, value.start + 1, value.end - 1), value.end - 1]
        texts = [text_of(b'"' + body[start:end] + b'"') for start, end in pairwise(bounds)]
        # Where each block starts, in bytes of the body and in characters of the text.
        self._bytes = bounds
        self._characters = list(accumulate(map(len, texts), initial=0))
        self.text = "".join(texts)

    def byte_range(self, start: int, end: int) -> Range:
        """The bytes of the outermost body that spell the characters `[start, end)` of `text`.

        Raises:
            EncodingError: `no-such-range`.
        """
        if not 0 <= start <= end <= len(self.text):
            raise EncodingError("no-such-range", f"The text has {len(self.text)} characters.")
        return self._outermost(Range(self._offset(start), self._offset(end)))

    def value(self, pointer: str) -> Range:
        """The bytes, in the outermost body, of a value of the JSON document that `text` is.

        Raises:
            EncodingError: as `locate`.
        """
        inside = self.document()
        place = locate(inside.data, pointer)
        return self.byte_range(inside.character(place.start), inside.character(place.end))

    def inner(self, pointer: str) -> TextMap:
        """The map of a string in the JSON document that `text` is; ranges stay the outermost's.

        Raises:
            EncodingError: as `locate` and `text_map`.
        """
        data = self.document().data
        return TextMap(data, locate(data, pointer), self)

    def document(self) -> _Utf8:
        """The text as a document of its own, for ranges inside it."""
        if self._inside is None:
            self._inside = _Utf8(self.text.encode("utf-8"))
        return self._inside

    def _outermost(self, place: Range) -> Range:
        if self._outer is None:
            return place
        inside = self._outer.document()
        return self._outer.byte_range(inside.character(place.start), inside.character(place.end))

    def _offset(self, character: int) -> int:
        """Where in the body the character begins, or the text ends."""
        block = min(bisect_right(self._characters, character), len(self._bytes) - 1) - 1
        near = self._near
        if near is None or near[0] != block:
            self._near = near = (block, *self._runs(block))
        _, characters, places = near
        run = bisect_right(characters, character) - 1
        return places[run] + len(self.text[characters[run] : character].encode("utf-8"))

    def _runs(self, block: int) -> tuple[list[int], list[int]]:
        """Where the runs between escapes begin, in characters of the text and bytes of the body."""
        place, end = self._bytes[block], self._bytes[block + 1]
        character = self._characters[block]
        characters, places = [character], [place]
        is_ascii = self._body[place:end].isascii()
        for escape in _ESCAPE.finditer(self._body, place, end):
            start = escape.start()
            character += start - place if is_ascii else _characters(self._body[place:start])
            character += 1
            place = escape.end()
            characters.append(character)
            places.append(place)
        return characters, places


class _Utf8:
    """A document in UTF-8 that says which character begins at a byte."""

    __slots__ = ("_passed", "data")

    def __init__(self, data: bytes) -> None:
        self.data = data
        pieces = (data[start : start + BLOCK] for start in range(0, len(data), BLOCK))
        self._passed = list(accumulate(map(_characters, pieces), initial=0))

    def character(self, byte: int) -> int:
        block = byte // BLOCK
        return self._passed[block] + _characters(self.data[block * BLOCK : byte])


def _characters(utf8: bytes) -> int:
    """How many characters begin in this piece of UTF-8."""
    return len(utf8.translate(None, _CONTINUATION))


def _blocks(body: bytes, start: int, end: int) -> Iterator[int]:
    """Places about `BLOCK` bytes apart, `start` first, none inside the spelling of a character."""
    yield start
    while (start := _boundary(body, start, start + BLOCK, end)) < end:
        yield start


def _boundary(body: bytes, start: int, place: int, end: int) -> int:
    """The first place from `place` on between two characters, or `end`; `start` is one."""
    while place < end:
        if body[place] & 0xC0 == 0x80:
            place += 1
            continue
        slash = body.rfind(b"\\", start, place)
        if slash < place - _LONGEST_ESCAPE:
            return place
        # Of a run of backslashes each pair is a character; an odd one out begins an escape.
        run = body[start : slash + 1]
        escape = _ESCAPE.match(body, slash)
        if escape is None or not (len(run) - len(run.rstrip(b"\\"))) & 1:
            return place
        if escape.end() <= place:
            return place
        place = escape.end()
    return end


def _steps(pointer: str) -> list[str]:
    """The reference tokens of an RFC 6901 pointer, unescaped."""
    if pointer == "":
        return []
    if not pointer.startswith("/") or _BAD_TILDE.search(pointer):
        raise EncodingError("bad-pointer", "A JSON pointer is empty or begins with a slash.")
    steps = pointer[1:].split("/")
    if len(steps) > MAX_STEPS:
        raise EncodingError("too-deep", f"A pointer has at most {MAX_STEPS} steps.")
    return [step.replace("~1", "/").replace("~0", "~") for step in steps]


def _trimmed(body: bytes) -> Range:
    end = len(body.rstrip(_WHITE_SPACE))
    if end == 0:
        raise EncodingError("not-json", "The body is empty.")
    return Range(end - len(body[:end].lstrip(_WHITE_SPACE)), end)


def _demand_range(body: bytes, value: Range) -> None:
    """Raises unless the range is of this body, not empty, and has no white space at its ends."""
    if not 0 <= value.start < value.end <= len(body):
        raise EncodingError("no-such-range", "The range is empty or not one of this body's.")
    if body[value.start] in _WHITE_SPACE or body[value.end - 1] in _WHITE_SPACE:
        raise EncodingError("no-such-range", "White space stands at the ends of the range.")
    if value.end - value.start > MAX_BYTES:
        raise EncodingError("too-large", f"The value has over {MAX_BYTES} bytes.")


def _demand_utf8(data: bytes) -> None:
    try:
        # Reading ASCII as text would only copy it.
        _ = data.isascii() or data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise EncodingError("not-json", "The body is not UTF-8.") from error
