"""Binding: which run, lane and SDK call the code that is running now belongs to."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Protocol

from groundwire.session.live.attempts import WatchedAttempt
from groundwire.session.watching import Headers


class Bound(Protocol):
    """What a request needs to know of the run it is bound to."""

    @property
    def is_open(self) -> bool:
        """Whether the run still records, in this process."""

    def sent(self, method: str, url: str, headers: Headers, body: bytes) -> WatchedAttempt | None:
        """The request is recorded in this run."""


current_session: ContextVar[Bound | None] = ContextVar("groundwire_session", default=None)
current_lane: ContextVar[str | None] = ContextVar("groundwire_lane", default=None)


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
