"""Form: how one kind of statement is sealed and read, given what is its own: author, time, sense."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

import msgspec

from groundwire.attest.envelope import (
    check_key_id,
    open_payload,
    seal_payload,
    signer_named,
    unverified_payload,
)
from groundwire.attest.payload import Subject, decode_statement, encode_payload
from groundwire.attest.remembering import Remembered
from groundwire.canon import digest
from groundwire.documents.entry import Envelope
from groundwire.errors import EncodingError, TrustError
from groundwire.keys.keyring import Keyring, Purpose, decode_public_key, unknown_signer
from groundwire.keys.signer import Signer

Document = TypeVar("Document", bound=msgspec.Struct)


class Form(Generic[Document]):
    """Statements of one kind, by a key with `purpose`.

    `author` is the id of the key that has to have signed one, `at` the time that it says it was
    signed, `check` raises `EncodingError` where it makes no sense, `subjects` are what it is about.
    """

    def __init__(
        self,
        kind: type[Document],
        purpose: Purpose,
        author: Callable[[Document], str],
        at: Callable[[Document], str],
        check: Callable[[Document], None],
        subjects: Callable[[Document], tuple[Subject, ...]],
    ) -> None:
        self._kind = kind
        self._purpose: Purpose = purpose
        self._author = author
        self._at = at
        self._check = check
        self._subjects = subjects
        # Envelopes whose signature was looked at: one that differs in a character is another one.
        self._verified: Remembered[Document] = Remembered()

    def seal(self, document: Document, signer: Signer) -> Envelope:
        """An envelope in which the key that the document names as its author signs it.

        Raises:
            EncodingError: the document makes no sense.
            TrustError: `wrong-signer`: it names another author than `signer`.
            HostError: the signer cannot reach its key.
        """
        self._require_sense(document)
        if self._author(document) != signer.key_id:
            raise TrustError(
                "wrong-signer", "The document names another author than the key that is to sign it."
            )
        return seal_payload(encode_payload(document, *self._subjects(document)), signer)

    def read(
        self, envelope: Envelope, keyring: Keyring, anchored_at: str | None = None
    ) -> tuple[Document, str]:
        """The document, signed by a key that the keyring trusts for it; and its bytes' SHA-256.

        Does not look at the present time, nor at what the document was asked about.

        Raises:
            EncodingError: a malformed envelope, statement or document.
            TrustError: `unknown-signer`, `bad-signature`, `identity-mismatch`, or why the keyring
                refuses the key for this purpose at the time that the document states.
        """
        document, digest_of_it = self._verified.find(envelope) or self._verify(envelope, keyring)
        # The name of a key is its digest: who has signed it is the key that the keyring has.
        author = self._author(document)
        keyring.judge(author, self._purpose, self._at(document), anchored_at)
        return document, digest_of_it

    def _verify(self, envelope: Envelope, keyring: Keyring) -> tuple[Document, str]:
        payload = unverified_payload(envelope)
        named = signer_named(envelope)
        key = keyring.find(named)
        if key is None:
            self._parse(payload, named)  # a flipped byte must read as malformed, not as a stranger
            raise unknown_signer(named, keyring.source)
        payload = open_payload(envelope, decode_public_key(key.public_key))
        document, digest_of_it = self._parse(payload, named), digest.sha256(payload)
        self._verified.put(envelope, document, digest_of_it)
        return document, digest_of_it

    def inspect(self, envelope: Envelope) -> tuple[Document, str]:
        """The document that the envelope spells, and its bytes' SHA-256. NOT trusted: unsigned, maybe.

        Raises:
            EncodingError: a malformed envelope, statement or document.
            TrustError: `identity-mismatch`.
        """
        payload = unverified_payload(envelope)
        return self._parse(payload, signer_named(envelope)), digest.sha256(payload)

    def _parse(self, payload: bytes, named: str) -> Document:
        document, subjects = decode_statement(payload, self._kind)
        self._require_sense(document)
        if subjects != self._subjects(document):
            raise EncodingError(
                "wrong-subject", "The statement's subjects are not what it speaks of."
            )
        if self._author(document) != named:
            raise TrustError(
                "identity-mismatch",
                "The document names another author than its envelope's signer.",
            )
        return document

    def _require_sense(self, document: Document) -> None:
        # A document that somebody built, rather than decoded, may hold anything.
        try:
            msgspec.convert(msgspec.to_builtins(document), self._kind)
        except (msgspec.ValidationError, TypeError) as error:
            raise EncodingError("bad-predicate", f"A field has a wrong type: {error}.") from error
        check_key_id(self._author(document))
        self._check(document)
