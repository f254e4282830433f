"""Carrying: one call carried out, from its permit to the executor's word. The grant goes first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Literal

from groundwire.attest.grants import open_grant, seal_attestation
from groundwire.attest.receipts import Permit
from groundwire.documents.call import ToolCall, call_digest
from groundwire.documents.decision import Word
from groundwire.documents.entry import Envelope
from groundwire.documents.grant import Attestation, Grant, expected_by
from groundwire.documents.outcome import (
    Executed,
    Outcome,
    Passed,
    Refused,
    Rejudged,
    Unknown,
    UnknownReason,
)
from groundwire.documents.policy import ToolDeclaration
from groundwire.documents.question import Question, Ruling
from groundwire.documents.receipt import touched_by
from groundwire.documents.target import Change, Proposal, TargetName
from groundwire.errors import GroundwireError, GuardError, HostError
from groundwire.guard.drifted import about_what_became
from groundwire.guard.steps import Execute, NotWritten, Ran
from groundwire.keys.times import format_time
from groundwire.session.executions.wrapping import told_by_the_guard
from groundwire.session.guarding.guard import fresh_id
from groundwire.session.guarding.once.deed import DeedOf
from groundwire.session.guarding.tallies import RunGuard
from groundwire.session.guarding.ways.claimed.beside import BesideWay
from groundwire.session.guarding.ways.command import CommandWay
from groundwire.session.guarding.ways.git_refs import GitWay
from groundwire.session.guarding.ways.planned.way import PlanWay
from groundwire.session.guarding.ways.port import Way

_DRIFTED: Final[frozenset[UnknownReason]] = frozenset({"drift", "conflict"})


class Carrying:
    """What becomes of one permit. `grant` is the one that was consumed, None before."""

    def __init__(self, run: RunGuard, number: int, deed: DeedOf) -> None:
        self._run = run
        self._number = number
        self.deed = deed
        self._planned = False
        self.grant: Grant | None = None

    def consume(self, step: Execute, way: Way) -> NotWritten | None:
        """A grant of the permit, for exactly this call and these changes, is used; nothing is written.

        Where it cannot be, says so, and nothing was begun.
        """
        guard = self._run.guard
        try:
            standing, now, write = guard.keys(), guard.now(), fresh_id()
            executor, expected = standing.signer.key_id, expected_by(step.proposal)
            envelope = guard.authority().grant(step.permit, expected, executor, now, write)
            grant = open_grant(envelope, step.permit, executor, standing.keyring, now)
            _require_for(grant, step, expected, write)
            plan = way.plan(step.proposal, write)
            self._planned = plan is not None
            run = self._run.run.run_id
            beside = self.deed.beginning(grant.id)
            guard.state.grants().consume(grant, guard.now(), plan, run, self._number, beside)
        except GroundwireError as error:
            return NotWritten(error)
        self.grant = grant
        return None

    def write(self, step: Execute, way: Way) -> Ran | NotWritten:
        """Everything proposed stands, or nothing of it.

        Raises:
            HostError: `write-unsettled`: nobody can say.
        """
        if self.grant is None:
            return NotWritten(GuardError("grant-missing", "No grant was consumed for the write."))
        write = self.grant.id
        with self.deed.carried():
            return written(lambda: way.write(step.proposal, write))

    @contextmanager
    def within(self, call: ToolCall) -> Iterator[None]:
        """What the tool's own code does is of this call, and of the deed that it does."""
        own = self._run.run.for_call(call.id)
        with own, told_by_the_guard(call.name), self.deed.carried():
            yield

    def settle(self, outcome: Outcome) -> None:
        """What became of the write stands beside its plan, and of what is to be done once."""
        self.deed.settle(outcome)
        if self.grant is None or not self._planned:
            return
        match outcome:
            case Executed():
                self._run.guard.state.grants().settle(self.grant.id, "landed")
            case Refused():
                self._run.guard.state.grants().settle(self.grant.id, "not-landed")
            case _:
                self._run.guard.state.grants().settle(self.grant.id, "unknown")

    def interrupted(
        self, call: str, passed: tuple[ToolDeclaration | None, Ruling | None] | None
    ) -> Outcome:
        """What is said of a call that was given up between two steps: what began may stand.

        `passed` is the declaration of what was begun without a permit, and the ruling on it.
        """
        if self.grant is not None:
            return Unknown(
                call=call, error="", observed=(), reason="cancelled", receipt=self.grant.receipt
            )
        if passed is not None:
            declared, ruling = passed
            read = declared is not None and declared.effect == "read"
            would: Word = "deny" if ruling is None else ruling.decision.decision
            return Passed(
                because="",
                call=call,
                error="",
                reason="read" if read else "observe",
                would=None if read else would,
            )
        return Refused(call=call, reason="call-cancelled", rules=())

    def judge_again(
        self,
        asked: Question | None,
        way: Way | None,
        names: tuple[TargetName, ...],
        outcome: Outcome,
    ) -> tuple[Ruling, Rejudged] | None:
        """After a drift: what really stands there, judged as if it had been proposed.

        It allows nothing. None after another outcome, and where it cannot be read, or all stands as
        it was before: there is nothing to be said.
        """
        if asked is None or way is None or not isinstance(outcome, Unknown):
            return None
        if outcome.reason not in _DRIFTED:
            return None
        try:
            question = about_what_became(asked, way.read_state(names))
            if not question.proposal.changes:
                return None
            ruling = self._run.guard.authority().judge(question, self._run.guard.now())
        except GroundwireError:
            return None
        decision = ruling.decision
        return ruling, Rejudged(
            asked=question.asked,
            decision=decision.decision,
            receipt=outcome.receipt,
            rules=decision.rules,
        )

    def seal(self, outcome: Outcome, permit: Permit) -> Envelope | None:
        """The executor's word on what became of the grant; None where none was consumed."""
        if self.grant is None:
            return None
        signer = self._run.guard.keys().signer
        said = Attestation(
            # A clock that was set back must not date the word before the grant it is about.
            at=max(format_time(self._run.guard.now()), self.grant.issued),
            call=self.grant.call,
            executor=self.grant.executor,
            grant=self.grant.id,
            observed=outcome.observed if isinstance(outcome, Executed | Unknown) else (),
            outcome=_word(outcome),
            receipt=permit.digest,
        )
        return seal_attestation(said, signer)


