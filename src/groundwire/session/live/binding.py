"""Binding: which run, lane and SDK call the code that is running now belongs to."""

from __future__ import annotations

import weakref
from contextvars import ContextVar, Token
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from groundwire.session.live.attempts import WatchedAttempt
from groundwire.session.live.warned import RunStillOpen, warn
from groundwire.session.watching import Headers

Value = TypeVar("Value")


class Within(Generic[Value]):
    """The variable has the value while this is entered, once. Every call of a tool enters several."""

    __slots__ = ("_token", "_value", "_variable")

    def __init__(self, variable: ContextVar[Value], value: Value) -> None:
        self._variable = variable
        self._value = value
        self._token: Token[Value] | None = None

    def __enter__(self) -> None:
        self._token = self._variable.set(self._value)

    def __exit__(self, *raised: object) -> None:
        if self._token is not None:
            self._variable.reset(self._token)


class Bound(Protocol):
    """What a request needs to know of the run it is bound to."""

    @property
    def is_open(self) -> bool:
        """Whether the run still records, in this process."""

    @property
    def path(self) -> Path | None:
        """Where its recording is."""

    def sent(self, method: str, url: str, headers: Headers, body: bytes) -> WatchedAttempt | None:
        """The request is recorded in this run."""

    def ran(
        self, name: str, arguments: object, result: object, error: BaseException | None
    ) -> None:
        """A wrapped function ran with these arguments, and returned or raised. Raises nothing."""


current_session: ContextVar[Bound | None] = ContextVar("groundwire_session", default=None)
current_lane: ContextVar[str | None] = ContextVar("groundwire_lane", default=None)
current_call_id: ContextVar[str | None] = ContextVar("groundwire_call_id", default=None)


class SdkCall:
    """One call of an SDK method; every attempt it makes is a request of its own.

    `recorded` maps a run's id to the number under which that run recorded the composed tools.
    """

    __slots__ = ("attempts", "recorded", "tools")

    def __init__(self, tools: tuple[str, ...] | None) -> None:
        self.tools = tools
        self.attempts = 0
        self.recorded: dict[str, int] = {}


current_call: ContextVar[SdkCall | None] = ContextVar("groundwire_sdk_call", default=None)

_warned_of: weakref.WeakSet[Bound] = weakref.WeakSet()


def unbind(run: Bound, token: Token[Bound | None], *, by_indent: bool) -> None:
    """Requests go to the run that was bound before `run`, where that one is bound still.

    A run that was opened later and goes on stays bound. That requests fall back on an open run is
    what `with` says by its indent (`by_indent`); a notebook says nothing, and there it is warned
    of, once a run.
    """
    if current_session.get() is not run:
        return
    try:
        current_session.reset(token)
    except ValueError:  # closed in another context than it was opened in
        current_session.set(None)
    before = current_session.get()
    if before is not None and not before.is_open:
        current_session.set(None)
    elif before is not None and not by_indent and before not in _warned_of:
        _warned_of.add(before)
        warn(
            f"requests are recorded in {before.path} again, which was opened before {run.path} "
            "and is still open. Close it, or open runs with `with`.",
            RunStillOpen,
        )
