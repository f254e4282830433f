"""Receipt: a decision on exactly one call and exactly these changes, for a short time.

It is the predicate of a signed statement; `attest/receipts.py` seals and opens it. Fields stand in
the order of their names, as they do in the signed bytes.
"""

from __future__ import annotations

from typing import Final

import msgspec

from groundwire.canon.digest import sha256
from groundwire.documents.decision import Word
from groundwire.documents.entry import Envelope
from groundwire.documents.profile import Fact
from groundwire.documents.target import ChangeKind, Proposal, TargetName

RECEIPT: Final = "urn:groundwire:receipt:v1"
TOOL_CALL: Final = "tool_call"
"""The operation of a call whose tool declares none."""

_LONG: Final = frozenset({"merge", "deploy", "publish"})


class Touched(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One change by the SHA-256 of its contents, whole; None where nothing stands.

    `mode` is what the permission bits become; None where they stay as they are.
    """

    after: str | None
    before: str | None
    kind: ChangeKind
    mode: int | None
    name: TargetName
    to: TargetName | None


class Asked(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a decision was asked about. A decision on one differs from one on any other.

    `call` is `call_digest` of the call, `policy` the digest of the policy in force. `audience` is
    who may act on the answer; `sequence` counts the guarded calls of `run` from 0.
    """

    audience: str
    call: str
    changes: tuple[Touched, ...]
    environment: str
    operation: str
    policy: str
    run: str
    sequence: int


class Approved(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One approval as a receipt holds it: the signed envelope, and which use of how many this is.

    `action` is `action_digest` of the call, `shown` the digest of what the approver was shown; both are
    "" of a standing approval, which was given before there was anything to show.
    """

    action: str
    approver: str
    envelope: Envelope
    shown: str
    use: int
    uses: int


class Receipt(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`authority` (a key's id) decides so about `asked`, from `issued` until before `expires`.

    Times are RFC 3339 with `Z` and six decimals. `engines` are the versions of whatever judged.
    `residuals` is every fact that weakens what can be said of the call, whether or not it decided
    anything: sorted, each once, so none hides another. Empty says that none was found, by whoever
    judged; not that none was so. `approvals` are those by which what a person had to be asked about
    is allowed, in order of approver; empty where nobody was asked.
    """

    approvals: tuple[Approved, ...]
    asked: Asked
    authority: str
    decision: Word
    engines: dict[str, str]
    expires: str
    issued: str
    residuals: tuple[Fact, ...]
    rules: tuple[str, ...]


def lifetime(operation: str) -> int:
    """For how many seconds a receipt may be good: 4 hours for merge, deploy, publish; else 15 min."""
    return 4 * 3600 if operation in _LONG else 15 * 60


def touched_by(proposal: Proposal) -> tuple[Touched, ...]:
    """The proposal's changes, in its order, by digest."""
    return tuple(
        Touched(
            after=None if change.after is None else sha256(change.after),
            before=None if change.before is None else sha256(change.before),
            kind=change.kind,
            mode=change.mode,
            name=change.name,
            to=change.to,
        )
        for change in proposal.changes
    )
