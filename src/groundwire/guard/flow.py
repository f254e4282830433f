"""The order of a guarded call, once. A generator: it asks, the driver has the host answer.

detect, read state (T1), propose, preflight, open receipt, approve, recheck (T2), give notice (and recheck
again), record intent, execute, observe (T3), record outcome, seal result, acknowledge. Up to the recorded
intent any failure is `Refused`; from then on only the executor's own word that nothing stands is.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeAlias, TypeVar

from groundwire.attest.receipts import Held, Permit, require_permit
from groundwire.documents.call import call_digest
from groundwire.documents.decision import Word
from groundwire.documents.entry import Envelope
from groundwire.documents.grant import Sighting
from groundwire.documents.outcome import (
    Executed,
    Intent,
    Outcome,
    Passed,
    PassReason,
    Refused,
    Unknown,
    UnknownReason,
)
from groundwire.documents.receipt import Asked, touched_by
from groundwire.documents.target import Proposal, TargetName, is_declared
from groundwire.errors import GroundwireError, GuardError, HostError
from groundwire.guard.steps import (
    Acknowledge,
    Answer,
    Approve,
    AwaitTool,
    Decided,
    Denied,
    Detect,
    Execute,
    Failed,
    GiveNotice,
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
    Request,
    Sealed,
    SealResult,
    Settled,
    Step,
    Touches,
    Unmoved,
)

Flow: TypeAlias = Generator[Step, Answer, Settled]
Wanted = TypeVar("Wanted")


class _Stop(Exception):
    """Nothing is attempted; `reason` and `rules` say why. `final`: under no profile at all."""

    def __init__(self, reason: str, rules: tuple[str, ...] = (), *, final: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.rules = rules
        self.final = final


class _Judged:
    """What is known once a receipt has been opened: the question, the change, the answer."""

    __slots__ = ("answer", "asked", "proposal")

    def __init__(self, asked: Asked, proposal: Proposal, answer: Permit | Held) -> None:
        self.asked = asked
        self.proposal = proposal
        self.answer = answer


def guarded(request: Request) -> Flow:
    """The call has settled, in one of four ways, and its outcome was handed to be recorded.

    Never asks to `Execute` without a permit for exactly this call and change. Asks to `LetPass`
    only for a declared read, and under a profile that only observes.
    """
    try:
        call = call_digest(request.call)
    except GroundwireError as error:
        return (yield from _settle(Refused(call="", reason=error.reason, rules=()), None))
    try:
        touches = yield from _ask(Detect(request.call), Touches)
        if touches.effect == "read":
            return (yield from _pass(request, call, "read", None, ""))
        judged = yield from _judge(request, call, touches)
        if not request.profile.guards:
            would = yield from _observed(judged)
            return (yield from _pass(request, call, "observe", would, ""))
        permit = yield from _entitle(judged)
        yield from _recheck_and_tell(permit, judged.proposal)
        intent = Intent(asked=judged.asked, receipt=permit.digest)
        yield from _ask(RecordIntent(intent), Recorded)
    except _Stop as stop:
        if not request.profile.guards and not stop.final:
            return (yield from _pass(request, call, "observe", "deny", stop.reason))
        refused = Refused(call=call, reason=stop.reason, rules=stop.rules)
        return (yield from _settle(refused, None))
    return (yield from _carry_out(request, call, permit, judged.proposal))


def _judge(request: Request, call: str, touches: Touches) -> Generator[Step, Answer, _Judged]:
    read = yield from _ask(ReadState(touches.names), Readings)
    if tuple(reading.name for reading in read.readings) != touches.names:
        raise _stop(HostError("host-answer", "The host read other targets than it was asked to."))
    proposed = yield from _ask(Propose(request.call, read.readings), Proposed)
    proposal = proposed.proposal
    _require_read(proposal, touches)
    asked = Asked(
        audience=request.audience,
        call=call,
        changes=touched_by(proposal),
        environment=touches.environment,
        operation=touches.operation,
        policy=request.policy,
        run=request.run,
        sequence=request.sequence,
    )
    decided = yield from _ask(Preflight(asked, proposal, touches), Decided)
    answer = yield from _ask_either(OpenReceipt(asked, decided.envelope))
    if isinstance(answer, Permit):
        _require_permit(answer, asked)
    return _Judged(asked, proposal, answer)


def _entitle(judged: _Judged) -> Generator[Step, Answer, Permit]:
    answer = judged.answer
    if isinstance(answer, Permit):
        return answer
    rules = answer.receipt.rules
    if answer.receipt.decision != "approve":
        denied = GuardError("decision-denied", "The policy does not allow this; see the rules.")
        raise _stop(denied, rules)
    try:
        permit = yield from _ask(Approve(judged.asked, answer, judged.proposal), Permit)
    except _Stop as stop:
        raise _Stop(stop.reason, stop.rules or rules, final=stop.final) from stop
    _require_permit(permit, judged.asked)
    return permit


def _recheck_and_tell(permit: Permit, proposal: Proposal) -> Generator[Step, Answer, None]:
    """Nothing moved, and where a rule warns notice was given of it.

    Not of what has drifted already; and to give it takes time, so then it is looked once more.
    """
    yield from _ask(Recheck(proposal), Unmoved)
    if permit.receipt.decision == "warn":
        yield from _ask(GiveNotice(permit), Noticed)
        yield from _ask(Recheck(proposal), Unmoved)


def _observed(judged: _Judged) -> Generator[Step, Answer, Word]:
    """What would be decided. Of a warning notice is given here too, and holds nothing up."""
    if isinstance(judged.answer, Permit) and judged.answer.receipt.decision == "warn":
        try:
            yield from _ask(GiveNotice(judged.answer), Noticed)
        except _Stop as stop:
            if stop.final:
                raise
    return judged.answer.receipt.decision


def _carry_out(request: Request, call: str, permit: Permit, proposal: Proposal) -> Flow:
    """From the recorded intent on: whatever happens, an outcome is recorded."""
    ended = yield Execute(request.call, permit, proposal)
    if isinstance(ended, Failed) and ended.running:
        cancelled = _unknown(call, permit, "cancelled", ended.kind, ())
        yield RecordOutcome(late=False, outcome=cancelled)
        late = yield AwaitTool()
        return (yield from _conclude(call, permit, proposal, late, late=True))
    return (yield from _conclude(call, permit, proposal, ended, late=False))


def _conclude(call: str, permit: Permit, proposal: Proposal, ended: Answer, *, late: bool) -> Flow:
    if isinstance(ended, NotWritten):
        return (yield from _settle(_not_written(call, ended), permit, late=late))
    answer = yield Observe(proposal)
    observed = _sightings(answer, proposal, claimed=isinstance(ended, Ran))
    error = "" if isinstance(ended, Ran) else _kind(ended)
    reason = _doubt(ended, observed, _visible(proposal))
    outcome: Outcome
    if reason is None:
        outcome = Executed(call=call, error=error, observed=observed or (), receipt=permit.digest)
    else:
        outcome = _unknown(call, permit, reason, error, observed or ())
    value = ended.value if isinstance(ended, Ran) else None
    return (yield from _settle(outcome, permit, value, late=late))


def _not_written(call: str, ended: NotWritten) -> Refused:
    return Refused(call=call, reason=ended.error.reason, rules=())


def _doubt(
    ended: Answer, observed: tuple[Sighting, ...] | None, visible: set[TargetName]
) -> UnknownReason | None:
    """Why nobody can say that the effect stands as it was judged; None where one can."""
    if isinstance(ended, Failed) and ended.cancelled:
        return "cancelled"
    if any(sighting.claim == "conflict" for sighting in observed or ()):
        return "conflict"
    if any(sighting.seen == "drift" for sighting in observed or ()):
        return "drift"
    unseen = {each.name for each in observed or () if each.seen == "not-observed"}
    stands = observed is not None and len(visible) > 0 and not unseen & visible
    if not isinstance(ended, Ran):
        return None if stands else "tool-raised"
    return None if stands or not visible else "unobserved"


def _sightings(answer: Answer, proposal: Proposal, *, claimed: bool) -> tuple[Sighting, ...] | None:
    """What was seen, one sighting a change; None where the host could not look at all of them.

    Without `claimed` the tool did not end well, so the host claims nothing.
    """
    if not isinstance(answer, Observed):
        return None
    observed = tuple(
        Sighting(name=each.name, seen=each.seen, claim=each.claim if claimed else "none")
        for each in answer.observations
    )
    wanted = _visible(proposal)
    return observed if wanted <= {sighting.name for sighting in observed} else None


def _visible(proposal: Proposal) -> set[TargetName]:
    """Where the changes are to stand; without what is only the host's word, to which nobody can look."""
    names = {change.to or change.name for change in proposal.changes}
    return {name for name in names if not is_declared(name)}


