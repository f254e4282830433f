"""FilesTarget: the files below one folder, as something that a call writes to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from groundwire.documents.edit import FileEdit
from groundwire.documents.target import (
    Absent,
    Change,
    Guarantee,
    Observation,
    Plan,
    Present,
    Proposal,
    Reading,
    Recovered,
    Seen,
    TargetName,
    Unmeasurable,
    Written,
)
from groundwire.errors import GroundwireError, GuardError, HostError
from groundwire.targets.disk.batching import BatchedDisk
from groundwire.targets.disk.kept import KeptFiles
from groundwire.targets.disk.measuring import LARGEST, Measured, measure
from groundwire.targets.disk.system import NOT_THERE, Disk
from groundwire.targets.disk.walking import Root
from groundwire.targets.editing.proposing import moved_or_deleted, paths_of, propose_edits
from groundwire.targets.files.ground import Ground, last
from groundwire.targets.files.marks import Marks, marks_of, seen_by
from groundwire.targets.files.recovering import (
    interrupted,
    recover_journal,
    recover_plan,
    recover_several,
)
from groundwire.targets.files.undoing import proposal_to_undo
from groundwire.targets.files.writing import carry_out, plan_of


class FilesTarget:
    """Plain files below a folder; a write is `exchange-detected`.

    What a write displaces is compared with what was judged; where it differs it goes back and the
    write is refused, so nobody's bytes are lost who writes by renaming, or who had the file open.
    Several files stand all or not at all once an interrupted write was recovered; other processes
    see them change one after the other. Where the file system cannot exchange two names a write
    is `non-atomic`, and says so: what others write between the look and the rename is lost.

    `state` is a folder of groundwire's own with journals and locks; writers that share it do not
    get in one another's way, and without it several files are not written.

    Does not see: a file changed and changed back; a writer that holds the file open where there
    are no leases (file systems over a network, a file of another user's); a folder moved away
    while it is written in. Folders, links, devices, pipes and sockets are refused. Inode flags and
    times are not carried over; a hard link is broken, never written through.
    """

    def __init__(
        self, root: Path, kept: KeptFiles, state: Path | None = None, disk: Disk | None = None
    ) -> None:
        self._ground = Ground(Root(root, disk or Disk()), kept, state)
        self._state = state

    @property
    def root(self) -> str:
        """The real path of the folder."""
        return self._ground.root.path

    @contextmanager
    def batched(self) -> Iterator[FilesTarget]:
        """The same, for one write of many files: the medium is waited for once for all of them."""
        if type(self._ground.disk) is not Disk:
            yield self
            return
        with BatchedDisk() as disk:
            yield FilesTarget(Path(self.root), self._ground.kept, self._state, disk)

    def locate(self, path: str) -> TargetName:
        """The name that a path comes to once every link on its way is read.

        Raises:
            GuardError: `bad-path`, `path-outside`.
            HostError: `target-unreadable`.
        """
        return self._ground.root.locate(path)

    def touches(self, request: Sequence[FileEdit]) -> tuple[TargetName, ...]:
        """Every file that the edits name, each once.

        Raises:
            GuardError: `bad-path`, `path-outside`; `path-is-link`: a link is to be moved or
                deleted. EncodingError: `patch-malformed`, `patch-unsupported`.
            HostError: `target-unreadable`.
        """
        for path in moved_or_deleted(request):
            if self._ground.root.is_link(path):
                raise GuardError(
                    "path-is-link",
                    f"{path} is a symbolic link; links are not moved, deleted or written over. Name"
                    " the file it leads to.",
                )
        return tuple(dict.fromkeys(self.locate(path) for path in paths_of(request)))

    def read_state(self, name: TargetName) -> Reading:
        """T1: the token of the file and its bytes, of one moment.

        Raises:
            GuardError: `path-is-link`, `not-a-file`, `path-outside`: another root's name.
            HostError: `target-unreadable`.
        """
        if name.root != self.root or name.kind != "files":
            raise GuardError("path-outside", f"{name.path} is a name of another target's.")
        measured = self._measure(name.path)
        return Reading(name=name, state=measured.state, content=measured.content)

    def propose(self, request: Sequence[FileEdit], readings: Sequence[Reading]) -> Proposal:
        """The edits made on what was read, one change for each file that differs; writes nothing.

        Raises:
            GuardError, EncodingError: as `proposing.propose_edits`.
        """
        return propose_edits(request, readings, self.locate)

    def plan(self, proposal: Proposal, write: str) -> Plan:
        """What `write_if_unchanged` will do with the same arguments, to be recorded before it does.

        With it `recover` can settle a write of one file that was interrupted.

        Raises:
            GuardError: `bad-write-id`, `path-is-link`. HostError: `target-unreadable`.
        """
        return plan_of(self._ground, proposal, write)

    def write_if_unchanged(self, proposal: Proposal, write: str) -> Written:
        """Everything proposed stands, on the medium; or an error is raised and nothing of it does.

        Raises:
            GuardError: `state-drifted`, `state-unmeasurable`, `path-is-link`, `not-a-file`,
                `bad-write-id`.
            HostError: `write-unsettled`: look at it; others as `writing.carry_out`.
        """
        plan = self.plan(proposal, write)
        return carry_out(self._ground, plan, proposal.changes)

    def marks(self, written: Written) -> Marks:
        """Which files the write has just put there, of those that cannot be read; for `observe`."""
        return marks_of(written, self._ground.root)

    def observe(self, proposal: Proposal, marks: Marks | None = None) -> tuple[Observation, ...]:
        """T3: every file of the proposal as it is now, whole; a renamed one under both names.

        `token-match` is one that cannot be read and is by its mark the very file that was put
        there; `not-observed` any other that could not be read. Says nothing of files that were not
        proposed.
        """
        found: list[Observation] = []
        for change in proposal.changes:
            if change.to is not None:
                found.append(self._observe(change.name, change, None, marks or {}))
                found.append(self._observe(change.to, change, change.after, marks or {}))
            else:
                found.append(self._observe(change.name, change, change.after, marks or {}))
        return tuple(found)

    def undo(self, plan: Plan, write: str) -> Written:
        """Every file of the plan is again as it was before it; `write` names this new write.

        Raises:
            GuardError: `changed-since`, `not-kept`, and as `write_if_unchanged`.
            HostError: as `write_if_unchanged`.
        """
        return self.write_if_unchanged(self.proposal_to_undo(plan), write)

    def proposal_to_undo(self, plan: Plan) -> Proposal:
        """The changes that `undo` would make, to be judged and shown.

        Raises:
            GuardError: `changed-since`, `not-kept`, `path-outside`.
            HostError: `target-unreadable`.
        """
        if plan.root != self.root:
            raise GuardError("path-outside", f"The write was one in {plan.root}; undo it there.")
        root = self._ground.root
        return proposal_to_undo(
            plan, self._ground.kept, lambda path: self.read_state(root.name(path))
        )

    def recover(self, plan: Plan | None = None) -> tuple[Recovered, ...]:
        """Interrupted writes stand wholly or not at all: the plan's, or else all with a journal.

        Those that still go on in another process are left to it.

        Raises:
            EncodingError: `bad-journal`. HostError: `journal-failed`, `target-unwritable`.
        """
        if plan is not None and len(plan.steps) > 1:
            return (recover_several(self._ground, plan),)
        if plan is not None:
            return (recover_plan(self._ground, plan),)
        found: list[Recovered] = []
        for path in interrupted(self._state) if self._state is not None else ():
            try:
                recovered = recover_journal(self._ground, path)
            except HostError as error:
                if error.reason != "journal-in-use":
                    raise
                continue
            if recovered is not None:
                found.append(recovered)
        return tuple(found)

    def guarantee(self, name: TargetName, probe: str) -> Guarantee:
        """What a write of the file would be, measured with two empty files beside it.

        `probe` is named like a write. Measured once for each file system; a write measures too.

        Raises:
            GuardError: `state-drifted`: its folder is not there. HostError: `target-unwritable`.
        """
        ground, names = self._ground, (f".gw-{probe}-a", f".gw-{probe}-b")
        with ground.folder(name.path) as folder:
            device = ground.disk.state(folder).st_dev
            try:
                for each in names:
                    ground.disk.close(ground.disk.create(each, folder, 0o600))
                ground.disk.exchange(*names, folder)
            except OSError as error:
                if error.errno not in NOT_THERE:
                    raise HostError(
                        "target-unwritable",
                        f"Nothing can be written beside {name.path} ({error.strerror or error}).",
                    ) from error
                ground.without_exchange.add(device)
            finally:
                for each in names:
                    _remove_if_there(ground.disk, each, folder)
        return "non-atomic" if device in ground.without_exchange else "exchange-detected"

    # -- inside -------------------------------------------------------------------------------

    def _measure(self, path: str) -> Measured:
        with self._ground.root.open_parent(path) as folder:
            return measure(self._ground.disk, folder, last(path), limit=LARGEST)

    def _observe(
        self, name: TargetName, change: Change, after: bytes | None, marks: Marks
    ) -> Observation:
        try:
            measured = self._measure(name.path)
        except HostError:
            return _seen(name, "not-observed", Unmeasurable(why="unreadable"))
        except GroundwireError:
            return _seen(name, "drift", Unmeasurable(why="unreadable"))
        state = measured.state
        if isinstance(state, Unmeasurable):
            mark = marks.get(name.path) if state.why == "unreadable" else None
            seen = "not-observed" if mark is None else seen_by(mark, name.path, self._ground.root)
            return _seen(name, seen, state)
        if isinstance(state, Absent):
            return _seen(name, "drift" if after is not None else "content-match", state)
        same = measured.content == after and _has_mode(change, state)
        return _seen(name, "content-match" if same else "drift", state)


def _has_mode(change: Change, state: Present) -> bool:
    if change.mode is not None:
        return state.mode == change.mode
    return not isinstance(change.state, Present) or state.mode == change.state.mode


def _seen(name: TargetName, seen: Seen, state: Absent | Present | Unmeasurable) -> Observation:
    return Observation(name=name, seen=seen, state=state)


def _remove_if_there(disk: Disk, name: str, folder: int) -> None:
    try:
        disk.remove(name, folder)
    except OSError:
        return
