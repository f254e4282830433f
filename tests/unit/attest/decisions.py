"""Receipts, grants and attestations to test with, and a forger of them with a good key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import msgspec

from groundwire.attest.decided import Decided, subjects_of
from groundwire.attest.envelope import seal_payload
from groundwire.attest.payload import encode_payload
from groundwire.attest.receipts import Permit, open_receipt, seal_receipt
from groundwire.canon import jcs
from groundwire.canon.digest import sha256, tagged
from groundwire.documents.call import ToolCall, call_digest
from groundwire.documents.entry import Envelope
from groundwire.documents.grant import Attestation, Grant, Sighting
from groundwire.documents.receipt import Asked, Receipt, Touched
from groundwire.documents.target import TargetName
from groundwire.keys.keyring import Keyring
from groundwire.keys.signer import Signer
from tests.unit.keys.samples import IDENTITY, STRANGER, key_of, ring

ISSUED = "2026-03-01T12:00:00.000000Z"
EXPIRES = "2026-03-01T12:15:00.000000Z"
NOW = datetime(2026, 3, 1, 12, 5, tzinfo=UTC)

EXECUTOR = STRANGER
CALL = ToolCall(id="call-7", name="edit_spec", arguments='{"path":"api/openapi.yaml"}')
SPEC = TargetName(kind="files", root="/project", path="api/openapi.yaml")
CHANGED = Touched(
    after=sha256(b"after"), before=sha256(b"before"), kind="changed", mode=None, name=SPEC, to=None
)
ASKED = Asked(
    audience="this-host",
    call=call_digest(CALL),
    changes=(CHANGED,),
    environment="production",
    operation="tool_call",
    policy=tagged("policy", b"the policy in force"),
    run="run-a1",
    sequence=3,
)
RECEIPT = Receipt(
    approvals=(),
    asked=ASKED,
    authority=IDENTITY.key_id,
    decision="allow",
    engines={"files": "1"},
    expires=EXPIRES,
    issued=ISSUED,
    residuals=("environment-unknown", "non-atomic"),
    rules=("inside-the-folder",),
)
SEALED = seal_receipt(RECEIPT, IDENTITY)
AUTHORITY = key_of(purposes=("authority",))
KEYRING: Keyring = ring(AUTHORITY, key_of(EXECUTOR, purposes=("authority",)))


def permit(asked: Asked = ASKED) -> Permit:
    """A permit for this, opened as every permit is."""
    opened = open_receipt(
        seal_receipt(msgspec.structs.replace(RECEIPT, asked=asked), IDENTITY), asked, KEYRING, NOW
    )
    assert isinstance(opened, Permit)
    return opened


GRANT = Grant(
    authority=IDENTITY.key_id,
    call=ASKED.call,
    changes=ASKED.changes,
    executor=EXECUTOR.key_id,
    expected=(tagged("token", b"T1"),),
    expires=EXPIRES,
    id="0123456789abcdef" * 2,
    issued=ISSUED,
    receipt=permit().digest,
)
ATTESTATION = Attestation(
    at="2026-03-01T12:06:00.000000Z",
    call=ASKED.call,
    executor=EXECUTOR.key_id,
    grant=GRANT.id,
    observed=(Sighting(name=SPEC, seen="content-match", claim="none"),),
    outcome="executed",
    receipt=GRANT.receipt,
)


def forge(
    document: Decided,
    changes: Mapping[str, jcs.JSON],
    *,
    without: Sequence[str] = (),
    signer: Signer = IDENTITY,
) -> Envelope:
    """The document with these fields put differently, well signed; its subjects as they were."""
    statement = msgspec.json.decode(encode_payload(document, *subjects_of(document)))
    kept = {name: value for name, value in statement["predicate"].items() if name not in without}
    statement["predicate"] = kept | dict(changes)
    return seal_payload(jcs.encode(statement), signer)
