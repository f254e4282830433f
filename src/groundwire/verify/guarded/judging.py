"""Judging: whether each effect that a recording tells of was permitted by a receipt it holds.

docs/reference/recording-format.md, Guarded calls. Reads signed documents and nothing of the world:
that an effect was permitted does not say that it stands, and a refusal not that nothing was done
beside groundwire.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Final, Literal, TypeAlias, TypeVar, assert_never

import msgspec

from groundwire.attest.grants import inspect_attestation, read_attestation
from groundwire.attest.people.approvals import NO_APPROVAL, REQUESTS
from groundwire.attest.receipts import inspect_receipt, read_receipt
from groundwire.documents.approval import subject_of
from groundwire.documents.canonical import decode
from groundwire.documents.entry import Envelope, GuardedEntry
from groundwire.documents.notice import Notified
from groundwire.documents.outcome import (
    Executed,
    Intent,
    Outcome,
    Passed,
    Refused,
    Rejudged,
    Unknown,
)
from groundwire.documents.receipt import Receipt
from groundwire.documents.verdict import GuardedCount
from groundwire.errors import EncodingError, TrustError
from groundwire.keys.keyring import Keyring
from groundwire.verify.guarded.approved import UsedApprovals
from groundwire.verify.guarded.noticing import require_notice_of
from groundwire.verify.guarded.telling import Told
from groundwire.verify.words import Broken, located

Document = TypeVar("Document")
_Doubt: TypeAlias = Literal["authority-unknown", "receipt-expired"]


class Guarding(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the guarded calls, as far as it is known; and what does not hold, if anything.

    `failure` is the first thing that is broken, `doubt` the first that nobody can decide.
    """

    count: GuardedCount
    failure: Broken | None
    doubt: Broken | None


def judge(
    told: Sequence[Told],
    before: Sequence[Told],
    run: str,
    keyring: Keyring,
    anchored_at: str | None,
    *,
    whole: bool,
    goes_on: bool = False,
) -> Guarding:
    """The guarded calls of these entries of one segment, in order, and the first thing wrong.

    `before` are those of the segments before it, which are not judged again; calls that ended there
    are not counted. `whole`: nothing of the run stands before them. Otherwise a call whose
    beginning is not here is counted in `unchecked` and not judged by it. `goes_on`: the run does, in
    another segment, so what is missing here may stand there.

    That an outcome is not attested is counted and no fault: a death between the two does that, and
    whoever could take the attestation away could not do so without breaking the chain. Of a call that
    was refused nobody can say whether it had a grant to attest.
    """
    judging = _Judging(run, keyring, anchored_at, whole=whole)
    for each in before:
        try:
            judging.take(each)
        except (EncodingError, TrustError):
            break  # the segment that it stands in says so
    judging.doubts.clear()
    failure: Broken | None = None
    for each in told:
        try:
            judging.take(each)
        except (EncodingError, TrustError) as error:
            failure = located(error, each.line)
            break
    mine = {each.entry.guarded for each in told}
    return Guarding(
        count=judging.count(mine, goes_on=goes_on), failure=failure, doubt=judging.doubt()
    )


NOT_LOOKED_AT: Final = Guarding(count=GuardedCount(), failure=None, doubt=None)


class _Case:
    """One guarded call so far. `receipt` is None where it is not here to be read."""

    def __init__(self) -> None:
        self.states: list[str] = []
        self.receipt: Receipt | None = None
        self.digest = ""
        self.notice = ""
        self.outcome = ""
        self.attested = ""
        self.late = False
        self.unread = False


