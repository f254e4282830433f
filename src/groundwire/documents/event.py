"""Events: entries as a check reads them. Live and offline make the same events.

A check sees nothing but these. `step` is the sequence number of the entry, the only clock a check
has; `at` is that entry's own time stamp, passed on for read-outs and never compared.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from groundwire.documents.frame import Frame, Response
from groundwire.documents.policy import Content, Grounding, Posture, ToolDeclaration


class Declared(msgspec.Struct, frozen=True, kw_only=True):
    """What was declared before or during the run; a later one adds to the earlier ones.

    `content` says whether results of tools that say nothing of their own may stand in the file.
    """

    step: int
    at: str
    declarations: tuple[ToolDeclaration, ...]
    grounding: Grounding
    posture: Posture
    arm_all: bool = False
    content: Content = "full"


class Expected(msgspec.Struct, frozen=True, kw_only=True):
    """The tools the host says each of its requests offers: `run.tools([...])`."""

    step: int
    at: str
    tools: tuple[str, ...]


class Composed(msgspec.Struct, frozen=True, kw_only=True):
    """The tools an SDK call was given, read from its arguments before serialisation.

    `call` numbers SDK calls within the run; every attempt of one call is a request of its own.
    """

    step: int
    at: str
    call: int
    tools: tuple[str, ...]


class Requested(msgspec.Struct, frozen=True, kw_only=True):
    """A request left. `frame` is None where its body could not be read: `reason` says why.

    `kept` is how many leading messages stand unchanged from the lane's previous frame.
    `wire` is false for an imported log: no bytes crossed that anyone kept.
    """

    step: int
    at: str
    exchange: int
    lane: int
    attempt: int
    composed: int | None
    frame: Frame | None
    reason: str = ""
    kept: int = 0
    wire: bool = True


class Responded(msgspec.Struct, frozen=True, kw_only=True):
    """A response came, whole or not. `response` is None where it could not be read."""

    step: int
    at: str
    exchange: int
    lane: int
    response: Response | None
    reason: str = ""


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """The run is over; what is still waiting for something will not get it."""

    step: int
    at: str


Event: TypeAlias = Declared | Expected | Composed | Requested | Responded | Ended
