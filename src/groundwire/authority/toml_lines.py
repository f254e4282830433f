"""Where each key of a TOML text stands: the reader that Python ships tells no positions."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import TypeAlias

Path: TypeAlias = tuple[str | int, ...]

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_SCALAR = re.compile(r"[^,\]}#\r\n]*")
_STRINGS = (
    re.compile(r'"""(?:[^\\]|\\.)*?"{3,5}', re.DOTALL),
    re.compile(r"'''.*?'{3,5}", re.DOTALL),
    re.compile(r'"(?:[^"\\\n]|\\.)*"'),
    re.compile(r"'[^'\n]*'"),
)


def key_lines(text: str) -> dict[Path, int]:
    """Maps the path of every key, table and array element of a TOML text to its first line.

    `text` must be TOML that `tomllib.loads` accepts; of other text the answer means nothing.
    Array elements, those of `[[tables]]` too, have their index in the path. Lines count from 1.
    """
    lines: dict[Path, int] = {}
    line, counted = 1, 0
    for path, offset in _Walker(text).document():
        line += text.count("\n", counted, offset)
        counted = offset
        lines.setdefault(path, line)
    return lines


class _Walker:
    """Yields (path, offset) of what it passes; knows only as much of TOML as that takes."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._tables: dict[Path, int] = {}  # how many elements each [[array of tables]] has

    def document(self) -> Iterator[tuple[Path, int]]:
        table: Path = ()
        while self._skip(_BLANK) < len(self._text):
            if self._text[self._at] == "[":
                start = self._at
                table = self._header()
                yield from ((table[:depth], start) for depth in range(1, len(table) + 1))
            else:
                yield from self._assignment(table)

    def _header(self) -> Path:
        array = self._text.startswith("[[", self._at)
        self._at += 2 if array else 1
        keys = self._keys()
        self._at += 2 if array else 1
        path: Path = ()
        for key in keys[:-1]:
            path = (*path, key)
            if path in self._tables:  # `[array.sub]` speaks of the array's last element
                path = (*path, self._tables[path] - 1)
        path = (*path, keys[-1])
        if array:
            self._tables[path] = self._tables.get(path, 0) + 1
            path = (*path, self._tables[path] - 1)
        return path

    def _assignment(self, table: Path) -> Iterator[tuple[Path, int]]:
        start = self._at
        path = table
        for key in self._keys():
            path = (*path, key)
            yield path, start
        self._at += 1  # the equals sign
        yield from self._value(path)

    def _value(self, path: Path) -> Iterator[tuple[Path, int]]:
        self._skip(_SPACE)
        opening = self._text[self._at : self._at + 1]
        if opening == "[":
            yield from self._members(path, closing="]")
        elif opening == "{":
            yield from self._members(path, closing="}")
        elif not self._string():
            self._skip(_SCALAR)

    def _members(self, path: Path, *, closing: str) -> Iterator[tuple[Path, int]]:
        self._at += 1
        index = 0
        while self._skip(_BLANK) < len(self._text):
            if self._text[self._at] == closing:
                self._at += 1
                return
            if self._text[self._at] == ",":
                self._at += 1
            elif closing == "}":
                yield from self._assignment(path)
            else:
                element: Path = (*path, index)
                yield element, self._at
                yield from self._value(element)
                index += 1

    def _keys(self) -> list[str]:
        keys: list[str] = []
        while True:
            self._skip(_SPACE)
            start = self._at
            if self._string():
                # The one way to read an escape that agrees with the reader: the reader itself.
                quoted = self._text[start : self._at]
                keys.extend(tomllib.loads(f"{quoted} = 0"))
            else:
                self._skip(_BARE_KEY)
                keys.append(self._text[start : self._at])
            self._skip(_SPACE)
            if self._text[self._at : self._at + 1] != ".":
                return keys
            self._at += 1

    def _string(self) -> bool:
        for pattern in _STRINGS:
            if found := pattern.match(self._text, self._at):
                self._at = found.end()
                return True
        return False

    def _skip(self, pattern: re.Pattern[str]) -> int:
        """Moves past what `pattern` matches here, if anything; the new offset."""
        if found := pattern.match(self._text, self._at):
            self._at = found.end()
        return self._at
