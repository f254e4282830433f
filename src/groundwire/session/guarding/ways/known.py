"""Known: which contents one run has read or written, so that it does not write over others unseen."""

from __future__ import annotations

import os
import stat
from typing import Final, TypeAlias

from groundwire.canon.digest import sha256

Mark: TypeAlias = tuple[int, int, int, int, int]
"""Device, inode, size, and times of the last change of content and of anything, in nanoseconds."""

_MOST_TEXTS: Final = 8 << 20


class Known:
    """What the run has seen: files as they were, digests, texts that tools gave it.

    A file that was changed and given back its times is taken for the same. Of texts the latest
    eight million bytes are kept.
    """

    def __init__(self) -> None:
        self._marks: set[Mark] = set()
        self._digests: set[str] = set()
        self._texts: list[bytes] = []
        self._size = 0

    def has(self, path: str, content: bytes) -> bool:
        """Whether the run has read or written these bytes, which stand at the path now."""
        if sha256(content) in self._digests:
            return True
        mark = mark_of(path)
        if mark is not None and mark in self._marks:
            return True
        shown = content.strip()
        # Whole lines: a short file is not read because its word stands somewhere.
        return not shown or any(b"\n%b\n" % shown in text for text in self._texts)

    def read(self, before: Mark | None, path: str) -> None:
        """The file was read while it was so: where it still is, what it holds is known."""
        if before is not None and mark_of(path) == before:
            self._marks.add(before)

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


def mark_of(path: str) -> Mark | None:
    """The mark of the plain file at the path now; None where there is none."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
