"""A receipt looked at by itself: what was decided about what, by whom, and whether that holds.

Offline, with a keyring and nothing else. Reads a DSSE envelope, or the receipt of the N-th guarded
call of a recording, with what the recording tells of that call.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final, Literal, TypeAlias

import msgspec

from groundwire.attest.envelope import signer_named
from groundwire.attest.receipts import inspect_receipt, read_receipt
from groundwire.audit.guarding.calls import GuardedCall, envelope_in, guarded_calls
from groundwire.audit.replay import replay
from groundwire.documents.entry import Envelope
from groundwire.documents.event import Ended, Guarded
from groundwire.documents.receipt import Approved, Receipt
from groundwire.errors import EncodingError, TrustError
from groundwire.keys.keyring import Keyring
from groundwire.keys.times import parse_time
from groundwire.recording.reader import Reader

LARGEST: Final = 24 * 1024 * 1024
_DIGITS: Final = 15

Standing: TypeAlias = Literal["holds", "does-not-hold", "undecided"]
Window: TypeAlias = Literal["now", "over", "to-come"]

DOES_NOT_PROVE: Final = (
    "that the change was made, or only once: grant, attestation and recording say that",
    "that the tool did nothing else, or that nothing happened beside the guard",
    "that the decision was wise, or that the policy it names is a good one",
    "that the clock of the authority was right",
)


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """A receipt and what this keyring says of it.

    `reason` is empty where it holds: else why the signature does not count (`retired-key`,
    `revoked-key`, `unknown-signer`, …). `window`: whether it could still permit something `now`; a
    receipt of the past holds as a receipt of the past. `custody` is the keyring's word on the key.
    """

    standing: Standing
    reason: str
    message: str
    window: Window
    digest: str
    signer: str
    custody: str
    receipt: Receipt
    call: GuardedCall | None = None
    does_not_prove: tuple[str, ...] = DOES_NOT_PROVE


def envelope_of_file(data: bytes, name: str) -> Envelope:
    """The envelope that a file holds: JSON in any spelling, as other tools may have written it.

    Raises:
        EncodingError: `not-an-envelope`.
    """
    try:
        return msgspec.json.decode(data, type=Envelope)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise EncodingError(
            "not-an-envelope",
            f"{name} is no DSSE envelope; give the envelope of a receipt, or RUN#N for the N-th "
            "guarded call of a recording.",
        ) from error


def recorded_call(reader: Reader, number: int) -> tuple[Envelope, GuardedCall]:
    """The receipt of this guarded call of a recording, and what became of the call.

    Of one that a person allowed the receipt that says so.

    Raises:
        EncodingError: `no-such-guarded-call`; `no-receipt`: nothing was decided about it, or its
            receipt is not in the recording any more.
    """
    events = [event for event in replay(reader) if isinstance(event, Guarded | Ended)]
    calls = guarded_calls(events)
    call = next((each for each in calls if each.number == number), None)
    if call is None:
        numbers = [each.number for each in calls]
        there = f"they are #{min(numbers)} to #{max(numbers)}" if numbers else "it has none at all"
        raise EncodingError(
            "no-such-guarded-call", f"The recording has no guarded call {number}; {there}."
        )
    held: Envelope | None = None
    for event in events:
        if not isinstance(event, Guarded) or event.guarded != number:
            continue
        if event.state in ("decided", "approved"):
            held = envelope_in(event.document) or held
    if held is not None:
        return held, call
    why = f"it is {call.gone}" if call.gone else f"the call was {call.outcome or 'never decided'}"
    raise EncodingError(
        "no-receipt", f"The recording has no receipt of guarded call {number}: {why}."
    )


def judge_receipt(
    envelope: Envelope, keyring: Keyring, now: datetime, call: GuardedCall | None = None
) -> Judged:
    """What the keyring says of the receipt. Permits nothing, whatever it says.

    Raises:
        EncodingError: the envelope holds no receipt in its one spelling.
        TrustError: `identity-mismatch`.
    """
    receipt, digest = inspect_receipt(envelope)
    standing: Standing = "holds"
    reason = message = ""
    try:
        read_receipt(envelope, keyring)
    except TrustError as error:
        standing = "undecided" if error.reason == "unknown-signer" else "does-not-hold"
        reason, message = error.reason, error.message
    signer = signer_named(envelope)
    key = keyring.find(signer)
    return Judged(
        standing=standing,
        reason=reason,
        message=message,
        window=_window(receipt, now),
        digest=digest,
        signer=signer,
        custody="unknown" if key is None else key.custody,
        receipt=receipt,
        call=call,
    )


def _approval_line(approved: Approved) -> str:
    """Who allowed it, by the receipt; that the approval holds is looked at with the receipt."""
    if approved.shown:
        return f"  approved by:    {approved.approver}, who was shown {approved.shown}"
    return (
        f"  approved by:    {approved.approver} beforehand, use {approved.use} of {approved.uses}"
    )


def run_and_number(text: str) -> tuple[str, int] | None:
    """The recording and the number in `RUN#N`; None where the text is none such."""
    path, mark, number = text.rpartition("#")
    if mark and number.isascii() and number.isdigit() and len(number) <= _DIGITS:
        return path, int(number)
    return None


def _window(receipt: Receipt, now: datetime) -> Window:
    if now < parse_time(receipt.issued):
        return "to-come"
    return "over" if now >= parse_time(receipt.expires) else "now"


def judged_lines(judged: Judged) -> Iterator[str]:
    """The receipt in lines: what was decided about what, by whom, and what it does not prove."""
    receipt, asked = judged.receipt, judged.receipt.asked
    yield f"{judged.standing}  receipt {judged.digest}"
    if judged.reason:
        yield f"  why:            {judged.message} ({judged.reason})"
    yield f"  decision:       {receipt.decision}, by {', '.join(receipt.rules)}"
    yield from map(_approval_line, receipt.approvals)
    yield f"  residuals:      {', '.join(receipt.residuals) or 'none was found'}"
    yield f"  about:          {asked.operation} in {asked.environment}, call {asked.call}"
    for change in asked.changes:
        to = f" to {change.to.path}" if change.to else ""
        yield f"  change:         {change.kind} {change.name.path}{to} in {change.name.root}"
        yield f"                  before {change.before or 'absent'}, after {change.after or 'absent'}"
    yield f"  for:            {asked.audience}, run {asked.run}, guarded call {asked.sequence}"
    yield f"  policy:         {asked.policy}"
    yield f"  decided by:     {judged.signer} (custody: {judged.custody})"
    engines = ", ".join(f"{name} {version}" for name, version in sorted(receipt.engines.items()))
    if engines:
        yield f"  judged with:    {engines}"
    yield f"  good:           from {receipt.issued} until before {receipt.expires}: {_good_words(judged)}"
    if judged.call is None:
        yield f"  closing:        {_ALONE}"
    yield "  does not prove: " + "; ".join(judged.does_not_prove) + "."


def _good_words(judged: Judged) -> str:
    """What the receipt is good for now: by what it decides, what became of its call, and the time."""
    receipt, call = judged.receipt, judged.call
    if receipt.decision == "deny":
        return "it denies, and permits nothing"
    if receipt.decision == "approve":
        return "it permits nothing by itself: a person has to be asked, and their yes is another receipt"
    if call is not None and call.outcome:
        became = "was begun" if call.intent_alone else f"has ended ({call.outcome})"
        return f"its call {became}; it permits nothing more"
    return _GOOD[judged.window]


_ALONE: Final = (
    "not in a receipt: whether it was begun, ended and attested by its executor is in the recording;"
    " RUN#N shows it"
)
_GOOD: Final[dict[Window, str]] = {
    "now": "it could still be used, by whom it is for",
    "over": "expired; it permits nothing any more",
    "to-come": "not yet valid; look at the clocks",
}
