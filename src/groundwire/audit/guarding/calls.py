"""Guarded calls as records: what was decided of each, by which rules, and what became of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Literal, TypeAlias

import msgspec

from groundwire.attest.grants import inspect_attestation
from groundwire.attest.receipts import inspect_receipt
from groundwire.documents.canonical import decode
from groundwire.documents.decision import Word
from groundwire.documents.entry import Envelope
from groundwire.documents.event import Ended, Event, Guarded
from groundwire.documents.grant import Sighting
from groundwire.documents.notice import DeliveryState, Notified
from groundwire.documents.outcome import Executed, Outcome, Passed, Refused, Rejudged, Unknown
from groundwire.documents.profile import Fact
from groundwire.documents.receipt import Receipt, Touched
from groundwire.documents.verdict import GuardedCount
from groundwire.errors import EncodingError, TrustError

Became: TypeAlias = Literal["", "executed", "passed", "refused", "unknown"]
Lack: TypeAlias = Literal["no-intent", "no-outcome", "unattested"]
"""What should stand beside a call's other entries and does not. None of them is tampering."""


class GuardedCall(msgspec.Struct, frozen=True, kw_only=True):
    """One guarded call, by what the recording tells of it; whether that holds the verifier says.

    `outcome` is empty where nothing is recorded after the receipt: then nothing was begun.
    `intent_alone`: it was begun and no outcome stands, so `outcome` is `unknown`. Where a late
    outcome came, `before_late` is the one that it takes the place of. `attested` is what the
    executor signed, `observed` what was seen at each target after the effect, `second` what was said of
    what really stands there after a drift. `decision` and `rules`
    are of the receipt; without one `rules` are those of the refusal. `residuals` is every fact that the
    receipt says weakens it. `requested`: a person was asked; `approvers` are the keys that said yes. `notice` is
    what the notice of a warning came to, at the worst of its sinks: `acknowledged` never says that a
    person saw it. `lacking` names what should stand there and does not, as far as the
    recording goes; `run_ended` says whether that is the run's end. `gone` says why a document is
    not there.
    """

    number: int
    name: str
    call_id: str
    lane: int | None
    exchange: int | None
    link: Literal["id", "only", "unlinked"]
    step: int
    at: str
    decision: Word | Literal[""] = ""
    rules: tuple[str, ...] = ()
    residuals: tuple[Fact, ...] = ()
    requested: bool = False
    approvers: tuple[str, ...] = ()
    notice: DeliveryState | Literal[""] = ""
    environment: str = ""
    operation: str = ""
    changes: tuple[Touched, ...] = ()
    expires: str = ""
    outcome: Became = ""
    reason: str = ""
    intent_alone: bool = False
    before_late: Became = ""
    attested: str = ""
    second: Word | Literal[""] = ""
    observed: tuple[Sighting, ...] = ()
    lacking: tuple[Lack, ...] = ()
    run_ended: bool = False
    gone: str = ""


class GuardedCalls:
    """Folds the events of a run; others than `Guarded` and `Ended` change nothing."""

    def __init__(self) -> None:
        self._calls: dict[int, GuardedCall] = {}
        self._states: dict[int, set[str]] = {}
        self._ended = False

    def see(self, event: Event) -> None:
        """The event is part of the run."""
        if isinstance(event, Ended):
            self._ended = True
        if not isinstance(event, Guarded):
            return
        call = self._calls.get(event.guarded)
        if call is None:
            call = GuardedCall(
                number=event.guarded,
                name=event.name,
                call_id=event.call_id,
                lane=event.lane,
                exchange=event.exchange,
                link=event.link,
                step=event.step,
                at=event.at,
            )
        if event.gone:
            call = msgspec.structs.replace(call, gone=event.gone)
        self._calls[event.guarded] = _after(call, event)
        self._states.setdefault(event.guarded, set()).add(event.state)

    def calls(self) -> tuple[GuardedCall, ...]:
        """Every call so far, by number."""
        return tuple(self._told(self._calls[number]) for number in sorted(self._calls))

    def _told(self, call: GuardedCall) -> GuardedCall:
        lacking = tuple(_lacking(call, self._states[call.number]))
        return msgspec.structs.replace(call, lacking=lacking, run_ended=self._ended)


def guarded_calls(events: Iterable[Event]) -> tuple[GuardedCall, ...]:
    """The guarded calls of these events, by number."""
    folded = GuardedCalls()
    for event in events:
        folded.see(event)
    return folded.calls()


