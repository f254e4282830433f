"""What a guarded call gives back to its host, and what a host gives where groundwire cannot read."""

from __future__ import annotations

import msgspec

from groundwire.documents.call import ToolCall
from groundwire.documents.entry import Envelope
from groundwire.documents.notice import Notified
from groundwire.documents.outcome import Outcome, Refused, Unknown
from groundwire.documents.question import Ruling
from groundwire.documents.target import Proposal
from groundwire.guard.proof import ProofCall
from groundwire.guard.refusal import Refusal, shown
from groundwire.session.guarding.shapes.answers import Answer, answer_of
from groundwire.session.guarding.shapes.calls import ModelCall
from groundwire.session.guarding.shapes.messages import Message, Shape, message_for


class Artifact(msgspec.Struct, frozen=True, kw_only=True):
    """The host's word for one thing that a call changes, whole: its `id` and `kind`, before, after.

    None: nothing stood, or stands, there. Both None: there is content and nobody can give it.
    """

    id: str
    kind: str
    before: bytes | None = None
    after: bytes | None = None


class GuardedResult(msgspec.Struct, frozen=True, kw_only=True):
    """How a guarded call ended. Only `Refused` says that nothing was carried out.

    `value` is what the tool returned. `refusal` is what a model is to see of a refusal, `message` a
    sentence for a person, who may also see `ruling` and `proposal`: those can hold what strangers
    wrote; `second` is what is said of what really stands there after a drift. `receipt` and `attestation` are the signed documents, None where there is none.
    `notified` is the notice that was given of it before, and what each sink made of that; None where no
    rule warned. `request` is the id of what a person was asked, "" where nobody was. `recorded` false: the outcome could not be recorded.
    """

    asked: ModelCall
    outcome: Outcome
    value: object = None
    refusal: Refusal | None = None
    message: str = ""
    request: str = ""
    ruling: Ruling | None = None
    second: Ruling | None = None
    proposal: Proposal | None = None
    receipt: Envelope | None = None
    notified: Notified | None = None
    attestation: Envelope | None = None
    recorded: bool = True

    def __repr__(self) -> str:
        """How it ended, in a line: what it holds can be a whole file, and more than once."""
        reason = getattr(self.outcome, "reason", "")
        ended = type(self.outcome).__name__.lower() + (f" ({reason})" if reason else "")
        ended += f", notice {self.notified.state}" if self.notified else ""
        return f"<GuardedResult {shown(self.call.name)}: {ended}>"

    @property
    def call(self) -> ToolCall:
        """The call."""
        return self.asked.call

    @property
    def answer(self) -> Answer:
        """What the model gets, in words of no provider."""
        return answer_of(self.call, self.outcome, self.value, self.refusal)

    @property
    def text(self) -> str:
        """What the model gets, as text."""
        return self.answer.text

    def message_for_model(self, shape: Shape | None = None) -> Message:
        """The tool result of the next request, in the shape in which the call came, or another.

        `crewai` has the fields of its `ToolResult`: it ends the agent's work where a person is
        needed now.

        Raises:
            PolicyError: `no-call-id`.
        """
        return message_for(self.answer, self.asked.dialect if shape is None else shape)

    def proof_call(self) -> ProofCall:
        """The call as the proof block of a final answer has it."""
        changes = self.proposal.changes if self.proposal else ()
        return ProofCall(
            tool=self.call.name,
            targets=tuple((change.to or change.name).spelled for change in changes),
            outcome=self.outcome,
            recorded=self.recorded,
        )

    @property
    def refused(self) -> bool:
        """Whether nothing was carried out."""
        return isinstance(self.outcome, Refused)

    @property
    def unknown(self) -> bool:
        """Whether the effect may have landed: it must not be repeated blindly."""
        return isinstance(self.outcome, Unknown)
