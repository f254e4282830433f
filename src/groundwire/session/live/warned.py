"""Warned: what a run says to whoever runs it. Nothing of it may become the agent's error."""

from __future__ import annotations

import inspect
import sys
import warnings
from contextlib import suppress


class RecordingWarning(UserWarning):
    """The recorder failed, or cannot vouch for something, and the agent goes on."""


class RunStillOpen(UserWarning):
    """A run was closed, and requests go into the one that was open before it again."""


# Whoever reads a warning looks for the line of their own that led to it.
_BETWEEN = frozenset(
    {"groundwire", "openai", "anthropic", "httpx", "httpx2", "contextlib", "threading"}
)


def level_of_the_host() -> int:
    """The `stacklevel` for who calls this at which a warning names the host's own line.

    1 where no line of a host is on the stack, as in a thread of ours.
    """
    frame = inspect.currentframe()
    level = 0
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] not in _BETWEEN:
            return level
        frame, level = frame.f_back, level + 1
    return 1


def warn(message: str, kind: type[Warning]) -> None:
    """The warning is shown, except while the interpreter ends. Never raises."""
    if not sys.is_finalizing():
        # Where warnings are errors, this one still must not become the agent's.
        with suppress(Warning):
            warnings.warn(f"groundwire: {message}", kind, stacklevel=level_of_the_host())
