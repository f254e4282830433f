"""Artifacts: the host's word for a change, held against the file that its id names, where one stands.

An id is a name of the host's own. It is taken for a path of the working folder where a file stands
there; then the host's word has to be what that file says.
"""

from __future__ import annotations

from groundwire.authority.places import Places
from groundwire.documents.target import (
    Absent,
    Observation,
    Reading,
    TargetName,
    Unmeasurable,
)
from groundwire.errors import GroundwireError, GuardError
from groundwire.session.guarding.result import Artifact
from groundwire.targets.files.target import FilesTarget
from groundwire.targets.refusing import drifted


class Reality:
    """What stands in the working folder at the ids of artifacts. Writes nothing.

    Says nothing of an id that leads out of the folder, to a link or a folder, or to what cannot be
    read. That a file of the same name belongs to something else the host has to know: it gives
    another id then.
    """

    def __init__(self, target: FilesTarget, places: Places) -> None:
        self._target = target
        self._places = places
        self._read: dict[str, Reading] = {}

    def refuse_protected(self, artifact: Artifact) -> None:
        """The id names no place that nobody writes.

        Raises:
            GuardError: as `Places.refuse_write`.
        """
        name = self._locate(artifact.id)
        if name is not None:
            self._places.refuse_write((name,))

    def compare(self, artifact: Artifact) -> None:
        """T1: where a file stands at the id, it is what the host says stood there before.

        Raises:
            GuardError: `artifact-contradicts`.
        """
        if artifact.before is None and artifact.after is None:
            return
        found = self._look(artifact.id)
        if found is None:
            return
        if found.content == artifact.before:
            self._read[artifact.id] = found
        elif not isinstance(found.state, Absent):
            raise contradicts(artifact.id, "the file of this name holds something else now")

    def recheck(self, artifact: Artifact) -> None:
        """T2: the file is what it was.

        Raises:
            GuardError: `state-drifted`.
        """
        read = self._read.get(artifact.id)
        if read is None:
            return
        found = self._look(artifact.id)
        if found is None or found.content != read.content:
            raise drifted(artifact.id)

    def now(self, artifact: Artifact) -> Reading | None:
        """What stands at the id now; None where it was never compared, or cannot be read."""
        return self._look(artifact.id) if artifact.id in self._read else None

    def observe(self, name: TargetName, artifact: Artifact) -> Observation:
        """T3, under the artifact's own name.

        Nothing is seen where a file was to be made and none is there: it may be one elsewhere.
        """
        read, found = self._read.get(artifact.id), self.now(artifact)
        if read is None or found is None:
            return unseen(name)
        gone = isinstance(found.state, Absent)
        if gone and read.content is None:
            return unseen(name)
        if found.content == artifact.after:
            return Observation(name=name, seen="content-match", state=found.state)
        return Observation(name=name, seen="drift", state=found.state, claim="conflict")

    # -- inside -------------------------------------------------------------------------------

    def _locate(self, path: str) -> TargetName | None:
        try:
            return self._target.locate(path)
        except GroundwireError:
            return None

    def _look(self, path: str) -> Reading | None:
        name = self._locate(path)
        if name is None:
            return None
        try:
            found = self._target.read_state(name)
        except GroundwireError:
            return None
        return None if isinstance(found.state, Unmeasurable) else found


def unseen(name: TargetName) -> Observation:
    """Nobody looked: that it stands there is the host's word."""
    state = Unmeasurable(why="unreadable")
    return Observation(name=name, seen="not-observed", state=state, claim="host-claimed")


def contradicts(spelled: str, why: str) -> GuardError:
    """The refusal of a call that is said to change what it does not, or otherwise."""
    return GuardError(
        "artifact-contradicts",
        f"What the host says of {spelled[:200]} is not so: {why}; nothing ran. Read it again and give"
        " the artifact anew, under another id where it is no such file.",
    )
