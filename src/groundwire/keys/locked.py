"""Locked: a private key under a passphrase, as an encrypted PKCS #8 file (RFC 5958, RFC 8018).

The passphrase is stretched by scrypt (RFC 7914, section 7) and the seed encrypted by AES-256-CBC.
A guess costs 128 MiB and some tenths of a second: who has the file can guess on for ever, so what
protects it in the end is the passphrase.
"""

from __future__ import annotations

import binascii
import unicodedata
from typing import Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES256
from cryptography.hazmat.primitives.ciphers.modes import CBC
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from groundwire.canon.dsse import decode_base64, encode_base64
from groundwire.errors import EncodingError, HostError, TrustError
from groundwire.keys.ed25519 import PKCS8, Ed25519Signer

COST: Final = 1 << 17
"""scrypt's N; with blocks of 8 a guess takes 128 MiB."""

SALT_BYTES: Final = 32
"""What is drawn for one file: 16 bytes of salt, 16 of the cipher's initial value."""

_BLOCK: Final = 8
_HEAD: Final = "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
_TAIL: Final = "-----END ENCRYPTED PRIVATE KEY-----\n"
_COLUMNS: Final = 64

_PBES2: Final = bytes.fromhex("06092a864886f70d01050d")
_SCRYPT: Final = bytes.fromhex("06092b06010401da47040b")
_AES_256_CBC: Final = bytes.fromhex("060960864801650304012a")
_SEQUENCE: Final = 0x30
_OCTETS: Final = 0x04
_INTEGER: Final = 0x02


def lock_private_key(seed: bytes, passphrase: str, drawn: bytes) -> bytes:
    """The seed as an encrypted PKCS #8 PEM file, which opens by this passphrase only.

    `drawn` are `SALT_BYTES` random bytes that were used for nothing else. Does not ask whether the
    passphrase can be guessed.

    Raises:
        EncodingError: `bad-seed`, `bad-salt`.
        HostError: `scrypt-unsupported`.
    """
    if len(seed) != 32:
        raise EncodingError("bad-seed", f"A seed has 32 bytes, not {len(seed)}.")
    if len(drawn) != SALT_BYTES:
        raise EncodingError("bad-salt", f"A locked key takes {SALT_BYTES} bytes, not {len(drawn)}.")
    salt, initial = drawn[:16], drawn[16:]
    plain = PKCS8 + seed
    padding = 16 - len(plain) % 16
    cipher = Cipher(AES256(_stretched(passphrase, salt)), CBC(initial)).encryptor()
    return _spelled(salt, initial, cipher.update(plain + bytes([padding]) * padding))


def unlock_private_key(data: bytes, passphrase: str) -> Ed25519Signer:
    """The signer in the file that `lock_private_key` wrote, in exactly that spelling.

    The format has no seal: a file that somebody changed may open as another key, so whoever opens
    one compares the key's id.

    Raises:
        EncodingError: `bad-private-key`: it is no such file. The message shows nothing of it.
        TrustError: `passphrase-wrong`.
        HostError: `scrypt-unsupported`.
    """
    salt, initial, sealed = _parts(data)
    cipher = Cipher(AES256(_stretched(passphrase, salt)), CBC(initial)).decryptor()
    plain = cipher.update(sealed)
    seed = plain[len(PKCS8) : len(PKCS8) + 32]
    padding = 16 - (len(PKCS8) + 32) % 16
    if plain != PKCS8 + seed + bytes([padding]) * padding:
        raise TrustError("passphrase-wrong", "This is not the passphrase of the key; try again.")
    return Ed25519Signer.from_seed(seed)


def is_locked(data: bytes) -> bool:
    """Whether the file is a private key under a passphrase, as `lock_private_key` writes them."""
    try:
        _parts(data)
    except EncodingError:
        return False
    return True


def _parts(data: bytes) -> tuple[bytes, bytes, bytes]:
    """Salt, initial value and ciphertext of a file of exactly our spelling."""
    refusal = EncodingError(
        "bad-private-key", "This is not a locked private key file that groundwire wrote."
    )
    try:
        text = data.decode("ascii")
        der = decode_base64("".join(text.removeprefix(_HEAD).removesuffix(_TAIL).split("\n")))
    except (UnicodeDecodeError, EncodingError, binascii.Error):
        raise refusal from None
    size = (len(PKCS8) + 32) // 16 * 16 + 16
    model = _der(bytes(16), bytes(16), bytes(size))
    salt_at = model.index(_OCTETS.to_bytes() + b"\x10") + 2
    initial_at = len(model) - size - 2 - 16
    salt, initial = der[salt_at : salt_at + 16], der[initial_at : initial_at + 16]
    sealed = der[-size:]
    if len(der) != len(model) or _spelled(salt, initial, sealed) != data:
        raise refusal
    return salt, initial, sealed


def _spelled(salt: bytes, initial: bytes, sealed: bytes) -> bytes:
    text = encode_base64(_der(salt, initial, sealed))
    lines = [text[at : at + _COLUMNS] for at in range(0, len(text), _COLUMNS)]
    return (_HEAD + "".join(f"{line}\n" for line in lines) + _TAIL).encode("ascii")


def _der(salt: bytes, initial: bytes, sealed: bytes) -> bytes:
    """EncryptedPrivateKeyInfo with PBES2: scrypt, then AES-256-CBC."""
    cost = COST.to_bytes(COST.bit_length() // 8 + 1, "big")
    stretching = _tagged(
        _SEQUENCE,
        _tagged(_OCTETS, salt),
        _tagged(_INTEGER, cost),
        _tagged(_INTEGER, bytes([_BLOCK])),
        _tagged(_INTEGER, b"\x01"),
    )
    scheme = _tagged(
        _SEQUENCE,
        _PBES2,
        _tagged(
            _SEQUENCE,
            _tagged(_SEQUENCE, _SCRYPT, stretching),
            _tagged(_SEQUENCE, _AES_256_CBC, _tagged(_OCTETS, initial)),
        ),
    )
    return _tagged(_SEQUENCE, scheme, _tagged(_OCTETS, sealed))


def _tagged(tag: int, *parts: bytes) -> bytes:
    content = b"".join(parts)
    size = len(content)
    length = bytes([size]) if size < 0x80 else bytes([0x81, size])
    return bytes([tag]) + length + content


def _stretched(passphrase: str, salt: bytes) -> bytes:
    # One passphrase, however the keyboard spells its accents.
    typed = unicodedata.normalize("NFC", passphrase).encode("utf-8", "surrogatepass")
    try:
        return Scrypt(salt=salt, length=32, n=COST, r=_BLOCK, p=1).derive(typed)
    except (UnsupportedAlgorithm, MemoryError) as error:
        raise HostError(
            "scrypt-unsupported",
            "A locked key needs scrypt and 128 MiB of memory, and this machine has not both (a FIPS"
            " build of the cryptography library?).",
        ) from error
