"""People for tests: their keys, trusted by this test's keyring, and what they say to a request."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from groundwire.attest.people.approvals import APPROVALS, REQUESTS, REVOCATIONS, STANDINGS
from groundwire.canon.dsse import encode_base64
from groundwire.documents.approval import (
    Answer,
    Approval,
    ApprovalRequest,
    ArgumentPattern,
    Revocation,
    Standing,
    subject_of,
)
from groundwire.documents.approving import Approver
from groundwire.documents.entry import Envelope
from groundwire.keys.ed25519 import Ed25519Signer
from groundwire.keys.keyring import Key, Keyring, encode_keyring
from groundwire.keys.times import format_time
from groundwire.stores.keys import KeyStore, default_folder
from groundwire.stores.people.mailbox import Mailbox

SINCE = "2020-01-01T00:00:00.000000Z"


class Person:
    """Somebody with a key of their own, which lies with nobody else."""

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        self.signer = Ed25519Signer.from_seed(bytes([seed]) * 32)

    @property
    def approver(self) -> Approver:
        """As a policy names them."""
        return Approver(name=self.name, key=self.signer.key_id)

    def key(self, **changes: Any) -> Key:
        """As a keyring has them."""
        key = Key(
            comment=self.name, compromised_at=None, custody="passphrase", id=self.signer.key_id,
            not_after=None, not_before=SINCE, public_key=encode_base64(self.signer.public_key),
            purposes=("approval",), retired_at=None, state="active",
        )  # fmt: skip
        return replace(key, **changes)

    def says(self, word: Answer, asked: ApprovalRequest, digest: str, moment: datetime, **changes: Any) -> Envelope:  # fmt: skip
        """Their answer to a request, signed; with `changes` another than they would give."""
        said = Approval(
            answer=word, approver=self.signer.key_id, at=format_time(moment),
            expires=asked.expires, request=digest, shown=asked.shown,
            subject=subject_of(asked.asked, asked.action),
        )  # fmt: skip
        return APPROVALS.seal(replace(said, **changes), self.signer)

    def stands(self, moment: datetime, **changes: Any) -> Envelope:
        """An approval beforehand of edits in `docs`, signed."""
        standing = Standing(
            approver=self.signer.key_id,
            arguments=(ArgumentPattern(name="path", pattern="api*"),),
            at=format_time(moment), effects=("write",), environments=("production",), id="5" * 32,
            operations=("tool_call",), since=format_time(moment), tool="edit",
            until=format_time(moment + timedelta(days=1)), uses=2,
        )  # fmt: skip
        return STANDINGS.seal(replace(standing, **changes), self.signer)

    def revokes(self, digest: str, at: datetime) -> Envelope:
        """That they take a standing approval back, signed."""
        revocation = Revocation(approver=self.signer.key_id, at=format_time(at), standing=digest)
        return REVOCATIONS.seal(revocation, self.signer)


ADA, BEN = Person("ada", 61), Person("ben", 62)


def enrol(*keys: Key) -> None:
    """The keyring of this test's home has these keys too, in place of those it has of their names."""
    folder = default_folder(os.environ)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    known = {key.id: key for key in KeyStore(folder).keyring().keys}
    known |= {key.id: key for key in keys}
    path = folder / "keyring.json"
    path.write_bytes(encode_keyring(Keyring(tuple(known.values()), str(path))))
    path.chmod(0o600)


def mailbox() -> Mailbox:
    """That of this test's home."""
    return Mailbox(default_folder(os.environ).parent / "guard" / "approvals")


def requests() -> Iterator[tuple[ApprovalRequest, str]]:
    """Every request that lies there, with the digest of its signed bytes, the first asked first."""
    keyring = KeyStore(default_folder(os.environ)).keyring()
    read = [REQUESTS.read(letter.envelope, keyring) for letter in mailbox().requests()]
    yield from sorted(read, key=lambda each: each[0].issued)


class Patience:
    """What happens while a call waits: one act at each look, then only time goes by."""

    def __init__(self, clock: Any, acts: Sequence[Callable[[], object]] = ()) -> None:
        self._clock = clock
        self._acts = list(acts)
        self.waited = 0.0

    def __call__(self, event: Any, seconds: float) -> None:
        self.waited += seconds
        self._clock.at += timedelta(seconds=seconds)
        if self._acts:
            self._acts.pop(0)()


def answered(person: Person, answer: Answer = "granted", **changes: Any) -> None:
    """The person answers the latest request."""
    request, digest = list(requests())[-1]
    at = datetime.fromisoformat(request.issued)
    envelope = person.says(answer, request, digest, at, **changes)
    mailbox().post_answer(request.id, person.signer.key_id, envelope)


def post_file(name: str, data: bytes) -> Path:
    """The mailbox has this file, whoever put it there."""
    path = mailbox().folder / name
    path.write_bytes(data)
    path.chmod(0o600)
    return path
