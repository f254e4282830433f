"""Seal and open the statement of a run's lineage: an in-toto Statement about what stands in it.

Its subjects are the run, each result, each request body and each answer, by their plain SHA-256
where the manifest has it, so that anybody who holds such a text can look for it.
"""

from __future__ import annotations

from collections.abc import Iterator

from groundwire.attest.envelope import (
    check_key_id,
    open_payload,
    seal_payload,
    signer_named,
    unverified_payload,
)
from groundwire.attest.payload import Subject, decode_statement, encode_payload
from groundwire.canon import digest, jcs
from groundwire.documents.entry import Envelope
from groundwire.documents.lineage import LineageStatement
from groundwire.documents.manifest import Manifest
from groundwire.errors import EncodingError, TrustError
from groundwire.keys.keyring import Keyring, decode_public_key, unknown_signer
from groundwire.keys.signer import Signer
from groundwire.keys.times import parse_time


def seal_lineage(statement: LineageStatement, signer: Signer) -> Envelope:
    """An envelope in which the identity that the statement names answers for it.

    Does not look at the recording that the statement speaks of.

    Raises:
        EncodingError: `bad-lineage`; `too-large`; a value that has no canonical JSON.
        TrustError: `wrong-signer`: `signer` is not the identity it names.
        HostError: the signer cannot reach its key.
    """
    _check(statement)
    if statement.identity != signer.key_id:
        raise TrustError(
            "wrong-signer", "The document names another identity than the key that is to sign it."
        )
    return seal_payload(encode_payload(statement, *subjects_of(statement)), signer)


def open_lineage(
    envelope: Envelope, keyring: Keyring, anchored_at: str | None = None
) -> LineageStatement:
    """The statement, signed by a key that the keyring trusts to record at its `at`.

    `anchored_at` is when an anchor first saw the envelope, and matters for a revoked key only. Does
    not show that the manifest is the recording's: read it again and compare.

    Raises:
        EncodingError: a malformed envelope or statement; `bad-lineage`.
        TrustError: `unknown-signer`, `bad-signature`, `identity-mismatch`, or why the keyring
            refuses the key.
    """
    unverified_payload(envelope)
    named = signer_named(envelope)
    key = keyring.find(named)
    if key is None:
        raise unknown_signer(named, keyring.source)
    payload = open_payload(envelope, decode_public_key(key.public_key))
    statement, subjects = decode_statement(payload, LineageStatement)
    _check(statement)
    if statement.identity != named:
        raise TrustError(
            "identity-mismatch", "The document names another identity than its envelope's signer."
        )
    if subjects != subjects_of(statement):
        raise EncodingError("wrong-subject", "The statement's subject is not what it speaks of.")
    keyring.judge(named, "recording", statement.at, anchored_at)
    return statement


def subjects_of(statement: LineageStatement) -> tuple[Subject, ...]:
    """The run by its manifest's digest; then results, request bodies and answers, each name once."""
    return tuple(_subjects(statement))


def _subjects(statement: LineageStatement) -> Iterator[Subject]:
    manifest = statement.manifest
    yield Subject(name=f"run/{manifest.run}", digest={"groundwire-manifest": statement.digest[4:]})
    for number, row in enumerate(manifest.calls):
        if row.output_sha256:
            yield _plain(f"result/{number}/{row.id}", row.output_sha256)
    for boundary in manifest.boundaries:
        if boundary.body:
            yield _plain(f"request/{boundary.exchange}", boundary.body)
    for answer in manifest.answers:
        yield _plain(f"answer/{answer.exchange}", answer.sha256)


def _plain(name: str, sha256: str) -> Subject:
    return Subject(name=name, digest={"sha256": sha256.removeprefix("sha256:")})


def _check(statement: LineageStatement) -> None:
    check_key_id(statement.identity)
    parse_time(statement.at)
    if any(row.inputs_text is not None for row in statement.manifest.calls):
        raise EncodingError("bad-lineage", "A signed manifest has digests of arguments, no texts.")
    if statement.digest != _digest(statement.manifest):
        raise EncodingError("bad-lineage", "The digest is not that of the manifest beside it.")
    if statement.root:
        digest.raw(statement.root)
    if bool(statement.root) != bool(statement.size):
        raise EncodingError("bad-lineage", "A recording is named by its root and its size.")


def _digest(manifest: Manifest) -> str:
    return digest.tagged("manifest", jcs.encode_document(manifest))
