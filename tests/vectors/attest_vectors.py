"""The vectors of attest and keys: `python -m tests.vectors.attest_vectors` writes them anew.

Each file under vectors/attest and vectors/keys is named after the attack it stops. They are data
for other implementations too: nothing in them depends on this one. Ed25519 is deterministic, so
writing them anew changes nothing; a test holds them to that.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec

from groundwire.attest.statements import seal_certificate, seal_checkpoint, seal_redaction
from groundwire.canon.dsse import encode_base64
from groundwire.documents.entry import Envelope
from groundwire.documents.statement import Certificate
from groundwire.keys.keyring import Key, encode_keyring
from tests.unit.attest.samples import (
    CERTIFICATE,
    CHECKPOINT,
    DELETION,
    REDACTION,
    forge,
    forge_predicate,
    forge_statement,
    other_type,
    payload_of,
)
from tests.unit.keys.samples import BEGIN, END, IDENTITY, NOON, RUN_KEY, STRANGER, key_of, ring
from tests.vectors.key_vectors import keyrings

FOLDER = Path(__file__).resolve().parents[2] / "vectors"
AFTER = "2026-03-01T18:00:00.000001Z"
replace = msgspec.structs.replace
Vector = dict[str, object]


def _vector(
    about: str,
    document: str,
    envelope: Envelope,
    answer: str,
    *,
    keys: tuple[Key, ...] = (key_of(),),
    certificate: Certificate = CERTIFICATE,
    anchored_at: str | None = None,
) -> Vector:
    vector: Vector = {
        "about": about,
        "answer": answer,
        "document": document,
        "envelope": msgspec.to_builtins(envelope),
    }
    if document == "checkpoint":
        vector["certificate"] = msgspec.to_builtins(certificate)
    else:
        vector["keyring"] = msgspec.json.decode(encode_keyring(ring(*keys)))
        vector["anchored_at"] = anchored_at
    return vector


def _resigned(envelope: Envelope, **changes: str) -> Envelope:
    return replace(envelope, signatures=(replace(envelope.signatures[0], **changes),))


def _certificates() -> Iterator[tuple[str, Vector]]:
    sealed = seal_certificate(CERTIFICATE, IDENTITY)
    kind = "certificate"
    yield "certificate", _vector("A certificate that holds.", kind, sealed, "opens")
    yield (
        "certificate-by-a-stranger",
        _vector(
            "Well-formed, signed by a key that the keyring does not know.",
            kind,
            sealed,
            "unknown-signer",
            keys=(key_of(STRANGER),),
        ),
    )
    yield (
        "certificate-in-anothers-name",
        _vector(
            "A known key signs a certificate that names another identity.",
            kind,
            forge_predicate(CERTIFICATE, {}, signer=STRANGER),
            "identity-mismatch",
            keys=(key_of(), key_of(STRANGER)),
        ),
    )
    yield (
        "certificate-key-id-flipped",
        _vector(
            "The envelope's key id names no key: tampering, not a stranger.",
            kind,
            _resigned(sealed, keyid="ed25519:" + "0" * 64),
            "identity-mismatch",
        ),
    )
    yield (
        "certificate-by-a-key-for-approvals",
        _vector(
            "The key is trusted, for something else.",
            kind,
            sealed,
            "wrong-purpose",
            keys=(key_of(purposes=("approval",)),),
        ),
    )
    yield (
        "certificate-by-a-retired-key",
        _vector(
            "Signed at the moment the key was retired.",
            kind,
            sealed,
            "retired-key",
            keys=(key_of(state="retired", retired_at=BEGIN),),
        ),
    )
    revoked = (key_of(state="revoked", compromised_at=END),)
    yield (
        "certificate-by-a-revoked-key",
        _vector(
            "Dated before the compromise by nobody but its signer.",
            kind,
            sealed,
            "revoked-undecidable",
            keys=revoked,
        ),
    )
    yield (
        "certificate-by-a-revoked-key-anchored-before",
        _vector(
            "An anchor saw it before the compromise.",
            kind,
            sealed,
            "opens",
            keys=revoked,
            anchored_at=NOON,
        ),
    )
    yield (
        "certificate-by-a-revoked-key-anchored-after",
        _vector(
            "An anchor saw it only after the compromise.",
            kind,
            sealed,
            "revoked-undecidable",
            keys=revoked,
            anchored_at=AFTER,
        ),
    )
    yield (
        "certificate-without-an-end",
        _vector(
            "A missing end is not an endless one.",
            kind,
            forge_predicate(CERTIFICATE, {}, without=["not_after"]),
            "bad-predicate",
        ),
    )
    yield (
        "certificate-with-a-garbled-end",
        _vector(
            "A garbled end is not an endless one.",
            kind,
            forge_predicate(CERTIFICATE, {"not_after": "never"}),
            "bad-time",
        ),
    )
    yield (
        "certificate-for-the-identity-itself",
        _vector(
            "The run key is the identity key, which no run forgets.",
            kind,
            forge_predicate(
                CERTIFICATE,
                {"key": IDENTITY.key_id, "public_key": encode_base64(IDENTITY.public_key)},
            ),
            "bad-certificate",
        ),
    )
    yield (
        "certificate-for-a-key-everyone-signs-for",
        _vector(
            "The run key is the neutral point: anybody's signature verifies.",
            kind,
            forge_predicate(CERTIFICATE, {"public_key": encode_base64(b"\x01" + bytes(31))}),
            "bad-public-key",
        ),
    )
    yield (
        "certificate-of-another-payload-type",
        _vector(
            "Signed well, as bytes of another type.",
            kind,
            other_type(payload_of(CERTIFICATE), "application/json"),
            "wrong-payload-type",
        ),
    )
    yield (
        "deletion-offered-as-a-certificate",
        _vector(
            "A statement of another kind.",
            kind,
            forge(payload_of(DELETION)),
            "wrong-predicate-type",
        ),
    )


def _checkpoints() -> Iterator[tuple[str, Vector]]:
    sealed = seal_checkpoint(CHECKPOINT, RUN_KEY)
    kind = "checkpoint"
    yield "checkpoint", _vector("A checkpoint that holds.", kind, sealed, "opens")
    yield (
        "checkpoint-by-the-identity",
        _vector(
            "Signed by the identity instead of the key it certified.",
            kind,
            seal_checkpoint(CHECKPOINT, IDENTITY),
            "wrong-signer",
        ),
    )
    yield (
        "checkpoint-of-another-run",
        _vector(
            "The right key, another run.",
            kind,
            seal_checkpoint(replace(CHECKPOINT, run="run-b2"), RUN_KEY),
            "other-run",
        ),
    )
    yield (
        "checkpoint-after-its-window",
        _vector(
            "Dated a microsecond after the certificate's end.",
            kind,
            seal_checkpoint(replace(CHECKPOINT, at=AFTER), RUN_KEY),
            "outside-window",
        ),
    )
    yield (
        "checkpoint-with-another-subject",
        _vector(
            "The subject names another segment than the predicate.",
            kind,
            forge_statement(
                CHECKPOINT,
                {"subject": [{"name": "run-a1/1", "digest": {"rfc9162-sha256": "6" * 64}}]},
                RUN_KEY,
            ),
            "wrong-subject",
        ),
    )
    yield (
        "checkpoint-with-a-field-twice",
        _vector(
            "Which of two sizes was signed is not for a decoder to choose.",
            kind,
            forge(payload_of(CHECKPOINT).replace(b'"size":7', b'"size":9,"size":7'), RUN_KEY),
            "not-canonical",
        ),
    )
    yield (
        "checkpoint-with-an-unknown-field",
        _vector(
            "A closed document has no room for more.",
            kind,
            forge_predicate(CHECKPOINT, {"tail": 1}, signer=RUN_KEY),
            "bad-predicate",
        ),
    )
    yield (
        "checkpoint-with-two-signatures",
        _vector(
            "One signature, so that no byte of the envelope is free.",
            kind,
            replace(sealed, signatures=sealed.signatures * 2),
            "wrong-signature-count",
        ),
    )
    yield (
        "checkpoint-signature-without-padding",
        _vector(
            "The same signature in another spelling.",
            kind,
            _resigned(sealed, sig=sealed.signatures[0].sig.rstrip("=")),
            "bad-base64",
        ),
    )
    yield (
        "checkpoint-signature-of-other-bytes",
        _vector(
            "A good signature by the right key, over another checkpoint.",
            kind,
            _resigned(
                sealed, sig=seal_checkpoint(replace(CHECKPOINT, size=8), RUN_KEY).signatures[0].sig
            ),
            "bad-signature",
        ),
    )


def _redactions() -> Iterator[tuple[str, Vector]]:
    sealed = seal_redaction(REDACTION, IDENTITY)
    kind = "redaction"
    yield "redaction", _vector("A redaction that holds.", kind, sealed, "opens")
    one, two = REDACTION.commitments
    yield (
        "redaction-in-another-order",
        _vector(
            "The list is sorted: one list, one spelling.",
            kind,
            forge_predicate(REDACTION, {"commitments": [two, one]}),
            "bad-redaction",
        ),
    )
    yield (
        "redaction-list-under-another-subject",
        _vector(
            "The subject's digest is of another list.",
            kind,
            forge_predicate(REDACTION, {"commitments": [one]}),
            "wrong-subject",
        ),
    )


def vectors() -> dict[str, Vector]:
    """Each vector by its file name under vectors/."""
    attest = (*_certificates(), *_checkpoints(), *_redactions())
    return {f"attest/{name}.json": vector for name, vector in attest} | {
        f"keys/{name}.json": vector for name, vector in keyrings()
    }


def text_of(vector: Vector) -> str:
    """The file that holds the vector."""
    return json.dumps(vector, indent=2, sort_keys=True, ensure_ascii=True) + "\n"


def main() -> None:
    """Write every vector."""
    for name, vector in vectors().items():
        path = FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text_of(vector), encoding="ascii")


if __name__ == "__main__":
    main()
