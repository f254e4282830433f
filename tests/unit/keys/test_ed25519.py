from __future__ import annotations

import hashlib
import pickle

import pytest
from cryptography.hazmat.primitives import serialization

from groundwire.errors import EncodingError, TrustError
from groundwire.keys import ed25519
from groundwire.keys.ed25519 import (
    Ed25519Signer,
    decode_private_key,
    encode_private_key,
    key_id,
    verify,
)
from tests.unit.keys.samples import IDENTITY, STRANGER

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P

# RFC 8032, section 7.1: TEST 1 to TEST 3.
RFC_8032 = [
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        (
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e3970"
            "1cf9b46bd25bf5f0595bbe24655141438e7a100b"
        ),
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        (
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613"
            "d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        ),
    ),
    (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        (
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760"
            "984dc6594a7c15e9716ed28dc027beceea1ec40a"
        ),
    ),
]


@pytest.mark.parametrize(("seed", "public", "message", "signature"), RFC_8032)
def test_the_vectors_of_rfc_8032_come_out(
    seed: str, public: str, message: str, signature: str
) -> None:
    signer = Ed25519Signer.from_seed(bytes.fromhex(seed))
    assert signer.public_key.hex() == public
    assert signer.sign(bytes.fromhex(message)).hex() == signature
    verify(bytes.fromhex(public), bytes.fromhex(signature), bytes.fromhex(message))


def test_a_key_is_named_by_the_sha256_of_its_32_bytes() -> None:
    expected = "ed25519:" + hashlib.sha256(IDENTITY.public_key).hexdigest()
    assert key_id(IDENTITY.public_key) == IDENTITY.key_id == expected


