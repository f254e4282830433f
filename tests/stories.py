"""Small runs written by hand: messages, frames and the events of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from groundwire.checks.engine import Engine
from groundwire.documents.call import ToolCall
from groundwire.documents.declaration import CheckRules
from groundwire.documents.event import (
    Composed,
    Declared,
    Ended,
    Event,
    Executed,
    Expected,
    Requested,
    Responded,
)
from groundwire.documents.finding import Finding
from groundwire.documents.frame import (
    CallPart,
    Frame,
    Message,
    Part,
    Response,
    ResultPart,
    Role,
    Text,
    ToolSpec,
)
from groundwire.documents.policy import Grounding, Posture, ToolDeclaration


def message(role: Role, *parts: Part | str) -> Message:
    """A message of texts and parts."""
    return Message(
        role=role,
        parts=tuple(Text(part) if isinstance(part, str) else part for part in parts),
        raw=b"",
        content_digest="",
    )


def call(name: str, arguments: object = None, call_id: str = "c1", by: str = "host") -> CallPart:
    """A call; arguments that are no text are written as JSON."""
    text = (
        arguments if isinstance(arguments, str) else msgspec.json.encode(arguments or {}).decode()
    )
    return CallPart(ToolCall(id=call_id, name=name, arguments=text, executed_by=by))


def result(
    text: str,
    call_id: str = "c1",
    name: str | None = None,
    by: Literal["host", "provider"] = "host",
) -> Message:
    """A tool message with one result."""
    return message("tool", ResultPart(call_id, text, name=name, executed_by=by))


def frame(
    *messages: Message,
    tools: Sequence[ToolSpec | str] = (),
    system: str = "",
    held: str | None = None,
) -> Frame:
    """A frame; tools given by name have an empty schema."""
    return Frame(
        provider="openai-chat",
        model="model",
        system=(Text(system),) if system else (),
        tools=tuple(
            ToolSpec(name=tool, schema="{}") if isinstance(tool, str) else tool for tool in tools
        ),
        parameters="{}",
        messages=messages,
        held_by_provider=held,
    )


def response(
    *parts: Part | str,
    complete: bool = True,
    error: str | None = None,
    stop: str | None = None,
) -> Response:
    """A response of texts and calls."""
    return Response(
        provider="openai-chat",
        id="",
        model="model",
        parts=message("assistant", *parts).parts,
        stop=stop,
        usage={},
        complete=complete,
        content_digest="",
        error=error,
    )


class Story:
    """Events with steps that count themselves, fed to an engine as they are told."""

    def __init__(self, engine: Engine | None = None) -> None:
        self.engine = engine or Engine()
        self.events: list[Event] = []
        self.news: list[Finding] = []
        self.exchange = -1

    def tell(self, event: Event) -> tuple[Finding, ...]:
        """The event happened; what was newly filed."""
        self.events.append(event)
        news = self.engine.feed(event)
        self.news += news
        return news

    def declare(
        self,
        *tools: ToolDeclaration,
        arm_all: bool = False,
        grounding: Grounding = "whole",
        posture: Posture = "observe",
        checks: Mapping[str, object] | None = None,
        guards: bool = False,
    ) -> tuple[Finding, ...]:
        """The declarations are these; `checks` are fields of the rules, the rest by default."""
        return self.tell(
            Declared(
                step=len(self.events),
                at="",
                declarations=tools,
                grounding=grounding,
                posture=posture,
                arm_all=arm_all,
                checks=msgspec.convert(dict(checks or {}), CheckRules),
                guards=guards,
            )
        )

    def expect(self, *tools: str) -> tuple[Finding, ...]:
        """The host names these tools for each of its requests."""
        return self.tell(Expected(step=len(self.events), at="", tools=tools))

    def compose(self, number: int, *tools: str) -> tuple[Finding, ...]:
        """An SDK call was given these tools."""
        return self.tell(Composed(step=len(self.events), at="", call=number, tools=tools))

    def request(
        self,
        shown: Frame | None,
        *,
        composed: int | None = None,
        lane: int = 0,
        wire: bool = True,
        reason: str = "",
        at: str = "",
    ) -> tuple[Finding, ...]:
        """A request left."""
        self.exchange += 1
        return self.tell(
            Requested(
                step=len(self.events),
                at=at,
                exchange=self.exchange,
                lane=lane,
                attempt=1,
                composed=composed,
                frame=shown,
                reason=reason,
                wire=wire,
            )
        )

    def respond(
        self,
        given: Response | None,
        *,
        lane: int = 0,
        exchange: int | None = None,
        reason: str = "",
        at: str = "",
    ) -> tuple[Finding, ...]:
        """The latest request, or the one named, was answered."""
        return self.tell(
            Responded(
                step=len(self.events),
                at=at,
                exchange=self.exchange if exchange is None else exchange,
                lane=lane,
                response=given,
                reason=reason,
            )
        )

    def execute(
        self,
        name: str,
        arguments: str | None = "{}",
        *,
        call_id: str = "c1",
        lane: int | None = 0,
        result: str | None = None,
        structured: str | None = None,
        rendered: str | None = None,
        outcome: Literal["returned", "raised", "unknown"] = "returned",
        reason: str = "",
    ) -> tuple[Finding, ...]:
        """A tool ran; with `lane` None nobody knows for which call."""
        return self.tell(
            Executed(
                step=len(self.events),
                at="",
                execution=len(self.events),
                call_id=call_id if lane is not None else "",
                link="id" if lane is not None else "unlinked",
                exchange=None if lane is None else self.exchange,
                lane=lane,
                name=name,
                arguments=arguments,
                result=result,
                rendering="text",
                structured=structured,
                rendered=rendered,
                outcome=outcome,
                reason=reason,
            )
        )

    def end(self) -> tuple[Finding, ...]:
        """The run is over."""
        return self.tell(Ended(step=len(self.events), at=""))

    def filed(self, kind: str) -> list[Finding]:
        """The findings of this kind, as they stand now."""
        return [finding for finding in self.engine.findings() if finding.kind == kind]

    def row(self, kind: str) -> dict[str, object]:
        """The row of this kind, without what is zero or empty."""
        row = next(row for row in self.engine.rows() if row.check == kind)
        plain = msgspec.to_builtins(row)
        return {
            name: value
            for name, value in plain.items()
            if value and name not in {"check", "seam", "version"}
        }
