"""Undoing: the changes that bring back what stood before a write, judged and written like any other."""

from __future__ import annotations

from typing import Protocol

from groundwire.documents.profile import Fact
from groundwire.documents.target import Observation, Plan, Proposal, Reading, TargetName, Written
from groundwire.session.guarding.ways.files import recheck_changes, said_of


class Undoable(Protocol):
    """A target whose writes can be undone: files or refs."""

    def locate(self, path: str) -> TargetName:
        """The name of a path of the plan."""
        ...

    def read_state(self, name: TargetName) -> Reading:
        """T1 of it."""
        ...

    def proposal_to_undo(self, plan: Plan) -> Proposal:
        """The changes that bring back what stood before."""
        ...

    def plan(self, proposal: Proposal, write: str) -> Plan:
        """What the write of them will do."""
        ...

    def write_if_unchanged(self, proposal: Proposal, write: str) -> Written:
        """They stand, all or none."""
        ...

    def observe(self, proposal: Proposal) -> tuple[Observation, ...]:
        """T3 of every change."""
        ...


class UndoWay:
    """A write undone by its plan, where nobody has changed its targets since."""

    owned = True

    def __init__(self, target: Undoable, plan: Plan) -> None:
        self._target = target
        self._undone = plan

    def touches(self) -> tuple[TargetName, ...]:
        """Every file of the plan, under both its names where it was renamed."""
        paths = [path for step in self._undone.steps for path in (step.path, step.to)]
        return tuple(dict.fromkeys(self._target.locate(path) for path in paths if path is not None))

    def read_state(self, names: tuple[TargetName, ...]) -> tuple[Reading, ...]:
        """T1 of each."""
        return tuple(self._target.read_state(name) for name in names)

    def propose(self, readings: tuple[Reading, ...]) -> Proposal:  # noqa: ARG002 -- as the port has it
        """What brings back what was kept, on what stands there now; T2 looks at it again.

        Raises:
            GuardError: `changed-since`, `not-kept`.
        """
        return self._target.proposal_to_undo(self._undone)

    def facts(self, proposal: Proposal) -> tuple[Fact, ...]:  # noqa: ARG002 -- as the port has it
        """None: what goes is exactly what the write itself left."""
        return ()

    def lost(self, proposal: Proposal) -> tuple[TargetName, ...]:  # noqa: ARG002 -- as the port has it
        """None: what a write of ours left stands in its recording by digest, and is kept again."""
        return ()

    def recheck(self, proposal: Proposal) -> None:
        """T2 of every change."""
        recheck_changes(self._target.read_state, proposal)

    def plan(self, proposal: Proposal, write: str) -> Plan | None:
        """What the undoing will do, so that it can itself be recovered and undone."""
        return self._target.plan(proposal, write)

    def write(self, proposal: Proposal, write: str) -> object:
        """Every file is as it was."""
        self._target.write_if_unchanged(proposal, write)
        return said_of(proposal)

    def observe(self, proposal: Proposal) -> tuple[Observation, ...]:
        """T3 of every change."""
        return self._target.observe(proposal)

    def close(self) -> None:
        """Nothing is held."""
