from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable

import msgspec
import pytest

from groundwire.documents.outcome import Executed, Outcome, Passed, Refused, Unknown
from groundwire.documents.target import Proposal
from groundwire.errors import GuardError
from groundwire.guard.drive import drive, drive_async
from groundwire.guard.flow import guarded
from groundwire.guard.steps import (
    Acknowledge,
    Answer,
    AwaitTool,
    Detect,
    Execute,
    InThread,
    LetPass,
    NotWritten,
    Observe,
    Observed,
    Propose,
    Proposed,
    Ran,
    Readings,
    ReadState,
    RecordOutcome,
    SealResult,
    Step,
)
from tests.unit.guard.hosts import ORDER, TOUCHES, UNTIL_INTENT, Script, observed, request

replace = msgspec.structs.replace
READ = {Detect: replace(TOUCHES, effect="read")}


class Waiting:
    """Answers as its script does, each after a turn of the loop; `at` cancels within a step."""

    def __init__(self, script: Script, at: type | None = None, times: int = 1) -> None:
        self.script = script
        self.at = at
        self.times = times
        self.task: asyncio.Task[object] | None = None

    async def answer(self, step: Step) -> Answer | InThread:
        if type(step) is self.at and self.task is not None:
            for _ in range(self.times):
                self.task.cancel()
        await asyncio.sleep(0)
        return self.script.answer(step)

    async def run(self, profile: str = "enforce/1") -> object:
        self.task = asyncio.ensure_future(drive_async(guarded(request(profile)), self))
        return await self.task


@pytest.mark.parametrize("error", [ValueError("bad"), KeyboardInterrupt(), SystemExit(3)])
def test_a_tool_that_raises_is_recorded_and_its_exception_is_raised_unchanged(
    error: BaseException,
) -> None:
    script = Script({Execute: error, Observe: observed("not-observed")})
    with pytest.raises(type(error)) as raised:
        drive(guarded(request()), script)
    assert raised.value is error
    (outcome,) = script.outcomes
    assert isinstance(outcome, Unknown)
    assert outcome.error == type(error).__name__
    assert script.asked == list(ORDER)


def test_a_tool_that_writes_and_then_raises_is_executed_with_an_error() -> None:
    error = ValueError("after the write")
    script = Script({Execute: error})
    with pytest.raises(ValueError, match="after the write") as raised:
        drive(guarded(request()), script)
    assert raised.value is error
    (outcome,) = script.outcomes
    assert isinstance(outcome, Executed)
    assert outcome.error == "ValueError"


def test_a_tool_without_a_target_that_raises_is_unknown() -> None:
    nowhere = {
        Detect: replace(TOUCHES, effect="external", names=(), operation="send_mail"),
        ReadState: Readings(()),
        Propose: Proposed(Proposal(changes=())),
        Observe: Observed(()),
        Execute: ValueError("x"),
    }
    script = Script(nowhere)
    with pytest.raises(ValueError, match="x"):
        drive(guarded(request()), script)
    (outcome,) = script.outcomes
    assert isinstance(outcome, Unknown)
    assert outcome.reason == "tool-raised"


def test_a_refusal_that_a_tool_raises_is_no_word_that_nothing_stands() -> None:
    script = Script({Execute: GuardError("state-drifted", "x"), Observe: observed("not-observed")})
    with pytest.raises(GuardError):
        drive(guarded(request()), script)
    assert isinstance(script.outcomes[0], Unknown)


@pytest.mark.parametrize(
    ("profile", "step"),
    [("enforce/1", step) for step in UNTIL_INTENT]
    + [("observe/1", step) for step in UNTIL_INTENT[:5]],
)
def test_an_interrupt_before_the_effect_is_a_refusal_and_is_raised(
    profile: str, step: type
) -> None:
    script = Script({step: KeyboardInterrupt()})
    with pytest.raises(KeyboardInterrupt):
        drive(guarded(request(profile)), script)
    (outcome,) = script.outcomes
    assert isinstance(outcome, Refused)
    assert outcome.reason == "call-cancelled"
    assert not {Execute, LetPass} & set(script.asked)


@pytest.mark.parametrize("step", [Observe, RecordOutcome, SealResult, Acknowledge])
def test_an_interrupt_after_the_effect_never_says_that_nothing_happened(step: type) -> None:
    script = Script({step: KeyboardInterrupt()})
    with pytest.raises(KeyboardInterrupt):
        drive(guarded(request()), script)
    assert len(script.outcomes) == 1
    assert isinstance(script.outcomes[0], Executed | Unknown)


def test_a_read_that_raises_is_passed_and_its_exception_is_raised() -> None:
    script = Script({**READ, LetPass: ValueError("x")})
    with pytest.raises(ValueError, match="x"):
        drive(guarded(request()), script)
    (outcome,) = script.outcomes
    assert isinstance(outcome, Passed)
    assert outcome.error == "ValueError"


def test_a_sync_host_may_answer_with_something_to_run() -> None:
    script = Script({Execute: InThread(lambda: Ran("in turn"))})
    assert drive(guarded(request()), script).value == "in turn"


