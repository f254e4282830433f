"""Files as they would be after the edits so far: the disk is only read, and nothing is written."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from groundwire.canon.digest import sha256
from groundwire.documents.edit import FileEdit
from groundwire.documents.target import Absent, Change, Present, Proposal, Reading, TargetName
from groundwire.errors import GuardError
from groundwire.targets.disk.measuring import measure
from groundwire.targets.disk.system import Disk
from groundwire.targets.disk.walking import Root
from groundwire.targets.editing.proposing import moved_or_deleted, paths_of, propose_edits

_NOBODY: Final = Present(
    digest="", size=0, mode=0o644, owner=0, group=0, attributes="", device=0, inode=0,
    generation=None, links=1,
)  # fmt: skip


class SeenFiles:
    """The files of this machine, with what was proposed and taken since laid over them.

    `folder` is the working folder as it really is; a name in it has it for its root, any other `/`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = os.fspath(folder)
        self._disk = Disk()
        self._root = Root(Path("/"), self._disk)
        self._over: dict[TargetName, tuple[Present | Absent, bytes | None]] = {}

    def names(self, edits: Sequence[FileEdit]) -> tuple[TargetName, ...]:
        """Every file that the edits name, each once.

        Raises:
            GroundwireError: `bad-path`, `path-outside`, `patch-malformed`, `target-unreadable`.
        """
        return tuple(dict.fromkeys(self._locate(path) for path in paths_of(edits)))

    def propose(self, edits: Sequence[FileEdit]) -> Proposal:
        """What the edits would make of the files as they are seen.

        Raises:
            GroundwireError: they do not fit, or name what is no plain file.
        """
        for path in moved_or_deleted(edits):
            if self._root.is_link(self._real(path)):
                raise GuardError(
                    "path-is-link",
                    f"{path} is a symbolic link; links are not moved, deleted or written over. Name"
                    " the file it leads to.",
                )
        readings = [self._read(name) for name in self.names(edits)]
        return propose_edits(edits, readings, self._locate)

    def touched(self, edits: Sequence[FileEdit]) -> Proposal:
        """A change of each file that the edits name and that is there, from what it holds to the same.

        Raises:
            GroundwireError: one of them is no plain file.
        """
        found = [self._read(name) for name in self.names(edits)]
        return Proposal(
            changes=tuple(
                Change(
                    name=each.name,
                    kind="changed",
                    state=each.state,
                    before=each.content,
                    after=each.content,
                )
                for each in found
                if isinstance(each.state, Present)
            )
        )

    def take(self, proposal: Proposal) -> None:
        """What was proposed stands, for whoever looks from here on."""
        for change in proposal.changes:
            self._over[change.name] = self._after(None if change.to else change.after)
            if change.to is not None:
                self._over[change.to] = self._after(change.after)

    def _after(self, content: bytes | None) -> tuple[Present | Absent, bytes | None]:
        if content is None:
            return Absent(), None
        # No file of the disk has this number: two files laid over it are not taken for one.
        number = -1 - len(self._over)
        made = msgspec.structs.replace(
            _NOBODY, digest=sha256(content), size=len(content), inode=number, device=-1
        )
        return made, content

    def _real(self, path: str) -> str:
        above, last = os.path.split(os.path.join(self._folder, path))
        return os.path.join(os.path.realpath(above), last)

    def _locate(self, path: str) -> TargetName:
        found = self._root.locate(self._real(path)).path
        below = self._folder.strip("/") + "/"
        if found.startswith(below):
            return TargetName(kind="files", root=self._folder, path=found.removeprefix(below))
        return TargetName(kind="files", root="/", path=found)

    def _read(self, name: TargetName) -> Reading:
        if name in self._over:
            state, content = self._over[name]
            return Reading(name=name, state=state, content=content)
        path = os.path.join(name.root, name.path).lstrip("/")
        with self._root.open_parent(path) as folder:
            measured = measure(self._disk, folder, os.path.basename(path))
        return Reading(name=name, state=measured.state, content=measured.content)
