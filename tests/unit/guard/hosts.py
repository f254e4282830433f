"""Hosts that answer as a test says, and remember what they were asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from groundwire.attest.receipts import open_receipt, seal_receipt
from groundwire.canon.digest import sha256
from groundwire.documents.call import ToolCall
from groundwire.documents.decision import Word
from groundwire.documents.outcome import Outcome
from groundwire.documents.target import Change, Observation, Present, Proposal, Reading, Seen
from groundwire.errors import GuardError
from groundwire.guard.profiles import profile_named
from groundwire.guard.steps import (
    Acknowledge,
    Answer,
    Approve,
    AwaitTool,
    Decided,
    Denied,
    Detect,
    Execute,
    GiveNotice,
    InThread,
    LetPass,
    Noticed,
    Observe,
    Observed,
    OpenReceipt,
    Preflight,
    Propose,
    Proposed,
    Ran,
    Readings,
    ReadState,
    Recheck,
    Recorded,
    RecordIntent,
    RecordOutcome,
    Request,
    Sealed,
    SealResult,
    Step,
    Touches,
    Unmoved,
)
from tests.unit.attest.decisions import ASKED, CALL, KEYRING, NOW, RECEIPT, SPEC
from tests.unit.keys.samples import IDENTITY

STATE = Present(
    digest=sha256(b"before"), size=6, mode=0o644, owner=1, group=1, attributes="", device=1,
    inode=2, generation=None, links=1,
)  # fmt: skip
READING = Reading(name=SPEC, state=STATE, content=b"before")
PROPOSAL = Proposal(
    changes=(Change(name=SPEC, kind="changed", state=STATE, before=b"before", after=b"after"),)
)
TOUCHES = Touches(effect="write", environment="production", names=(SPEC,), operation="tool_call")
UNTIL_INTENT = (
    Detect, ReadState, Propose, Preflight, OpenReceipt, Recheck, RecordIntent
)  # fmt: skip
ORDER = (*UNTIL_INTENT, Execute, Observe, RecordOutcome, SealResult, Acknowledge)

Given = Answer | InThread | BaseException | Callable[[], Answer | InThread] | None


def request(profile: str = "enforce/1", call: ToolCall = CALL) -> Request:
    """The call of ASKED."""
    return Request(
        audience=ASKED.audience,
        call=call,
        policy=ASKED.policy,
        profile=profile_named(profile),
        run=ASKED.run,
        sequence=ASKED.sequence,
    )


def observed(seen: Seen) -> Observed:
    """The one target of PROPOSAL, seen so."""
    return Observed((Observation(name=SPEC, seen=seen, state=STATE),))


class Script:
    """Answers well, but for the steps that the script names; `decision` is what is sealed."""

    def __init__(self, given: Mapping[type, Given] | None = None, decision: Word = "allow") -> None:
        self.given = dict(given or {})
        self.decision: Word = decision
        self.steps: list[Step] = []

    @property
    def asked(self) -> list[type]:
        """The kinds of step so far."""
        return [type(step) for step in self.steps]

    @property
    def outcomes(self) -> list[Outcome]:
        """What was handed to be recorded."""
        return [step.outcome for step in self.steps if isinstance(step, RecordOutcome)]

    def answer(self, step: Step) -> Answer | InThread:
        self.steps.append(step)
        if type(step) not in self.given:
            return self._well(step)
        given = self.given[type(step)]
        if isinstance(given, BaseException):
            raise given
        return given() if callable(given) else given  # type: ignore[return-value] -- hosts err

    def _well(self, step: Step) -> Answer:
        match step:
            case Detect():
                return TOUCHES
            case ReadState():
                return Readings((READING,))
            case Propose():
                return Proposed(PROPOSAL)
            case Preflight(asked=asked):
                receipt = msgspec.structs.replace(RECEIPT, asked=asked, decision=self.decision)
                return Decided(seal_receipt(receipt, IDENTITY))
            case OpenReceipt(asked=asked, envelope=envelope):
                return open_receipt(envelope, asked, KEYRING, NOW)
            case Approve():
                return Denied(error=GuardError("nobody-to-ask", "Nobody can be asked."))
            case Recheck():
                return Unmoved()
            case GiveNotice():
                return Noticed()
            case RecordIntent() | RecordOutcome() | Acknowledge():
                return Recorded()
            case Execute() | LetPass() | AwaitTool():
                return Ran("done")
            case Observe():
                return observed("content-match")
            case SealResult():
                return Sealed(None)
