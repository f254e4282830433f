"""Somebody makes a key, or uses one that lies open, and signs a yes with it."""

from __future__ import annotations

import os
from typing import Any

from groundwire.canon.dsse import encode_base64
from groundwire.keys.ed25519 import encode_private_key
from groundwire.stores.keys import default_folder
from tests.approvals.attempt import attempt
from tests.approvals.world import ADA, MALLORY, Office, locked
from tests.approving import enrol, mailbox

PENDING = "refused: approval-pending"
STARTS = "2026-01-01T00:00:00.000000Z"


def _own(world: Office, **said: Any) -> str:
    """The policy names mallory too, whose key is as it is said; they say yes."""
    world.people(ADA, MALLORY)
    world.put_open_key(MALLORY, **said)
    asked = world.asked()
    world.post(asked, world.says(MALLORY, asked), MALLORY)
    return world.again().word


@attempt(
    "keys", "a key of the agent's in the keyring", "made by the agent, named by no policy", PENDING
)
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    enrol(MALLORY.key())
    world.put_key(MALLORY, locked(MALLORY, "the agent's own words"))
    world.post(asked, world.says(MALLORY, asked), MALLORY)
    return world.again().word


@attempt(
    "keys", "a key that lies open, and says so", "the policy names it; custody in-process", PENDING
)
def _(world: Office) -> str:
    return _own(world, custody="in-process")


@attempt("keys", "a key that lies open, and says it does not", "the policy names it; custody passphrase, a plain file",
         PENDING)  # fmt: skip
def _(world: Office) -> str:
    return _own(world, custody="passphrase")


@attempt("keys", "a key that lies open under another name", "custody hardware; its plain file is called other.pem",
         PENDING)  # fmt: skip
def _(world: Office) -> str:
    world.people(ADA, MALLORY)
    enrol(MALLORY.key(custody="hardware"))
    path = default_folder(os.environ) / "other.pem"
    path.write_bytes(encode_private_key(bytes([66]) * 32))
    path.chmod(0o600)
    asked = world.asked()
    world.post(asked, world.says(MALLORY, asked), MALLORY)
    return world.again().word


@attempt(
    "keys",
    "the only approver lies open",
    "nobody else is named: the call is refused",
    "refused: self-approval",
)
def _(world: Office) -> str:
    world.people(MALLORY)
    world.put_open_key(MALLORY)
    return world.again().word


@attempt("keys", "the key that decides says yes", "it lies open to the process that asks", PENDING)
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    signer = world.authority()
    mailbox().post_answer(asked, signer.key_id, world.says_as(signer, asked))
    return world.again().word


@attempt("keys", "the key that records says yes", "another purpose than approval", PENDING)
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    _, signer = world.key_of("recording")
    mailbox().post_answer(asked, signer.key_id, world.says_as(signer, asked))
    return world.again().word


@attempt("keys", "the key that decides is made an approver", "the keyring says approval of it too; the policy names it",
         "refused: self-approval")  # fmt: skip
def _(world: Office) -> str:
    world.people(ADA)
    signer = world.authority()
    key, _ = world.key_of("authority")
    text = (world.place.read("groundwire.toml") or b"").decode()
    world.policy(text.replace(ADA.signer.key_id, signer.key_id))
    enrol(type(key)(**{**_fields(key), "purposes": ("authority", "approval")}))
    return world.again().word


@attempt("keys", "an approver who was revoked", "ada's key is revoked; her earlier yes lies there",
         "refused: approver-revoked")  # fmt: skip
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    world.post(asked, world.says(ADA, asked))
    enrol(ADA.key(state="revoked", compromised_at=STARTS))
    return world.again().word


@attempt("keys", "an approver who was revoked, put back", "the keyring says active again, in the same process",
         "refused: approver-revoked")  # fmt: skip
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    world.post(asked, world.says(ADA, asked))
    enrol(ADA.key(state="revoked", compromised_at=STARTS))
    assert world.again().word == "refused: approver-revoked"
    enrol(ADA.key())
    return world.again().word


@attempt("keys", "an approver who was retired", "ada's key is retired", "refused: approver-revoked")
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    world.post(asked, world.says(ADA, asked))
    enrol(ADA.key(state="retired", retired_at=STARTS))
    return world.again().word


@attempt("keys", "an approver's key for something else", "the keyring says recording of ada's key",
         "refused: approver-unknown")  # fmt: skip
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    world.post(asked, world.says(ADA, asked))
    enrol(ADA.key(purposes=("recording",)))
    return world.again().word


@attempt("keys", "another key behind ada's id", "her public key is replaced in the keyring by the agent's",
         "refused: keyring-garbled")  # fmt: skip
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    path = default_folder(os.environ) / "keyring.json"
    hers, own = encode_base64(ADA.signer.public_key), encode_base64(MALLORY.signer.public_key)
    before = path.read_bytes()
    path.write_bytes(before.replace(hers.encode(), own.encode()))
    world.post(asked, world.says(MALLORY, asked))
    word = world.again().word
    path.write_bytes(before)
    return word


@attempt("keys", "the policy names the agent's key in mid-run", "written beside the guard; the policy in force is pinned",
         "refused: policy-changed")  # fmt: skip
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    enrol(MALLORY.key())
    text = (world.place.read("groundwire.toml") or b"").decode()
    world.place.write("groundwire.toml", text.replace(ADA.signer.key_id, MALLORY.signer.key_id))
    world.post(asked, world.says(MALLORY, asked), MALLORY)
    return world.again().word


@attempt("keys", "the agent's file as ada's private key", "locked under words the agent knows; grant at a terminal",
         "refused: private-key-garbled")  # fmt: skip
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    world.put_key(ADA, locked(MALLORY, "the agent's own words"))
    how = world.typed(asked, "the agent's own words")
    assert world.again().word == PENDING
    return how


def _fields(key: object) -> dict[str, Any]:
    return {name: getattr(key, name) for name in key.__struct_fields__}  # type: ignore[attr-defined]  # a Struct
