"""Grant and attestation: one executor may carry out one receipt once; and says what became of it."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from groundwire.canon.digest import tagged
from groundwire.documents.receipt import Touched
from groundwire.documents.target import Absent, Claim, Present, Proposal, Seen, TargetName

GRANT: Final = "urn:groundwire:grant:v1"
ATTESTATION: Final = "urn:groundwire:attestation:v1"


class Grant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`executor` (a key's id) may make these changes once, where each target still has its token.

    `expected` has one token a change, in their order: `token_of` what was measured. `id` is 32 to
    64 lower-case hex digits, is consumed before the effect and names the write. `receipt` is the
    SHA-256 of the receipt's signed bytes.
    """

    authority: str
    call: str
    changes: tuple[Touched, ...]
    executor: str
    expected: tuple[str, ...]
    expires: str
    id: str
    issued: str
    receipt: str


class Sighting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was seen at one target after the effect, against what was to stand there.

    `claim` is what the host's word is worth beside that, `none` where it has said nothing.
    """

    name: TargetName
    seen: Seen
    claim: Claim


class Attestation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the executor says became of a grant.

    `executed`: the effect was carried out, and `observed` is what was seen of it. `refused`:
    nothing was written. `unknown`: the effect may have landed.
    """

    at: str
    call: str
    executor: str
    grant: str
    observed: tuple[Sighting, ...]
    outcome: Literal["executed", "refused", "unknown"]
    receipt: str


def token_of(state: Present | Absent) -> str:
    """The token as text: equal exactly where every measured part is. Digest domain `token`."""
    return tagged("token", msgspec.json.encode(state, order="sorted"))


def expected_by(proposal: Proposal) -> tuple[str, ...]:
    """The token that each change of the proposal expects to find, in its order."""
    return tuple(token_of(change.state) for change in proposal.changes)
