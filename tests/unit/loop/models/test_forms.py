"""A request of the loop in the providers' forms."""

from __future__ import annotations

from groundwire.documents.call import ToolCall
from groundwire.loop.messages import ModelTurn, Offer, Request, ToolResult, UserText
from groundwire.loop.models import anthropic_messages, openai_chat

CALLS = (
    ToolCall(id="c1", name="look", arguments='{"host": "petrel"}'),
    ToolCall(id="c2", name="look", arguments="no JSON"),
)
REQUEST = Request(
    system="Watch.",
    messages=(
        UserText("Go on."),
        ModelTurn("Looking.", CALLS),
        ToolResult(call_id="c1", tool="look", text="up"),
        ToolResult(call_id="c2", tool="look", text="no", is_error=True, settled=True),
        ModelTurn("Up."),
    ),
    tools=(Offer("look", "Looks.", {"type": "object"}),),
)


def test_as_openai_chat_completions_each_result_is_a_message_and_arguments_stay_text() -> None:
    assert openai_chat.messages_of(REQUEST) == [
        {"role": "system", "content": "Watch."},
        {"role": "user", "content": "Go on."},
        {
            "role": "assistant",
            "content": "Looking.",
            "tool_calls": [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": "look", "arguments": call.arguments},
                }
                for call in CALLS
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "up"},
        {"role": "tool", "tool_call_id": "c2", "content": "no"},
        {"role": "assistant", "content": "Up."},
    ]
    assert openai_chat.tools_of(REQUEST) == [
        {
            "type": "function",
            "function": {
                "name": "look", "description": "Looks.", "parameters": {"type": "object"},
            },
        }
    ]  # fmt: skip


def test_as_anthropic_messages_the_results_of_a_turn_are_one_message() -> None:
    assert anthropic_messages.messages_of(REQUEST) == [
        {"role": "user", "content": "Go on."},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Looking."},
                {"type": "tool_use", "id": "c1", "name": "look", "input": {"host": "petrel"}},
                {"type": "tool_use", "id": "c2", "name": "look", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "up"},
                {"type": "tool_result", "tool_use_id": "c2", "content": "no", "is_error": True},
            ],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "Up."}]},
    ]
    assert anthropic_messages.tools_of(REQUEST) == [
        {"name": "look", "description": "Looks.", "input_schema": {"type": "object"}}
    ]
