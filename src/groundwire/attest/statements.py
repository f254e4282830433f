"""Seal and open the signed documents of a recording.

Opening goes one way, in this order: the envelope's shape, the signature over the exact payload
bytes, those bytes parsed into the closed document, the document's own sense, its subject, then
whether its signer may sign such a thing at such a time. What `open_*` returns holds; there is no
boolean to forget. docs/reference/recording-format.md states the documents.
"""

from __future__ import annotations

from typing import TypeVar

from groundwire.attest.envelope import (
    open_payload,
    seal_payload,
    signer_named,
    unverified_payload,
)
from groundwire.attest.payload import Predicate, decode_payload, encode_payload
from groundwire.attest.rules import check, subject_of
from groundwire.documents.entry import Envelope
from groundwire.documents.statement import Certificate, Checkpoint, Deletion, Redaction
from groundwire.errors import EncodingError, TrustError
from groundwire.keys.keyring import Keyring, decode_public_key, unknown_signer
from groundwire.keys.signer import Signer
from groundwire.keys.times import parse_time

ByIdentity = TypeVar("ByIdentity", Certificate, Redaction, Deletion)


def seal_certificate(certificate: Certificate, signer: Signer) -> Envelope:
    """An envelope in which the identity that the certificate names vouches for the run key.

    Raises:
        EncodingError: the certificate makes no sense.
        TrustError: `wrong-signer`: `signer` is not the identity it names.
        HostError: the signer cannot reach its key.
    """
    return _seal_by_identity(certificate, signer)


def seal_checkpoint(checkpoint: Checkpoint, signer: Signer) -> Envelope:
    """An envelope in which `signer`, a run key, signs the checkpoint.

    Does not check that a certificate vouches for `signer`, or that what the checkpoint covers is
    durable: both are the recorder's to see to.

    Raises:
        EncodingError: the checkpoint makes no sense.
        TrustError: `run-key-forgotten`, `bad-signature`.
    """
    return _seal(checkpoint, signer)


def seal_redaction(redaction: Redaction, signer: Signer) -> Envelope:
    """An envelope in which the identity that the redaction names answers for it.

    Raises: as `seal_certificate`.
    """
    return _seal_by_identity(redaction, signer)


def seal_deletion(deletion: Deletion, signer: Signer) -> Envelope:
    """An envelope in which the identity that the deletion names answers for it.

    Raises: as `seal_certificate`.
    """
    return _seal_by_identity(deletion, signer)


def open_certificate(
    envelope: Envelope, keyring: Keyring, anchored_at: str | None = None
) -> Certificate:
    """The certificate, signed by a key that the keyring trusts to record at its `not_before`.

    `anchored_at` is when an anchor first saw this envelope, and matters for a revoked identity
    only. Does not check the present time: a closed recording outlives its certificate's window.

    Raises:
        EncodingError: a malformed envelope, statement or certificate.
        TrustError: `unknown-signer` (well-formed, but the keyring does not know who signed it),
            `bad-signature`, `identity-mismatch`, or why the keyring refuses the key.
    """
    certificate = _open_by_identity(envelope, keyring, Certificate)
    keyring.judge(certificate.identity, "recording", certificate.not_before, anchored_at)
    return certificate


def open_checkpoint(envelope: Envelope, certificate: Certificate) -> Checkpoint:
    """The checkpoint, signed by the certificate's run key, of its run, within its window.

    Trusts `certificate`; that is worth as much as where it came from. Does not look at the
    entries that the checkpoint covers.

    Raises:
        EncodingError: a malformed envelope, statement, checkpoint or certificate.
        TrustError: `wrong-signer`, `bad-signature`, `other-run`, `outside-window`.
    """
    check(certificate)
    payload = open_payload(envelope, decode_public_key(certificate.public_key))
    checkpoint = _read(payload, Checkpoint)
    if checkpoint.run != certificate.run:
        raise TrustError("other-run", "The checkpoint is of another run than its certificate.")
    begin, end = parse_time(certificate.not_before), parse_time(certificate.not_after)
    if not begin <= parse_time(checkpoint.at) <= end:
        raise TrustError(
            "outside-window",
            f"The checkpoint says {checkpoint.at}; its key was certified from"
            f" {certificate.not_before} to {certificate.not_after}.",
        )
    return checkpoint


