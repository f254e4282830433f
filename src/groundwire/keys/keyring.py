"""Keyring: which keys a verifier trusts, for what, when, and how they are kept.

A keyring is given to the verifier by its user. It is never read from the evidence, and what it
says of a key (purpose, state, custody) no signer can say of itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias, assert_never

import msgspec

from groundwire.canon import jcs
from groundwire.canon.dsse import decode_base64, encode_base64
from groundwire.errors import EncodingError, TrustError
from groundwire.keys.ed25519 import key_id
from groundwire.keys.times import parse_time

Purpose: TypeAlias = Literal["recording", "approval", "authority", "service"]
State: TypeAlias = Literal["active", "retired", "revoked"]
Custody: TypeAlias = Literal["in-process", "passphrase", "other-user-agent", "hardware"]
Refusal: TypeAlias = Literal[
    "wrong-purpose",
    "key-not-yet-valid",
    "expired-key",
    "retired-key",
    "revoked-key",
    "revoked-undecidable",
]

KEYRING_FORMAT: Final = "groundwire-keyring/1"
MAX_KEYRING_BYTES = 1 << 20
MAX_COMMENT_CHARACTERS = 200


class Key(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A public key and what the keyring's owner says of it.

    `public_key` is the base64 of 32 bytes and `id` its computed name. Times are as in
    `keys/times.py`. `not_after` is null for no end. `retired_at` stands where the key was retired
    (it may have been revoked later), `compromised_at` exactly where it is revoked: the moment
    from which somebody else may have held it.
    """

    comment: str
    compromised_at: str | None
    custody: Custody
    id: str
    not_after: str | None
    not_before: str
    public_key: str
    purposes: tuple[Purpose, ...]
    retired_at: str | None
    state: State


class Keyring(msgspec.Struct, frozen=True):
    """Keys that were checked when this was made; `source` says where they came from.

    Raises:
        EncodingError: a key that is not what it says, or an id that stands twice.
    """

    keys: tuple[Key, ...]
    source: str

    def __post_init__(self) -> None:
        names = set()
        for key in self.keys:
            _check_key(key)
            if key.id in names:
                raise EncodingError(
                    "duplicate-key", f"{key.id} stands twice in the keyring {self.source}."
                )
            names.add(key.id)

    def find(self, key_id: str) -> Key | None:
        """The key of this name, whatever it is trusted for."""
        return next((key for key in self.keys if key.id == key_id), None)

    def judge(self, key_id: str, purpose: Purpose, at: str, anchored_at: str | None) -> Key:
        """The key of this name, trusted for `purpose` in a document that says it was signed `at`.

        `at` is the signer's own word. `anchored_at` is when somebody else saw the signed bytes;
        only that counts against a revoked key, whose thief would write any `at`. A retired key is
        taken at its word: retire what was replaced, revoke what was stolen.

        Does not check a signature.

        Raises:
            TrustError: `unknown-signer` or the refusal of `refusal_of`.
            EncodingError: `bad-time`.
        """
        key = self.find(key_id)
        if key is None:
            raise unknown_signer(key_id, self.source)
        refusal = refusal_of(key, purpose, at, anchored_at)
        if refusal is not None:
            raise _refused(key, refusal, purpose, at)
        return key


def unknown_signer(key_id: str, source: str) -> TrustError:
    """The error that says that no key of this name is in the keyring from `source`."""
    return TrustError(
        "unknown-signer",
        f"{key_id[:80]} is not in the keyring {source}; give a keyring that has it, from"
        " somebody you trust.",
    )


def refusal_of(key: Key, purpose: Purpose, at: str, anchored_at: str | None) -> Refusal | None:
    """Why a document of this purpose, signed `at` by its own word, does not count; None: it does.

    Total over state, purpose and time; the table is printed by tests/unit/keys/test_keyring.py.
    Ends are open: a key is good from `not_before` on, up to and with `not_after`, before
    `retired_at`, and before `compromised_at`.

    Raises:
        EncodingError: `bad-time`.
    """
    signed, seen = parse_time(at), None if anchored_at is None else parse_time(anchored_at)
    if purpose not in key.purposes:
        return "wrong-purpose"
    if signed < parse_time(key.not_before):
        return "key-not-yet-valid"
    if key.not_after is not None and signed > parse_time(key.not_after):
        return "expired-key"
    if key.retired_at is not None and signed >= parse_time(key.retired_at):
        return "retired-key"
    match key.state:
        case "active" | "retired":
            return None
        case "revoked":
            # `_check_key` has seen to it that a revoked key says since when.
            compromised = parse_time(key.compromised_at or key.not_before)
            if signed >= compromised:
                return "revoked-key"
            return None if seen is not None and seen < compromised else "revoked-undecidable"
        case _:
            assert_never(key.state)


