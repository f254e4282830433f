"""A small run in which tools are asked and an answer is given."""

from __future__ import annotations

import msgspec

from groundwire.documents.declaration import CheckRules
from groundwire.documents.event import Declared
from groundwire.documents.finding import Finding
from groundwire.documents.frame import CallPart, Message, ResultPart
from groundwire.documents.policy import ToolDeclaration
from tests.stories import Story, call, frame, message, response

TANKS = ToolDeclaration(name="tanks", rows_at="$.rows", entity_at="$.name", as_of="$.at")


class Told:
    """A conversation of one lane, told message by message."""

    def __init__(
        self, *tools: ToolDeclaration, rules: CheckRules | None = None, arm_all: bool = False
    ) -> None:
        self.story = Story()
        self.story.tell(
            Declared(
                step=0,
                at="",
                declarations=tools,
                grounding="whole",
                posture="observe",
                arm_all=arm_all,
                checks=rules or CheckRules(),
            )
        )
        self.messages: list[Message] = []
        self.calls = 0

    def say(self, text: str) -> None:
        """The user speaks."""
        self.messages.append(message("user", text))

    def ask(
        self,
        name: str,
        result: object,
        arguments: object = None,
        *,
        error: bool = False,
        at: str = "",
    ) -> str:
        """The model calls a tool and gets this result."""
        return self.together([(name, result, arguments)], error=error, at=at)

    def together(
        self, calls: list[tuple[str, object, object]], *, error: bool = False, at: str = ""
    ) -> str:
        """The model calls several tools at once; the id of the last."""
        parts: list[CallPart] = []
        for name, _, arguments in calls:
            self.calls += 1
            parts.append(call(name, arguments, f"c{self.calls}"))
        self.story.request(frame(*self.messages), at=at)
        self.story.respond(response(*parts), at=at)
        self.messages.append(message("assistant", *parts))
        for part, (_, result, _) in zip(parts, calls, strict=True):
            text = result if isinstance(result, str) else msgspec.json.encode(result).decode()
            shown = ResultPart(part.call.id, text, is_error=error)
            self.messages.append(message("tool", shown))
        return parts[-1].call.id

    def answer(
        self, text: object, *, at: str = "", shown_at: str | None = None
    ) -> tuple[Finding, ...]:
        """The model answers; what was newly filed."""
        said = text if isinstance(text, str) else msgspec.json.encode(text).decode()
        news = self.story.request(frame(*self.messages), at=at if shown_at is None else shown_at)
        news += self.story.respond(response(said), at=at)
        self.messages.append(message("assistant", said))
        return news

    def row(self, kind: str) -> dict[str, object]:
        """The row of the ledger."""
        return self.story.row(kind)
