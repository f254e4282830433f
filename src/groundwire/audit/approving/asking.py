"""Asking: a request as it lies in a mailbox, held against a keyring: who asks, what, and what was said."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final, Literal, TypeAlias

import msgspec

from groundwire.attest.people.approvals import APPROVALS, REQUESTS
from groundwire.canon import jcs
from groundwire.canon.digest import tagged
from groundwire.documents.approval import (
    Approval,
    ApprovalRequest,
    Packet,
    shown_digest,
    subject_of,
)
from groundwire.documents.entry import Envelope
from groundwire.errors import EncodingError, GuardError, TrustError
from groundwire.keys.keyring import Keyring
from groundwire.keys.times import format_time

State: TypeAlias = Literal["pending", "granted", "denied", "expired", "untrusted"]

RunIs: TypeAlias = Literal["", "over", "stopped"]
"""Why no call of a request's run can use an answer; "" where nothing here says so."""

TYPED: Final = 8
"""So many characters of a digest a person types."""


class Asking(msgspec.Struct, frozen=True, kw_only=True):
    """One request and what goes with it. `digest` is the SHA-256 of its signed bytes.

    `reason` says why it cannot be granted, and `message` what to do; both are empty where the
    keyring bears it out. Else `request` and `packet` are None: it may be anybody's, and is not shown.
    """

    id: str
    digest: str
    request: ApprovalRequest | None
    packet: Packet | None
    reason: str
    message: str


class Trusted(msgspec.Struct, frozen=True, kw_only=True):
    """A request that can be answered, and exactly what has to be shown before."""

    digest: str
    request: ApprovalRequest
    packet: Packet


def judge(identity: str, envelope: Envelope, packet: Packet | None, keyring: Keyring) -> Asking:
    """The request that lies under this id, and whether it is one.

    Whoever could use the authority's key can make one that is. What it shows is held against what
    it asks as far as that can be told: the files' contents, and the call, are digests in it.
    """
    reason = message = digest = ""
    request: ApprovalRequest | None = None
    try:
        request, digest = REQUESTS.inspect(envelope)
        REQUESTS.read(envelope, keyring)
        _require_one(identity, request, packet)
    except (EncodingError, TrustError) as error:
        reason, message = error.reason, error.message
    return Asking(
        id=identity,
        digest=digest,
        request=None if reason else request,
        packet=None if reason else packet,
        reason=reason,
        message=message,
    )


def trusted(asking: Asking) -> Trusted:
    """What can be answered.

    Raises:
        TrustError: `approval-untrusted`: why it cannot.
    """
    if asking.request is None or asking.packet is None:
        raise TrustError(
            "approval-untrusted",
            f"Request {asking.id} is not one that can be answered: {asking.message}"
            f" ({asking.reason}). Make the call anew to ask again.",
        )
    return Trusted(digest=asking.digest, request=asking.request, packet=asking.packet)


def require_open(request: ApprovalRequest, now: datetime) -> None:
    """The request can be answered at this time.

    Raises:
        GuardError: `approval-expired`. TrustError: `approval-not-yet-valid`.
    """
    moment = format_time(now)
    if moment >= request.expires:
        raise GuardError(
            "approval-expired",
            f"Request {request.id} could be answered until {request.expires}, and it is {moment};"
            " nothing was answered. Make the call anew to ask again.",
        )
    if moment < request.issued:
        raise TrustError(
            "approval-not-yet-valid",
            f"Request {request.id} was made at {request.issued}, which is still to come; check the"
            " clocks.",
        )


def require_of_use(
    request: ApprovalRequest, *, used: bool, said: Iterable[Approval], run_is: RunIs
) -> None:
    """A yes to the request could still be used, as far as is known here.

    Not known is, for one, that the process of its run died without closing it.

    Raises:
        GuardError: `approval-used`, `approval-denied`, `stopped`, `approval-run-over`.
    """
    if used:
        raise GuardError(
            "approval-used",
            f"What request {request.id} asks was allowed and done already, once; nothing was answered.",
        )
    if any(each.answer == "denied" for each in said):
        raise GuardError(
            "approval-denied",
            f"Somebody who was asked said no to request {request.id}; nothing was answered. The call"
            " made anew once the request is over asks again.",
        )
    if run_is == "stopped":
        raise GuardError(
            "stopped",
            f"The run of request {request.id} is stopped; nothing was answered. `groundwire stop"
            " --list` shows what stops it; lift that first.",
        )
    if run_is == "over":
        raise GuardError(
            "approval-run-over",
            f"The run of request {request.id} was closed, and a yes counts in no other; nothing was"
            " answered. The call made in another run asks anew.",
        )