def open_redaction(
    envelope: Envelope, keyring: Keyring, anchored_at: str | None = None
) -> Redaction:
    """The redaction, signed by a key that the keyring trusts to record at its `at`.

    Does not check that the signer is the identity behind the recording it was found in.

    Raises: as `open_certificate`.
    """
    redaction = _open_by_identity(envelope, keyring, Redaction)
    keyring.judge(redaction.identity, "recording", redaction.at, anchored_at)
    return redaction


def open_deletion(envelope: Envelope, keyring: Keyring, anchored_at: str | None = None) -> Deletion:
    """The deletion, signed by a key that the keyring trusts to record at its `at`.

    Does not show that the file is gone.

    Raises: as `open_certificate`.
    """
    deletion = _open_by_identity(envelope, keyring, Deletion)
    keyring.judge(deletion.identity, "recording", deletion.at, anchored_at)
    return deletion


def inspect_certificate(envelope: Envelope) -> tuple[Certificate, str]:
    """What a well-formed certificate says, and which identity it says signed it. NOT trust.

    No signature is checked: there is no public key to check it with. It serves to answer "intact,
    signer unknown": that a recording holds under the run key that its own certificate names,
    whoever may have made both.

    Raises:
        EncodingError: a malformed envelope, statement or certificate.
        TrustError: `identity-mismatch`: the envelope names another signer than the certificate.
    """
    return _inspect(envelope, Certificate), signer_named(envelope)


def inspect_redaction(envelope: Envelope) -> tuple[Redaction, str]:
    """What a well-formed redaction says, and which identity it says signed it. NOT trust.

    Raises: as `inspect_certificate`.
    """
    return _inspect(envelope, Redaction), signer_named(envelope)


def _seal(document: Predicate, signer: Signer) -> Envelope:
    check(document)
    return seal_payload(encode_payload(document, subject_of(document)), signer)


def _seal_by_identity(document: ByIdentity, signer: Signer) -> Envelope:
    if document.identity != signer.key_id:
        raise TrustError(
            "wrong-signer", "The document names another identity than the key that is to sign it."
        )
    return _seal(document, signer)


def _open_by_identity(envelope: Envelope, keyring: Keyring, kind: type[ByIdentity]) -> ByIdentity:
    """The document, signed by the key of the keyring that it names; not yet judged."""
    named = _named(envelope)
    key = keyring.find(named)
    if key is None:
        # A flipped byte must read as malformed, not as a stranger; `_inspect` raises where it is.
        _inspect(envelope, kind)
        raise unknown_signer(named, keyring.source)
    document = _read(open_payload(envelope, decode_public_key(key.public_key)), kind)
    _check_identity(document, named)
    return document


def _inspect(envelope: Envelope, kind: type[ByIdentity]) -> ByIdentity:
    document = _read(unverified_payload(envelope), kind)
    _check_identity(document, signer_named(envelope))
    return document


def _named(envelope: Envelope) -> str:
    unverified_payload(envelope)
    return signer_named(envelope)


def _check_identity(document: Certificate | Redaction | Deletion, named: str) -> None:
    if document.identity != named:
        raise TrustError(
            "identity-mismatch", "The document names another identity than its envelope's signer."
        )


def _read(payload: bytes, kind: type[Predicate]) -> Predicate:
    document, subject = decode_payload(payload, kind)
    check(document)
    if subject != subject_of(document):
        raise EncodingError("wrong-subject", "The statement's subject is not what it speaks of.")
    return document
