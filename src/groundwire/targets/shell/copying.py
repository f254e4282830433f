"""A working folder copied for a command, where there is no overlay; and what differs afterwards.

Every file is copied, never linked: a hard link would let the command write the file itself. What
the command does outside of the copy stands: nothing contains it.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from groundwire.errors import GuardError, HostError
from groundwire.targets.shell.reading import FILE, FOLDER, Upper, is_text, open_below, state_of

_CHUNK: Final = 1 << 20
Stamp: TypeAlias = tuple[int, int, int, int, int]


class CopyBounds(msgspec.Struct, frozen=True, kw_only=True):
    """How large a folder is copied for a command."""

    size: int = 64 << 20
    entries: int = 20_000


class Copy:
    """A copy of a folder at `path`, and what each file in it was like when it was made."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.stamps: dict[str, Stamp] = {}


@contextmanager
def copied(root: str, beside: Path, name: str, bounds: CopyBounds) -> Iterator[Copy]:
    """A copy of the folder stands in `beside`; afterwards it does not.

    Devices, pipes and sockets are not copied.

    Raises:
        GuardError: `folder-too-large`. HostError: `staging-failed`.
    """
    copy = Copy(Path(os.path.realpath(beside)) / f"copy-{name}")
    try:
        copy.path.mkdir(mode=0o700, parents=True)
        _Copying(copy, bounds).folder("", root)
    except OSError as error:
        shutil.rmtree(copy.path, ignore_errors=True)
        raise HostError(
            "staging-failed",
            f"{root} cannot be copied ({error.filename}: {error.strerror}); nothing ran.",
        ) from error
    except BaseException:
        shutil.rmtree(copy.path, ignore_errors=True)
        raise
    try:
        yield copy
    finally:
        shutil.rmtree(copy.path, ignore_errors=True)


class _Copying:
    """One copy being made, within its bounds."""

    def __init__(self, copy: Copy, bounds: CopyBounds) -> None:
        self._copy = copy
        self._size = bounds.size
        self._entries = bounds.entries

    def folder(self, path: str, source: str) -> None:
        for entry in sorted(os.scandir(source), key=lambda each: each.name):
            below = f"{path}/{entry.name}" if path else entry.name
            target = self._copy.path / below
            state = entry.stat(follow_symlinks=False)
            self._take(state)
            if stat.S_ISDIR(state.st_mode):
                target.mkdir(mode=0o700)
                self.folder(below, entry.path)
                target.chmod(stat.S_IMODE(state.st_mode))
            elif stat.S_ISLNK(state.st_mode):
                target.symlink_to(os.readlink(entry.path))
            elif stat.S_ISREG(state.st_mode):
                _copy_file(entry.path, target, state)
            else:
                continue
            self._copy.stamps[below] = stamp(target.lstat())

    def _take(self, state: os.stat_result) -> None:
        self._entries -= 1
        self._size -= state.st_size if stat.S_ISREG(state.st_mode) else 0
        if self._entries < 0 or self._size < 0:
            raise GuardError(
                "folder-too-large",
                "There is no overlay here, and the working folder is too large to be copied for a"
                " command; nothing ran. Allow user namespaces, or name a smaller folder.",
            )


def _copy_file(source: str, target: Path, state: os.stat_result) -> None:
    descriptor = os.open(source, FILE)
    try:
        with target.open("xb") as file:
            while chunk := os.read(descriptor, _CHUNK):
                file.write(chunk)
    finally:
        os.close(descriptor)
    target.chmod(stat.S_IMODE(state.st_mode) & 0o777)
    os.utime(target, ns=(state.st_atime_ns, state.st_mtime_ns))


def stamp(state: os.stat_result) -> Stamp:
    """What differs where a file was written, replaced or given another mode."""
    written = 0 if stat.S_ISDIR(state.st_mode) else state.st_ctime_ns
    return state.st_ino, state.st_mode, state.st_uid, state.st_gid, written


class CopyUpper(Upper):
    """Every difference between a copy and what it was a copy of, read like an upper layer."""

    def __init__(self, most: int, changes: int, copy: Copy) -> None:
        super().__init__(most, changes)
        self._copy = copy
        self._names: dict[str, set[str]] = {}
        for each in copy.stamps:
            above, _, name = each.rpartition("/")
            self._names.setdefault(above, set()).add(name)

    def _folder(self, path: str, upper: int, lower: int | None) -> None:
        self._require_shallow(path)
        names = sorted(os.listdir(upper))
        for name in names:
            below = f"{path}/{name}" if path else name
            if not is_text(name):
                self._deny(below.encode(errors="replace").decode(), "bad-name")
                continue
            found = os.stat(name, dir_fd=upper, follow_symlinks=False)
            if self._copy.stamps.get(below) != stamp(found):
                self._entry(below, name, found, upper, lower)
            elif stat.S_ISDIR(found.st_mode):
                self._unchanged(below, name, upper, lower)
        for name in sorted(self._names.get(path, set()) - set(names)):
            self._gone(f"{path}/{name}" if path else name, name, lower)

    def _unchanged(self, path: str, name: str, upper: int, lower: int | None) -> None:
        """A folder that is itself as it was; what is in it may not be."""
        before = state_of(name, lower)
        with open_below(name, upper, FOLDER, 0o700) as inner:
            if before is None or lower is None or not stat.S_ISDIR(before.st_mode):
                self._folder(path, inner, None)
                return
            with open_below(name, lower, FOLDER) as outer:
                self._folder(path, inner, outer)
