"""Rule: the name of a kind of change, what it means, and what would do no harm instead."""

from __future__ import annotations

import msgspec

from groundwire.contracts.changes import Grade


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """`aliases` are what oasdiff calls it. `grade` is the one that it mostly explains."""

    name: str
    grade: Grade
    means: str
    instead: str = ""
    aliases: tuple[str, ...] = ()
