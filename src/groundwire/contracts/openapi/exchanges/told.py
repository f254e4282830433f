"""Told: a finding, with what is needed to show the exchange that it is about."""

from __future__ import annotations

import msgspec

from groundwire.contracts.changes import Field
from groundwire.contracts.openapi.finding import Finding

_LONGEST = 200


class Credential(msgspec.Struct, frozen=True):
    """A made-up credential: in which place of a request it stands, and as what."""

    place: str
    field: Field


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """What an exchange is like, apart from the part that the finding holds.

    `before` and `after` are what the two contracts say of it. `answered` is the status of a
    response, which is told of at the pointers `responses`; empty where the request is the matter.
    `host` and `base` are of the server where that matters; `credentials`, None for any that do.
    """

    before: str
    after: str
    answered: str = ""
    responses: tuple[str, str] = ("", "")
    host: str = ""
    base: str | None = None
    credentials: tuple[Credential, ...] | None = None


class Told(msgspec.Struct, frozen=True):
    """A finding; without a scene nothing is to be shown."""

    finding: Finding
    scene: Scene | None = None


def quoted(name: str) -> str:
    """A name out of a description, as a sentence holds it: in one line, and not too long."""
    shown = "".join(sign if sign.isprintable() else "�" for sign in name)
    return f"`{shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + '…'}`"


def listed(names: frozenset[str]) -> str:
    """Some names, sorted, as a sentence holds them."""
    return ", ".join(quoted(name) for name in sorted(names))
