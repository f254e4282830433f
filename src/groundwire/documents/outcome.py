"""Outcome: what became of a guarded call, in four names. Only `Refused` says that nothing happened.

A recording holds it as canonical JSON. `call` is the digest of the call, `receipt` the SHA-256 of
the signed bytes of the receipt that permitted it.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from groundwire.documents.decision import Word
from groundwire.documents.grant import Sighting
from groundwire.documents.receipt import Asked

PassReason: TypeAlias = Literal["read", "observe"]
UnknownReason: TypeAlias = Literal["cancelled", "tool-raised", "drift", "conflict", "unobserved"]
"""`unobserved`: the tool ended well and nobody could look at what it left. `conflict`: the host says
that what it declared stands, and something else was seen there.
"""


class Executed(
    msgspec.Struct, frozen=True, kw_only=True, tag="executed", forbid_unknown_fields=True
):
    """The effect was carried out under the receipt.

    `error` is the kind of exception that the tool raised after all of its effect was seen to stand;
    "" where it raised none. `observed` is empty where the call has no target; what is only the
    host's word is `not-observed` in it.
    """

    call: str
    error: str
    observed: tuple[Sighting, ...]
    receipt: str


class Passed(msgspec.Struct, frozen=True, kw_only=True, tag="passed", forbid_unknown_fields=True):
    """The call was let through without a permit: a declared read, or a profile that only observes.

    `would` is what would have been decided, None for a read; `because` the reason code where
    judging failed. `error` is the kind of exception that the tool raised. Says nothing of what the
    tool did.
    """

    because: str
    call: str
    error: str
    reason: PassReason
    would: Word | None


class Refused(msgspec.Struct, frozen=True, kw_only=True, tag="refused", forbid_unknown_fields=True):
    """Nothing was carried out. `reason` is a code of docs/reference/reasons.md."""

    call: str
    reason: str
    rules: tuple[str, ...]


class Unknown(msgspec.Struct, frozen=True, kw_only=True, tag="unknown", forbid_unknown_fields=True):
    """The tool was started and nobody can say that all of the effect stands, or that none does."""

    call: str
    error: str
    observed: tuple[Sighting, ...]
    reason: UnknownReason
    receipt: str


Outcome: TypeAlias = Executed | Passed | Refused | Unknown


class Intent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is recorded before the effect: an intent without an outcome after it reads as Unknown."""

    asked: Asked
    receipt: str


class Rejudged(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is said of what really stands there after a drift, judged as if it had been proposed.

    `asked` is that of the receipt but for its changes; of a target that could not be read there is
    none. Nobody signs it, and it allows nothing.
    """

    asked: Asked
    decision: Word
    receipt: str
    rules: tuple[str, ...]
