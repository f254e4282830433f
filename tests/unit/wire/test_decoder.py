"""Frames from splits: what a request showed the model, and nothing of it dropped."""

from __future__ import annotations

import json
from typing import Any

import pytest

from groundwire.documents.frame import Frame, Opaque, Text, ToolSpec
from groundwire.errors import EncodingError
from groundwire.wire.decoder import Decoder, decode_response, recognise
from groundwire.wire.split import Splitter
from tests.unit.wire.rendering import body

ASK = {"role": "user", "content": "Which pumps run hot?"}


def frame(value: Any, provider: str = "openai-chat") -> Frame:
    data = value if isinstance(value, bytes) else body(value)
    return Decoder().frame(Splitter().split(data, provider), provider)


def test_a_chat_request() -> None:
    tool = {
        "type": "function",
        "function": {"name": "f", "description": "d", "parameters": {"a": 1}},
    }
    found = frame(
        {
            "model": "small-1",
            "messages": [{"role": "system", "content": "Be brief."}, ASK],
            "tools": [tool],
            "stream": True,
            "temperature": 0.50,
            "stream_options": {"include_usage": True},
        }
    )
    assert (found.provider, found.model, found.stream) == ("openai-chat", "small-1", True)
    assert [message.role for message in found.messages] == ["system", "user"]
    assert found.messages[1].raw == body(ASK)
    assert found.tools == (ToolSpec(name="f", schema='{"a":1}', description="d"),)
    assert found.parameters == '{"stream_options":{"include_usage":true},"temperature":0.5}'
    assert (found.system, found.held_by_provider, found.opaque) == ((), None, ())


def test_an_anthropic_request() -> None:
    found = frame(
        {
            "model": "claude-small",
            "max_tokens": 10,
            "system": [
                {"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}
            ],
            "messages": [ASK],
            "tools": [{"name": "f", "input_schema": {"a": 1}, "strict": True}],
        },
        "anthropic",
    )
    assert found.system == (Text("Be brief."),)
    assert found.tools == (ToolSpec(name="f", schema='{"a":1}'),)
    assert found.parameters == '{"max_tokens":10}'
    assert found.opaque == ("/system/0/cache_control", "/tools/0/strict")
    assert frame({"system": "Be brief.", "messages": []}, "anthropic").system == (
        Text("Be brief."),
    )
    assert frame({"system": 7, "messages": []}, "anthropic").system == (Opaque("", "7"),)


def test_a_responses_request() -> None:
    found = frame({"model": "m", "instructions": "Be brief.", "input": "Hi"}, "openai-responses")
    assert found.system == (Text("Be brief."),)
    assert [message.parts for message in found.messages] == [(Text("Hi"),)]
    assert frame({"prompt": {"id": "p"}}, "openai-responses").messages == ()


@pytest.mark.parametrize(
    ("fields", "held"),
    [
        ({"previous_response_id": "resp_1"}, "resp_1"),
        ({"conversation": "conv_1"}, "conv_1"),
        ({"conversation": {"id": "conv_1"}}, "conv_1"),
        ({"prompt": {"id": "pmpt_1"}}, "pmpt_1"),
        ({"previous_response_id": None}, None),
        ({}, None),
    ],
)
def test_what_the_provider_holds_is_named(fields: dict[str, Any], held: str | None) -> None:
    found = frame({"input": "x", **fields}, "openai-responses")
    assert found.held_by_provider == held
    kept = {name: value for name, value in fields.items() if value is not None}
    assert json.loads(found.parameters).items() >= kept.items()


def test_a_reference_among_the_items_is_held_by_the_provider() -> None:
    items = [{"role": "user", "content": "x"}, {"type": "item_reference", "id": "msg_1"}]
    decoder, splitter = Decoder(), Splitter()
    for count in (2, 1, 2):
        data = body({"input": items[:count]})
        split = splitter.split(data, "openai-responses")
        found = decoder.frame(split, "openai-responses")
        assert found.held_by_provider == ("msg_1" if count == 2 else None)


def test_pointers_name_the_message_they_point_into() -> None:
    marked = {**ASK, "name": "kim"}
    found = frame({"messages": [ASK, marked, ASK, marked], "tools": [7]})
    assert found.opaque == ("/tools/0", "/messages/1/name", "/messages/3/name")
    item = {"type": "function_call_output", "call_id": "c", "output": "", "id": "o"}
    assert frame({"input": [item]}, "openai-responses").opaque == ("/input/0/id",)


def test_parameters_hold_every_other_member_even_where_no_canonical_form_exists() -> None:
    data = (
        b'{"messages":[],"seed":123456789012345678901234567890,"b":{"x":1,"x":2},"\xc3\xa9":-0.0}'
    )
    assert frame(data).parameters == (
        '{"b":{"x":1,"x":2},"seed":123456789012345678901234567890,"é":0}'
    )


def test_frames_of_a_run_are_those_that_each_body_has_alone() -> None:
    decoder, splitter = Decoder(), Splitter()
    messages: list[dict[str, Any]] = []
    for step in range(30):
        messages.append({"role": "user", "content": str(step), "name": "kim"} if step % 3 else ASK)
        for window in (messages, messages[-5:]):
            data = body({"messages": window, "model": "m"})
            found = decoder.frame(splitter.split(data, "openai-chat"), "openai-chat")
            assert found == frame(data)


def test_a_message_seen_before_is_the_same_document() -> None:
    decoder, splitter = Decoder(), Splitter()
    first = decoder.frame(splitter.split(body({"messages": [ASK]}), "openai-chat"), "openai-chat")
    again = body({"messages": [{"role": "system", "content": "x"}, ASK]})
    second = decoder.frame(splitter.split(again, "openai-chat"), "openai-chat")
    assert second.messages[1] is first.messages[0]


def test_equal_bytes_are_read_by_each_protocol_for_itself() -> None:
    decoder, splitter = Decoder(), Splitter()
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t"}]}
    data = body({"messages": [result]})
    roles = [
        decoder.frame(splitter.split(data, provider), provider).messages[0].role
        for provider in ("openai-chat", "anthropic", "openai-chat")
    ]
    assert roles == ["user", "tool", "user"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'{"messages":[{"role":"user","content":"\xff"}]}', "not-json"),
        (b'{"messages":[],"model":"\xff"}', "not-json"),
    ],
)
def test_bytes_that_are_no_text_are_refused_by_name(data: bytes, reason: str) -> None:
    with pytest.raises(EncodingError) as caught:
        frame(data)
    assert caught.value.reason == reason


