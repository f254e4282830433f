"""Vectors of verify about guarded calls, written from the reference pages alone.

As all of `recording_vectors`, by the second writer of the tests: no code of the package makes them.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from typing import Any

from tests.recordings import (
    IDENTITY,
    STATEMENT,
    STRANGER,
    Draft,
    Hand,
    canonical,
    keyring_document,
    sha256,
    tagged,
)

Vector = tuple[str, str, bytes, str, dict[str, Any]]

AUTHORITY = Hand("authority")
EXECUTOR = Hand("executor")
AT = "2026-05-04T10:21:00.000000Z"
CALL = tagged("call", b"edit_spec", b'{"path":"api.yaml"}', b"call-7")
FILE = {"kind": "files", "path": "api.yaml", "root": "/project"}
BEFORE, AFTER = sha256(b"before"), sha256(b"after")
ASKED = {
    "audience": "harbour-watch",
    "call": CALL,
    "changes": [
        {
            "after": AFTER,
            "before": BEFORE,
            "kind": "changed",
            "mode": None,
            "name": FILE,
            "to": None,
        }
    ],
    "environment": "production",
    "operation": "tool_call",
    "policy": tagged("policy", b"policy"),
    "run": "run-harbour-1",
    "sequence": 0,
}
SEEN = [{"claim": "none", "name": FILE, "seen": "content-match"}]


def trusting(**changes: Any) -> dict[str, Any]:
    """The keyring of a verifier that knows who recorded, decided and carried out."""
    found: dict[str, Any] = json.loads(keyring_document(IDENTITY))
    for hand in (AUTHORITY, EXECUTOR):
        (key,) = json.loads(keyring_document(hand, purposes=["authority"]))["keys"]
        found["keys"].append({**key, **(changes if hand is AUTHORITY else {})})
    return found


def receipt(by: Hand = AUTHORITY, *, asked: dict[str, Any] | None = None, **changes: Any) -> Any:
    """The envelope of a receipt."""
    about = {**ASKED, **(asked or {})}
    predicate = {
        "approvals": [],
        "asked": about,
        "authority": by.id,
        "decision": "allow",
        "engines": {},
        "expires": "2026-05-04T10:35:30.000000Z",
        "issued": "2026-05-04T10:20:30.000000Z",
        "residuals": ["environment-unknown", "non-atomic"],
        "rules": ["default/inside-the-folder"],
        **changes,
    }
    subjects = [
        {"digest": {"gw1": about["call"][4:]}, "name": "call"},
        {"digest": {"sha256": BEFORE[7:]}, "name": "before api.yaml"},
        {"digest": {"sha256": AFTER[7:]}, "name": "after api.yaml"},
    ]
    return _sealed(by, "receipt", predicate, subjects)


def _sealed(by: Hand, kind: str, predicate: object, subjects: list[dict[str, Any]]) -> Any:
    return by.envelope(
        canonical(
            {
                "_type": STATEMENT,
                "predicate": predicate,
                "predicateType": f"urn:groundwire:{kind}:v1",
                "subject": subjects,
            }
        )
    )


def digest_of(envelope: Any) -> str:
    return "sha256:" + hashlib.sha256(base64.b64decode(envelope["payload"])).hexdigest()


class Told(Draft):
    """A recording with guarded calls in it."""

    def state(
        self, state: str, document: object, outcome: str = "", *, reason: str = "", number: int = 0
    ) -> Told:
        self.entry(
            "guarded/1",
            {"call": "call-7", "document": canonical(document).decode(), "name": "edit_spec"},
            exchange=None,
            guarded=number,
            lane=None,
            late=False,
            link="id",
            outcome=outcome,
            reason=reason,
            state=state,
        )
        return self

    def begun(self, sealed: Any, **changes: Any) -> Told:
        """Decided, and the effect about to begin."""
        intent = {"asked": ASKED, "receipt": digest_of(sealed), **changes}
        return self.state("decided", sealed).state("intent", intent)

    def noticed(self, sealed: Any, *states: str, **changes: Any) -> Told:
        """Notice of it, which the recording has; `states` are what other sinks made of it."""
        told = {
            "at": AT,
            "call": CALL,
            "decision": "warn",
            "environment": "production",
            "operation": "tool_call",
            "receipt": digest_of(sealed),
            "rules": ["default/inside-the-folder"],
            "run": "run-harbour-1",
            "sequence": 0,
            **changes,
        }
        deliveries = [
            {
                "answer": "",
                "at": AT,
                "error": "status" if state == "failed" else "",
                "sink": "https://ops.example" if number else "recording",
                "state": state,
                "status": (503 if state == "failed" else 200) if number else None,
            }
            for number, state in enumerate(("acknowledged", *states))
        ]
        return self.state("noticed", {"deliveries": deliveries, "notice": told})

    def executed(self, sealed: Any, **changes: Any) -> Told:
        outcome = {
            "call": CALL,
            "error": "",
            "observed": SEEN,
            "receipt": digest_of(sealed),
            "type": "executed",
            **changes,
        }
        return self.state("outcome", outcome, "executed")

    def attested(self, sealed: Any, **changes: Any) -> Told:
        predicate = {
            "at": "2026-05-04T10:21:30.000000Z",
            "call": CALL,
            "executor": EXECUTOR.id,
            "grant": "0123456789abcdef" * 2,
            "observed": SEEN,
            "outcome": "executed",
            "receipt": digest_of(sealed),
            **changes,
        }
        subjects = [
            {"digest": {"gw1": CALL[4:]}, "name": "call"},
            {"digest": {"sha256": predicate["receipt"][7:]}, "name": "receipt"},
        ]
        return self.state("attested", _sealed(EXECUTOR, "attestation", predicate, subjects))


def _started() -> Told:
    draft = Told()
    draft.open().certificate()
    return draft


def _vector(name: str, about: str, draft: Draft, reason: str, **trusted: Any) -> Vector:
    keys = {"keyring": trusting(**trusted)}
    return name, about, draft.close().data(), reason, keys


def _warned() -> Iterator[Vector]:
    """Recordings of a call that a rule warned of."""
    sealed = receipt(decision="warn")

    def intent(draft: Told) -> Told:
        return draft.state("intent", {"asked": ASKED, "receipt": digest_of(sealed)})

    told = intent(_started().state("decided", sealed).noticed(sealed, "sent"))
    whole = told.executed(sealed).attested(sealed)
    yield _vector("good-guarded-warning", "Notice was given, then it was done.", whole, "holds")
    silent = intent(_started().state("decided", sealed)).executed(sealed)
    yield _vector(
        "guarded-without-its-notice", "Warned of; nobody was told.", silent, "guarded-unpermitted"
    )
    failed = intent(_started().state("decided", sealed).noticed(sealed, "failed")).executed(sealed)
    yield _vector(
        "guarded-though-notice-failed",
        "Somebody who was to be told was not.",
        failed,
        "guarded-unpermitted",
    )
    other = _started().state("decided", sealed).noticed(sealed, rules=["another"])
    yield _vector("guarded-notice-of-another", "Told of another decision.", other, "guarded-wrong")
    late = intent(_started().state("decided", sealed)).noticed(sealed)
    yield _vector("guarded-notice-too-late", "Told once it began.", late, "guarded-unpermitted")


def _good(sealed: Any) -> Iterator[Vector]:
    whole = _started().begun(sealed).executed(sealed).attested(sealed)
    yield _vector("good-guarded-call", "Decided, begun, done, attested.", whole, "holds")
    alone = _started().begun(sealed)
    yield _vector("good-intent-alone", "It crashed: unknown, not refused.", alone, "holds")
    silent = _started().begun(sealed).executed(sealed)
    yield _vector("good-unattested", "Done; its executor signed nothing of it.", silent, "holds")
    refused = {"call": CALL, "reason": "decision-denied", "rules": [], "type": "refused"}
    denied = _started().state("decided", receipt(decision="deny"))
    denied.state("outcome", refused, "refused", reason="decision-denied")
    yield _vector("good-guarded-refusal", "Decided against; nothing begun.", denied, "holds")


def guarded_vectors() -> Iterator[Vector]:
    """Recordings of guarded calls, each named after what is wrong with it."""
    sealed = receipt()
    yield from _good(sealed)
    yield from _warned()
    unpermitted = "guarded-unpermitted"
    none = _started().executed(sealed)
    yield _vector("guarded-without-a-receipt", "Done, and never decided.", none, unpermitted)
    begun = _started().state("decided", sealed).executed(sealed)
    yield _vector("guarded-without-an-intent", "Done, and never begun.", begun, unpermitted)
    other = receipt(asked={"call": tagged("call", b"rm", b"{}", b"call-8")})
    swapped = _started().begun(other).executed(other)
    yield _vector("guarded-by-anothers-receipt", "Another call's receipt.", swapped, unpermitted)
    spliced = _started().begun(sealed).executed(sealed, receipt=digest_of(other))
    yield _vector("guarded-outcome-spliced", "Another receipt's outcome.", spliced, unpermitted)
    asked = receipt(decision="approve")
    yield _vector(
        "guarded-without-the-approval", "It was to be asked.", _started().begun(asked), unpermitted
    )
    moved = receipt(asked={"sequence": 4})
    yield _vector(
        "guarded-by-a-receipt-of-another-time",
        "The receipt of another call of the run.",
        _started().state("decided", moved),
        unpermitted,
    )
    elsewhere = receipt(asked={"run": "run-elsewhere"})
    yield _vector(
        "guarded-by-a-receipt-of-another-run",
        "Brought in from elsewhere.",
        _started().state("decided", elsewhere),
        "other-run",
    )
    laxer = receipt(asked={"policy": tagged("policy", b"another policy")})
    yield _vector(
        "guarded-under-another-policy",
        "Decided by laxer rules than those recorded.",
        _started().state("decided", laxer),
        unpermitted,
    )
    yield from _signed(sealed)
    lied = _started().begun(sealed).executed(sealed).attested(sealed, outcome="unknown")
    yield _vector("guarded-attested-otherwise", "Two words on one end.", lied, "guarded-wrong")
    again = _started().begun(sealed).executed(sealed).executed(sealed)
    yield _vector("guarded-twice", "One receipt, two effects.", again, "guarded-wrong")


def _signed(sealed: Any) -> Iterator[Vector]:
    forged = {**sealed, "signatures": receipt(rules=["another"])["signatures"]}
    yield _vector(
        "guarded-receipt-forged",
        "A signature of other bytes.",
        _started().state("decided", forged),
        "bad-signature",
    )
    by_stranger = receipt(STRANGER)
    yield _vector(
        "guarded-by-a-stranger",
        "Nobody knows who decided.",
        _started().begun(by_stranger).executed(by_stranger),
        "authority-unknown",
    )
    yield _vector(
        "guarded-by-a-recorders-key",
        "The key is trusted to record alone.",
        _started().begun(sealed),
        "wrong-purpose",
        purposes=["recording"],
    )
    yield _vector(
        "guarded-by-a-retired-key",
        "The authority was retired before.",
        _started().begun(sealed),
        "retired-key",
        state="retired",
        retired_at="2026-02-01T00:00:00.000000Z",
    )
    old = receipt(issued="2026-05-04T10:00:00.000000Z", expires="2026-05-04T10:15:00.000000Z")
    yield _vector(
        "guarded-under-an-expired-receipt",
        "Begun when it had run out.",
        _started().begun(old).executed(old),
        "receipt-expired",
    )
