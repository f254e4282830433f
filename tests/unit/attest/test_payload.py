from __future__ import annotations

import pytest

from groundwire.attest.payload import Subject, decode_payload, encode_payload
from groundwire.attest.rules import subject_of
from groundwire.documents.statement import Certificate, Checkpoint, Deletion, Redaction
from groundwire.errors import EncodingError
from tests.unit.attest.samples import (
    CERTIFICATE,
    CHECKPOINT,
    DELETION,
    REDACTION,
    Document,
    payload_of,
)

ALL: tuple[Document, ...] = (CERTIFICATE, CHECKPOINT, REDACTION, DELETION)
KINDS = (Certificate, Checkpoint, Redaction, Deletion)


def test_a_statement_is_written_exactly_like_this() -> None:
    assert payload_of(CHECKPOINT) == (
        b'{"_type":"https://in-toto.io/Statement/v1","predicate":'
        b'{"at":"2026-03-01T12:00:00.000000Z","closed":false,"head":"leaf:' + b"5" * 64 + b'",'
        b'"root":"root:' + b"6" * 64 + b'","run":"run-a1","segment":0,"size":7},'
        b'"predicateType":"urn:groundwire:checkpoint:v1",'
        b'"subject":[{"digest":{"rfc9162-sha256":"' + b"6" * 64 + b'"},"name":"run-a1/0"}]}'
    )


@pytest.mark.parametrize("document", ALL)
def test_a_statement_comes_back_as_it_was_written(document: Document) -> None:
    decoded, subject = decode_payload(payload_of(document), type(document))
    assert decoded == document
    assert subject == subject_of(document)


@pytest.mark.parametrize("document", ALL)
@pytest.mark.parametrize("kind", KINDS)
def test_a_statement_of_one_kind_is_never_read_as_another(
    document: Document, kind: type[Document]
) -> None:
    if type(document) is kind:
        return
    with pytest.raises(EncodingError) as refused:
        decode_payload(payload_of(document), kind)
    assert refused.value.reason == "wrong-predicate-type"


WHOLE = payload_of(CHECKPOINT)
GARBLED = {
    "spaces": (b'"closed":false', b'"closed": false', "not-canonical"),
    "another order": (
        b'"closed":false,"head":"leaf:' + b"5" * 64 + b'"',
        b'"head":"leaf:' + b"5" * 64 + b'","closed":false',
        "not-canonical",
    ),
    "a field of the predicate twice": (b'"size":7', b'"size":7,"size":7', "not-canonical"),
    "a field of the statement twice": (
        b'"predicateType":',
        b'"predicateType":"urn:groundwire:checkpoint:v1","predicateType":',
        "not-canonical",
    ),
    "an escape that is not needed": (b"run-a1/0", b"run\\u002da1/0", "not-canonical"),
    "a size with a fraction": (b'"size":7', b'"size":7.0', "bad-predicate"),
    "a size with an exponent": (b'"size":7', b'"size":7e0', "bad-predicate"),
    "a size as text": (b'"size":7', b'"size":"7"', "bad-predicate"),
    "a size that is true": (b'"size":7', b'"size":true', "bad-predicate"),
    "closed as a number": (b'"closed":false', b'"closed":0', "bad-predicate"),
    "closed as nothing": (b'"closed":false', b'"closed":null', "bad-predicate"),
    "an unknown field of the predicate": (b'"size":7', b'"size":7,"tail":1', "bad-predicate"),
    "a missing field of the predicate": (b',"size":7', b"", "bad-predicate"),
    "an unknown field of the statement": (b'"subject"', b'"state":1,"subject"', "bad-statement"),
    "an unknown field of the subject": (
        b'"name":"run-a1/0"',
        b'"name":"run-a1/0","uri":""',
        "bad-statement",
    ),
    "another statement type": (b"Statement/v1", b"Statement/v0.1", "bad-statement"),
    "a later predicate": (b"checkpoint:v1", b"checkpoint:v2", "wrong-predicate-type"),
    "a subject that is no digest": (
        b'{"rfc9162-sha256":"',
        b'{"rfc9162-sha256":7,"":"',
        "bad-statement",
    ),
}


@pytest.mark.parametrize("name", GARBLED)
def test_a_garbled_statement_is_refused(name: str) -> None:
    old, new, reason = GARBLED[name]
    assert WHOLE.count(old) == 1
    with pytest.raises(EncodingError) as refused:
        decode_payload(WHOLE.replace(old, new), Checkpoint)
    assert refused.value.reason == reason


@pytest.mark.parametrize("count", [0, 2])
def test_a_statement_has_exactly_one_subject(count: int) -> None:
    start = WHOLE.index(b'"subject":[') + len(b'"subject":[')
    subject = WHOLE[start:-2]
    garbled = WHOLE[:start] + b",".join([subject] * count) + b"]}"
    with pytest.raises(EncodingError) as refused:
        decode_payload(garbled, Checkpoint)
    assert refused.value.reason == "bad-statement"


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"null",
        b"[]",
        b"\xff",
        b"[" * 100_000,
        WHOLE + b"\n",
        WHOLE[:-1],
        b"\xef\xbb\xbf" + WHOLE,
    ],
)
def test_bytes_that_are_no_statement_are_an_encoding_error(payload: bytes) -> None:
    with pytest.raises(EncodingError):
        decode_payload(payload, Checkpoint)


def test_text_that_has_no_utf8_is_not_sealed() -> None:
    with pytest.raises(EncodingError):
        encode_payload(CHECKPOINT, Subject(name="\ud800", digest={}))
