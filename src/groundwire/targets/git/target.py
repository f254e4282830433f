"""GitTarget: the refs of a repository, as something that a call writes to."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from groundwire.documents.ref_edit import Commit, DeleteRef, RefEdit, SetRef
from groundwire.documents.target import (
    Change,
    Guarantee,
    Observation,
    Plan,
    Present,
    Proposal,
    Reading,
    Recovered,
    Seen,
    State,
    TargetName,
    Unmeasurable,
    Written,
)
from groundwire.errors import GroundwireError, GuardError
from groundwire.targets.disk.git_program import Git
from groundwire.targets.disk.kept import KeptFiles
from groundwire.targets.files.journal import WRITE_ID
from groundwire.targets.files.undoing import proposal_to_undo
from groundwire.targets.git.committing import Made, commit_staged, size_of
from groundwire.targets.git.history import History
from groundwire.targets.git.moving import change_of, move_refs, require_pins, step_of
from groundwire.targets.git.naming import require_ref
from groundwire.targets.git.repository import (
    SYMBOLIC,
    Repository,
    head_of,
    reading_of,
    ref_text,
    repository_at,
)

# Commits that were proposed and not written yet; the last one is remembered whatever its size.
_REMEMBERED: Final = 64
_REMEMBERED_BYTES: Final = 64 << 20
_CONDITIONAL: Guarantee = "conditional"


class GitTarget:
    """The refs of the repository that `root` is in; a write is `conditional`.

    git itself compares each ref with what was judged and swaps it, all refs in one transaction: a
    ref that another writer has moved stays where that writer put it and nothing is written. The
    transaction stands at once for git; a death in the middle of it may leave some refs moved, which
    `recover` tells. A ref's bytes are what its file would say: the name of an object and a line end.

    Hooks do not run, nothing is signed and nothing is fetched. Working tree and index stay as they
    are, so a ref that is checked out anywhere moves by a commit only. What a commit holds is the
    index when the commit was proposed. Does not see: another branch checked out since (the branch
    that was judged moves); a ref moved away and back.
    """

    def __init__(
        self, root: Path, kept: KeptFiles, now: Callable[[], float], program: str = "git"
    ) -> None:
        self._git = Git(str(root), program)
        self._kept = kept
        self._now = now
        self._repository: Repository | None = None
        self._made: dict[str, Made] = {}
        self._lock = threading.Lock()

    @property
    def repository(self) -> Repository:
        """The repository, looked up once.

        Raises:
            GuardError: `no-repository`. HostError: `git-missing`, `git-failed`.
        """
        if self._repository is None:
            self._repository = repository_at(self._git)
        return self._repository

    def locate(self, path: str) -> TargetName:
        """The name of the ref. Raises as `repository`."""
        return self.repository.ref(path)

    def touches(self, request: RefEdit) -> tuple[TargetName, ...]:
        """The ref that the request moves: of a commit the branch that is checked out.

        Raises:
            GuardError: `no-repository`, `bad-ref`. HostError: `git-missing`, `git-failed`.
        """
        match request:
            case Commit():
                return (self.repository.ref(head_of(self._git)),)
            case SetRef(ref=ref) | DeleteRef(ref=ref):
                require_ref(ref)
                return (self.repository.ref(ref),)

    def read_state(self, name: TargetName) -> Reading:
        """T1: the token of the ref and what it says.

        Raises:
            GuardError: `path-outside`: another repository's name.
            HostError: `git-missing`, `git-failed`.
        """
        if name.kind != "git" or name != self.repository.ref(name.path):
            raise GuardError("path-outside", f"{name.path} is a name of another target's.")
        return reading_of(name, ref_text(self._git, name.path))

    def propose(self, request: RefEdit, readings: Sequence[Reading]) -> Proposal:
        """The one move that the request makes of what was read; nothing is written.

        Raises:
            GuardError: `target-not-read`, `ref-is-symbolic`, `ref-absent`, `ref-checked-out`,
                `no-such-commit`, `edit-malformed`: no change; and as `committing.commit_staged`.
            HostError: `git-missing`, `git-failed`.
        """
        [name] = self.touches(request)
        reading = next((each for each in readings if each.name == name), None)
        if reading is None:
            raise GuardError("target-not-read", f"{name.path} was not read before it was proposed.")
        text = reading.content
        if text is not None and text.startswith(SYMBOLIC):
            raise GuardError(
                "ref-is-symbolic", f"{name.path} stands for another ref; name that one."
            )
        match request:
            case Commit(message=message):
                parent = None if text is None else text.decode("ascii").strip()
                now = int(self._now())
                made = commit_staged(self._git, self.repository, message, parent, now)
                self._remember(made)
                after: bytes | None = made.name.encode() + b"\n"
            case SetRef(ref=ref, commit=commit):
                self._require_nowhere_checked_out(ref)
                after = self._commit(commit)
            case DeleteRef(ref=ref):
                self._require_nowhere_checked_out(ref)
                if text is None:
                    raise GuardError("ref-absent", f"{ref} is not there.")
                after = None
        return Proposal(changes=(change_of(reading, after),))

    def plan(self, proposal: Proposal, write: str) -> Plan:
        """What `write_if_unchanged` will do with the same arguments, to be recorded before it does.

        Raises:
            GuardError: `bad-write-id`, `missing-expected`, `no-repository`.
            HostError: `git-missing`, `git-failed`.
        """
        if not WRITE_ID.fullmatch(write):
            raise GuardError(
                "bad-write-id", "A write is named by 32 to 64 lower-case hexadecimal digits."
            )
        require_pins(proposal.changes)
        steps = tuple(step_of(change) for change in proposal.changes)
        return Plan(write=write, root=self.repository.common, steps=steps)

    def write_if_unchanged(self, proposal: Proposal, write: str) -> Written:
        """Every ref is where it was proposed to be, or an error is raised and none has moved.

        Raises:
            GuardError: `missing-expected`: a change does not say where its ref was; `state-drifted`,
                `bad-write-id`, `objects-forgotten`, `path-outside`.
            HostError: `git-failed`, `git-missing`, `kept-failed`; `write-unsettled`: look at it.
        """
        plan = self.plan(proposal, write)
        for change in proposal.changes:
            self._require_ours(change.name)
        kept = tuple(self._keep(change) for change in proposal.changes if change.before is not None)
        made = [self._objects(change) for change in proposal.changes]
        for each in made:
            if each is not None:
                self._git.run("unpack-objects", "-q", "--strict", given=each.pack)
        says = next((each.says for each in made if each is not None), f"groundwire: {write}")
        move_refs(self._git, proposal.changes, says, int(self._now()))
        with self._lock:
            for each in made:
                if each is not None:  # the repository has it now
                    self._made.pop(each.name, None)
        return Written(
            plan=plan,
            guarantees=tuple(_CONDITIONAL for _ in plan.steps),
            states=tuple(reading_of(each.name, each.after).state for each in proposal.changes),
            kept=tuple(digest for digest in kept if digest is not None),
        )

    def observe(self, proposal: Proposal) -> tuple[Observation, ...]:
        """T3: every ref of the proposal as it is now; `not-observed` is what could not be read."""
        return tuple(self._observe(change) for change in proposal.changes)

    def recover(self, plan: Plan) -> Recovered:
        """What became of an interrupted write; nothing is changed.

        `after` where every ref stands as planned, else `before`; `left_alone` are those refs that
        stand at neither, and those that had moved where others had not.

        Raises:
            GuardError: `path-outside`. HostError: `git-missing`, `git-failed`.
        """
        self._require_here(plan)
        odd: list[TargetName] = []
        landed = True
        for step in plan.steps:
            name = self.repository.ref(step.path)
            state = self.read_state(name).state
            landed = landed and _digest(state) == step.after
            if _digest(state) != _digest(step.state):
                odd.append(name)
        if landed:
            return Recovered(write=plan.write, stands="after", left_alone=())
        return Recovered(write=plan.write, stands="before", left_alone=tuple(odd))

    def proposal_to_undo(self, plan: Plan) -> Proposal:
        """The moves that bring every ref of the plan back to where it was before it.

        Raises:
            GuardError: `changed-since`, `not-kept`, `path-outside`.
            HostError: `git-missing`, `git-failed`.
        """
        self._require_here(plan)
        undone = proposal_to_undo(
            plan, self._kept, lambda path: self.read_state(self.repository.ref(path))
        )
        return Proposal(
            changes=tuple(msgspec.structs.replace(each, mode=None) for each in undone.changes)
        )

    def history(self, proposal: Proposal) -> History:
        """What the proposed commits change that the working tree does not show."""
        after = {
            change.after.decode("ascii", "replace").strip()
            for change in proposal.changes
            if change.after
        }
        made = [each for name in sorted(after) if (each := self._made.get(name)) is not None]
        changes = tuple(change for each in made for change in each.history.changes)
        return History(changes, whole=all(each.history.whole for each in made))

    def lost(self, proposal: Proposal) -> tuple[Change, ...]:
        """The changes after which commits stand on no ref any more. Reflogs do not count here.

        Raises:
            HostError: `git-missing`, `git-failed`.
        """
        return tuple(change for change in proposal.changes if self._loses(change))

    # -- inside -------------------------------------------------------------------------------

    def _loses(self, change: Change) -> bool:
        if change.before is None:
            return False
        after = b"" if change.after is None else change.after
        made = self._made.get(after.decode("ascii", "replace").strip())
        if made is not None and made.parent == change.before.decode("ascii", "replace").strip():
            return False  # the commit stands on what its branch was at
        keeping = [after] if after else []
        others = self._git.run("for-each-ref", "--format=%(refname)%00%(objectname)")
        for line in others.splitlines():
            ref, _, value = line.partition(b"\0")
            if ref != change.name.path.encode():
                keeping.append(value + b"\n")
        given = change.before + b"".join(b"^" + value for value in dict.fromkeys(keeping))
        return bool(self._git.run("rev-list", "--max-count=1", "--stdin", given=given).strip())

    def _require_here(self, plan: Plan) -> None:
        if plan.root != self.repository.common:
            raise GuardError("path-outside", f"The write was one in {plan.root}; look there.")

    def _require_ours(self, name: TargetName) -> None:
        if name.kind != "git" or name != self.repository.ref(name.path):
            raise GuardError("path-outside", f"{name.path} is a name of another target's.")

    def _require_nowhere_checked_out(self, ref: str) -> None:
        out = self._git.run("for-each-ref", "--format=%(refname)%00%(worktreepath)", ref)
        for line in out.splitlines():
            found, _, where = line.partition(b"\0")
            if found == ref.encode() and where:
                raise GuardError(
                    "ref-checked-out",
                    f"{ref} is checked out; its index and files would belong to another commit."
                    " Move it with git.",
                )

    def _commit(self, commit: str) -> bytes:
        ran = self._git.ask(
            "rev-parse", "--verify", "-q", "--end-of-options", commit + "^{commit}"
        )  # fmt: skip
        if ran.code != 0:
            raise GuardError("no-such-commit", "No commit here has the name that was given.")
        return ran.out

    def _remember(self, made: Made) -> None:
        with self._lock:
            self._made[made.name] = made
            while len(self._made) > _REMEMBERED or (
                len(self._made) > 1 and sum(map(size_of, self._made.values())) > _REMEMBERED_BYTES
            ):
                del self._made[next(iter(self._made))]

    def _objects(self, change: Change) -> Made | None:
        """The objects that the change's ref needs and the repository has not got."""
        if change.after is None:
            return None
        name = change.after.decode("ascii", "replace").strip()
        made = self._made.get(name)
        if made is None and self._git.ask("cat-file", "-e", name + "^{commit}").code != 0:
            raise GuardError(
                "objects-forgotten",
                f"The commit for {change.name.path} was proposed too long ago; propose it anew.",
            )
        return made

    def _keep(self, change: Change) -> str | None:
        return None if change.before is None else self._kept.keep(change.before)

    def _observe(self, change: Change) -> Observation:
        try:
            reading = self.read_state(change.name)
        except GroundwireError:
            return Observation(
                name=change.name, seen="not-observed", state=Unmeasurable(why="unreadable")
            )
        seen: Seen = "content-match" if reading.content == change.after else "drift"
        return Observation(name=change.name, seen=seen, state=reading.state)


def _digest(state: State) -> str | None:
    return state.digest if isinstance(state, Present) else None
