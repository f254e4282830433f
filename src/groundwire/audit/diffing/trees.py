"""Trees: the files of one version, in a folder or in a commit, read by their paths.

A link is not followed and a path never leaves the tree, so a description shows nothing that lies
elsewhere.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Protocol

import msgspec

from groundwire.contracts.reading.plain_text import MAX_BYTES
from groundwire.errors import HostError
from groundwire.targets.disk.git_program import Git

MOST_BYTES: Final = MAX_BYTES
"""A larger file is not read."""
_FILES: Final = (b"100644", b"100755")
_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


class Tree(Protocol):
    """The files of one version."""

    label: str
    """What it is called, for people."""

    def read(self, path: str) -> bytes | None:
        """The content of the file at a path such as `api/a.yaml`; None where there is no such file.

        Raises:
            HostError: `target-unreadable`: it is there and cannot be read, or is no file;
                `file-too-large`. `git-failed`, `git-missing`.
        """
        ...


class Folder:
    """A folder as it is now."""

    def __init__(self, root: Path, label: str) -> None:
        self._root = root
        self.label = label

    def read(self, path: str) -> bytes | None:
        """As `Tree.read`."""
        parts = path.split("/")
        if any(part in {"", ".", ".."} or "\0" in part for part in parts):
            return None
        try:
            handle = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise _unreadable(self.label or str(self._root), str(error.strerror)) from error
        try:
            for part in parts[:-1]:
                below = os.open(part, os.O_DIRECTORY | _FLAGS, dir_fd=handle)
                os.close(handle)
                handle = below
            return self._file(path, parts[-1], handle)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise _unreadable(path, error.strerror or str(error)) from error
        finally:
            os.close(handle)

    def _file(self, path: str, name: str, folder: int) -> bytes:
        with open(os.open(name, _FLAGS, dir_fd=folder), "rb") as file:
            state = os.fstat(file.fileno())
            if not stat.S_ISREG(state.st_mode):
                raise _unreadable(path, "it is no file")
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise _too_large(path)
        return data


class Entry(msgspec.Struct, frozen=True):
    """A file of a commit: its kind, the name of its content, and how many bytes that has."""

    mode: bytes
    blob: str
    size: int


class Commit:
    """The files of one commit. `git` is in the repository; `name` is a whole object name."""

    def __init__(self, git: Git, name: str, label: str) -> None:
        self._git = git
        self.name = name
        self.label = label
        self._entries: Mapping[str, Entry] | None = None

    def entries(self) -> Mapping[str, Entry]:
        """Every file of the commit, by its path. Submodules and links have modes of their own.

        Raises:
            HostError: `git-failed`, `git-missing`.
        """
        if self._entries is None:
            out = self._git.run("ls-tree", "-r", "-l", "-z", "--full-tree", self.name)
            self._entries = dict(_entry(line) for line in out.split(b"\0")[:-1])
        return self._entries

    def read(self, path: str) -> bytes | None:
        """As `Tree.read`."""
        entry = self.entries().get(path)
        if entry is None:
            return None
        if entry.mode not in _FILES:
            raise _unreadable(path, "it is a link or a repository of its own")
        if entry.size > MOST_BYTES:
            raise _too_large(path)
        return self._git.run("cat-file", "blob", entry.blob)


def commits(git: Git, said: str) -> tuple[Commit, Commit]:
    """The two ends of `BASE..HEAD`, or of `BASE...HEAD`, which begins where the two parted.

    An end that is left out is `HEAD`.

    Raises:
        HostError: `bad-range`: it is none, or an end names no commit; `git-failed`, `git-missing`.
    """
    base, dots, head = said.partition("...")
    if not dots:
        base, dots, head = said.partition("..")
    if not dots or ".." in head:
        raise HostError("bad-range", f"{said!r} is no range of commits; write BASE..HEAD")
    names = [_commit(git, end or "HEAD") for end in (base, head)]
    if dots == "...":
        ran = git.ask("merge-base", "--end-of-options", *names)
        names[0] = ran.out.decode().split("\n")[0]
        if ran.code != 0 or not names[0]:
            raise HostError("bad-range", f"{said!r}: the two ends share no commit")
    return Commit(git, names[0], base or "HEAD"), Commit(git, names[1], head or "HEAD")


def _commit(git: Git, said: str) -> str:
    ran = git.ask("rev-parse", "--verify", "-q", "--end-of-options", f"{said}^{{commit}}")
    if ran.code != 0:
        raise HostError("bad-range", f"{said!r} names no commit of {git.folder}")
    return ran.out.decode("ascii").strip()


def _entry(line: bytes) -> tuple[str, Entry]:
    said, _, path = line.partition(b"\t")
    mode, _, blob, size = said.split()
    count = int(size) if size.isdigit() else 0
    return path.decode("utf-8", "surrogateescape"), Entry(mode, blob.decode("ascii"), count)


def _unreadable(path: str, why: str) -> HostError:
    return HostError("target-unreadable", f"{path} cannot be read ({why})")


def _too_large(path: str) -> HostError:
    return HostError(
        "file-too-large", f"{path} has more than {MOST_BYTES >> 20} MiB, which is not compared"
    )
