"""Root: the folder that a files target is in, and the way to every name below it by handles.

`locate` reads symbolic links and says what name they come to; `open_parent` goes there and follows
none, so a link that is put in the way in between is refused. A folder that is moved out of the
root while a handle of it is open is not noticed here; `observe` then finds nothing at its name.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

from groundwire.documents.target import TargetName
from groundwire.errors import GuardError, HostError
from groundwire.targets.disk.system import Disk

_MOST_LINKS: Final = 40
_LONGEST: Final = 4096


class Root:
    """A folder by its real path. Holds no descriptor: it may be replaced between two calls."""

    def __init__(self, path: Path, disk: Disk) -> None:
        self.path = os.path.realpath(path)
        self.disk = disk
        self._given = os.path.abspath(path)

    def name(self, path: str) -> TargetName:
        """The name of a path below the root that is known to have no link in it."""
        return TargetName(kind="files", root=self.path, path=path)

    def locate(self, asked: str) -> TargetName:
        """The name that a path comes to, with every link on the way read.

        The path may be absolute if it begins with the root's own. The last name need not be there,
        nor folders before it.

        Raises:
            GuardError: `bad-path`; `path-outside`: it has `..`, or it or a link leaves the root.
            HostError: `target-unreadable`.
        """
        parts = self._parts_of(asked)
        try:
            return self.name("/".join(self._walk(asked, parts)))
        except NotADirectoryError as error:
            raise GuardError(
                "bad-path", f"{asked} goes through a file as if it were a folder; look again."
            ) from error
        except OSError as error:
            raise unreadable(asked, error) from error

    def is_link(self, asked: str) -> bool:
        """Whether the last name of the path is a symbolic link itself.

        Raises:
            GuardError, HostError: as `locate`.
        """
        parent, _, last = "/".join(self._parts_of(asked)).rpartition("/")
        above = self.locate(parent).path + "/" if parent else ""
        with self.open_parent(above + last) as found:
            if found is None:
                return False
            try:
                self.disk.link_at(last, found)
            except OSError:
                return False
            return True

    def open_parent(self, path: str) -> _Parent:
        """Within it an open descriptor of the folder of `path`; None where there is no such folder.

        Raises, when it is entered:
            GuardError: `path-is-link`: a link stands on the way, where none stood.
            HostError: `target-unreadable`.
        """
        return _Parent(self, path)

    def missing_folders(self, path: str) -> tuple[str, ...]:
        """The folders that have to be made before `path` can be, the outermost first.

        Raises:
            GuardError, HostError: as `open_parent`.
        """
        parts = path.split("/")[:-1]
        for depth in range(len(parts), 0, -1):
            with self.open_parent("/".join([*parts[:depth], "x"])) as found:
                if found is not None:
                    return tuple("/".join(parts[: n + 1]) for n in range(depth, len(parts)))
        return tuple("/".join(parts[: n + 1]) for n in range(len(parts)))

    # -- inside -------------------------------------------------------------------------------

    def descend(self, path: str) -> int | None:
        """A descriptor of the folder of `path`, to be closed: see `open_parent`."""
        try:
            handle = self.disk.open_root(self.path)
        except OSError as error:
            raise unreadable(self.path, error) from error
        try:
            for part in path.split("/")[:-1]:
                below = self.disk.open_folder(part, handle)
                self.disk.close(handle)
                handle = below
        except OSError as error:
            self.disk.close(handle)
            if error.errno == errno.ENOENT:
                return None
            if error.errno in {errno.ELOOP, errno.ENOTDIR}:
                raise GuardError(
                    "path-is-link",
                    f"A link or a file stands where {path} had a folder; read it again.",
                ) from error
            raise unreadable(path, error) from error
        return handle

    def _parts_of(self, asked: str) -> list[str]:
        if not asked or "\0" in asked or len(asked) > _LONGEST:
            raise GuardError("bad-path", "A path is empty, too long or has a NUL; give a path.")
        try:
            asked.encode()
        except UnicodeEncodeError as error:
            raise GuardError(
                "bad-path", "A path is no UTF-8; rename the file with another tool first."
            ) from error
        if os.path.isabs(asked):
            asked = self._below(asked)
        parts = [part for part in asked.split("/") if part not in {"", "."}]
        if ".." in parts:
            raise self._outside(asked)
        if not parts:
            raise GuardError("bad-path", f"{asked!r} names the folder itself; name a file in it.")
        return parts

    def _below(self, asked: str) -> str:
        for root in (self._given, self.path):
            if asked == root or asked.startswith(root.rstrip("/") + "/"):
                return asked[len(root) :].lstrip("/") or "."
        raise self._outside(asked)

    def _walk(self, asked: str, parts: list[str]) -> list[str]:
        """The names below the root, link by link; `..` in a link goes up the names so far."""
        todo = list(reversed(parts))
        done: list[str] = []
        links = 0
        with _Way(self.path, self.disk) as way:
            while todo:
                part = todo.pop()
                if part == "..":
                    if not done:
                        raise self._outside(asked)
                    done.pop()
                    way.up(len(done))
                    continue
                target = way.link(part)
                if target is None:
                    done.append(part)
                    if todo:
                        way.down(part)
                    continue
                links += 1
                if links > _MOST_LINKS:
                    raise GuardError(
                        "bad-path", f"{asked} goes round in links; name the file itself."
                    )
                if os.path.isabs(target):
                    target, done = self._below(target), []
                    way.up(0)
                todo += reversed([name for name in target.split("/") if name not in {"", "."}])
        if not done:
            raise self._outside(asked)
        return done

    def _outside(self, asked: str) -> GuardError:
        return GuardError(
            "path-outside",
            f"{asked} leads out of {self.path}; only what lies in that folder is written, and no"
            " path has `..`.",
        )


def unreadable(path: str, error: OSError) -> HostError:
    """The error that says why nothing can be said of a path."""
    return HostError(
        "target-unreadable",
        f"{path} cannot be looked at ({error.strerror or error}); see to its permissions.",
    )


class _Way:
    """Open folders from the root down, one in another; those that are not there count too."""

    def __init__(self, root: str, disk: Disk) -> None:
        self._disk = disk
        self._handles: list[int | None] = [disk.open_root(root)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.up(-1)

    def link(self, name: str) -> str | None:
        """What the link of this name says; None where there is no link, or nothing."""
        handle = self._handles[-1]
        if handle is None:
            return None
        try:
            return self._disk.link_at(name, handle)
        except OSError as error:
            if error.errno in {errno.EINVAL, errno.ENOENT}:
                return None
            raise

    def down(self, name: str) -> None:
        handle = self._handles[-1]
        below = None
        if handle is not None:
            with suppress(FileNotFoundError):
                below = self._disk.open_folder(name, handle)
        self._handles.append(below)

    def up(self, depth: int) -> None:
        """So many folders below the root are open, and no more."""
        while len(self._handles) > depth + 1:
            handle = self._handles.pop()
            if handle is not None:
                self._disk.close(handle)


class _Parent:
    """The folder of one path, open while it is entered."""

    __slots__ = ("_handle", "_path", "_root")

    def __init__(self, root: Root, path: str) -> None:
        self._root = root
        self._path = path
        self._handle: int | None = None

    def __enter__(self) -> int | None:
        self._handle = self._root.descend(self._path)
        return self._handle

    def __exit__(self, *raised: object) -> None:
        if self._handle is not None:
            self._root.disk.close(self._handle)
