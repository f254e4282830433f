"""Stopped: the stops that lie on this machine, as they are listed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

from groundwire.attest.people.stops import STOPS
from groundwire.documents.stop import EVERY_RUN
from groundwire.errors import GroundwireError
from groundwire.session.guarding.people.halting import STOPS_FOLDER
from groundwire.stores.keys import KeyStore, default_folder
from groundwire.stores.people.stops import Paper, StopFolder

if TYPE_CHECKING:
    from groundwire.keys.keyring import Keyring


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """One stop as it is listed. `doubt` says why nobody vouches for what it says; "" where one does."""

    at: str
    digest: str
    doubt: str
    name: str
    reason: str
    scope: str


def stop_folder() -> StopFolder:
    """Where this user's stops are."""
    return StopFolder(default_folder(os.environ).parent / "guard" / STOPS_FOLDER)


def standing() -> tuple[Shown, ...]:
    """Every stop that lies there, as far as this machine's authority vouches for it."""
    keyring = KeyStore(default_folder(os.environ)).keyring()
    return tuple(shown_as(each, keyring) for each in stop_folder().papers() if each.kind == "stop")


def shown_as(paper: Paper, keyring: Keyring) -> Shown:
    """The stop as far as a key of this machine's authority vouches for it."""
    doubt = "it cannot be read" if not paper.digest else "it is no signed stop"
    if paper.envelope is not None:
        try:
            stop, _ = STOPS.read(paper.envelope, keyring)
        except GroundwireError as error:
            doubt = f"nobody vouches for it ({error.reason})"
        else:
            return Shown(
                at=stop.at,
                digest=paper.digest,
                doubt="",
                name=paper.name,
                reason=stop.reason,
                scope=stop.scope,
            )
    return Shown(
        at="", digest=paper.digest, doubt=doubt, name=paper.name, reason="", scope=EVERY_RUN
    )
