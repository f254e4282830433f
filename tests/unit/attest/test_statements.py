from __future__ import annotations

import msgspec
import pytest

from groundwire.attest.statements import (
    inspect_certificate,
    inspect_redaction,
    open_certificate,
    open_checkpoint,
    open_deletion,
    open_redaction,
    seal_certificate,
    seal_checkpoint,
    seal_deletion,
    seal_redaction,
)
from groundwire.canon.dsse import encode_base64
from groundwire.documents.entry import Envelope
from groundwire.errors import EncodingError, TrustError
from groundwire.keys.run_keys import new_run_key
from tests.unit.attest.samples import (
    CERTIFICATE,
    CHECKPOINT,
    DELETION,
    KEYRING,
    REDACTION,
    forge_predicate,
    forge_statement,
    payload_of,
)
from tests.unit.keys.samples import BEGIN, END, IDENTITY, NOON, RUN_KEY, STRANGER, key_of, ring

BEFORE = "2026-03-01T07:59:59.999999Z"
AFTER = "2026-03-01T18:00:00.000001Z"
replace = msgspec.structs.replace


def reason_of(refused: pytest.ExceptionInfo[TrustError | EncodingError]) -> str:
    return refused.value.reason


def with_keyid(envelope: Envelope, keyid: str) -> Envelope:
    return replace(envelope, signatures=(replace(envelope.signatures[0], keyid=keyid),))


def test_what_was_sealed_opens() -> None:
    assert open_certificate(seal_certificate(CERTIFICATE, IDENTITY), KEYRING) == CERTIFICATE
    assert open_checkpoint(seal_checkpoint(CHECKPOINT, RUN_KEY), CERTIFICATE) == CHECKPOINT
    assert open_redaction(seal_redaction(REDACTION, IDENTITY), KEYRING) == REDACTION
    assert open_deletion(seal_deletion(DELETION, IDENTITY), KEYRING) == DELETION


def test_sealing_twice_gives_the_same_bytes() -> None:
    assert seal_checkpoint(CHECKPOINT, RUN_KEY) == seal_checkpoint(CHECKPOINT, RUN_KEY)


BY_IDENTITY = {
    "certificate": (seal_certificate, open_certificate, CERTIFICATE),
    "redaction": (seal_redaction, open_redaction, REDACTION),
    "deletion": (seal_deletion, open_deletion, DELETION),
}


@pytest.mark.parametrize("kind", BY_IDENTITY)
def test_a_signer_the_keyring_does_not_know_is_unknown_and_nothing_else(kind: str) -> None:
    seal, open_, document = BY_IDENTITY[kind]
    for keyring in (ring(), ring(key_of(STRANGER))):
        with pytest.raises(TrustError) as refused:
            open_(seal(document, IDENTITY), keyring)
        assert reason_of(refused) == "unknown-signer"


@pytest.mark.parametrize("kind", BY_IDENTITY)
def test_an_identity_seals_only_in_its_own_name(kind: str) -> None:
    seal, _, document = BY_IDENTITY[kind]
    with pytest.raises(TrustError) as refused:
        seal(document, STRANGER)
    assert reason_of(refused) == "wrong-signer"


@pytest.mark.parametrize("kind", BY_IDENTITY)
def test_a_known_key_that_signs_in_anothers_name_is_refused(kind: str) -> None:
    _, open_, document = BY_IDENTITY[kind]
    forged = forge_predicate(document, {}, signer=STRANGER)
    with pytest.raises(TrustError) as refused:
        open_(forged, ring(key_of(), key_of(STRANGER)))
    assert reason_of(refused) == "identity-mismatch"


@pytest.mark.parametrize("kind", BY_IDENTITY)
def test_a_flipped_key_id_reads_as_tampering_and_not_as_a_stranger(kind: str) -> None:
    seal, open_, document = BY_IDENTITY[kind]
    sealed = with_keyid(seal(document, IDENTITY), "ed25519:" + "0" * 64)
    with pytest.raises(TrustError) as refused:
        open_(sealed, KEYRING)
    assert reason_of(refused) == "identity-mismatch"


@pytest.mark.parametrize("kind", BY_IDENTITY)
def test_a_payload_that_another_signature_covers_is_refused(kind: str) -> None:
    seal, open_, document = BY_IDENTITY[kind]
    other = seal(replace(document, run="run-b2"), IDENTITY)
    with pytest.raises(TrustError) as refused:
        open_(replace(other, payload=seal(document, IDENTITY).payload), KEYRING)
    assert reason_of(refused) == "bad-signature"


