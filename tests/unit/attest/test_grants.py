from __future__ import annotations

import msgspec
import pytest

from groundwire.attest.grants import open_attestation, open_grant, seal_attestation, seal_grant
from groundwire.attest.receipts import Permit
from groundwire.errors import EncodingError, GuardError, TrustError
from tests.unit.attest.decisions import (
    ASKED,
    ATTESTATION,
    EXECUTOR,
    GRANT,
    KEYRING,
    NOW,
    permit,
)
from tests.unit.keys.samples import IDENTITY, STRANGER, key_of, ring

replace = msgspec.structs.replace


def test_a_grant_opens_with_the_permit_it_was_made_for() -> None:
    assert open_grant(seal_grant(GRANT, IDENTITY), permit(), EXECUTOR.key_id, KEYRING, NOW) == GRANT


def test_a_grant_does_not_open_with_the_permit_of_another_call() -> None:
    other = permit(replace(ASKED, sequence=4))
    with pytest.raises(TrustError) as refused:
        open_grant(seal_grant(GRANT, IDENTITY), other, EXECUTOR.key_id, KEYRING, NOW)
    assert refused.value.reason == "other-receipt"


def test_a_grant_does_not_open_with_what_nothing_opened() -> None:
    with pytest.raises(GuardError) as refused:
        open_grant(
            seal_grant(GRANT, IDENTITY), object.__new__(Permit), EXECUTOR.key_id, KEYRING, NOW
        )
    assert refused.value.reason == "permit-not-opened"


def test_a_grant_does_not_open_without_a_zone() -> None:
    with pytest.raises(EncodingError) as refused:
        open_grant(
            seal_grant(GRANT, IDENTITY),
            permit(),
            EXECUTOR.key_id,
            KEYRING,
            NOW.replace(tzinfo=None),
        )
    assert refused.value.reason == "bad-time"


def test_a_grant_by_a_key_that_records_does_not_open() -> None:
    with pytest.raises(TrustError) as refused:
        open_grant(seal_grant(GRANT, IDENTITY), permit(), EXECUTOR.key_id, ring(key_of()), NOW)
    assert refused.value.reason == "wrong-purpose"


def test_a_grant_issued_before_its_receipt_does_not_open() -> None:
    early = replace(GRANT, issued="2026-03-01T11:59:59.999999Z")
    with pytest.raises(TrustError) as refused:
        open_grant(seal_grant(early, IDENTITY), permit(), EXECUTOR.key_id, KEYRING, NOW)
    assert refused.value.reason == "grant-outlives-receipt"


def test_an_attestation_may_be_written_after_the_grant_has_run_out() -> None:
    late = replace(ATTESTATION, at="2026-03-01T13:00:00.000000Z")
    assert open_attestation(seal_attestation(late, EXECUTOR), GRANT, KEYRING) == late


def test_an_attestation_is_not_sealed_in_anothers_name() -> None:
    with pytest.raises(TrustError) as refused:
        seal_attestation(ATTESTATION, IDENTITY)
    assert refused.value.reason == "wrong-signer"
    assert STRANGER is EXECUTOR
