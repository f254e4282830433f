"""Laying: the files of the working folder before a call and after it, as far as anyone asks."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from groundwire.documents.target import Change, TargetName
from groundwire.errors import GroundwireError
from groundwire.targets.disk.measuring import measure
from groundwire.targets.disk.system import Disk
from groundwire.targets.disk.walking import Root


class Laid:
    """What the changes make of the working folder, laid over what stands there; nothing is written.

    `before` and `after` have the files that are changed, by their paths in the folder; None: there
    is none. Every other file is read as it is when somebody asks for it, through no link.
    """

    def __init__(self, folder: Path, changes: Iterable[Change]) -> None:
        self._root = Root(folder, Disk())
        self.folder = self._root.path
        self.before: dict[str, bytes | None] = {}
        self.after: dict[str, bytes | None] = {}
        self._read: dict[str, bytes | None] = {}
        for change in changes:
            if change.name.kind != "files" or change.name.root != self.folder:
                continue
            moved = change.to is not None
            self.before[change.name.path] = change.before
            self.after[change.name.path] = None if moved else change.after
            if change.to is not None:
                self.before.setdefault(change.to.path, None)
                self.after[change.to.path] = change.after

    def disk(self, path: str) -> bytes | None:
        """What stands at a path that is not changed; None: no file, or none that can be read."""
        if path not in self._read:
            self._read[path] = self._content(path)
        return self._read[path]

    def name(self, path: str) -> TargetName:
        """The name of a file of the folder."""
        return self._root.name(path)

    def leads_to_changed(self, path: str) -> bool:
        """Whether the path is a link, or goes through one, to a file that is changed."""
        try:
            name = self._root.locate(path).path
        except GroundwireError:
            return False
        return name != path and name in self.before

    def _content(self, path: str) -> bytes | None:
        try:
            with self._root.open_parent(path) as folder:
                return measure(self._root.disk, folder, os.path.basename(path)).content
        except GroundwireError:
            return None


class Side:
    """One side of it, which remembers what it was asked for."""

    def __init__(self, laid: Laid, changed: Mapping[str, bytes | None]) -> None:
        self._laid = laid
        self._changed = changed
        self.asked: dict[str, bytes | None] = {}

    def read(self, path: str) -> bytes | None:
        """The file's content on this side; None where there is none."""
        if path not in self.asked:
            changed = path in self._changed
            self.asked[path] = self._changed[path] if changed else self._laid.disk(path)
        return self.asked[path]

    @property
    def found(self) -> dict[str, bytes]:
        """The files that it was asked for and that are there."""
        return {path: each for path, each in sorted(self.asked.items()) if each is not None}
