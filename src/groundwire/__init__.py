"""groundwire: AI agents' tool calls, allowed, recorded and true."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groundwire.audit.lineage.opened import open_recording
    from groundwire.checks.seams import CheckerDeadError
    from groundwire.documents.declaration import Claim
    from groundwire.documents.fact import Facts, nothing_found
    from groundwire.documents.finding import Finding
    from groundwire.documents.policy import Policy, ToolDeclaration
    from groundwire.documents.verdict import Verdict
    from groundwire.errors import (
        EncodingError,
        GroundwireError,
        GuardError,
        HostError,
        PolicyError,
        TrustError,
    )
    from groundwire.guard.agent_rule import with_policy
    from groundwire.lineage.verdict import evaluate_lineage
    from groundwire.session.declarations import tool
    from groundwire.session.guarding.once.giving import idempotency_key
    from groundwire.session.guarding.people.announcing import ApprovalNeeded
    from groundwire.session.guarding.result import Artifact, GuardedResult
    from groundwire.session.guarding.table import GuardedTable
    from groundwire.session.live.warned import RecordingWarning, RunStillOpen
    from groundwire.session.project import PolicyWarning, Project, Session, UnwatchedRequest

__all__ = [
    "ApprovalNeeded",
    "Artifact",
    "CheckerDeadError",
    "Claim",
    "EncodingError",
    "Facts",
    "Finding",
    "GroundwireError",
    "GuardError",
    "GuardedResult",
    "GuardedTable",
    "HostError",
    "Policy",
    "PolicyError",
    "PolicyWarning",
    "Project",
    "RecordingWarning",
    "RunStillOpen",
    "Session",
    "ToolDeclaration",
    "TrustError",
    "UnwatchedRequest",
    "Verdict",
    "evaluate_lineage",
    "idempotency_key",
    "nothing_found",
    "open_recording",
    "tool",
    "with_policy",
]

_ROOMS = {
    "ApprovalNeeded": "session.guarding.people.announcing",
    "Artifact": "session.guarding.result",
    "CheckerDeadError": "checks.seams",
    "Claim": "documents.declaration",
    "Facts": "documents.fact",
    "Finding": "documents.finding",
    "GuardedResult": "session.guarding.result",
    "GuardedTable": "session.guarding.table",
    "Policy": "documents.policy",
    "ToolDeclaration": "documents.policy",
    "Verdict": "documents.verdict",
    "PolicyWarning": "session.project",
    "Project": "session.project",
    "Session": "session.project",
    "UnwatchedRequest": "session.project",
    "RecordingWarning": "session.live.warned",
    "RunStillOpen": "session.live.warned",
    "evaluate_lineage": "lineage.verdict",
    "idempotency_key": "session.guarding.once.giving",
    "nothing_found": "documents.fact",
    "open_recording": "audit.lineage.opened",
    "tool": "session.declarations",
    "with_policy": "guard.agent_rule",
}


def __getattr__(name: str) -> object:
    # Loaded when first asked for: `import groundwire` must cost an agent's start nothing.
    if name not in __all__:
        raise AttributeError(f"module 'groundwire' has no attribute {name!r}")
    room = _ROOMS.get(name, "errors")
    value: object = getattr(import_module(f"groundwire.{room}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
