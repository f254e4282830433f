"""Keeping: where a run stands, kept outside its file: heads, the run log, anchors."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path

import msgspec

from groundwire.documents.policy import Policy
from groundwire.documents.verdict import Head
from groundwire.errors import GroundwireError, HostError
from groundwire.keys.run_keys import RunKey, new_run_key
from groundwire.keys.signer import Signer
from groundwire.session.clock import Salts, now, random_bytes
from groundwire.stores.anchors import Anchors, anchor_of
from groundwire.stores.heads import Heads, RunState
from groundwire.stores.keys import KeyStore, default_folder
from groundwire.stores.runlog import RunLog

_log = logging.getLogger("groundwire")


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """A durable head, when it was taken, and the note that an anchor keeps of it."""

    head: Head
    at: str
    note: str
    path: str


class Keeper:
    """Keeps the heads of one run. Never raises: what could not be kept is logged and counted.

    Folders of anchors are relative to `folder`. `failures` counts what was not kept. To be called after a checkpoint, when everything in the head is durable:
    a head kept too early would accuse a file that a power cut shortened of being rolled back.
    `moved` hears of it where the database of heads was taken away under the process.
    """

    def __init__(
        self, policy: Policy, folder: Path, moved: Callable[[GroundwireError], None]
    ) -> None:
        self._anchors = Anchors(
            [anchor_of(declared, folder) for declared in policy.anchors], self._lost
        )
        self._moved = moved
        self._lock = threading.Lock()
        self._opened = False
        self.failures = 0

    def keep(self, standing: Standing, *, closed: bool) -> None:
        """The head stands outside the file, in the run log, and with every anchor that took it."""
        with self._lock:
            state: RunState = "closed" if closed else "checkpointed" if self._opened else "opened"
            self._opened = True
            self._put(standing, state)
            try:
                run_log().wrote(standing.head, state=state, path=standing.path)
            except GroundwireError as error:
                self._lost(error)
            if standing.note:
                self._anchors.put(standing.note)

    def _put(self, standing: Standing, state: RunState) -> None:
        try:
            try:
                heads().put(standing.head, state=state, path=standing.path, at=standing.at)
            except HostError as error:
                if error.reason != "heads-moved":
                    raise
                self._lost(error)
                self._moved(error)
                # A new database is made where the old one was: this run's head stands at least.
                heads().put(standing.head, state=state, path=standing.path, at=standing.at)
        except GroundwireError as error:
            self._lost(error)

    def _lost(self, error: GroundwireError) -> None:
        self.failures += 1
        _log.warning("groundwire: a head was not kept outside its recording: %s", error)


def state_folder() -> Path:
    """The folder of this user's state: keys, heads, run log.

    Raises:
        HostError: `no-state-home`.
    """
    return default_folder(os.environ).parent


def heads() -> Heads:
    """The heads that this user's runs have kept.

    Raises:
        HostError: `no-state-home`.
    """
    path = state_folder() / "heads.sqlite"
    with _lock:
        if path not in _heads:
            _heads[path] = Heads(path)
        return _heads[path]


def known_head(run: str, segment: int) -> Head | None:
    """The head of a segment that was kept outside its file; None where there is none.

    Raises:
        HostError: the database of heads is damaged or unsafe.
    """
    try:
        known = heads().get(run, segment)
    except HostError as error:
        if error.reason != "heads-moved":
            raise
        _log.warning("groundwire: %s", error)
        known = heads().get(run, segment)
    return known.head if known else None


def run_log() -> RunLog:
    """The log in which this process writes its runs.

    Raises:
        HostError: `no-state-home`.
    """
    folder, keys = state_folder() / "runlog", default_folder(os.environ)
    with _lock:
        if folder not in _logs:
            _logs[folder] = RunLog(
                folder, identity=lambda: _identity(keys), new_key=_new_key, clock=now, salts=Salts()
            )
        return _logs[folder]


def _identity(keys: Path) -> Signer:
    # Of the keys that stood beside this log: the environment may have changed when it is asked.
    return KeyStore(keys).identity(now(), random_bytes(32))


def _new_key() -> RunKey:
    return new_run_key(random_bytes(32))


# One a process and state folder: every run writes through the same connection and file.
_lock = threading.Lock()
_heads: dict[Path, Heads] = {}
_logs: dict[Path, RunLog] = {}


def _forked() -> None:
    global _lock  # noqa: PLW0603 -- the parent may have held it when it forked
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
