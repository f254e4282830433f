"""Binding: which run, lane and SDK call the code that is running now belongs to."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groundwire.session.run import Session

current_session: ContextVar[Session | None] = ContextVar("groundwire_session", default=None)
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
