"""Whatever a host answers or raises: no effect without a permit for exactly that call."""

from __future__ import annotations

import asyncio
import contextlib

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.attest.receipts import Held, Permit, require_permit
from groundwire.canon.digest import sha256
from groundwire.documents.canonical import decode, encode
from groundwire.documents.outcome import Outcome, Refused, Unknown
from groundwire.documents.receipt import touched_by
from groundwire.documents.target import Proposal
from groundwire.errors import GuardError, HostError
from groundwire.guard.drive import drive, drive_async
from groundwire.guard.flow import guarded
from groundwire.guard.steps import (
    Acknowledge,
    Answer,
    Approve,
    AwaitTool,
    Denied,
    Detect,
    Execute,
    Failed,
    GiveNotice,
    InThread,
    LetPass,
    Noticed,
    NotWritten,
    Observe,
    Observed,
    OpenReceipt,
    Preflight,
    Propose,
    Proposed,
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
    Unmoved,
)
from tests.unit.attest.decisions import ASKED, RECEIPT, permit
from tests.unit.guard.hosts import PROPOSAL, READING, TOUCHES, Script, observed, request

STEPS = (
    Detect, ReadState, Propose, Preflight, OpenReceipt, Approve, Recheck, GiveNotice, RecordIntent,
    Execute, LetPass, Observe, RecordOutcome, AwaitTool, SealResult, Acknowledge,
)  # fmt: skip
replace = msgspec.structs.replace
_ERROR = GuardError("state-drifted", "x")
OTHER = permit(replace(ASKED, sequence=4))
SWAPPED = permit(replace(ASKED, changes=(replace(ASKED.changes[0], after=sha256(b"swapped")),)))
RIGHT = permit()
ANSWERS = [
    TOUCHES,
    replace(TOUCHES, effect="unstated"),
    replace(TOUCHES, effect="destructive", names=()),
    Denied(error=_ERROR),
    Denied(error=_ERROR, final=True),
    Readings((READING,)),
    Readings(()),
    Proposed(PROPOSAL),
    Proposed(Proposal(changes=())),
    RIGHT,
    OTHER,
    SWAPPED,
    object.__new__(Permit),
    Held(RECEIPT, "sha256:" + "0" * 64),
    Held(replace(RECEIPT, decision="approve"), "sha256:" + "0" * 64),
    Unmoved(),
    Noticed(),
    Recorded(),
    Ran("done"),
    NotWritten(_ERROR),
    observed("content-match"),
    observed("drift"),
    observed("not-observed"),
    Observed(()),
    Sealed(None),
    Failed(_ERROR, "x"),
    Failed(_ERROR, "x", cancelled=True),
    Failed(_ERROR, "x", cancelled=True, running=True),
    None,
    True,
    "allow",
    ValueError("x"),
    HostError("target-unreadable", "x"),
    KeyboardInterrupt(),
    asyncio.CancelledError(),
]
RAISED = (ValueError, HostError, KeyboardInterrupt, asyncio.CancelledError)
WELL = object()
SCRIPTS = st.dictionaries(st.sampled_from(STEPS), st.sampled_from([WELL, *ANSWERS]), max_size=4)
WILD = st.dictionaries(st.sampled_from(STEPS), st.sampled_from(ANSWERS), min_size=6)
WORDS = st.sampled_from(["allow", "warn", "approve", "deny"])
PROFILES = st.sampled_from(["enforce/1", "strict/1", "observe/1"])


class Late:
    """The script, awaited."""

    def __init__(self, script: Script) -> None:
        self.script = script

    async def answer(self, step: Step) -> Answer | InThread:
        await asyncio.sleep(0)
        return self.script.answer(step)


def judge(script: Script, profile: str) -> None:
    """What holds of every walk that there is."""
    asked = script.asked
    executed = [step for step in script.steps if isinstance(step, Execute)]
    assert len(executed) + asked.count(LetPass) <= 1
    for step in executed:
        expected = replace(ASKED, changes=touched_by(step.proposal))
        assert require_permit(step.permit, expected).receipt.decision in {"allow", "warn"}
        assert profile != "observe/1"
        if step.permit.receipt.decision == "warn":
            assert isinstance(script.given.get(GiveNotice, Noticed()), Noticed)
            assert asked.index(GiveNotice) < asked.index(RecordIntent)
            assert asked[asked.index(GiveNotice) + 1] is Recheck
        else:
            assert GiveNotice not in asked
        assert asked.index(Recheck) < asked.index(RecordIntent) < asked.index(Execute)
        assert script.outcomes
    if LetPass in asked:
        assert profile == "observe/1"
        assert not executed
    for outcome in script.outcomes:
        assert decode(encode(outcome), Outcome) == outcome
        if isinstance(outcome, Refused) and (executed or LetPass in asked):
            ends = [script.given.get(step) for step in (Execute, LetPass, AwaitTool)]
            assert any(isinstance(end, NotWritten) for end in ends)
    assert 1 <= len(script.outcomes) <= 2
    if len(script.outcomes) == 2:
        # Of a tool in a thread the driver itself knows how it ended, and asks no host.
        in_thread = any(isinstance(given, InThread) for given in script.given.values())
        assert AwaitTool in asked or in_thread


def driven(script: Script, profile: str) -> BaseException | None:
    """What came out of the driver; what it returns is what was recorded last."""
    try:
        settled = drive(guarded(request(profile)), script)
    except RAISED as error:
        return error
    assert settled.outcome == script.outcomes[-1]
    return None


def _script(given_: dict[type, object], word: str) -> Script:
    return Script({step: answer for step, answer in given_.items() if answer is not WELL}, word)  # type: ignore[misc,arg-type] -- hosts err


@settings(deadline=None, max_examples=300)
@given(given_=SCRIPTS | WILD, word=WORDS, profile=PROFILES)
def test_no_host_reaches_an_effect_without_a_permit_for_exactly_that_call(
    given_: dict[type, object], word: str, profile: str
) -> None:
    script = _script(given_, word)
    raised = driven(script, profile)
    assert raised is None or any(raised is answer for answer in given_.values())
    judge(script, profile)


@settings(deadline=None, max_examples=150)
@given(given_=SCRIPTS | WILD, word=WORDS, profile=PROFILES, at=st.integers(0, 40))
def test_nor_does_a_cancellation_at_any_moment(
    given_: dict[type, object], word: str, profile: str, at: int
) -> None:
    script = _script(given_, word)

    async def cancelled_after() -> None:
        task = asyncio.current_task()
        assert task is not None
        loop = asyncio.get_running_loop()

        def count(left: int) -> None:
            if left:
                loop.call_soon(count, left - 1)
            else:
                task.cancel()

        count(at)
        with contextlib.suppress(*RAISED):
            await drive_async(guarded(request(profile)), Late(script))
        while True:  # a cancellation that came too late lands here
            try:
                await asyncio.sleep(0)
            except asyncio.CancelledError:
                continue
            break

    asyncio.run(cancelled_after())
    if script.steps:
        judge(script, profile)


def test_a_cancelled_call_whose_effect_began_is_never_refused() -> None:
    for reply in ANSWERS:
        script = Script({Execute: reply})  # type: ignore[dict-item] -- hosts err
        raised = driven(script, "enforce/1")
        assert raised is None or raised is reply
        if isinstance(reply, asyncio.CancelledError | KeyboardInterrupt):
            assert isinstance(script.outcomes[0], Unknown)
        judge(script, "enforce/1")
