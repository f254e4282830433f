"""Keyrings: whose signatures are trusted, in the order of who was asked last."""

from __future__ import annotations

import os
from pathlib import Path

from groundwire.authority.policy import find_policy, load_policy, located
from groundwire.errors import HostError
from groundwire.keys.keyring import Keyring, decode_keyring
from groundwire.stores.keys import KeyStore, default_folder

_LARGEST = 4_000_000


def trusted_keyring(given: Path | None = None) -> Keyring:
    """The keyring given, else the one the policy here names, else the user's own.

    `source` of the keyring says which. Never one that stands in the evidence.

    Raises:
        HostError: `keyring-unreadable`; what the user's key store says.
        EncodingError, PolicyError: the keyring or the policy is not what it should be.
    """
    if given is not None:
        return _read(given)
    found = find_policy(Path.cwd())
    if found is not None and (named := load_policy(found).keyring):
        return _read(located(found, named))
    return KeyStore(default_folder(os.environ)).keyring()


def _read(path: Path) -> Keyring:
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError as error:
        raise HostError(
            "keyring-unreadable",
            f"The keyring {path} cannot be read ({error.strerror}); make one with "
            "`groundwire keys export -o FILE`.",
        ) from error
    return decode_keyring(data, str(path))
