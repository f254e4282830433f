"""Two small agents, one an SDK: a loop of model and tools, with a window on the first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from groundwire.canon import jcs
from groundwire.demo.story import SCHEMAS, SYSTEM, TOOLS, run_tool

if TYPE_CHECKING:
    import anthropic
    import openai
    from anthropic.types import MessageParam, ToolParam
    from openai.types.chat import (
        ChatCompletionMessageFunctionToolCallParam,
        ChatCompletionMessageParam,
        ChatCompletionToolParam,
    )


def window(messages: Sequence[ChatCompletionMessageParam]) -> list[ChatCompletionMessageParam]:
    """The messages without the tool traffic of turns that are over: the mistake of the story."""
    last_question = max(i for i, message in enumerate(messages) if message["role"] == "user")
    return [
        message
        for i, message in enumerate(messages)
        if i >= last_question
        or (
            message["role"] != "tool"
            and not (message["role"] == "assistant" and "tool_calls" in message)
        )
    ]


def ask_with_openai(client: openai.OpenAI, questions: Sequence[str]) -> list[str]:
    """The answers to the questions, by chat completions, streamed, behind a window."""
    messages: list[ChatCompletionMessageParam] = [{"role": "system", "content": SYSTEM}]
    tools: list[ChatCompletionToolParam] = [
        {
            "type": "function",
            "function": {"name": name, "description": text, "parameters": SCHEMAS[name]},
        }
        for name, text in TOOLS.items()
    ]
    answers = []
    for question in questions:
        messages.append({"role": "user", "content": question})
        while True:
            with client.chat.completions.stream(
                model="gpt-5-mini", messages=window(messages), tools=tools
            ) as stream:
                said = stream.get_final_completion().choices[0].message
            calls: list[ChatCompletionMessageFunctionToolCallParam] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.function.name, "arguments": call.function.arguments},
                }
                for call in said.tool_calls or ()
            ]
            if not calls:
                answers.append(said.content or "")
                messages.append({"role": "assistant", "content": said.content})
                break
            messages.append({"role": "assistant", "tool_calls": calls})
            for call in calls:
                text = run_tool(call["function"]["name"], _host(call["function"]["arguments"]))
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})
    return answers


def ask_with_anthropic(client: anthropic.Anthropic, questions: Sequence[str]) -> list[str]:
    """The answers to the questions, by messages, streamed, with everything kept."""
    messages: list[MessageParam] = []
    tools: list[ToolParam] = [
        {"name": name, "description": text, "input_schema": SCHEMAS[name]}
        for name, text in TOOLS.items()
    ]
    answers = []
    for question in questions:
        messages.append({"role": "user", "content": question})
        while True:
            with client.messages.stream(
                model="claude-sonnet-5",
                max_tokens=500,
                system=SYSTEM,
                messages=messages,
                tools=tools,
            ) as stream:
                said = stream.get_final_message()
            messages.append({"role": "assistant", "content": said.content})
            calls = [block for block in said.content if block.type == "tool_use"]
            if not calls:
                answers.append("".join(b.text for b in said.content if b.type == "text"))
                break
            messages.append(
                {
                    "role": "user",
                    "content": [
                        {
                            "type": "tool_result",
                            "tool_use_id": call.id,
                            "content": run_tool(call.name, str(dict(call.input).get("host", ""))),
                        }
                        for call in calls
                    ],
                }
            )
    return answers


def _host(arguments: str) -> str:
    value = jcs.decode_foreign(arguments.encode()).value
    return str(value.get("host", "")) if isinstance(value, dict) else ""
