"""Guarded calls: what the guard has to say of a run. Unlike the host's word it is recorded, or fails."""

from __future__ import annotations

from abc import abstractmethod
from typing import Literal, TypeAlias

import msgspec

from groundwire.documents.call import ToolCall
from groundwire.documents.event import Guarded
from groundwire.documents.frame import Frame
from groundwire.documents.outcome import Executed, Outcome, Passed, Refused, Unknown
from groundwire.documents.policy import Policy
from groundwire.errors import HostError
from groundwire.guard.agent_rule import rule_in
from groundwire.session.executions.joining import UNLINKED, Joined, Link, joined
from groundwire.session.executions.telling import Telling
from groundwire.session.live.binding import current_lane
from groundwire.session.live.callbacks import Callback, Callbacks, Topic
from groundwire.session.live.manifested import Manifested
from groundwire.session.opening import Identification
from groundwire.session.rail import Rail
from groundwire.wire.message_digest import canonical_arguments

GuardedState: TypeAlias = Literal[
    "decided", "requested", "approved", "noticed", "intent", "outcome", "rejudged", "attested"
]


class Begun(msgspec.Struct, frozen=True, kw_only=True):
    """A guarded call that begins: its number in the run, and the call on the wire that it is.

    `number` is -1 where the run is not recorded.
    """

    number: int
    call_id: str
    link: Link
    exchange: int | None
    lane: int | None

    def said(
        self,
        name: str,
        state: GuardedState,
        document: str,
        outcome: Outcome | None = None,
        *,
        late: bool = False,
    ) -> Guarded:
        """The event that says that the call came to this state."""
        return Guarded(
            step=0,
            at="",
            guarded=max(self.number, 0),
            state=state,
            call_id=self.call_id,
            link=self.link,
            exchange=self.exchange,
            lane=self.lane,
            name=name,
            document=document,
            outcome=_word(outcome),
            reason=_reason(outcome),
            late=late,
        )


class GuardedTelling(Manifested, Telling):
    """What the guard tells a run."""

    _callbacks: Callbacks
    _who: Identification

    @property
    @abstractmethod
    def policy(self) -> Policy:
        """The policy in force in this run."""

    @abstractmethod
    def _make_durable(self, *, covered: bool = False) -> None:
        """Everything recorded so far is durable; `covered`: under a checkpoint. Raises `HostError`."""

    def begin_guarded(self, call: ToolCall) -> Begun:
        """The call has a number that no other guarded call of the run has. Records nothing."""
        found, numbers = [UNLINKED], [-1]

        def begin(rail: Rail) -> None:
            numbers[0] = rail.recorder.number_guarded()
            found[0] = joined(
                rail.engine.transcript,
                lane=rail.lane_number(current_lane.get()),
                call_id=call.id,
                name=call.name,
                arguments=call.arguments,
            )

        self._say(begin, stop=False)
        return _begun(numbers[0], found[0])

    def on_the_wire(self, call: ToolCall) -> ToolCall:
        """The call as a response spelt it: of this id and name, with arguments that say the same.

        The call itself where there is none such, or more than one.
        """
        found = [UNLINKED]

        def look(rail: Rail) -> None:
            found[0] = joined(
                rail.engine.transcript,
                lane=rail.lane_number(current_lane.get()),
                call_id=call.id,
                name=call.name,
                arguments=None,
            )

        if call.id:
            self._say(look, stop=False)
        chosen = found[0].call
        if chosen is None or (chosen.call.id, chosen.call.name) != (call.id, call.name):
            return call
        spelt = chosen.call.arguments
        return (
            chosen.call
            if canonical_arguments(spelt) == canonical_arguments(call.arguments)
            else call
        )

    @property
    def claimed_environment(self) -> str:
        """The run's tag `environment`; "" without one. It can only make a decision stricter."""
        return self._who.tags.get("environment", "")

    @property
    def agent_rule_shown(self) -> bool | None:
        """Whether a conversation's latest request shows the model the rule of `gw.with_policy`.

        Read off the wire; None where no request was seen. That a model obeys it is not known.
        """
        frames: list[Frame] = []

        def look(rail: Rail) -> None:
            lanes = rail.engine.transcript.lanes.values()
            frames.extend(lane.frame for lane in lanes if lane.frame is not None)

        self._say(look, stop=False)
        return any(rule_in(frame) for frame in frames) if frames else None

    def notify(self, topic: Topic, document: object) -> None:
        """Whoever listens to the topic hears of the document; returns at once."""
        self._callbacks.tell(topic, document)

    @property
    def notice_callbacks(self) -> tuple[Callback, ...]:
        """Who is given notice of a call that a rule warns of: here, and in the runs above this one."""
        return self._callbacks.of("notice")

    def give_notice_as(self, parent: GuardedTelling) -> None:
        """Whoever is given notice of calls of `parent` is given notice of this run's too."""
        self._callbacks.below(parent._callbacks)

    def record_guarded(self, said: Guarded, *, durable: bool) -> None:
        """It stands in the recording; where `durable`, on the medium.

        Raises:
            HostError: `guard-not-recorded`.
        """
        self._say(lambda rail: rail.say(said), stop=False)
        if durable and self._rail() is not None:
            self._door(self._make_durable, stop=False)
        if self._rail() is None:
            raise _not_recorded()

    def cover_guarded(self) -> None:
        """What was recorded of guarded calls so far is durable and under a checkpoint.

        Calls that end together share one. A run that was closed meanwhile is covered by its end.

        Raises:
            HostError: `guard-not-recorded`.
        """
        done: list[bool] = []

        def cover() -> None:
            self._make_durable(covered=True)
            done.append(True)

        self._door(cover, stop=False)
        if not done:
            raise _not_recorded()


def _not_recorded() -> HostError:
    return HostError(
        "guard-not-recorded",
        "The run is not recorded (any more), and no guarded call changes anything without"
        " a record. See `run.lost_reason`.",
    )


def _word(outcome: Outcome | None) -> Literal["", "executed", "passed", "refused", "unknown"]:
    match outcome:
        case None:
            return ""
        case Executed():
            return "executed"
        case Passed():
            return "passed"
        case Refused():
            return "refused"
        case Unknown():
            return "unknown"


def _reason(outcome: Outcome | None) -> str:
    return "" if outcome is None or isinstance(outcome, Executed) else outcome.reason


def _begun(number: int, found: Joined) -> Begun:
    if found.call is None:
        return Begun(number=number, call_id="", link="unlinked", exchange=None, lane=None)
    return Begun(
        number=number,
        call_id=found.call.call.id,
        link=found.link,
        exchange=found.call.exchange,
        lane=found.call.lane,
    )