@pytest.mark.parametrize("provider", ["openai-chat", "anthropic"])
def test_blocks_nested_deeper_than_anyone_follows_are_refused_by_name(provider: str) -> None:
    opening = (
        b'{"type":"thinking","thinking":['
        if provider == "openai-chat"
        else (b'{"type":"tool_result","content":[')
    )
    data = b'{"messages":[{"role":"user","content":[' + opening * 400 + b"]}" * 400 + b"]}]}"
    with pytest.raises(EncodingError) as caught:
        frame(data, provider)
    assert caught.value.reason == "too-deep"


def test_an_unknown_provider_is_refused() -> None:
    split = Splitter().split(b'{"messages":[]}', "openai-chat")
    with pytest.raises(EncodingError, match="smoke-signals"):
        Decoder().frame(split, "smoke-signals")
    with pytest.raises(EncodingError, match="smoke-signals"):
        decode_response(b"{}", "smoke-signals", streamed=False)


@pytest.mark.parametrize("data", [b"", b"x", b"[]", b'"x"', b'{"choices":', b"null"])
def test_a_body_that_is_no_whole_document_is_refused_by_name(data: bytes) -> None:
    with pytest.raises(EncodingError) as caught:
        decode_response(data, "openai-chat", streamed=False)
    assert caught.value.reason in {"not-json", "not-an-object"}


def test_the_address_of_each_protocol_is_recognised_here_too() -> None:
    assert recognise("api.openai.com", "/v1/chat/completions") == "openai-chat"


def test_what_stands_around_the_messages_is_read_by_the_protocol_of_each_request() -> None:
    data = b'{"system":"S","messages":[{"role":"user","content":"a"}],"model":"m"}'
    decoder = Decoder()
    for provider in ("openai-chat", "anthropic", "openai-chat"):
        split = Splitter().split(data, provider)
        assert decoder.frame(split, provider) == Decoder().frame(split, provider)
