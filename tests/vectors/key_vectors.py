"""Keyrings as text, and the one answer that each of them gets; see attest_vectors.py."""

from __future__ import annotations

from collections.abc import Iterator

from groundwire.canon.dsse import encode_base64
from groundwire.keys.keyring import encode_keyring
from tests.unit.keys.samples import IDENTITY, STRANGER, key_of, ring

Vector = dict[str, object]


def keyrings() -> Iterator[tuple[str, Vector]]:
    """Each keyring by the name of its file."""
    whole = encode_keyring(ring(key_of())).decode()
    twice = whole.replace(
        "}]}", "}," + whole[whole.index('{"comment"') : whole.index("]}\n")] + "]}"
    )

    def vector(about: str, text: str, answer: str) -> Vector:
        return {"about": about, "answer": answer, "keyring": text}

    yield "keyring", vector("A keyring that is read.", whole, "read")
    yield (
        "an-approvers-key",
        vector(
            "A key that approves, which opens by a person's passphrase.",
            encode_keyring(ring(key_of(purposes=("approval",), custody="passphrase"))).decode(),
            "read",
        ),
    )
    yield "one-key-twice", vector("Two entries, one name.", twice, "duplicate-key")
    yield (
        "a-name-of-another-key",
        vector(
            "The id is not computed from the key that stands there.",
            whole.replace(IDENTITY.key_id, STRANGER.key_id),
            "key-id-mismatch",
        ),
    )
    yield (
        "a-garbled-end-is-not-endless",
        vector(
            "not_after is there and is no time.",
            whole.replace('"not_after":null', '"not_after":"never"'),
            "bad-time",
        ),
    )
    yield (
        "an-absent-end-is-not-endless",
        vector("not_after is not there.", whole.replace('"not_after":null,', ""), "bad-keyring"),
    )
    yield (
        "an-unknown-state",
        vector("A state of nobody's.", whole.replace('"active"', '"trusted"'), "bad-keyring"),
    )
    yield (
        "a-state-written-twice",
        vector(
            "Revoked for one decoder, active for another.",
            whole.replace('"state":', '"state":"revoked","state":'),
            "not-canonical",
        ),
    )
    yield (
        "a-custody-of-its-own-making",
        vector("No such custody.", whole.replace('"in-process"', '"vault"'), "bad-keyring"),
    )
    yield (
        "revoked-since-nobody-knows-when",
        vector(
            "Revoked, and no compromised_at.",
            whole.replace('"active"', '"revoked"'),
            "bad-key",
        ),
    )
    yield (
        "a-comment-that-clears-the-screen",
        vector(
            "Control characters reach a terminal.",
            whole.replace("the build machine", "\\u001b[2J"),
            "bad-comment",
        ),
    )
    yield (
        "a-key-everyone-signs-for",
        vector(
            "The neutral point as a public key.",
            whole.replace(encode_base64(IDENTITY.public_key), encode_base64(b"\x01" + bytes(31))),
            "bad-public-key",
        ),
    )
