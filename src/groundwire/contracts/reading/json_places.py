"""Where in a JSON text a pointer leads; the objects on the way are laid out once."""

from __future__ import annotations

import re
from typing import TypeAlias

import msgspec

from groundwire.contracts.reading.plain_text import Lines

_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ARRAY = msgspec.json.Decoder(list[msgspec.Raw])
_TEXT = msgspec.json.Decoder(str)

_SPACE = re.compile(rb"[ \t\n\r]*+")
_KEY = re.compile(rb'[ \t\n\r]*+("(?:[^"\\]++|\\.)*+")[ \t\n\r]*+:[ \t\n\r]*+', re.DOTALL)
_NEXT = re.compile(rb"[ \t\n\r]*+,?[ \t\n\r]*+")
_STRING_OR_BRACKET = re.compile(rb'("(?:[^"\\]++|\\.)*+")|[\[\]{}]', re.DOTALL)
_COLON = re.compile(rb"[ \t\n\r]*+:")

_Names: TypeAlias = tuple[str, ...]


class Span(msgspec.Struct, frozen=True):
    """A member or element: where its key (or else its value) begins, and the range of its value."""

    at: int
    start: int
    end: int


class Places:
    """The places of one valid JSON text, in which no key stands twice."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        start = _end(_SPACE, text, 0)
        self._root = Span(start, start, len(text.rstrip(b" \t\n\r")))
        self._laid_out: dict[_Names, dict[str, Span]] = {}
        self._lines: Lines | None = None

    def members(self, names: _Names) -> dict[str, Span]:
        """The members or elements of what stands at `names`; none where they lead to none."""
        self._part((*names, ""))
        return self._laid_out.get(names, {})

    def at(self, names: _Names) -> tuple[int, int] | None:
        """Line and column of the member's key, or the element; None where nothing stands."""
        part = self._part(names)
        return None if part is None else self._place(part.at)

    def _place(self, at: int) -> tuple[int, int]:
        if self._lines is None:
            self._lines = Lines(self._text)
        return self._lines.place(at)

    def twice(self, outer: _Names, name: str) -> tuple[tuple[int, int], tuple[int, int]]:
        """The places of the first two members `name` of the object at `outer`."""
        whole = self._part(outer) or self._root
        found: list[int] = []
        depth = 0
        for token in _STRING_OR_BRACKET.finditer(self._text, whole.start, whole.end):
            if token[1] is None:
                depth += 1 if token[0] in b"[{" else -1
            elif (
                depth == 1
                and _COLON.match(self._text, token.end())
                and _TEXT.decode(token[1]) == name
            ):
                found.append(token.start())
        first, second, *_ = map(self._place, (found * 2)[:2] or [whole.start] * 2)
        return first, second

    def _part(self, names: _Names) -> Span | None:
        part: Span | None = self._root
        for depth, name in enumerate(names):
            outer = names[:depth]
            members = self._laid_out.get(outer)
            if members is None and part is not None:
                members = self._laid_out[outer] = self._members(part)
            part = members.get(name) if members is not None else None
            if part is None:
                return None
        return part

    def _members(self, whole: Span) -> dict[str, Span]:
        view = memoryview(self._text)[whole.start : whole.end]
        match self._text[whole.start : whole.start + 1]:
            case b"{":
                return self._of_object(whole, _OBJECT.decode(view))
            case b"[":
                return self._of_array(whole, _ARRAY.decode(view))
            case _:
                return {}

    def _of_object(self, whole: Span, raws: dict[str, msgspec.Raw]) -> dict[str, Span]:
        found: dict[str, Span] = {}
        at = whole.start + 1
        for name, raw in raws.items():
            key = _KEY.match(self._text, at, whole.end)
            if key is None:
                break
            end = key.end() + len(raw)
            found[name] = Span(key.start(1), key.end(), end)
            at = _end(_NEXT, self._text, end)
        return found

    def _of_array(self, whole: Span, raws: list[msgspec.Raw]) -> dict[str, Span]:
        found: dict[str, Span] = {}
        at = _end(_SPACE, self._text, whole.start + 1)
        for index, raw in enumerate(raws):
            end = at + len(raw)
            found[str(index)] = Span(at, at, end)
            at = _end(_NEXT, self._text, end)
        return found


def steps_of(pointer: str) -> _Names:
    """The names on the way to an RFC 6901 pointer, unescaped."""
    return tuple(each.replace("~1", "/").replace("~0", "~") for each in pointer.split("/")[1:])


def _end(pattern: re.Pattern[bytes], text: bytes, at: int) -> int:
    found = pattern.match(text, at)
    return at if found is None else found.end()
