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
    "unread-overwrite",
]
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
