"""What receipt, grant and attestation must say to be one; their subjects; and who signed them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise
from typing import Final, TypeAlias, TypeVar, assert_never

import msgspec

from groundwire.attest.envelope import (
    check_key_id,
    open_payload,
    seal_payload,
    signer_named,
    unverified_payload,
)
from groundwire.attest.payload import Subject, decode_statement, encode_payload
from groundwire.attest.people.approvals import check_approvals
from groundwire.attest.remembering import Remembered
from groundwire.canon import digest
from groundwire.documents.entry import Envelope
from groundwire.documents.grant import Attestation, Grant
from groundwire.documents.receipt import Receipt, Touched, lifetime
from groundwire.errors import EncodingError, TrustError
from groundwire.keys.keyring import Keyring, decode_public_key, unknown_signer
from groundwire.keys.signer import Signer
from groundwire.keys.times import parse_time

Decided: TypeAlias = Receipt | Grant | Attestation
Document = TypeVar("Document", Receipt, Grant, Attestation)

_GRANT_ID: Final = re.compile(r"[0-9a-f]{32,64}")
# What a call was permitted by is opened, and looked at by the checks, as soon as it was sealed.
_SEALED: Final[Remembered[Decided]] = Remembered()


def seal(document: Decided, signer: Signer) -> Envelope:
    """An envelope in which the key that the document names as its author signs it.

    Raises:
        EncodingError: the document makes no sense.
        TrustError: `wrong-signer`: it names another author than `signer`.
        HostError: the signer cannot reach its key.
    """
    plain = _checked(document)
    if author(document) != signer.key_id:
        raise TrustError(
            "wrong-signer", "The document names another author than the key that is to sign it."
        )
    payload = encode_payload(document, *subjects_of(document))
    envelope = seal_payload(payload, signer)
    _SEALED.put(envelope, plain, digest.sha256(payload))
    return envelope


def read(
    envelope: Envelope, kind: type[Document], keyring: Keyring, anchored_at: str | None
) -> tuple[Document, str]:
    """The document, signed by an authority that the keyring trusts; and its bytes' SHA-256.

    Does not look at the present time, nor at what the document was asked about.

    Raises:
        EncodingError: a malformed envelope, statement or document.
        TrustError: `unknown-signer`, `bad-signature`, `identity-mismatch`, or why the keyring
            refuses the key for purpose `authority` at the time that the document states.
    """
    document, digest_of_it = _known(envelope, kind) or _verified(envelope, kind, keyring)
    # The name of a key is its digest: who has signed it is the key that the keyring has.
    keyring.judge(author(document), "authority", _signed_at(document), anchored_at)
    return document, digest_of_it


def _verified(envelope: Envelope, kind: type[Document], keyring: Keyring) -> tuple[Document, str]:
    payload = unverified_payload(envelope)
    named = signer_named(envelope)
    key = keyring.find(named)
    if key is None:
        _parse(payload, kind, named)  # a flipped byte must read as malformed, not as a stranger
        raise unknown_signer(named, keyring.source)
    payload = open_payload(envelope, decode_public_key(key.public_key))
    return _parse(payload, kind, named), digest.sha256(payload)


def inspect(envelope: Envelope, kind: type[Document]) -> tuple[Document, str]:
    """The document that the envelope spells, and its bytes' SHA-256. NOT trusted: unsigned, maybe.

    Raises:
        EncodingError: a malformed envelope, statement or document.
        TrustError: `identity-mismatch`.
    """
    known = _known(envelope, kind)
    if known is not None:
        return known
    payload = unverified_payload(envelope)
    return _parse(payload, kind, signer_named(envelope)), digest.sha256(payload)


def _known(envelope: Envelope, kind: type[Document]) -> tuple[Document, str] | None:
    """What `_parse` would make of an envelope that was sealed in this process a moment ago."""
    known = _SEALED.find(envelope)
    if known is None or not isinstance(known[0], kind):
        return None
    return known[0], known[1]


def check(document: Decided) -> None:
    """Every field of the document makes sense by itself and with the others.

    Raises:
        EncodingError: `bad-receipt`, `bad-grant`, `bad-attestation`, or the reason of the field
            that is malformed.
    """
    _checked(document)


def _checked(document: Decided) -> Decided:
    """The document in the plain types that it is decoded to, once it makes sense."""
    # A document that somebody built, rather than decoded, may hold anything.
    try:
        plain = msgspec.convert(msgspec.to_builtins(document), type(document))
    except (msgspec.ValidationError, TypeError) as error:
        raise EncodingError("bad-predicate", f"A field has a wrong type: {error}.") from error
    check_key_id(author(document))
    match document:
        case Receipt():
            _check_receipt(document)
        case Grant():
            _check_grant(document)
        case Attestation():
            _check_attestation(document)
        case _:
            assert_never(document)
    return plain


def subjects_of(document: Decided) -> tuple[Subject, ...]:
    """The in-toto subjects of a document that `check` has passed.

    The call by its `gw1` digest; of a receipt and a grant also each `before <path>` and
    `after <path>` whose content there is, by its SHA-256; of an attestation the grant's receipt.
    """
    match document:
        case Receipt(asked=asked):
            return (_call(asked.call), *_contents(asked.changes))
        case Grant():
            return (_call(document.call), *_contents(document.changes))
        case Attestation():
            receipt = Subject(name="receipt", digest={"sha256": _hex(document.receipt)})
            return _call(document.call), receipt
        case _:
            assert_never(document)


def author(document: Decided) -> str:
    """The id of the key that has to have signed the document."""
    return document.executor if isinstance(document, Attestation) else document.authority


def _parse(payload: bytes, kind: type[Document], named: str) -> Document:
    document, subjects = decode_statement(payload, kind)
    check(document)
    if subjects != subjects_of(document):
        raise EncodingError("wrong-subject", "The statement's subjects are not what it speaks of.")
    if author(document) != named:
        raise TrustError(
            "identity-mismatch", "The document names another author than its envelope's signer."
        )
    return document


def _signed_at(document: Decided) -> str:
    return document.at if isinstance(document, Attestation) else document.issued


def _check_receipt(document: Receipt) -> None:
    asked = document.asked
    for text in (asked.audience, asked.environment, asked.operation, asked.run):
        if not text:
            raise EncodingError("bad-receipt", "A receipt names whom, where, what and which run.")
    if asked.sequence < 0:
        raise EncodingError("bad-receipt", "A sequence is counted from 0.")
    _check_digest(asked.call, "gw1:", "bad-receipt")
    _check_digest(asked.policy, "gw1:", "bad-receipt")
    _check_changes(asked.changes, "bad-receipt")
    in_order = all(left < right for left, right in pairwise(document.rules))
    if not all(document.rules) or not document.rules or not in_order:
        raise EncodingError(
            "bad-receipt", "A receipt lists the rules that decided, one or more, sorted, each once."
        )
    if not all(left < right for left, right in pairwise(document.residuals)):
        raise EncodingError("bad-receipt", "A receipt lists its residuals sorted, each once.")
    check_approvals(document)
    _check_window(document.issued, document.expires, asked.operation, "bad-receipt")


def _check_grant(document: Grant) -> None:
    check_key_id(document.executor)
    _check_digest(document.call, "gw1:", "bad-grant")
    _check_digest(document.receipt, "sha256:", "bad-grant")
    _check_changes(document.changes, "bad-grant")
    for token in document.expected:
        _check_digest(token, "gw1:", "bad-grant")
    if len(document.expected) != len(document.changes):
        raise EncodingError("bad-grant", "A grant expects one token for each change.")
    if not _GRANT_ID.fullmatch(document.id):
        raise EncodingError("bad-grant", "A grant's id is 32 to 64 lower-case hexadecimal digits.")
    # No longer than the longest receipt; `open_grant` holds it to its own receipt.
    _check_window(document.issued, document.expires, "deploy", "bad-grant")


def _check_attestation(document: Attestation) -> None:
    parse_time(document.at)
    _check_digest(document.call, "gw1:", "bad-attestation")
    _check_digest(document.receipt, "sha256:", "bad-attestation")
    if not _GRANT_ID.fullmatch(document.grant):
        raise EncodingError("bad-attestation", "An attestation names a grant by its id.")


def _check_window(issued: str, expires: str, operation: str, reason: str) -> None:
    length = parse_time(expires) - parse_time(issued)
    if not timedelta(0) < length <= timedelta(seconds=lifetime(operation)):
        raise EncodingError(
            reason, f"It must be good for over 0 and at most {lifetime(operation)} seconds."
        )


def _check_changes(changes: Sequence[Touched], reason: str) -> None:
    for change in changes:
        for content in (change.before, change.after):
            if content is not None:
                _check_digest(content, "sha256:", reason)
        stands = (change.before is not None, change.after is not None, change.to is not None)
        if stands != _STANDS[change.kind]:
            raise EncodingError(
                reason, f"What is {change.kind} cannot have stood and stand as it is said here."
            )
        if change.mode is not None and not 0 <= change.mode <= 0o777:
            raise EncodingError(reason, "Permission bits lie between 0 and 0o777.")


# For each kind of change: whether it has a before, an after, a new name.
_STANDS: Final = {
    "created": (False, True, False),
    "changed": (True, True, False),
    "deleted": (True, False, False),
    "renamed": (True, True, True),
    "mode": (True, True, False),
}


def _contents(changes: Sequence[Touched]) -> list[Subject]:
    subjects = []
    for change in changes:
        sides = (
            ("before", change.name, change.before),
            ("after", change.to or change.name, change.after),
        )
        for word, name, content in sides:
            if content is not None:
                subjects.append(
                    Subject(name=f"{word} {name.path}", digest={"sha256": _hex(content)})
                )
    return subjects


def _call(call: str) -> Subject:
    return Subject(name="call", digest={"gw1": _hex(call)})


def _check_digest(text: str, prefix: str, reason: str) -> None:
    if not text.startswith(prefix):
        raise EncodingError(reason, f"A digest stands where one of kind {prefix} must stand.")
    digest.raw(text)


def _hex(text: str) -> str:
    return digest.raw(text).hex()
