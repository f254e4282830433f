"""Signing: the key by which this process decides and carries out, and the keyring that knows it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TypeAlias

import msgspec

from groundwire.errors import HostError
from groundwire.keys.keyring import Keyring
from groundwire.keys.signer import Signer
from groundwire.stores.keys import KeyStore
from groundwire.stores.private_keys.folder import KEYRING_FILE

_Mark: TypeAlias = tuple[int, int, int, int]


class Standing(msgspec.Struct, frozen=True):
    """Who signs now, and the keys that a signature is judged by."""

    signer: Signer
    keyring: Keyring


class SigningKeys:
    """The key with purpose `authority` in this user's key folder; made on first use.

    One key decides and carries out: both happen in this process, and a second key in the same
    custody would prove no more. The folder is read anew whenever its keyring has changed, so that a
    key that was revoked in mid-run signs and opens nothing more. A keyring that is gone since is not
    replaced: what it said of the keys of earlier receipts would be unsaid.
    """

    def __init__(
        self, folder: Path, now: Callable[[], datetime], random: Callable[[int], bytes]
    ) -> None:
        self._folder = folder
        self._keyring = os.path.join(folder, KEYRING_FILE)
        self._now = now
        self._random = random
        self._lock = threading.Lock()
        self._known: tuple[_Mark, Standing] | None = None

    def standing(self) -> Standing:
        """The signer and the keyring as they are now.

        Raises:
            HostError: `keyring-unreadable`: it was here and is gone; and as `KeyStore.identity`.
        """
        with self._lock:
            mark = self._mark()
            if self._known is not None and mark == self._known[0]:
                return self._known[1]
            if self._known is not None and mark is None:
                raise HostError(
                    "keyring-unreadable",
                    f"{self._folder} had a keyring when this process first signed and has none any"
                    " more; nothing is decided without it. Put it back, or begin anew.",
                )
            store = KeyStore(self._folder)
            signer = store.identity(self._now(), self._random(32), "authority")
            # Before the keyring is read: what changes it in between makes the next look differ.
            mark = self._mark()
            standing = Standing(signer, store.keyring())
            if mark is not None:
                self._known = (mark, standing)
            return standing

    def _mark(self) -> _Mark | None:
        try:
            found = os.stat(self._keyring, follow_symlinks=False)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise HostError(
                "key-store-failed",
                f"{self._folder} cannot be looked at ({error.strerror or error}).",
            ) from error
        return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
