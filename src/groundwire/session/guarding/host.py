"""GuardHost: answers each step of one guarded call. What the steps mean stands in `guard/steps.py`."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import TypeAlias, TypeVar, assert_never

from groundwire.documents.outcome import Outcome
from groundwire.errors import GroundwireError, GuardError
from groundwire.guard.steps import (
    Acknowledge,
    Answer,
    Approve,
    AwaitTool,
    Denied,
    Detect,
    Execute,
    GiveNotice,
    InThread,
    LetPass,
    NotWritten,
    Observe,
    Observed,
    OpenReceipt,
    Preflight,
    Propose,
    Ran,
    Readings,
    ReadState,
    Recheck,
    Recorded,
    RecordIntent,
    RecordOutcome,
    Sealed,
    SealResult,
    Step,
)
from groundwire.session.guarding.before import Before, Work
from groundwire.session.guarding.carrying import written
from groundwire.session.guarding.guard import fresh_id
from groundwire.session.guarding.ways.arguments import Arguments
from groundwire.targets.stopping import Stop

AsyncWork: TypeAlias = Callable[[], Awaitable[object]]

Given = TypeVar("Given")

# These only think; everything else may wait for a disk.
_QUICK = (Detect, Propose, OpenReceipt)


class GuardHost(Before):
    """One call's host: all that `Before` answers, and what comes from the effect on."""

    def answer(self, step: Step) -> Answer | InThread:
        """The step's answer. May raise anything that a tool, a disk or a policy does."""
        try:
            given = self._answer(step)
        except GroundwireError as error:
            self.message = error.message
            raise
        if isinstance(given, Denied):
            self.message = given.error.message
        return given

    def interrupted(self, call: str) -> Outcome:
        """The outcome where the driver told of none, because it was interrupted itself."""
        passed = (self._declared, self.ruling) if self._started else None
        return self._carrying.interrupted(call, passed)

    def close(self) -> None:
        """The call is over."""
        self._carrying.deed.close()
        if self._way is not None:
            self._way.close()

    def _answer(self, step: Step) -> Answer | InThread:  # noqa: PLR0911, PLR0912, C901 -- one line a step
        match step:
            case Detect():
                return self._detect()
            case ReadState():
                return Readings(self.way.read_state(step.names))
            case Propose():
                return self._propose(step)
            case Preflight():
                return self._preflight(step)
            case OpenReceipt():
                return self._open(step)
            case Approve():
                return self._approve(step)
            case Recheck():
                return self._recheck(step)
            case GiveNotice():
                return self._give_notice(step)
            case RecordIntent():
                self._record("intent", step.intent, durable=True)
                return Recorded()
            case Execute():
                return self.execute(step)
            case LetPass():
                return self.let_pass()
            case Observe():
                return Observed(self.way.observe(step.proposal))
            case RecordOutcome():
                return self._record_outcome(step)
            case SealResult():
                return self._seal(step)
            case Acknowledge():
                return self._acknowledge()
            case AwaitTool():
                raise GuardError("host-answer", "Only a driver knows how a tool in a thread ended.")
            case _:
                assert_never(step)

    # -- the effect ---------------------------------------------------------------------------

    def consume(self, step: Execute) -> NotWritten | None:
        """The grant of the step's permit is used; None: the tool's own code may run now."""
        refused = self.halted() or self._carrying.consume(step, self.way)
        return None if refused is None else self._not_written(refused)

    def halted(self) -> NotWritten | None:
        """Why nothing is carried out although it was allowed: a person stopped it meanwhile."""
        stopped = self._run.halting.found(self.effect)
        return None if stopped is None else self._not_written(NotWritten(stopped))

    def execute(self, step: Execute) -> Ran | NotWritten:
        """The grant is used, then the call carried out: by groundwire or by the tool's own code."""
        refused = self.consume(step)
        if refused is not None:
            return refused
        if self.way.owned:
            return self._wrote(self._carrying.write(step, self.way))
        return Ran(self.run_tool())

    def let_pass(self) -> Ran | NotWritten:
        """The call is carried out without a permit."""
        if (halted := self.halted()) is not None:
            return halted
        if self._work is None:
            return self._wrote(written(self._let_write))
        return self.passed(self.run_tool())

    def passed(self, value: object) -> Ran:
        """The tool ran without a permit and returned this: what it showed is known from now on."""
        self._carrying.deed.read(value)
        for path, mark in self._reads.items():
            self._run.known.read(mark, path, value)
        return Ran(value)

    def _let_write(self) -> object:
        """Only groundwire can carry this out, and under this profile nothing holds it up."""
        way = self._make_way(self.arguments)
        names = way.touches()
        self._run.guard.places().refuse_write(names)
        self._started = True
        return way.write(way.propose(way.read_state(names)), fresh_id())

    def _wrote(self, ended: Ran | NotWritten) -> Ran | NotWritten:
        if isinstance(ended, NotWritten):
            return self._not_written(ended)
        self.tell_ran(ended.value, None)
        return ended

    def _not_written(self, ended: NotWritten) -> NotWritten:
        self.message = ended.error.message
        return ended

    def run_tool(self) -> object:
        """What the tool's own code returns; that it ran is recorded."""
        work = self._tools_work()
        with self.within():
            try:
                value = work()
            except BaseException as error:
                self.tell_ran(None, error)
                raise
        self.tell_ran(value, None)
        return value

    def within(self) -> AbstractContextManager[None]:
        """What the tool's own code does is of this call, and the guard tells of it."""
        self._started = True
        return self._carrying.within(self._call)

    def _tools_work(self) -> Work:
        if self._work is None:
            raise GuardError("no-tool-code", f"{self._call.name!r} has neither code nor a target.")
        return self._work(self.arguments)

    def tell_ran(self, value: object, error: BaseException | None) -> None:
        """That the call was carried out, and what came of it, stands in the recording."""
        self._run.run.executed(
            self._call.id or None, self._shown.arguments, value, name=self._call.name, error=error
        )
        if isinstance(value, str):
            self._run.known.heard(value)

    # -- afterwards ---------------------------------------------------------------------------

    def _record_outcome(self, step: RecordOutcome) -> Recorded:
        outcome = self.outcome = step.outcome
        if not step.late:
            self._run.count(outcome, self.ruling.residuals if self.ruling else ())
        self._record("outcome", outcome, durable=False, of=outcome, late=step.late)
        self.recorded = True
        self._carrying.settle(outcome)
        self._run.guard.since.came(self._question, self.ruling, outcome)
        found = self._carrying.judge_again(self._question, self._way, self.names, outcome)
        if found is not None:
            self.second = found[0]
            self._record("rejudged", found[1])
        return Recorded()

    def _seal(self, step: SealResult) -> Sealed:
        envelope = self._carrying.seal(step.outcome, step.permit)
        if envelope is not None:
            self._record("attested", envelope)
        return Sealed(envelope)

    def _acknowledge(self) -> Recorded:
        self.recorded = False
        self._run.run.cover_guarded()
        self.recorded = True
        return Recorded()


