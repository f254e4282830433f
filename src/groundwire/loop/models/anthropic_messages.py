"""Anthropic messages: a request of the loop in their form, and a model over their SDK. Streamed."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import msgspec

from groundwire.documents.call import ToolCall
from groundwire.loop.messages import Message, ModelTurn, Request, ToolResult

if TYPE_CHECKING:
    import anthropic
    from anthropic.types import (
        MessageParam,
        TextBlockParam,
        ToolParam,
        ToolResultBlockParam,
        ToolUseBlockParam,
    )


class AnthropicMessages:
    """A model behind a watched client of the `anthropic` SDK."""

    def __init__(self, client: anthropic.Anthropic, name: str, *, max_tokens: int = 4096) -> None:
        self._client, self._name, self._max_tokens = client, name, max_tokens

    def answer(self, request: Request) -> ModelTurn:
        """The model's next turn. Errors of the SDK are raised as they are."""
        import anthropic  # noqa: PLC0415 -- who has such a client has its SDK; the loop needs none

        with self._client.messages.stream(
            model=self._name,
            max_tokens=self._max_tokens,
            messages=messages_of(request),
            tools=tools_of(request) or anthropic.omit,
            system=request.system or anthropic.omit,
        ) as stream:
            said = stream.get_final_message()
        calls = tuple(
            ToolCall(
                id=block.id, name=block.name, arguments=msgspec.json.encode(block.input).decode()
            )
            for block in said.content
            if block.type == "tool_use"
        )
        return ModelTurn("".join(b.text for b in said.content if b.type == "text"), calls)


def messages_of(request: Request) -> list[MessageParam]:
    """The messages as the wire has them: all results of one turn stand in one message."""
    messages: list[MessageParam] = []
    for are_results, several in groupby(
        request.messages, lambda each: isinstance(each, ToolResult)
    ):
        if are_results:
            results = [_result(each) for each in several if isinstance(each, ToolResult)]
            messages.append({"role": "user", "content": results})
        else:
            messages += [_message(each) for each in several]
    return messages


def tools_of(request: Request) -> list[ToolParam]:
    """The tools on offer, as the wire has them."""
    return [
        {"name": offer.name, "description": offer.description, "input_schema": dict(offer.schema)}
        for offer in request.tools
    ]


def _message(message: Message) -> MessageParam:
    if not isinstance(message, ModelTurn):
        return {"role": "user", "content": message.text}
    said: list[TextBlockParam | ToolUseBlockParam] = []
    if message.text:
        said.append({"type": "text", "text": message.text})
    said += map(_call, message.calls)
    return {"role": "assistant", "content": said}


def _call(call: ToolCall) -> ToolUseBlockParam:
    try:
        given = msgspec.json.decode(call.arguments or "{}")
    except msgspec.DecodeError:
        given = None
    # Their form has no place for arguments that are no object; the loop answered that they are none.
    return {
        "type": "tool_use",
        "id": call.id,
        "name": call.name,
        "input": given if isinstance(given, dict) else {},
    }


def _result(result: ToolResult) -> ToolResultBlockParam:
    block: ToolResultBlockParam = {
        "type": "tool_result",
        "tool_use_id": result.call_id,
        "content": result.text,
    }
    if result.is_error:
        block["is_error"] = True
    return block
