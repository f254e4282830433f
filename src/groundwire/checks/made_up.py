"""Made-up events for canaries: the smallest runs in which a check must find something.

A canary is judged by an engine like the live one. It proves that a check can still find; it says
nothing of whether the check is fed. So what it finds is marked synthetic, stays out of every other
number, and is kept apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from groundwire.checks.seams import Check
from groundwire.documents.call import ToolCall
from groundwire.documents.event import (
    Declared,
    Event,
    Executed,
    Guarded,
    Requested,
    Responded,
)
from groundwire.documents.finding import Finding
from groundwire.documents.frame import Frame, Message, Part, Response, Role, Text, ToolSpec
from groundwire.documents.policy import ToolDeclaration

# Steps of events that no run has.
BEFORE, ASKED, ANSWERED, RAN = -4, -3, -2, -1
_DIGEST = "gw1:" + "0" * 64


def message(role: Role, *parts: Part) -> Message:
    """A message of these parts that never crossed a wire."""
    return Message(role=role, parts=parts, raw=b"", content_digest=_DIGEST)


def request(
    *messages: Message, tools: tuple[ToolSpec, ...] = (), composed: int | None = None
) -> Requested:
    """A request that showed these messages and tools."""
    frame = Frame(
        provider="canary",
        model="canary",
        system=(),
        tools=tools,
        parameters="{}",
        messages=messages,
    )
    return Requested(
        step=ASKED, at="", exchange=-1, lane=-1, attempt=1, composed=composed, frame=frame
    )


def response(*parts: Part) -> Responded:
    """The whole answer to that request."""
    answer = Response(
        provider="canary",
        id="canary",
        model="canary",
        parts=parts,
        stop=None,
        usage={},
        complete=True,
        content_digest=_DIGEST,
    )
    return Responded(step=ANSWERED, at="", exchange=-1, lane=-1, response=answer)


def executed(
    call: ToolCall, *, arguments: str, result: str | None = None, structured: str | None = None
) -> Executed:
    """The tool of this call ran with these arguments."""
    return Executed(
        step=RAN,
        at="",
        execution=-1,
        call_id=call.id,
        link="id",
        exchange=-1,
        lane=-1,
        name=call.name,
        arguments=arguments,
        result=result,
        structured=structured,
    )


def guarded(call: ToolCall) -> Guarded:
    """The guarded table met this call and refused it."""
    return Guarded(
        step=RAN,
        at="",
        guarded=0,
        state="outcome",
        call_id=call.id,
        link="id",
        exchange=-1,
        lane=-1,
        name=call.name,
        document=None,
        outcome="refused",
        reason="canary",
    )


def text(words: str) -> Text:
    """A part that is these words."""
    return Text(words)


def declared(*tools: ToolDeclaration) -> Declared:
    """These tools are declared before the run begins."""
    return Declared(step=BEFORE, at="", declarations=tools, grounding="whole", posture="observe")


class Shadow(Protocol):
    """What a canary needs of an engine."""

    def feed(self, event: Event) -> tuple[Finding, ...]:
        """Newly filed findings."""
        ...


def release(check: Check, shadow: Callable[[], Shadow]) -> tuple[bool, tuple[Finding, ...]]:
    """Whether the check filed its own canary in a shadow engine, and what was filed, marked.

    A canary that cannot even be made counts as not caught.
    """
    engine = shadow()
    filed = tuple(
        msgspec.structs.replace(finding, synthetic=True)
        for event in _events(check)
        for finding in engine.feed(event)
    )
    own = any((finding.kind, finding.seam) == (check.kind, check.seam) for finding in filed)
    return own, filed


def _events(check: Check) -> Sequence[Event]:
    try:
        return tuple(check.canary())
    except Exception:  # noqa: BLE001 -- a check is a stranger; its dead canary is the answer
        return ()
