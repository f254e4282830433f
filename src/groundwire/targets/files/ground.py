"""Ground: one root with what acts on it, and looks at single names in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from groundwire.canon.digest import sha256
from groundwire.documents.target import Present, State, Step, Unmeasurable, is_same_file
from groundwire.documents.target import stands_for as token_stands_for
from groundwire.errors import GuardError
from groundwire.targets.disk.kept import KeptFiles
from groundwire.targets.disk.locks import exclusively
from groundwire.targets.disk.measuring import measure, measure_open
from groundwire.targets.disk.system import Disk
from groundwire.targets.disk.walking import Root
from groundwire.targets.refusing import drifted


class Ground:
    """A root, the system under it, where before-images go, and where journals and locks are.

    `without_exchange` are the devices whose file system was found not to have it.
    """

    def __init__(self, root: Root, kept: KeptFiles, state: Path | None) -> None:
        self.root = root
        self.kept = kept
        self.state = state
        self.without_exchange: set[int] = set()

    @property
    def disk(self) -> Disk:
        return self.root.disk

    @contextmanager
    def folder(self, path: str) -> Iterator[int]:
        """An open descriptor of the folder that `path` is in.

        Raises:
            GuardError: `state-drifted`: it is gone; `path-is-link`.
            HostError: `target-unreadable`.
        """
        with self.root.open_parent(path) as found:
            if found is None:
                raise drifted(path)
            yield found

    @contextmanager
    def exclusively(self, steps: Iterable[Step]) -> Iterator[None]:
        """No other writer with the same state exchanges names in these folders.

        Without a folder of state nobody is held up.

        Raises:
            GuardError: `path-is-link`. HostError: `journal-failed`, `target-unreadable`.
        """
        if self.state is None:
            yield
            return
        places: set[tuple[int, int]] = set()
        for path in {path for step in steps for path in (step.path, step.to) if path is not None}:
            with self.root.open_parent(path) as found:
                if found is not None:
                    opened = self.disk.state(found)
                    places.add((opened.st_dev, opened.st_ino))
        with exclusively(self.state, places, self.disk):
            yield


class Glance(msgspec.Struct, frozen=True):
    """What stands at a name: the device and inode of anything, and the token of a plain file.

    `closed`: nobody had it open for writing, for sure.
    """

    device: int
    inode: int
    state: State | None
    content: bytes | None = None
    closed: bool = False


def last(path: str) -> str:
    """The last name of a path."""
    return path.rpartition("/")[2]


def glance(disk: Disk, name: str, folder: int | None) -> Glance | None:
    """What stands at the name, whatever it is; None where nothing does.

    A file that somebody has open for writing is `open-for-writing`, for its bytes may change yet.
    """
    if folder is None:
        return None
    try:
        found = disk.state_at(name, folder)
        descriptor = disk.open_file(name, folder)
    except FileNotFoundError:
        return None
    except OSError:
        return Glance(found.st_dev, found.st_ino, None)
    try:
        opened = disk.state(descriptor)
        closed = disk.is_surely_closed(descriptor)
        if not closed and disk.is_open_for_writing(descriptor):
            state: State = Unmeasurable(why="open-for-writing")
            return Glance(opened.st_dev, opened.st_ino, state)
        measured = measure_open(disk, name, descriptor)
        return Glance(opened.st_dev, opened.st_ino, measured.state, measured.content, closed)
    except GuardError:
        return Glance(found.st_dev, found.st_ino, None)
    finally:
        disk.close(descriptor)


def is_unchanged(before: Glance, now: Glance | None) -> bool:
    """Whether both are one file with nothing changed in it between."""
    if now is None or (before.device, before.inode) != (now.device, now.inode):
        return False
    if before.state is None:
        return now.state is None
    return now.state is not None and token_stands_for(before.state, now.state)


def is_placed(found: Glance | None, placed: Present) -> bool:
    """Whether this is the very file that was put there, with what was put into it."""
    return (
        found is not None
        and found.state is not None
        and is_same_file(placed, found.state)
        and token_stands_for(placed, found.state)
    )


def token_now(ground: Ground, path: str) -> State:
    """The token of a path, without anything being refused that merely is there.

    Raises:
        GuardError: `path-is-link`, `not-a-file`.
        HostError: `target-unreadable`.
    """
    with ground.root.open_parent(path) as folder:
        return measure(ground.disk, folder, last(path)).state


def keep_glance(ground: Ground, found: Glance) -> bool:
    """Whether the bytes that were found are kept now."""
    return found.content is not None and ground.kept.keep(found.content) == sha256(found.content)
