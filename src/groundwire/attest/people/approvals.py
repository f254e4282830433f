"""Requests, answers, approvals beforehand and their revocation: sealed, read, held to a receipt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise
from typing import Final, TypeAlias

from groundwire.attest.envelope import check_key_id
from groundwire.attest.payload import Subject
from groundwire.attest.people.form import Form
from groundwire.canon import digest
from groundwire.documents.approval import (
    Approval,
    ApprovalRequest,
    Revocation,
    Standing,
    subject_of,
)
from groundwire.documents.entry import Envelope
from groundwire.documents.receipt import Approved, Receipt, lifetime
from groundwire.errors import EncodingError, TrustError
from groundwire.keys.keyring import Keyring
from groundwire.keys.times import parse_time

Given: TypeAlias = Approval | Standing

NO_APPROVAL: Final = frozenset(
    {
        "self-approval",
        "approval-for-another",
        "approval-denied",
        "approval-expired",
        "approval-not-yet-valid",
    }
)
"""The reasons by which an approval whose signature counts is none of what it stands with."""

_ID: Final = re.compile(r"[0-9a-f]{32}")
_MOST_USES: Final = 1_000_000
LONGEST_STANDING: Final = 31
"""For so many days a standing approval is good at most."""


def check_approvals(receipt: Receipt) -> None:
    """What the receipt says of its approvals makes sense; nothing of it is opened.

    Raises:
        EncodingError: `bad-receipt`.
    """
    if not receipt.approvals:
        return
    if receipt.decision != "allow":
        raise EncodingError("bad-receipt", "A receipt with approvals allows what was approved.")
    if not all(left.approver < right.approver for left, right in pairwise(receipt.approvals)):
        raise EncodingError("bad-receipt", "A receipt lists its approvals by approver, each once.")
    for each in receipt.approvals:
        check_key_id(each.approver)
        if not 1 <= each.use <= each.uses:
            raise EncodingError("bad-receipt", "A use of an approval is counted from 1.")


def open_approvals(receipt: Receipt, keyring: Keyring, anchored_at: str | None = None) -> None:
    """Every approval that the receipt holds is by a trusted approver and was given for exactly this.

    Does not know whether as many have said yes as had to, nor how often an approval was used: that
    is the word of the authority. Of a standing one it cannot look at the tool and the arguments, of
    which a receipt holds a digest alone.

    Raises:
        EncodingError: a malformed envelope, statement or approval.
        TrustError: why a signature does not count; `self-approval`, `approval-for-another`,
            `approval-denied`, `approval-expired`, `approval-not-yet-valid`.
    """
    for approved in receipt.approvals:
        given = read_given(approved.envelope, keyring, anchored_at)[0]
        require_other_hands(given.approver, receipt.authority, keyring)
        _require_for(given, approved, receipt)


def read_given(
    envelope: Envelope, keyring: Keyring, anchored_at: str | None = None
) -> tuple[Given, str]:
    """An answer, or an approval beforehand, by a key that the keyring trusts to approve.

    Raises:
        EncodingError: a malformed envelope, statement or approval.
        TrustError: why the signature does not count.
    """
    try:
        return APPROVALS.read(envelope, keyring, anchored_at)
    except EncodingError as error:
        if error.reason != "wrong-predicate-type":
            raise
    return STANDINGS.read(envelope, keyring, anchored_at)


def require_other_hands(approver: str, authority: str, keyring: Keyring) -> None:
    """The approver's key is not one that whoever asks could use itself.

    By what the keyring says of its custody: that is the word of the keyring's owner.

    Raises:
        TrustError: `self-approval`.
    """
    key = keyring.find(approver)
    if approver == authority or key is None or key.custody == "in-process":
        raise TrustError(
            "self-approval",
            "The key that approves lies open to the process that asks, so it proves no person's yes;"
            " make one with `groundwire keys new --purpose approval`.",
        )


def _require_for(given: Given, approved: Approved, receipt: Receipt) -> None:
    if given.approver != approved.approver:
        raise TrustError("approval-for-another", "The approval is by another than it is listed of.")
    if isinstance(given, Approval):
        _require_answer(given, approved, receipt)
    else:
        _require_standing(given, approved, receipt)


def _require_answer(given: Approval, approved: Approved, receipt: Receipt) -> None:
    if given.answer != "granted":
        raise TrustError("approval-denied", "The person who was asked said no.")
    if given.subject != subject_of(receipt.asked, approved.action):
        raise TrustError(
            "approval-for-another", "The approval is for another call, or for other bytes."
        )
    if (given.shown, 1, 1) != (approved.shown, approved.use, approved.uses):
        raise TrustError(
            "approval-for-another",
            "The approver was shown something else, or said yes to one call.",
        )
    _require_time(given.at, given.expires, receipt.issued)


def _require_standing(given: Standing, approved: Approved, receipt: Receipt) -> None:
    asked = receipt.asked
    if asked.environment not in given.environments or asked.operation not in given.operations:
        raise TrustError(
            "approval-for-another",
            "The standing approval is for another operation or environment.",
        )
    if (approved.action, approved.shown, approved.uses) != ("", "", given.uses):
        raise TrustError(
            "approval-for-another", "The standing approval is for another number of calls."
        )
    _require_time(max(given.at, given.since), given.until, receipt.issued)


def _require_time(since: str, until: str, moment: str) -> None:
    if moment < since:
        raise TrustError(
            "approval-not-yet-valid",
            f"The approval is good from {since}, and was used at {moment}; check the clocks.",
        )
    if moment >= until:
        raise TrustError(
            "approval-expired",
            f"The approval was good until {until}, and was used at {moment}; ask again.",
        )


# --- what each must say to be one -----------------------------------------------------------


def _check_request(document: ApprovalRequest) -> None:
    _check_id(document.id, "bad-approval-request")
    _check_digest(document.action, "gw1:", "bad-approval-request")
    _check_digest(document.receipt, "sha256:", "bad-approval-request")
    _check_digest(document.shown, "gw1:", "bad-approval-request")
    for approver in document.approvers:
        check_key_id(approver)
    if not all(left < right for left, right in pairwise(document.approvers)):
        raise EncodingError("bad-approval-request", "Approvers are listed in order, each once.")
    if not 1 <= document.needed <= len(document.approvers):
        raise EncodingError(
            "bad-approval-request", "As many have to say yes as there are approvers, at most."
        )
    _check_length(
        document.issued,
        document.expires,
        timedelta(seconds=lifetime(document.asked.operation)),
        "bad-approval-request",
    )


def _check_approval(document: Approval) -> None:
    _check_digest(document.request, "sha256:", "bad-approval")
    _check_digest(document.shown, "gw1:", "bad-approval")
    _check_digest(document.subject, "gw1:", "bad-approval")
    _check_length(
        document.at, document.expires, timedelta(seconds=lifetime("deploy")), "bad-approval"
    )


def _check_standing(document: Standing) -> None:
    _check_id(document.id, "bad-standing-approval")
    parse_time(document.at)
    several: tuple[Sequence[str], ...] = (
        (document.tool,),
        document.effects,
        document.environments,
        document.operations,
    )
    for named in several:
        if not named or not all(named) or list(named) != sorted(set(named)):
            raise EncodingError(
                "bad-standing-approval",
                "A standing approval names a tool, effects, environments and operations, sorted.",
            )
    names = [each.name for each in document.arguments]
    if names != sorted(set(names)):
        raise EncodingError(
            "bad-standing-approval", "A standing approval names each argument once, in order."
        )
    if not 1 <= document.uses <= _MOST_USES:
        raise EncodingError(
            "bad-standing-approval", f"It is good for 1 to {_MOST_USES} calls, no more."
        )
    _check_length(
        document.since, document.until, timedelta(days=LONGEST_STANDING), "bad-standing-approval"
    )


def _check_revocation(document: Revocation) -> None:
    parse_time(document.at)
    _check_digest(document.standing, "sha256:", "bad-approval-revocation")


def _check_length(begin: str, end: str, most: timedelta, reason: str) -> None:
    if not timedelta(0) < parse_time(end) - parse_time(begin) <= most:
        raise EncodingError(reason, f"It must be good for over 0 and at most {most}.")


def _check_id(text: str, reason: str) -> None:
    if not _ID.fullmatch(text):
        raise EncodingError(reason, "An id is 32 lower-case hexadecimal digits.")


def _check_digest(text: str, prefix: str, reason: str) -> None:
    if not text.startswith(prefix):
        raise EncodingError(reason, f"A digest stands where one of kind {prefix} must stand.")
    digest.raw(text)


def _subject(name: str, text: str) -> tuple[Subject, ...]:
    return (Subject(name=name, digest={"sha256": digest.raw(text).hex()}),)


REQUESTS: Final = Form(
    ApprovalRequest,
    "authority",
    author=lambda document: document.authority,
    at=lambda document: document.issued,
    check=_check_request,
    subjects=lambda document: _subject("receipt", document.receipt),
)
APPROVALS: Final = Form(
    Approval,
    "approval",
    author=lambda document: document.approver,
    at=lambda document: document.at,
    check=_check_approval,
    subjects=lambda document: _subject("request", document.request),
)
STANDINGS: Final = Form(
    Standing,
    "approval",
    author=lambda document: document.approver,
    at=lambda document: document.at,
    check=_check_standing,
    subjects=lambda document: _subject("tool", digest.sha256(document.tool.encode())),
)
REVOCATIONS: Final = Form(
    Revocation,
    "approval",
    author=lambda document: document.approver,
    at=lambda document: document.at,
    check=_check_revocation,
    subjects=lambda document: _subject("standing approval", document.standing),
)
