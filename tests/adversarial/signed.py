"""Receipts, grants and keys: documents of another call, time, key, and documents that are none."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import timedelta

import msgspec

from groundwire.attest.decided import inspect
from groundwire.attest.grants import open_attestation, seal_attestation
from groundwire.attest.receipts import inspect_receipt
from groundwire.canon.digest import sha256, tagged
from groundwire.canon.dsse import decode_base64, encode_base64
from groundwire.documents.entry import Envelope
from groundwire.documents.grant import Grant
from groundwire.documents.receipt import Receipt, Touched
from groundwire.errors import TrustError
from groundwire.keys.signer import Signer
from groundwire.keys.times import format_time
from groundwire.stores.keys import KeyStore, default_folder
from tests.adversarial.attack import Attack, add, attack
from tests.adversarial.between import (
    Turned,
    acting,
    asked_with,
    between,
    forged,
    grant_with,
    receipt_with,
    signer_becomes,
)
from tests.adversarial.world import BEGINS, FIELD, World
from tests.unit.attest.decisions import forge
from tests.unit.keys.samples import STRANGER

Making = Callable[[World], Turned]
replace = msgspec.structs.replace


def _edited(world: World) -> str:
    return world.do("edit_file", path="README.md", old="Use it.", new="Used.").word


def _receipt(
    name: str, tried: str, end: str, turned: Turned | Making, *, made: bool = False
) -> None:
    def deed(world: World) -> str:
        with between(receipt=turned(world) if made else turned):  # type: ignore[call-arg, arg-type]  # takes a world or none
            return _edited(world)

    add(Attack("signed", name, tried, (f"refused: {end}",), deed))


def _grant(name: str, tried: str, end: str, turned: Turned | Making, *, made: bool = False) -> None:
    def deed(world: World) -> str:
        with between(grant=turned(world) if made else turned):  # type: ignore[call-arg, arg-type]  # takes a world or none
            return _edited(world)

    add(Attack("signed", name, tried, (f"refused: {end}",), deed))


def inspect_of(envelope: Envelope) -> Receipt:
    """The receipt as it stands in the envelope."""
    return inspect_receipt(envelope)[0]


def _swapped(changes: tuple[Touched, ...]) -> tuple[Touched, ...]:
    return (replace(changes[0], after=sha256(b"swapped")), *changes[1:])


# --- receipts of something else -------------------------------------------------------------

for _name, _tried, _end, _turned in (
    ("receipt of another call", "another call's digest", "other-call",
     asked_with(call=tagged("call", b"another"))),
    ("receipt of another operation", "a receipt for deploy at a tool call", "other-operation",
     asked_with(operation="deploy")),
    ("receipt of another environment", "a receipt for staging in production", "other-environment",
     asked_with(environment="staging-of-somebody")),
    ("receipt for another audience", "a receipt for another host", "other-audience",
     asked_with(audience="another-host")),
    ("receipt by another policy", "a receipt decided by a milder policy", "other-policy",
     asked_with(policy=tagged("policy", b"milder"))),
    ("receipt of another run", "carried over from another run", "other-run",
     asked_with(run="run-of-somebody")),
    ("receipt of another place in the run", "a later sequence number", "other-sequence",
     asked_with(sequence=lambda sequence: sequence + 1)),
    ("receipt with the payload swapped", "other bytes than were judged", "other-changes",
     asked_with(changes=_swapped)),
    ("receipt that says nothing of the change", "no changes at all", "other-changes",
     asked_with(changes=())),
    ("receipt good for a day", "an expiry past 15 minutes", "bad-receipt",
     receipt_with(expires=format_time(BEGINS + timedelta(days=1)))),
    ("receipt that ends before it begins", "expires = issued", "bad-receipt",
     receipt_with(expires=format_time(BEGINS))),
):  # fmt: skip
    _receipt(_name, _tried, _end, _turned)

for _field, _value in (
    ("not a number", "NaN"), ("without a zone", BEGINS.isoformat()[:19] + ".000000"),
    ("in another offset", BEGINS.isoformat()[:19] + ".000000+02:00"), ("garbled", "in 15 minutes"),
    ("infinite", "9999-99-99T00:00:00.000000Z"), ("a year of five digits", "1" + format_time(BEGINS)),
):  # fmt: skip
    _receipt(f"receipt whose expiry is {_field}", f"expires = {_value}", "bad-time",
             forged(Receipt, expires=_value))  # fmt: skip
    _grant(f"grant whose expiry is {_field}", f"expires = {_value}", "bad-time",
           forged(Grant, expires=_value))  # fmt: skip
_receipt("receipt whose expiry is null", "expires = null", "bad-predicate",
         forged(Receipt, expires=None))  # fmt: skip
_receipt("receipt whose expiry is a number", "expires = 1e999 as an integer", "bad-predicate",
         forged(Receipt, expires=2**53 - 1))  # fmt: skip
_receipt("receipt without an expiry", "no expires at all", "bad-predicate",
         forged(Receipt, "expires"))  # fmt: skip
_receipt("receipt without an issue time", "no issued at all", "bad-predicate",
         forged(Receipt, "issued"))  # fmt: skip
_receipt("receipt with a word nobody knows", "decision = ALLOW", "bad-predicate",
         forged(Receipt, decision="ALLOW"))  # fmt: skip
_receipt("receipt without a decision", "a bare receipt", "bad-predicate",
         forged(Receipt, "decision"))  # fmt: skip
_receipt("receipt with a field of another version", "override = true", "bad-predicate",
         forged(Receipt, override=True))  # fmt: skip


@attack("signed", "receipt that ran out", "16 minutes pass between decision and opening",
        "refused: receipt-expired")  # fmt: skip
def _(world: World) -> str:
    with between(receipt=acting(lambda: world.clock.advance(16 * 60))):
        return _edited(world)


@attack("signed", "receipt of the future", "the clock is set back an hour once it is decided",
        "refused: receipt-not-yet-valid")  # fmt: skip
def _(world: World) -> str:
    with between(receipt=acting(lambda: world.clock.advance(-3600))):
        return _edited(world)


@attack("signed", "receipt that asks, opened as one that allows", "approve turned into allow",
        "refused: bad-signature")  # fmt: skip
def _(world: World) -> str:
    def turned(envelope: Envelope, signer: Signer) -> Envelope:
        payload = decode_base64(envelope.payload)
        assert b'"approve"' in payload
        return replace(envelope, payload=encode_base64(payload.replace(b'"approve"', b'"allow"')))

    with between(receipt=turned):
        return world.do("edit_file", path="openapi.yaml", old=FIELD, new="").word


@attack("signed", "receipt of the call before", "the first call's receipt handed to the second",
        "refused: other-call", leaves=False)  # fmt: skip
def _(world: World) -> str:
    kept: list[Envelope] = []

    def turned(envelope: Envelope, signer: Signer) -> Envelope:
        kept.append(envelope)
        return kept[0]

    with between(receipt=turned):
        assert _edited(world) == "executed"
        word = world.do("edit_file", path="app.py", old="v1", new="v2").word
    assert world.place.read("app.py") == b"v1\n"
    return word


@attack("signed", "receipt replayed for the same call", "the very same call with its own old receipt",
        "refused: other-sequence", leaves=False)  # fmt: skip
def _(world: World) -> str:
    kept: list[Envelope] = []

    def turned(envelope: Envelope, signer: Signer) -> Envelope:
        kept.append(envelope)
        return kept[0]

    given = '{"path":"README.md","old":"Use it.","new":"Used."}'
    with between(receipt=turned):
        assert world.call("edit_file", given, "call-0").word == "executed"
        world.place.write("README.md", "# Tool\n\nUse it.\n")
        word = world.call("edit_file", given, "call-0").word
    assert world.place.read("README.md") == b"# Tool\n\nUse it.\n"
    return word


# --- keys -----------------------------------------------------------------------------------

_receipt("receipt by a stranger's key", "signed by a key that nobody knows", "identity-mismatch",
         lambda envelope, signer: forge(inspect_of(envelope), {}, signer=STRANGER))  # fmt: skip
_receipt("receipt in a stranger's own name", "authority and signature of a stranger",
         "unknown-signer",
         lambda envelope, signer: forge(inspect_of(envelope), {"authority": STRANGER.key_id},
                                        signer=STRANGER))  # fmt: skip
_receipt("receipt by a retired key", "the key was retired as it signed", "retired-key",
         lambda world: signer_becomes(world.clock(), state="retired",
                                      retired_at=format_time(world.clock())), made=True)  # fmt: skip
_receipt("receipt by a revoked key", "the key was stolen an hour before", "revoked-key",
         lambda world: signer_becomes(
             world.clock(), state="revoked",
             compromised_at=format_time(world.clock() - timedelta(minutes=10))), made=True)  # fmt: skip
_receipt("receipt by an undecidable key", "stolen later, and nobody saw it signed before",
         "revoked-undecidable",
         lambda world: signer_becomes(
             world.clock(), state="revoked",
             compromised_at=format_time(world.clock() + timedelta(minutes=5))), made=True)  # fmt: skip
_receipt("receipt by a key for recordings", "the key is trusted for another purpose",
         "wrong-purpose",
         lambda world: signer_becomes(world.clock(), purposes=("recording",), comment="",
                                      state="retired",
                                      retired_at=format_time(world.clock() + timedelta(hours=1))),
         made=True)  # fmt: skip
_receipt("receipt by a key that is no longer known", "the key left the keyring", "unknown-signer",
         lambda world: signer_becomes(world.clock(), gone=True), made=True)  # fmt: skip


@attack("signed", "key revoked with the command line", "groundwire keys revoke in mid-run",
        "refused: no-active-identity", leaves=False,
        recorded="revoked-key")  # fmt: skip
def _(world: World) -> str:
    assert _edited(world) == "executed"
    store = KeyStore(default_folder(os.environ))
    (key,) = [key for key in store.list() if "authority" in key.purposes]
    store.revoke(key.id, None)
    word = world.do("edit_file", path="app.py", old="v1", new="v2").word
    assert world.place.read("app.py") == b"v1\n"
    return word


# --- grants ---------------------------------------------------------------------------------

for _name, _tried, _end, _turned in (
    ("grant of another receipt", "spliced onto another decision", "other-receipt",
     grant_with(receipt=sha256(b"another"))),
    ("grant of another call", "names another call", "other-call",
     grant_with(call=tagged("call", b"another"))),
    ("grant with the payload swapped", "other bytes under the same grant", "other-changes",
     grant_with(changes=_swapped)),
    ("grant for another executor", "somebody else's to use", "other-executor",
     grant_with(executor=STRANGER.key_id)),
    ("grant that outlives its receipt", "a second longer", "grant-outlives-receipt",
     grant_with(expires=format_time(BEGINS + timedelta(minutes=15, microseconds=1)))),
    ("grant with other tokens", "expects another file than was read", "grant-for-another",
     grant_with(expected=(tagged("token", b"another"),))),
    ("grant with another id", "not the id that was asked for", "grant-for-another",
     grant_with(id="0123456789abcdef" * 2)),
    ("grant with an id anybody guesses", "id = 1", "bad-grant", forged(Grant, id="1")),
    ("grant without tokens", "nothing to compare the target with", "bad-grant",
     forged(Grant, expected=[])),
):  # fmt: skip
    _grant(_name, _tried, _end, _turned)


@attack(
    "signed", "grant that ran out", "16 minutes pass before it is used", "refused: grant-expired"
)
def _(world: World) -> str:
    def late(envelope: Envelope, signer: Signer) -> Envelope:
        world.clock.advance(16 * 60)
        return envelope

    with between(grant=late):
        return _edited(world)


@attack("signed", "grant of an earlier call replayed", "a consumed grant handed to the next call",
        "refused: other-receipt", leaves=False)  # fmt: skip
def _(world: World) -> str:
    kept: list[Envelope] = []

    def turned(envelope: Envelope, signer: Signer) -> Envelope:
        kept.append(envelope)
        return kept[0]

    with between(grant=turned):
        assert _edited(world) == "executed"
        word = world.do("edit_file", path="app.py", old="v1", new="v2").word
    assert world.place.read("app.py") == b"v1\n"
    return word


@attack("signed", "clock set back to make a grant good again", "a day later, then back at once",
        "refused: clock-went-back", leaves=False)  # fmt: skip
def _(world: World) -> str:
    assert world.do("create_file", path="first.txt", content="first").word == "executed"
    world.clock.advance(24 * 3600)
    assert _edited(world) == "executed"
    world.clock.advance(-24 * 3600 + 3600)
    word = world.do("edit_file", path="app.py", old="v1", new="v2").word
    assert world.place.read("app.py") == b"v1\n"
    return word


@attack("signed", "a forged attestation of a grant", "a stranger attests a grant; a true key attests another",
        "refused: identity-mismatch, other-grant, bad-signature", leaves=False)  # fmt: skip
def _(world: World) -> str:
    kept: list[tuple[Grant, Signer]] = []

    def seen(envelope: Envelope, signer: Signer) -> Envelope:
        kept.append((inspect(envelope, Grant)[0], signer))
        return envelope

    with between(grant=seen):
        done = world.do("edit_file", path="README.md", old="Use it.", new="Used.")
    assert done.word == "executed"
    grant, signer = kept[0]
    true = done.result.attestation
    keyring = KeyStore(default_folder(os.environ)).keyring()
    attested = open_attestation(true, grant, keyring)
    assert attested.outcome == "executed"
    spliced = seal_attestation(replace(attested, grant="f" * 32), signer)
    turned = decode_base64(true.payload).replace(b'"executed"', b'"refused"')
    reasons = []
    for envelope in (
        forge(attested, {}, signer=STRANGER),
        spliced,
        replace(true, payload=encode_base64(turned)),
    ):
        try:
            open_attestation(envelope, grant, keyring)
        except TrustError as error:
            reasons.append(error.reason)
    return f"refused: {', '.join(reasons)}"
