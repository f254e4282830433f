from __future__ import annotations

import base64
import hashlib
import json

import msgspec
import pytest
from securesystemslib.dsse import Envelope as StandardEnvelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import SSlibKey

from groundwire.attest.envelope import seal_payload
from groundwire.attest.lineage import open_lineage, seal_lineage, subjects_of
from groundwire.attest.payload import encode_payload
from groundwire.audit.lineage.saying import statement_of
from groundwire.documents.entry import Envelope
from groundwire.documents.lineage import LINEAGE, LineageStatement
from groundwire.errors import EncodingError, TrustError
from groundwire.keys.ed25519 import Ed25519Signer
from tests.recorders import IDENTITY, STRANGER, keyring
from tests.unit.lineage.test_verdict import ANSWER, run

replace = msgspec.structs.replace
AT = "2026-05-04T10:20:30.000000Z"


def stated(signer: Ed25519Signer = IDENTITY) -> LineageStatement:
    return statement_of(
        run("db-7", "91 %"), identity=signer.key_id, at=AT, root="root:" + "7" * 64, size=9
    )


def forged(statement: LineageStatement) -> Envelope:
    return seal_payload(encode_payload(statement, *subjects_of(statement)), IDENTITY)


def test_a_statement_opens_with_the_key_that_signed_it() -> None:
    assert open_lineage(seal_lineage(stated(), IDENTITY), keyring()) == stated()


def test_a_standard_dsse_verifier_accepts_the_statement_and_no_changed_one() -> None:
    line = msgspec.json.encode(seal_lineage(stated(), IDENTITY))
    key = SSlibKey(IDENTITY.key_id, "ed25519", "ed25519", {"public": IDENTITY.public_key.hex()})
    assert set(StandardEnvelope.from_dict(json.loads(line)).verify([key], threshold=1)) == {
        key.keyid
    }
    changed = json.loads(line)
    payload = base64.b64decode(changed["payload"])
    assert b'"size":9' in payload
    changed["payload"] = base64.b64encode(payload.replace(b'"size":9', b'"size":8')).decode()
    with pytest.raises(VerificationError):
        StandardEnvelope.from_dict(changed).verify([key], threshold=1)


def test_the_subjects_are_results_bodies_and_the_answer_by_their_plain_sha256() -> None:
    statement = stated()
    boundaries = tuple(
        replace(each, body="sha256:" + "5" * 64) for each in statement.manifest.boundaries
    )
    manifest = replace(statement.manifest, boundaries=boundaries)
    subjects = {
        each.name: each.digest for each in subjects_of(replace(statement, manifest=manifest))
    }
    assert subjects["result/0/c0"] == {"sha256": hashlib.sha256(b"db-7").hexdigest()}
    assert subjects["result/1/c1"] == {"sha256": hashlib.sha256(b"91 %").hexdigest()}
    assert subjects["answer/2"] == {"sha256": hashlib.sha256(ANSWER.encode()).hexdigest()}
    assert subjects["request/1"] == {"sha256": "5" * 64}
    assert subjects["run/r1"] == {"groundwire-manifest": statement.digest[4:]}
    assert len(subjects) == 1 + 2 + 3 + 1


def test_the_payload_is_an_in_toto_statement_without_texts() -> None:
    payload = json.loads(base64.b64decode(seal_lineage(stated(), IDENTITY).payload))
    assert payload["_type"] == "https://in-toto.io/Statement/v1"
    assert payload["predicateType"] == LINEAGE
    assert {row["inputs_text"] for row in payload["predicate"]["manifest"]["calls"]} == {None}


def test_nobody_signs_in_the_name_of_another() -> None:
    with pytest.raises(TrustError) as refused:
        seal_lineage(stated(STRANGER), IDENTITY)
    assert refused.value.reason == "wrong-signer"
    with pytest.raises(TrustError) as refused:
        open_lineage(forged(stated(STRANGER)), keyring(IDENTITY, STRANGER))
    assert refused.value.reason == "identity-mismatch"


def test_a_signer_whom_the_keyring_does_not_know_is_named_as_unknown() -> None:
    with pytest.raises(TrustError) as refused:
        open_lineage(seal_lineage(stated(STRANGER), STRANGER), keyring(IDENTITY))
    assert refused.value.reason == "unknown-signer"


def test_a_statement_before_its_key_was_valid_is_refused() -> None:
    early = replace(stated(), at="2025-05-04T10:20:30.000000Z")
    with pytest.raises(TrustError):
        open_lineage(seal_lineage(early, IDENTITY), keyring())


@pytest.mark.parametrize(
    "change",
    [
        {"digest": "gw1:" + "0" * 64},
        {"manifest": run("db-7")},
        {"root": ""},
        {"size": 0},
        {"root": "root:7"},
        {"identity": "ed25519:7"},
        {"at": "yesterday"},
    ],
)
def test_a_statement_that_makes_no_sense_is_neither_sealed_nor_opened(
    change: dict[str, object],
) -> None:
    broken = replace(stated(), **change)
    with pytest.raises(EncodingError):
        seal_lineage(broken, IDENTITY)
    with pytest.raises(EncodingError):
        open_lineage(forged(broken), keyring())


def test_subjects_that_are_not_those_of_the_manifest_are_refused() -> None:
    statement = stated()
    envelope = seal_payload(encode_payload(statement, *subjects_of(statement)[:-1]), IDENTITY)
    with pytest.raises(EncodingError) as refused:
        open_lineage(envelope, keyring())
    assert refused.value.reason == "wrong-subject"
