"""Sinks: who is given notice besides the recording, and how long each may take.

A sink is asked once, in a thread of its own. What it gives back after its time counts for nothing.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final, Protocol

from groundwire.canon.digest import sha256
from groundwire.documents.notice import TIMEOUT, Delivery, DeliveryError, DeliveryState, Notice
from groundwire.session.live.callbacks import Callback

MOST_HANGING: Final = 16
"""So many deliveries may hang; while they do, no other is begun."""


class Sink(Protocol):
    """One who is given notice."""

    @property
    def name(self) -> str:
        """How the recording names it."""
        ...

    @property
    def timeout(self) -> float:
        """Seconds that it may take."""
        ...

    def deliver(self, notice: Notice) -> Delivery:
        """What it made of the notice. May raise anything."""
        ...


class CallbackSink:
    """A callback of the host's. `number` counts those of a run, from 1.

    A text or bytes that say something, returned, acknowledge the notice; None only took it. Anything
    else is no answer: neither `True` nor an object of a library's says what it is to mean.
    """

    def __init__(
        self,
        callback: Callback,
        number: int,
        now: Callable[[], str],
        timeout: float = float(TIMEOUT),
    ) -> None:
        self._callback = callback
        self._now = now
        self.name = f"callback-{number}"
        self.timeout = timeout

    def deliver(self, notice: Notice) -> Delivery:
        """What the callback made of it; what it returns to be awaited is awaited here."""
        answer = self._callback(notice)
        if inspect.isawaitable(answer):
            answer = asyncio.run(_awaited(answer))
        match answer:
            case None:
                return unanswered(self.name, "", self._now(), "sent")
            case str() if answer:
                given = answer.encode("utf-8", "surrogatepass")
            case bytes() if answer:
                given = answer
            case _:
                return unanswered(self.name, "wrong-answer", self._now())
        return Delivery(
            answer=sha256(given),
            at=self._now(),
            error="",
            sink=self.name,
            state="acknowledged",
            status=None,
        )


class Deliveries:
    """Delivers to several sinks at once. One object a process of a project."""

    def __init__(self, now: Callable[[], str]) -> None:
        self._now = now
        self._hanging: list[threading.Thread] = []

    def to(self, sinks: Sequence[Sink], notice: Notice) -> tuple[Delivery, ...]:
        """What came of it at each, in their order; after the longest of their times at the latest.

        Never raises what a sink raises. A sink whose time is over goes on in its thread, which nobody
        can stop.
        """
        self._hanging = [thread for thread in self._hanging if thread.is_alive()]
        delivering = [_Delivering(sink, notice, self._now) for sink in sinks]
        for each in delivering:
            if len(self._hanging) < MOST_HANGING:
                each.begin()
        came = tuple(each.ended() for each in delivering)
        self._hanging += [each.thread for each in delivering if each.thread.is_alive()]
        return came


class _Delivering:
    """One sink that is being told. One that was never begun ends as one whose time is over."""

    def __init__(self, sink: Sink, notice: Notice, now: Callable[[], str]) -> None:
        self._sink = sink
        self._notice = notice
        self._now = now
        self._until = time.monotonic() + sink.timeout
        self._delivery: list[Delivery] = []
        self.thread = threading.Thread(target=self._deliver, name="groundwire-notice", daemon=True)

    def begin(self) -> None:
        """The sink is being told; where this process has no thread left, it is not."""
        with suppress(RuntimeError):
            self.thread.start()

    def ended(self) -> Delivery:
        """What came of it, once it came or the sink's time is over."""
        if self.thread.ident is not None:
            self.thread.join(max(self._until - time.monotonic(), 0.0))
        came = tuple(self._delivery)
        return came[0] if came else unanswered(self._sink.name, "timeout", self._now())

    def _deliver(self) -> None:
        try:
            delivery = self._sink.deliver(self._notice)
        except BaseException:  # noqa: BLE001 -- the one door for sinks: whatever they raise is told
            delivery = unanswered(self._sink.name, "raised", self._now())
        self._delivery.append(delivery)


def unanswered(
    sink: str, error: DeliveryError, at: str, state: DeliveryState = "failed"
) -> Delivery:
    """A delivery of which nothing came back."""
    return Delivery(answer="", at=at, error=error, sink=sink, state=state, status=None)


async def _awaited(answer: Awaitable[object]) -> object:
    return await answer
