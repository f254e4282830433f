"""Signed documents to test with, and a forger that signs any payload with a good key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from groundwire.attest.envelope import seal_payload
from groundwire.attest.payload import encode_payload
from groundwire.attest.rules import subject_of
from groundwire.canon import jcs
from groundwire.canon.dsse import encode_base64, pae
from groundwire.documents.entry import Envelope, Signature
from groundwire.documents.statement import Certificate, Checkpoint, Deletion, Redaction
from groundwire.keys.keyring import Keyring
from groundwire.keys.signer import Signer
from tests.unit.keys.samples import BEGIN, END, IDENTITY, NOON, RUN_KEY, key_of, ring

CERTIFICATE = Certificate(
    identity=IDENTITY.key_id,
    key=RUN_KEY.key_id,
    not_after=END,
    not_before=BEGIN,
    public_key=encode_base64(RUN_KEY.public_key),
    run="run-a1",
)
CHECKPOINT = Checkpoint(
    at=NOON,
    closed=False,
    head="leaf:" + "5" * 64,
    root="root:" + "6" * 64,
    run="run-a1",
    segment=0,
    size=7,
)
REDACTION = Redaction(
    at=NOON,
    commitments=("gw1:" + "1" * 64, "gw1:" + "2" * 64),
    identity=IDENTITY.key_id,
    reason="a caller asked for it",
    run="run-a1",
)
DELETION = Deletion(
    at=NOON,
    identity=IDENTITY.key_id,
    reason="older than the policy keeps",
    root="root:" + "6" * 64,
    run="run-a1",
    segment=2,
    size=9,
)
KEYRING: Keyring = ring(key_of())

Document = Certificate | Checkpoint | Redaction | Deletion


def payload_of(document: Document) -> bytes:
    """The payload that a seal would sign."""
    return encode_payload(document, subject_of(document))


def statement_of(document: Document) -> dict[str, jcs.JSON]:
    """The statement as JSON, to be put differently."""
    statement = msgspec.json.decode(payload_of(document))
    assert isinstance(statement, dict)
    return statement


def forge(payload: bytes, signer: Signer = IDENTITY) -> Envelope:
    """Whatever payload, with a signature that is good."""
    return seal_payload(payload, signer)


def forge_statement(
    document: Document, changes: Mapping[str, jcs.JSON], signer: Signer = IDENTITY
) -> Envelope:
    """The document's statement with these top-level fields put differently, well signed."""
    return forge(jcs.encode({**statement_of(document), **changes}), signer)


def forge_predicate(
    document: Document,
    changes: Mapping[str, jcs.JSON],
    *,
    without: Sequence[str] = (),
    signer: Signer = IDENTITY,
) -> Envelope:
    """The document's statement with these predicate fields put differently, well signed."""
    predicate = statement_of(document)["predicate"]
    assert isinstance(predicate, dict)
    changed = {name: value for name, value in predicate.items() if name not in without}
    return forge_statement(document, {"predicate": changed | dict(changes)}, signer)


def other_type(payload: bytes, payload_type: str, signer: Signer = IDENTITY) -> Envelope:
    """An envelope of another payload type, whose signature holds for that type."""
    return Envelope(
        payload=encode_base64(payload),
        payloadType=payload_type,
        signatures=(
            Signature(
                keyid=signer.key_id, sig=encode_base64(signer.sign(pae(payload_type, payload)))
            ),
        ),
    )