def count_of(calls: Iterable[GuardedCall]) -> GuardedCount:
    """How many there are of each outcome, as the verifier counts them."""
    every = tuple(calls)
    ended = [call.outcome for call in every]
    return GuardedCount(
        calls=len(every),
        executed=ended.count("executed"),
        passed=ended.count("passed"),
        refused=ended.count("refused"),
        unknown=ended.count("unknown"),
        intent_alone=sum(call.intent_alone for call in every),
        unattested=sum("unattested" in call.lacking for call in every),
        undecided=ended.count(""),
        unchecked=sum(bool(call.gone) for call in every),
    )


def _after(call: GuardedCall, event: Guarded) -> GuardedCall:
    match event.state:
        case "decided":
            receipt = receipt_in(event.document)
            return call if receipt is None else _decided(call, receipt)
        case "requested":
            return msgspec.structs.replace(call, requested=True)
        case "approved":
            receipt = receipt_in(event.document)
            return call if receipt is None else _approved(call, receipt)
        case "noticed":
            notified = _notified_in(event.document)
            return msgspec.structs.replace(call, notice=notified.state if notified else "")
        case "intent":
            return msgspec.structs.replace(call, outcome="unknown", intent_alone=True)
        case "outcome":
            outcome = _outcome_in(event.document)
            return msgspec.structs.replace(
                call,
                outcome=event.outcome,
                reason=event.reason,
                intent_alone=False,
                before_late=call.outcome if event.late else "",
                observed=outcome.observed if isinstance(outcome, Executed | Unknown) else (),
                rules=call.rules or (outcome.rules if isinstance(outcome, Refused) else ()),
            )
        case "rejudged":
            again = _rejudged_in(event.document)
            return call if again is None else msgspec.structs.replace(call, second=again.decision)
        case "attested":
            return msgspec.structs.replace(call, attested=_attested(event.document))


def _lacking(call: GuardedCall, states: Collection[str]) -> Iterator[Lack]:
    """What is missing, of a call whose effect may stand.

    One whose beginning stands in a segment that is not here lacks no intent; one that was refused
    may never have had a grant to attest.
    """
    if call.intent_alone:
        yield "no-outcome"
    elif call.outcome in ("executed", "unknown"):
        if "decided" in states and "intent" not in states:
            yield "no-intent"
        if "attested" not in states:
            yield "unattested"


def _decided(call: GuardedCall, receipt: Receipt) -> GuardedCall:
    return msgspec.structs.replace(
        call,
        decision=receipt.decision,
        rules=receipt.rules,
        residuals=receipt.residuals,
        environment=receipt.asked.environment,
        operation=receipt.asked.operation,
        changes=receipt.asked.changes,
        expires=receipt.expires,
    )


def _approved(call: GuardedCall, receipt: Receipt) -> GuardedCall:
    approvers = tuple(each.approver for each in receipt.approvals)
    return msgspec.structs.replace(call, approvers=approvers, expires=receipt.expires)


def receipt_in(document: str | None) -> Receipt | None:
    """The receipt that a `decided` document spells, whoever signed it; None where it spells none."""
    envelope = envelope_in(document)
    try:
        return None if envelope is None else inspect_receipt(envelope)[0]
    except (EncodingError, TrustError):
        return None


def envelope_in(document: str | None) -> Envelope | None:
    """The envelope that a document spells; None where it spells none."""
    try:
        return None if document is None else decode(document.encode(), Envelope)
    except EncodingError:
        return None


def _notified_in(document: str | None) -> Notified | None:
    try:
        return None if document is None else decode(document.encode(), Notified)
    except EncodingError:
        return None


def _rejudged_in(document: str | None) -> Rejudged | None:
    try:
        return None if document is None else decode(document.encode(), Rejudged)
    except EncodingError:
        return None


def _outcome_in(document: str | None) -> Outcome | None:
    kinds: tuple[type[Outcome], ...] = (Executed, Passed, Refused, Unknown)
    for kind in kinds:
        try:
            return None if document is None else decode(document.encode(), kind)
        except EncodingError:
            continue
    return None


def _attested(document: str | None) -> str:
    envelope = envelope_in(document)
    try:
        return "" if envelope is None else inspect_attestation(envelope).outcome
    except (EncodingError, TrustError):
        return ""