class _Judging:
    def __init__(self, run: str, keyring: Keyring, anchored_at: str | None, *, whole: bool) -> None:
        self.doubts: list[tuple[int, Broken]] = []
        self._run = run
        self._keyring = keyring
        self._anchored_at = anchored_at
        self._whole = whole
        self._cases: dict[int, _Case] = {}
        self._used = UsedApprovals()

    def take(self, told: Told) -> None:
        """Raises what the entry shows to be wrong."""
        entry = told.entry
        case = self._cases.setdefault(entry.guarded, _Case())
        if not case.states and entry.state not in ("decided", "outcome") and not self._whole:
            case.unread = True  # it began in a segment that is not here
            case.states.append("decided")
        _require_place(case, entry, whole=self._whole)
        case.states.append(entry.state)
        if entry.state == "outcome":
            case.outcome, case.late = entry.outcome, entry.late
        if "document" not in entry.holds:
            raise Broken("guarded-wrong", "A guarded call's entry has no document behind it.")
        if told.document is None:
            case.unread = True
            return
        self._read(case, told, told.document)

    def _read(self, case: _Case, told: Told, document: bytes) -> None:
        match told.entry.state:
            case "decided":
                self._decided(case, told, document)
            case "requested":
                self._requested(case, told, document)
            case "approved":
                self._approved(case, told, document)
            case "noticed":
                notified = _parsed(document, Notified)
                require_notice_of(notified, case.receipt, case.digest)
                case.notice = notified.state
            case "intent":
                self._intent(case, told, document)
            case "outcome":
                _outcome(case, told.entry, document)
                _require_as_attested(case)
            case "rejudged":
                _rejudged(case, document)
            case "attested":
                self._attested(case, told, document)
            case _:
                assert_never(told.entry.state)

    def doubt(self) -> Broken | None:
        """The first thing that nobody can decide; that an effect began late is none if it never did."""
        for number, doubt in self.doubts:
            if doubt.code != "receipt-expired" or self._cases[number].outcome != "refused":
                return doubt
        return None

    def count(self, mine: Container[int], *, goes_on: bool) -> GuardedCount:
        """How many of these calls there are of each outcome; an intent alone is an unknown one."""
        cases = [case for number, case in self._cases.items() if number in mine]
        alone = sum(not case.outcome and "intent" in case.states for case in cases)
        ended = [case.outcome for case in cases]
        effects = [case for case in cases if case.outcome in ("executed", "unknown")]
        unattested = sum("attested" not in case.states for case in effects)
        return GuardedCount(
            calls=len(cases),
            executed=ended.count("executed"),
            passed=ended.count("passed"),
            refused=ended.count("refused"),
            unknown=ended.count("unknown") + alone,
            intent_alone=alone,
            unattested=0 if goes_on else unattested,
            undecided=sum(not case.outcome and "intent" not in case.states for case in cases),
            unchecked=sum(case.unread for case in cases),
        )

    def _decided(self, case: _Case, told: Told, document: bytes) -> None:
        receipt, digest = self._receipt(told, document)
        if receipt.approvals:
            raise _unpermitted("was approved before anybody was asked")
        if receipt.asked.run != self._run:
            raise Broken("other-run", "The receipt of a guarded call is for another run.")
        if receipt.asked.sequence != told.entry.guarded:
            raise Broken("guarded-unpermitted", "A receipt stands with another call than its own.")
        if told.policies is not None and receipt.asked.policy not in told.policies:
            raise _unpermitted("was decided under another policy than the recording was made with")
        case.receipt, case.digest = receipt, digest

    def _receipt(self, told: Told, document: bytes) -> tuple[Receipt, str]:
        envelope = _parsed(document, Envelope)
        try:
            return read_receipt(envelope, self._keyring, self._anchored_at)
        except EncodingError as error:
            raise _malformed("receipt", error) from error
        except TrustError as error:
            if error.reason in NO_APPROVAL:
                raise _unpermitted(f"was approved by nobody who counts: {error.message}") from error
            self._require_stranger(error, told)
            return inspect_receipt(envelope)

    def _requested(self, case: _Case, told: Told, document: bytes) -> None:
        envelope = _parsed(document, Envelope)
        try:
            request = REQUESTS.read(envelope, self._keyring, self._anchored_at)[0]
        except EncodingError as error:
            raise _malformed("approval request", error) from error
        except TrustError as error:
            self._require_stranger(error, told)
            request = REQUESTS.inspect(envelope)[0]
        mine = request.asked if case.receipt is None else case.receipt.asked
        if subject_of(request.asked, request.action) != subject_of(mine, request.action):
            raise _unpermitted("was asked about as something else than it is")

    def _approved(self, case: _Case, told: Told, document: bytes) -> None:
        """What a person allowed is what was held: its own receipt takes the place of the first."""
        receipt, digest = self._receipt(told, document)
        self._used.take(receipt, case.receipt)
        case.receipt, case.digest = receipt, digest

    def _intent(self, case: _Case, told: Told, document: bytes) -> None:
        intent = _parsed(document, Intent)
        receipt = case.receipt
        if receipt is None:
            return
        if intent.receipt != case.digest or intent.asked != receipt.asked:
            raise _unpermitted("was begun for something else than its receipt permits")
        if receipt.decision not in ("allow", "warn"):
            raise _unpermitted(f"was begun though its receipt says {receipt.decision}")
        if receipt.decision == "warn" and "noticed" not in case.states:
            raise _unpermitted(
                "was begun before notice was given of it, which its receipt asks for"
            )
        if case.notice == "failed":
            raise _unpermitted("was begun though the notice of it was not taken")
        if told.entry.at >= receipt.expires:
            # The recorder's clock and the authority's may differ: nobody can say which was wrong.
            self._doubt(
                "receipt-expired",
                f"By the recording's clock an effect was begun at {told.entry.at}; its receipt was "
                f"good until {receipt.expires}.",
                told,
            )

    def _attested(self, case: _Case, told: Told, document: bytes) -> None:
        envelope = _parsed(document, Envelope)
        try:
            attestation = read_attestation(envelope, self._keyring, self._anchored_at)
        except EncodingError as error:
            raise _malformed("attestation", error) from error
        except TrustError as error:
            self._require_stranger(error, told)
            attestation = inspect_attestation(envelope)
        receipt = case.receipt
        if receipt is not None and (
            attestation.receipt != case.digest or attestation.call != receipt.asked.call
        ):
            raise Broken("guarded-wrong", "An executor attests another call than it stands with.")
        case.attested = attestation.outcome
        _require_as_attested(case)

    def _require_stranger(self, error: TrustError, told: Told) -> None:
        if error.reason != "unknown-signer":
            raise error
        self._doubt("authority-unknown", f"Who decided is not known: {error.message}", told)

    def _doubt(self, code: _Doubt, message: str, told: Told) -> None:
        self.doubts.append((told.entry.guarded, Broken(code, message, told.line)))