class _Document(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    format: Literal["groundwire-keyring/1"]
    keys: tuple[Key, ...]


def decode_keyring(data: bytes, source: str) -> Keyring:
    """The keyring that these bytes are: one canonical JSON document, one line feed at most.

    `source` is what a verdict will call it: a path, or "your own keys".

    Raises:
        EncodingError: anything else. Nothing of a keyring is used if any of it is wrong.
    """
    if len(data) > MAX_KEYRING_BYTES:
        raise EncodingError(
            "too-large", f"The keyring {source} has over {MAX_KEYRING_BYTES} bytes."
        )
    text = data.removesuffix(b"\n")
    try:
        document = msgspec.json.decode(text, type=_Document)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise EncodingError(
            "bad-keyring",
            f"The keyring {source} is not of format {KEYRING_FORMAT}: {error}. Export it anew.",
        ) from error
    keyring = Keyring(document.keys, source)
    if encode_keyring(keyring) != text + b"\n":
        raise EncodingError("not-canonical", f"The keyring {source} is not canonical JSON.")
    return keyring


def encode_keyring(keyring: Keyring) -> bytes:
    """The keyring as a file: canonical JSON and a line feed; public keys only."""
    document: Mapping[str, jcs.JSON] = msgspec.to_builtins(
        _Document(format=KEYRING_FORMAT, keys=keyring.keys)
    )
    return jcs.encode(document) + b"\n"


def _check_key(key: Key) -> None:
    """The key is whole, whoever made the object; else EncodingError."""
    try:
        msgspec.convert(msgspec.to_builtins(key), Key)
    except msgspec.ValidationError as error:
        raise EncodingError("bad-key", f"A key of the keyring is malformed: {error}.") from error
    if key.id != key_id(decode_public_key(key.public_key)):
        raise EncodingError(
            "key-id-mismatch", f"{key.id[:80]!a} is not the name of the key that stands there."
        )
    if not key.purposes or len(set(key.purposes)) != len(key.purposes):
        raise EncodingError("bad-key", f"{key.id} needs one purpose or more, each once.")
    if len(key.comment) > MAX_COMMENT_CHARACTERS or not key.comment.isprintable():
        raise EncodingError(
            "bad-comment",
            f"The comment of {key.id} must be at most {MAX_COMMENT_CHARACTERS} printable"
            " characters.",
        )
    _check_times(key)


def _check_times(key: Key) -> None:
    begin = parse_time(key.not_before)
    if key.not_after is not None and parse_time(key.not_after) < begin:
        raise EncodingError("bad-key", f"{key.id} ends before it begins.")
    for moment in (key.retired_at, key.compromised_at):
        if moment is not None:
            parse_time(moment)
    stated = (key.retired_at is not None, key.compromised_at is not None)
    match key.state:
        case "active":
            fits = stated == (False, False)
        case "retired":
            fits = stated == (True, False)
        case "revoked":
            fits = stated[1]
        case _:
            assert_never(key.state)
    if not fits:
        raise EncodingError(
            "bad-key",
            f"{key.id} is {key.state}, which does not go with its retired_at and compromised_at.",
        )


def decode_public_key(text: str) -> bytes:
    """The 32 bytes of a public key in standard base64; not yet known to be a key.

    Raises:
        EncodingError: `bad-base64`.
    """
    data = decode_base64(text)
    if encode_base64(data) != text:
        raise EncodingError("bad-base64", "A public key is written in the standard alphabet.")
    return data


def _refused(key: Key, refusal: Refusal, purpose: Purpose, at: str) -> TrustError:
    said = f"the document says {at}."
    match refusal:
        case "wrong-purpose":
            trusted = ", ".join(key.purposes)
            return TrustError("wrong-purpose", f"{key.id} is for {trusted}, not for {purpose}.")
        case "key-not-yet-valid":
            return TrustError(
                "key-not-yet-valid", f"{key.id} is good from {key.not_before}; {said}"
            )
        case "expired-key":
            return TrustError("expired-key", f"{key.id} was good until {key.not_after}; {said}")
        case "retired-key":
            return TrustError("retired-key", f"{key.id} was retired at {key.retired_at}; {said}")
        case "revoked-key":
            return TrustError(
                "revoked-key", f"{key.id} is revoked from {key.compromised_at}; {said}"
            )
        case "revoked-undecidable":
            return TrustError(
                "revoked-undecidable",
                f"{key.id} is revoked from {key.compromised_at}, and no anchor from before then"
                " has seen these bytes: they may be forged. Notes of anchors carry no time yet.",
            )
        case _:
            assert_never(refusal)
