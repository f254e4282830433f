from __future__ import annotations

from itertools import product

import pytest

from groundwire.canon.dsse import encode_base64
from groundwire.errors import EncodingError, TrustError
from groundwire.keys.keyring import (
    MAX_KEYRING_BYTES,
    Key,
    decode_keyring,
    encode_keyring,
    refusal_of,
)
from tests.unit.keys.samples import BEGIN, END, IDENTITY, NOON, STRANGER, key_of, ring

BEFORE = "2026-03-01T07:59:59.999999Z"
MORNING = "2026-03-01T09:00:00.000000Z"
EVENING = "2026-03-01T17:00:00.000000Z"
AFTER = "2026-03-01T18:00:00.000001Z"

STATES = {
    "active": {"state": "active"},
    "retired": {"state": "retired", "retired_at": NOON},
    "revoked": {"state": "revoked", "compromised_at": NOON},
}
PURPOSES = {"has it": ("approval", "recording"), "has it not": ("authority",)}
SIGNED = {"before its begin": BEFORE, "early": MORNING, "at noon": NOON, "late": EVENING}
SIGNED |= {"after its end": AFTER}
ANCHORED = {"never": None, "early": MORNING, "at noon": NOON, "late": EVENING}


def expected(state: str, purpose: str, signed: str, anchored: str) -> str:
    """The table in words, written apart from the code: noon is when the key retired or leaked."""
    if purpose == "has it not":
        return "wrong-purpose"
    if signed == "before its begin":
        return "key-not-yet-valid"
    if signed == "after its end":
        return "expired-key"
    if state == "active":
        return "counts"
    if state == "retired":
        return "counts" if signed == "early" else "retired-key"
    if signed in {"at noon", "late"}:
        return "revoked-key"
    return "counts" if anchored == "early" else "revoked-undecidable"


def judged(key: Key, signed: str, anchored: str | None) -> str:
    try:
        assert ring(key).judge(key.id, "recording", signed, anchored) is key
    except TrustError as error:
        return error.reason
    return "counts"


def test_the_truth_table_is_total_and_as_written(capsys: pytest.CaptureFixture[str]) -> None:
    print("state    purpose     signed            anchored  answer")
    seen = set()
    for state, purpose, signed, anchored in product(STATES, PURPOSES, SIGNED, ANCHORED):
        key = key_of(purposes=PURPOSES[purpose], not_after=END, **STATES[state])
        answer = judged(key, SIGNED[signed], ANCHORED[anchored])
        print(f"{state:8} {purpose:11} {signed:17} {anchored:9} {answer}")
        assert answer == expected(state, purpose, signed, anchored)
        seen.add(answer)
    table = capsys.readouterr().out
    assert table.count("\n") == 1 + 3 * 2 * 5 * 4
    assert seen == {
        "counts",
        "wrong-purpose",
        "key-not-yet-valid",
        "expired-key",
        "retired-key",
        "revoked-key",
        "revoked-undecidable",
    }


def test_a_stranger_is_an_unknown_signer_whatever_the_rest() -> None:
    for keys in ((), (key_of(),)):
        with pytest.raises(TrustError) as refused:
            ring(*keys).judge(STRANGER.key_id, "recording", NOON, NOON)
        assert refused.value.reason == "unknown-signer"
        assert "the test's keyring" in str(refused.value)


def test_the_ends_of_a_window_are_in_it() -> None:
    key = key_of(not_after=END)
    assert refusal_of(key, "recording", BEGIN, None) is None
    assert refusal_of(key, "recording", END, None) is None


def test_a_key_that_was_retired_and_then_stolen_is_bound_by_both() -> None:
    key = key_of(state="revoked", retired_at=MORNING, compromised_at=EVENING)
    assert refusal_of(key, "recording", NOON, NOON) == "retired-key"
    assert refusal_of(key, "recording", BEGIN, NOON) is None
    assert refusal_of(key, "recording", BEGIN, None) == "revoked-undecidable"


def test_a_key_compromised_from_its_beginning_counts_for_nothing() -> None:
    key = key_of(state="revoked", compromised_at=BEGIN)
    assert refusal_of(key, "recording", BEGIN, BEFORE) == "revoked-key"


@pytest.mark.parametrize("garbled", ["", "yesterday", "2026-03-01T12:00:00Z"])
def test_a_garbled_time_of_the_document_is_refused_before_anything_is_decided(garbled: str) -> None:
    for state in STATES.values():
        for signed, seen in ((garbled, None), (NOON, garbled)):
            with pytest.raises(EncodingError) as refused:
                ring(key_of(**state)).judge(IDENTITY.key_id, "recording", signed, seen)
            assert refused.value.reason == "bad-time"


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("signed", ["before its begin", "at noon", "after its end"])
def test_each_refusal_is_a_sentence_that_names_the_key(state: str, signed: str) -> None:
    for purposes in PURPOSES.values():
        key = key_of(purposes=purposes, not_after=END, **STATES[state])
        if judged(key, SIGNED[signed], None) == "counts":
            continue
        with pytest.raises(TrustError) as refused:
            ring(key).judge(key.id, "recording", SIGNED[signed], None)
        assert key.id in str(refused.value)
        assert str(refused.value).endswith(".")


def test_a_keyring_comes_back_as_it_was_written() -> None:
    keyring = ring(
        key_of(purposes=("recording", "approval"), comment="Zoë's laptop"),
        key_of(STRANGER, state="revoked", compromised_at=NOON, custody="hardware"),
    )
    data = encode_keyring(keyring)
    assert data.endswith(b"}\n")
    assert decode_keyring(data, keyring.source) == keyring
    assert decode_keyring(data.removesuffix(b"\n"), keyring.source) == keyring


