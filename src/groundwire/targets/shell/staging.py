"""ShellTarget: a command that runs once beside its working folder, as something that writes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from groundwire.documents.staged import Output, Staged
from groundwire.errors import GuardError, HostError
from groundwire.targets.disk.system import Disk
from groundwire.targets.disk.walking import Root
from groundwire.targets.files.journal import WRITE_ID
from groundwire.targets.files.target import FilesTarget
from groundwire.targets.places.protected import Protected
from groundwire.targets.shell.canary import Measured, measure, measure_or_none
from groundwire.targets.shell.copying import Copy, CopyBounds, CopyUpper, copied
from groundwire.targets.shell.reading import Upper
from groundwire.targets.shell.running import (
    Command,
    Limits,
    NotContained,
    Ran,
    run_contained,
    run_in_copy,
)
from groundwire.targets.shell.sorting import require_allowed, sort_out
from groundwire.targets.shell.staged_command import StagedCommand
from groundwire.targets.shell.view import View, denied_files, require_narrow
from groundwire.targets.stopping import Stop


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """What a command may use and what it does not see.

    `deny_read` are patterns of paths, `deny_read_kinds` kinds of content: such files are empty for
    it. Files of these patterns outside of the working folder are found where the pattern is a path.
    """

    limits: Limits = Limits()
    copy: CopyBounds = CopyBounds()
    deny_read: tuple[str, ...] = ()
    deny_read_kinds: tuple[str, ...] = ()


class ShellTarget:
    """Commands in one working folder. Nothing that one does there stands before it is applied.

    A command runs once, in an overlay. Its files are then written by the files target, with that
    one's guarantee, and what git wrote in `.git` with them. `now` gives seconds since 1970.

    Does not see: what a command reads of the system besides what `view` hides; mounts below the
    working folder, which are empty for it; a socket outside that was made after it began, or whose
    name is no whole path; a pipe outside;
    a repository whose `.git` lies elsewhere, which it can read only. Folders below that are renamed
    are copied. The kernel is trusted.
    """

    def __init__(
        self,
        files: FilesTarget,
        view: View,
        measured: Measured,
        *,
        state: Path,
        now: Callable[[], float],
        overlay: bool = True,
        bounds: Bounds | None = None,
        protected: Sequence[Protected] = (),
    ) -> None:
        self._files = files
        self._root = Root(Path(files.root), Disk())
        self._view = view
        self.measured = measured
        """How far a program got that tried to get out of what commands run in here."""
        self._state = state
        self._now = now
        self._overlay = overlay
        self._bounds = bounds or Bounds()
        self._protected = tuple(protected)

    def stage(
        self,
        words: Sequence[str],
        name: str,
        folder: str = "",
        stop: Stop | None = None,
        files: Mapping[str, bytes] | None = None,
    ) -> StagedCommand:
        """The command has run, and everything it left is known and stands nowhere else.

        `name` is used once, like that of a write. `folder` is where it begins, below the working
        folder. `files` are put into the empty folders that it sees besides, where there is an
        overlay. Whoever asks `stop` ends it while it runs; copying and reading are not ended.

        Raises:
            NotContained: nothing ran. PolicyError: `bad-path-pattern`.
            GuardError: `folder-too-wide`, `folder-too-large`, `state-drifted`, `staged-too-large`,
                `too-many-changes`, `command-too-long`, `command-stuck`, `command-over-limit`;
                `bad-write-id`; `change-kind-denied`: it made links, devices, or
                what else no command makes.
            HostError: `staging-failed`, `target-unreadable`, `call-cancelled`.
        """
        if not WRITE_ID.fullmatch(name):
            raise GuardError(
                "bad-write-id", "A command is named by 32 to 64 lower-case hexadecimal digits."
            )
        root = self._root.path
        require_narrow(root, self._view)
        since = moment(self._state, name)
        handle = self._root.disk.open_root(root)
        try:
            with self._place(name) as place:
                command = self._command(words, place, folder, stop or Stop(), files or {})
                with run_contained(command) if place is None else run_in_copy(command) as ran:
                    upper = self._read(ran, place, handle)
        finally:
            os.close(handle)
        parts = sort_out(upper, since, self._root, self._protected, self._view.shown)
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
            containment=self.measured.containment,
            truncated=ran.truncated,
            since=since,
        )
        hidden = tuple(
            path.removeprefix(f"{command.root}/")
            for path in command.hidden
            if path.startswith(f"{command.root}/")
        )
        return StagedCommand(self._files, self._root, staged, self._now(), hidden)

    @contextmanager
    def _place(self, name: str) -> Iterator[Copy | None]:
        """Where the command runs: None for an overlay of the folder itself."""
        if self._overlay:
            yield None
            return
        with copied(self._root.path, self._state, name, self._bounds.copy) as copy:
            yield copy

    def _command(
        self,
        words: Sequence[str],
        place: Copy | None,
        folder: str,
        stop: Stop,
        files: Mapping[str, bytes],
    ) -> Command:
        root = self._root.path if place is None else str(place.path)
        begin = f"{root}/{self._root.locate(folder).path}" if folder else root
        view, bounds = self._view, self._bounds
        denied = denied_files(root, bounds.deny_read, bounds.deny_read_kinds)
        return Command(
            words=tuple(words),
            root=root,
            folder=begin,
            environment={**view.environment, "PWD": begin},
            hidden=(*view.hidden, *denied),
            shown=view.shown,
            files={**view.files, **files},
            limits=bounds.limits,
            stop=stop,
        )

    def _read(self, ran: Ran, place: Copy | None, root: int) -> Upper:
        most, changes = self._bounds.limits.written, self._bounds.limits.changes
        if place is not None:
            upper: Upper = CopyUpper(most, changes, place)
            handle = self._root.disk.open_root(str(place.path))
            try:
                upper.read(handle, root)
            finally:
                os.close(handle)
            return upper
        upper = Upper(most, changes)
        if ran.upper is None:
            raise HostError("staging-failed", "The command left no layer; try again.")
        upper.read(ran.upper, root)
        return upper


def open_shell(
    files: FilesTarget,
    view: View,
    *,
    state: Path,
    now: Callable[[], float],
    token: str,
    bounds: Bounds | None = None,
    protected: Sequence[Protected] = (),
) -> ShellTarget:
    """A shell target whose containment was measured just now, to be kept for the process.

    Where there is no overlay commands run in a copy, which contains nothing and says so. `token`
    is text of letters and digits that nothing else has.
    """
    overlay = True
    try:
        measured = measure(run_contained, view, state, token)
    except NotContained:
        overlay = False
        measured = measure_or_none(run_in_copy, view, state, token)
    return ShellTarget(
        files,
        view,
        measured,
        state=state,
        now=now,
        overlay=overlay,
        bounds=bounds,
        protected=protected,
    )


def moment(state: Path, name: str) -> int:
    """A time by the file system's own clock: what was changed before has none that is later.

    And what is changed after this returns has a later one, as long as nobody sets the clock back.

    Raises:
        HostError: `staging-failed`.
    """
    path = state / f"moment-{name}"
    try:
        state.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(
            path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
        )
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
