"""Approved calls in a verdict: what a person was asked and said has to be about the call it stands with."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import pytest

from groundwire.attest.people.approvals import APPROVALS, REQUESTS
from groundwire.attest.receipts import seal_receipt
from groundwire.canon.digest import sha256
from groundwire.canon.dsse import decode_base64
from groundwire.documents.approval import Approval, ApprovalRequest, subject_of
from groundwire.documents.canonical import encode
from groundwire.documents.event import Guarded
from groundwire.documents.outcome import Executed, Intent
from groundwire.documents.receipt import Approved, Receipt
from groundwire.documents.verdict import GuardedCount
from groundwire.keys.keyring import Keyring
from groundwire.keys.times import format_time
from tests.approving import ADA
from tests.guarded import AUTHORITY, Call, replace, trusting
from tests.recorders import START
from tests.unit.verify.test_guarded import judged

HELD = Call(decision="approve", rules=("default/governed",))
ACTION = "gw1:" + "a" * 64
SHOWN = "gw1:" + "5" * 64
END = format_time(START + timedelta(minutes=15))


def knowing() -> Keyring:
    """The keyring of the other tests, with Ada's key."""
    ring = trusting()
    return Keyring((*ring.keys, ADA.key()), ring.source)


def approved_receipt(**changes: Any) -> Receipt:
    yes = Approval(
        answer="granted", approver=ADA.signer.key_id, at=format_time(START), expires=END,
        request=sha256(b"request"), shown=SHOWN, subject=subject_of(HELD.asked, ACTION),
    )  # fmt: skip
    entry = Approved(
        action=ACTION,
        approver=ADA.signer.key_id, envelope=APPROVALS.seal(yes, ADA.signer), shown=SHOWN, use=1,
        uses=1,
    )  # fmt: skip
    return replace(HELD.receipt, **{"approvals": (entry,), "decision": "allow", **changes})


def approved(receipt: Receipt | None = None) -> Guarded:
    return HELD.said(
        "approved", encode(seal_receipt(receipt or approved_receipt(), AUTHORITY)).decode()
    )


def requested(**changes: Any) -> Guarded:
    request = ApprovalRequest(
        action=ACTION,
        approvers=(ADA.signer.key_id,), asked=HELD.asked, authority=AUTHORITY.key_id, expires=END,
        id="6" * 32, issued=format_time(START), needed=1, receipt=HELD.digest, shown=SHOWN,
    )  # fmt: skip
    envelope = REQUESTS.seal(replace(request, **changes), AUTHORITY)
    return HELD.said("requested", encode(envelope).decode())


def digest() -> str:

    return sha256(decode_base64(seal_receipt(approved_receipt(), AUTHORITY).payload))


def done() -> Iterable[Guarded]:
    """What comes once a person has allowed it."""
    yield HELD.said("intent", encode(Intent(asked=HELD.asked, receipt=digest())).decode())
    yield HELD.outcome(Executed(call=HELD.asked.call, error="", observed=(), receipt=digest()))
    yield HELD.attested(receipt=digest(), observed=())


def said(*told: Guarded) -> str:
    return judged(told, knowing()).reason


def test_a_call_that_a_person_allowed_holds() -> None:
    told = [HELD.decided(), requested(), approved(), *done()]
    assert said(*told) == "holds"
    assert judged(told, knowing()).guarded == GuardedCount(calls=1, executed=1)
    assert said(HELD.decided(), approved(), *done()) == "holds"


def test_a_request_that_serves_the_call_made_again_holds() -> None:
    earlier = requested(asked=replace(HELD.asked, sequence=7))
    assert said(HELD.decided(), earlier, approved(), *done()) == "holds"


def test_an_approver_whom_the_keyring_does_not_know_is_nobody_to_judge_by() -> None:
    verdict = judged([HELD.decided(), approved(), *done()], trusting())
    assert verdict.reason == "authority-unknown"


def test_attack_a_first_receipt_that_says_it_was_approved() -> None:
    own = HELD.decided(seal_receipt(approved_receipt(), AUTHORITY))
    assert said(own) == "guarded-unpermitted"


def test_attack_an_approval_by_nobody() -> None:
    assert said(HELD.decided(), approved(approved_receipt(approvals=()))) == "guarded-unpermitted"


def test_attack_an_approval_of_what_was_denied() -> None:
    denied = Call(decision="deny")
    told = denied.decided()
    assert said(told, approved()) == "guarded-unpermitted"


def test_attack_an_approval_of_another_call() -> None:
    other = replace(HELD.asked, sequence=1)
    assert said(HELD.decided(), approved(approved_receipt(asked=other))) == "guarded-unpermitted"


def test_attack_one_approval_under_two_calls() -> None:
    first = [HELD.decided(), approved(), *done()]
    again = [replace(each, guarded=1) for each in (HELD.decided(), approved())]
    other = replace(HELD.asked, sequence=1)
    held = seal_receipt(replace(HELD.receipt, asked=other), AUTHORITY)
    allowed = seal_receipt(approved_receipt(asked=other), AUTHORITY)
    again = [
        replace(each, document=encode(envelope).decode())
        for each, envelope in zip(again, (held, allowed), strict=True)
    ]
    assert said(*again) == "holds"
    assert said(*first, *again) == "guarded-unpermitted"


def test_attack_a_request_about_another_call() -> None:
    other = replace(HELD.asked, changes=())
    assert said(HELD.decided(), requested(asked=other)) == "guarded-unpermitted"


def test_attack_a_signature_by_a_key_that_lies_open() -> None:
    ring = trusting()
    open_key = Keyring((*ring.keys, ADA.key(custody="in-process")), ring.source)
    assert judged([HELD.decided(), approved()], open_key).reason == "guarded-unpermitted"


@pytest.mark.parametrize(
    "told",
    [
        (requested(),),
        (HELD.decided(), requested(), requested()),
        (HELD.decided(), approved(), approved()),
        (HELD.decided(), approved(), requested()),
    ],
)
def test_attack_states_that_no_guard_records(told: tuple[Guarded, ...]) -> None:
    assert said(*told) in {"guarded-wrong", "guarded-unpermitted"}


def test_attack_an_effect_that_was_asked_about_and_not_allowed() -> None:
    told = [HELD.decided(), requested(), HELD.intent(), HELD.executed(), HELD.attested()]
    assert said(*told) == "guarded-wrong"


def test_an_approved_document_that_is_no_receipt_is_malformed() -> None:
    assert said(HELD.decided(), HELD.said("approved", '{"a":1}')) == "guarded-wrong"
    assert said(HELD.decided(), HELD.said("requested", '{"a":1}')) == "guarded-wrong"
