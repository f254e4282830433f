"""The vectors of receipts, grants and attestations: `python -m tests.vectors.guard_vectors`.

Each file under vectors/guard is named after the attack it stops. They are data for other
implementations too; a test holds the files to what this module writes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec

from groundwire.attest.grants import seal_attestation, seal_grant
from groundwire.attest.receipts import seal_receipt
from groundwire.canon import jcs
from groundwire.canon.digest import sha256, tagged
from groundwire.documents.call import call_digest
from groundwire.documents.entry import Envelope
from groundwire.documents.receipt import Asked
from groundwire.keys.keyring import Key, encode_keyring
from tests.unit.attest.decisions import (
    ASKED,
    ATTESTATION,
    AUTHORITY,
    CALL,
    EXECUTOR,
    EXPIRES,
    GRANT,
    ISSUED,
    RECEIPT,
    SEALED,
    forge,
)
from tests.unit.keys.samples import BEGIN, IDENTITY, STRANGER, key_of, ring

FOLDER = Path(__file__).resolve().parents[2] / "vectors" / "guard"
NOW = "2026-03-01T12:05:00.000000Z"
BOTH = (AUTHORITY, key_of(EXECUTOR, purposes=("authority",)))
replace = msgspec.structs.replace
Vector = dict[str, object]


def _vector(
    about: str,
    document: str,
    envelope: Envelope,
    answer: str,
    *,
    asked: Asked = ASKED,
    keys: tuple[Key, ...] = BOTH,
    now: str = NOW,
    anchored_at: str | None = None,
) -> Vector:
    return {
        "about": about,
        "anchored_at": anchored_at,
        "answer": answer,
        "asked": msgspec.to_builtins(asked),
        "document": document,
        "envelope": msgspec.to_builtins(envelope),
        "executor": EXECUTOR.key_id,
        "grant": msgspec.to_builtins(GRANT),
        "keyring": msgspec.json.decode(encode_keyring(ring(*keys))),
        "now": now,
        "receipt": msgspec.to_builtins(SEALED),
    }


def _receipt(about: str, answer: str, **changes: object) -> Vector:
    return _vector(about, "receipt", seal_receipt(replace(RECEIPT, **changes), IDENTITY), answer)


def _forged(about: str, answer: str, changes: dict[str, jcs.JSON], *without: str) -> Vector:
    return _vector(about, "receipt", forge(RECEIPT, changes, without=without), answer)


def _hidden(about: str, answer: str) -> Vector:
    """The signed receipt with one of its residuals taken out, under the old signature."""
    cut = replace(RECEIPT, residuals=RECEIPT.residuals[1:])
    payload = seal_receipt(cut, IDENTITY).payload
    return _vector(about, "receipt", replace(SEALED, payload=payload), answer)


def _asked(about: str, answer: str, **changes: object) -> Vector:
    return _vector(about, "receipt", SEALED, answer, asked=replace(ASKED, **changes))


def _decisions() -> Iterator[tuple[str, Vector]]:
    yield "receipt", _receipt("A receipt that allows.", "permits")
    yield "receipt-that-warns", _receipt("A warning holds nothing up.", "permits", decision="warn")
    yield (
        "receipt-that-asks-a-person",
        _receipt("A person has to be asked first.", "held", decision="approve"),
    )
    yield "receipt-that-denies", _receipt("Denied is no permit.", "held", decision="deny")
    yield (
        "receipt-with-a-decision-nobody-knows",
        _forged("A word that is none of the four.", "bad-predicate", {"decision": "ALLOW"}),
    )
    yield (
        "receipt-without-a-decision",
        _forged("An absent decision allows nothing.", "bad-predicate", {}, "decision"),
    )
    yield (
        "receipt-decided-by-no-rule",
        _forged("A decision that no rule made.", "bad-receipt", {"rules": []}),
    )
    yield (
        "receipt-with-an-unknown-field",
        _forged("A field of another version.", "bad-predicate", {"override": True}),
    )
    yield (
        "receipt-with-two-residuals-of-which-one-is-hidden",
        _hidden("Two facts weaken it; the signed receipt had both.", "bad-signature"),
    )
    yield (
        "receipt-without-residuals",
        _forged(
            "A receipt that does not say whether any are so.", "bad-predicate", {}, "residuals"
        ),
    )
    yield (
        "receipt-with-residuals-out-of-order",
        _forged("One list has one spelling.", "bad-receipt",
                {"residuals": ["non-atomic", "environment-unknown"]}),
    )  # fmt: skip
    yield (
        "receipt-with-a-residual-nobody-knows",
        _forged("A fact that is none of those documented.", "bad-predicate",
                {"residuals": ["all-is-well"]}),
    )  # fmt: skip
    yield (
        "receipt-offered-as-a-grant",
        _vector("A receipt is no grant.", "grant", SEALED, "wrong-predicate-type"),
    )
    swapped = msgspec.to_builtins(replace(ASKED, changes=()))
    yield (
        "receipt-whose-subjects-are-of-other-changes",
        _forged(
            "Subjects name changes that are not decided on.", "wrong-subject", {"asked": swapped}
        ),
    )


def _times() -> Iterator[tuple[str, Vector]]:
    for name, about, expires in (
        ("not-a-number", "NaN is no time.", "NaN"),
        ("without-a-zone", "A time without a zone is none.", "2026-03-01T12:15:00.000000"),
        ("of-another-offset", "Times are in UTC.", "2026-03-01T14:15:00.000000+02:00"),
        ("garbled", "What cannot be read never means for ever.", "in 15 minutes"),
    ):
        yield f"receipt-expiry-{name}", _forged(about, "bad-time", {"expires": expires})
    yield (
        "receipt-expiry-null",
        _forged("Null is no end.", "bad-predicate", {"expires": None}),
    )
    yield (
        "receipt-without-an-expiry",
        _forged("An absent expiry is a malformed receipt.", "bad-predicate", {}, "expires"),
    )
    yield (
        "receipt-good-for-too-long",
        _forged("A tool call's receipt lasts 15 minutes at most.", "bad-receipt",
                {"expires": "2026-03-01T12:15:00.000001Z"}),
    )  # fmt: skip
    yield (
        "receipt-that-ends-before-it-begins",
        _forged("Good for no time at all.", "bad-receipt", {"expires": ISSUED}),
    )
    yield (
        "receipt-expired",
        _vector("At its very end it is over.", "receipt", SEALED, "receipt-expired", now=EXPIRES),
    )
    yield (
        "receipt-not-yet-valid",
        _vector("A clock was set back.", "receipt", SEALED, "receipt-not-yet-valid",
                now="2026-03-01T11:59:59.999999Z"),
    )  # fmt: skip


def _others() -> Iterator[tuple[str, Vector]]:
    other = call_digest(replace(CALL, arguments='{"path": "api/openapi.yaml"}'))
    yield (
        "receipt-of-another-call",
        _asked("One blank more is another call.", "other-call", call=other),
    )
    yield (
        "receipt-of-another-operation",
        _asked("A tool call's receipt deploys nothing.", "other-operation", operation="deploy"),
    )
    yield (
        "receipt-of-another-environment",
        _asked("Decided for production.", "other-environment", environment="staging"),
    )
    yield (
        "receipt-for-another-audience",
        _asked("Somebody else may act on it.", "other-audience", audience="another-host"),
    )
    yield (
        "receipt-by-another-policy",
        _asked("The policy has changed since.", "other-policy", policy=tagged("policy", b"")),
    )
    yield "receipt-of-another-run", _asked("Carried into another run.", "other-run", run="run-b2")
    yield "receipt-replayed", _asked("A later call of the run.", "other-sequence", sequence=4)
    payload = (replace(ASKED.changes[0], after=sha256(b"swapped")),)
    yield (
        "receipt-with-the-payload-swapped",
        _asked("Other bytes are to be written.", "other-changes", changes=payload),
    )


def _keys() -> Iterator[tuple[str, Vector]]:
    def by(about: str, answer: str, *keys: Key, anchored_at: str | None = None) -> Vector:
        return _vector(about, "receipt", SEALED, answer, keys=keys, anchored_at=anchored_at)

    authority = ("authority",)
    yield (
        "receipt-by-a-stranger",
        by("The keyring does not know the signer.", "unknown-signer", key_of(STRANGER)),
    )
    yield (
        "receipt-by-a-recording-key",
        by("The key is trusted for recording.", "wrong-purpose", key_of()),
    )
    yield (
        "receipt-by-a-key-not-yet-valid",
        by("Signed before the key was good.", "key-not-yet-valid",
           key_of(purposes=authority, not_before=EXPIRES)),
    )  # fmt: skip
    yield (
        "receipt-by-a-retired-key",
        by("Signed at the moment the key was retired.", "retired-key",
           key_of(purposes=authority, state="retired", retired_at=ISSUED)),
    )  # fmt: skip
    revoked = key_of(purposes=authority, state="revoked", compromised_at=BEGIN)
    yield "receipt-by-a-revoked-key", by("Signed after the compromise.", "revoked-key", revoked)
    later = key_of(purposes=authority, state="revoked", compromised_at=EXPIRES)
    yield (
        "receipt-by-an-undecidable-key",
        by("Dated before the compromise by nobody but its signer.", "revoked-undecidable", later),
    )
    yield (
        "receipt-in-anothers-name",
        _vector("A known key signs in the authority's name.", "receipt",
                forge(RECEIPT, {}, signer=STRANGER), "identity-mismatch"),
    )  # fmt: skip
    signature = replace(SEALED.signatures[0], sig=seal_grant(GRANT, IDENTITY).signatures[0].sig)
    yield (
        "receipt-under-the-signature-of-a-grant",
        _vector("The signature is over other bytes.", "receipt",
                replace(SEALED, signatures=(signature,)), "bad-signature"),
    )  # fmt: skip


def _grants() -> Iterator[tuple[str, Vector]]:
    def sealed(about: str, answer: str, **changes: object) -> Vector:
        return _vector(about, "grant", seal_grant(replace(GRANT, **changes), IDENTITY), answer)

    yield "grant", sealed("A grant that holds.", "opens")
    yield (
        "grant-of-another-receipt",
        sealed("Spliced onto another decision.", "other-receipt", receipt=sha256(b"another")),
    )
    yield (
        "grant-of-another-call",
        sealed("Names another call than its receipt.", "other-call", call=tagged("call", b"")),
    )
    yield (
        "grant-of-other-changes",
        sealed("Writes what was not judged.", "other-changes", changes=(), expected=()),
    )
    yield (
        "grant-for-another-executor",
        sealed("Somebody else may use it.", "other-executor", executor=IDENTITY.key_id),
    )
    yield (
        "grant-that-outlives-its-receipt",
        sealed("Good for longer than the decision.", "grant-outlives-receipt",
               expires="2026-03-01T12:15:00.000001Z"),
    )  # fmt: skip
    yield (
        "grant-expired",
        sealed("Over before its receipt is.", "grant-expired", expires=NOW),
    )
    yield (
        "grant-not-yet-valid",
        sealed("Issued later than now.", "grant-not-yet-valid",
               issued="2026-03-01T12:05:00.000001Z"),
    )  # fmt: skip
    yield (
        "grant-without-its-tokens",
        _vector("Nothing to compare the target with.", "grant",
                forge(GRANT, {"expected": []}), "bad-grant"),
    )  # fmt: skip
    yield (
        "grant-with-an-id-anybody-guesses",
        _vector("A single-use id is long.", "grant", forge(GRANT, {"id": "1"}), "bad-grant"),
    )


def _attestations() -> Iterator[tuple[str, Vector]]:
    def sealed(about: str, answer: str, **changes: object) -> Vector:
        attestation = seal_attestation(replace(ATTESTATION, **changes), EXECUTOR)
        return _vector(about, "attestation", attestation, answer)

    yield "attestation", sealed("An attestation that holds.", "opens")
    yield "attestation-of-another-grant", sealed("Spliced.", "other-grant", grant="f" * 32)
    yield (
        "attestation-of-another-receipt",
        sealed("Spliced onto another decision.", "other-receipt", receipt=sha256(b"another")),
    )
    yield (
        "attestation-of-another-call",
        sealed("Names another call.", "other-call", call=tagged("call", b"")),
    )
    yield (
        "attestation-by-another-executor",
        _vector("Well signed, by somebody else.", "attestation",
                seal_attestation(replace(ATTESTATION, executor=IDENTITY.key_id), IDENTITY),
                "other-executor"),
    )  # fmt: skip
    yield (
        "attestation-older-than-its-grant",
        sealed("Says it was done beforehand.", "attested-before-grant",
               at="2026-03-01T11:59:59.999999Z"),
    )  # fmt: skip


def vectors() -> dict[str, Vector]:
    """Every vector by the name of its file."""
    makers = (_decisions, _times, _others, _keys, _grants, _attestations)
    return {f"{name}.json": vector for maker in makers for name, vector in maker()}


def text_of(vector: Vector) -> str:
    """The vector as its file holds it."""
    return json.dumps(vector, indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, vector in vectors().items():
        (FOLDER / name).write_text(text_of(vector), encoding="utf-8")
