"""Files: the edits of a call, judged whole, written by groundwire or by the tool's own code."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from groundwire.authority.places import Places
from groundwire.documents.edit import FileEdit, Move, Patch, Rewrite
from groundwire.documents.governing import FileArguments
from groundwire.documents.profile import Fact
from groundwire.documents.target import (
    Absent,
    Observation,
    Plan,
    Proposal,
    Reading,
    TargetName,
)
from groundwire.errors import GuardError
from groundwire.session.guarding.ways.known import Known
from groundwire.targets.disk.holdings import DiskHoldings
from groundwire.targets.disk.kept import KeptBounds
from groundwire.targets.files.marks import Marks
from groundwire.targets.files.target import FilesTarget
from groundwire.targets.lost import lost_content
from groundwire.targets.refusing import require_unchanged

_WHOLE: Final = frozenset({"whole"})
_SHOWING: Final = (Move, Patch, Rewrite)
"""Edits whose end tells what stood there: by whether they fit, or at the new name."""


class Files:
    """The working folder as a target, and the rest of the disk where a path leads out of it.

    `at` gives the target of a root. `bounds` are those of the copies that a write keeps.
    """

    def __init__(self, folder: Path, at: Callable[[Path], FilesTarget], bounds: KeptBounds) -> None:
        self.folder = folder
        self.at = at
        self.bounds = bounds


class FileWay:
    """Edits of files. Those of one call lie all in the working folder, or are all judged as outside."""

    def __init__(
        self,
        files: Files,
        declared: FileArguments,
        edits: tuple[FileEdit, ...],
        known: Known,
        *,
        places: Places,
        probe: Callable[[], str] | None,
        holdings: Callable[[], DiskHoldings],
    ) -> None:
        self.owned = declared.writes == "groundwire"
        self._files = files
        self._declared = declared
        self._edits: tuple[FileEdit, ...] = edits
        self._known = known
        self._target = files.at(files.folder)
        self._places = places
        self._probe = probe
        self._holdings = holdings
        self._marks: Marks = {}

    def touches(self) -> tuple[TargetName, ...]:
        """Every file that the edits name; below `/` where one leads out of the working folder.

        None whose content would show is one that nobody reads.
        """
        names = self._located()
        if isinstance(self._edits[0], _SHOWING):
            for name in names:
                if os.path.lexists(_path(name)):
                    self._places.refuse_read(name)
        return names

    def _located(self) -> tuple[TargetName, ...]:
        try:
            return self._target.touches(self._edits)
        except GuardError as error:
            if error.reason != "path-outside":
                raise
        self._target = self._files.at(Path("/"))
        self._edits = tuple(_absolute(edit, self._files.folder) for edit in self._edits)
        return self._target.touches(self._edits)

    def read_state(self, names: tuple[TargetName, ...]) -> tuple[Reading, ...]:
        """T1 of each."""
        return tuple(self._target.read_state(name) for name in names)

    def propose(self, readings: tuple[Reading, ...]) -> Proposal:
        """The edits made on what was read; on no contents that nobody is shown."""
        if isinstance(self._edits[0], (Patch, Rewrite)):
            for reading in readings:
                self._places.refuse_content(reading.content or b"")
        return self._target.propose(self._edits, readings)

    def facts(self, proposal: Proposal) -> tuple[Fact, ...]:
        """Who writes, how surely, and whether bytes go that this run has not seen."""
        found: list[Fact] = []
        if not self.owned:
            found.append("not-owned")
        elif self._probe is not None and self._is_non_atomic(proposal):
            found.append("non-atomic")
        if self._declared.edit in _WHOLE and any(
            change.before is not None and not self._known.has(_path(change.name), change.before)
            for change in proposal.changes
        ):
            found.append("unread-overwrite")
        return tuple(found)

    def lost(self, proposal: Proposal) -> tuple[TargetName, ...]:
        """What the kept copies have no room for and nothing else holds."""
        lost = lost_content(proposal, self._holdings, self._files.bounds)
        return tuple(change.name for change in lost)

    def recheck(self, proposal: Proposal) -> None:
        """T2 of every change, and of the new name of what is renamed."""
        recheck_changes(self._target.read_state, proposal)

    def plan(self, proposal: Proposal, write: str) -> Plan | None:
        """What the write will do; none where the tool's own code does it."""
        if not self.owned or not proposal.changes:
            return None
        return self._target.plan(proposal, write)

    def write(self, proposal: Proposal, write: str) -> object:
        """Everything proposed stands; a line for each file, of what became of it."""
        if not proposal.changes:
            return "Nothing to change: everything is as the call wants it already."
        written = self._target.write_if_unchanged(proposal, write)
        self._marks = self._target.marks(written)
        for change in proposal.changes:
            if change.after is not None:
                self._known.wrote(change.after)
        return said_of(proposal)

    def observe(self, proposal: Proposal) -> tuple[Observation, ...]:
        """T3 of every change."""
        return self._target.observe(proposal, self._marks)

    def close(self) -> None:
        """Nothing is held."""

    def _is_non_atomic(self, proposal: Proposal) -> bool:
        for change in proposal.changes:
            where = change.name if change.to is None else change.to
            if (
                self._probe is not None
                and _is_folder_there(where)
                and self._target.guarantee(where, self._probe()) == "non-atomic"
            ):
                return True
        return False


def recheck_changes(read: Callable[[TargetName], Reading], proposal: Proposal) -> None:
    """Every target of the proposal has the token that it expects; where one is made, nothing is.

    Raises:
        GuardError: `state-drifted`, `state-unmeasurable`, `path-is-link`, `not-a-file`.
        HostError: `target-unreadable`.
    """
    for change in proposal.changes:
        require_unchanged(change.name.path, change.state, read(change.name).state)
        if change.to is not None:
            require_unchanged(change.to.path, Absent(), read(change.to).state)


def said_of(proposal: Proposal) -> str:
    """A line for each change: what became of which file."""
    return "\n".join(
        f"{change.kind} {change.name.path}" + (f" to {change.to.path}" if change.to else "")
        for change in proposal.changes
    )


def _path(name: TargetName) -> str:
    return os.path.join(name.root, name.path)


def _is_folder_there(name: TargetName) -> bool:
    return os.path.isdir(os.path.dirname(_path(name)))


def _absolute(edit: FileEdit, folder: Path) -> FileEdit:
    """The edit with its paths as they lead from `/`, every link but the last one read."""

    def real(path: str) -> str:
        above, last = os.path.split(os.path.join(folder, path))
        return os.path.join(os.path.realpath(above), last)

    match edit:
        case Move():
            return Move(path=real(edit.path), to=real(edit.to))
        case Patch():
            if edit.path is None:
                raise GuardError(
                    "path-outside",
                    f"A path in the patch leads out of {folder}; name the file beside the patch.",
                )
            return Patch(text=edit.text, path=real(edit.path))
        case _:
            return msgspec.structs.replace(edit, path=real(edit.path))
