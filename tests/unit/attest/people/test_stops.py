"""Stops, lifts and openings: who has to have signed each, and that no other sense is read."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from groundwire.attest.people.stops import LIFTS, OPENINGS, STOPS
from groundwire.documents.stop import Lift, Opening, Stop
from groundwire.errors import EncodingError, GroundwireError, TrustError
from groundwire.keys.ed25519 import Ed25519Signer
from groundwire.keys.keyring import Keyring
from tests.approving import ADA
from tests.recorders import keyring as recorders_keyring

AT = "2026-03-01T12:00:00.000000Z"
AUTHORITY = Ed25519Signer.from_seed(b"\x07" * 32)
(_RECORDED,) = recorders_keyring(AUTHORITY).keys
KEYRING = Keyring((replace(_RECORDED, purposes=("authority",)), ADA.key()), "the tests")
STOP = Stop(at=AT, authority=AUTHORITY.key_id, id="0a" * 16, reason="it runs wild", scope="run-1")
LIFT = Lift(approver=ADA.signer.key_id, at=AT, stop="sha256:" + "1" * 64)
OPENING = Opening(approver=ADA.signer.key_id, at=AT, run="run-1")


def test_a_stop_is_the_word_of_this_machines_authority() -> None:
    assert STOPS.read(STOPS.seal(STOP, AUTHORITY), KEYRING)[0] == STOP
    whole = replace(STOP, scope="all", reason="")
    assert STOPS.read(STOPS.seal(whole, AUTHORITY), KEYRING)[0] == whole


def test_a_lift_and_an_opening_are_an_approvers() -> None:
    assert LIFTS.read(LIFTS.seal(LIFT, ADA.signer), KEYRING)[0] == LIFT
    assert OPENINGS.read(OPENINGS.seal(OPENING, ADA.signer), KEYRING)[0] == OPENING


def test_the_key_that_stops_does_not_lift_nor_open() -> None:
    lift = LIFTS.seal(replace(LIFT, approver=AUTHORITY.key_id), AUTHORITY)
    opening = OPENINGS.seal(replace(OPENING, approver=AUTHORITY.key_id), AUTHORITY)
    for read in (lambda: LIFTS.read(lift, KEYRING), lambda: OPENINGS.read(opening, KEYRING)):
        with pytest.raises(TrustError) as caught:
            read()
        assert caught.value.reason == "wrong-purpose"


def test_an_approvers_key_makes_no_stop() -> None:
    """What it signed would count all the same, for every run: what nobody vouches for does."""
    envelope = STOPS.seal(replace(STOP, authority=ADA.signer.key_id), ADA.signer)
    with pytest.raises(TrustError) as caught:
        STOPS.read(envelope, KEYRING)
    assert caught.value.reason == "wrong-purpose"


def test_one_is_not_taken_for_another() -> None:
    lift, opening = LIFTS.seal(LIFT, ADA.signer), OPENINGS.seal(OPENING, ADA.signer)
    for read in (lambda: LIFTS.read(opening, KEYRING), lambda: OPENINGS.read(lift, KEYRING)):
        with pytest.raises(EncodingError) as caught:
            read()
        assert caught.value.reason == "wrong-predicate-type"


@pytest.mark.parametrize(
    ("document", "changes", "reason"),
    [
        (STOP, {"id": "0a"}, "bad-stop"),
        (STOP, {"id": "0A" * 16}, "bad-stop"),
        (STOP, {"reason": "x" * 201}, "bad-stop"),
        (STOP, {"reason": "\x1b[2J"}, "bad-stop"),
        (STOP, {"scope": ""}, "bad-stop"),
        (STOP, {"scope": "x" * 201}, "bad-stop"),
        (STOP, {"scope": " all"}, "bad-stop"),
        (STOP, {"scope": "a\nb"}, "bad-stop"),
        (STOP, {"at": "now"}, "bad-time"),
        (STOP, {"scope": 7}, "bad-predicate"),
        (LIFT, {"stop": "gw1:" + "1" * 64}, "bad-lift"),
        (LIFT, {"stop": "sha256:1"}, "bad-digest"),
        (LIFT, {"at": ""}, "bad-time"),
        (OPENING, {"run": ""}, "bad-opening"),
        (OPENING, {"run": "all"}, "bad-opening"),
        (OPENING, {"at": "2026"}, "bad-time"),
    ],
)
def test_one_without_sense_is_not_sealed(document: Any, changes: Any, reason: str) -> None:
    form: Any = {Stop: STOPS, Lift: LIFTS, Opening: OPENINGS}[type(document)]
    signer = AUTHORITY if isinstance(document, Stop) else ADA.signer
    with pytest.raises(GroundwireError) as caught:
        form.seal(replace(document, **changes), signer)
    assert caught.value.reason == reason
