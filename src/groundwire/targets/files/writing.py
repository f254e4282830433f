"""A whole plan carried out: every step or none, and a journal where there is more than one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, suppress

from groundwire.canon.digest import sha256
from groundwire.documents.target import (
    Absent,
    Change,
    Guarantee,
    Plan,
    Present,
    Proposal,
    State,
    Step,
    Written,
)
from groundwire.errors import GroundwireError, GuardError, HostError
from groundwire.targets.files.ground import Ground, glance, last
from groundwire.targets.files.journal import WRITE_ID, Journal, begin
from groundwire.targets.files.placing import place, unsettled
from groundwire.targets.files.reverting import finish, put_back, remove_folders
from groundwire.targets.files.staging import stage
from groundwire.targets.refusing import require_unchanged


def plan_of(ground: Ground, proposal: Proposal, write: str) -> Plan:
    """What a write of the proposal will do, by digests; nothing is done.

    Raises:
        GuardError: `bad-write-id`, `path-is-link`.
        HostError: `target-unreadable`.
    """
    if not WRITE_ID.fullmatch(write):
        raise GuardError(
            "bad-write-id", "A write is named by 32 to 64 lower-case hexadecimal digits."
        )
    steps = [
        _step(ground, change, f".gw-{write}-{number}")
        for number, change in enumerate(proposal.changes)
    ]
    return Plan(write=write, root=ground.root.path, steps=tuple(steps))


def carry_out(ground: Ground, plan: Plan, changes: Sequence[Change]) -> Written:
    """Every step of the plan stands, on the medium; or an error is raised and none does.

    Raises:
        GuardError: `state-drifted`, `state-unmeasurable`, `path-is-link`, `not-a-file`.
        HostError: `target-unwritable`, `attributes-not-kept`, `kept-failed`, `journal-failed`,
            `journal-missing`, `moves-between-devices`; `write-unsettled`: see to it.
    """
    if len(plan.steps) > 1 and ground.state is None:
        raise HostError(
            "journal-missing", "Several files are written with a journal only; name its folder."
        )
    writing = _Writing(ground, plan, changes)
    try:
        for step in plan.steps:
            recheck(ground, step)
        writing.keep()
        writing.run()
    except OSError as error:
        raise HostError(
            "target-unwritable",
            f"Nothing was written: {error.filename or plan.root} ({error.strerror or error}). See"
            " to the folder's permissions and room.",
        ) from error
    return writing.written()


def recheck(ground: Ground, step: Step) -> None:
    """T2: what the step is about still has its token, and where something is made nothing is.

    Raises:
        GuardError: `state-drifted`, `state-unmeasurable`, `path-is-link`.
        HostError: `target-unreadable`.
    """
    with ground.root.open_parent(step.path) as folder:
        found = glance(ground.disk, last(step.path), folder)
        state: State | None = Absent() if found is None else found.state
        require_unchanged(step.path, step.state, state)
    if step.to is not None:
        with ground.root.open_parent(step.to) as folder:
            found = glance(ground.disk, last(step.to), folder)
            require_unchanged(step.to, Absent(), None if found else Absent())


class _Writing:
    """One write, from nothing to standing. `_placed` counts the steps that stand."""

    def __init__(self, ground: Ground, plan: Plan, changes: Sequence[Change]) -> None:
        self._ground = ground
        self._plan = plan
        self._changes = changes
        self._staged: list[Present | None] = []
        self._guarantees: list[Guarantee] = []
        self._kept: list[str] = []
        self._late: list[str] = []
        self._displaced: Change | None = None
        self._taken = False

    def keep(self) -> None:
        """What the files hold now is kept, where it is not too large.

        The one file of a write is kept itself where it can be, once it was displaced and compared;
        until then it stands beside its name, where recovery finds it.
        """
        several = len(self._changes) > 1
        for change in self._changes:
            if change.before is None or change.kind not in {"changed", "deleted"}:
                continue
            state = change.state
            if not several and isinstance(state, Present) and self._ground.kept.takes(state):
                self._displaced = change
            else:
                self._copy(change.before)
        if several:
            self._ground.kept.wait_for(self._kept)

    def run(self) -> None:
        """Everything stands and what it displaced is gone; or nothing stands."""
        state = self._ground.state
        several = len(self._plan.steps) > 1
        journal = begin(state, self._plan, self._ground.disk) if several and state else None
        try:
            with ExitStack() as locks:
                try:
                    self._stage_all(journal)
                    locks.enter_context(self._ground.exclusively(self._plan.steps))
                    self._place_all(journal)
                except BaseException as error:
                    self._undo(error)
                    if journal is not None:
                        journal.discard()
                    raise
            self._finish(journal)
        finally:
            if journal is not None:
                journal.close()

    def written(self) -> Written:
        states: list[State] = []
        for step, token in zip(self._plan.steps, self._staged, strict=True):
            states.append(step.state if step.kind == "renamed" else token or Absent())
        return Written(
            plan=self._plan,
            guarantees=tuple(self._guarantees),
            states=tuple(states),
            kept=tuple(self._kept),
            late=tuple(self._late),
        )

    # -- inside -------------------------------------------------------------------------------

    def _copy(self, before: bytes) -> None:
        digest = self._ground.kept.keep(before)
        if digest is not None:
            self._kept.append(digest)

    def _stage_all(self, journal: Journal | None) -> None:
        for step, change in zip(self._plan.steps, self._changes, strict=True):
            self._make_folders(step)
            self._staged.append(self._stage(step, change))
        if journal is not None:
            journal.staged(self._staged)

    def _place_all(self, journal: Journal | None) -> None:
        for step, token, change in zip(self._plan.steps, self._staged, self._changes, strict=True):
            take = self._displaced is change
            placed = place(self._ground, step, token, change.before, take=take)
            self._guarantees.append(placed.guarantee)
            self._taken = placed.taken
            if take and change.before is not None:
                if placed.taken:
                    self._kept.append(sha256(change.before))
                else:
                    self._copy(change.before)
                self._displaced = None
        if journal is not None:
            self._sync()
            journal.committed()

    def _make_folders(self, step: Step) -> None:
        for path in step.folders:
            with self._ground.folder(path) as above:
                try:
                    self._ground.disk.make_folder(last(path), above)
                except FileExistsError:
                    continue

    def _stage(self, step: Step, change: Change) -> Present | None:
        if step.kind in {"deleted", "renamed"} or change.after is None:
            return None
        with self._ground.folder(step.path) as folder:
            return stage(self._ground.disk, folder, step, change.after, step.held)

    def _undo(self, error: BaseException) -> None:
        """What was placed is put back; where it cannot be, the error says so and the journal stays."""
        if self._displaced is not None and self._displaced.before is not None:
            with suppress(GroundwireError):  # what went wrong before counts
                self._copy(self._displaced.before)
        try:
            for at in reversed(range(len(self._staged))):
                step = self._plan.steps[at]
                restored = put_back(self._ground, step, self._staged[at])
                if not restored and (at < len(self._guarantees) or self._is_in_ours(at)):
                    raise unsettled(step, "somebody changed it before it could be put back")
            remove_folders(self._ground, [f for step in self._plan.steps for f in step.folders])
        except (GroundwireError, OSError) as another:
            if isinstance(another, HostError) and another.reason == "write-unsettled":
                raise another from error
            raise unsettled(self._plan.steps[0], "it could not be put back") from another
        if isinstance(error, HostError) and error.reason == "write-unsettled":
            raise error

    def _is_in_ours(self, at: int) -> bool:
        """Whether the name has the file that was staged, into which somebody wrote."""
        staged, path = self._staged[at], self._plan.steps[at].path
        with self._ground.root.open_parent(path) as folder:
            found = glance(self._ground.disk, last(path), folder)
        return (
            found is not None
            and staged is not None
            and (found.device, found.inode) == (staged.device, staged.inode)
        )

    def _finish(self, journal: Journal | None) -> None:
        try:
            several = journal is not None
            for step in self._plan.steps:
                if not self._taken and not finish(self._ground, step, late=several):
                    self._late.append(step.path)
            self._sync()
            if journal is not None:
                journal.discard()
        except (GroundwireError, OSError) as error:
            raise unsettled(
                self._plan.steps[0], "it stands, and may not after a power cut"
            ) from error

    def _sync(self) -> None:
        """The names in every folder that was touched are on the medium."""
        touched = {
            path for step in self._plan.steps for path in (step.path, step.to, *step.folders)
        }
        above = {path.rpartition("/")[0] for path in touched if path is not None}
        for folder in above:
            with self._ground.root.open_parent(f"{folder}/x" if folder else "x") as opened:
                if opened is not None:
                    self._ground.disk.sync(opened)


def _step(ground: Ground, change: Change, held: str) -> Step:
    made = change.to or change.name
    new = change.kind in {"created", "renamed"}
    return Step(
        path=change.name.path,
        kind=change.kind,
        state=change.state,
        after=None if change.after is None else sha256(change.after),
        held=held,
        to=None if change.to is None else change.to.path,
        mode=change.mode,
        folders=ground.root.missing_folders(made.path) if new else (),
    )
