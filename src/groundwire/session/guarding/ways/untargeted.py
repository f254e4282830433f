"""Untargeted: calls of which groundwire can read no target; at most the host says what changes."""

from __future__ import annotations

from groundwire.canon.digest import sha256
from groundwire.documents.profile import Fact
from groundwire.documents.target import (
    DECLARED,
    Absent,
    Change,
    ChangeKind,
    Observation,
    Plan,
    Present,
    Proposal,
    Reading,
    TargetName,
    Unmeasurable,
)
from groundwire.errors import GuardError
from groundwire.session.guarding.result import Artifact


class UntargetedWay:
    """A tool without a target, or a call with the host's word for what it changes.

    `artifacts` are the host's: whole, or the call is short of content. Nothing of them is read
    here, so T2 finds no drift and T3 sees nothing.
    """

    owned = False

    def __init__(self, artifacts: tuple[Artifact, ...] = ()) -> None:
        self._artifacts = artifacts

    def touches(self) -> tuple[TargetName, ...]:
        """The artifacts by name, below a root that no folder has."""
        names = tuple(_name(each) for each in self._artifacts)
        if len(set(names)) != len(names):
            raise GuardError(
                "same-artifact-twice", "An artifact is given twice; give each once, whole."
            )
        return names

    def read_state(self, names: tuple[TargetName, ...]) -> tuple[Reading, ...]:
        """What the host says stood there before."""
        return tuple(
            Reading(name=name, state=_state(each.before), content=each.before)
            for name, each in zip(names, self._artifacts, strict=True)
        )

    def propose(self, readings: tuple[Reading, ...]) -> Proposal:
        """What the host says stands there after; without what stays as it is."""
        changes = (
            _change(reading, each.after)
            for reading, each in zip(readings, self._artifacts, strict=True)
            if each.before != each.after
        )
        return Proposal(changes=tuple(changes))

    def facts(self, proposal: Proposal) -> tuple[Fact, ...]:  # noqa: ARG002 -- as the port has it
        """That it is done is the host's word; so is what changes, or not even that is given."""
        found: list[Fact] = ["host-claimed", "not-owned"]
        if self._artifacts:
            found.append("declared-content")
        if any(each.before is None and each.after is None for each in self._artifacts):
            found.append("content-missing")
        return tuple(found)

    def lost(self, proposal: Proposal) -> tuple[TargetName, ...]:  # noqa: ARG002 -- as the port has it
        """None: where such content stands is not known here."""
        return ()

    def recheck(self, proposal: Proposal) -> None:
        """Nothing can be looked at."""

    def plan(self, proposal: Proposal, write: str) -> Plan | None:  # noqa: ARG002 -- as the port has it
        """None: there is nothing to recover or undo by."""
        return None

    def write(self, proposal: Proposal, write: str) -> object:  # noqa: ARG002 -- as the port has it
        """Never: somebody else writes."""
        raise GuardError("not-owned", "groundwire cannot carry this call out itself.")

    def observe(self, proposal: Proposal) -> tuple[Observation, ...]:  # noqa: ARG002 -- as the port has it
        """Nothing: there is nowhere to look."""
        return ()

    def close(self) -> None:
        """Nothing is held."""


def _name(artifact: Artifact) -> TargetName:
    return TargetName(kind="files", root=f"{DECLARED}{artifact.kind}", path=artifact.id)


def _state(content: bytes | None) -> Present | Absent:
    if content is None:
        return Absent()
    return Present(
        digest=sha256(content), size=len(content), mode=0, owner=0, group=0, attributes="",
        device=0, inode=0, generation=None, links=1,
    )  # fmt: skip


def _change(reading: Reading, after: bytes | None) -> Change:
    state = reading.state
    if isinstance(state, Unmeasurable):
        raise GuardError("content-missing", "An artifact is given without what it holds.")
    before = reading.content
    kind: ChangeKind = "created" if before is None else "deleted" if after is None else "changed"
    return Change(name=reading.name, kind=kind, state=state, before=before, after=after)
