"""BatchedDisk: the contents of many new files are brought to the medium together, once."""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache
from typing import Final, Self

from groundwire.targets.disk.system import Disk

_HELD: Final = ".gw-"
"""How the names begin under which a write lays files beside their targets."""


class BatchedDisk(Disk):
    """The system, for one write of many files: it waits for all of their contents at once.

    A journal's word, or a folder's, is waited for only after what it speaks of. Until then nothing
    of the write has a name of its own, and a recovery removes it. Where there is no syncfs(2) each
    file is waited for.
    """

    def __init__(self) -> None:
        self._held: set[int] = set()
        self._waiting: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        if self._waiting is not None:  # of a write that was given up
            os.close(self._waiting)
            self._waiting = None

    def create(self, name: str, folder: int, mode: int) -> int:
        """As `Disk.create`."""
        descriptor = super().create(name, folder, mode)
        if name.startswith(_HELD):
            self._held.add(descriptor)
        return descriptor

    def close(self, descriptor: int) -> None:
        """As `Disk.close`."""
        self._held.discard(descriptor)
        super().close(descriptor)

    def sync(self, descriptor: int) -> None:
        """What was written is on the medium; of a file that is laid beside, before any other is."""
        if descriptor in self._held and _syncfs() is not None:
            if self._waiting is None:
                self._waiting = os.dup(descriptor)
            return
        self._wait()
        super().sync(descriptor)

    def _wait(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is None:
            return
        try:
            sync_file_system(waiting)
        finally:
            os.close(waiting)


def sync_file_system(descriptor: int) -> bool:
    """Everything that was written to its file system is on the medium; False: nobody can say.

    Raises:
        OSError: the medium took something not.
    """
    function = _syncfs()
    if function is None:
        return False
    if function(descriptor):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return True


@cache
def _syncfs() -> ctypes._NamedFuncPointer | None:
    if sys.platform != "linux":
        return None
    return getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)
