"""Announcing: whoever runs the agent hears at once that a call needs a person, and how to answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from groundwire.documents.approval import ApprovalRequest
from groundwire.session.live.warned import warn


class ApprovalNeeded(UserWarning):
    """A call waits for a person's yes, or was refused until there is one; names what grants it."""


class ApprovalWanted(msgspec.Struct, frozen=True, kw_only=True):
    """What a callback of the topic `approval` is given. Permits nothing, and shows nothing to decide by.

    `id` is the request's; `expires` is RFC 3339 in UTC; `approvers` are names of the policy's, sorted.
    """

    approvers: tuple[str, ...]
    environment: str
    expires: str
    id: str
    tool: str


def announce(
    request: ApprovalRequest,
    tool: str,
    approvers: Iterable[str],
    tell: Callable[[ApprovalWanted], None],
) -> None:
    """Callbacks will hear of the request, and a Python warning names it. Never raises a warning."""
    tell(
        ApprovalWanted(
            approvers=tuple(sorted(set(approvers))),
            environment=request.asked.environment,
            expires=request.expires,
            id=request.id,
            tool=tool,
        )
    )
    warn(
        f"a call of {tool!a} needs a person's yes until {request.expires}: `groundwire approvals"
        f" grant {request.id}`",
        ApprovalNeeded,
    )
