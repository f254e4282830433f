"""Every file of vectors/attest and vectors/keys gets the answer that stands in it."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import msgspec
import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from securesystemslib.dsse import Envelope as StandardEnvelope
from securesystemslib.signer import SSlibKey

from groundwire.attest.statements import open_certificate, open_checkpoint, open_redaction
from groundwire.canon import jcs
from groundwire.documents.entry import Envelope
from groundwire.documents.statement import Certificate
from groundwire.errors import EncodingError, TrustError
from groundwire.keys.keyring import decode_keyring
from tests.vectors.attest_vectors import FOLDER, text_of, vectors

ATTEST = sorted((FOLDER / "attest").glob("*.json"))
KEYS = sorted((FOLDER / "keys").glob("*.json"))


def name_of(path: Path) -> str:
    return path.stem


@pytest.mark.parametrize("path", ATTEST, ids=name_of)
def test_a_signed_document_gets_the_answer_of_its_vector(path: Path) -> None:
    vector = json.loads(path.read_text())
    envelope = msgspec.convert(vector["envelope"], Envelope)
    try:
        if vector["document"] == "checkpoint":
            open_checkpoint(envelope, msgspec.convert(vector["certificate"], Certificate))
        else:
            keyring = decode_keyring(jcs.encode(vector["keyring"]), "the vector")
            open_ = {"certificate": open_certificate, "redaction": open_redaction}
            open_[vector["document"]](envelope, keyring, vector["anchored_at"])
    except (EncodingError, TrustError) as error:
        answer = error.reason
    else:
        answer = "opens"
    assert answer == vector["answer"]


@pytest.mark.parametrize("path", KEYS, ids=name_of)
def test_a_keyring_gets_the_answer_of_its_vector(path: Path) -> None:
    vector = json.loads(path.read_text())
    try:
        decode_keyring(vector["keyring"].encode(), "the vector")
    except EncodingError as error:
        answer = error.reason
    else:
        answer = "read"
    assert answer == vector["answer"]


def test_the_files_are_the_vectors_and_nothing_else() -> None:
    made = {name: text_of(vector) for name, vector in vectors().items()}
    found = {f"{path.parent.name}/{path.name}": path.read_text() for path in (*ATTEST, *KEYS)}
    assert found == made


@pytest.mark.parametrize(
    ("name", "signs"),
    [("certificate", True), ("checkpoint", True), ("checkpoint-signature-of-other-bytes", False)],
)
def test_a_verifier_that_knows_nothing_of_this_project_agrees(name: str, signs: bool) -> None:
    vector = json.loads((FOLDER / "attest" / f"{name}.json").read_text())
    envelope, payload = vector["envelope"], base64.b64decode(vector["envelope"]["payload"])
    kind = envelope["payloadType"].encode()
    message = b" ".join(
        [b"DSSEv1", str(len(kind)).encode(), kind, str(len(payload)).encode(), payload]
    )
    holder = vector["certificate"] if "certificate" in vector else vector["keyring"]["keys"][0]
    key = Ed25519PublicKey.from_public_bytes(base64.b64decode(holder["public_key"]))
    signature = base64.b64decode(envelope["signatures"][0]["sig"])
    if signs:
        key.verify(signature, message)
    else:
        with pytest.raises(InvalidSignature):
            key.verify(signature, message)


def test_a_standard_dsse_verifier_accepts_an_envelope() -> None:
    vector = json.loads((FOLDER / "attest" / "checkpoint.json").read_text())
    public = base64.b64decode(vector["certificate"]["public_key"]).hex()
    key = SSlibKey(vector["certificate"]["key"], "ed25519", "ed25519", {"public": public})
    envelope = StandardEnvelope.from_dict(vector["envelope"])
    assert set(envelope.verify([key], threshold=1)) == {key.keyid}
