from __future__ import annotations

import copy
import pickle
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import msgspec
import pytest

from groundwire.attest import receipts
from groundwire.attest.receipts import (
    Held,
    Permit,
    open_receipt,
    read_receipt,
    require_permit,
    seal_receipt,
)
from groundwire.canon.digest import sha256
from groundwire.canon.dsse import decode_base64
from groundwire.documents.decision import Word
from groundwire.errors import EncodingError, GuardError, TrustError
from tests.unit.attest.decisions import (
    ASKED,
    EXPIRES,
    ISSUED,
    KEYRING,
    NOW,
    RECEIPT,
    SEALED,
    permit,
)
from tests.unit.keys.samples import IDENTITY, STRANGER, key_of, ring

PACKAGE = Path(receipts.__file__).parents[1]
replace = msgspec.structs.replace


def test_a_receipt_that_allows_what_was_asked_opens_into_a_permit() -> None:
    opened = open_receipt(SEALED, ASKED, KEYRING, NOW)
    assert isinstance(opened, Permit)
    assert opened.receipt == RECEIPT
    assert opened.digest == sha256(decode_base64(SEALED.payload))
    assert require_permit(opened, ASKED) is opened


@pytest.mark.parametrize("word", ["approve", "deny"])
def test_a_receipt_that_does_not_allow_opens_into_no_permit(word: Word) -> None:
    receipt = replace(RECEIPT, decision=word)
    opened = open_receipt(seal_receipt(receipt, IDENTITY), ASKED, KEYRING, NOW)
    assert isinstance(opened, Held)
    assert opened.receipt == receipt
    with pytest.raises(GuardError) as refused:
        require_permit(opened, ASKED)
    assert refused.value.reason == "permit-not-opened"


def test_a_permit_cannot_be_made_copied_sent_or_inherited_from() -> None:
    real = permit()
    for make in (
        Permit,
        lambda: copy.copy(real),
        lambda: copy.deepcopy(real),
        lambda: pickle.dumps(real),
        lambda: type("Loose", (Permit,), {}),
    ):
        with pytest.raises(GuardError) as refused:
            make()
        assert refused.value.reason == "permit-not-opened"


def test_an_object_of_the_type_that_nothing_opened_permits_nothing() -> None:
    forged = object.__new__(Permit)
    for use in (
        lambda: forged.receipt,
        lambda: forged.digest,
        lambda: require_permit(forged, ASKED),
    ):
        with pytest.raises(GuardError) as refused:
            use()
        assert refused.value.reason == "permit-not-opened"


@pytest.mark.parametrize("word", [True, "allow", None, RECEIPT, SEALED, 1])
def test_what_is_no_permit_permits_nothing(word: object) -> None:
    with pytest.raises(GuardError) as refused:
        require_permit(word, ASKED)
    assert refused.value.reason == "permit-not-opened"


def test_a_permit_holds_nothing_that_could_be_changed() -> None:
    with pytest.raises(AttributeError):
        object.__setattr__(permit(), "receipt", RECEIPT)


@pytest.mark.parametrize(
    "changes",
    [{"call": "gw1:" + "0" * 64}, {"changes": ()}, {"sequence": 4}, {"run": "run-b2"}],
)
def test_a_permit_is_for_exactly_one_call_and_its_changes(changes: dict[str, object]) -> None:
    with pytest.raises(GuardError) as refused:
        require_permit(permit(), replace(ASKED, **changes))
    assert refused.value.reason == "permit-for-another"


def test_only_one_line_of_the_whole_source_makes_a_permit() -> None:
    source = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    home = Path(receipts.__file__)
    assert source[home].count("object.__new__(Permit)") == 1
    assert source[home].count("_OPENED[permit] = ") == 1
    assert [path for path, text in source.items() if "_OPENED" in text] == [home]
    assert [path for path, text in source.items() if "__new__(Permit" in text] == [home]


@pytest.mark.parametrize("now", [float("nan"), None, 0, EXPIRES])
def test_a_present_that_is_no_moment_opens_nothing(now: object) -> None:
    with pytest.raises(EncodingError) as refused:
        open_receipt(SEALED, ASKED, KEYRING, now)  # type: ignore[arg-type] -- a clock may be broken
    assert refused.value.reason == "bad-time"


def test_a_present_without_a_zone_opens_nothing() -> None:
    with pytest.raises(EncodingError) as refused:
        open_receipt(SEALED, ASKED, KEYRING, NOW.replace(tzinfo=None))
    assert refused.value.reason == "bad-time"


def test_a_receipt_is_good_from_its_first_moment_to_just_before_its_last() -> None:
    first = datetime.fromisoformat(ISSUED)
    last = datetime.fromisoformat(EXPIRES) - timedelta(microseconds=1)
    elsewhere = last.astimezone(timezone(timedelta(hours=-9)))
    for now in (first, last, elsewhere):
        assert isinstance(open_receipt(SEALED, ASKED, KEYRING, now), Permit)
    for now, reason in (
        (first - timedelta(microseconds=1), "receipt-not-yet-valid"),
        (last + timedelta(microseconds=1), "receipt-expired"),
        (datetime(9999, 1, 1, tzinfo=UTC), "receipt-expired"),
    ):
        with pytest.raises(TrustError) as refused:
            open_receipt(SEALED, ASKED, KEYRING, now)
        assert refused.value.reason == reason


def test_a_receipt_is_read_long_after_it_has_run_out() -> None:
    receipt, digest = read_receipt(SEALED, KEYRING)
    assert receipt == RECEIPT
    assert digest == permit().digest


def test_a_receipt_is_not_sealed_in_anothers_name() -> None:
    with pytest.raises(TrustError) as refused:
        seal_receipt(RECEIPT, STRANGER)
    assert refused.value.reason == "wrong-signer"


def test_a_key_that_records_does_not_decide() -> None:
    with pytest.raises(TrustError) as refused:
        read_receipt(SEALED, ring(key_of()))
    assert refused.value.reason == "wrong-purpose"
