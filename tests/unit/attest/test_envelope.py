from __future__ import annotations

import msgspec
import pytest

from groundwire.attest.envelope import (
    MAX_PAYLOAD_BYTES,
    open_payload,
    seal_payload,
    signer_named,
    unverified_payload,
)
from groundwire.canon.dsse import decode_base64, encode_base64, pae
from groundwire.documents.entry import Envelope, Signature
from groundwire.documents.statement import PAYLOAD_TYPE
from groundwire.errors import EncodingError, TrustError
from groundwire.keys import ed25519
from tests.unit.attest.samples import other_type
from tests.unit.keys.samples import IDENTITY, STRANGER

PAYLOAD = b'{"a":"\xc3\xbf\xc3\xbe>?"}'
SEALED = seal_payload(PAYLOAD, IDENTITY)


def with_signature(**changes: str) -> Envelope:
    signature = msgspec.structs.replace(SEALED.signatures[0], **changes)
    return msgspec.structs.replace(SEALED, signatures=(signature,))


def test_an_envelope_is_dsse_over_the_exact_payload() -> None:
    assert SEALED.payloadType == PAYLOAD_TYPE
    assert decode_base64(SEALED.payload) == PAYLOAD
    assert signer_named(SEALED) == IDENTITY.key_id
    signature = decode_base64(SEALED.signatures[0].sig)
    ed25519.verify(IDENTITY.public_key, signature, pae(PAYLOAD_TYPE, PAYLOAD))
    assert open_payload(SEALED, IDENTITY.public_key) == PAYLOAD


def test_every_flipped_bit_of_an_envelope_is_refused() -> None:
    data = msgspec.json.encode(SEALED)
    for place in range(len(data) * 8):
        flipped = bytearray(data)
        flipped[place // 8] ^= 1 << place % 8
        try:
            envelope = msgspec.json.decode(bytes(flipped), type=Envelope)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            continue
        with pytest.raises((EncodingError, TrustError)):
            open_payload(envelope, IDENTITY.public_key)


def test_a_payload_by_another_key_is_a_wrong_signer() -> None:
    with pytest.raises(TrustError) as refused:
        open_payload(SEALED, STRANGER.public_key)
    assert refused.value.reason == "wrong-signer"


def test_a_key_id_that_names_the_right_key_over_a_strangers_signature_is_refused() -> None:
    by_stranger = seal_payload(PAYLOAD, STRANGER).signatures[0]
    with pytest.raises(TrustError) as refused:
        open_payload(with_signature(sig=by_stranger.sig), IDENTITY.public_key)
    assert refused.value.reason == "bad-signature"


def test_a_right_signature_under_another_key_id_is_refused() -> None:
    with pytest.raises(TrustError) as refused:
        open_payload(with_signature(keyid=STRANGER.key_id), IDENTITY.public_key)
    assert refused.value.reason == "wrong-signer"


@pytest.mark.parametrize(
    "keyid",
    [
        "",
        "ed25519:",
        IDENTITY.key_id.upper(),
        IDENTITY.key_id + "0",
        IDENTITY.key_id[:-1],
        "sha256:" + "0" * 64,
        "ed25519:ed25519:" + "0" * 56,
    ],
)
def test_a_key_id_of_another_shape_is_refused_before_any_key_is_looked_for(keyid: str) -> None:
    with pytest.raises(EncodingError) as refused:
        unverified_payload(with_signature(keyid=keyid))
    assert refused.value.reason == "bad-key-id"


def test_an_envelope_of_another_payload_type_is_refused_even_when_it_is_well_signed() -> None:
    for payload_type in ("application/json", PAYLOAD_TYPE + " ", PAYLOAD_TYPE.upper(), ""):
        with pytest.raises(EncodingError) as refused:
            open_payload(other_type(PAYLOAD, payload_type), IDENTITY.public_key)
        assert refused.value.reason == "wrong-payload-type"


@pytest.mark.parametrize("count", [0, 2])
def test_an_envelope_has_exactly_one_signature(count: int) -> None:
    envelope = msgspec.structs.replace(SEALED, signatures=SEALED.signatures * count)
    with pytest.raises(EncodingError) as refused:
        open_payload(envelope, IDENTITY.public_key)
    assert refused.value.reason == "wrong-signature-count"


@pytest.mark.parametrize("size", [0, 63, 65])
def test_a_signature_of_another_size_is_refused_without_a_key(size: int) -> None:
    with pytest.raises(EncodingError) as refused:
        unverified_payload(with_signature(sig=encode_base64(bytes(size))))
    assert refused.value.reason == "bad-signature-size"


def test_base64_has_one_spelling() -> None:
    payload, sig = SEALED.payload, SEALED.signatures[0].sig
    assert "+" in payload or "/" in payload
    spellings = [
        payload.rstrip("="),
        payload + "=",
        payload + "\n",
        payload.replace("+", "-").replace("/", "_"),
    ]
    for spelling in spellings:
        with pytest.raises(EncodingError) as refused:
            unverified_payload(msgspec.structs.replace(SEALED, payload=spelling))
        assert refused.value.reason == "bad-base64"
    # 64 bytes end in one character of which four bits do not count.
    last = sig[-3]
    loose = next(
        letter for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" if letter > last
    )
    with pytest.raises(EncodingError) as refused:
        unverified_payload(with_signature(sig=sig[:-3] + loose + "=="))
    assert refused.value.reason == "bad-base64"


def test_a_payload_beyond_the_bound_is_neither_sealed_nor_read() -> None:
    with pytest.raises(EncodingError) as refused:
        seal_payload(bytes(MAX_PAYLOAD_BYTES + 1), IDENTITY)
    assert refused.value.reason == "too-large"
    long = encode_base64(bytes(MAX_PAYLOAD_BYTES + 3))
    with pytest.raises(EncodingError) as refused:
        unverified_payload(msgspec.structs.replace(SEALED, payload=long))
    assert refused.value.reason == "too-large"


class Lying:
    """A signer out of process whose signature is by another key than it shows."""

    key_id = IDENTITY.key_id
    public_key = IDENTITY.public_key

    def sign(self, message: bytes) -> bytes:
        return STRANGER.sign(message)


def test_a_signer_that_returns_rubbish_seals_nothing() -> None:
    with pytest.raises(TrustError) as refused:
        seal_payload(PAYLOAD, Lying())
    assert refused.value.reason == "bad-signature"


def test_an_envelope_is_one_signature_and_its_parts_are_typed() -> None:
    assert isinstance(SEALED.signatures[0], Signature)
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'{"payload":"","payloadType":"","signatures":[],"x":1}', type=Envelope)
