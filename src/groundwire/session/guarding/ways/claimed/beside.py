"""Beside: artifacts that a host gives with a call whose target groundwire reads itself. Both are judged."""

from __future__ import annotations

import os

from groundwire.documents.profile import Fact
from groundwire.documents.target import Change, Observation, Plan, Proposal, Reading, TargetName
from groundwire.session.guarding.result import Artifact
from groundwire.session.guarding.ways.claimed.artifacts import contradicts
from groundwire.session.guarding.ways.claimed.untargeted import UntargetedWay, artifact_name
from groundwire.session.guarding.ways.port import Way


class BesideWay:
    """A call that is carried out as its target has it, and judged by the host's word as well.

    An artifact whose id is a target of the call (a path of the working folder, a ref) has to say
    the same of it, byte for byte. Where groundwire carries the call out itself nothing else can
    come of it, so one that names no target of the call contradicts it too; where the tool's own
    code does, it is judged, and that it comes about is the host's word.
    """

    def __init__(
        self, inner: Way, claimed: UntargetedWay, artifacts: tuple[Artifact, ...], folder: str
    ) -> None:
        self.inner = inner
        self.owned = inner.owned
        self._claimed = claimed
        self._artifacts = artifacts
        self._folder = folder
        self._own: tuple[TargetName, ...] = ()
        self._theirs: dict[TargetName, Artifact] = {}
        self._is: dict[TargetName, TargetName] = {}

    def touches(self) -> tuple[TargetName, ...]:
        """The call's own targets, then the artifacts.

        Raises:
            GuardError: `same-artifact-twice`, `protected-place`.
        """
        theirs = self._claimed.touches()
        self._own = self.inner.touches()
        self._theirs = {
            artifact_name(each): each
            for each in self._artifacts
            if artifact_name(each) not in self._own
        }
        return (*self._own, *(name for name in theirs if name in self._theirs))

    def read_state(self, names: tuple[TargetName, ...]) -> tuple[Reading, ...]:
        """T1 of each target, and what the host says stood at each artifact.

        Raises:
            GuardError: `artifact-contradicts`.
        """
        own = self.inner.read_state(tuple(name for name in names if name not in self._theirs))
        said = self._claimed.read_state(tuple(map(artifact_name, self._artifacts)))
        return (*own, *(each for each in said if each.name in self._theirs))

    def propose(self, readings: tuple[Reading, ...]) -> Proposal:
        """The call's own changes, and the host's.

        Raises:
            GuardError: `artifact-contradicts`.
        """
        proposal = self.inner.propose(
            tuple(each for each in readings if each.name not in self._theirs)
        )
        for artifact in self._artifacts:
            self._require_same(artifact, proposal)
        said = self._claimed.propose(self._claimed.read_before())
        theirs = tuple(each for each in said.changes if each.name in self._theirs)
        return Proposal(changes=(*proposal.changes, *theirs))

    def facts(self, proposal: Proposal) -> tuple[Fact, ...]:
        """Those of the call; those of the host's word too, where it is of anything else."""
        found = self.inner.facts(self._inner(proposal))
        if all(artifact_name(each) in self._is for each in self._artifacts):
            return found
        return tuple(dict.fromkeys((*found, *self._claimed.facts(proposal))))

    def lost(self, proposal: Proposal) -> tuple[TargetName, ...]:
        """As of the call."""
        return self.inner.lost(self._inner(proposal))

    def recheck(self, proposal: Proposal) -> None:
        """T2 of both."""
        self.inner.recheck(self._inner(proposal))
        self._claimed.recheck(proposal)

    def plan(self, proposal: Proposal, write: str) -> Plan | None:
        """As of the call."""
        return self.inner.plan(self._inner(proposal), write)

    def write(self, proposal: Proposal, write: str) -> object:
        """As the call is carried out; nothing is written for an artifact."""
        return self.inner.write(self._inner(proposal), write)

    def observe(self, proposal: Proposal) -> tuple[Observation, ...]:
        """T3 of both; of an artifact that is a target of the call, what was seen at that."""
        seen = self.inner.observe(self._inner(proposal))
        found = {each.name: each for each in seen}
        theirs = tuple(each for each in proposal.changes if each.name in self._theirs)
        said = self._claimed.observe(Proposal(changes=theirs))
        return (*seen, *(self._seen(each, found) for each in said))

    def close(self) -> None:
        """As of the call."""
        self.inner.close()

    # -- inside -------------------------------------------------------------------------------

    def _inner(self, proposal: Proposal) -> Proposal:
        return Proposal(
            changes=tuple(each for each in proposal.changes if each.name not in self._theirs)
        )

    def _seen(self, said: Observation, found: dict[TargetName, Observation]) -> Observation:
        same = found.get(self._is.get(said.name, said.name))
        if same is None:
            return said
        return Observation(name=said.name, seen=same.seen, state=same.state, claim=same.claim)

    def _require_same(self, artifact: Artifact, proposal: Proposal) -> None:
        if artifact.before is None and artifact.after is None:
            return  # its content is missing, which the facts say
        name = next((each for each in self._own if self._names(artifact, each)), None)
        if name is None:
            if self.owned and artifact.before != artifact.after:
                raise contradicts(
                    artifact.id, "the call changes no such thing, and nothing else carries it out"
                )
            return
        before, after = _sides(name, proposal)
        if before is None and after is None:  # the call leaves it as it is
            same = artifact.before == artifact.after
        else:
            same = (artifact.before, artifact.after) == (before, after)
        if not same:
            raise contradicts(artifact.id, "the call makes something else of it")
        self._is[artifact_name(artifact)] = name

    def _names(self, artifact: Artifact, name: TargetName) -> bool:
        if name == artifact_name(artifact) or (
            name.kind == "git" and artifact.id in (name.path, name.spelled)
        ):
            return True
        if name.kind != "files":
            return False
        return os.path.normpath(os.path.join(self._folder, artifact.id)) == os.path.join(
            name.root, name.path
        )


def _sides(name: TargetName, proposal: Proposal) -> tuple[bytes | None, bytes | None]:
    """What stands at the name before the changes and after them; None twice where none is of it."""
    before: bytes | None = None
    after: bytes | None = None
    for change in proposal.changes:
        if change.name == name:
            before = before if change.before is None else change.before
            after = after if change.to is not None else _latest(change, after)
        elif change.to == name:
            after = change.after
    return before, after


def _latest(change: Change, after: bytes | None) -> bytes | None:
    return after if change.after is None else change.after
