"""Before: what is asked of one guarded call until it is to be carried out: what it touches, what is decided."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from groundwire.attest.receipts import Held, Permit, open_receipt
from groundwire.authority.environments import Environment, environment_of
from groundwire.documents.call import ToolCall
from groundwire.documents.canonical import encode
from groundwire.documents.declaration import Effect
from groundwire.documents.entry import Envelope
from groundwire.documents.notice import Notified
from groundwire.documents.outcome import Intent, Outcome, Rejudged
from groundwire.documents.policy import ToolDeclaration
from groundwire.documents.question import Question, Ruling
from groundwire.documents.receipt import TOOL_CALL
from groundwire.documents.target import Proposal, TargetName
from groundwire.errors import GroundwireError, GuardError
from groundwire.guard.holding import without_content
from groundwire.guard.steps import (
    Approve,
    Decided,
    Denied,
    GiveNotice,
    Noticed,
    OpenReceipt,
    Preflight,
    Propose,
    Proposed,
    Recheck,
    Touches,
    Unmoved,
)
from groundwire.session.executions.guarded_calls import GuardedState
from groundwire.session.guarding.carrying import Carrying, history_of, measured_of
from groundwire.session.guarding.notices.giving import answer_of
from groundwire.session.guarding.once.deed import DeedOf
from groundwire.session.guarding.people.asking import Asking, Call
from groundwire.session.guarding.reaching.reaching import Reaching
from groundwire.session.guarding.tallies import RunGuard
from groundwire.session.guarding.ways.arguments import Arguments, arguments_of
from groundwire.session.guarding.ways.known import Mark
from groundwire.session.guarding.ways.looking import (
    Redactor,
    look_before_reading,
    redacted,
    require_stated,
)
from groundwire.session.guarding.ways.planned.way import judged_as
from groundwire.session.guarding.ways.port import Way
from groundwire.session.guarding.ways.sql import let_go_unless_permitted, work_of
from groundwire.targets.stopping import Stop

Work: TypeAlias = Callable[[], object]
MakeWay: TypeAlias = Callable[[Arguments], Way]


class Before:
    """The part of one call's host that comes before its effect. `work` runs the tool's own code; it has none where groundwire writes itself.

    `declared` None: no such tool is declared. `redact` makes the copy of the call that is recorded.
    `refused`: why the call is not to be carried out, whatever it says.
    """

    def __init__(
        self,
        run: RunGuard,
        declared: ToolDeclaration | None,
        call: ToolCall,
        make_way: MakeWay,
        work: Callable[[Arguments], Work] | None,
        redact: Redactor | None = None,
        refused: GroundwireError | None = None,
        stop: Stop | None = None,
    ) -> None:
        self._run = run
        self._stop = stop or Stop()
        self._declared = declared
        self._call = call
        self._shown = call
        self._begun = run.run.begin_guarded(call)
        self._make_way = make_way
        self._work = work
        self._redact = redact
        self._refused = refused
        self._way: Way | None = None
        self._reads: dict[str, Mark | None] = {}
        self._carrying = Carrying(run, self.number, DeedOf(run, declared, call))
        self._reaching = Reaching(run.guard)
        self._started = False
        self._touches: Touches | None = None
        self._question: Question | None = None
        self._environment: Environment | None = None
        self.arguments: Arguments = {}
        self.proposal: Proposal | None = None
        self.ruling: Ruling | None = None
        self.second: Ruling | None = None
        self.receipt: Envelope | None = None
        self.notified: Notified | None = None
        self.outcome: Outcome | None = None
        self.recorded = False
        self.message = ""
        self.request = ""

    @property
    def number(self) -> int:
        """The number of the guarded call in its run."""
        return max(self._begun.number, 0)

    @property
    def effect(self) -> Effect:
        """What is declared that the call does."""
        return "unstated" if self._declared is None else self._declared.effect

    @property
    def names(self) -> tuple[TargetName, ...]:
        """What the call touches, as far as that came to be known."""
        return self._touches.names if self._touches else ()

    @property
    def way(self) -> Way:
        """How the call is carried out. Raises `GuardError` before that is known."""
        if self._way is None:
            raise GuardError("host-answer", "It is not known yet what the call touches.")
        return self._way

    # -- before anything happens --------------------------------------------------------------

    def _detect(self) -> Touches | Denied:
        """Under no profile may a call pass of which it cannot be said what it would touch."""
        try:
            self._run.halting.refuse(self.effect)
            self._touches = self._touched(self._look())
        except GroundwireError as error:
            return Denied(error=error, final=True)
        return self._touches

    def _look(self) -> ToolDeclaration:
        """The tool's declaration, once the call can be read and shown.

        Raises:
            GuardError: `unknown-tool`, `undeclared-tool`, `redactor-failed`, or what the call says.
        """
        if self._refused is not None:
            raise self._refused
        if self._redact is not None:
            self._shown = redacted(self._redact, self._call)
        declared = require_stated(self._declared)
        self.arguments = self.arguments or arguments_of(self._call)
        return declared

    def _touched(self, declared: ToolDeclaration) -> Touches:
        operation = declared.operation or TOOL_CALL
        guard = self._run.guard
        if declared.effect == "read":
            self._reads = look_before_reading(
                declared,
                self.arguments,
                guard.places(),
                guard.folder,
                inside=bool(guard.rules.deny_read_kinds),
            )
            return Touches(effect="read", environment="", names=(), operation=operation)
        guard.require_policy_unchanged()
        self._way = self._make_way(self.arguments)
        touches, self._environment = touched(self._run, self._way, declared.effect, operation)
        return touches

    def _propose(self, step: Propose) -> Proposed:
        self.proposal = self.way.propose(step.readings)
        return Proposed(self.proposal)

    def _preflight(self, step: Preflight) -> Decided:
        question = question_of(self._run, self._call.name, self.way, self._environment, step)
        question = self._question = self._reaching.added(question)
        self._carrying.deed.require_free()
        guard = self._run.guard
        self.ruling, self.receipt = guard.authority().decide(question, guard.now())
        return Decided(self.receipt)

    def _open(self, step: OpenReceipt) -> Permit | Held | Denied:
        """What the receipt permits; it is recorded as decided once it was seen to hold.

        One that does not is no decision on this call: the reason of the refusal says what it was.
        """
        standing, now = self._run.guard.keys(), self._run.guard.now()
        opened = open_receipt(step.envelope, step.asked, standing.keyring, now)
        self._record("decided", step.envelope)
        let_go_unless_permitted(self._way, opened)
        lacking = without_content(opened) if isinstance(opened, Held) else None
        return opened if lacking is None else lacking

    def _approve(self, step: Approve) -> Permit | Denied:
        """A person's word. The receipt of their yes takes the place of the one they were asked by."""
        if self._question is None or self.ruling is None:
            raise GuardError("host-answer", "It is not known what a person would be asked.")
        guard, call = (
            self._run.guard,
            Call(
                call=self._call,
                question=self._question,
                ruling=self.ruling,
                shown=self._shown,
                arguments=self.arguments,
            ),
        )
        asking = Asking(
            guard.desk(),
            guard.keys,
            guard.authority,
            self._record,
            self._still,
            self._stop,
            lambda wanted: self._run.run.notify("approval", wanted),
        )
        try:
            return asking.approve(step, call)
        finally:
            self.request = asking.request
            self.receipt = asking.receipt or self.receipt

    def _still(self) -> None:
        """A call that waits may go on waiting."""
        self._run.guard.require_policy_unchanged()
        self._run.halting.refuse(self.effect)

    def _recheck(self, step: Recheck) -> Unmoved:
        self._run.guard.require_policy_unchanged()
        self._run.guard.places().refuse_write(self.names)
        self.way.recheck(step.proposal)
        self._reaching.recheck(step.proposal)
        return Unmoved()

    def _give_notice(self, step: GiveNotice) -> Noticed | Denied:
        """The notice stands in the recording, durable, with what each sink made of it."""
        self.notified = self._run.guard.notices.give(
            step.permit,
            self._run.run.notice_callbacks,
            lambda notified: self._record("noticed", notified, durable=True),
        )
        return answer_of(self.notified)

    def _record(
        self,
        state: GuardedState,
        document: Intent | Outcome | Rejudged | Envelope | Notified,
        *,
        durable: bool = False,
        of: Outcome | None = None,
        late: bool = False,
    ) -> None:
        text = encode(document).decode()
        said = self._begun.said(self._call.name, state, text, of, late=late)
        self._run.run.record_guarded(said, durable=durable)


def touched(run: RunGuard, way: Way, effect: Effect, operation: str) -> tuple[Touches, Environment]:
    """What a call touches that is declared with this effect, and where that lies.

    Raises: as the way; or why a target is one that nobody writes.
    """
    names = way.touches()
    run.guard.places().refuse_write(names)
    environment = environment_of(names, run.guard.rules, run.run.claimed_environment)
    touches = Touches(
        effect=judged_as(way, effect),
        environment=environment.name,
        names=names,
        operation=operation,
    )
    return touches, environment


def question_of(
    run: RunGuard, tool: str, way: Way, environment: Environment | None, step: Preflight
) -> Question:
    """The call, the change it would make, and what weakens what can be said of it.

    Raises: as the way.
    """
    facts = way.facts(step.proposal)
    return Question(
        asked=step.asked,
        caller=run.policy.agent,
        effect=step.touches.effect,
        facts=facts if environment is None else facts + environment.facts,
        history=history_of(way, step.proposal),
        lost=way.lost(step.proposal),
        profile=run.profile,
        proposal=step.proposal,
        tool=tool,
        measured=measured_of(way),
        work=work_of(way),
    )
