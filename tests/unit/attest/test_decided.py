from __future__ import annotations

import msgspec
import pytest

from groundwire.attest import decided
from groundwire.attest.decided import Decided, check, inspect, seal, subjects_of
from groundwire.attest.receipts import read_receipt
from groundwire.canon.digest import sha256, tagged
from groundwire.documents.grant import Grant
from groundwire.documents.receipt import Receipt, Touched
from groundwire.documents.target import TargetName
from groundwire.errors import EncodingError, TrustError
from tests.unit.attest.decisions import (
    ASKED,
    ATTESTATION,
    CHANGED,
    GRANT,
    KEYRING,
    RECEIPT,
    SEALED,
    SPEC,
)
from tests.unit.keys.samples import IDENTITY, STRANGER, key_of, ring

replace = msgspec.structs.replace
ELSEWHERE = TargetName(kind="files", root="/project", path="api/v2.yaml")


def reason_of(document: Decided) -> str:
    with pytest.raises(EncodingError) as refused:
        check(document)
    return refused.value.reason


def test_documents_that_make_sense_pass() -> None:
    for document in (RECEIPT, GRANT, ATTESTATION):
        check(document)


@pytest.mark.parametrize(
    "changes",
    [
        {"audience": ""},
        {"environment": ""},
        {"operation": ""},
        {"run": ""},
        {"sequence": -1},
        {"call": sha256(b"")},
        {"policy": sha256(b"")},
    ],
)
def test_a_receipt_says_in_full_what_it_was_asked(changes: dict[str, object]) -> None:
    assert reason_of(replace(RECEIPT, asked=replace(ASKED, **changes))) == "bad-receipt"


@pytest.mark.parametrize(
    "residuals",
    [("non-atomic", "environment-unknown"), ("non-atomic", "non-atomic"), ("no-such-fact",), ("",)],
)
def test_a_receipt_lists_known_residuals_in_order_each_once(residuals: tuple[str, ...]) -> None:
    assert reason_of(replace(RECEIPT, residuals=residuals)) in {"bad-receipt", "bad-predicate"}


def test_no_residual_of_a_receipt_hides_another() -> None:
    assert len(RECEIPT.residuals) == 2
    receipt, _ = read_receipt(seal(RECEIPT, IDENTITY), KEYRING)
    assert receipt.residuals == ("environment-unknown", "non-atomic")
    check(replace(RECEIPT, residuals=()))


@pytest.mark.parametrize("rules", [(), ("",), ("b", "a"), ("a", "a")])
def test_a_receipt_names_the_rules_that_decided_in_order(rules: tuple[str, ...]) -> None:
    assert reason_of(replace(RECEIPT, rules=rules)) == "bad-receipt"


@pytest.mark.parametrize(
    "changes",
    [
        {"after": None},
        {"before": None},
        {"to": ELSEWHERE},
        {"kind": "created"},
        {"kind": "deleted"},
        {"kind": "renamed"},
        {"mode": 0o4755},
        {"mode": -1},
        {"after": tagged("content", b"")},
    ],
)
def test_a_change_has_the_sides_that_its_kind_has(changes: dict[str, object]) -> None:
    touched = (replace(CHANGED, **changes),)
    assert reason_of(replace(RECEIPT, asked=replace(ASKED, changes=touched))) == "bad-receipt"
    assert reason_of(replace(GRANT, changes=touched)) == "bad-grant"


def test_a_sequence_that_is_a_truth_value_is_no_number() -> None:
    assert reason_of(replace(RECEIPT, asked=replace(ASKED, sequence=True))) == "bad-predicate"


@pytest.mark.parametrize(
    ("operation", "expires", "good"),
    [
        ("tool_call", "2026-03-01T12:15:00.000000Z", True),
        ("tool_call", "2026-03-01T12:15:00.000001Z", False),
        ("register", "2026-03-01T12:15:00.000001Z", False),
        ("deploy", "2026-03-01T16:00:00.000000Z", True),
        ("merge", "2026-03-01T16:00:00.000000Z", True),
        ("publish", "2026-03-01T16:00:00.000001Z", False),
        ("deploy", "2026-03-01T12:00:00.000000Z", False),
    ],
)
def test_a_receipt_lasts_as_long_as_its_operation_may(
    operation: str, expires: str, *, good: bool
) -> None:
    receipt = replace(RECEIPT, asked=replace(ASKED, operation=operation), expires=expires)
    if good:
        check(receipt)
    else:
        assert reason_of(receipt) == "bad-receipt"


