"""What each signed document must say to be one, beyond the types of its fields; and its subject."""

from __future__ import annotations

from itertools import pairwise
from typing import TypeAlias, assert_never

from groundwire.attest.envelope import check_key_id
from groundwire.attest.payload import Subject
from groundwire.canon import digest, jcs
from groundwire.documents.statement import Certificate, Checkpoint, Deletion, Redaction
from groundwire.errors import EncodingError
from groundwire.keys.ed25519 import key_id
from groundwire.keys.keyring import decode_public_key
from groundwire.keys.times import parse_time

Document: TypeAlias = Certificate | Checkpoint | Redaction | Deletion


def check(document: Document) -> None:
    """Every field of the document makes sense by itself and with the others.

    Does not check who signed it, or that what it says of a recording is so.

    Raises:
        EncodingError: `bad-certificate`, `bad-checkpoint`, `bad-redaction`, `bad-deletion`, or
            the reason of the field that is malformed.
    """
    match document:
        case Certificate():
            _check_certificate(document)
        case Checkpoint():
            _check_checkpoint(document)
        case Redaction():
            _check_redaction(document)
        case Deletion():
            _check_deletion(document)
        case _:
            assert_never(document)


def subject_of(document: Document) -> Subject:
    """The in-toto subject of a document that `check` has passed.

    Certificate: the run, by the SHA-256 of the 32 bytes of its key. Checkpoint and deletion:
    `<run>/<segment>` by its RFC 9162 root. Redaction: the run, by the SHA-256 of the canonical
    JSON array of the commitments.
    """
    match document:
        case Certificate():
            key = digest.sha256(decode_public_key(document.public_key))
            return Subject(name=document.run, digest={"sha256": _hex(key)})
        case Checkpoint() | Deletion():
            return Subject(
                name=f"{document.run}/{document.segment}",
                digest={"rfc9162-sha256": _hex(document.root)},
            )
        case Redaction():
            listed = digest.sha256(jcs.encode(document.commitments))
            return Subject(name=document.run, digest={"sha256": _hex(listed)})
        case _:
            assert_never(document)


def _check_certificate(document: Certificate) -> None:
    _check_run(document.run, "bad-certificate")
    check_key_id(document.identity)
    if document.key != key_id(decode_public_key(document.public_key)):
        raise EncodingError(
            "bad-certificate", "The certificate's key id is not the name of its public key."
        )
    if document.key == document.identity:
        raise EncodingError(
            "bad-certificate",
            "The certificate makes an identity key the run key, which a run forgets at its end.",
        )
    if parse_time(document.not_after) < parse_time(document.not_before):
        raise EncodingError("bad-certificate", "The certificate ends before it begins.")


def _check_checkpoint(document: Checkpoint) -> None:
    _check_run(document.run, "bad-checkpoint")
    parse_time(document.at)
    _check_digest(document.head, "leaf:", "bad-checkpoint")
    _check_digest(document.root, "root:", "bad-checkpoint")
    if document.segment < 0 or document.size < 1:
        raise EncodingError("bad-checkpoint", "A checkpoint covers one entry or more.")


def _check_redaction(document: Redaction) -> None:
    _check_run(document.run, "bad-redaction")
    parse_time(document.at)
    check_key_id(document.identity)
    for commitment in document.commitments:
        _check_digest(commitment, "gw1:", "bad-redaction")
    in_order = all(left < right for left, right in pairwise(document.commitments))
    if not document.commitments or not in_order:
        raise EncodingError(
            "bad-redaction", "A redaction lists one commitment or more, sorted, each once."
        )


def _check_deletion(document: Deletion) -> None:
    _check_run(document.run, "bad-deletion")
    parse_time(document.at)
    check_key_id(document.identity)
    _check_digest(document.root, "root:", "bad-deletion")
    if document.segment < 0 or document.size < 0:
        raise EncodingError("bad-deletion", "A segment and a size are counted from 0.")


def _check_run(run: str, reason: str) -> None:
    if not run:
        raise EncodingError(reason, "The document names no run.")


def _check_digest(text: str, prefix: str, reason: str) -> None:
    if not text.startswith(prefix):
        raise EncodingError(reason, f"A digest stands where one of kind {prefix} must stand.")
    digest.raw(text)


def _hex(text: str) -> str:
    return digest.raw(text).hex()
