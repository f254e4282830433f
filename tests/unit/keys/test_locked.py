"""A private key under a passphrase: standard bytes, one spelling, and it opens in one way only."""

from __future__ import annotations

import base64
import pickle

import pytest
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from groundwire.errors import EncodingError, GroundwireError, HostError, TrustError
from groundwire.keys import locked
from groundwire.keys.ed25519 import Ed25519Signer, encode_private_key
from groundwire.keys.locked import COST, SALT_BYTES, is_locked, lock_private_key, unlock_private_key

SEED = bytes(range(32))
DRAWN = bytes(range(100, 132))
WORDS = "correct horse battery"


@pytest.fixture
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guesses that cost nothing: what is tested is not their price."""
    monkeypatch.setattr(locked, "COST", 1 << 10)


def test_a_locked_key_opens_by_its_passphrase_and_by_no_other(cheap: None) -> None:
    data = lock_private_key(SEED, WORDS, DRAWN)
    assert unlock_private_key(data, WORDS).key_id == Ed25519Signer.from_seed(SEED).key_id
    for wrong in ("", WORDS + " ", WORDS.upper(), "correct horse batterz"):
        with pytest.raises(TrustError) as caught:
            unlock_private_key(data, wrong)
        assert caught.value.reason == "passphrase-wrong"
        assert not wrong or wrong not in str(caught.value)


def test_a_guess_costs_128_mebibytes() -> None:
    """N = 2**17 and blocks of 8: what OWASP asks for of scrypt, and twice 2**16."""
    assert COST * 8 * 128 == 128 << 20
    data = lock_private_key(SEED, WORDS, DRAWN)
    assert b"020000" in _der(data).hex().encode()


def _der(data: bytes) -> bytes:
    return base64.b64decode(b"".join(data.splitlines()[1:-1]))


def test_the_file_is_what_standard_tools_read() -> None:
    data = lock_private_key(SEED, WORDS, DRAWN)
    assert data.startswith(b"-----BEGIN ENCRYPTED PRIVATE KEY-----\n")
    assert max(map(len, data.splitlines())) <= 64
    read = load_pem_private_key(data, WORDS.encode())
    assert isinstance(read, Ed25519PrivateKey)
    assert read.private_bytes_raw() == SEED
    with pytest.raises(ValueError, match=r"password|decrypt"):
        load_pem_private_key(data, b"wrong" * 3)


def test_nothing_of_the_key_or_the_passphrase_stands_in_the_file(cheap: None) -> None:
    der = _der(lock_private_key(SEED, WORDS, DRAWN))
    assert SEED[:8] not in der
    assert WORDS.encode() not in der
    assert DRAWN[:16] in der
    assert DRAWN[16:] in der


def test_other_random_bytes_make_another_file(cheap: None) -> None:
    files = {
        lock_private_key(SEED, WORDS, bytes(at) + b"\x01" + bytes(31 - at)) for at in range(32)
    }
    assert len(files) == 32


def test_one_passphrase_is_one_however_its_accents_are_typed(cheap: None) -> None:
    data = lock_private_key(SEED, "caf\u00e9 au lait 12", DRAWN)
    assert unlock_private_key(data, "cafe\u0301 au lait 12").public_key
    lock_private_key(SEED, "\udcff lone half of a pair", DRAWN)


def test_every_flipped_byte_is_refused_or_another_key(cheap: None) -> None:
    """The format has no seal of its own: whoever opens a file compares the key's name."""
    data = lock_private_key(SEED, WORDS, DRAWN)
    own = Ed25519Signer.from_seed(SEED).key_id
    for at in range(len(data)):
        bad = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        try:
            opened = unlock_private_key(bad, WORDS).key_id
        except GroundwireError as error:
            opened = error.reason
        assert opened != own
        assert opened.startswith("ed25519:") or opened in {"bad-private-key", "passphrase-wrong"}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b"-----BEGIN ENCRYPTED PRIVATE KEY-----\n-----END ENCRYPTED PRIVATE KEY-----\n",
        encode_private_key(SEED),
        b"x" * 4096,
    ],
)
def test_what_is_no_locked_key_is_refused_without_showing_it(data: bytes) -> None:
    assert not is_locked(data)
    with pytest.raises(EncodingError) as caught:
        unlock_private_key(data, WORDS)
    assert caught.value.reason == "bad-private-key"
    assert caught.value.__cause__ is None


def test_another_spelling_of_the_same_key_is_none(cheap: None) -> None:
    data = lock_private_key(SEED, WORDS, DRAWN)
    assert is_locked(data)
    for other in (
        data + b"\n",
        data.replace(b"\n", b"\r\n"),
        data.replace(b"=", b""),
        b"\n" + data,
        data[:-1],
        data.replace(b"ENCRYPTED ", b""),
    ):
        if other != data:
            assert not is_locked(other)


def test_a_file_with_a_cheaper_guess_is_not_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(locked, "COST", 1 << 10)
        cheap_file = lock_private_key(SEED, WORDS, DRAWN)
    assert not is_locked(cheap_file)


def test_a_seed_or_random_bytes_of_another_length_are_refused() -> None:
    with pytest.raises(EncodingError) as caught:
        lock_private_key(SEED[:-1], WORDS, DRAWN)
    assert caught.value.reason == "bad-seed"
    with pytest.raises(EncodingError) as caught:
        lock_private_key(SEED, WORDS, DRAWN[:-1])
    assert caught.value.reason == "bad-salt"
    assert len(DRAWN) == SALT_BYTES


@pytest.mark.parametrize("error", [UnsupportedAlgorithm("no"), MemoryError()])
def test_a_machine_without_scrypt_or_memory_says_so(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> Scrypt:
        raise error

    monkeypatch.setattr(locked, "Scrypt", refuse)
    with pytest.raises(HostError) as caught:
        lock_private_key(SEED, WORDS, DRAWN)
    assert caught.value.reason == "scrypt-unsupported"


def test_the_signer_that_was_opened_is_not_pickled(cheap: None) -> None:
    signer = unlock_private_key(lock_private_key(SEED, WORDS, DRAWN), WORDS)
    with pytest.raises(TrustError):
        pickle.dumps(signer)
