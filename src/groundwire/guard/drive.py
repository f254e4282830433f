"""Two drivers of one flow: they have the host answer each step, and let no exception by unseen.

A stranger's exception has this one door. Up to the recorded intent it becomes a refusal; from then
on `BaseException` is caught, an outcome recorded, and the tool's own exception or the cancellation
raised again, unchanged. What cannot be caught is a process that is killed, and an interrupt that
arrives between two lines of the driver itself: then an intent stands alone, and reads as Unknown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, Protocol, TypeAlias

import msgspec

from groundwire.errors import GroundwireError, HostError
from groundwire.guard.flow import Flow
from groundwire.guard.refusal import shown
from groundwire.guard.steps import (
    Acknowledge,
    Answer,
    AwaitTool,
    Execute,
    Failed,
    InThread,
    LetPass,
    Observe,
    RecordIntent,
    RecordOutcome,
    SealResult,
    Settled,
    Step,
)

_TOOL: Final = (Execute, LetPass, AwaitTool)
_AFTERWARDS: Final = (Observe, RecordOutcome, SealResult, Acknowledge)
_SHIELDED: Final = (RecordIntent, *_AFTERWARDS)


class Host(Protocol):
    """Whoever answers, in the calling thread."""

    def answer(self, step: Step) -> Answer | InThread:
        """One of the step's answers. May raise anything."""
        ...


class AsyncHost(Protocol):
    """Whoever answers, in the running event loop."""

    def answer(self, step: Step) -> Awaitable[Answer | InThread]:
        """One of the step's answers. May raise anything."""
        ...


class _Raised(msgspec.Struct, frozen=True):
    error: BaseException


_Caught: TypeAlias = Answer | InThread | _Raised


class _Exceptions:
    """What has to be raised again in the end: a tool's exception, or the call's cancellation."""

    __slots__ = ("first",)

    def __init__(self) -> None:
        self.first: BaseException | None = None

    def failed(self, step: Step, error: BaseException) -> Failed:
        """The answer that stands for it; it is kept where the host has to hear of it unchanged."""
        cancelled = not isinstance(error, Exception)
        if cancelled or isinstance(step, _TOOL):
            self.keep(error)
        return Failed(_named(error), shown(type(error).__name__), cancelled=cancelled)

    def keep(self, error: BaseException) -> None:
        """It is raised in the end, unless something came before it."""
        if self.first is None:
            self.first = error

    def settle(self, settled: Settled) -> Settled:
        """What the call settled as. Raises what was kept."""
        if self.first is not None:
            raise self.first
        return settled


def drive(flow: Flow, host: Host) -> Settled:
    """The call has settled and its outcome was handed to the host to be recorded.

    Raises: what the tool raised, unchanged, and every `BaseException` that is no `Exception`,
        after the outcome was recorded. No other failure of the host is raised: it is an outcome.
    """
    exceptions = _Exceptions()
    answer: Answer | None = None
    while True:
        try:
            step = next(flow) if answer is None else flow.send(answer)
        except StopIteration as stop:
            settled: Settled = stop.value
            return exceptions.settle(settled)
        try:
            given = host.answer(step)
            answer = given.run() if isinstance(given, InThread) else given
        except BaseException as error:  # noqa: BLE001 -- the one door for strangers' exceptions
            answer = exceptions.failed(step, error)
        answer = _never_none(answer)


async def drive_async(flow: Flow, host: AsyncHost) -> Settled:
    """The call has settled, as in `drive`; a cancellation is raised again once it has.

    Recording the intent, looking at the effect and recording the outcome are not interrupted. A
    tool in a thread goes on when the call is cancelled: `Unknown` is recorded at once, the thread
    is awaited, and its late outcome recorded after it. Each step runs in a task of its own: what
    it sets in context variables stays there.

    Raises: as `drive`.
    """
    run = _Run(host)
    answer: Answer | None = None
    while True:
        try:
            step = next(flow) if answer is None else flow.send(answer)
        except StopIteration as stop:
            settled: Settled = stop.value
            return run.exceptions.settle(settled)
        answer = _never_none(await run.answer(step))


class _Run:
    __slots__ = ("_host", "_thread", "exceptions")

    def __init__(self, host: AsyncHost) -> None:
        self._host = host
        self._thread: asyncio.Future[_Caught] | None = None
        self.exceptions = _Exceptions()

    async def answer(self, step: Step) -> Answer:
        """What the host answers, or `Failed`; never raises."""
        if isinstance(step, AwaitTool) and self._thread is not None:
            await self._until_done(self._thread, stop=False)
            return self._given(step, self._thread)
        task = asyncio.ensure_future(_caught(self._host, step))
        shielded = isinstance(step, _SHIELDED)
        cancelled = await self._until_done(task, stop=not shielded)
        if cancelled and not isinstance(step, (*_TOOL, *_AFTERWARDS)):
            # The host may have answered all the same: nothing has begun, and nothing is to.
            return self.exceptions.failed(step, cancelled)
        if not task.cancelled() and isinstance(given := task.result(), InThread):
            return await self._in_thread(step, given.run, cancelled)
        return self._given(step, task)

    async def _in_thread(
        self, step: Step, run: Callable[[], Answer], cancelled: BaseException | None
    ) -> Answer:
        if cancelled is not None:
            return self.exceptions.failed(step, cancelled)
        self._thread = asyncio.ensure_future(asyncio.to_thread(_caught_in_thread, run))
        try:
            await asyncio.wait({self._thread})
        except asyncio.CancelledError as error:
            failed = self.exceptions.failed(step, error)
            return msgspec.structs.replace(failed, running=True)
        return self._given(step, self._thread)

    async def _until_done(
        self, task: asyncio.Future[_Caught], *, stop: bool
    ) -> BaseException | None:
        """The task is done, however often the call is cancelled; the first cancellation, if any."""
        cancelled: BaseException | None = None
        while not task.done():
            try:
                await asyncio.wait({task})
            except asyncio.CancelledError as error:
                cancelled = cancelled or error
                self.exceptions.keep(error)
                if stop:
                    task.cancel()
        return cancelled

    def _given(self, step: Step, task: asyncio.Future[_Caught]) -> Answer:
        if task.cancelled():
            return self.exceptions.failed(step, asyncio.CancelledError())
        given = task.result()
        if isinstance(given, _Raised):
            return self.exceptions.failed(step, given.error)
        if isinstance(given, InThread):
            return _wrong_answer()
        return given


async def _caught(host: AsyncHost, step: Step) -> _Caught:
    try:
        return await host.answer(step)
    except BaseException as error:  # noqa: BLE001 -- the one door for strangers' exceptions
        return _Raised(error)


def _caught_in_thread(run: Callable[[], Answer]) -> _Caught:
    # A future cannot carry every exception (StopIteration), so none is left to it.
    try:
        return run()
    except BaseException as error:  # noqa: BLE001 -- the one door for strangers' exceptions
        return _Raised(error)


def _never_none(answer: Answer | None) -> Answer:
    """None would start the flow anew; a host that returns nothing has answered wrongly."""
    return _wrong_answer() if answer is None else answer


def _wrong_answer() -> Failed:
    error = HostError("host-answer", "The host answered with something else than was asked.")
    return Failed(error, "host-answer")


def _named(error: BaseException) -> GroundwireError:
    if isinstance(error, GroundwireError):
        return error
    if isinstance(error, Exception):
        return HostError("host-failed", "What the guard asked of its host was not answered.")
    return HostError("call-cancelled", "The call was cancelled before it was carried out.")
