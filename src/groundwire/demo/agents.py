"""Two small agents of the reference loop, one an SDK, with a window on the first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from groundwire.demo.story import SCHEMAS, SYSTEM, TOOLS, run_tool
from groundwire.loop.agent import Agent
from groundwire.loop.messages import Message, Model, ModelTurn, ToolResult, UserText
from groundwire.loop.models.anthropic_messages import AnthropicMessages
from groundwire.loop.models.openai_chat import OpenAIChat
from groundwire.loop.outcomes import Answered
from groundwire.loop.tools import Tool
from groundwire.loop.windows import Window, everything
from groundwire.session.project import Session

if TYPE_CHECKING:
    import anthropic
    import openai


def window(messages: Sequence[Message]) -> Sequence[Message]:
    """The messages without the tool traffic of turns that are over: the mistake of the story."""
    last_question = max(i for i, message in enumerate(messages) if isinstance(message, UserText))
    return [
        message
        for i, message in enumerate(messages)
        if i >= last_question or not _is_of_tools(message)
    ]


def _is_of_tools(message: Message) -> bool:
    return isinstance(message, ToolResult) or (
        isinstance(message, ModelTurn) and bool(message.calls)
    )


def ask_with_openai(client: openai.OpenAI, run: Session, questions: Sequence[str]) -> list[str]:
    """The answers to the questions, by chat completions, streamed, behind a window."""
    return _ask(OpenAIChat(client, "gpt-5-mini"), run, questions, window)


def ask_with_anthropic(
    client: anthropic.Anthropic, run: Session, questions: Sequence[str]
) -> list[str]:
    """The answers to the questions, by messages, streamed, with everything kept."""
    model = AnthropicMessages(client, "claude-sonnet-5", max_tokens=500)
    return _ask(model, run, questions, everything)


def _ask(model: Model, run: Session, questions: Sequence[str], kept: Window) -> list[str]:
    tools = [_tool(name, description) for name, description in TOOLS.items()]
    agent = Agent(model, tools, system=SYSTEM, window=kept)
    outcomes = [agent.ask(run, question) for question in questions]
    return [outcome.text for outcome in outcomes if isinstance(outcome, Answered)]


def _tool(name: str, description: str) -> Tool:
    def function(bay: int = 0, host: str = "") -> str:  # noqa: ARG001 -- what the model may say
        return run_tool(name, host)

    return Tool(name=name, function=function, description=description, schema=SCHEMAS[name])
