"""A receipt that holds approvals: each by other hands than the authority's, for exactly this."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from groundwire.attest.envelope import seal_payload
from groundwire.attest.payload import Subject, encode_payload
from groundwire.attest.people.approvals import (
    APPROVALS,
    REQUESTS,
    REVOCATIONS,
    STANDINGS,
    read_given,
)
from groundwire.attest.receipts import open_receipt, read_receipt, require_permit, seal_receipt
from groundwire.canon.digest import sha256
from groundwire.documents.approval import (
    Approval,
    ApprovalRequest,
    ArgumentPattern,
    Revocation,
    Standing,
    subject_of,
)
from groundwire.documents.receipt import Approved, Receipt
from groundwire.errors import EncodingError, GroundwireError, TrustError
from groundwire.keys.keyring import Key
from tests.approving import ADA, BEN
from tests.unit.attest.decisions import ASKED, EXECUTOR, EXPIRES, IDENTITY, ISSUED, NOW, RECEIPT
from tests.unit.keys.samples import key_of, ring

ACTION = "gw1:" + "a" * 64
SHOWN = "gw1:" + "5" * 64
AUTHORITY = key_of(purposes=("authority",))
KEYRING = ring(AUTHORITY, key_of(EXECUTOR, purposes=("authority",)), ADA.key(), BEN.key())
YES = Approval(
    answer="granted", approver=ADA.signer.key_id, at=ISSUED, expires=EXPIRES,
    request=sha256(b"request"), shown=SHOWN, subject=subject_of(ASKED, ACTION),
)  # fmt: skip
STANDS = Standing(
    approver=ADA.signer.key_id, arguments=(ArgumentPattern(name="path", pattern="docs/*"),),
    at=ISSUED, effects=("write",), environments=("production",), id="5" * 32,
    operations=("tool_call",), since=ISSUED, tool="edit_spec",
    until="2026-03-02T12:00:00.000000Z", uses=3,
)  # fmt: skip
REQUEST = ApprovalRequest(
    action=ACTION,
    approvers=tuple(sorted((ADA.signer.key_id, BEN.signer.key_id))), asked=ASKED,
    authority=IDENTITY.key_id, expires=EXPIRES, id="6" * 32, issued=ISSUED, needed=1,
    receipt=sha256(b"receipt"), shown=SHOWN,
)  # fmt: skip


def approved(yes: Approval = YES, *, person: Any = ADA, **changes: Any) -> Approved:
    envelope = APPROVALS.seal(yes, person.signer)
    entry = Approved(
        action=ACTION,
        approver=person.signer.key_id,
        envelope=envelope,
        shown=yes.shown,
        use=1,
        uses=1,
    )
    return msgspec.structs.replace(entry, **changes)


def standing(stands: Standing = STANDS, **changes: Any) -> Approved:
    envelope = STANDINGS.seal(stands, ADA.signer)
    entry = Approved(
        action="", approver=ADA.signer.key_id, envelope=envelope, shown="", use=2, uses=stands.uses
    )
    return msgspec.structs.replace(entry, **changes)


def sealed(*approvals: Approved, **changes: Any) -> Any:
    made = msgspec.structs.replace(RECEIPT, approvals=approvals, **changes)
    return seal_receipt(made, IDENTITY)


def yes(**changes: Any) -> Approval:
    return msgspec.structs.replace(YES, **changes)


def test_a_receipt_with_an_approval_that_holds_permits() -> None:
    permit = open_receipt(sealed(approved()), ASKED, KEYRING, NOW)
    assert require_permit(permit, ASKED).receipt.approvals == (approved(),)


def test_a_standing_approval_permits_and_says_which_use_it_is() -> None:
    permit = require_permit(open_receipt(sealed(standing()), ASKED, KEYRING, NOW), ASKED)
    assert (permit.receipt.approvals[0].use, permit.receipt.approvals[0].uses) == (2, 3)


def test_a_receipt_without_approvals_says_so() -> None:
    receipt: Receipt = read_receipt(sealed(), KEYRING)[0]
    assert receipt.approvals == ()


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (approved(yes(answer="denied")), "approval-denied"),
        (approved(yes(subject=subject_of(msgspec.structs.replace(ASKED, run="run-b2"), ACTION))), "approval-for-another"),
        (approved(yes(shown="gw1:" + "6" * 64), shown=SHOWN), "approval-for-another"),
        (approved(use=1, uses=2), "approval-for-another"),
        (approved(yes(at="2026-03-01T12:00:01.000000Z")), "approval-not-yet-valid"),
        (approved(yes(at="2026-03-01T11:50:00.000000Z", expires=ISSUED)), "approval-expired"),
        (approved(approver=BEN.signer.key_id), "approval-for-another"),
        (standing(uses=4), "approval-for-another"),
        (standing(shown=SHOWN), "approval-for-another"),
        (standing(action=ACTION), "approval-for-another"),
        (standing(msgspec.structs.replace(STANDS, environments=("staging",))), "approval-for-another"),
        (standing(msgspec.structs.replace(STANDS, operations=("deploy",))), "approval-for-another"),
        (standing(msgspec.structs.replace(STANDS, since="2026-03-01T12:00:01.000000Z")), "approval-not-yet-valid"),
        (standing(msgspec.structs.replace(STANDS, at="2026-03-01T12:00:01.000000Z")), "approval-not-yet-valid"),
        (standing(msgspec.structs.replace(STANDS, at="2026-02-01T12:00:00.000000Z", since="2026-02-01T12:00:00.000000Z", until=ISSUED)), "approval-expired"),
    ],
)  # fmt: skip
def test_an_approval_for_anything_else_permits_nothing(entry: Approved, reason: str) -> None:
    with pytest.raises(TrustError) as refused:
        open_receipt(sealed(entry), ASKED, KEYRING, NOW)
    assert refused.value.reason == reason


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        (ADA.key(custody="in-process"), "self-approval"),
        (ADA.key(purposes=("authority",)), "wrong-purpose"),
        (ADA.key(state="retired", retired_at=ISSUED), "retired-key"),
        (ADA.key(state="revoked", compromised_at=ISSUED), "revoked-key"),
        (None, "unknown-signer"),
    ],
)
def test_a_key_that_may_not_approve_permits_nothing(key: Key | None, reason: str) -> None:
    keyring = ring(AUTHORITY, *(() if key is None else (key,)))
    with pytest.raises(TrustError) as refused:
        open_receipt(sealed(approved()), ASKED, keyring, NOW)
    assert refused.value.reason == reason


def test_the_authority_cannot_approve_what_it_asks() -> None:
    own = msgspec.structs.replace(YES, approver=IDENTITY.key_id)
    entry = Approved(
        action=ACTION,
        approver=IDENTITY.key_id,
        envelope=APPROVALS.seal(own, IDENTITY),
        shown=SHOWN,
        use=1,
        uses=1,
    )
    keyring = ring(key_of(purposes=("authority", "approval"), custody="hardware"))
    with pytest.raises(TrustError) as refused:
        open_receipt(sealed(entry), ASKED, keyring, NOW)
    assert refused.value.reason == "self-approval"


@pytest.mark.parametrize(
    "changes",
    [
        {"decision": "approve"},
        {"decision": "deny"},
        {"approvals": (approved(), approved())},
        {"approvals": tuple(sorted((approved(), approved(yes(approver=BEN.signer.key_id), person=BEN)), key=lambda each: each.approver, reverse=True))},
        {"approvals": (approved(use=0),)},
        {"approvals": (approved(use=2),)},
        {"approvals": (approved(approver="ada"),)},
    ],
)  # fmt: skip
def test_a_receipt_whose_approvals_make_no_sense_is_none(changes: dict[str, Any]) -> None:
    made = msgspec.structs.replace(RECEIPT, **{"approvals": (approved(),), **changes})
    with pytest.raises(EncodingError) as refused:
        seal_receipt(made, IDENTITY)
    assert refused.value.reason in {"bad-receipt", "bad-key-id"}


@pytest.mark.parametrize(
    ("form", "document", "signer"),
    [
        (REQUESTS, REQUEST, IDENTITY),
        (APPROVALS, YES, ADA.signer),
        (STANDINGS, STANDS, ADA.signer),
        (REVOCATIONS, Revocation(approver=ADA.signer.key_id, at=ISSUED, standing=sha256(b"s")), ADA.signer),
    ],
)  # fmt: skip
def test_what_is_sealed_is_read_again_and_by_nobody_else(
    form: Any, document: Any, signer: Any
) -> None:
    envelope = form.seal(document, signer)
    assert form.read(envelope, KEYRING)[0] == document
    assert form.inspect(envelope)[0] == document
    with pytest.raises(TrustError):
        form.seal(document, BEN.signer)
    other = msgspec.structs.replace(envelope.signatures[0], keyid=BEN.signer.key_id)
    with pytest.raises(TrustError):
        form.read(msgspec.structs.replace(envelope, signatures=(other,)), KEYRING)
    with pytest.raises(EncodingError):
        read_given(REQUESTS.seal(REQUEST, IDENTITY), KEYRING)


@pytest.mark.parametrize(
    ("form", "document", "changes"),
    [
        (REQUESTS, REQUEST, {"id": "6" * 31}),
        (REQUESTS, REQUEST, {"needed": 0}),
        (REQUESTS, REQUEST, {"needed": 3}),
        (REQUESTS, REQUEST, {"approvers": ()}),
        (REQUESTS, REQUEST, {"approvers": REQUEST.approvers[::-1]}),
        (REQUESTS, REQUEST, {"expires": ISSUED}),
        (REQUESTS, REQUEST, {"expires": "2026-03-01T12:15:00.000001Z"}),
        (REQUESTS, REQUEST, {"shown": "shown"}),
        (APPROVALS, YES, {"answer": "yes"}),
        (APPROVALS, YES, {"expires": ISSUED}),
        (APPROVALS, YES, {"expires": "2026-03-01T16:00:00.000001Z"}),
        (APPROVALS, YES, {"expires": "never"}),
        (APPROVALS, YES, {"subject": sha256(b"")}),
        (STANDINGS, STANDS, {"uses": 0}),
        (STANDINGS, STANDS, {"uses": float("inf")}),
        (STANDINGS, STANDS, {"effects": ()}),
        (STANDINGS, STANDS, {"operations": ("",)}),
        (STANDINGS, STANDS, {"environments": ("b", "a")}),
        (STANDINGS, STANDS, {"tool": ""}),
        (STANDINGS, STANDS, {"arguments": STANDS.arguments * 2}),
        (STANDINGS, STANDS, {"until": "2026-04-01T12:00:00.000001Z"}),
        (STANDINGS, STANDS, {"until": STANDS.since}),
        (STANDINGS, STANDS, {"id": "?"}),
    ],
)
def test_what_makes_no_sense_is_not_sealed(form: Any, document: Any, changes: Any) -> None:
    signer = IDENTITY if form is REQUESTS else ADA.signer
    with pytest.raises(GroundwireError):
        form.seal(msgspec.structs.replace(document, **changes), signer)


def test_what_one_signs_in_anothers_name_is_nobodys() -> None:
    payload = encode_payload(YES, Subject(name="request", digest={"sha256": YES.request[7:]}))
    with pytest.raises(TrustError) as refused:
        APPROVALS.read(seal_payload(payload, BEN.signer), KEYRING)
    assert refused.value.reason == "identity-mismatch"


def test_a_yes_to_another_action_permits_nothing() -> None:
    with pytest.raises(TrustError) as refused:
        open_receipt(sealed(approved(action="gw1:" + "b" * 64)), ASKED, KEYRING, NOW)
    assert refused.value.reason == "approval-for-another"


def test_a_call_made_again_is_the_same_subject_and_other_bytes_are_not() -> None:
    again = msgspec.structs.replace(ASKED, sequence=9, call="gw1:" + "0" * 64)
    assert subject_of(ASKED, "gw1:" + "b" * 64) != subject_of(ASKED, ACTION)
    assert subject_of(again, ACTION) == subject_of(ASKED, ACTION)
    for changes in ({"changes": ()}, {"policy": "gw1:" + "0" * 64}):
        assert subject_of(msgspec.structs.replace(ASKED, **changes), ACTION) != subject_of(
            ASKED, ACTION
        )
