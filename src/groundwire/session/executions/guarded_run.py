"""GuardedRun: what the guard needs of a run, which knows the guard."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from groundwire.documents.call import ToolCall
from groundwire.documents.disposition import Row
from groundwire.documents.event import Guarded
from groundwire.documents.policy import Policy
from groundwire.session.executions.guarded_calls import Begun
from groundwire.session.live.callbacks import Callback, Topic


class GuardedRun(Protocol):
    """A run, as `session.executions.guarded_calls` has it."""

    @property
    def is_open(self) -> bool:
        """Whether it still records, in this process."""

    @property
    def run_id(self) -> str:
        """Its id."""

    @property
    def ancestors(self) -> tuple[str, ...]:
        """The ids of the runs above it, the one that began it first."""

    @property
    def policy(self) -> Policy:
        """What is declared for it."""

    @property
    def rows(self) -> tuple[Row, ...]:
        """What each check did so far."""

    @property
    def agent_rule_shown(self) -> bool | None:
        """Whether a request showed the model the agent's rule."""

    @property
    def claimed_environment(self) -> str:
        """What the host says of where the run has its effects; "" where it says nothing."""

    @property
    def notice_callbacks(self) -> tuple[Callback, ...]:
        """Who is given notice of a call that a rule warns of."""

    def on_the_wire(self, call: ToolCall) -> ToolCall:
        """The call as a response spelt it."""

    def begin_guarded(self, call: ToolCall) -> Begun:
        """The call has a number."""

    def record_guarded(self, said: Guarded, *, durable: bool) -> None:
        """It stands in the recording, or this raises."""

    def cover_guarded(self) -> None:
        """All of it is durable and under a checkpoint, or this raises."""

    def notify(self, topic: Topic, document: object) -> None:
        """Whoever listens hears of it."""

    def executed(
        self,
        call_id: str | None,
        arguments: object,
        result: object,
        *,
        name: str | None = None,
        error: BaseException | str | None = None,
    ) -> None:
        """A tool ran so."""

    def for_call(self, call_id: str) -> AbstractContextManager[None]:
        """What runs within is of this call."""