@pytest.mark.parametrize("kind", BY_IDENTITY)
@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"purposes": ("approval", "service")}, "wrong-purpose"),
        ({"not_before": AFTER}, "key-not-yet-valid"),
        ({"not_before": BEFORE, "not_after": BEFORE}, "expired-key"),
        ({"state": "retired", "retired_at": BEGIN}, "retired-key"),
        ({"state": "revoked", "compromised_at": BEGIN}, "revoked-key"),
        ({"state": "revoked", "compromised_at": END}, "revoked-undecidable"),
    ],
)
def test_the_keyring_judges_who_signed_at_the_time_that_the_document_states(
    kind: str, changes: dict[str, object], reason: str
) -> None:
    seal, open_, document = BY_IDENTITY[kind]
    with pytest.raises(TrustError) as refused:
        open_(seal(document, IDENTITY), ring(key_of(**changes)))
    assert reason_of(refused) == reason


@pytest.mark.parametrize("kind", BY_IDENTITY)
def test_an_anchor_from_before_the_compromise_makes_a_revoked_signature_count(kind: str) -> None:
    seal, open_, document = BY_IDENTITY[kind]
    revoked = ring(key_of(state="revoked", compromised_at=END))
    assert open_(seal(document, IDENTITY), revoked, NOON) == document
    with pytest.raises(TrustError) as refused:
        open_(seal(document, IDENTITY), revoked, END)
    assert reason_of(refused) == "revoked-undecidable"


@pytest.mark.parametrize("kind", BY_IDENTITY)
def test_a_subject_that_is_not_what_the_statement_speaks_of_is_refused(kind: str) -> None:
    _, open_, document = BY_IDENTITY[kind]
    for subject in (
        {"name": "run-b2", "digest": {"sha256": "0" * 64}},
        {"name": document.run, "digest": {}},
        {"name": document.run, "digest": {"sha256": "0" * 64}},
    ):
        with pytest.raises(EncodingError) as refused:
            open_(forge_statement(document, {"subject": [subject]}), KEYRING)
        assert reason_of(refused) == "wrong-subject"


@pytest.mark.parametrize("kind", BY_IDENTITY)
def test_one_kind_of_statement_does_not_open_as_another(kind: str) -> None:
    _, open_, _ = BY_IDENTITY[kind]
    for other, (seal, _, document) in BY_IDENTITY.items():
        if other == kind:
            continue
        for keyring in (KEYRING, ring()):
            with pytest.raises(EncodingError) as refused:
                open_(seal(document, IDENTITY), keyring)
            assert reason_of(refused) == "wrong-predicate-type"


# -- certificates -------------------------------------------------------------------------------

BAD_CERTIFICATES = {
    "no run": ({"run": ""}, "bad-certificate"),
    "a window that ends before it begins": ({"not_after": BEFORE}, "bad-certificate"),
    "an end that is garbled": ({"not_after": "never"}, "bad-time"),
    "a begin without a zone": ({"not_before": "2026-03-01T08:00:00.000000"}, "bad-time"),
    "a key id of another key": ({"key": STRANGER.key_id}, "bad-certificate"),
    "a public key that is short": ({"public_key": encode_base64(bytes(31))}, "bad-public-key"),
    "a public key that anyone signs for": (
        {"public_key": encode_base64(b"\x01" + bytes(31))},
        "bad-public-key",
    ),
    "an identity that is no key id": ({"identity": "ed25519:root"}, "bad-key-id"),
    "its own identity as the run key": (
        {"key": IDENTITY.key_id, "public_key": encode_base64(IDENTITY.public_key)},
        "bad-certificate",
    ),
}


@pytest.mark.parametrize("name", BAD_CERTIFICATES)
def test_a_certificate_that_makes_no_sense_is_neither_opened_nor_inspected(name: str) -> None:
    changes, reason = BAD_CERTIFICATES[name]
    forged = forge_predicate(CERTIFICATE, changes)
    for act in (lambda: open_certificate(forged, KEYRING), lambda: inspect_certificate(forged)):
        with pytest.raises(EncodingError) as refused:
            act()
        assert reason_of(refused) == reason


@pytest.mark.parametrize(
    "name", sorted(BAD_CERTIFICATES.keys() - {"an identity that is no key id"})
)
def test_a_certificate_that_makes_no_sense_is_not_sealed(name: str) -> None:
    changes, reason = BAD_CERTIFICATES[name]
    with pytest.raises(EncodingError) as refused:
        seal_certificate(replace(CERTIFICATE, **changes), IDENTITY)
    assert reason_of(refused) == reason


