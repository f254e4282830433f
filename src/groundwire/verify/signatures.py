"""Signatures: who may sign this recording, and whether each checkpoint is about these entries.

docs/reference/recording-format.md, Checkpoints. The keyring is the verifier's own; the key that a
recording carries is taken only as far as an identity in the keyring vouches for it.
"""

from __future__ import annotations

import msgspec

from groundwire.attest.statements import (
    inspect_certificate,
    inspect_redaction,
    open_certificate,
    open_checkpoint,
    open_deletion,
    open_redaction,
)
from groundwire.documents.entry import (
    CertificateEntry,
    CheckpointEntry,
    DeletionEntry,
    Envelope,
    Open,
    RedactionEntry,
)
from groundwire.documents.statement import Certificate, Checkpoint, Redaction
from groundwire.errors import EncodingError, TrustError
from groundwire.keys.keyring import Keyring, decode_public_key
from groundwire.recording.chain import Chain
from groundwire.verify.words import Broken


class Signed(msgspec.Struct, frozen=True):
    """A checkpoint whose signature held, and the certificate of its key.

    The two envelopes show both to whoever trusts the identity.
    """

    checkpoint: Checkpoint
    envelope: Envelope
    certificate: Certificate
    certified: Envelope


class Signatures:
    """The certificate in force, and what was signed so far.

    `stranger` is the first identity that the keyring does not know, if one signed anything: then
    nothing here is trusted, but all of it is still checked under the keys that the recording names.
    `run_keys` are the public keys that were certified, `writers` who certified one before the
    recording was closed, in order. `found` counts entries that a recovery found under no checkpoint:
    whoever has the file can put such there.
    """

    def __init__(self, keyring: Keyring, anchored_at: str | None) -> None:
        # In order, and asked for by name: a hostile file may name a new one in every other line.
        self.writers: dict[str, None] = {}
        self.redactors: dict[str, None] = {}
        self.found = 0
        self.stranger = ""
        self.stranger_line = 0
        self.run_keys: list[bytes] = []
        self.last: Signed | None = None
        self._keyring = keyring
        self._anchored_at = anchored_at
        self._certificate: Certificate | None = None
        self._certified: Envelope | None = None
        self._custodies: dict[str, str] = {}

    @property
    def identity(self) -> str:
        """All who certified a run key, in order."""
        return " and ".join(self._custodies)

    @property
    def custody(self) -> str:
        """Where each of them keeps the key, by the verifier's keyring."""
        return " and ".join(self._custodies.values())

    def certify(self, entry: CertificateEntry, opening: Open, number: int) -> None:
        """Checkpoints from here on are judged by the run key of this certificate.

        Raises:
            Broken: the reasons of `attest.open_certificate`, `envelope-malformed`, `other-run`.
        """
        try:
            certificate = open_certificate(entry.envelope, self._keyring, self._anchored_at)
        except EncodingError as error:
            raise _malformed("certificate", error) from error
        except TrustError as error:
            self._require_stranger(error)
            certificate, named = inspect_certificate(entry.envelope)
            self._note_stranger(named, number)
        if certificate.run != opening.run:
            raise Broken("other-run", "The certificate is for the key of another run.")
        self._certificate, self._certified = certificate, entry.envelope
        self.run_keys.append(decode_public_key(certificate.public_key))
        key = self._keyring.find(certificate.identity)
        custody = key.custody if key is not None else "unknown"
        if self.last is None or not self.last.checkpoint.closed:
            self.writers[certificate.identity] = None
        self._custodies.setdefault(certificate.identity, custody)

    def recovered(self, chain: Chain) -> None:
        """A certificate follows: what stands between the last checkpoint and its note was found."""
        if self._certificate is not None:
            covered = self.last.checkpoint.size + 1 if self.last is not None else 0
            self.found += max(0, chain.size - 1 - covered)

    def check(self, entry: CheckpointEntry, opening: Open, chain: Chain, *, closed: bool) -> None:
        """The certified run key signed exactly the entries before this one, and whether it closes.

        Raises:
            Broken: the reasons of `attest.open_checkpoint`, `envelope-malformed`,
                `checkpoint-wrong`.
        """
        if self._certificate is None or self._certified is None:
            raise Broken("opening-wrong", "A checkpoint stands before any certificate.")
        try:
            checkpoint = open_checkpoint(entry.envelope, self._certificate)
        except EncodingError as error:
            raise _malformed("checkpoint", error) from error
        # Another run's checkpoint was refused with the certificate, which is of this run.
        _require("size", checkpoint.size == chain.size)
        _require("head", checkpoint.head == chain.head)
        _require("root", checkpoint.root == chain.root())
        _require("time", checkpoint.at == entry.at)
        _require("segment", checkpoint.segment == opening.segment)
        if checkpoint.closed != closed:
            raise Broken(
                "closing-wrong",
                "A checkpoint closes the recording exactly after a close entry or a redaction.",
            )
        self.last = Signed(checkpoint, entry.envelope, self._certificate, self._certified)

    def redaction(self, entry: RedactionEntry, opening: Open, number: int) -> Redaction:
        """The redaction of this run that an identity signed.

        Raises:
            Broken: the reasons of `attest.open_redaction`, `envelope-malformed`, `other-run`.
        """
        try:
            redaction = open_redaction(entry.envelope, self._keyring, self._anchored_at)
        except EncodingError as error:
            raise _malformed("redaction", error) from error
        except TrustError as error:
            self._require_stranger(error)
            redaction, named = inspect_redaction(entry.envelope)
            self._note_stranger(named, number)
        if redaction.run != opening.run:
            raise Broken("other-run", "The redaction is of another run.")
        self.redactors[redaction.identity] = None
        return redaction

    @property
    def foreign_redactors(self) -> list[str]:
        """Who took contents out and certified no key that wrote the recording."""
        return [each for each in self.redactors if each not in self.writers]

    def deletion(self, entry: DeletionEntry, number: int) -> None:
        """An identity signed that some recording was deleted; the line stands in a run log.

        Raises:
            Broken: the reasons of `attest.open_deletion`, `envelope-malformed`.
        """
        try:
            open_deletion(entry.envelope, self._keyring, self._anchored_at)
        except EncodingError as error:
            raise _malformed("deletion", error) from error
        except TrustError as error:
            self._require_stranger(error)
            self._note_stranger(entry.envelope.signatures[0].keyid, number)

    def _require_stranger(self, error: TrustError) -> None:
        """Not to know a signer leaves the rest to be checked; any other refusal does not."""
        if error.reason != "unknown-signer":
            raise error

    def _note_stranger(self, named: str, number: int) -> None:
        if not self.stranger:
            self.stranger, self.stranger_line = named, number


def _require(what: str, holds: bool) -> None:  # noqa: FBT001 -- an assertion, not an option
    if not holds:
        raise Broken(
            "checkpoint-wrong",
            f"The checkpoint's signature is good, but its {what} is not that of the entries here.",
        )


def _malformed(what: str, error: EncodingError) -> Broken:
    return Broken("envelope-malformed", f"The {what} is malformed: {error.message}")
