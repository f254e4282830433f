"""Offering: tools as each provider's request lists them.

Plain data, to be handed to an SDK or sent as it is. Says nothing of how a call is then carried out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from groundwire.session.guarding.shapes.tools import GivenTool

Offered: TypeAlias = list[dict[str, object]]


def openai_tools(tools: Iterable[GivenTool]) -> Offered:
    """`tools=` of a chat completion, of OpenAI and of every provider that speaks its protocol."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": dict(tool.schema),
            },
        }
        for tool in tools
    ]


def openai_responses_tools(tools: Iterable[GivenTool]) -> Offered:
    """`tools=` of the Responses API. `strict` is off: a schema of optional arguments stays as it is."""
    return [
        {
            "type": "function",
            "name": tool.name,
            "description": tool.description,
            "parameters": dict(tool.schema),
            "strict": False,
        }
        for tool in tools
    ]


def anthropic_tools(tools: Iterable[GivenTool]) -> Offered:
    """`tools=` of the Messages API."""
    return [
        {"name": tool.name, "description": tool.description, "input_schema": dict(tool.schema)}
        for tool in tools
    ]


def gemini_tools(tools: Iterable[GivenTool]) -> Offered:
    """`tools` of `generateContent`: one element that declares every function."""
    declared = [
        {
            "name": tool.name,
            "description": tool.description,
            "parametersJsonSchema": dict(tool.schema),
        }
        for tool in tools
    ]
    return [{"functionDeclarations": declared}] if declared else []
