"""The key folder: this user's own keys, outside of every project.

`$XDG_STATE_HOME/groundwire/keys`, mode 0700, holds `keyring.json` (public keys, as
`keys/keyring.py` has it) and a file for each private key, `<hex of its name>.pem`, mode 0600. That
of an approver is under a passphrase (`keys/locked.py`); any other is an unencrypted PKCS #8 PEM, and
in-process custody: whoever can run code as this user can sign. Access lists and what root may do
are not looked at.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import msgspec

from groundwire.canon.dsse import encode_base64
from groundwire.errors import HostError, PolicyError, TrustError
from groundwire.keys.ed25519 import Ed25519Signer, encode_private_key
from groundwire.keys.keyring import (
    Custody,
    Key,
    Keyring,
    Purpose,
    encode_keyring,
    refusal_of,
)
from groundwire.keys.locked import lock_private_key
from groundwire.keys.signer import Signer
from groundwire.keys.times import format_time
from groundwire.stores.private_keys.folder import KeyFolder
from groundwire.stores.private_keys.opening import (
    load_plain,
    opens_without_passphrase,
    unlock,
)

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


class Lock(NamedTuple):
    """What a new key is locked by: a passphrase, and `SALT_BYTES` random bytes used for no other."""

    passphrase: str
    drawn: bytes

    def __repr__(self) -> str:
        return "Lock(...)"


class KeyStore:
    """The keys in one folder. Each method opens the folder anew; none remembers a private key.

    Raises, from every method:
        HostError: the folder or a file in it is unsafe (`key-folder-unsafe`, `key-file-unsafe`),
            lies in a project (`key-folder-in-project`), is garbled (`keyring-garbled`,
            `keyring-missing`, `private-key-garbled`) or cannot be read or written
            (`key-store-failed`). What was there before is there still.
    """

    def __init__(self, folder: Path) -> None:
        self._keys = KeyFolder(folder)

    def keyring(self) -> Keyring:
        """The user's own keyring; of no keys where none was ever made. Makes nothing."""
        with self._keys.opened(create=False) as folder:
            return self._keys.read(folder) if folder else Keyring((), self._keys.source)

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
            PolicyError: `identity-exists`: there is an active recording key; rotate it instead;
                `passphrase-needed`: a key that approves does not lie open.
            EncodingError: `bad-comment`, `bad-seed`.
        """
        _require_own(purpose)
        with self._keys.changing() as folder:
            keyring = self._keys.read(folder)
            if purpose == "recording" and (active := self._identity_of(keyring)):
                raise PolicyError(
                    "identity-exists",
                    f"{active.id} signs your recordings already; `groundwire keys rotate` puts a"
                    " new key in its place.",
                )
            key = _made((purpose,), comment, now, seed)
            return self._keys.add(folder, keyring, key, encode_private_key(seed))

    def new_approver(self, comment: str, now: datetime, seed: bytes, lock: Lock) -> Key:
        """A new active key by which one person approves, whose private half only `lock` opens.

        There may be any number of them, one for each person. Does not ask whether the passphrase
        can be guessed.

        Raises:
            EncodingError: `bad-comment`, `bad-seed`, `bad-salt`.
        """
        data = lock_private_key(seed, lock.passphrase, lock.drawn)
        with self._keys.changing() as folder:
            key = _made(("approval",), comment, now, seed, "passphrase")
            return self._keys.add(folder, self._keys.read(folder), key, data)

    def approver(self, key_id: str, passphrase: str, now: datetime) -> Signer:
        """The signer of an approver's key, opened by its passphrase; to be held for one signature.

        Raises:
            PolicyError: `unknown-key`: no key of this name approves.
            TrustError: `passphrase-wrong`; `self-approval`: it would open without one; why the
                keyring does not trust it now: `approver-revoked`.
            HostError: `private-key-missing`, `private-key-garbled`, `scrypt-unsupported`.
        """
        with self._keys.opened(create=False) as folder:
            key = self._keys.read(folder).find(key_id) if folder else None
            if folder is None or key is None or "approval" not in key.purposes:
                raise self._unknown(key_id)
            if refusal := refusal_of(key, "approval", format_time(now), None):
                raise TrustError(
                    "approver-revoked",
                    f"{key.id} approves nothing any more ({refusal}); make another with"
                    " `groundwire keys new --purpose approval`.",
                )
            return unlock(folder, key, passphrase)

    def opens_without_passphrase(self, key_id: str) -> bool:
        """Whether this user's processes could sign with the key, and nobody typed anything.

        So where its private half lies in the key folder in the clear, or cannot be judged. Does not
        look anywhere else, nor at what the keyring says.
        """
        with self._keys.opened(create=False) as folder:
            return folder is not None and opens_without_passphrase(folder, key_id)

    def identity(self, now: datetime, seed: bytes, purpose: Purpose = "recording") -> Signer:
        """The one active key of this purpose; made from `seed` where there never was one.

        To be asked for at the start of each run: a process that keeps it signs on with a key that
        was rotated away meanwhile, and what it signs then is refused.

        Raises:
            HostError: `private-key-missing`, `no-active-identity`, `two-identities`,
                `identity-unusable` (its time is not now).
        """
        _require_own(purpose)
        signer = self.current_identity(now, purpose)
        if signer is not None:
            return signer
        with self._keys.changing() as folder:
            keyring = self._keys.read(folder)
            key = self._in_use(keyring, purpose)
            if key is None:
                made = _made((purpose,), "", now, seed)
                key = self._keys.add(folder, keyring, made, encode_private_key(seed))
            return load_plain(folder, key, now, purpose)

    def current_identity(self, now: datetime, purpose: Purpose = "recording") -> Signer | None:
        """The one active key of this purpose; None where there never was one. Makes nothing.

        Raises:
            HostError: as `identity`.
        """
        with self._keys.opened(create=False) as folder:
            key = self._in_use(self._keys.read(folder), purpose) if folder else None
            if folder is None or key is None:
                return None
            try:
                return load_plain(folder, key, now, purpose)
            except HostError:
                # Somebody may have rotated the key between the two looks.
                again = self._in_use(self._keys.read(folder), purpose)
                if again is None or again.id == key.id:
                    raise
                return load_plain(folder, again, now, purpose)

    def rotate(self, now: datetime, seed: bytes) -> Key:
        """A new recording identity from `seed`; the old one is retired at `now`.

        The old private key is deleted: a retired key is taken at its word about when it signed.

        Raises:
            PolicyError: `no-active-identity`: there is none to put in its place.
            HostError: `private-key-left`: rotated, but the old file could not be deleted.
        """
        with self._keys.changing() as folder:
            keyring = self._keys.read(folder)
            old = self._identity_of(keyring)
            if old is None:
                raise PolicyError(
                    "no-active-identity",
                    "No active key signs your recordings; make one with `groundwire keys new`.",
                )
            fresh = _made(old.purposes, old.comment, now, seed)
            self._keys.replace(folder, keyring, old, fresh, encode_private_key(seed), now)
            return fresh

    def rotate_approver(
        self, key_id: str, passphrase: str, now: datetime, seed: bytes, lock: Lock
    ) -> Key:
        """A new key from `seed` in the place of an approver's, who knows its passphrase.

        The old one is retired at `now` and its private half deleted. A policy that names the old
        one has to be changed to name the new one.

        Raises:
            As `approver` and `new_approver`; HostError: `private-key-left`.
        """
        self.approver(key_id, passphrase, now)
        data = lock_private_key(seed, lock.passphrase, lock.drawn)
        with self._keys.changing() as folder:
            keyring = self._keys.read(folder)
            old = keyring.find(key_id)
            if old is None or old.state != "active":
                raise self._unknown(key_id)
            fresh = _made(old.purposes, old.comment, now, seed, "passphrase")
            self._keys.replace(folder, keyring, old, fresh, data, now)
            return fresh

    def retire_approver(self, key_id: str, now: datetime) -> Key:
        """An approver's key approves nothing from `now` on; its private half is deleted here.

        What it approved before holds.

        Raises:
            PolicyError: `unknown-key`: no active key of this name approves.
            HostError: `private-key-left`.
        """
        with self._keys.changing() as folder:
            keyring = self._keys.read(folder)
            key = keyring.find(key_id)
            if key is None or key.state != "active" or key.purposes != ("approval",):
                raise self._unknown(key_id)
            retired = msgspec.structs.replace(key, state="retired", retired_at=format_time(now))
            self._keys.write(folder, self._keys.changed(keyring, retired))
            self._keys.forget(folder, key)
            return retired

    def forget_approvers(self, comment: str) -> int:
        """The keyring has no retired or revoked approver's key with this comment any more; how many.

        What they approved can then be verified with a keyring alone that still has them.
        """
        with self._keys.changing() as folder:
            keyring = self._keys.read(folder)
            gone = [
                key.id
                for key in keyring.keys
                if (key.comment, key.purposes) == (comment, ("approval",)) and key.state != "active"
            ]
            if gone:
                left = tuple(key for key in keyring.keys if key.id not in gone)
                self._keys.write(folder, Keyring(left, keyring.source))
            return len(gone)

    def revoke(self, key_id: str, compromised_at: datetime | None) -> Key:
        """The key of this name is revoked from `compromised_at`, from its beginning where None.

        What it signed counts only where an anchor saw it before then. A revocation is moved back,
        never forward. The private key is deleted here; whoever has a copy keeps it.

        Raises:
            PolicyError: `unknown-key`; `already-revoked` from an earlier time.
            HostError: `private-key-left`: revoked, but the file could not be deleted.
        """
        with self._keys.changing() as folder:
            keyring = self._keys.read(folder)
            key = keyring.find(key_id)
            if key is None:
                raise self._unknown(key_id)
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
            self._keys.write(folder, self._keys.changed(keyring, revoked))
            self._keys.forget(folder, key)
            return revoked

    def _identity_of(self, keyring: Keyring, purpose: Purpose = "recording") -> Key | None:
        """The one active key of the purpose; two would make it a matter of chance who signs."""
        active = [key for key in keyring.keys if key.state == "active" and purpose in key.purposes]
        if len(active) > 1:
            raise HostError(
                "two-identities",
                f"{self._keys.source} has {len(active)} active keys for {purpose}; revoke all but one"
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

    def _unknown(self, key_id: str) -> PolicyError:
        return PolicyError(
            "unknown-key",
            f"{key_id[:80]} is no such key of {self._keys.source}; `groundwire keys list` shows them.",
        )


def _made(
    purposes: tuple[Purpose, ...],
    comment: str,
    now: datetime,
    seed: bytes,
    custody: Custody = "in-process",
) -> Key:
    signer = Ed25519Signer.from_seed(seed)
    return Key(
        comment=comment,
        compromised_at=None,
        custody=custody,
        id=signer.key_id,
        not_after=None,
        not_before=format_time(now - _EARLY),
        public_key=encode_base64(signer.public_key),
        purposes=purposes,
        retired_at=None,
        state="active",
    )


def _require_own(purpose: Purpose) -> None:
    """The purpose is one that a process of this user may serve by itself."""
    if purpose == "approval":
        raise PolicyError(
            "passphrase-needed",
            "A key that approves opens by a person's passphrase only; make one at a terminal:"
            " groundwire keys new --purpose approval --name NAME",
        )
