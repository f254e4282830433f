"""Plans: a command that applies one is judged by what the plan changes, and applies exactly that one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from groundwire.documents.declaration import Effect
from groundwire.documents.profile import Fact
from groundwire.documents.staged import Containment
from groundwire.documents.target import (
    DECLARED,
    Absent,
    Change,
    ChangeKind,
    Observation,
    Present,
    Proposal,
    Reading,
    TargetName,
    Unmeasurable,
)
from groundwire.documents.target import Plan as WritePlan
from groundwire.errors import GuardError
from groundwire.session.guarding.ways.claimed.artifacts import unseen
from groundwire.session.guarding.ways.claimed.beside import BesideWay
from groundwire.session.guarding.ways.claimed.untargeted import state_of_content
from groundwire.session.guarding.ways.command import FACTS, CommandText
from groundwire.session.guarding.ways.port import Way
from groundwire.targets.files.target import FilesTarget
from groundwire.targets.shell.plans.commands import Applying
from groundwire.targets.shell.plans.contained import (
    file_of,
    folder_of,
    plan_contained,
    saved_at,
)
from groundwire.targets.shell.plans.port import Plan, Planned
from groundwire.targets.shell.plans.terraform import TerraformPlanner, plan_of
from groundwire.targets.shell.staging import ShellTarget
from groundwire.targets.stopping import Stop

_ALWAYS: Final[tuple[Fact, ...]] = ("declared-content", "host-claimed", "not-owned")
"""A plan is the program's word, and the program carries it out."""


