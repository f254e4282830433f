"""A folder to write in, a files target over it, and rivals: disks that act in between."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from groundwire.documents.edit import FileEdit, Replace, Rewrite
from groundwire.documents.target import Proposal, Written
from groundwire.targets.disk.kept import KeptBounds, KeptFiles
from groundwire.targets.disk.system import Disk
from groundwire.targets.files.target import FilesTarget

NOW = 1_700_000_000.0
_numbers = itertools.count(1)


def fresh() -> str:
    """A name of a write that no other has."""
    return f"{os.getpid():016x}{next(_numbers):016x}"


class Unsynced(Disk):
    """The real system, except that nobody waits for the medium: a death here cuts no power."""

    def sync(self, descriptor: int) -> None:
        return


class Tree:
    """`work` holds the files; what groundwire keeps stands beside it."""

    def __init__(
        self, folder: Path, disk: Disk | None = None, bounds: KeptBounds | None = None
    ) -> None:
        self.folder = folder
        self.work = folder / "work"
        self.work.mkdir(exist_ok=True)
        self.state = folder / "state"
        disk = disk or Unsynced()
        self.kept = KeptFiles(folder / "kept", lambda: NOW, bounds, disk)
        self.target = FilesTarget(self.work, self.kept, self.state, disk)

    def journals(self) -> list[str]:
        return [path.name for path in self.state.glob("*.journal")]

    def file(self, path: str, content: bytes = b"one\n", mode: int = 0o644) -> Path:
        made = self.work / path
        made.parent.mkdir(parents=True, exist_ok=True)
        made.write_bytes(content)
        made.chmod(mode)
        return made

    def propose(self, *edits: FileEdit) -> Proposal:
        readings = [self.target.read_state(name) for name in self.target.touches(edits)]
        return self.target.propose(edits, readings)

    def write(self, *edits: FileEdit) -> Written:
        return self.target.write_if_unchanged(self.propose(*edits), fresh())

    def contents(self) -> dict[str, bytes]:
        """Every file below, by its path; what a write leaves beside one would be among them."""
        return {
            path.relative_to(self.work).as_posix(): path.read_bytes()
            for path in sorted(self.work.rglob("*"))
            if path.is_file() and not path.is_symlink()
        }


def replace(path: str, old: str, new: str) -> Rewrite:
    return Rewrite(path=path, edits=(Replace(old=old, new=new),))


class Rival(Unsynced):
    """Somebody else who acts just before or after a call of a certain name, the first `times`."""

    def __init__(
        self, call: str, act: Callable[[], object], *, after: bool = False, times: int = 1
    ) -> None:
        self._call, self._act, self._after, self._left = call, act, after, times

    def __getattribute__(self, name: str) -> object:
        found = super().__getattribute__(name)
        if name.startswith("_") or name != self._call:
            return found

        def called(*given: object) -> object:
            acts = self._left > 0
            self._left -= 1
            if acts and not self._after:
                self._act()
            answer = found(*given)
            if acts and self._after:
                self._act()
            return answer

        return called


class Lacking(Unsynced):
    """A file system that has none of these calls."""

    def __init__(self, calls: Sequence[str], number: int) -> None:
        self._calls, self._number = frozenset(calls), number

    def __getattribute__(self, name: str) -> object:
        if name.startswith("_") or name not in self._calls:
            return super().__getattribute__(name)

        def refused(*given: object) -> object:
            raise OSError(self._number, os.strerror(self._number))

        return refused
