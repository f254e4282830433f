"""The key folder itself: its keyring and its private keys change together, one process at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec

from groundwire.errors import EncodingError, HostError
from groundwire.keys.keyring import (
    MAX_KEYRING_BYTES,
    Key,
    Keyring,
    decode_keyring,
    encode_keyring,
)
from groundwire.keys.times import format_time
from groundwire.stores.private_folder import (
    OTHERS_WRITE,
    PrivateFolder,
    open_private,
    refuse_in_project,
)
from groundwire.stores.private_keys.opening import SUFFIX, file_of

KEYRING_FILE: Final = "keyring.json"


class KeyFolder:
    """The folder at `path`. Each method opens it anew, or is handed it open.

    Raises, from every method:
        HostError: the folder or a file in it is unsafe (`key-folder-unsafe`, `key-file-unsafe`),
            lies in a project (`key-folder-in-project`), is garbled (`keyring-garbled`,
            `keyring-missing`) or cannot be read or written (`key-store-failed`). What was there
            before is there still.
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(os.path.abspath(path))

    @property
    def source(self) -> str:
        """What a verdict calls the keyring in it."""
        return str(self.path / KEYRING_FILE)

    @contextmanager
    def opened(self, *, create: bool) -> Iterator[PrivateFolder | None]:
        """The folder, open; None where there is none and none was to be made."""
        refuse_in_project(self.path)
        with open_private(self.path, create=create) as folder:
            yield folder

    @contextmanager
    def changing(self) -> Iterator[PrivateFolder]:
        """The folder, open, made where it was missing; nobody else changes it meanwhile."""
        with self.opened(create=True) as folder:
            if folder is None:
                raise HostError("key-store-failed", f"{self.path} went away; try again.")
            with folder.locked():
                yield folder

    def read(self, folder: PrivateFolder) -> Keyring:
        """The keyring in it; of no keys where none was ever made."""
        data = self._keyring_bytes(folder)
        if data is None and any(name.endswith(SUFFIX) for name in folder.names()):
            # Somebody may have made the first key between the two looks; then it is there now.
            data = self._keyring_bytes(folder)
            if data is None:
                raise HostError(
                    "keyring-missing",
                    f"{self.path} holds private keys and no {KEYRING_FILE}; put it back from a"
                    " backup, or move the private keys away to begin anew.",
                )
        if data is None:
            return Keyring((), self.source)
        try:
            return decode_keyring(data, self.source)
        except EncodingError as error:
            raise HostError(
                "keyring-garbled",
                f"{self.source} is no keyring ({error.reason}: {error.message}) Put it back from a"
                " backup or from what you exported.",
            ) from error

    def _keyring_bytes(self, folder: PrivateFolder) -> bytes | None:
        return folder.read(KEYRING_FILE, forbidden=OTHERS_WRITE, limit=MAX_KEYRING_BYTES)

    def replace(
        self,
        folder: PrivateFolder,
        keyring: Keyring,
        old: Key,
        fresh: Key,
        data: bytes,
        now: datetime,
    ) -> None:
        """`fresh`, whose private half is the file `data`, stands in the place of `old`.

        That is retired at `now`, and its private half deleted.

        Raises:
            HostError: `private-key-left`: all done, but the old file could not be deleted.
        """
        retired = msgspec.structs.replace(old, state="retired", retired_at=format_time(now))
        self.add(folder, self.changed(keyring, retired), fresh, data)
        self.forget(folder, old)

    def add(self, folder: PrivateFolder, keyring: Keyring, key: Key, data: bytes) -> Key:
        """The keyring with `key` beside its others is written, and its private half, `data`."""
        whole = Keyring((*keyring.keys, key), self.source)
        if not keyring.keys:
            # A private key is never without a keyring beside it, wherever a crash falls.
            self.write(folder, keyring)
        folder.write(file_of(key.id), data)
        try:
            self.write(folder, whole)
        except HostError:
            with suppress(HostError):
                if self.read(folder).find(key.id) is None:
                    folder.remove(file_of(key.id))
            raise
        return key

    def add_elsewhere(self, keys: tuple[Key, ...]) -> tuple[Key, ...]:
        """The keyring has these public keys too, whose private halves lie elsewhere; those that are new.

        A key that is there already stays as it is: its state here is this user's own word.
        """
        with self.changing() as folder:
            keyring = self.read(folder)
            new = tuple(key for key in keys if keyring.find(key.id) is None)
            if new:
                self.write(folder, Keyring((*keyring.keys, *new), self.source))
            return new

    def write(self, folder: PrivateFolder, keyring: Keyring) -> None:
        """The keyring is the one in the folder."""
        data = encode_keyring(keyring)
        if len(data) > MAX_KEYRING_BYTES:
            raise HostError("keyring-full", f"{self.source} has no room for another key.")
        folder.write(KEYRING_FILE, data)

    def changed(self, keyring: Keyring, changed: Key) -> Keyring:
        """The keyring with this key in the place of the one of its name. Writes nothing."""
        keys = tuple(changed if key.id == changed.id else key for key in keyring.keys)
        return Keyring(keys, self.source)

    def forget(self, folder: PrivateFolder, key: Key) -> None:
        """No private half of the key is in the folder.

        Raises:
            HostError: `private-key-left`: it could not be deleted.
        """
        try:
            folder.remove(file_of(key.id))
        except HostError as error:
            raise HostError(
                "private-key-left",
                f"The keyring says so now, but {self.path / file_of(key.id)} could not be deleted;"
                " delete it.",
            ) from error