def require_approver(request: ApprovalRequest, key_id: str) -> None:
    """The key is one of those whose answer counts.

    Raises:
        TrustError: `approver-unknown`.
    """
    if key_id not in request.approvers:
        raise TrustError(
            "approver-unknown",
            f"{key_id} was not asked in request {request.id}: its answer would not count."
            f" Those that were: {', '.join(request.approvers)}.",
        )


def digest_to_type(digests: Iterable[str]) -> str:
    """The hex digits whose first `TYPED` a person types to answer all of these requests.

    Of one request its own digest, of several the tagged digest, domain `requests`, of all, sorted.
    """
    every = sorted(set(digests))
    whole = every[0] if len(every) == 1 else tagged("requests", jcs.encode(list(every)))
    return whole.partition(":")[2]


def require_typed(typed: str, digest: str) -> None:
    """What was typed is the beginning of the digest, as long as it has to be.

    Raises:
        GuardError: `digest-mistyped`.
    """
    if typed.strip().lower() != digest[:TYPED]:
        raise GuardError(
            "digest-mistyped",
            f"That is not how the digest begins; nothing was answered. Type its first {TYPED}"
            " characters, which are shown at the end.",
        )


def answer_of(given: Trusted, approver: str, *, granted: bool, now: datetime) -> Approval:
    """What the approver says to the request, to be signed. Does not look whether it is still open."""
    return Approval(
        answer="granted" if granted else "denied",
        approver=approver,
        at=format_time(now),
        expires=given.request.expires,
        request=given.digest,
        shown=given.request.shown,
        subject=subject_of(given.request.asked, given.request.action),
    )


def said_to(asking: Asking, answers: Iterable[Envelope], keyring: Keyring) -> tuple[Approval, ...]:
    """The answers to the request by those whom it asks, each signed by a key that may approve.

    Whether the policy names them still, and whether an answer is good now, only a call finds out.
    """
    request = asking.request
    found = []
    for envelope in answers:
        try:
            answer, _ = APPROVALS.read(envelope, keyring)
            if request is not None:
                require_to(answer, request, asking.digest)
                found.append(answer)
        except (EncodingError, TrustError):
            continue
    return tuple(found)


def require_to(answer: Approval, request: ApprovalRequest, digest: str) -> None:
    """The answer is to exactly this request, by somebody whom it asks.

    Raises:
        TrustError: `approver-unknown`, `approval-for-another`.
    """
    require_approver(request, answer.approver)
    said = (answer.request, answer.subject, answer.shown, answer.expires)
    if said != (digest, subject_of(request.asked, request.action), request.shown, request.expires):
        raise TrustError(
            "approval-for-another", f"The answer is to another request than {request.id}."
        )


def state_of(asking: Asking, said: Iterable[Approval], now: datetime) -> State:
    """What a list says of the request; a no outweighs every yes."""
    request = asking.request
    if request is None:
        return "untrusted"
    answers = tuple(said)
    if any(each.answer == "denied" for each in answers):
        return "denied"
    if len({each.approver for each in answers}) >= request.needed:
        return "granted"
    return "expired" if format_time(now) >= request.expires else "pending"


def _require_one(identity: str, request: ApprovalRequest, packet: Packet | None) -> None:
    if request.id != identity:
        raise TrustError(
            "approval-for-another", f"The request is {request.id} and lies under another id."
        )
    if packet is None:
        raise TrustError("packet-mismatch", "What is to be shown with it is not there.")
    asked = request.asked
    told = (packet.subject, packet.environment, packet.operation, packet.run)
    named = (subject_of(asked, request.action), asked.environment, asked.operation, asked.run)
    if shown_digest(packet) != request.shown or told != named:
        raise TrustError(
            "packet-mismatch", "What lies there to be shown is not what the request asks."
        )
    if len(packet.changes) < len(asked.changes):
        raise TrustError(
            "packet-mismatch", "Less is shown to change than what is asked for would change."
        )
