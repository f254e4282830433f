"""Outcomes: how a turn of an agent ended. Closed; whoever asks has to look at which it is."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from groundwire.documents.call import ToolCall
from groundwire.documents.finding import Finding

Status: TypeAlias = Literal["ok", "error", "invalid", "denied", "not-dispatched"]


class CallRecord(msgspec.Struct, frozen=True):
    """A call and what became of it.

    `invalid`: its result was withheld for its columns. `denied`, `not-dispatched`: no tool ran.
    """

    call: ToolCall
    status: Status


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """The answer. `unsupported` are the values in it that nothing supports, as far as judged.

    `judged` is false where an evidence posture is declared and the gate could not judge.
    """

    text: str
    unsupported: tuple[str, ...] = ()
    revised: bool = False
    judged: bool = True
    calls: tuple[CallRecord, ...] = ()


class Denied(msgspec.Struct, frozen=True, kw_only=True):
    """The host's screen kept the answer back. Nobody saw it, and it is no part of what follows."""

    reason: str
    calls: tuple[CallRecord, ...] = ()


class Rejected(msgspec.Struct, frozen=True, kw_only=True):
    """The last answer still does not fit the schema or the judge, after every correction."""

    text: str
    reason: str
    calls: tuple[CallRecord, ...] = ()


class Paused(msgspec.Struct, frozen=True, kw_only=True):
    """A tool asks a person first. The run is closed; `Agent.resume` goes on in another one."""

    call: ToolCall
    asks: str
    run: str
    filed: tuple[Finding, ...]
    calls: tuple[CallRecord, ...] = ()


Outcome: TypeAlias = Answered | Denied | Rejected | Paused
