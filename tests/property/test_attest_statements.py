"""Any bytes, any envelope: a document, or one of two errors."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.attest.payload import decode_payload
from groundwire.attest.statements import (
    inspect_certificate,
    open_certificate,
    open_checkpoint,
    open_deletion,
    open_redaction,
    seal_certificate,
    seal_checkpoint,
)
from groundwire.canon.dsse import encode_base64
from groundwire.documents.entry import Envelope, Signature
from groundwire.documents.statement import PAYLOAD_TYPE, Certificate, Checkpoint, Redaction
from groundwire.errors import EncodingError, TrustError
from groundwire.keys.keyring import decode_keyring, encode_keyring
from groundwire.keys.times import format_time, parse_time
from tests.unit.attest.samples import CERTIFICATE, CHECKPOINT, KEYRING, forge, payload_of
from tests.unit.keys.samples import IDENTITY, RUN_KEY, key_of, ring

SEALED = seal_certificate(CERTIFICATE, IDENTITY)
SIGNED = seal_checkpoint(CHECKPOINT, RUN_KEY)
TEXT = st.text(max_size=80)
ENVELOPES = st.builds(
    Envelope,
    payload=st.one_of(TEXT, st.binary(max_size=80).map(encode_base64), st.just(SEALED.payload)),
    payloadType=st.one_of(st.just(PAYLOAD_TYPE), TEXT),
    signatures=st.lists(
        st.builds(
            Signature,
            keyid=st.one_of(st.just(IDENTITY.key_id), st.just(RUN_KEY.key_id), TEXT),
            sig=st.one_of(TEXT, st.binary(min_size=64, max_size=64).map(encode_base64)),
        ),
        max_size=2,
    ).map(tuple),
)
SNIPPETS = st.sampled_from([b"", b" ", b"0", b"1", b"-", b'"', b"{", b"}", b",", b"\xff", b"null"])


@settings(max_examples=80)
@given(ENVELOPES)
def test_no_made_up_envelope_opens_as_anything(envelope: Envelope) -> None:
    for opened in (
        lambda: open_certificate(envelope, KEYRING),
        lambda: open_certificate(envelope, ring()),
        lambda: open_checkpoint(envelope, CERTIFICATE),
        lambda: open_redaction(envelope, KEYRING),
        lambda: open_deletion(envelope, KEYRING),
    ):
        with pytest.raises((EncodingError, TrustError)):
            opened()


@settings(max_examples=200)
@given(st.integers(min_value=0), st.integers(min_value=0, max_value=3), SNIPPETS)
def test_a_payload_edited_anywhere_and_signed_again_is_the_document_it_spells_or_refused(
    place: int, width: int, snippet: bytes
) -> None:
    whole = payload_of(CHECKPOINT)
    start = place % len(whole)
    payload = whole[:start] + snippet + whole[start + width :]
    try:
        opened = open_checkpoint(forge(payload, RUN_KEY), CERTIFICATE)
    except (EncodingError, TrustError):
        return
    assert payload_of(opened) == payload


@settings(max_examples=200)
@given(st.binary(max_size=300))
def test_any_bytes_are_a_statement_or_an_encoding_error(data: bytes) -> None:
    for kind in (Certificate, Checkpoint, Redaction):
        with pytest.raises(EncodingError):
            decode_payload(data, kind)


@settings(max_examples=200)
@given(st.integers(min_value=0), st.integers(min_value=1, max_value=255))
def test_a_changed_byte_of_a_sealed_certificate_never_opens(place: int, change: int) -> None:
    data = bytearray(msgspec.json.encode(SEALED))
    data[place % len(data)] ^= change
    try:
        envelope = msgspec.json.decode(bytes(data), type=Envelope)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return
    with pytest.raises((EncodingError, TrustError)) as refused:
        open_certificate(envelope, KEYRING)
    assert refused.value.reason != "unknown-signer"


@settings(max_examples=100)
@given(st.integers(min_value=0), st.integers(min_value=1, max_value=255))
def test_inspection_of_a_changed_certificate_says_what_stands_there_or_refuses(
    place: int, change: int
) -> None:
    data = bytearray(msgspec.json.encode(SEALED))
    data[place % len(data)] ^= change
    try:
        envelope = msgspec.json.decode(bytes(data), type=Envelope)
        certificate, named = inspect_certificate(envelope)
    except (msgspec.MsgspecError, UnicodeDecodeError, EncodingError, TrustError):
        return
    assert certificate.identity == named == IDENTITY.key_id


@settings(max_examples=200)
@given(st.one_of(st.binary(max_size=200), SNIPPETS), st.integers(min_value=0))
def test_any_bytes_are_a_keyring_or_an_encoding_error(piece: bytes, place: int) -> None:
    whole = encode_keyring(ring(key_of()))
    start = place % len(whole)
    for data in (piece, whole[:start] + piece + whole[start:], whole[:start] + piece):
        try:
            keyring = decode_keyring(data, "any")
        except EncodingError:
            continue
        assert encode_keyring(keyring).removesuffix(b"\n") == data.removesuffix(b"\n")


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_time_comes_back_from_its_spelling(moment: datetime) -> None:
    assert parse_time(format_time(moment)) == moment


@given(st.datetimes(timezones=st.just(UTC)), st.datetimes(timezones=st.just(UTC)))
def test_spellings_sort_as_their_instants_do(left: datetime, right: datetime) -> None:
    assert (format_time(left) < format_time(right)) == (left < right)


@given(st.text(max_size=40))
def test_any_text_is_a_time_or_an_encoding_error(text: str) -> None:
    with pytest.raises(EncodingError):
        parse_time(text)
