"""What a comparison of two versions of a contract comes to."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from groundwire.canon.jcs import JSON

# Who sends: whoever uses the contract (it `accepts` what they send), or its side (it `produces`).
Direction: TypeAlias = Literal["accepts", "produces"]


class Compatible(msgspec.Struct, frozen=True):
    """Proven: every value that may be sent is one that its reader takes."""


class Breaking(msgspec.Struct, frozen=True):
    """`witness` may be sent, is made of declared names only, and its reader refuses it."""

    witness: JSON


class Risky(msgspec.Struct, frozen=True):
    """`witness` may be sent and its reader refuses it; but it carries names nobody declared.

    There is no such value of declared names alone.
    """

    witness: JSON


class Undecided(msgspec.Struct, frozen=True):
    """Neither proven nor refuted, for `reason`. Not to be read as compatible."""

    reason: str


Verdict: TypeAlias = Compatible | Breaking | Risky | Undecided
