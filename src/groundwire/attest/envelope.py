"""The DSSE envelope of a statement: one payload, one signature, one spelling.

The last checkpoint of a recording is covered by nothing but its own signature, so every byte of an
envelope must be one that changes the answer when it is flipped: the base64 is standard, padded and
canonical, the key id is the real one, and there is one signature.
Spec: https://github.com/secure-systems-lab/dsse (protocol.md and envelope.md).
"""

from __future__ import annotations

import re

from groundwire.canon.dsse import decode_base64, encode_base64, pae
from groundwire.documents.entry import Envelope, Signature
from groundwire.documents.statement import PAYLOAD_TYPE
from groundwire.errors import EncodingError, TrustError
from groundwire.keys import ed25519
from groundwire.keys.signer import Signer

MAX_PAYLOAD_BYTES = 16 << 20
_KEY_ID = re.compile("ed25519:[0-9a-f]{64}")
_MAX_PAYLOAD_TEXT = (MAX_PAYLOAD_BYTES + 2) // 3 * 4


def seal_payload(payload: bytes, signer: Signer) -> Envelope:
    """An envelope over exactly these bytes, signed by `signer` and checked to be.

    Raises:
        EncodingError: `too-large`.
        TrustError: `bad-signature`: what the signer returned is no signature by its key.
        HostError: the signer cannot reach its key.
    """
    if len(payload) > MAX_PAYLOAD_BYTES:
        raise EncodingError(
            "too-large", f"A statement has at most {MAX_PAYLOAD_BYTES} bytes; split it."
        )
    message = pae(PAYLOAD_TYPE, payload)
    signature = signer.sign(message)
    # A signer may be hardware or another process: what it returns is looked at before it is kept.
    # A key of this process has just used the library that would check it, and is remembered.
    ed25519.verify(signer.public_key, signature, message)
    return Envelope(
        payload=encode_base64(payload),
        payloadType=PAYLOAD_TYPE,
        signatures=(
            Signature(keyid=ed25519.key_id(signer.public_key), sig=encode_base64(signature)),
        ),
    )


def open_payload(envelope: Envelope, public_key: bytes) -> bytes:
    """The bytes that the holder of `public_key` signed; the key id says so too.

    Does not say what they mean, or whether the key is to be trusted.

    Raises:
        EncodingError: the envelope is malformed.
        TrustError: `wrong-signer` (it names another key), `bad-signature`.
    """
    payload = unverified_payload(envelope)
    if signer_named(envelope) != ed25519.key_id(public_key):
        raise TrustError(
            "wrong-signer", "The envelope names another key than the one that has to sign it."
        )
    signature = _standard_base64(envelope.signatures[0].sig)
    ed25519.verify(public_key, signature, pae(PAYLOAD_TYPE, payload))
    return payload


def unverified_payload(envelope: Envelope) -> bytes:
    """The payload of a well-formed envelope. NOT trusted: no signature was looked at.

    Raises:
        EncodingError: `wrong-payload-type`, `wrong-signature-count`, `bad-base64`, `too-large`,
            `bad-key-id`, `bad-signature-size`.
    """
    if envelope.payloadType != PAYLOAD_TYPE:
        raise EncodingError(
            "wrong-payload-type", f"The envelope's payload type is not {PAYLOAD_TYPE}."
        )
    if len(envelope.signatures) != 1:
        raise EncodingError(
            "wrong-signature-count",
            f"The envelope has {len(envelope.signatures)} signatures; it must have exactly one.",
        )
    check_key_id(signer_named(envelope))
    if len(_standard_base64(envelope.signatures[0].sig)) != 64:
        raise EncodingError("bad-signature-size", "An Ed25519 signature has 64 bytes.")
    if len(envelope.payload) > _MAX_PAYLOAD_TEXT:
        raise EncodingError("too-large", f"A statement has at most {MAX_PAYLOAD_BYTES} bytes.")
    return _standard_base64(envelope.payload)


def signer_named(envelope: Envelope) -> str:
    """The key id that the envelope names. A claim, until a signature by that key is checked."""
    return envelope.signatures[0].keyid


def check_key_id(text: str) -> None:
    """The text is shaped like the name of a key: `ed25519:` and 64 lower-case hex digits.

    Raises:
        EncodingError: `bad-key-id`.
    """
    if not _KEY_ID.fullmatch(text):
        raise EncodingError(
            "bad-key-id", "A key id is ed25519: and 64 lower-case hexadecimal digits."
        )


def _standard_base64(text: str) -> bytes:
    data = decode_base64(text)
    if encode_base64(data) != text:
        raise EncodingError("bad-base64", "An envelope's base64 is in the standard alphabet.")
    return data
