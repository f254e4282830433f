"""GuardHost: answers each step of one guarded call. What the steps mean stands in `guard/steps.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias, assert_never

from groundwire.attest.receipts import Held, Permit, open_receipt
from groundwire.authority.environments import Environment, environment_of
from groundwire.documents.call import ToolCall
from groundwire.documents.canonical import encode
from groundwire.documents.entry import Envelope
from groundwire.documents.outcome import Intent, Outcome, Rejudged
from groundwire.documents.policy import ToolDeclaration
from groundwire.documents.question import Question, Ruling
from groundwire.documents.receipt import TOOL_CALL
from groundwire.documents.target import Proposal, TargetName
from groundwire.errors import GroundwireError, GuardError
from groundwire.guard.holding import without_content
from groundwire.guard.steps import (
    Acknowledge,
    Answer,
    Approve,
    AwaitTool,
    Decided,
    Denied,
    Detect,
    Execute,
    InThread,
    LetPass,
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
    Touches,
    Unmoved,
)
from groundwire.session.executions.guarded_calls import GuardedState
from groundwire.session.guarding.carrying import Carrying, written
from groundwire.session.guarding.guard import fresh_id
from groundwire.session.guarding.once.deed import DeedOf
from groundwire.session.guarding.people.asking import Asking, Call
from groundwire.session.guarding.questioning import question_of
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
from groundwire.targets.stopping import Stop

Work: TypeAlias = Callable[[], object]
MakeWay: TypeAlias = Callable[[Arguments], Way]


class GuardHost:
    """One call's host. `work` runs the tool's own code; it has none where groundwire writes itself.

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
        self.outcome: Outcome | None = None
        self.recorded = False
        self.message = ""

    @property
    def number(self) -> int:
        """The number of the guarded call in its run."""
        return max(self._begun.number, 0)

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

    # -- before anything happens --------------------------------------------------------------

    def _detect(self) -> Touches | Denied:
        """Under no profile may a call pass of which it cannot be said what it would touch."""
        try:
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
        names = self._way.touches()
        guard.places().refuse_write(names)
        claimed = self._run.run.claimed_environment
        self._environment = environment_of(names, guard.rules, claimed)
        return Touches(
            effect=judged_as(self._way, declared.effect),
            environment=self._environment.name,
            names=names,
            operation=operation,
        )

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
        lacking = without_content(opened) if isinstance(opened, Held) else None
        return opened if lacking is None else lacking

    def _approve(self, step: Approve) -> Permit | Denied:
        """A person's word. The receipt of their yes takes the place of the one they were asked by."""
        if self._question is None or self.ruling is None:
            raise GuardError("host-answer", "It is not known what a person would be asked.")
        guard, call = (
            self._run.guard,
            Call(
                question=self._question,
                ruling=self.ruling,
                shown=self._shown,
                arguments=self.arguments,
            ),
        )
        asking = Asking(
            guard.desk(), guard.keys, guard.authority, self._record, self._still, self._stop
        )
        permit = asking.approve(step, call)
        self.receipt = asking.receipt or self.receipt
        return permit

    def _still(self) -> None:
        """A call that waits may go on waiting."""
        self._run.guard.require_policy_unchanged()

    def _recheck(self, step: Recheck) -> Unmoved:
        self._run.guard.require_policy_unchanged()
        self._run.guard.places().refuse_write(self.names)
        self.way.recheck(step.proposal)
        self._reaching.recheck(step.proposal)
        return Unmoved()

    # -- the effect ---------------------------------------------------------------------------

    def consume(self, step: Execute) -> NotWritten | None:
        """The grant of the step's permit is used; None: the tool's own code may run now."""
        refused = self._carrying.consume(step, self.way)
        return None if refused is None else self._not_written(refused)

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

    @contextmanager
    def within(self) -> Iterator[None]:
        """What the tool's own code does is of this call, and the guard tells of it."""
        self._started = True
        with self._carrying.within(self._call):
            yield

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

    def _record(
        self,
        state: GuardedState,
        document: Intent | Outcome | Rejudged | Envelope,
        *,
        durable: bool = False,
        of: Outcome | None = None,
        late: bool = False,
    ) -> None:
        text = encode(document).decode()
        said = self._begun.said(self._call.name, state, text, of, late=late)
        self._run.run.record_guarded(said, durable=durable)