@pytest.mark.parametrize(
    "changes",
    [
        {"expected": ()},
        {"expected": (sha256(b""),)},
        {"id": "0" * 31},
        {"id": "0" * 65},
        {"id": "G" * 32},
        {"call": sha256(b"")},
        {"receipt": tagged("call", b"")},
        {"expires": "2026-03-01T16:00:00.000001Z"},
    ],
)
def test_a_grant_that_cannot_be_is_malformed(changes: dict[str, object]) -> None:
    assert reason_of(replace(GRANT, **changes)) == "bad-grant"


def test_a_grant_names_its_executor_by_a_key() -> None:
    assert reason_of(replace(GRANT, executor="the build machine")) == "bad-key-id"


@pytest.mark.parametrize(
    "changes", [{"call": sha256(b"")}, {"receipt": tagged("call", b"")}, {"grant": "0"}]
)
def test_an_attestation_that_cannot_be_is_malformed(changes: dict[str, object]) -> None:
    assert reason_of(replace(ATTESTATION, **changes)) == "bad-attestation"
    assert reason_of(replace(ATTESTATION, at="NaN")) == "bad-time"


def test_subjects_are_the_call_and_each_content_by_its_digest() -> None:
    moved = Touched(
        after=sha256(b"b"), before=sha256(b"a"), kind="renamed", mode=None, name=SPEC, to=ELSEWHERE
    )
    gone = Touched(after=None, before=sha256(b"c"), kind="deleted", mode=None, name=SPEC, to=None)
    subjects = subjects_of(replace(RECEIPT, asked=replace(ASKED, changes=(moved, gone))))
    assert [(subject.name, next(iter(subject.digest))) for subject in subjects] == [
        ("call", "gw1"),
        ("before api/openapi.yaml", "sha256"),
        ("after api/v2.yaml", "sha256"),
        ("before api/openapi.yaml", "sha256"),
    ]
    assert subjects[1].digest["sha256"] == sha256(b"a").removeprefix("sha256:")


def test_every_flipped_bit_of_a_receipt_is_refused() -> None:
    payload = bytearray(SEALED.payload.encode())
    for place in range(0, len(payload) * 8, 7):
        flipped = bytearray(payload)
        flipped[place // 8] ^= 1 << place % 8
        try:
            text = flipped.decode("ascii")
        except UnicodeDecodeError:
            continue
        with pytest.raises((EncodingError, TrustError)):
            read_receipt(replace(SEALED, payload=text), KEYRING)


def test_a_malformed_receipt_by_a_stranger_is_malformed_and_not_a_stranger() -> None:
    broken = replace(SEALED, payload=seal(GRANT, IDENTITY).payload)
    with pytest.raises(EncodingError) as refused:
        read_receipt(broken, ring(key_of(STRANGER)))
    assert refused.value.reason == "wrong-predicate-type"


def test_attack_an_envelope_that_differs_from_a_sealed_one_in_a_character_is_read_anew() -> None:
    sealed = seal(RECEIPT, IDENTITY)
    (signature,) = sealed.signatures
    first = "B" if signature.sig[0] == "A" else "A"
    forged = replace(
        sealed,
        signatures=(replace(signature, sig=first + signature.sig[1:]),),
    )
    assert read_receipt(sealed, KEYRING)[0] == RECEIPT
    with pytest.raises(TrustError) as refused:
        read_receipt(forged, KEYRING)
    assert refused.value.reason == "bad-signature"


def test_attack_a_sealed_envelope_is_of_one_kind() -> None:
    sealed = seal(RECEIPT, IDENTITY)
    with pytest.raises(EncodingError) as refused:
        inspect(sealed, Grant)
    assert refused.value.reason == "wrong-predicate-type"


def test_what_was_sealed_here_is_what_anybody_else_reads() -> None:
    sealed = seal(RECEIPT, IDENTITY)
    here = inspect(sealed, Receipt)
    decided._SEALED._held.clear()
    assert inspect(sealed, Receipt) == here


def test_of_what_was_sealed_here_a_bounded_number_is_remembered() -> None:
    for sequence in range(300):
        asked = replace(ASKED, sequence=sequence)
        seal(replace(RECEIPT, asked=asked), IDENTITY)
    assert len(decided._SEALED._held) == 256
