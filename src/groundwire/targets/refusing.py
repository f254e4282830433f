"""Refusals that more than one part of a target makes, each in one wording."""

from __future__ import annotations

from groundwire.documents.target import Absent, Present, State, Unmeasurable, stands_for
from groundwire.errors import GuardError


def require_ordinary_mode(path: str, mode: int) -> None:
    """The permission bits are nothing but who may read, write and run.

    Raises:
        GuardError: `special-mode`.
    """
    if mode & ~0o777:
        raise GuardError(
            "special-mode",
            f"{path} would run as another user or group (setuid, setgid) or be sticky; such files"
            " are not written here.",
        )


def drifted(path: str) -> GuardError:
    """The refusal of a write whose target is not what it was when it was judged."""
    return GuardError(
        "state-drifted",
        f"{path} is not what it was when the change was judged; read it again and propose anew.",
    )


def unmeasurable(path: str, state: Unmeasurable) -> GuardError:
    """The refusal of a write whose target cannot be compared with what it was."""
    return GuardError(
        "state-unmeasurable",
        f"It cannot be measured what {path} holds ({state.why}); nothing was written. Wait until"
        " nobody else writes to it, or see to its size and permissions.",
    )


def require_unchanged(path: str, token: Present | Absent, state: State | None) -> None:
    """The state stands for the token.

    Raises:
        GuardError: `state-drifted`, `state-unmeasurable`.
    """
    if isinstance(state, Unmeasurable):
        raise unmeasurable(path, state)
    if state is None or not stands_for(token, state):
        raise drifted(path)