class AsyncGuardHost:
    """Answers in the event loop: what waits for a disk, or a person, does so in a thread.

    `runs`: to see what the call touches its command runs.
    """

    def __init__(
        self,
        host: GuardHost,
        async_work: Callable[[Arguments], AsyncWork] | None,
        stop: Stop,
        *,
        runs: bool,
    ) -> None:
        self._host = host
        self._async_work = async_work
        self._stop = stop
        self._runs = runs

    async def answer(self, step: Step) -> Answer | InThread:
        """The step's answer; a tool's sync code, and a write of ours, in a thread that is awaited."""
        match step:
            case Execute() if self._host.way.owned:
                return InThread(lambda: self._host.execute(step))
            case Execute():
                refused = await _threaded(lambda: self._host.consume(step))
                return refused if refused is not None else await self._run()
            case LetPass():
                return await self._let_pass()
            case Detect() if self._runs:  # the command runs
                return await _threaded(lambda: self._host.answer(step), self._stop)
            case Approve():  # a person is waited for, in a thread that nobody else needs
                with ThreadPoolExecutor(max_workers=1) as alone:
                    return await _threaded(lambda: self._host.answer(step), self._stop, alone)
            case _ if isinstance(step, _QUICK):
                return self._host.answer(step)
            case _:
                return await _threaded(lambda: self._host.answer(step))

    async def _let_pass(self) -> Answer | InThread:
        if self._async_work is None:
            return InThread(self._host.let_pass)
        if (halted := self._host.halted()) is not None:
            return halted
        ran = await self._run()
        return self._host.passed(ran.value) if isinstance(ran, Ran) else ran

    async def _run(self) -> Ran | InThread:
        """What the tool's own code returns, which runs here where it is async."""
        host, make = self._host, self._async_work
        if make is None:
            return InThread(lambda: Ran(host.run_tool()))
        work = make(host.arguments)
        with host.within():
            try:
                value = await work()
            except BaseException as error:
                host.tell_ran(None, error)
                raise
        host.tell_ran(value, None)
        return Ran(value)


async def _threaded(
    act: Callable[[], Given], stop: Stop | None = None, alone: Executor | None = None
) -> Given:
    """What it returns, of a thread. A cancellation waits for it: nothing goes on behind its outcome.

    What hears of `stop` is ended by the cancellation, so that there is less to wait for.
    """
    within = contextvars.copy_context()
    work = asyncio.get_running_loop().run_in_executor(alone, lambda: within.run(act))
    cancelled: asyncio.CancelledError | None = None
    while not work.done():
        try:
            await asyncio.wait({work})
        except asyncio.CancelledError as error:
            cancelled = cancelled or error
            if stop is not None:
                stop.ask()
    if cancelled is None:
        return work.result()
    if not work.cancelled():
        work.exception()  # looked at: that the call is cancelled counts
    raise cancelled
