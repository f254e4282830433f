"""DSSE v1: what an envelope's signature is over, its base64, and how signers are counted.

Spec: https://github.com/secure-systems-lab/dsse (protocol.md and envelope.md). Checking signatures
is the business of `keys` and `attest`; nothing here trusts or distrusts anybody.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable

from groundwire.errors import EncodingError, TrustError


def pae(payload_type: str, payload: bytes) -> bytes:
    """The pre-authentication encoding: `DSSEv1 <bytes of type> <type> <bytes of body> <body>`.

    Lengths count bytes of the UTF-8 type, not characters (protocol.md, "Signature Definition").

    Raises:
        EncodingError: `lone-surrogate` where the type has no UTF-8.
    """
    try:
        kind = payload_type.encode("utf-8")
    except UnicodeEncodeError as error:
        raise EncodingError("lone-surrogate", "The payload type is not Unicode text.") from error
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def encode_base64(data: bytes) -> str:
    """Standard base64 with padding and no white space."""
    return binascii.b2a_base64(data, newline=False).decode("ascii")


def decode_base64(text: str) -> bytes:
    """The bytes of `text`, which is the one canonical spelling of them in its alphabet.

    Reads the standard and the URL-safe alphabet, as envelope.md demands, padded; refuses a mix of
    the two, missing padding, white space, and unused bits that are not zero.

    Raises:
        EncodingError: `bad-base64`.
    """
    try:
        octets = text.encode("ascii")
        url_safe = b"-" in octets or b"_" in octets
        data = base64.b64decode(octets, altchars=b"-_" if url_safe else None, validate=True)
        again = base64.urlsafe_b64encode(data) if url_safe else base64.b64encode(data)
    except ValueError as error:
        raise EncodingError("bad-base64", "This is not base64 with padding.") from error
    if again != octets:
        raise EncodingError("bad-base64", "This base64 is not the canonical spelling of its bytes.")
    return data


def threshold(verified: Iterable[tuple[str, bytes]], needed: int) -> None:
    """At least `needed` different public keys stand among the signers whose signature held.

    `verified` pairs a key id with its public key. Counts keys, not signatures and not ids: one
    key that signs twice, or stands in a keyring under two ids, counts once.

    Raises:
        EncodingError: `bad-threshold` where `needed` is under 1.
        TrustError: `too-few-signers`.
    """
    if needed < 1:
        raise EncodingError("bad-threshold", "A threshold is at least 1.")
    distinct = len({public_key for _, public_key in verified})
    if distinct < needed:
        raise TrustError(
            "too-few-signers",
            f"{distinct} of the {needed} signers that are needed signed; ask the others to sign.",
        )
