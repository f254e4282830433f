"""Approving: what `groundwire.toml` says of the people who may say yes, and of how they are asked.

Data only. What they sign is in `documents/approval.py`.
"""

from __future__ import annotations

import msgspec


class Approver(msgspec.Struct, frozen=True, kw_only=True):
    """`name` may say yes with the key whose id is `key`, in these environments; none: in all.

    The key itself, its state and its custody are in the keyring, which this does not look at.
    """

    name: str
    key: str
    environments: tuple[str, ...] = ()


class ApprovalRules(msgspec.Struct, frozen=True, kw_only=True):
    """How people are asked where the policy names nothing else.

    A call waits `wait_seconds` for its answer, not at all where that is 0. A request can be answered
    for `expires_seconds`, and no longer than the receipt is good by which it is asked. `needed`
    different people have to say yes.
    """

    wait_seconds: int = 900
    expires_seconds: int = 900
    needed: int = 1


def approvers_for(approvers: tuple[Approver, ...], environment: str) -> tuple[Approver, ...]:
    """Those whose yes counts in this environment, in their order."""
    return tuple(
        each for each in approvers if not each.environments or environment in each.environments
    )
