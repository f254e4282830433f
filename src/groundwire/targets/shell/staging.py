"""ShellTarget: a command that runs once beside its working folder, as something that writes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from groundwire.documents.staged import Containment, GitChange, Output, Staged, StagedFile
from groundwire.documents.target import (
    Absent,
    Change,
    Observation,
    Present,
    Proposal,
    Reading,
    TargetName,
    Unmeasurable,
    Written,
)
from groundwire.errors import GuardError, HostError
from groundwire.targets.disk.system import Disk
from groundwire.targets.disk.walking import Root
from groundwire.targets.files.target import FilesTarget
from groundwire.targets.places.protected import Protected
from groundwire.targets.refusing import drifted, unmeasurable
from groundwire.targets.shell.applying import apply_rest
from groundwire.targets.shell.reading import Upper
from groundwire.targets.shell.running import Command, Limits, run_contained
from groundwire.targets.shell.sorting import require_allowed, sort_out
from groundwire.targets.shell.view import View, denied_files, require_narrow


class ShellTarget:
    """Commands in one working folder. Nothing that one does there stands before it is applied.

    A command runs once, in an overlay. Its files are then written by the files target, with that
    one's guarantee; what git wrote in `.git` is handed on for the git target.

    Does not see: what a command reads of the system besides what `view` hides; mounts below the
    working folder, which are empty for it; a socket or pipe outside that was made after it began;
    a repository whose `.git` lies elsewhere, which it can read only. Folders below that are renamed
    are copied. The kernel is trusted.
    """

    def __init__(
        self,
        files: FilesTarget,
        view: View,
        containment: Containment,
        *,
        state: Path,
        limits: Limits | None = None,
        protected: Sequence[Protected] = (),
        deny_read: tuple[str, ...] = (),
        deny_read_kinds: tuple[str, ...] = (),
    ) -> None:
        self._files = files
        self._root = Root(Path(files.root), Disk())
        self._view = view
        self._containment: Containment = containment
        self._state = state
        self._limits = limits or Limits()
        self._protected = tuple(protected)
        self._denied = (deny_read, deny_read_kinds)

    def stage(self, words: Sequence[str], folder: str = "") -> StagedCommand:
        """The command has run, and everything it left is known and stands nowhere else.

        `folder` is where it begins, below the working folder.

        Raises:
            NotContained: nothing ran. PolicyError: `bad-path-pattern`.
            GuardError: `folder-too-wide`, `state-drifted`, `staged-too-large`, `command-too-long`,
                `change-kind-denied`: it made links, devices, or what else no command makes.
            HostError: `staging-failed`, `target-unreadable`.
        """
        root = self._root.path
        require_narrow(root, self._view)
        hidden = (*self._view.hidden, *denied_files(root, *self._denied))
        begin = f"{root}/{self._root.locate(folder).path}" if folder else root
        command = Command(
            words=tuple(words),
            root=root,
            folder=begin,
            environment={**self._view.environment, "PWD": begin},
            hidden=hidden,
            shown=self._view.shown,
            files=self._view.files,
            limits=self._limits,
        )
        handle = self._root.disk.open_root(root)
        try:
            since = moment(self._state)
            with run_contained(command) as ran:
                upper = Upper(since, self._limits.written)
                if ran.upper is None:
                    raise HostError("staging-failed", "The command left no layer; try again.")
                upper.read(ran.upper, handle)
        finally:
            os.close(handle)
        parts = sort_out(upper, self._root, self._protected, self._view.shown)
        require_allowed(parts.denied)
        staged = Staged(
            changes=parts.changes,
            git=parts.git,
            links=parts.links,
            folders=parts.folders,
            removed=parts.removed,
            touched=parts.touched,
            denied=parts.denied,
            output=Output(stdout=ran.stdout, stderr=ran.stderr),
            exit=ran.exit,
            containment=self._containment,
            truncated=ran.truncated,
            since=since,
        )
        return StagedCommand(self._files, self._root, staged)


class StagedCommand:
    """One command that has run, and the write that it would be. To be applied once or forgotten."""

    def __init__(self, files: FilesTarget, root: Root, staged: Staged) -> None:
        self._files = files
        self._root = root
        self.staged = staged
        self.left: tuple[str, ...] = ()
        """Folders and links that could not be made or removed when it was applied."""

    @property
    def git(self) -> tuple[GitChange, ...]:
        """What git wrote in its own folder, for the git target to judge and to apply."""
        return self.staged.git

    def touches(self) -> tuple[TargetName, ...]:
        """Every file outside of `.git` that it changed."""
        return tuple(self._root.name(file.path) for file in self.staged.changes)

    def read_state(self, name: TargetName) -> Reading:
        """T1, as of the files target.

        Raises:
            GuardError, HostError: as `FilesTarget.read_state`.
        """
        return self._files.read_state(name)

    def propose(self, readings: Sequence[Reading]) -> Proposal:
        """What the command made of exactly these, whole; nothing is written.

        Raises:
            GuardError: `state-drifted`: somebody changed one of them since the command began;
                `state-unmeasurable`.
        """
        found = {reading.name.path: reading for reading in readings}
        changes = []
        for file in self.staged.changes:
            reading = found.get(file.path)
            if reading is None:
                raise drifted(file.path)
            changed = _change(file, reading)
            self._require_old(file.path)
            if changed is not None:
                changes.append(changed)
        return Proposal(changes=tuple(changes))

    def write_if_unchanged(self, proposal: Proposal, write: str) -> Written:
        """The files stand as proposed, then folders, links and times as the command left them.

        What could not be made of those is in `left` afterwards.

        Raises:
            GuardError, HostError: as `FilesTarget.write_if_unchanged`; then nothing stands.
        """
        written = self._files.write_if_unchanged(proposal, write)
        self.left = apply_rest(self.staged, self._root)
        return written

    def observe(self, proposal: Proposal) -> tuple[Observation, ...]:
        """T3, as of the files target."""
        return self._files.observe(proposal)

    def _require_old(self, path: str) -> None:
        """Nobody has changed the file since the command began; looked at after its token was taken."""
        with self._root.open_parent(path) as folder:
            if folder is None:
                return
            try:
                state = self._root.disk.state_at(path.rpartition("/")[2], folder)
            except FileNotFoundError:
                return
            except OSError as error:
                raise HostError(
                    "target-unreadable", f"{path} cannot be looked at ({error.strerror})."
                ) from error
        if state.st_ctime_ns > self.staged.since:
            raise drifted(path)


def moment(state: Path) -> int:
    """A time by the file system's own clock: what was changed before has none that is later.

    And what is changed after this returns has a later one, as long as nobody sets the clock back.

    Raises:
        HostError: `staging-failed`.
    """
    path = state / f".moment-{os.getpid()}"
    try:
        state.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            os.utime(descriptor)
            first = latest = os.stat(descriptor).st_ctime_ns
            while latest <= first:  # a tick of the kernel's clock, a few milliseconds
                os.utime(descriptor)
                latest = os.stat(descriptor).st_ctime_ns
            return first
        finally:
            os.close(descriptor)
            os.unlink(path)
    except OSError as error:
        raise HostError(
            "staging-failed",
            f"Nothing can be written in {state} ({error.strerror or error}); see to the folder.",
        ) from error


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
