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
from groundwire.session.guarding.ways.claimed.artifacts import Reality, unseen


class UntargetedWay:
    """A tool without a target, or a call with the host's word for what it changes.

    `artifacts` are the host's: whole, or the call is short of content. Of those whose id is a file
    of the working folder `reality` is asked, and contradicts the host or bears it out. Nothing else
    of them is read here, so T2 finds no drift and T3 sees nothing.
    """

    owned = False

    def __init__(
        self, artifacts: tuple[Artifact, ...] = (), reality: Reality | None = None
    ) -> None:
        self._artifacts = artifacts
        self._reality = reality
        self._compared = False

    def touches(self) -> tuple[TargetName, ...]:
        """The artifacts by name, below a root that no folder has."""
        names = tuple(map(artifact_name, self._artifacts))
        if len(set(names)) != len(names):
            raise GuardError(
                "same-artifact-twice", "An artifact is given twice; give each once, whole."
            )
        if self._reality is not None:
            for each in self._artifacts:
                self._reality.refuse_protected(each)
        return names

    def read_state(self, names: tuple[TargetName, ...]) -> tuple[Reading, ...]:
        """What the host says stood there before; asked again, what is there now, where one sees it.

        Raises:
            GuardError: `artifact-contradicts`.
        """
        again, self._compared = self._compared, True
        return tuple(
            self._reading(name, each, again=again)
            for name, each in zip(names, self._artifacts, strict=True)
        )

    def _reading(self, name: TargetName, artifact: Artifact, *, again: bool) -> Reading:
        if self._reality is not None and not again:
            self._reality.compare(artifact)
        found = self._reality.now(artifact) if self._reality is not None and again else None
        if found is not None:
            return Reading(name=name, state=found.state, content=found.content)
        return Reading(name=name, state=state_of_content(artifact.before), content=artifact.before)

    def read_before(self) -> tuple[Reading, ...]:
        """What the host says stood there before; nothing is looked at."""
        return tuple(
            Reading(
                name=artifact_name(each), state=state_of_content(each.before), content=each.before
            )
            for each in self._artifacts
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

    def recheck(self, proposal: Proposal) -> None:  # noqa: ARG002 -- as the port has it
        """T2 of every artifact that is a file here; nothing else can be looked at."""
        if self._reality is not None:
            for each in self._artifacts:
                self._reality.recheck(each)

    def plan(self, proposal: Proposal, write: str) -> Plan | None:  # noqa: ARG002 -- as the port has it
        """None: there is nothing to recover or undo by."""
        return None

    def write(self, proposal: Proposal, write: str) -> object:  # noqa: ARG002 -- as the port has it
        """Never: somebody else writes."""
        raise GuardError("not-owned", "groundwire cannot carry this call out itself.")

    def observe(self, proposal: Proposal) -> tuple[Observation, ...]:
        """T3 of what is a file here; of the rest that it is the host's word alone."""
        by_name = {artifact_name(each): each for each in self._artifacts}
        reality = self._reality
        return tuple(
            unseen(change.name)
            if reality is None
            else reality.observe(change.name, by_name[change.name])
            for change in proposal.changes
        )

    def close(self) -> None:
        """Nothing is held."""


def artifact_name(artifact: Artifact) -> TargetName:
    """The name of what only the host knows: its kind is in the root."""
    return TargetName(kind="files", root=f"{DECLARED}{artifact.kind}", path=artifact.id)


def state_of_content(content: bytes | None) -> Present | Absent:
    """The token of what is known by its content alone."""
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
