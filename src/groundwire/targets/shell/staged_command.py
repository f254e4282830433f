"""StagedCommand: a command that has run, as the write that it would be."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Final

import msgspec

from groundwire.documents.staged import Staged, StagedFile
from groundwire.documents.target import (
    Absent,
    Change,
    Observation,
    Plan,
    Present,
    Proposal,
    Reading,
    TargetName,
    Unmeasurable,
    Written,
)
from groundwire.errors import GroundwireError, GuardError
from groundwire.targets.disk.walking import Root
from groundwire.targets.files.marks import Marks
from groundwire.targets.files.target import FilesTarget
from groundwire.targets.git.history import History
from groundwire.targets.git.staged_git import StagedGit
from groundwire.targets.refusing import drifted, unmeasurable
from groundwire.targets.shell.applying import apply_rest, has_names, rest_of
from groundwire.targets.shell.sorting import require_old, require_ref_old

_MANY: Final = 8
"""From so many files on the medium is waited for once for all of them."""


class StagedCommand:
    """One command that has run, and the write that it would be. To be applied once or forgotten.

    What git wrote in its own folder is judged and written in one with the files. `hidden` are the
    paths that were empty for the command.
    """

    def __init__(
        self,
        files: FilesTarget,
        root: Root,
        staged: Staged,
        now: float,
        hidden: Sequence[str] = (),
    ) -> None:
        self._files = files
        self._root = root
        self.staged = staged
        self.left: tuple[str, ...] = ()
        """Folders and links that could not be made or removed when it was applied."""
        self._marks: Marks = {}
        self._contents = {file.path: file.after for file in staged.changes}
        self._git = StagedGit(files, staged.git, now, self._content)
        self._git.require_sound()
        self._git.require_whole(hidden)

    def touches(self) -> tuple[TargetName, ...]:
        """Every file that it changed, those of git under names of their own."""
        files = tuple(self._root.name(file.path) for file in self.staged.changes)
        return (*files, *self._git.touches())

    def read_state(self, name: TargetName) -> Reading:
        """T1, as of the files target.

        Raises:
            GuardError, HostError: as `FilesTarget.read_state`.
        """
        if name.kind == "git":
            return self._git.read_state(name)
        return self._files.read_state(name)

    def propose(self, readings: Sequence[Reading]) -> Proposal:
        """What the command made of exactly these, whole; nothing is written.

        Raises:
            GuardError: `state-drifted`: somebody changed one of them since the command began;
                `state-unmeasurable`.
        """
        found = {reading.name.path: reading for reading in readings if reading.name.kind == "files"}
        changes = []
        for file in self.staged.changes:
            reading = found.get(file.path)
            if reading is None:
                raise drifted(file.path)
            changed = _change(file, reading)
            require_old(file.path, self._root, self.staged.since)
            if changed is not None:
                changes.append(changed)
        inside = self._git.propose(readings)
        for each in self.staged.git:  # after the values of packed refs were taken
            require_ref_old(each, self._root, self.staged.since)
        return Proposal(changes=(*changes, *inside))

    def history(self) -> History:
        """What it changes in history alone. Raises as `StagedGit.history`."""
        return self._git.history()

    def lost(self) -> tuple[TargetName, ...]:
        """The refs that the command leaves so that commits stand nowhere any more.

        Raises:
            GuardError, HostError: as `StagedGit.lost`.
        """
        return self._git.lost()

    def plan(self, proposal: Proposal, write: str) -> Plan | None:
        """What `write_if_unchanged` will do with the same arguments; None where that is nothing.

        Raises:
            GuardError, HostError: as `FilesTarget.plan`.
        """
        rest = rest_of(self.staged)
        if not proposal.changes and not has_names(rest):
            return None
        plan = self._files.plan(self._as_files(proposal), write)
        return msgspec.structs.replace(plan, rest=rest)

    def write_if_unchanged(self, proposal: Proposal, write: str) -> Written:
        """The files stand as proposed, then folders, links and times as the command left them.

        What could not be made of those is in `left` afterwards.

        Raises:
            GuardError, HostError: as `FilesTarget.write_if_unchanged` and `StagedGit.written`; then
                nothing stands.
        """
        with self._git.written(write), ExitStack() as stack:
            files = self._files
            if len(proposal.changes) >= _MANY:
                files = stack.enter_context(files.batched())
            written = files.write_if_unchanged(self._as_files(proposal), write)
        self.left = apply_rest(rest_of(self.staged), self._root)
        self._marks = self._files.marks(written)
        return written

    def observe(self, proposal: Proposal) -> tuple[Observation, ...]:
        """T3, as of the files target."""
        seen = self._files.observe(self._as_files(proposal), self._marks)
        return tuple(self._git.as_git(each) for each in seen)

    # -- inside -------------------------------------------------------------------------------

    def _as_files(self, proposal: Proposal) -> Proposal:
        return Proposal(changes=tuple(map(self._git.as_file, proposal.changes)))

    def _content(self, path: str) -> bytes | None:
        """What is to stand at a path of the working folder once the command is applied."""
        if path in self._contents:
            return self._contents[path]
        try:
            return self._files.read_state(self._root.name(path)).content
        except GroundwireError:
            return None


def _change(file: StagedFile, reading: Reading) -> Change | None:
    """The change of one file; None where it stands already as it is to be."""
    state = reading.state
    if isinstance(state, Unmeasurable):
        raise unmeasurable(file.path, state)
    if isinstance(state, Absent):
        if file.after is None:
            return None
        return Change(
            name=reading.name,
            kind="created",
            state=state,
            before=None,
            after=file.after,
            mode=file.mode,
        )
    return _change_of_present(file, reading, state)


def _change_of_present(file: StagedFile, reading: Reading, state: Present) -> Change | None:
    before = reading.content
    if file.after is None:
        return Change(name=reading.name, kind="deleted", state=state, before=before, after=None)
    mode = None if file.mode == state.mode else file.mode
    if file.after == before and mode is None:
        return None
    if state.mode & ~0o777 and mode is not None:
        raise GuardError(
            "special-mode",
            f"{file.path} runs as another user or group; such files are not written here.",
        )
    return Change(
        name=reading.name,
        kind="mode" if file.after == before else "changed",
        state=state,
        before=before,
        after=file.after,
        mode=mode,
    )
