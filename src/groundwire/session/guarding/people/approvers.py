"""Approvers: whose yes counts now, by the policy, the keyring and what this process can open itself."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from groundwire.documents.approving import Approver, approvers_for
from groundwire.errors import GroundwireError, GuardError, TrustError
from groundwire.keys.keyring import Key, Keyring
from groundwire.stores.keys import KeyStore, default_folder
from groundwire.stores.private_keys.opening import file_of


class Approvers:
    """Those whom the policy names, as far as their keys count.

    A key that was seen revoked or retired here does not count again in this process, whatever its
    keyring says later. One that lies open to this process never counts: its yes would be the
    agent's own.
    """

    def __init__(self, named: tuple[Approver, ...]) -> None:
        self._named = named
        self._ended: set[str] = set()
        self._open: set[str] = set()
        self._looked: dict[str, tuple[tuple[int, ...], bool]] = {}
        self._lock = threading.Lock()

    @property
    def any(self) -> bool:
        """Whether the policy names anybody."""
        return bool(self._named)

    def counting(self, environment: str, keyring: Keyring, own: str) -> dict[str, str]:
        """Name by key, of those whose yes counts in the environment; `own` is the authority's key."""
        named = approvers_for(self._named, environment)
        return {each.key: each.name for each in named if not self.why_not(each, keyring, own)}

    def require(self, environment: str, keyring: Keyring, own: str, needed: int) -> dict[str, str]:
        """As `counting`, where as many different people can answer as have to.

        Raises:
            GroundwireError: `self-approval`, `approver-revoked`, `approver-unknown`: why the first
                of the others does not count; `approver-unknown` where there are too few of them.
        """
        found = self.counting(environment, keyring, own)
        if len(set(found.values())) >= needed:
            return found
        for each in approvers_for(self._named, environment):
            error = self.why_not(each, keyring, own)
            if error is not None:
                raise error
        raise GuardError(
            "approver-unknown",
            f"{needed} people have to allow this and the policy names {len(set(found.values()))}"
            f" for {environment}; name more in [[approvers]].",
        )

    def why_not(self, approver: Approver, keyring: Keyring, own: str) -> GroundwireError | None:
        """Why this one's yes does not count now; None: it does."""
        key = keyring.find(approver.key)
        if key is None or "approval" not in key.purposes:
            return TrustError(
                "approver-unknown",
                f"{approver.name}'s key {approver.key} is not in the keyring {keyring.source} with"
                " purpose approval; put the keyring that has it there.",
            )
        with self._lock:
            if key.state != "active":
                self._ended.add(key.id)
            if key.id in self._ended:
                return TrustError(
                    "approver-revoked",
                    f"{approver.name}'s key {key.id} is retired or revoked; name another in"
                    " [[approvers]].",
                )
            if self._lies_open(key, own):
                return TrustError(
                    "self-approval",
                    f"{approver.name}'s key {key.id} lies open to the process that asks, so a yes"
                    " by it is nobody's; make one with `groundwire keys new --purpose approval`.",
                )
        return None

    def _lies_open(self, key: Key, own: str) -> bool:
        if key.id == own or key.custody == "in-process" or len(key.purposes) > 1:
            return True
        if key.id not in self._open and self._opens(key.id):
            self._open.add(key.id)
        return key.id in self._open

    def _opens(self, key_id: str) -> bool:
        """Whether its file here opens to anybody; read anew once it is another file."""
        folder = default_folder(os.environ)
        mark = _mark(folder / file_of(key_id))
        known = self._looked.get(key_id)
        if known is None or known[0] != mark:
            known = self._looked[key_id] = (mark, KeyStore(folder).opens_without_passphrase(key_id))
        return known[1]


def _mark(path: Path) -> tuple[int, ...]:
    try:
        found = os.stat(path, follow_symlinks=False)
    except FileNotFoundError:
        return ()
    except OSError:
        return (-1,)
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
