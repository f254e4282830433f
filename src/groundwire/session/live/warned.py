"""Warned: what a run says to whoever runs it. Nothing of it may become the agent's error."""

from __future__ import annotations

import sys
import warnings
from contextlib import suppress


class RecordingWarning(UserWarning):
    """The recorder failed, or cannot vouch for something, and the agent goes on."""


class RunStillOpen(UserWarning):
    """A run was closed, and requests go into the one that was open before it again."""


def warn(message: str, kind: type[Warning]) -> None:
    """The warning is shown, except while the interpreter ends. Never raises."""
    if not sys.is_finalizing():
        # Where warnings are errors, this one still must not become the agent's.
        with suppress(Warning):
            warnings.warn(f"groundwire: {message}", kind, stacklevel=6)
