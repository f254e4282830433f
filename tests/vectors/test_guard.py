"""Every file of vectors/guard gets the answer that stands in it."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import msgspec
import pytest

from groundwire.attest.grants import open_attestation, open_grant
from groundwire.attest.receipts import Permit, open_receipt
from groundwire.canon import jcs
from groundwire.documents.entry import Envelope
from groundwire.documents.grant import Grant
from groundwire.documents.receipt import Asked
from groundwire.errors import EncodingError, TrustError
from groundwire.keys.keyring import decode_keyring
from tests.unit.attest.decisions import permit
from tests.vectors.guard_vectors import FOLDER, text_of, vectors

FILES = sorted(FOLDER.glob("*.json"))


def _answer(vector: dict[str, object]) -> str:
    envelope = msgspec.convert(vector["envelope"], Envelope)
    keyring = decode_keyring(jcs.encode(vector["keyring"]), "the vector")
    now = datetime.fromisoformat(str(vector["now"]))
    anchored_at = vector["anchored_at"]
    assert anchored_at is None or isinstance(anchored_at, str)
    if vector["document"] == "receipt":
        asked = msgspec.convert(vector["asked"], Asked)
        opened = open_receipt(envelope, asked, keyring, now, anchored_at)
        return "permits" if isinstance(opened, Permit) else "held"
    if vector["document"] == "grant":
        open_grant(envelope, permit(), str(vector["executor"]), keyring, now, anchored_at)
    else:
        grant = msgspec.convert(vector["grant"], Grant)
        open_attestation(envelope, grant, keyring, anchored_at)
    return "opens"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_document_of_the_guard_gets_the_answer_of_its_vector(path: Path) -> None:
    vector = json.loads(path.read_text())
    try:
        answer = _answer(vector)
    except (EncodingError, TrustError) as error:
        answer = error.reason
    assert answer == vector["answer"]


def test_the_files_are_the_vectors_and_nothing_else() -> None:
    assert {path.name: path.read_text() for path in FILES} == {
        name: text_of(vector) for name, vector in vectors().items()
    }
