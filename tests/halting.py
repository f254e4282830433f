"""Stops for tests: written as `groundwire stop` writes them, lifted and opened by people of the tests."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from datetime import UTC, datetime

from groundwire.attest.people.stops import LIFTS, OPENINGS, STOPS
from groundwire.documents.stop import Lift, Opening, Stop
from groundwire.keys.signer import Signer
from groundwire.stores.keys import KeyStore, default_folder
from groundwire.stores.people.stops import StopFolder
from tests.approving import Person

AT = "2026-03-01T12:00:00.000000Z"
_LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
_NUMBERS: Iterator[int] = itertools.count(1)


def fresh() -> str:
    """An id that no other file of this test's stops has."""
    return f"{next(_NUMBERS):032x}"


def stops() -> StopFolder:
    """Those of this test's home."""
    return StopFolder(default_folder(os.environ).parent / "guard" / "stops")


def authority() -> Signer:
    """The key by which this test's home decides."""
    return KeyStore(default_folder(os.environ)).identity(_LONG_AGO, b"\x08" * 32, "authority")


def stopped(scope: str, *, by: Signer | None = None, at: str = AT) -> str:
    """A person stopped this run, or `all`; the stop's digest. `by` signs it in the authority's place."""
    signer = by or authority()
    document = Stop(at=at, authority=signer.key_id, id=fresh(), reason="", scope=scope)
    return stops().put("stop", document.id, STOPS.seal(document, signer))


def lifted(digest: str, person: Person, at: str = AT) -> None:
    """This person says that the stop holds no more."""
    document = Lift(approver=person.signer.key_id, at=at, stop=digest)
    stops().put("lift", fresh(), LIFTS.seal(document, person.signer))


def opened(run: str, person: Person, at: str = AT) -> None:
    """This person says that the run may act."""
    document = Opening(approver=person.signer.key_id, at=at, run=run)
    stops().put("opening", fresh(), OPENINGS.seal(document, person.signer))