def measured_of(way: Way) -> dict[str, str]:
    """How far a program got here that tried to get out of what the command ran in; of no other call."""
    if isinstance(way, BesideWay):
        return measured_of(way.inner)
    if isinstance(way, PlanWay):
        return way.measured
    return {"containment": way.containment} if isinstance(way, CommandWay) else {}


def history_of(way: Way, proposal: Proposal) -> tuple[Change, ...]:
    """What a command, or a commit, changes in a repository's history alone; of no other call."""
    own = way.inner if isinstance(way, BesideWay) else way
    return own.history(proposal) if isinstance(own, CommandWay | GitWay) else ()


def written(write: Callable[[], object]) -> Ran | NotWritten:
    """What groundwire's own write gave back, or why nothing of it stands.

    Raises:
        HostError: `write-unsettled`: nobody can say.
    """
    try:
        return Ran(write())
    except (GuardError, HostError) as error:
        if error.reason == "write-unsettled":
            raise
        return NotWritten(error)


def _word(outcome: Outcome) -> Literal["executed", "refused", "unknown"]:
    match outcome:
        case Executed():
            return "executed"
        case Refused():
            return "refused"
        case _:
            return "unknown"


def _require_for(grant: Grant, step: Execute, expected: tuple[str, ...], write: str) -> None:
    """The grant is the one that was asked for, and what is carried out is what was permitted.

    Raises:
        GuardError: `grant-for-another`.
    """
    same = (
        grant.id == write
        and grant.expected == expected
        and grant.changes == touched_by(step.proposal)
        and grant.call == call_digest(step.call)
    )
    if not same:
        raise GuardError(
            "grant-for-another",
            "What is to be carried out is not what was permitted; nothing was written.",
        )
