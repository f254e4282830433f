"""OpenAI chat completions: a request of the loop in their form, and a model over their SDK.

Streamed, as agents mostly are. The client is a watched one, so that the wire is recorded as always.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.documents.call import ToolCall
from groundwire.loop.messages import Message, ModelTurn, Offer, Request, ToolResult, UserText

if TYPE_CHECKING:
    import openai
    from openai.types.chat import (
        ChatCompletionAssistantMessageParam,
        ChatCompletionMessageFunctionToolCallParam,
        ChatCompletionMessageParam,
        ChatCompletionToolParam,
    )


class OpenAIChat:
    """A model behind a watched client of the `openai` SDK, or of whoever speaks as it does."""

    def __init__(self, client: openai.OpenAI, name: str) -> None:
        self._client, self._name = client, name

    def answer(self, request: Request) -> ModelTurn:
        """The model's next turn. Errors of the SDK are raised as they are."""
        import openai  # noqa: PLC0415 -- who has such a client has its SDK; the loop needs none

        with self._client.chat.completions.stream(
            model=self._name,
            messages=messages_of(request),
            tools=tools_of(request) or openai.omit,
        ) as stream:
            said = stream.get_final_completion().choices[0].message
        calls = tuple(
            ToolCall(id=call.id, name=call.function.name, arguments=call.function.arguments)
            for call in said.tool_calls or ()
        )
        return ModelTurn(said.content or "", calls)


def messages_of(request: Request) -> list[ChatCompletionMessageParam]:
    """The system prompt and the messages, as the wire has them."""
    messages: list[ChatCompletionMessageParam] = []
    if request.system:
        messages.append({"role": "system", "content": request.system})
    messages += map(_message, request.messages)
    return messages


def tools_of(request: Request) -> list[ChatCompletionToolParam]:
    """The tools on offer, as the wire has them."""
    return list(map(_tool, request.tools))


def _tool(offer: Offer) -> ChatCompletionToolParam:
    return {
        "type": "function",
        "function": {
            "name": offer.name,
            "description": offer.description,
            "parameters": dict(offer.schema),
        },
    }


def _message(message: Message) -> ChatCompletionMessageParam:
    match message:
        case UserText():
            return {"role": "user", "content": message.text}
        case ToolResult():
            return {"role": "tool", "tool_call_id": message.call_id, "content": message.text}
        case ModelTurn():
            said: ChatCompletionAssistantMessageParam = {
                "role": "assistant",
                "content": message.text or None,
            }
            if message.calls:
                said["tool_calls"] = list(map(_call, message.calls))
            return said


def _call(call: ToolCall) -> ChatCompletionMessageFunctionToolCallParam:
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": call.arguments},
    }
