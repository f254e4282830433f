"""Keys and keyrings to test with; no seed here signs anything that matters."""

from __future__ import annotations

from groundwire.canon.dsse import encode_base64
from groundwire.keys.ed25519 import Ed25519Signer
from groundwire.keys.keyring import Key, Keyring

BEGIN = "2026-03-01T08:00:00.000000Z"
NOON = "2026-03-01T12:00:00.000000Z"
END = "2026-03-01T18:00:00.000000Z"

IDENTITY = Ed25519Signer.from_seed(b"\x11" * 32)
STRANGER = Ed25519Signer.from_seed(b"\x22" * 32)
RUN_KEY = Ed25519Signer.from_seed(b"\x33" * 32)


def key_of(signer: Ed25519Signer = IDENTITY, **changes: object) -> Key:
    """An active recording key, good from BEGIN on, with these fields put differently."""
    fields: dict[str, object] = {
        "comment": "the build machine",
        "compromised_at": None,
        "custody": "in-process",
        "id": signer.key_id,
        "not_after": None,
        "not_before": BEGIN,
        "public_key": encode_base64(signer.public_key),
        "purposes": ("recording",),
        "retired_at": None,
        "state": "active",
    }
    return Key(**(fields | changes))  # type: ignore[arg-type] -- tests build malformed keys too


def ring(*keys: Key) -> Keyring:
    """A keyring of these keys."""
    return Keyring(keys, "the test's keyring")
