"""The key folder: this user's own keys, outside of every project.

`$XDG_STATE_HOME/groundwire/keys`, mode 0700, holds `keyring.json` (public keys, as
`keys/keyring.py` has it) and a file for each private key, `<hex of its name>.pem`, mode 0600: an
unencrypted PKCS #8 PEM. What is kept here is in-process custody: whoever can run code as this user
can sign. Access lists and what root may do are not looked at.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec

from groundwire.canon.dsse import encode_base64
from groundwire.errors import EncodingError, HostError, PolicyError
from groundwire.keys.ed25519 import Ed25519Signer, decode_private_key, encode_private_key
from groundwire.keys.keyring import (
    MAX_KEYRING_BYTES,
    Key,
    Keyring,
    Purpose,
    decode_keyring,
    encode_keyring,
    refusal_of,
)
from groundwire.keys.signer import Signer
from groundwire.keys.times import format_time
from groundwire.stores.private_folder import (
    OTHERS,
    OTHERS_WRITE,
    PrivateFolder,
    open_private,
    refuse_in_project,
)

KEYRING_FILE: Final = "keyring.json"
_PRIVATE_KEY_BYTES = 4096

# A new key is good from a little before it was made: another process may have read the clock just
# before it, waited for the same lock, and found this key; its certificate begins minutes earlier.
_EARLY = timedelta(minutes=15)


def default_folder(environment: Mapping[str, str]) -> Path:
    """Where this user's keys are: `$XDG_STATE_HOME/groundwire/keys`, else under `~/.local/state`.

    Does not look whether anything is there.

    Raises:
        HostError: `no-state-home`: neither variable names an absolute folder.
    """
    state, home = environment.get("XDG_STATE_HOME", ""), environment.get("HOME", "")
    base = Path(state) if state else Path(home, ".local", "state")
    if not base.is_absolute():
        raise HostError(
            "no-state-home",
            "There is no folder for keys; set XDG_STATE_HOME to an absolute path outside of every"
            " project.",
        )
    return base / "groundwire" / "keys"


class KeyStore:
    """The keys in one folder. Each method opens the folder anew; none remembers a private key.

    Raises, from every method:
        HostError: the folder or a file in it is unsafe (`key-folder-unsafe`, `key-file-unsafe`),
            lies in a project (`key-folder-in-project`), is garbled (`keyring-garbled`,
            `keyring-missing`, `private-key-garbled`) or cannot be read or written
            (`key-store-failed`). What was there before is there still.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = Path(os.path.abspath(folder))

    def keyring(self) -> Keyring:
        """The user's own keyring; of no keys where none was ever made. Makes nothing."""
        with self._open(create=False) as folder:
            return self._read(folder) if folder else Keyring((), self._source)

    def list(self) -> tuple[Key, ...]:
        """Every key ever made here, the oldest first."""
        return self.keyring().keys

    def export(self) -> bytes:
        """The keyring as a file to give away: public keys and what is said of them, no more."""
        return encode_keyring(self.keyring())

    def export_to(self, path: Path) -> int:
        """`path` holds the exported keyring, whole; how many keys that is.

        What stood there before is replaced, or untouched if this raises.
        """
        keyring = self.keyring()
        half = path.with_name(f".{path.name}.{os.getpid()}.new")
        try:
            half.write_bytes(encode_keyring(keyring))
            half.replace(path)
        except OSError as error:
            with suppress(OSError):
                half.unlink()
            raise HostError(
                "export-failed",
                f"{path} cannot be written: {error.strerror or error}; name another file.",
            ) from error
        return len(keyring.keys)

    def new(self, purpose: Purpose, comment: str, now: datetime, seed: bytes) -> Key:
        """A new active key of this purpose, whose private half is `seed`, durable.

        Raises:
            PolicyError: `identity-exists`: there is an active recording key; rotate it instead.
            EncodingError: `bad-comment`, `bad-seed`.
        """
        with self._changing() as folder:
            keyring = self._read(folder)
            if purpose == "recording" and (active := self._identity_of(keyring)):
                raise PolicyError(
                    "identity-exists",
                    f"{active.id} signs your recordings already; `groundwire keys rotate` puts a"
                    " new key in its place.",
                )
            return self._add(folder, keyring, _made((purpose,), comment, now, seed), seed)

    def identity(self, now: datetime, seed: bytes, purpose: Purpose = "recording") -> Signer:
        """The one active key of this purpose; made from `seed` where there never was one.

        To be asked for at the start of each run: a process that keeps it signs on with a key that
        was rotated away meanwhile, and what it signs then is refused.

        Raises:
            HostError: `private-key-missing`, `no-active-identity`, `two-identities`,
                `identity-unusable` (its time is not now).
        """
        signer = self.current_identity(now, purpose)
        if signer is not None:
            return signer
        with self._changing() as folder:
            keyring = self._read(folder)
            key = self._in_use(keyring, purpose)
            if key is None:
                key = self._add(folder, keyring, _made((purpose,), "", now, seed), seed)
            return self._load(folder, key, now, purpose)

    def current_identity(self, now: datetime, purpose: Purpose = "recording") -> Signer | None:
        """The one active key of this purpose; None where there never was one. Makes nothing.

        Raises:
            HostError: as `identity`.
        """
        with self._open(create=False) as folder:
            key = self._in_use(self._read(folder), purpose) if folder else None
            if folder is None or key is None:
                return None
            try:
                return self._load(folder, key, now, purpose)
            except HostError:
                # Somebody may have rotated the key between the two looks.
                again = self._in_use(self._read(folder), purpose)
                if again is None or again.id == key.id:
                    raise
                return self._load(folder, again, now, purpose)

    def rotate(self, now: datetime, seed: bytes) -> Key:
        """A new recording identity from `seed`; the old one is retired at `now`.

        The old private key is deleted: a retired key is taken at its word about when it signed.

        Raises:
            PolicyError: `no-active-identity`: there is none to put in its place.
            HostError: `private-key-left`: rotated, but the old file could not be deleted.
        """
        with self._changing() as folder:
            keyring = self._read(folder)
            old = self._identity_of(keyring)
            if old is None:
                raise PolicyError(
                    "no-active-identity",
                    "No active key signs your recordings; make one with `groundwire keys new`.",
                )
            retired = msgspec.structs.replace(old, state="retired", retired_at=format_time(now))
            fresh = _made(old.purposes, old.comment, now, seed)
            self._add(folder, self._with(keyring, retired), fresh, seed)
            self._forget(folder, old)
            return fresh

    def revoke(self, key_id: str, compromised_at: datetime | None) -> Key:
        """The key of this name is revoked from `compromised_at`, from its beginning where None.

        What it signed counts only where an anchor saw it before then. A revocation is moved back,
        never forward. The private key is deleted here; whoever has a copy keeps it.

        Raises:
            PolicyError: `unknown-key`; `already-revoked` from an earlier time.
            HostError: `private-key-left`: revoked, but the file could not be deleted.
        """
        with self._changing() as folder:
            keyring = self._read(folder)
            key = keyring.find(key_id)
            if key is None:
                raise PolicyError(
                    "unknown-key",
                    f"{key_id[:80]} is not in {self._source}; `groundwire keys list` shows what is.",
                )
            if compromised_at is None:
                since = min(key.not_before, key.compromised_at or key.not_before)
            else:
                since = format_time(compromised_at)
            if key.compromised_at is not None and key.compromised_at < since:
                raise PolicyError(
                    "already-revoked",
                    f"{key.id} is revoked from {key.compromised_at} already, which is earlier.",
                )
            revoked = msgspec.structs.replace(key, state="revoked", compromised_at=since)
            self._write(folder, self._with(keyring, revoked))
            self._forget(folder, key)
            return revoked

    @property
    def _source(self) -> str:
        return str(self._folder / KEYRING_FILE)

    @contextmanager
    def _open(self, *, create: bool) -> Iterator[PrivateFolder | None]:
        refuse_in_project(self._folder)
        with open_private(self._folder, create=create) as folder:
            yield folder

    @contextmanager
    def _changing(self) -> Iterator[PrivateFolder]:
        with self._open(create=True) as folder:
            if folder is None:
                raise HostError("key-store-failed", f"{self._folder} went away; try again.")
            with folder.locked():
                yield folder

    def _read(self, folder: PrivateFolder) -> Keyring:
        data = self._keyring_bytes(folder)
        if data is None and any(name.endswith(".pem") for name in folder.names()):
            # Somebody may have made the first key between the two looks; then it is there now.
            data = self._keyring_bytes(folder)
            if data is None:
                raise HostError(
                    "keyring-missing",
                    f"{self._folder} holds private keys and no {KEYRING_FILE}; put it back from a"
                    " backup, or move the private keys away to begin anew.",
                )
        if data is None:
            return Keyring((), self._source)
        try:
            return decode_keyring(data, self._source)
        except EncodingError as error:
            raise HostError(
                "keyring-garbled",
                f"{self._source} is no keyring ({error.reason}: {error.message}) Put it back from a"
                " backup or from what you exported.",
            ) from error

    def _keyring_bytes(self, folder: PrivateFolder) -> bytes | None:
        return folder.read(KEYRING_FILE, forbidden=OTHERS_WRITE, limit=MAX_KEYRING_BYTES)

    def _identity_of(self, keyring: Keyring, purpose: Purpose = "recording") -> Key | None:
        """The one active key of the purpose; two would make it a matter of chance who signs."""
        active = [key for key in keyring.keys if key.state == "active" and purpose in key.purposes]
        if len(active) > 1:
            raise HostError(
                "two-identities",
                f"{self._source} has {len(active)} active keys for {purpose}; revoke all but one"
                " with `groundwire keys revoke`.",
            )
        return active[0] if active else None

    def _in_use(self, keyring: Keyring, purpose: Purpose) -> Key | None:
        """The active key of the purpose; None only where there never was any."""
        active = self._identity_of(keyring, purpose)
        if active is None and any(purpose in key.purposes for key in keyring.keys):
            raise HostError(
                "no-active-identity",
                f"Every key of yours for {purpose} is retired or revoked; make one with"
                f" `groundwire keys new --purpose {purpose}` and give your verifiers the new"
                " keyring.",
            )
        return active

    def _load(self, folder: PrivateFolder, key: Key, now: datetime, purpose: Purpose) -> Signer:
        moment = format_time(now)
        if refusal := refusal_of(key, purpose, moment, None):
            raise HostError(
                "identity-unusable",
                f"{key.id} cannot sign at {moment} ({refusal}: good from {key.not_before} to"
                f" {key.not_after or 'no end'}); set the clock, or run `groundwire keys rotate`.",
            )
        path = self._folder / _file_of(key)
        data = folder.read(_file_of(key), forbidden=OTHERS, limit=_PRIVATE_KEY_BYTES)
        if data is None:
            raise HostError(
                "private-key-missing",
                f"The private key {path} is gone: recordings still verify, and nothing new can be"
                " signed with it; run `groundwire keys rotate` for a new one.",
            )
        signer = _decoded(path, data)
        if signer.key_id != key.id:
            raise HostError(
                "private-key-garbled",
                f"{path} holds another key than its name says; put the right one back, or run"
                " `groundwire keys rotate`.",
            )
        return signer

    def _add(self, folder: PrivateFolder, keyring: Keyring, key: Key, seed: bytes) -> Key:
        whole = Keyring((*keyring.keys, key), self._source)
        if not keyring.keys:
            # A private key is never without a keyring beside it, wherever a crash falls.
            self._write(folder, keyring)
        folder.write(_file_of(key), encode_private_key(seed))
        try:
            self._write(folder, whole)
        except HostError:
            with suppress(HostError):
                if self._read(folder).find(key.id) is None:
                    folder.remove(_file_of(key))
            raise
        return key

    def _write(self, folder: PrivateFolder, keyring: Keyring) -> None:
        data = encode_keyring(keyring)
        if len(data) > MAX_KEYRING_BYTES:
            raise HostError("keyring-full", f"{self._source} has no room for another key.")
        folder.write(KEYRING_FILE, data)

    def _with(self, keyring: Keyring, changed: Key) -> Keyring:
        keys = tuple(changed if key.id == changed.id else key for key in keyring.keys)
        return Keyring(keys, self._source)

    def _forget(self, folder: PrivateFolder, key: Key) -> None:
        try:
            folder.remove(_file_of(key))
        except HostError as error:
            raise HostError(
                "private-key-left",
                f"The keyring says so now, but {self._folder / _file_of(key)} could not be deleted;"
                " delete it.",
            ) from error


def _made(purposes: tuple[Purpose, ...], comment: str, now: datetime, seed: bytes) -> Key:
    signer = Ed25519Signer.from_seed(seed)
    return Key(
        comment=comment,
        compromised_at=None,
        custody="in-process",
        id=signer.key_id,
        not_after=None,
        not_before=format_time(now - _EARLY),
        public_key=encode_base64(signer.public_key),
        purposes=purposes,
        retired_at=None,
        state="active",
    )


def _file_of(key: Key) -> str:
    return key.id.removeprefix("ed25519:") + ".pem"


def _decoded(path: Path, data: bytes) -> Ed25519Signer:
    try:
        return decode_private_key(data)
    except EncodingError as error:
        raise HostError(
            "private-key-garbled",
            f"{path} is no private key file; put it back from a backup, or run"
            " `groundwire keys rotate`.",
        ) from error