def test_a_flipped_bit_of_signature_message_or_key_is_refused() -> None:
    message = b"exactly these bytes"
    signature = IDENTITY.sign(message)
    for place in range(64 * 8):
        flipped = bytearray(signature)
        flipped[place // 8] ^= 1 << place % 8
        with pytest.raises(TrustError) as refused:
            verify(IDENTITY.public_key, bytes(flipped), message)
        assert refused.value.reason == "bad-signature"
    with pytest.raises(TrustError):
        verify(IDENTITY.public_key, signature, message + b" ")
    with pytest.raises(TrustError):
        verify(STRANGER.public_key, signature, message)


def test_a_signature_with_the_group_order_added_is_refused() -> None:
    signature = IDENTITY.sign(b"m")
    scalar = int.from_bytes(signature[32:], "little") + ORDER
    with pytest.raises(TrustError):
        verify(IDENTITY.public_key, signature[:32] + scalar.to_bytes(32, "little"), b"m")


@pytest.mark.parametrize("size", [0, 63, 65, 128])
def test_a_signature_of_another_size_is_a_bad_signature(size: int) -> None:
    with pytest.raises(TrustError) as refused:
        verify(IDENTITY.public_key, b"\x01" * size, b"m")
    assert refused.value.reason == "bad-signature"


@pytest.mark.parametrize("size", [0, 31, 33, 64])
def test_a_public_key_of_another_size_is_refused(size: int) -> None:
    for use in (key_id, lambda key: verify(key, bytes(64), b"m")):
        with pytest.raises(EncodingError) as refused:
            use(b"\x07" * size)
        assert refused.value.reason == "bad-public-key"


@pytest.mark.parametrize("size", [0, 31, 33])
def test_a_seed_of_another_size_is_refused(size: int) -> None:
    for use in (Ed25519Signer.from_seed, encode_private_key):
        with pytest.raises(EncodingError) as refused:
            use(bytes(size))
        assert refused.value.reason == "bad-seed"


def _x_of(y: int) -> int | None:
    squared = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(squared, (P + 3) // 8, P)
    if x * x % P != squared:
        x = x * pow(2, (P - 1) // 4, P) % P
    return x if x * x % P == squared else None


def _add(left: tuple[int, int], right: tuple[int, int]) -> tuple[int, int]:
    cross = D * left[0] * right[0] * left[1] * right[1] % P
    x = (left[0] * right[1] + right[0] * left[1]) * pow(1 + cross, -1, P)
    y = (left[1] * right[1] + left[0] * right[0]) * pow(1 - cross, -1, P)
    return x % P, y % P


def _times(count: int, point: tuple[int, int]) -> tuple[int, int]:
    total = (0, 1)
    while count:
        if count & 1:
            total = _add(total, point)
        point, count = _add(point, point), count >> 1
    return total


def test_the_small_order_points_are_all_that_the_curve_has() -> None:
    found = set()
    for y in range(2, 40):
        x = _x_of(y)
        if x is not None:
            torsion = _times(ORDER, (x, y))
            found |= {_times(count, torsion)[1] for count in range(8)}
    assert found == set(ed25519._SMALL_ORDER)


def test_the_key_that_everyone_can_sign_for_is_refused() -> None:
    # For the neutral point, R = the base point and S = 1 verify over any message.
    neutral = (1).to_bytes(32, "little")
    base = (4 * pow(5, -1, P) % P).to_bytes(32, "little")
    forged = base + (1).to_bytes(32, "little")
    with pytest.raises(EncodingError) as refused:
        verify(neutral, forged, b"never signed by anybody")
    assert refused.value.reason == "bad-public-key"


@pytest.mark.parametrize("y", sorted(ed25519._SMALL_ORDER))
@pytest.mark.parametrize("sign", [0, 1 << 255])
def test_a_small_order_key_is_no_key(y: int, sign: int) -> None:
    with pytest.raises(EncodingError) as refused:
        key_id((y | sign).to_bytes(32, "little"))
    assert refused.value.reason == "bad-public-key"


@pytest.mark.parametrize("above", [0, 1, 3, 18])
def test_a_second_spelling_of_a_point_is_no_key(above: int) -> None:
    with pytest.raises(EncodingError) as refused:
        key_id((P + above).to_bytes(32, "little"))
    assert refused.value.reason == "bad-public-key"


def test_bytes_off_the_curve_verify_nothing() -> None:
    off = next(y for y in range(2, 40) if _x_of(y) is None)
    with pytest.raises(TrustError) as refused:
        verify(off.to_bytes(32, "little"), IDENTITY.sign(b"m"), b"m")
    assert refused.value.reason == "bad-signature"


def test_a_signer_shows_its_key_id_and_never_its_private_key() -> None:
    assert repr(IDENTITY) == f"Ed25519Signer({IDENTITY.key_id!r})"
    with pytest.raises(TrustError) as refused:
        pickle.dumps(IDENTITY)
    assert refused.value.reason == "key-not-copied"


def test_a_private_key_file_is_what_standard_tools_write_and_read() -> None:
    seed = bytes(range(32))
    data = encode_private_key(seed)
    loaded = serialization.load_pem_private_key(data, password=None)
    assert (
        loaded.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        == data
    )
    assert decode_private_key(data).key_id == Ed25519Signer.from_seed(seed).key_id


def _pem_variants() -> dict[str, bytes]:
    data = encode_private_key(bytes(range(32)))
    return {
        "empty": b"",
        "nul-filled": bytes(len(data)),
        "cut": data[:-2],
        "without its line feed": data[:-1],
        "with bytes after": data + b"\n",
        "with bytes before": b"comment\n" + data,
        "with other line ends": data.replace(b"\n", b"\r\n"),
        "not ASCII": data.replace(b"BEGIN", b"B\xc9GIN"),
        "another kind of key": data.replace(b"MC4CAQAwBQYDK2Vw", b"MC4CAQAwBQYDK2Vu"),
        "a seed alone": bytes(range(32)),
        "base64 alone": data.splitlines()[1],
        "base64 of a seed alone": data.replace(data.splitlines()[1], b"AAECAwQFBgc="),
    }


@pytest.mark.parametrize("name", _pem_variants())
def test_another_spelling_of_a_private_key_is_refused_and_not_shown(name: str) -> None:
    data = _pem_variants()[name]
    with pytest.raises(EncodingError) as refused:
        decode_private_key(data)
    assert refused.value.reason == "bad-private-key"
    assert refused.value.__cause__ is None
    assert "AAEC" not in str(refused.value)


@pytest.mark.parametrize("size", [0, 1 << 16, (1 << 16) + 1])
def test_whatever_its_size_a_message_is_held_against_its_signature(size: int) -> None:
    signer = Ed25519Signer.from_seed(bytes(32))
    message = b"m" * size
    signature = signer.sign(message)
    verify(signer.public_key, signature, message)
    for _ in range(2):  # what was refused is not remembered as good
        with pytest.raises(TrustError) as refused:
            verify(signer.public_key, signature, message + b"!")
        assert refused.value.reason == "bad-signature"


def test_what_was_signed_here_vouches_for_nothing_but_itself() -> None:
    signature = IDENTITY.sign(b"said")
    verify(IDENTITY.public_key, signature, b"said")
    for key, message in ((IDENTITY.public_key, b"unsaid"), (STRANGER.public_key, b"said")):
        with pytest.raises(TrustError, match="signature") as refused:
            verify(key, signature, message)
        assert refused.value.reason == "bad-signature"
    with pytest.raises(TrustError):
        verify(IDENTITY.public_key, signature[:-1] + b"\0", b"said")


def test_a_signature_that_did_not_hold_is_not_remembered() -> None:
    for _ in range(2):
        with pytest.raises(TrustError):
            verify(IDENTITY.public_key, bytes(64), b"never said")


def test_of_what_was_signed_here_a_bounded_number_is_remembered() -> None:
    for number in range(300):
        verify(IDENTITY.public_key, IDENTITY.sign(b"%d" % number), b"%d" % number)
    assert ed25519._remembered.cache_info().currsize == 256
    assert not ed25519._signing


def test_a_long_message_is_verified_each_time() -> None:
    message = bytes(1 << 15)
    signature = IDENTITY.sign(message)
    before = ed25519._remembered.cache_info()
    verify(IDENTITY.public_key, signature, message)
    assert ed25519._remembered.cache_info() == before
    with pytest.raises(TrustError):
        verify(IDENTITY.public_key, signature, message + b"x")
