"""Target: what the guard asks of everything that a call can write to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from groundwire.documents.target import Observation, Proposal, Reading, TargetName, Written

Request_contra = TypeVar("Request_contra", contravariant=True)


class Target(Protocol[Request_contra]):
    """The order is `touches`, `read_state` (T1), `propose`, `write_if_unchanged`, `observe` (T3).

    Each implementation says in its docstring which guarantee its writes have and what it does not
    do. Nothing but `write_if_unchanged` changes anything.
    """

    def touches(self, request: Request_contra) -> tuple[TargetName, ...]:
        """Every target that the request names, each once.

        Raises:
            GroundwireError: the request is malformed or reaches outside.
        """
        ...

    def read_state(self, name: TargetName) -> Reading:
        """The token and the bytes of the target now."""
        ...

    def propose(self, request: Request_contra, readings: Sequence[Reading]) -> Proposal:
        """The request's changes on exactly the bytes that were read, whole; nothing is written.

        Raises:
            GroundwireError: it does not fit what was read.
        """
        ...

    def write_if_unchanged(self, proposal: Proposal, write: str) -> Written:
        """Everything proposed stands there, or nothing of it.

        `write` names this write: 32 or more hexadecimal digits, never used before.

        Raises:
            GuardError: `state-drifted`, `state-unmeasurable`: nothing of it stands there.
            HostError: `write-unsettled`: nobody can say what stands there.
        """
        ...

    def observe(self, proposal: Proposal) -> tuple[Observation, ...]:
        """What stands at each target now, against what was proposed."""
        ...