def _pass(
    request: Request, call: str, reason: PassReason, would: Word | None, because: str
) -> Flow:
    ended = yield LetPass(request.call)
    if isinstance(ended, Failed) and ended.running:
        running = Passed(because=because, call=call, error=ended.kind, reason=reason, would=would)
        yield RecordOutcome(late=False, outcome=running)
        late = yield AwaitTool()
        return (yield from _passed(call, late, reason, would, because, late=True))
    return (yield from _passed(call, ended, reason, would, because, late=False))


def _passed(
    call: str, ended: Answer, reason: PassReason, would: Word | None, because: str, *, late: bool
) -> Flow:
    if isinstance(ended, NotWritten):
        return (yield from _settle(_not_written(call, ended), None, late=late))
    error = "" if isinstance(ended, Ran) else _kind(ended)
    outcome = Passed(because=because, call=call, error=error, reason=reason, would=would)
    value = ended.value if isinstance(ended, Ran) else None
    return (yield from _settle(outcome, None, value, late=late))


def _settle(
    outcome: Outcome, permit: Permit | None, value: object = None, *, late: bool = False
) -> Flow:
    recorded = yield RecordOutcome(late=late, outcome=outcome)
    envelope: Envelope | None = None
    if permit is not None:
        sealed = yield SealResult(outcome, permit)
        envelope = sealed.envelope if isinstance(sealed, Sealed) else None
        acknowledged = yield Acknowledge()
        recorded = recorded if isinstance(acknowledged, Recorded) else acknowledged
    return Settled(
        outcome=outcome,
        recorded=isinstance(recorded, Recorded),
        sealed=envelope,
        value=value,
    )


