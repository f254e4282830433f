"""Way: what a guarded call asks of its target. One for each call, thrown away afterwards."""

from __future__ import annotations

from typing import Protocol

from groundwire.documents.profile import Fact
from groundwire.documents.target import Observation, Plan, Proposal, Reading, TargetName


class Way(Protocol):
    """What is asked in this order, and `close` last, however the call ends.

    `touches`, `read_state` (T1), `propose`, `facts`, `lost`, `recheck` (T2), `plan`, `write`,
    `observe` (T3). Nothing but `write` changes what was declared. Each but `close` may raise a `GroundwireError`,
    which refuses the call; `write` as `targets.port.Target.write_if_unchanged` has it.
    """

    owned: bool
    """Whether groundwire writes itself; else the tool's own function runs in place of `write`."""

    def touches(self) -> tuple[TargetName, ...]:
        """Every target that the call names, each once."""
        ...

    def read_state(self, names: tuple[TargetName, ...]) -> tuple[Reading, ...]:
        """What stands at each of them now."""
        ...

    def propose(self, readings: tuple[Reading, ...]) -> Proposal:
        """What the call would make of exactly that."""
        ...

    def facts(self, proposal: Proposal) -> tuple[Fact, ...]:
        """What weakens what can be said of this call."""
        ...

    def lost(self, proposal: Proposal) -> tuple[TargetName, ...]:
        """The targets whose content before would stand nowhere any more."""
        ...

    def recheck(self, proposal: Proposal) -> None:
        """Every target still has its token of T1, or `state-drifted`, `state-unmeasurable`."""
        ...

    def plan(self, proposal: Proposal, write: str) -> Plan | None:
        """What `write` will do, to be kept before it does; None where nothing can be recovered."""
        ...

    def write(self, proposal: Proposal, write: str) -> object:
        """Everything proposed stands, or nothing of it; the tool's result."""
        ...

    def observe(self, proposal: Proposal) -> tuple[Observation, ...]:
        """What stands at each target now, against what was to stand there."""
        ...

    def close(self) -> None:
        """What was held for this call alone is let go."""
        ...
