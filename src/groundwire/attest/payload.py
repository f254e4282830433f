"""The payload of an envelope: an in-toto Statement v1 with its subjects and a closed predicate.

Spec: https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md. There is one byte
string for each predicate: decoding builds it again and compares.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec

from groundwire.canon import jcs
from groundwire.documents.approval import (
    APPROVAL,
    APPROVAL_REQUEST,
    REVOCATION,
    STANDING,
    Approval,
    ApprovalRequest,
    Revocation,
    Standing,
)
from groundwire.documents.grant import ATTESTATION, GRANT, Attestation, Grant
from groundwire.documents.lineage import LINEAGE, LineageStatement
from groundwire.documents.receipt import RECEIPT, Receipt
from groundwire.documents.statement import (
    CERTIFICATE,
    CHECKPOINT,
    DELETION,
    REDACTION,
    STATEMENT,
    Certificate,
    Checkpoint,
    Deletion,
    Redaction,
)
from groundwire.documents.stop import LIFT, OPENING, STOP, Lift, Opening, Stop
from groundwire.errors import EncodingError

Predicate = TypeVar("Predicate", Certificate, Checkpoint, Redaction, Deletion)
Kind = TypeVar("Kind", bound=msgspec.Struct)

_TYPES: dict[type, str] = {
    Certificate: CERTIFICATE,
    Checkpoint: CHECKPOINT,
    Redaction: REDACTION,
    Deletion: DELETION,
    Receipt: RECEIPT,
    Grant: GRANT,
    Attestation: ATTESTATION,
    ApprovalRequest: APPROVAL_REQUEST,
    Approval: APPROVAL,
    Standing: STANDING,
    Revocation: REVOCATION,
    Stop: STOP,
    Lift: LIFT,
    Opening: OPENING,
    LineageStatement: LINEAGE,
}


class Subject(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a statement is about: a name and one digest."""

    digest: dict[str, str]
    name: str


class _Statement(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    statement_type: str = msgspec.field(name="_type")
    predicate: msgspec.Raw
    predicate_type: str = msgspec.field(name="predicateType")
    subject: tuple[Subject, ...]


def encode_payload(predicate: msgspec.Struct, *subjects: Subject) -> bytes:
    """The one byte string of this predicate about these subjects, in this order.

    Raises:
        EncodingError: a value that has no canonical JSON.
    """
    statement = {
        "_type": STATEMENT,
        "predicate": predicate,
        "predicateType": _TYPES[type(predicate)],
        "subject": subjects,
    }
    return jcs.encode_document(statement)


def decode_payload(payload: bytes, kind: type[Predicate]) -> tuple[Predicate, Subject]:
    """The predicate of this kind and the one subject that these bytes spell.

    Says and refuses what `decode_statement` does, and other numbers of subjects too.

    Raises:
        EncodingError: `bad-statement`, `wrong-predicate-type`, `bad-predicate`, `not-canonical`.
    """
    predicate, subjects = decode_statement(payload, kind)
    if len(subjects) != 1:
        raise EncodingError("bad-statement", "The payload must have one subject.")
    return predicate, subjects[0]


def decode_statement(payload: bytes, kind: type[Kind]) -> tuple[Kind, tuple[Subject, ...]]:
    """The predicate of this kind and the subjects that these bytes spell.

    `encode_payload` of them gives `payload` again, byte for byte. Does not check that the subjects
    fit the predicate, or what the predicate's texts mean.

    Raises:
        EncodingError: `bad-statement`, `wrong-predicate-type`, `bad-predicate`, `not-canonical`.
    """
    try:
        statement = msgspec.json.decode(payload, type=_Statement)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise EncodingError(
            "bad-statement", f"The payload is no in-toto Statement with a closed form: {error}."
        ) from error
    if statement.statement_type != STATEMENT:
        raise EncodingError("bad-statement", f"The payload must be of type {STATEMENT}.")
    # The type comes before the predicate: two kinds of statement may have the same fields.
    if statement.predicate_type != _TYPES[kind]:
        raise EncodingError(
            "wrong-predicate-type", f"The statement's predicate type is not {_TYPES[kind]}."
        )
    try:
        predicate = msgspec.json.decode(statement.predicate, type=kind)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise EncodingError(
            "bad-predicate", f"The predicate is not of its closed form: {error}."
        ) from error
    if encode_payload(predicate, *statement.subject) != payload:
        raise EncodingError(
            "not-canonical", "The payload is not the canonical form of what it states."
        )
    return predicate, statement.subject
