"""Somebody who stands between the guard and its authority, and hands on other documents."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from groundwire.attest.decided import inspect
from groundwire.attest.grants import seal_grant
from groundwire.attest.receipts import inspect_receipt, seal_receipt
from groundwire.documents.entry import Envelope
from groundwire.documents.grant import Grant
from groundwire.documents.receipt import Receipt
from groundwire.keys.keyring import Key, Keyring, encode_keyring
from groundwire.keys.signer import Signer
from groundwire.session.clock import random_bytes
from groundwire.session.guarding.guard import Guard
from groundwire.stores.keys import KeyStore, default_folder
from groundwire.stores.private_keys.folder import KEYRING_FILE
from tests.unit.attest.decisions import forge

Turned = Callable[[Envelope, Signer], Envelope]
"""What is handed on in the place of the true envelope; the signer is the true authority's."""


class Between:
    """The true authority, but for what these turn its documents into."""

    def __init__(
        self, true: Any, signer: Signer, receipt: Turned | None, grant: Turned | None
    ) -> None:
        self._true, self._signer = true, signer
        self._receipt, self._grant = receipt, grant

    def judge(self, question: Any, now: datetime) -> Any:
        return self._true.judge(question, now)

    def decide(self, question: Any, now: datetime) -> tuple[Any, Envelope]:
        ruling, envelope = self._true.decide(question, now)
        return ruling, self._receipt(envelope, self._signer) if self._receipt else envelope

    def grant(self, *asked: Any) -> Envelope:
        envelope: Envelope = self._true.grant(*asked)
        return self._grant(envelope, self._signer) if self._grant else envelope


@contextmanager
def between(*, receipt: Turned | None = None, grant: Turned | None = None) -> Iterator[None]:
    """Within, every guard hears of its authority through somebody else."""
    true = Guard.authority

    def authority(guard: Guard) -> Any:
        return Between(true(guard), guard.keys().signer, receipt, grant)

    Guard.authority = authority  # type: ignore[method-assign, assignment]  # put in its place meanwhile
    try:
        yield
    finally:
        Guard.authority = true  # type: ignore[method-assign]  # put in its place meanwhile


def acting(act: Callable[[], object], *, times: int = 1) -> Turned:
    """Hands on the true document, having done something else first, so many times."""
    left = [times]

    def turned(envelope: Envelope, signer: Signer) -> Envelope:
        if left[0] > 0:
            left[0] -= 1
            act()
        return envelope

    return turned


def receipt_with(**changes: Any) -> Turned:
    """The true authority signs, of the same call, something else. Callables get the true value."""

    def turned(envelope: Envelope, signer: Signer) -> Envelope:
        receipt, _ = inspect_receipt(envelope)
        return seal_receipt(changed(receipt, changes), signer)

    return turned


def asked_with(**changes: Any) -> Turned:
    """The same of what was asked."""

    def turned(envelope: Envelope, signer: Signer) -> Envelope:
        receipt, _ = inspect_receipt(envelope)
        asked = changed(receipt.asked, changes)
        return seal_receipt(msgspec.structs.replace(receipt, asked=asked), signer)

    return turned


def grant_with(**changes: Any) -> Turned:
    """The same of a grant."""

    def turned(envelope: Envelope, signer: Signer) -> Envelope:
        return seal_grant(changed(inspect(envelope, Grant)[0], changes), signer)

    return turned


def forged(kind: type[Receipt] | type[Grant], *without: str, **changes: Any) -> Turned:
    """Fields of the signed JSON are others, or are not there, under a good signature."""

    def turned(envelope: Envelope, signer: Signer) -> Envelope:
        return forge(inspect(envelope, kind)[0], changes, without=without, signer=signer)

    return turned


def changed(document: Any, changes: dict[str, Any]) -> Any:
    """The document with these fields; a callable makes the new value of the old."""
    made = {
        name: value(getattr(document, name)) if callable(value) else value
        for name, value in changes.items()
    }
    return msgspec.structs.replace(document, **made)


def signer_becomes(now: datetime, **said: Any) -> Turned:
    """The true key is, in this user's keyring, now said to be something else; another one is active."""

    def turned(envelope: Envelope, signer: Signer) -> Envelope:
        folder = default_folder(os.environ)
        store = KeyStore(folder)
        keys = [_said(key, said) if key.id == signer.key_id else key for key in store.list()]
        _write(folder, [key for key in keys if key is not None])
        store.new("authority", "another", now, random_bytes(32))
        return envelope

    return turned


def _said(key: Key, said: dict[str, Any]) -> Key | None:
    return None if said.get("gone") else msgspec.structs.replace(key, **said)


def _write(folder: Path, keys: list[Key]) -> None:
    path = folder / KEYRING_FILE
    path.write_bytes(encode_keyring(Keyring(tuple(keys), str(path))))
