"""Verdict: what the verifier says of a recording."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

State: TypeAlias = Literal["holds", "broken", "undecided"]
Completeness: TypeAlias = Literal["anchored", "closed", "open", "unknown"]


class GuardedCount(msgspec.Struct, frozen=True, kw_only=True):
    """Guarded calls of a recording by what became of them, of a late outcome by that.

    `intent_alone` are those of `unknown` that have an intent and no outcome. `unattested` are those of
    `executed` and `unknown` whose outcome stands without the executor's own word on it; where the
    run goes on in another segment, which may have it, they are not counted. `undecided` have
    neither intent nor outcome: nothing was begun. `unchecked` are those of which a document was redacted or withheld,
    or whose beginning stands in a segment that was not given.
    """

    calls: int = 0
    executed: int = 0
    passed: int = 0
    refused: int = 0
    unknown: int = 0
    intent_alone: int = 0
    unattested: int = 0
    undecided: int = 0
    unchecked: int = 0


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """`holds`, or the first thing that fails.

    `reason` is one code of docs/reference/verdicts.md; `line` counts from 1 and is 0 where no
    line is to blame. `signed_entries` is how many entries the last good checkpoint covers;
    `entries - signed_entries` were written after it and are chained but unsigned.
    `partial` says that the verifier stopped at a line: then every count is of what stands before
    it, and of the rest nothing is known.
    `redacted` and `withheld` count contents that are not there and say so.
    `not_understood` counts entries of kinds this version does not know. `guarded` counts what is
    known of guarded calls.
    """

    state: State
    reason: str
    message: str
    line: int
    partial: bool
    run: str
    segment: int
    entries: int
    signed_entries: int
    contents: int
    redacted: int
    withheld: int
    not_understood: int
    completeness: Completeness
    identity: str
    custody: str
    root: str
    closed: bool
    torn_bytes: int
    guarded: GuardedCount
    proves: str
    does_not_prove: str


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a recording outside its file: its first `size` entries have this `root`."""

    run: str
    segment: int
    size: int
    root: str
