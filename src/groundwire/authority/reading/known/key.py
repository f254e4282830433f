"""Key: what one key of a declaration may hold, what holds without it, and what it means."""

from __future__ import annotations

from typing import NamedTuple


class Key(NamedTuple):
    """One key: what its value is, what holds without it, and what it says."""

    type: str
    default: str
    means: str
