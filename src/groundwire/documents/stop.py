"""Stop: a person's word that agents are to stop, that they may go on, or that one may act.

A stop is signed by this machine's authority key, which needs nobody's passphrase: anybody here may
stop. Only an approver's key lifts one, or opens a run that only plans. Fields stand in the order of
their names, as they do in the signed bytes.
"""

from __future__ import annotations

from typing import Final

import msgspec

STOP: Final = "urn:groundwire:stop:v1"
LIFT: Final = "urn:groundwire:lift:v1"
OPENING: Final = "urn:groundwire:plan-opening:v1"

EVERY_RUN: Final = "all"
"""The scope of a stop that holds for every run of this user."""

MAX_REASON: Final = 200


class Stop(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Nothing is done any more in the run `scope` and the runs below it, or in any run (`all`).

    `authority` is the id of the key that signs it; `reason` what a person says of why, "" for
    nothing. `id` is 32 lower-case hex digits that no other stop has: nobody can lift it beforehand.
    """

    at: str
    authority: str
    id: str
    reason: str
    scope: str


class Lift(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`approver` (a key's id) takes back one stop, by the SHA-256 of the file that it is."""

    approver: str
    at: str
    stop: str


class Opening(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`approver` (a key's id) says that the run `run`, which only planned, may act from now on."""

    approver: str
    at: str
    run: str
