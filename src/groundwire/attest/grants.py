"""Seal and open grants and attestations. A grant counts only with the permit it was made for."""

from __future__ import annotations

from datetime import datetime

from groundwire.attest.decided import inspect, read, seal
from groundwire.attest.receipts import Permit, spelled
from groundwire.documents.entry import Envelope
from groundwire.documents.grant import Attestation, Grant
from groundwire.errors import TrustError
from groundwire.keys.keyring import Keyring
from groundwire.keys.signer import Signer
from groundwire.keys.times import parse_time


def seal_grant(grant: Grant, signer: Signer) -> Envelope:
    """An envelope in which the authority that the grant names answers for it.

    Raises:
        EncodingError: the grant makes no sense.
        TrustError: `wrong-signer`: `signer` is not the authority it names.
        HostError: the signer cannot reach its key.
    """
    return seal(grant, signer)


def open_grant(
    envelope: Envelope,
    permit: Permit,
    executor: str,
    keyring: Keyring,
    now: datetime,
    anchored_at: str | None = None,
) -> Grant:
    """The grant by which `executor` may carry out now what the permit allows.

    Does not consume it and does not know whether somebody has: the executor's store does that
    before the effect. Does not compare its tokens with the targets.

    Raises:
        EncodingError: a malformed envelope, statement, grant or time.
        TrustError: why the signature does not count; `grant-not-yet-valid`, `grant-expired`,
            `grant-outlives-receipt`, `other-receipt`, `other-call`, `other-changes`,
            `other-executor`.
        GuardError: `permit-not-opened`.
    """
    receipt, digest = permit.receipt, permit.digest
    grant, _ = read(envelope, Grant, keyring, anchored_at)
    moment = parse_time(spelled(now))
    if moment < parse_time(grant.issued):
        raise TrustError(
            "grant-not-yet-valid",
            f"The grant was issued at {grant.issued}, which is still to come; check the clocks.",
        )
    if moment >= parse_time(grant.expires):
        raise TrustError(
            "grant-expired", f"The grant was good until {grant.expires}; ask for a decision anew."
        )
    if grant.receipt != digest:
        raise TrustError("other-receipt", "The grant is for another receipt.")
    if grant.call != receipt.asked.call:
        raise TrustError("other-call", "The grant is for another call than its receipt.")
    if grant.changes != receipt.asked.changes:
        raise TrustError("other-changes", "The grant is for other changes than its receipt.")
    if grant.executor != executor:
        raise TrustError("other-executor", "The grant is for another executor.")
    if grant.issued < receipt.issued or grant.expires > receipt.expires:
        raise TrustError(
            "grant-outlives-receipt", "The grant is good at times at which its receipt is not."
        )
    return grant


def seal_attestation(attestation: Attestation, signer: Signer) -> Envelope:
    """An envelope in which the executor answers for what it says became of the grant.

    Raises: as `seal_grant`.
    """
    return seal(attestation, signer)


def read_attestation(
    envelope: Envelope, keyring: Keyring, anchored_at: str | None = None
) -> Attestation:
    """The attestation, signed by an executor that the keyring trusts; of which grant is not asked.

    Raises:
        EncodingError: a malformed envelope, statement or attestation.
        TrustError: why the signature does not count.
    """
    return read(envelope, Attestation, keyring, anchored_at)[0]


def inspect_attestation(envelope: Envelope) -> Attestation:
    """The attestation that the envelope spells. NOT trusted: nobody vouches for it.

    Raises:
        EncodingError: a malformed envelope, statement or attestation.
        TrustError: `identity-mismatch`.
    """
    return inspect(envelope, Attestation)[0]


def open_attestation(
    envelope: Envelope, grant: Grant, keyring: Keyring, anchored_at: str | None = None
) -> Attestation:
    """What the executor of this grant says became of it.

    Trusts `grant`; it may have been written after the grant ran out, never before it was issued.
    Shows what a key's holder says, not that the target is so.

    Raises:
        EncodingError: a malformed envelope, statement or attestation.
        TrustError: why the signature does not count; `other-grant`, `other-receipt`,
            `other-call`, `other-executor`, `attested-before-grant`.
    """
    attestation, _ = read(envelope, Attestation, keyring, anchored_at)
    if attestation.grant != grant.id:
        raise TrustError("other-grant", "The attestation is of another grant.")
    if attestation.receipt != grant.receipt:
        raise TrustError("other-receipt", "The attestation is of another receipt.")
    if attestation.call != grant.call:
        raise TrustError("other-call", "The attestation is of another call.")
    if attestation.executor != grant.executor:
        raise TrustError("other-executor", "The attestation is by another executor.")
    if attestation.at < grant.issued:
        raise TrustError("attested-before-grant", "The attestation is older than its grant.")
    return attestation
