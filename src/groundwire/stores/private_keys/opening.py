"""Opening: the file of one private key, in the clear or under a passphrase, becomes a signer."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from groundwire.errors import EncodingError, HostError, TrustError
from groundwire.keys.ed25519 import Ed25519Signer, decode_private_key
from groundwire.keys.keyring import Key, Purpose, refusal_of
from groundwire.keys.locked import is_locked, unlock_private_key
from groundwire.keys.times import format_time
from groundwire.stores.private_folder import OTHERS, PrivateFolder

SUFFIX: Final = ".pem"
_MOST_BYTES: Final = 4096


def file_of(key_id: str) -> str:
    """The name of the file that holds the private half of this key."""
    return key_id.removeprefix("ed25519:") + SUFFIX


def load_plain(folder: PrivateFolder, key: Key, now: datetime, purpose: Purpose) -> Ed25519Signer:
    """The signer of a key that lies in the clear and is good now.

    Raises:
        HostError: `identity-unusable` (its time is not now), `private-key-missing`,
            `private-key-garbled`, or as `PrivateFolder.read`.
    """
    moment = format_time(now)
    if refusal := refusal_of(key, purpose, moment, None):
        raise HostError(
            "identity-unusable",
            f"{key.id} cannot sign at {moment} ({refusal}: good from {key.not_before} to"
            f" {key.not_after or 'no end'}); set the clock, or run `groundwire keys rotate`.",
        )
    path = folder.path / file_of(key.id)
    data = _data(folder, key.id)
    if data is None:
        raise HostError(
            "private-key-missing",
            f"The private key {path} is gone: recordings still verify, and nothing new can be"
            " signed with it; run `groundwire keys rotate` for a new one.",
        )
    try:
        signer = decode_private_key(data)
    except EncodingError as error:
        raise HostError(
            "private-key-garbled",
            f"{path} is no private key file; put it back from a backup, or run"
            " `groundwire keys rotate`.",
        ) from error
    if signer.key_id != key.id:
        raise HostError(
            "private-key-garbled",
            f"{path} holds another key than its name says; put the right one back, or run"
            " `groundwire keys rotate`.",
        )
    return signer


def unlock(folder: PrivateFolder, key: Key, passphrase: str) -> Ed25519Signer:
    """The signer of a key that lies under this passphrase.

    Raises:
        TrustError: `passphrase-wrong`; `self-approval`: the file is open without any.
        HostError: `private-key-missing`, `private-key-garbled`, `scrypt-unsupported`, or as
            `PrivateFolder.read`.
    """
    path = folder.path / file_of(key.id)
    data = _data(folder, key.id)
    if data is None:
        raise HostError(
            "private-key-missing",
            f"{path} is not there: its private half lies elsewhere, or is gone. Sign where it is, or"
            " make another with `groundwire keys new --purpose approval`.",
        )
    if not is_locked(data):
        if opens_without_passphrase(folder, key.id):
            raise TrustError(
                "self-approval",
                f"{path} opens without a passphrase, so that it proves no person's yes; revoke it"
                " and make another with `groundwire keys new --purpose approval`.",
            )
        raise HostError(
            "private-key-garbled",
            f"{path} is no locked private key; put it back from a backup, or revoke it and make"
            " another.",
        )
    signer = unlock_private_key(data, passphrase)
    if signer.key_id != key.id:
        raise HostError(
            "private-key-garbled",
            f"{path} holds another key than its name says; put the right one back.",
        )
    return signer


def opens_without_passphrase(folder: PrivateFolder, key_id: str) -> bool:
    """Whether whoever can read this folder can sign with the key at once.

    So for a key that lies there in the clear, under whichever name; and for a file of its name that
    is neither locked nor readable. A copy elsewhere is not seen.
    """
    for name in folder.names():
        if not name.endswith(SUFFIX):
            continue
        own = name == file_of(key_id)
        try:
            data = folder.read(name, forbidden=0, limit=_MOST_BYTES)
            if data is None or is_locked(data):
                continue
            if decode_private_key(data).key_id == key_id:
                return True
        except (EncodingError, HostError):
            pass  # of another name it is not this key's; of its own nobody can tell
        if own:
            return True
    return False


def _data(folder: PrivateFolder, key_id: str) -> bytes | None:
    return folder.read(file_of(key_id), forbidden=OTHERS, limit=_MOST_BYTES)