@pytest.mark.parametrize(
    "field", ["identity", "key", "not_after", "not_before", "public_key", "run"]
)
def test_a_certificate_without_one_of_its_fields_is_malformed(field: str) -> None:
    for envelope in (
        forge_predicate(CERTIFICATE, {}, without=[field]),
        forge_predicate(CERTIFICATE, {field: None}),
    ):
        with pytest.raises(EncodingError) as refused:
            open_certificate(envelope, KEYRING)
        assert reason_of(refused) == "bad-predicate"


def test_a_certificate_is_inspected_without_any_keyring_and_says_whom_it_claims() -> None:
    assert inspect_certificate(seal_certificate(CERTIFICATE, IDENTITY)) == (
        CERTIFICATE,
        IDENTITY.key_id,
    )


def test_inspection_is_not_trust_a_forged_signature_passes_it() -> None:
    sealed = seal_certificate(CERTIFICATE, IDENTITY)
    signature = replace(sealed.signatures[0], sig=encode_base64(bytes(64)))
    forged = replace(sealed, signatures=(signature,))
    assert inspect_certificate(forged)[0] == CERTIFICATE
    with pytest.raises(TrustError) as refused:
        open_certificate(forged, KEYRING)
    assert reason_of(refused) == "bad-signature"


def test_inspection_refuses_an_envelope_that_names_another_signer() -> None:
    with pytest.raises(TrustError) as refused:
        inspect_certificate(with_keyid(seal_certificate(CERTIFICATE, IDENTITY), STRANGER.key_id))
    assert reason_of(refused) == "identity-mismatch"
    with pytest.raises(TrustError) as refused:
        inspect_redaction(with_keyid(seal_redaction(REDACTION, IDENTITY), STRANGER.key_id))
    assert reason_of(refused) == "identity-mismatch"


# -- checkpoints --------------------------------------------------------------------------------


def test_a_checkpoint_by_any_other_key_than_the_certified_one_is_refused() -> None:
    for signer in (IDENTITY, STRANGER):
        with pytest.raises(TrustError) as refused:
            open_checkpoint(seal_checkpoint(CHECKPOINT, signer), CERTIFICATE)
        assert reason_of(refused) == "wrong-signer"


def test_a_checkpoint_of_another_run_is_refused_even_by_the_same_key() -> None:
    sealed = seal_checkpoint(replace(CHECKPOINT, run="run-b2"), RUN_KEY)
    with pytest.raises(TrustError) as refused:
        open_checkpoint(sealed, CERTIFICATE)
    assert reason_of(refused) == "other-run"


@pytest.mark.parametrize("at", [BEGIN, NOON, END])
def test_a_checkpoint_within_its_window_opens_ends_included(at: str) -> None:
    checkpoint = replace(CHECKPOINT, at=at)
    assert open_checkpoint(seal_checkpoint(checkpoint, RUN_KEY), CERTIFICATE) == checkpoint


@pytest.mark.parametrize("at", [BEFORE, AFTER])
def test_a_checkpoint_outside_its_window_is_refused(at: str) -> None:
    with pytest.raises(TrustError) as refused:
        open_checkpoint(seal_checkpoint(replace(CHECKPOINT, at=at), RUN_KEY), CERTIFICATE)
    assert reason_of(refused) == "outside-window"


BAD_CHECKPOINTS = {
    "no run": ({"run": ""}, "bad-checkpoint"),
    "no entry covered": ({"size": 0}, "bad-checkpoint"),
    "a segment before the first": ({"segment": -1}, "bad-checkpoint"),
    "a head of another kind": ({"head": "root:" + "5" * 64}, "bad-checkpoint"),
    "a root of another kind": ({"root": "sha256:" + "6" * 64}, "bad-checkpoint"),
    "a head in capitals": ({"head": "leaf:" + "A" * 64}, "bad-digest"),
    "a root that is short": ({"root": "root:" + "6" * 63}, "bad-digest"),
    "a time that is garbled": ({"at": "2026-03-01"}, "bad-time"),
}


@pytest.mark.parametrize("name", BAD_CHECKPOINTS)
def test_a_checkpoint_that_makes_no_sense_is_neither_sealed_nor_opened(name: str) -> None:
    changes, reason = BAD_CHECKPOINTS[name]
    with pytest.raises(EncodingError) as refused:
        seal_checkpoint(replace(CHECKPOINT, **changes), RUN_KEY)
    assert reason_of(refused) == reason
    with pytest.raises(EncodingError) as refused:
        open_checkpoint(forge_predicate(CHECKPOINT, changes, signer=RUN_KEY), CERTIFICATE)
    assert reason_of(refused) == reason


