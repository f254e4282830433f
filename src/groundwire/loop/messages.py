"""Messages: a conversation in no provider's form, and the port to the model that goes on with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Protocol, TypeAlias

import msgspec

from groundwire.documents.call import ToolCall

Authored: TypeAlias = Literal["", "correction", "summary", "notice"]


class UserText(msgspec.Struct, frozen=True):
    """What stands in a user's place; `authored` says what it is where the loop wrote it."""

    text: str
    authored: Authored = ""


class ModelTurn(msgspec.Struct, frozen=True):
    """What the model said: text, calls, or both."""

    text: str
    calls: tuple[ToolCall, ...] = ()


class ToolResult(msgspec.Struct, frozen=True, kw_only=True):
    """What the model is shown of a call.

    `settled`: the text is the loop's own and no result; no tool ran, or what it gave was withheld.
    """

    call_id: str
    tool: str
    text: str
    is_error: bool = False
    settled: bool = False


Message: TypeAlias = UserText | ModelTurn | ToolResult


class Offer(msgspec.Struct, frozen=True):
    """A tool as a request offers it; `schema` is the JSON Schema of its arguments."""

    name: str
    description: str
    schema: Mapping[str, object]


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that one request shows the model."""

    system: str
    messages: tuple[Message, ...]
    tools: tuple[Offer, ...]


class Model(Protocol):
    """What goes on with a conversation. An error of it ends the run."""

    def answer(self, request: Request) -> ModelTurn:
        """The model's next turn."""
        ...
