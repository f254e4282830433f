"""Streams, however they are cut into pieces, and the standard's own algorithm beside ours."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.documents.frame import Frame
from groundwire.wire.decoder import Decoder, decode_response
from groundwire.wire.split import Splitter
from groundwire.wire.sse import Parser
from tests.unit.wire.rendering import RENDER, body, comparable

SETTINGS = settings(deadline=None, max_examples=80)
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
NAMES = st.text("abcxyz_", min_size=1, max_size=6)
STREAM_BYTES = st.lists(
    st.sampled_from(
        [
            b"data",
            b":",
            b" ",
            b"\n",
            b"\r",
            b"\r\n",
            b"event",
            b"x",
            b"\xef\xbb\xbf",
            b"id",
            b"\xff",
        ]
    )
).map(b"".join)


def oracle(stream: bytes) -> list[tuple[str, bytes]]:
    """The standard, slowly: split at line ends, then one line after the other."""
    stream = stream.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    lines = stream.split(b"\n")[:-1]
    found: list[tuple[str, bytes]] = []
    name, data = b"", b""
    for line in lines:
        if not line:
            if data:
                found.append((name.decode("utf-8", "replace") or "message", data[:-1]))
            name, data = b"", b""
            continue
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            data += value + b"\n"
        elif field == b"event":
            name = value
    return found


@SETTINGS
@given(STREAM_BYTES, st.lists(st.integers(0, 60)))
def test_the_parser_agrees_with_the_standard_whatever_the_chunks(
    stream: bytes, cuts: list[int]
) -> None:
    parser = Parser()
    places = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    found = [
        (event.name, event.data)
        for start, end in pairwise(places)
        for event in parser.feed(stream[start:end])
    ]
    assert found == oracle(stream)


ARGUMENTS = st.dictionaries(NAMES, TEXTS | st.integers(-99, 99) | st.booleans(), max_size=3)


@st.composite
def turns(draw: st.DrawFn) -> dict[str, Any]:
    """One assistant turn, as text and calls."""
    calls = draw(st.lists(st.tuples(NAMES, ARGUMENTS), max_size=3))
    return {
        "text": draw(TEXTS),
        "calls": [(f"call_{at}", name, arguments) for at, (name, arguments) in enumerate(calls)],
    }


def chat_message(turn: dict[str, Any]) -> dict[str, Any]:
    calls = [
        {"id": at, "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
        for at, name, given in turn["calls"]
    ]
    message: dict[str, Any] = {"role": "assistant", "content": turn["text"] or None}
    return {**message, "tool_calls": calls} if calls else message


def anthropic_blocks(turn: dict[str, Any]) -> list[dict[str, Any]]:
    text = [{"type": "text", "text": turn["text"]}] if turn["text"] else []
    return text + [
        {"type": "tool_use", "id": at, "name": name, "input": given}
        for at, name, given in turn["calls"]
    ]


def items(turn: dict[str, Any]) -> list[dict[str, Any]]:
    part = {"type": "output_text", "text": turn["text"], "annotations": []}
    said = {"type": "message", "id": "m", "role": "assistant", "status": "completed"}
    text = [{**said, "content": [part]}] if turn["text"] else []
    return text + [
        {
            "type": "function_call",
            "id": f"f{at}",
            "status": "completed",
            "call_id": at,
            "name": name,
            "arguments": json.dumps(given),
        }
        for at, name, given in turn["calls"]
    ]


def documents(turn: dict[str, Any]) -> dict[str, dict[str, Any]]:
    choice = {"index": 0, "message": chat_message(turn), "finish_reason": "stop"}
    usage = {"input_tokens": 1, "output_tokens": 2}
    return {
        "openai-chat": {"id": "c", "model": "m", "choices": [choice]},
        "anthropic": {
            "id": "a", "type": "message", "role": "assistant", "model": "m",
            "content": anthropic_blocks(turn), "stop_reason": "end_turn", "usage": usage,
        },
        "openai-responses": {
            "id": "r", "object": "response", "model": "m", "status": "completed",
            "output": items(turn), "usage": usage,
        },
    }  # fmt: skip


@SETTINGS
@given(turns(), st.integers(1, 9), st.data())
def test_streamed_and_whole_answers_say_the_same_and_cut_ones_never_more(
    turn: dict[str, Any], size: int, data: st.DataObject
) -> None:
    digests = set()
    for provider, document in documents(turn).items():
        whole = decode_response(body(document), provider, streamed=False)
        stream = RENDER[provider](document, size)
        assert comparable(decode_response(stream, provider, streamed=True)) == comparable(whole)
        digests.add(whole.content_digest)
        cut = data.draw(st.integers(0, len(stream) - 3))
        part = decode_response(stream[:cut], provider, streamed=True)
        assert not part.complete
        assert len(part.parts) <= len(whole.parts)
    assert len(digests) == 1


def frame(value: dict[str, Any], provider: str) -> Frame:
    return Decoder().frame(Splitter().split(body(value), provider), provider)


@SETTINGS
@given(turns(), TEXTS)
def test_a_conversation_has_the_same_digests_over_every_provider(
    turn: dict[str, Any], result: str
) -> None:
    turn = {**turn, "text": turn["text"] or "x", "calls": turn["calls"][:1]}
    ask = {"role": "user", "content": "go"}
    chat_results = [
        {"role": "tool", "tool_call_id": at, "content": result} for at, *_ in turn["calls"]
    ]
    blocks = [
        {"type": "tool_result", "tool_use_id": at, "content": [{"type": "text", "text": result}]}
        for at, *_ in turn["calls"]
    ]
    outputs = [
        {"type": "function_call_output", "call_id": at, "output": result}
        for at, *_ in turn["calls"]
    ]
    chat = frame({"messages": [ask, chat_message(turn), *chat_results]}, "openai-chat")
    said = {"role": "assistant", "content": anthropic_blocks(turn)}
    told = [{"role": "user", "content": blocks}] if blocks else []
    other = frame({"messages": [ask, said, *told]}, "anthropic")
    assert [m.content_digest for m in chat.messages] == [m.content_digest for m in other.messages]
    assert [m.role for m in chat.messages] == [m.role for m in other.messages]
    third = frame({"input": [ask, *items(turn), *outputs]}, "openai-responses")
    assert third.messages[0].content_digest == chat.messages[0].content_digest
    assert [m.content_digest for m in third.messages[-len(outputs) :] if outputs] == [
        m.content_digest for m in chat.messages[-len(outputs) :] if outputs
    ]