@pytest.mark.parametrize(
    "subject",
    [
        {"name": "run-a1/1", "digest": {"rfc9162-sha256": "6" * 64}},
        {"name": "run-a1", "digest": {"rfc9162-sha256": "6" * 64}},
        {"name": "run-a1/0", "digest": {"rfc9162-sha256": "7" * 64}},
        {"name": "run-a1/0", "digest": {"sha256": "6" * 64}},
        {"name": "run-a1/0", "digest": {"rfc9162-sha256": "6" * 64, "sha256": "6" * 64}},
    ],
)
def test_a_checkpoint_of_another_subject_is_refused(subject: dict[str, object]) -> None:
    forged = forge_statement(CHECKPOINT, {"subject": [subject]}, RUN_KEY)
    with pytest.raises(EncodingError) as refused:
        open_checkpoint(forged, CERTIFICATE)
    assert reason_of(refused) == "wrong-subject"


def test_a_checkpoint_is_not_opened_under_a_certificate_that_makes_no_sense() -> None:
    sealed = seal_checkpoint(CHECKPOINT, RUN_KEY)
    for changes in ({"not_after": "never"}, {"key": STRANGER.key_id}, {"run": ""}):
        with pytest.raises(EncodingError):
            open_checkpoint(sealed, replace(CERTIFICATE, **changes))


def test_a_forgotten_run_key_seals_no_checkpoint() -> None:
    run_key = new_run_key(b"\x33" * 32)
    run_key.forget()
    with pytest.raises(TrustError) as refused:
        seal_checkpoint(CHECKPOINT, run_key.signer)
    assert reason_of(refused) == "run-key-forgotten"


# -- redactions and deletions -------------------------------------------------------------------

ONE, TWO = REDACTION.commitments
BAD_REDACTIONS = {
    "no run": ({"run": ""}, "bad-redaction"),
    "nothing taken out": ({"commitments": ()}, "bad-redaction"),
    "a commitment twice": ({"commitments": (ONE, ONE)}, "bad-redaction"),
    "another order": ({"commitments": (TWO, ONE)}, "bad-redaction"),
    "a digest that is no commitment": ({"commitments": ("sha256:" + "1" * 64,)}, "bad-redaction"),
    "a commitment that is short": ({"commitments": ("gw1:" + "1" * 63,)}, "bad-digest"),
    "a time that is garbled": ({"at": ""}, "bad-time"),
}


@pytest.mark.parametrize("name", BAD_REDACTIONS)
def test_a_redaction_that_makes_no_sense_is_neither_sealed_nor_opened(name: str) -> None:
    changes, reason = BAD_REDACTIONS[name]
    with pytest.raises(EncodingError) as refused:
        seal_redaction(replace(REDACTION, **changes), IDENTITY)
    assert reason_of(refused) == reason
    with pytest.raises(EncodingError) as refused:
        open_redaction(forge_predicate(REDACTION, changes), KEYRING)
    assert reason_of(refused) == reason
    with pytest.raises(EncodingError):
        inspect_redaction(forge_predicate(REDACTION, changes))


def test_a_redaction_is_inspected_without_any_keyring() -> None:
    assert inspect_redaction(seal_redaction(REDACTION, IDENTITY)) == (REDACTION, IDENTITY.key_id)


BAD_DELETIONS = {
    "no run": ({"run": ""}, "bad-deletion"),
    "a size below nothing": ({"size": -1}, "bad-deletion"),
    "a segment before the first": ({"segment": -1}, "bad-deletion"),
    "a root of another kind": ({"root": "leaf:" + "6" * 64}, "bad-deletion"),
    "a time that is garbled": ({"at": "today"}, "bad-time"),
}


@pytest.mark.parametrize("name", BAD_DELETIONS)
def test_a_deletion_that_makes_no_sense_is_neither_sealed_nor_opened(name: str) -> None:
    changes, reason = BAD_DELETIONS[name]
    with pytest.raises(EncodingError) as refused:
        seal_deletion(replace(DELETION, **changes), IDENTITY)
    assert reason_of(refused) == reason
    with pytest.raises(EncodingError) as refused:
        open_deletion(forge_predicate(DELETION, changes), KEYRING)
    assert reason_of(refused) == reason


@pytest.mark.parametrize("document", [CERTIFICATE, REDACTION, DELETION])
def test_no_document_by_an_identity_reads_as_a_checkpoint(document: object) -> None:
    certified = replace(CERTIFICATE, run="run-a1")
    with pytest.raises(EncodingError) as refused:
        open_checkpoint(forge_predicate(document, {}, signer=RUN_KEY), certified)
    assert reason_of(refused) == "wrong-predicate-type"


def test_the_samples_differ_in_their_payloads() -> None:
    documents = (CERTIFICATE, CHECKPOINT, REDACTION, DELETION)
    assert len({payload_of(document) for document in documents}) == 4