async def test_both_drivers_walk_the_same_order() -> None:
    script = Script()
    settled = await drive_async(guarded(request()), Waiting(script))
    assert script.asked == list(ORDER)
    assert settled == drive(guarded(request()), Script())


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("step", UNTIL_INTENT)
async def test_cancelled_before_the_effect_a_call_is_refused(step: type, times: int) -> None:
    script = Script()
    with pytest.raises(asyncio.CancelledError):
        await Waiting(script, step, times).run()
    (outcome,) = script.outcomes
    assert isinstance(outcome, Refused)
    assert outcome.reason == "call-cancelled"
    assert Execute not in script.asked


async def test_cancelled_during_the_effect_a_call_is_unknown() -> None:
    script = Script()
    with pytest.raises(asyncio.CancelledError):
        await Waiting(script, Execute).run()
    (outcome,) = script.outcomes
    assert isinstance(outcome, Unknown)
    assert outcome.reason == "cancelled"


@pytest.mark.parametrize("step", [Observe, RecordOutcome, SealResult, Acknowledge])
async def test_cancelled_after_the_effect_a_call_is_recorded_whole(step: type) -> None:
    script = Script()
    with pytest.raises(asyncio.CancelledError):
        await Waiting(script, step).run()
    assert script.asked == list(ORDER)
    assert isinstance(script.outcomes[0], Executed)


async def test_cancelled_under_observation_a_call_is_not_let_through() -> None:
    script = Script()
    with pytest.raises(asyncio.CancelledError):
        await Waiting(script, Detect).run("observe/1")
    assert LetPass not in script.asked
    assert isinstance(script.outcomes[0], Refused)


async def test_a_tools_own_exception_reaches_an_async_host_unchanged() -> None:
    for error in (ValueError("x"), KeyboardInterrupt(), StopAsyncIteration()):
        script = Script({Execute: error, Observe: observed("not-observed")})
        with pytest.raises(type(error)) as raised:
            # In this task: an interrupt that leaves another task ends the loop.
            await drive_async(guarded(request()), Waiting(script))
        assert raised.value is error
        assert isinstance(script.outcomes[0], Unknown)


class Threaded:
    """A tool in a thread that ends when it is let, and a call that is cancelled meanwhile."""

    def __init__(self, script: Script, end: Callable[[], Ran | NotWritten]) -> None:
        self.script = script
        self.end = end
        self.begun = threading.Event()
        self.let = threading.Event()

    def tool(self) -> Ran | NotWritten:
        self.begun.set()
        assert self.let.wait(20)
        return self.end()

    def answer(self, step: Step) -> Awaitable[Answer | InThread]:
        return self._answer(step)

    async def _answer(self, step: Step) -> Answer | InThread:
        if isinstance(step, Execute | LetPass):
            self.script.steps.append(step)
            return InThread(self.tool)
        given = self.script.answer(step)
        if isinstance(step, RecordOutcome) and not step.late:
            self.let.set()  # only once the first outcome is recorded does the tool end
        return given

    async def run(self) -> list[Outcome]:
        task = asyncio.ensure_future(drive_async(guarded(request()), self))
        await asyncio.to_thread(self.begun.wait, 20)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return self.script.outcomes


def _raise() -> Ran:
    raise StopIteration("late")


@pytest.mark.parametrize(
    ("end", "late"),
    [
        (lambda: Ran("late"), Executed),
        (_raise, Executed),
        (lambda: NotWritten(GuardError("state-drifted", "x")), Refused),
    ],
)
async def test_a_tool_in_a_thread_is_awaited_and_its_late_outcome_appended(
    end: Callable[[], Ran | NotWritten], late: type
) -> None:
    first, second = await Threaded(Script(), end).run()
    assert isinstance(first, Unknown)
    assert first.reason == "cancelled"
    assert isinstance(second, late)


async def test_a_read_in_a_thread_is_awaited_too() -> None:
    first, second = await Threaded(Script(READ), lambda: Ran("late")).run()
    assert isinstance(first, Passed)
    assert isinstance(second, Passed)
    assert (first.error, second.error) == ("CancelledError", "")


async def test_a_tool_in_a_thread_answers_as_any_other() -> None:
    script = Script({Execute: InThread(lambda: Ran("in a thread"))})
    settled = await drive_async(guarded(request()), Waiting(script))
    assert settled.value == "in a thread"
    assert AwaitTool not in script.asked


async def test_a_step_that_is_no_tool_is_not_run_in_a_thread_within_a_thread() -> None:
    script = Script({Execute: InThread(lambda: InThread(lambda: Ran("x")))})  # type: ignore[arg-type,return-value] -- hosts err
    with_error = (await drive_async(guarded(request()), Waiting(script))).outcome
    assert isinstance(with_error, Executed)
    assert with_error.error == "host-answer"


async def test_two_hundred_calls_at_once_each_get_their_own_outcome() -> None:
    scripts = [Script(decision="deny" if number % 2 else "allow") for number in range(200)]
    settled = await asyncio.gather(
        *(drive_async(guarded(request()), Waiting(script)) for script in scripts)
    )
    for number, each in enumerate(settled):
        assert isinstance(each.outcome, Refused if number % 2 else Executed)
        assert scripts[number].outcomes == [each.outcome]
