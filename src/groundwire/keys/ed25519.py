"""Ed25519 (RFC 8032): sign, verify, name a key, and write a private key as text."""

from __future__ import annotations

from functools import lru_cache

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)

from groundwire.canon.digest import sha256
from groundwire.canon.dsse import decode_base64, encode_base64
from groundwire.errors import EncodingError, HostError, TrustError

_FIELD = 2**255 - 19
_SIGN_BIT = 1 << 255
_REMEMBERED = 1 << 14

# The y coordinates of the eight points whose order divides 8. For such a key a signature can be
# made that verifies over any message, by anyone. tests/unit/keys derives them from the curve.
_SMALL_ORDER = frozenset(
    {
        0,
        1,
        _FIELD - 1,
        0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826,
        0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7,
    }
)

# RFC 8410: the fixed DER of a PKCS #8 key, up to the 32 bytes of the seed.
PKCS8 = bytes.fromhex("302e020100300506032b657004220420")
"""What stands before the seed in a private key that is written as DER."""
_PEM_HEAD = "-----BEGIN PRIVATE KEY-----\n"
_PEM_TAIL = "\n-----END PRIVATE KEY-----\n"


class Ed25519Signer:
    """A private key in this process. It prints as its key id and does not pickle."""

    __slots__ = ("_private", "key_id", "public_key")

    def __init__(self, private: Ed25519PrivateKey) -> None:
        self._private = private
        self.public_key: bytes = private.public_key().public_bytes_raw()
        self.key_id: str = key_id(self.public_key)

    @classmethod
    def from_seed(cls, seed: bytes) -> Ed25519Signer:
        """The signer whose private key is this 32-byte seed (RFC 8032, section 5.1.5).

        Raises:
            EncodingError: `bad-seed`: not 32 bytes.
            HostError: `ed25519-unsupported`: the cryptography library refuses the algorithm.
        """
        if len(seed) != 32:
            raise EncodingError("bad-seed", f"A seed has 32 bytes, not {len(seed)}.")
        try:
            return cls(Ed25519PrivateKey.from_private_bytes(seed))
        except UnsupportedAlgorithm as error:
            raise _unsupported() from error

    def sign(self, message: bytes) -> bytes:
        """The 64-byte signature of exactly these bytes.

        `verify` takes it at its word for as long as it is remembered: it was made by the library
        that would check it, in this process, with the key that it would be checked against.
        """
        signature = self._private.sign(message)
        if len(message) <= _REMEMBERED:
            made = (self.public_key, signature, message)
            _signing.add(made)
            try:
                _remembered(*made)
            finally:
                _signing.discard(made)
        return signature

    def __repr__(self) -> str:
        return f"Ed25519Signer({self.key_id!r})"

    def __reduce__(self) -> str:
        raise TrustError("key-not-copied", "A private key is not pickled; open it where it lives.")


@lru_cache(maxsize=64)
def key_id(public_key: bytes) -> str:
    """The name of a public key: `ed25519:` and the hex SHA-256 of its 32 bytes.

    One key has one name: bytes that only alias a point are no key.

    Raises:
        EncodingError: `bad-public-key`.
    """
    check_public_key(public_key)
    return "ed25519:" + sha256(public_key).removeprefix("sha256:")


@lru_cache(maxsize=64)
def check_public_key(public_key: bytes) -> None:
    """These bytes are the canonical encoding of no small-order point.

    Does not say that they lie on the curve; for bytes that do not, no signature verifies.

    Raises:
        EncodingError: `bad-public-key`: not 32 bytes, not canonical, or a key that everyone can
            sign for.
    """
    if len(public_key) != 32:
        raise EncodingError(
            "bad-public-key", f"An Ed25519 public key has 32 bytes, not {len(public_key)}."
        )
    y = int.from_bytes(public_key, "little") & (_SIGN_BIT - 1)
    if y >= _FIELD:
        raise EncodingError("bad-public-key", "The public key is not canonically encoded.")
    if y in _SMALL_ORDER:
        raise EncodingError("bad-public-key", "Anyone can sign for this public key: small order.")


# What is being signed now: key, signature, message. The library that makes it is not asked again.
_signing: set[tuple[bytes, bytes, bytes]] = set()


def _verified(public_key: bytes, signature: bytes, message: bytes) -> None:
    if (public_key, signature, message) not in _signing:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)


# What was signed just now is looked at, and soon opened: the same bytes by the same key.
_remembered = lru_cache(maxsize=256)(_verified)


def verify(public_key: bytes, signature: bytes, message: bytes) -> None:
    """The holder of `public_key` signed exactly `message`; else this raises.

    Raises:
        EncodingError: `bad-public-key`.
        TrustError: `bad-signature`: of the wrong length too.
        HostError: `ed25519-unsupported`.
    """
    check_public_key(public_key)
    if len(signature) != 64:
        raise TrustError(
            "bad-signature", f"An Ed25519 signature has 64 bytes, not {len(signature)}."
        )
    try:
        check = _remembered if len(message) <= _REMEMBERED else _verified
        check(public_key, signature, message)
    except InvalidSignature as error:
        raise TrustError(
            "bad-signature", "The signature is not by this key over these bytes."
        ) from error
    except UnsupportedAlgorithm as error:
        raise _unsupported() from error


def encode_private_key(seed: bytes) -> bytes:
    """The seed as an unencrypted PKCS #8 PEM file (RFC 8410), which standard tools read.

    Raises:
        EncodingError: `bad-seed`.
    """
    if len(seed) != 32:
        raise EncodingError("bad-seed", f"A seed has 32 bytes, not {len(seed)}.")
    return (_PEM_HEAD + encode_base64(PKCS8 + seed) + _PEM_TAIL).encode("ascii")


def decode_private_key(data: bytes) -> Ed25519Signer:
    """The signer that `encode_private_key` wrote; exactly those bytes and no other spelling.

    Raises:
        EncodingError: `bad-private-key`. The message shows nothing of the file.
    """
    refusal = EncodingError(
        "bad-private-key", "This is not a private key file that groundwire wrote."
    )
    try:
        text = data.decode("ascii")
        der = decode_base64(text.removeprefix(_PEM_HEAD).removesuffix(_PEM_TAIL))
    except (UnicodeDecodeError, EncodingError):
        # `from None`: the cause would carry the file's bytes, and they may be a key.
        raise refusal from None
    seed = der.removeprefix(PKCS8)
    if len(seed) != 32 or encode_private_key(seed) != data:
        raise refusal
    return Ed25519Signer.from_seed(seed)


def _unsupported() -> HostError:
    return HostError(
        "ed25519-unsupported",
        "The installed cryptography library refuses Ed25519 (a FIPS build?); install one that"
        " has it.",
    )
