"""Searching: the files of a folder that may be of a kind, and what they hold, within bounds."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator

import msgspec

from groundwire.errors import GuardError
from groundwire.targets.disk.system import Disk


class SearchBounds(msgspec.Struct, frozen=True, kw_only=True):
    """How much of a folder is looked through: names in all, files that are opened, their bytes."""

    names: int = 200_000
    files: int = 20_000
    size: int = 256 << 20


def search(
    root: str,
    wanted: Callable[[str], bool],
    skipped: Callable[[str], bool],
    bounds: SearchBounds,
    is_known: Callable[[str, os.stat_result], bool] | None = None,
    disk: Disk | None = None,
) -> Iterator[tuple[str, bytes]]:
    """The path below `root` and the content of each plain file that is wanted, folders sorted.

    `wanted` is asked for the path of each file, `skipped` for that of each folder; a file that
    `is_known`, by what it is like, is not opened and not given. No link is followed, and what cannot be read, or is gone by the time, is left out.

    Raises:
        GuardError: `folder-not-looked-through`: there is more than the bounds let.
    """
    disk = disk or Disk()
    left = _Left(bounds)
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        try:
            handle = _opened(root, folder, disk)
        except OSError:
            continue
        try:
            below: list[str] = []
            with os.scandir(handle) as entries:
                found = sorted(entries, key=lambda each: each.name)
            for entry in found:
                left.name()
                path = f"{folder}/{entry.name}" if folder else entry.name
                if entry.is_dir(follow_symlinks=False):
                    below += [] if skipped(path) else [path]
                elif entry.is_file(follow_symlinks=False) and wanted(path):
                    if is_known is not None and is_known(path, entry.stat(follow_symlinks=False)):
                        continue
                    content = _content(entry.name, handle, disk, left)
                    if content is not None:
                        yield path, content
            waiting += reversed(below)
        finally:
            disk.close(handle)


class _Left:
    """What is left of the bounds."""

    def __init__(self, bounds: SearchBounds) -> None:
        self._names, self._files, self.size = bounds.names, bounds.files, bounds.size

    def name(self) -> None:
        self._names -= 1
        self._demand(self._names)

    def file(self, size: int) -> None:
        self._files -= 1
        self.size -= size
        self._demand(min(self._files, self.size))

    def _demand(self, left: int) -> None:
        if left < 0:
            raise GuardError(
                "folder-not-looked-through", "The folder holds more than is looked through here."
            )


def _opened(root: str, folder: str, disk: Disk) -> int:
    """A descriptor of the folder, by way of every one above it."""
    handle = disk.open_root(root)
    for part in folder.split("/") if folder else ():
        try:
            below = disk.open_folder(part, handle)
        finally:
            disk.close(handle)
        handle = below
    return handle


def _content(name: str, folder: int, disk: Disk, left: _Left) -> bytes | None:
    try:
        handle = disk.open_file(name, folder)
    except OSError:
        return None
    try:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode):
            return None
        left.file(state.st_size)
        return disk.read(handle, left.size + state.st_size, state.st_size)
    except OSError:
        return None
    finally:
        disk.close(handle)