class PlanWay:
    """`terraform apply`, with a plan of its own or one that it is given.

    The plan is made when the call is asked what it touches: beside the working folder and without
    a network, unless the policy lets it be made as it is (`outside`). It is kept at `saved`,
    where no tool writes and whose name is fresh, and what is applied is that file and no other. Applying is not contained, cannot be
    recovered or undone, and nobody looks at what it did: what is said of that is terraform's word.
    """

    owned = True

    def __init__(
        self,
        shell: Callable[[], ShellTarget],
        files: FilesTarget,
        applying: Applying,
        program: str,
        *,
        saved: Path,
        environment: Mapping[str, str],
        outside: bool,
        stop: Stop,
    ) -> None:
        self._shell = shell
        self._files = files
        self._applying = applying
        self._program = program
        self._saved = saved
        self._environment = environment
        self.outside = outside
        """Whether the plan is made as the program is, and not beside the working folder."""
        self._stop = stop
        self._made: tuple[TerraformPlanner, Plan] | None = None
        self.containment: Containment = "none"
        """How far a program got that tried to get out of where the plan was made."""

    def touches(self) -> tuple[TargetName, ...]:
        """Everything that the plan changes, by the program's own names; it is made for that.

        Raises:
            GuardError: `plan-unreadable`, `plan-incomplete`, `plan-changed`, `path-outside`, and as
                `ShellTarget.stage`. HostError: `plan-failed`, and as `ShellTarget.stage`.
        """
        if self._made is None:
            self._made = self._plan()
        return tuple(map(_name, self._changes))

    def read_state(self, names: tuple[TargetName, ...]) -> tuple[Reading, ...]:
        """What the plan says stands there now."""
        before = {_name(each): each.before for each in self._changes}
        return tuple(
            Reading(name=name, state=state_of_content(before[name]), content=before[name])
            for name in names
        )

    def propose(self, readings: tuple[Reading, ...]) -> Proposal:
        """What the plan makes of it; what is replaced is deleted and created."""
        states = {reading.name: reading.state for reading in readings}
        changes: list[Change] = []
        for each in self._changes:
            changes += _changes_of(each, states)
        return Proposal(changes=tuple(changes))

    def facts(self, proposal: Proposal) -> tuple[Fact, ...]:  # noqa: ARG002 -- as the port has it
        """That all of it is the program's word, and how far one got where the plan was made."""
        return _ALWAYS if self.outside else (*FACTS[self.containment], *_ALWAYS)

    def lost(self, proposal: Proposal) -> tuple[TargetName, ...]:  # noqa: ARG002 -- as the port has it
        """None: where such content stands is not known here."""
        return ()

    def recheck(self, proposal: Proposal) -> None:  # noqa: ARG002 -- as the port has it
        """The saved plan is the one that was judged; what it is about only terraform compares."""
        planner, plan = self._planned
        planner.require_unchanged(plan.digest)

    def plan(self, proposal: Proposal, write: str) -> WritePlan | None:  # noqa: ARG002 -- as the port has it
        """None: nothing here recovers or undoes it."""
        return None

    def write(self, proposal: Proposal, write: str) -> object:  # noqa: ARG002 -- as the port has it
        """The saved plan was applied; what terraform printed."""
        planner, plan = self._planned
        return CommandText.printed(planner.apply(plan))

    def observe(self, proposal: Proposal) -> tuple[Observation, ...]:
        """Nothing: that it stands there is the program's word."""
        return tuple(map(unseen, dict.fromkeys(change.name for change in proposal.changes)))

    def close(self) -> None:
        """The saved plan is gone: it holds secrets."""
        if self._made is not None:
            self._made[0].forget()

    @property
    def measured(self) -> dict[str, str]:
        """Of which plan, by its exact bytes, the decision is; it stands in the receipt."""
        _, plan = self._planned
        return {
            "containment": self.containment,
            "terraform": plan.version or "unsaid",
            "terraform-plan": plan.digest,
        }

    # -- inside -------------------------------------------------------------------------------

    @property
    def _planned(self) -> tuple[TerraformPlanner, Plan]:
        if self._made is None:
            raise GuardError("host-answer", "There is no plan yet.")
        return self._made

    @property
    def _changes(self) -> tuple[Planned, ...]:
        return self._planned[1].changes

    def _plan(self) -> tuple[TerraformPlanner, Plan]:
        folder = folder_of(self._applying, self._files)
        planner = TerraformPlanner(
            Path(folder.root, folder.path),
            self._saved,
            self._environment,
            self._applying,
            self._program,
        )
        try:
            return planner, self._plan_by(planner)
        except BaseException:
            planner.forget()
            raise

    def _plan_by(self, planner: TerraformPlanner) -> Plan:
        if not self.outside:
            made = plan_contained(
                self._shell(),
                self._files,
                self._applying,
                self._program,
                self._saved.name,
                self._stop,
            )
            self.containment = made.containment
            return plan_of(planner.save(made.saved), made.shown)
        folder = folder_of(self._applying, self._files)
        given = file_of(self._applying, folder, self._files)
        if given is None:
            return planner.plan()
        planner.save(saved_at(given, self._files))
        return planner.show()


def judged_as(way: Way | None, effect: Effect) -> Effect:
    """The effect that the call is judged by. One that reaches outside is judged by its plan.

    What destroys stays what it is.
    """
    own = way.inner if isinstance(way, BesideWay) else way
    return "write" if effect == "external" and isinstance(own, PlanWay) else effect


def _name(planned: Planned) -> TargetName:
    return TargetName(kind="files", root=f"{DECLARED}{planned.kind}", path=planned.id)


def _changes_of(
    planned: Planned, states: Mapping[TargetName, Present | Absent | Unmeasurable]
) -> list[Change]:
    name = _name(planned)
    state = states[name]
    if isinstance(state, Unmeasurable):
        raise GuardError("content-missing", "A plan says nothing of what it changes.")
    if planned.action == "replace":
        gone = Change(name=name, kind="deleted", state=state, before=planned.before, after=None)
        made = Change(name=name, kind="created", state=Absent(), before=None, after=planned.after)
        return [gone, made]
    kinds: dict[str, ChangeKind] = {"create": "created", "update": "changed", "delete": "deleted"}
    return [
        Change(
            name=name, kind=kinds[planned.action], state=state,
            before=planned.before, after=planned.after,
        )
    ]  # fmt: skip
