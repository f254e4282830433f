"""Known: which contents one run has read or written, so that it does not write over others unseen."""

from __future__ import annotations

import os
import stat
from typing import Final, TypeAlias

from groundwire.canon.digest import sha256

Mark: TypeAlias = tuple[int, int, int, int, int]
"""Device, inode, size, and times of the last change of content and of anything, in nanoseconds."""

_MOST_TEXTS: Final = 8 << 20
_MOST_SHOWN: Final = 64 << 20


class Known:
    """What the run has seen: files as they were, digests, texts that tools gave it.

    A file that was changed and given back its times is taken for the same. Of texts the latest
    eight million bytes are kept, and of those that reads of files gave the latest 64 million
    characters: of earlier ones it is known that they were as long as the file.
    """

    def __init__(self) -> None:
        self._shown: dict[Mark, str | None] = {}
        self._room = _MOST_SHOWN
        self._digests: set[str] = set()
        self._texts: list[bytes] = []
        self._size = 0

    def has(self, path: str, content: bytes) -> bool:
        """Whether the run has read or written these bytes, which stand at the path now."""
        if sha256(content) in self._digests:
            return True
        mark = mark_of(path)
        if mark is not None and mark in self._shown and _shows(self._shown[mark], content):
            return True
        shown = content.strip()
        # Whole lines: a short file is not read because its word stands somewhere.
        return not shown or any(b"\n%b\n" % shown in text for text in self._texts)

    def read(self, before: Mark | None, path: str, shown: object = None) -> None:
        """The file was read while it was so: where it still is, what of it was shown is known.

        A tool may show a part of a file, or none: of a text it is looked up, when that matters,
        whether all lines stand in it, or in it and the earlier ones. What is no text is believed.
        """
        if before is None or mark_of(path) != before:
            return
        earlier = self._shown.pop(before, "")
        if not isinstance(shown, str) or earlier is None:
            self._shown[before] = None
            return
        self._shown[before] = f"{earlier}\n{shown}" if earlier else shown
        self._room -= len(shown) + 1
        for mark in list(self._shown) if self._room < 0 else ():
            self._room += self._forget(mark)
            if self._room >= 0:
                break

    def _forget(self, mark: Mark) -> int:
        """The text is not kept any longer; its length."""
        text = self._shown.pop(mark)
        if text is None or len(text) >= mark[2]:
            self._shown[mark] = None
        return 0 if text is None else len(text) + 1

    def wrote(self, content: bytes) -> None:
        """The run put these bytes somewhere itself."""
        self._digests.add(sha256(content))

    def heard(self, text: str) -> None:
        """A tool gave the run this text: whatever lines of it are a whole file were read."""
        data = b"\n%b\n" % text.encode("utf-8", "replace").strip()
        self._texts.append(data)
        self._size += len(data)
        while self._size > _MOST_TEXTS:
            self._size -= len(self._texts.pop(0))


def _shows(text: str | None, content: bytes) -> bool:
    """Whether every line of the content stands in the text, in their order; None shows all.

    Whatever stands before and behind them: numbers, a frame.
    """
    if text is None:
        return True
    at = 0
    for line in content.decode("utf-8", "replace").splitlines():
        found = text.find(line.strip(), at)
        if found < 0:
            return False
        at = found + len(line.strip())
    return True


def mark_of(path: str) -> Mark | None:
    """The mark of the plain file at the path now; None where there is none."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