def test_a_keyring_with_no_keys_trusts_nobody() -> None:
    keyring = decode_keyring(b'{"format":"groundwire-keyring/1","keys":[]}', "an empty file")
    with pytest.raises(TrustError):
        keyring.judge(IDENTITY.key_id, "recording", NOON, None)


def written(*keys: Key) -> bytes:
    return encode_keyring(ring(*keys))


WHOLE = written(key_of())
GARBLED = {
    "state": (b'"active"', b'"trusted"', "bad-keyring"),
    "state in capitals": (b'"active"', b'"Active"', "bad-keyring"),
    "custody": (b'"in-process"', b'"somewhere"', "bad-keyring"),
    "purpose": (b'"recording"', b'"everything"', "bad-keyring"),
    "purpose as one text": (b'["recording"]', b'"recording"', "bad-keyring"),
    "no purpose": (b'["recording"]', b"[]", "bad-key"),
    "a purpose twice": (b'["recording"]', b'["recording","recording"]', "bad-key"),
    "begin": (BEGIN.encode(), b"2026-03-01T08:00:00Z", "bad-time"),
    "begin as a number": (b'"' + BEGIN.encode() + b'"', b"1772352000", "bad-keyring"),
    "end": (b'"not_after":null', b'"not_after":"never"', "bad-time"),
    "end before begin": (
        b'"not_after":null',
        b'"not_after":"' + BEFORE.encode() + b'"',
        "bad-key",
    ),
    "an empty end": (b'"not_after":null', b'"not_after":""', "bad-time"),
    "a missing end": (b'"not_after":null,', b"", "bad-keyring"),
    "a missing state": (b',"state":"active"', b"", "bad-keyring"),
    "an unknown field": (b'"state"', b'"stage":1,"state"', "bad-keyring"),
    "another format": (b"keyring/1", b"keyring/2", "bad-keyring"),
    "a colour code in the comment": (b"the build", b"\\u001b[2J", "bad-comment"),
    "a text direction in the comment": (b"the build", "\u202ethe".encode(), "bad-comment"),
    "a key id of another key": (
        IDENTITY.key_id.encode(),
        STRANGER.key_id.encode(),
        "key-id-mismatch",
    ),
    "a key id that is no digest": (
        IDENTITY.key_id.encode(),
        b"ed25519:the-admin",
        "key-id-mismatch",
    ),
    "a short public key": (
        encode_base64(IDENTITY.public_key).encode(),
        encode_base64(bytes(31)).encode(),
        "bad-public-key",
    ),
    "active, yet retired": (
        b'"retired_at":null',
        b'"retired_at":"' + NOON.encode() + b'"',
        "bad-key",
    ),
    "active, yet compromised": (
        b'"compromised_at":null',
        b'"compromised_at":"' + NOON.encode() + b'"',
        "bad-key",
    ),
    "retired without a time": (b'"active"', b'"retired"', "bad-key"),
    "revoked without a time": (b'"active"', b'"revoked"', "bad-key"),
    "spaces": (b'"keys":[', b'"keys": [', "not-canonical"),
    "a key field twice": (b'"comment"', b'"comment":"","comment"', "not-canonical"),
}


@pytest.mark.parametrize("name", GARBLED)
def test_a_garbled_keyring_is_refused_whole(name: str) -> None:
    old, new, reason = GARBLED[name]
    assert WHOLE.count(old) == 1
    with pytest.raises(EncodingError) as refused:
        decode_keyring(WHOLE.replace(old, new), "the file")
    assert refused.value.reason == reason


@pytest.mark.parametrize(
    "data",
    [b"", b"\n", b"null", b"[]", b"{}", b"\xff\xfe", b"{" * 5000, WHOLE + b"\n", b" " + WHOLE],
)
def test_what_is_no_keyring_is_an_encoding_error(data: bytes) -> None:
    with pytest.raises(EncodingError):
        decode_keyring(data, "the file")


def test_a_keyring_beyond_the_bound_is_not_read() -> None:
    with pytest.raises(EncodingError) as refused:
        decode_keyring(b" " * (MAX_KEYRING_BYTES + 1), "the file")
    assert refused.value.reason == "too-large"


def test_a_key_that_stands_twice_is_refused_even_with_other_words_about_it() -> None:
    for second in (key_of(), key_of(purposes=("approval",)), key_of(custody="hardware")):
        with pytest.raises(EncodingError) as refused:
            ring(key_of(), second)
        assert refused.value.reason == "duplicate-key"


def test_a_keyring_object_cannot_be_made_of_what_the_file_could_not_say() -> None:
    for changes in ({"state": "trusted"}, {"custody": "mine"}, {"purposes": ("all",)}):
        with pytest.raises(EncodingError) as refused:
            ring(key_of(**changes))
        assert refused.value.reason == "bad-key"


def test_a_public_key_in_the_other_base64_alphabet_is_refused() -> None:
    signer = next(
        signer
        for signer in (IDENTITY.from_seed(bytes([number]) * 32) for number in range(255))
        if {"+", "/"} & set(encode_base64(signer.public_key))
    )
    text = encode_base64(signer.public_key).replace("+", "-").replace("/", "_")
    with pytest.raises(EncodingError) as refused:
        ring(key_of(signer, public_key=text))
    assert refused.value.reason == "bad-base64"