def _outcome(case: _Case, entry: GuardedEntry, document: bytes) -> None:
    outcome: Outcome
    reason, permitted = "", case.digest
    match entry.outcome:
        case "executed":
            outcome = _parsed(document, Executed)
            permitted = outcome.receipt
            if any(each.seen == "drift" or each.claim == "conflict" for each in outcome.observed):
                raise Broken(
                    "guarded-wrong",
                    "An effect is recorded as executed, and as seen to be something else.",
                )
        case "passed":
            outcome = _parsed(document, Passed)
            reason = outcome.reason
        case "refused":
            outcome = _parsed(document, Refused)
            reason = outcome.reason
        case "unknown":
            outcome = _parsed(document, Unknown)
            reason, permitted = outcome.reason, outcome.receipt
        case _:
            return  # an outcome without a word has no place: it was refused before
    if entry.reason != reason:
        raise Broken("guarded-wrong", "The entry of an outcome and its document say two things.")
    receipt = case.receipt
    if receipt is None:
        return
    if outcome.call != receipt.asked.call:
        raise _unpermitted("is recorded of another call than its receipt's")
    if permitted != case.digest:
        raise _unpermitted("is recorded under another receipt than its own")


def _require_as_attested(case: _Case) -> None:
    """Outcome and attestation say one thing, whichever of them stands first."""
    if case.outcome and case.attested not in ("", case.outcome):
        raise Broken(
            "guarded-wrong",
            f"The executor attests `{case.attested}` of a call that was recorded as "
            f"`{case.outcome}`.",
        )


def _rejudged(case: _Case, document: bytes) -> None:
    again = _parsed(document, Rejudged)
    receipt = case.receipt
    if receipt is None:
        return
    same = msgspec.structs.replace(again.asked, changes=receipt.asked.changes) == receipt.asked
    if again.receipt != case.digest or not same:
        raise Broken("guarded-wrong", "What was judged again is another call than it stands with.")


_AFTER: Final[dict[str, tuple[tuple[str, ...], ...]]] = {
    "decided": ((),),
    "requested": (("decided",),),
    "approved": (("decided",), ("decided", "requested")),
    "noticed": (("decided",),),
    "intent": tuple(
        ("decided", *more) for more in ((), ("noticed",), ("approved",), ("requested", "approved"))
    ),
}
"""What a call has come to before each state up to its intent."""


def _require_place(case: _Case, entry: GuardedEntry, *, whole: bool) -> None:
    """The state may follow those that the call has come to."""
    states = case.states
    if entry.state == "outcome" and entry.outcome in ("executed", "unknown"):
        if "decided" not in states and not whole:
            case.unread = True  # it began in a segment that is not here
        elif "decided" not in states or "intent" not in states:
            raise _unpermitted("is recorded with no receipt and no intent before it")
    match entry.state:
        case "decided" | "requested" | "approved" | "noticed" | "intent":
            fits = tuple(states) in _AFTER[entry.state]
        case "outcome" if entry.late:
            fits = states.count("outcome") == 1 or (not states and not whole)
        case "outcome":
            begun = "intent" in states
            fits = entry.outcome != "" and "outcome" not in states
            fits = fits and not (begun and entry.outcome == "passed")
        case "rejudged":
            unknown = case.outcome == "unknown" or (case.unread and "outcome" not in states)
            fits = unknown and "rejudged" not in states and "attested" not in states
        case "attested":
            fits = "decided" in states and "attested" not in states
        case _:
            assert_never(entry.state)
    if not fits:
        raise Broken(
            "guarded-wrong",
            f"A guarded call comes to `{entry.state}` where no guard records that.",
        )


def _parsed(document: bytes, kind: type[Document]) -> Document:
    try:
        return decode(document, kind)
    except EncodingError as error:
        raise Broken(
            "guarded-wrong",
            f"What stands behind a guarded call is no such document: {error.message}",
        ) from error


def _unpermitted(what: str) -> Broken:
    return Broken("guarded-unpermitted", f"The effect of a guarded call {what}.")


def _malformed(what: str, error: EncodingError) -> Broken:
    return Broken("envelope-malformed", f"The {what} of a guarded call: {error.message}")
