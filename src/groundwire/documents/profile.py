"""Profile: what is done about each fact that weakens a guarantee. A versioned table, as data."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

Fact: TypeAlias = Literal[
    "content-missing",
    "declared-content",
    "environment-unknown",
    "files-only",
    "host-claimed",
    "non-atomic",
    "not-owned",
    "uncontained",
    "unjudged-history",
    "unread-overwrite",
]
"""What can be so of a call, and weakens what can be said of it.

`content-missing`: a change whose content nobody gave. `declared-content`: before and after are the
host's word. `environment-unknown`: no pattern says where the target belongs, so it counts as
production. `files-only`: a staged command could reach the network or other processes.
`host-claimed`: that it was done is the host's word. `non-atomic`: what is written between the last
look and the write can be lost. `not-owned`: the tool's own code writes, and is only looked at
afterwards. `uncontained`: a command could not be staged at all. `unjudged-history`: more new commits,
or more in them, than are looked at one by one. `unread-overwrite`: a whole file is
written over bytes that the run has neither read nor written, or a command takes such bytes away and
git has them neither.
"""
Treatment: TypeAlias = Literal["report", "ask", "refuse"]
"""`report`: it is listed among the residuals and holds nothing up."""


class Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a profile does where the fact is so."""

    fact: Fact
    treatment: Treatment


class Profile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One row for each fact. `guards` false: calls are judged, recorded and always let through.

    What a name with its version means never changes.
    """

    guards: bool
    name: str
    rows: tuple[Row, ...]
