"""A model's call in each provider's shape, as SDKs and as JSON give it; what is none is refused."""

from __future__ import annotations

from types import SimpleNamespace

import anthropic.types
import openai.types.chat
import openai.types.responses
import pytest

from groundwire.documents.call import ToolCall
from groundwire.errors import GuardError
from groundwire.session.guarding.shapes.calls import Dialect, model_call

SPELT = '{"path": "a.py",  "n": 1.0}'
ARGUMENTS = {"path": "a.py", "n": 1.0}
WRITTEN = '{"path":"a.py","n":1.0}'

CHAT = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": SPELT}}
RESPONSES = {
    "type": "function_call",
    "id": "fc_9",
    "call_id": "c1",
    "name": "f",
    "arguments": SPELT,
    "status": "completed",
}
TOOL_USE = {"type": "tool_use", "id": "c1", "name": "f", "input": ARGUMENTS}

AS_TEXT: dict[str, tuple[object, Dialect]] = {
    "openai": (CHAT, "openai"),
    "openai's object": (
        openai.types.chat.ChatCompletionMessageFunctionToolCall.model_validate(CHAT),
        "openai",
    ),
    "openai without a type": (
        {"id": "c1", "function": {"name": "f", "arguments": SPELT}},
        "openai",
    ),
    "responses": (RESPONSES, "openai-responses"),
    "responses' object": (
        openai.types.responses.ResponseFunctionToolCall.model_validate(RESPONSES),
        "openai-responses",
    ),
    "langchain, unparsed": (
        {"type": "invalid_tool_call", "id": "c1", "name": "f", "args": SPELT, "error": "e"},
        "langchain",
    ),
    "plain": (("f", SPELT, "c1"), "plain"),
    "a call": (ToolCall(id="c1", name="f", arguments=SPELT), "plain"),
}
PARSED: dict[str, tuple[object, Dialect]] = {
    "anthropic": (TOOL_USE, "anthropic"),
    "anthropic's object": (anthropic.types.ToolUseBlock.model_validate(TOOL_USE), "anthropic"),
    "gemini": ({"functionCall": {"id": "c1", "name": "f", "args": ARGUMENTS}}, "gemini"),
    "gemini's part": (
        SimpleNamespace(function_call=SimpleNamespace(id="c1", name="f", args=ARGUMENTS)),
        "gemini",
    ),
    "gemini's object": (SimpleNamespace(id="c1", name="f", args=ARGUMENTS), "gemini"),
    "langchain": ({"type": "tool_call", "id": "c1", "name": "f", "args": ARGUMENTS}, "langchain"),
    "langchain without a type": ({"id": "c1", "name": "f", "args": ARGUMENTS}, "langchain"),
    "plain": (("f", ARGUMENTS, "c1"), "plain"),
}


@pytest.mark.parametrize("shape", AS_TEXT)
def test_arguments_that_come_as_text_stay_as_they_were_spelt(shape: str) -> None:
    value, dialect = AS_TEXT[shape]
    found = model_call(value)
    assert found.call == ToolCall(id="c1", name="f", arguments=SPELT)
    assert found.dialect == dialect
    assert model_call(found) is found


@pytest.mark.parametrize("shape", PARSED)
def test_arguments_that_come_parsed_are_written_as_json(shape: str) -> None:
    value, dialect = PARSED[shape]
    found = model_call(value)
    assert found.call == ToolCall(id="c1", name="f", arguments=WRITTEN)
    assert found.dialect == dialect


@pytest.mark.parametrize("absent", [{"name": "f"}, {"name": "f", "args": None, "id": None}])
def test_gemini_leaves_out_the_id_and_empty_arguments(absent: dict[str, object]) -> None:
    assert model_call({"functionCall": absent}).call == ToolCall(id="", name="f", arguments="{}")


class _Raises:
    @property
    def type(self) -> object:
        raise RuntimeError


@pytest.mark.parametrize(
    "value",
    [
        None,
        3,
        "f",
        [],
        {},
        (),
        ("f",),
        ("f", {}, "c1", "more"),
        ("", {}),
        (3, {}),
        ("f", [1]),
        ("f", {"n": float("nan")}),
        ("f", {"n": b"bytes"}),
        ("f", {}, 3),
        {"type": "text", "text": "f"},
        {"type": "server_tool_use", "id": "c1", "name": "web_search", "input": {}},
        {"type": "web_search_call", "id": "c1"},
        {"type": "custom", "id": "c1", "custom": {"name": "f", "input": "x"}},
        {"type": "function", "id": "c1", "function": {"name": "f", "arguments": [1]}},
        {"type": "tool_use", "id": "c1", "name": ["f"], "input": {}},
        {"type": "tool_use", "id": "c1", "name": "f", "input": [1]},
        _Raises(),
        object(),
    ],
)
def test_what_is_no_call_is_refused_by_name_and_without_a_traceback(value: object) -> None:
    with pytest.raises(GuardError) as refused:
        model_call(value)
    assert refused.value.reason == "unknown-call-shape"
    assert "SDK" in str(refused.value)
