"""What the guard asks of its host, one Struct each, and the closed set of answers to each.

A host answers a step with one of its answers or raises; `guard/flow.py` says in which order they
come. An answer of another type is refused like any other failure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from groundwire.attest.receipts import Held, Permit
from groundwire.documents.call import ToolCall
from groundwire.documents.declaration import Effect
from groundwire.documents.entry import Envelope
from groundwire.documents.outcome import Intent, Outcome
from groundwire.documents.profile import Profile
from groundwire.documents.receipt import Asked
from groundwire.documents.target import Observation, Proposal, Reading, TargetName
from groundwire.errors import GroundwireError


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One call to be guarded, and what is fixed before anybody looks at it.

    `policy` is the digest of the policy in force; `sequence` counts the guarded calls of the run.
    """

    audience: str
    call: ToolCall
    policy: str
    profile: Profile
    run: str
    sequence: int


# --- answers --------------------------------------------------------------------------------


class Touches(msgspec.Struct, frozen=True, kw_only=True):
    """What the call touches: its declared effect and operation, where, and each target once."""

    effect: Effect
    environment: str
    names: tuple[TargetName, ...]
    operation: str


class Denied(msgspec.Struct, frozen=True, kw_only=True):
    """The host says no: nothing is attempted. `error` says why, `rules` which rules do.

    `final`: not even a profile that only observes lets it pass (a place that nobody writes).
    """

    error: GroundwireError
    final: bool = False
    rules: tuple[str, ...] = ()


class Readings(msgspec.Struct, frozen=True):
    """T1 of every target that was named, in that order."""

    readings: tuple[Reading, ...]


class Proposed(msgspec.Struct, frozen=True):
    """Before and after of every change, whole; without changes where no target can be read."""

    proposal: Proposal


class Decided(msgspec.Struct, frozen=True):
    """The authority's sealed receipt; nobody has opened it yet."""

    envelope: Envelope


class Unmoved(msgspec.Struct, frozen=True):
    """T2: every target still stands for its token of T1."""


class Noticed(msgspec.Struct, frozen=True):
    """Notice was given, and nobody who was to have it failed to take it. Nobody need have seen it."""


class Recorded(msgspec.Struct, frozen=True):
    """It is written; an intent is durable too."""


class Ran(msgspec.Struct, frozen=True):
    """The tool returned this value."""

    value: object


class NotWritten(msgspec.Struct, frozen=True):
    """The executor did not begin, or took back all of it: nothing of the effect stands.

    A grant that was used already, a target that had moved. A tool's exception is never this.
    """

    error: GroundwireError


class InThread(msgspec.Struct, frozen=True):
    """The answer comes from calling `run` in a thread, which nobody can stop."""

    run: Callable[[], Ran | NotWritten]


class Observed(msgspec.Struct, frozen=True):
    """T3 of every change of the proposal."""

    observations: tuple[Observation, ...]


class Sealed(msgspec.Struct, frozen=True):
    """The executor's attestation, sealed; None where there was no grant."""

    envelope: Envelope | None


class Failed(msgspec.Struct, frozen=True):
    """What the driver answers for a host that raised.

    `kind` is the kind of exception; `cancelled` that the call itself is to end; `running` that the
    tool goes on in a thread.
    """

    error: GroundwireError
    kind: str
    cancelled: bool = False
    running: bool = False


# --- questions ------------------------------------------------------------------------------


class Detect(msgspec.Struct, frozen=True):
    """What does this call touch? → `Touches | Denied`."""

    call: ToolCall


class ReadState(msgspec.Struct, frozen=True):
    """T1: what stands at these targets? → `Readings`."""

    names: tuple[TargetName, ...]


class Propose(msgspec.Struct, frozen=True):
    """What would the call make of exactly these bytes? → `Proposed | Denied`."""

    call: ToolCall
    readings: tuple[Reading, ...]


class Preflight(msgspec.Struct, frozen=True):
    """What does the authority decide? → `Decided | Denied`."""

    asked: Asked
    proposal: Proposal
    touches: Touches


class OpenReceipt(msgspec.Struct, frozen=True):
    """Does the receipt hold, for exactly this? → `Permit | Held`."""

    asked: Asked
    envelope: Envelope


class Approve(msgspec.Struct, frozen=True):
    """Does a person who may approve it? → `Permit | Denied`."""

    asked: Asked
    held: Held
    proposal: Proposal


class Recheck(msgspec.Struct, frozen=True):
    """T2: does every target still have its token of T1? → `Unmoved | Denied`.

    Denied by `state-drifted` (alarms) or `state-unmeasurable` (does not).
    """

    proposal: Proposal


class GiveNotice(msgspec.Struct, frozen=True):
    """Those who are to have notice of what is permitted have it, before anything happens.

    → `Noticed | Denied`.
    """

    permit: Permit


class RecordIntent(msgspec.Struct, frozen=True):
    """The intent is durable before anything happens. → `Recorded`."""

    intent: Intent


class Execute(msgspec.Struct, frozen=True):
    """Consume a grant of this permit, then carry it out. → `Ran | NotWritten | InThread`."""

    call: ToolCall
    permit: Permit
    proposal: Proposal


class LetPass(msgspec.Struct, frozen=True):
    """Run the tool without a permit: a declared read, or under observation.

    → `Ran | NotWritten | InThread`.
    """

    call: ToolCall


class Observe(msgspec.Struct, frozen=True):
    """T3: what stands at every target now? → `Observed`."""

    proposal: Proposal


class RecordOutcome(msgspec.Struct, frozen=True):
    """The outcome stands; `late` follows one that was recorded before. → `Recorded`.

    Durable at the latest when the effect is acknowledged: a power cut before leaves the intent
    alone, which says no more than is known, and recovery reads the target.
    """

    late: bool
    outcome: Outcome


class AwaitTool(msgspec.Struct, frozen=True):
    """Asked of the driver alone: how did the tool end that goes on? → `Ran | NotWritten`."""


class SealResult(msgspec.Struct, frozen=True):
    """The executor's word on what became of the permit. → `Sealed`."""

    outcome: Outcome
    permit: Permit


class Acknowledge(msgspec.Struct, frozen=True):
    """All that was recorded of an effect is durable and under a checkpoint. → `Recorded`.

    Asked last of whatever was to be executed: nobody hears of the effect before.
    """


Step: TypeAlias = (
    Detect
    | ReadState
    | Propose
    | Preflight
    | OpenReceipt
    | Approve
    | Recheck
    | GiveNotice
    | RecordIntent
    | Execute
    | LetPass
    | Observe
    | RecordOutcome
    | AwaitTool
    | SealResult
    | Acknowledge
)
Answer: TypeAlias = (
    Touches
    | Denied
    | Readings
    | Proposed
    | Decided
    | Permit
    | Held
    | Unmoved
    | Noticed
    | Recorded
    | Ran
    | NotWritten
    | Observed
    | Sealed
    | Failed
)


class Settled(msgspec.Struct, frozen=True, kw_only=True):
    """How the call ended: its outcome, what the tool returned, the attestation if there is one.

    `recorded` false: the outcome could not be recorded, or nobody can say that a power cut would
    leave it; the recording may show an intent alone.
    """

    outcome: Outcome
    recorded: bool
    sealed: Envelope | None
    value: object