def _ask(step: Step, wanted: type[Wanted]) -> Generator[Step, Answer, Wanted]:
    """The host's answer, which is of the wanted type; everything else stops the call here."""
    answer = yield step
    if isinstance(answer, wanted):
        return answer
    raise _stopped(answer)


def _ask_either(step: OpenReceipt) -> Generator[Step, Answer, Permit | Held]:
    answer = yield step
    if isinstance(answer, Permit | Held):
        return answer
    raise _stopped(answer)


def _stopped(answer: Answer) -> _Stop:
    match answer:
        case Failed():
            return _Stop(answer.error.reason, final=answer.cancelled)
        case Denied():
            return _Stop(answer.error.reason, answer.rules, final=answer.final)
        case _:
            return _stop(
                HostError("host-answer", "The host answered with something else than was asked.")
            )


def _require_permit(permit: Permit, asked: Asked) -> None:
    try:
        require_permit(permit, asked)
    except GroundwireError as error:
        raise _stop(error) from error


def _require_read(proposal: Proposal, touches: Touches) -> None:
    """What is proposed changes no target that was not named and read."""
    named = set(touches.names)
    for change in proposal.changes:
        if change.name not in named or (change.to is not None and change.to not in named):
            raise _stop(
                GuardError("target-not-read", "A change is proposed to a target that was not read.")
            )


def _stop(error: GroundwireError, rules: tuple[str, ...] = ()) -> _Stop:
    return _Stop(error.reason, rules)


def _kind(answer: Answer) -> str:
    return answer.kind if isinstance(answer, Failed) else "host-answer"


def _unknown(
    call: str,
    permit: Permit,
    reason: UnknownReason,
    error: str,
    observed: tuple[Sighting, ...],
) -> Unknown:
    return Unknown(call=call, error=error, observed=observed, reason=reason, receipt=permit.digest)
