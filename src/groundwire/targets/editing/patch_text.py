"""Unified diffs as text: read into hunks, strictly. What git writes around them is read too."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from groundwire.errors import EncodingError

_HUNK = re.compile(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(?: .*)?\Z")
_ESCAPED = re.compile(rb'\\([abtnvfr"\\]|[0-3][0-7]{2})')
_LETTERS: Final = dict(zip(b'abtnvfr"\\', b'\a\b\t\n\v\f\r"\\', strict=True))
_NOWHERE: Final = b"/dev/null"
_MODES: Final = {b"100644": 0o644, b"100755": 0o755}


class Hunk(msgspec.Struct, frozen=True, kw_only=True):
    """Lines that have to stand there and those in their place, each with its line feed, if any.

    `start` is the first of the old ones, counted from 1; where there is none, the line before.
    """

    start: int
    old: tuple[bytes, ...]
    new: tuple[bytes, ...]


class FilePatch(msgspec.Struct, frozen=True, kw_only=True):
    """What a diff does to one file. `old` None: it is made; `new` None: it is deleted."""

    old: str | None
    new: str | None
    hunks: tuple[Hunk, ...]
    mode: int | None = None


def read_patch(text: str) -> tuple[FilePatch, ...]:
    """The files of a unified diff in their order.

    Lines before the first header and between files are passed over, as every tool does; inside of
    a hunk nothing is. The counts in a hunk's head have to be those of its lines.

    Raises:
        EncodingError: `patch-malformed`; `patch-unsupported`: binary, a link, a copy, a submodule.
    """
    try:
        reader = _Reader(text.encode())
    except UnicodeEncodeError as error:
        raise _malformed(0, "has half a character") from error
    files: list[FilePatch] = []
    while not reader.done():
        found = reader.file()
        if found is not None:
            files.append(found)
    if not files:
        raise _malformed(0, "has no file: it begins with `--- ` and `+++ ` lines")
    return tuple(files)


class _Reader:
    """Where in the lines the reading stands."""

    def __init__(self, data: bytes) -> None:
        self._lines = data.split(b"\n")
        self._ends_whole = self._lines[-1] == b""
        if self._ends_whole:
            self._lines.pop()
        self._at = 0

    def done(self) -> bool:
        return self._at >= len(self._lines)

    def file(self) -> FilePatch | None:
        """The file that begins here; None, one line on, where none does."""
        line = self._lines[self._at]
        if line.startswith(b"diff --git "):
            return self._git_file()
        if line.startswith(b"--- ") and self._peek(1).startswith(b"+++ "):
            old, new = self._sides()
            return self._whole(old, new, self._hunks(), None)
        if line.startswith(b"@@ "):
            raise _malformed(
                self._at + 1, "has a hunk before the `---` and `+++` lines of its file"
            )
        self._at += 1
        return None

    def _git_file(self) -> FilePatch:
        at = self._at
        self._at += 1
        said: dict[bytes, bytes] = {}
        while not self.done() and not self._peek(0).startswith((b"--- ", b"diff --git ", b"@@ ")):
            line = self._peek(0)
            self._refuse_unsupported(line)
            for key in (b"rename from", b"rename to", b"new file mode", b"deleted file mode",
                        b"old mode", b"new mode"):  # fmt: skip
                if line.startswith(key + b" "):
                    said[key] = line[len(key) + 1 :]
            self._at += 1
        mode = self._mode(said.get(b"new file mode", said.get(b"new mode")))
        if not self.done() and self._peek(0).startswith(b"--- "):
            old, new = self._sides()
            return self._whole(old, new, self._hunks(), mode)
        if b"rename from" in said and b"rename to" in said:
            old, new = _name(said[b"rename from"], b""), _name(said[b"rename to"], b"")
            return FilePatch(old=old, new=new, hunks=(), mode=mode)
        name = self._same_name(at)
        if b"new file mode" in said:
            return FilePatch(old=None, new=name, hunks=(), mode=mode)
        if b"deleted file mode" in said:
            return FilePatch(old=name, new=None, hunks=())
        if mode is None:
            raise _malformed(at + 1, "names a file and says nothing of what to do to it")
        return FilePatch(old=name, new=name, hunks=(), mode=mode)

    def _sides(self) -> tuple[str | None, str | None]:
        old, new = self._peek(0)[4:], self._peek(1)
        if not new.startswith(b"+++ "):
            raise _malformed(self._at + 2, "has no `+++` line after its `---` line")
        self._at += 2
        return _side(old, b"a/"), _side(new[4:], b"b/")

    def _whole(
        self, old: str | None, new: str | None, hunks: tuple[Hunk, ...], mode: int | None
    ) -> FilePatch:
        if not hunks or (old is None and new is None):
            raise _malformed(self._at, "names a file without any hunk")
        if (old is None and any(hunk.old for hunk in hunks)) or (
            new is None and any(hunk.new for hunk in hunks)
        ):
            raise _malformed(self._at, "has lines of a file that it says is not there")
        return FilePatch(old=old, new=new, hunks=hunks, mode=mode)

    def _hunks(self) -> tuple[Hunk, ...]:
        hunks: list[Hunk] = []
        while not self.done() and self._peek(0).startswith(b"@@ "):
            hunks.append(self._hunk())
        return tuple(hunks)

    def _hunk(self) -> Hunk:
        head = _HUNK.match(self._peek(0).rstrip(b"\r"))
        if head is None:
            raise _malformed(self._at + 1, "has a hunk's head that is none: `@@ -1,3 +1,4 @@`")
        self._at += 1
        left, right = (int(head[group] or 1) if head[group] != b"0" else 0 for group in (2, 4))
        old: list[bytes] = []
        new: list[bytes] = []
        while len(old) < left or len(new) < right:
            if self.done():
                raise _malformed(self._at, "ends inside of a hunk; its head counts more lines")
            self._take(old, new)
        if len(old) != left or len(new) != right:
            raise _malformed(self._at, "has a hunk whose head counts other lines than it has")
        begins = self._peek(0).startswith(b"--- ") and self._peek(1).startswith(b"+++ ")
        if self._peek(0)[:1] in {b"+", b"-", b" "} and not begins:
            raise _malformed(self._at + 1, "has more lines in a hunk than its head counts")
        return Hunk(start=int(head[1]), old=tuple(old), new=tuple(new))

    def _take(self, old: list[bytes], new: list[bytes]) -> None:
        line = self._peek(0)
        kind, text = line[:1], line[1:]
        self._at += 1
        if not self._peek(0).startswith(b"\\ "):
            text += b"\n"
        else:
            self._at += 1
        if kind == b"-":
            old.append(text)
        elif kind == b"+":
            new.append(text)
        elif kind in {b" ", b""}:  # an empty line of context whose blank an editor took off
            old.append(text)
            new.append(text)
        else:
            raise _malformed(
                self._at, "has a line in a hunk that begins with none of ` `, `-`, `+`"
            )

    def _peek(self, ahead: int) -> bytes:
        at = self._at + ahead
        return self._lines[at] if at < len(self._lines) else b""

    def _same_name(self, at: int) -> str:
        """The name in a `diff --git` line of a file that keeps its name."""
        rest = self._lines[at][len(b"diff --git ") :]
        half = len(rest) // 2
        left, right = rest[:half], rest[half + 1 :]
        old, new = _name(left, b"a/"), _name(right, b"b/")
        if old != new:
            raise _malformed(at + 1, "names two files and says nothing of what to do to them")
        return old

    def _mode(self, said: bytes | None) -> int | None:
        if said is None:
            return None
        mode = _MODES.get(said.strip())
        if mode is None:
            raise EncodingError(
                "patch-unsupported",
                "The patch makes something else than a plain file (a link or a submodule); only"
                " files of mode 100644 and 100755 are patched.",
            )
        return mode

    def _refuse_unsupported(self, line: bytes) -> None:
        if line.startswith((b"GIT binary patch", b"Binary files ", b"copy from ")):
            raise EncodingError(
                "patch-unsupported",
                "The patch is binary or copies a file; give the file's whole content.",
            )


def _side(said: bytes, prefix: bytes) -> str | None:
    if not said.startswith(b'"'):
        said = said.partition(b"\t")[0].rstrip(b"\r")  # a time stamp may follow
    return None if said == _NOWHERE else _name(said, prefix)


def _name(said: bytes, prefix: bytes) -> str:
    said = said.rstrip(b"\r")
    if len(said) > 1 and said.startswith(b'"') and said.endswith(b'"'):
        said = _ESCAPED.sub(_unescaped, said[1:-1])
    if prefix and said.startswith(prefix):
        said = said[len(prefix) :]
    try:
        return said.decode()
    except UnicodeDecodeError as error:
        raise _malformed(0, "names a file whose name is no UTF-8") from error


def _unescaped(found: re.Match[bytes]) -> bytes:
    code = found[1]
    return bytes([_LETTERS[code[0]] if len(code) == 1 else int(code, 8)])


def _malformed(line: int, what: str) -> EncodingError:
    where = f", at line {line}," if line else ""
    return EncodingError("patch-malformed", f"The patch{where} {what}; make it anew.")
