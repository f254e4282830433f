"""Signer: the port to whatever holds a private key."""

from __future__ import annotations

from typing import Protocol


class Signer(Protocol):
    """Something that signs with one Ed25519 key and never shows it.

    It may sit in this process, in an agent of another user, or in hardware; it does not say
    which, because only a verifier's keyring may state custody.
    """

    @property
    def key_id(self) -> str:
        """`ed25519:` and the hex SHA-256 of the public key."""
        ...

    @property
    def public_key(self) -> bytes:
        """The 32 bytes of the public key (RFC 8032)."""
        ...

    def sign(self, message: bytes) -> bytes:
        """The 64-byte signature of exactly these bytes.

        Raises:
            TrustError: the key may sign no more.
            HostError: the key cannot be reached.
        """
        ...
