"""A tool as each provider's request lists it, and read back from there."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from groundwire.session.guarding.shapes.offering import (
    Offered,
    anthropic_tools,
    gemini_tools,
    openai_responses_tools,
    openai_tools,
)
from groundwire.session.guarding.shapes.tools import GivenTool, given_tools


def read_file(path: str, limit: int = 100) -> str:
    """Reads a file."""
    return path * limit


SCHEMA = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "limit": {"type": "integer", "default": 100}},
    "required": ["path"],
    "additionalProperties": False,
}
TOOLS = given_tools([read_file])


def test_each_provider_gets_the_list_that_its_request_takes() -> None:
    said = {"name": "read_file", "description": "Reads a file."}
    assert openai_tools(TOOLS) == [
        {"type": "function", "function": {**said, "parameters": SCHEMA}},
    ]
    assert openai_responses_tools(TOOLS) == [
        {"type": "function", **said, "parameters": SCHEMA, "strict": False},
    ]
    assert anthropic_tools(TOOLS) == [{**said, "input_schema": SCHEMA}]
    assert gemini_tools(TOOLS) == [
        {"functionDeclarations": [{**said, "parametersJsonSchema": SCHEMA}]}
    ]
    assert gemini_tools(()) == []


@pytest.mark.parametrize(
    "offer", [openai_tools, openai_responses_tools, anthropic_tools, gemini_tools]
)
def test_what_is_offered_is_read_back_as_the_same_tools(
    offer: Callable[[tuple[GivenTool, ...]], Offered],
) -> None:
    (back,) = given_tools(offer(TOOLS))
    assert (back.name, back.description, back.schema) == ("read_file", "Reads a file.", SCHEMA)
