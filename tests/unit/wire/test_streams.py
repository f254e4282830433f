"""A stream says what the whole answer says, and a cut stream says how far it came."""

from __future__ import annotations

import re
from typing import Any

import pytest

from groundwire.documents.frame import CallPart, Part, Reasoning, Response, Text
from groundwire.errors import EncodingError
from groundwire.wire.decoder import decode_response
from tests.unit.wire.answers import ALL, ANTHROPIC, CHAT, RESPONSES
from tests.unit.wire.rendering import RENDER, body, comparable, event

CASES = [pytest.param(*case, id=f"{case[0]} {case[1]}") for case in ALL]
ENDS = {
    "openai-chat": [b"[DONE]"],
    "anthropic": [b"message_stop"],
    "openai-responses": [b"response.completed", b"response.incomplete"],
}


@pytest.mark.parametrize(("provider", "_name", "document"), CASES)
@pytest.mark.parametrize("size", [1, 3, 10_000])
def test_a_stream_gives_the_same_response_as_the_whole_answer(
    provider: str, _name: str, document: dict[str, Any], size: int
) -> None:
    whole = decode_response(body(document), provider, streamed=False)
    streamed = decode_response(RENDER[provider](document, size), provider, streamed=True)
    assert comparable(streamed) == comparable(whole)


@pytest.mark.parametrize(
    ("provider", "_name", "document"), [case for case in CASES if "responses" in str(case.id)]
)
def test_the_items_put_together_are_those_of_the_final_event(
    provider: str, _name: str, document: dict[str, Any]
) -> None:
    """Without the final event and the ends of items, the deltas alone hold the same parts."""
    stream = RENDER[provider](document, 3)
    events = [part for part in stream.split(b"\n\n") if part]
    kept = [e for e in events if b"output_item.done" not in e and not _ends(e)]
    cut = decode_response(b"\n\n".join([*kept, b""]), provider, streamed=True)
    whole = decode_response(body(document), provider, streamed=False)
    assert _told(cut) == _told(whole)
    assert not cut.complete


def _told(response: Response) -> list[Part]:
    return [p for p in response.parts if isinstance(p, Text | Reasoning | CallPart)]


def _ends(event_bytes: bytes) -> bool:
    return any(b"event: " + end in event_bytes for end in ENDS["openai-responses"])


@pytest.mark.parametrize(("provider", "_name", "document"), CASES)
def test_a_stream_cut_at_any_byte_is_a_response_that_is_complete_only_at_its_end(
    provider: str, _name: str, document: dict[str, Any]
) -> None:
    stream = RENDER[provider](document, 7)
    last = stream.rstrip(b"\n")
    for cut in {*range(0, len(stream), 29), *range(len(stream) - 60, len(stream) + 1)}:
        response = decode_response(stream[:cut], provider, streamed=True)
        assert response.complete == (cut >= len(last)), cut
        assert response.error is None


def test_a_cut_call_keeps_the_text_of_its_arguments() -> None:
    stream = RENDER["anthropic"](ANTHROPIC["calls"], 3)
    third = [found.end() for found in re.finditer(rb'"partial_json":"[^}]*}}\n\n', stream)][2]
    response = decode_response(stream[:third], "anthropic", streamed=True)
    calls = [part.call for part in response.parts if isinstance(part, CallPart)]
    assert [(call.id, call.arguments) for call in calls] == [("toolu_a", '{"pump')]


def test_text_cut_between_the_halves_of_a_surrogate_pair_is_put_together() -> None:
    def chunk(text: str) -> bytes:
        return (
            b'data: {"id":"c","model":"m","choices":[{"index":0,"delta":{"content":"'
            + text.encode()
            + b'"}}]}\n\n'
        )

    stream = chunk("a\\ud83d") + chunk("\\ude00b") + b"data: [DONE]\n\n"
    response = decode_response(stream, "openai-chat", streamed=True)
    assert response.parts == (Text("a😀b"),)


def test_a_lone_surrogate_reads_as_the_replacement_character() -> None:
    stream = b'data: {"choices":[{"index":0,"delta":{"content":"a\\ud83d b"}}]}\n\ndata: [DONE]\n\n'
    response = decode_response(stream, "openai-chat", streamed=True)
    assert response.parts == (Text("a\ufffd b"),)


def test_arguments_of_calls_without_an_index_are_told_apart_by_their_ids() -> None:
    def chunk(call: dict[str, Any]) -> bytes:
        return event({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]})

    stream = b"".join(
        [
            chunk({"id": "a", "function": {"name": "f", "arguments": '{"x"'}}),
            chunk({"function": {"arguments": ":1}"}}),
            chunk({"id": "b", "function": {"name": "g", "arguments": "{}"}}),
            b"data: [DONE]\n\n",
        ]
    )
    response = decode_response(stream, "openai-chat", streamed=True)
    calls = [part.call for part in response.parts if isinstance(part, CallPart)]
    assert [(c.id, c.name, c.arguments) for c in calls] == [
        ("a", "f", '{"x":1}'),
        ("b", "g", "{}"),
    ]


def test_an_error_event_is_the_error_of_a_response_that_keeps_what_came_before() -> None:
    begun = RENDER["anthropic"](ANTHROPIC["text"], 5)[:-200]
    begun = begun[: begun.rindex(b"\n\n") + 2]
    failed = event(
        {"type": "error", "error": {"type": "overloaded_error", "message": "Try later"}}, "error"
    )
    response = decode_response(begun + failed, "anthropic", streamed=True)
    assert response.error == "overloaded_error: Try later"
    assert not response.complete
    assert response.parts


def test_error_events_of_the_other_protocols_are_errors_too() -> None:
    chat = event({"error": {"message": "No such tool", "type": "invalid_request_error"}}, "error")
    response = decode_response(chat, "openai-chat", streamed=True)
    assert response.error == "invalid_request_error: No such tool"
    other = event({"type": "error", "code": "server_error", "message": "Sorry"}, "error")
    response = decode_response(other, "openai-responses", streamed=True)
    assert response.error is not None
    assert "Sorry" in response.error
    failed = dict(RESPONSES["text"], status="failed", error={"code": "x", "message": "Sorry"})
    response = decode_response(
        RENDER["openai-responses"](failed), "openai-responses", streamed=True
    )
    assert (response.complete, response.stop, response.error) == (True, "failed", "x: Sorry")


def test_a_final_event_without_its_output_does_not_hide_the_items() -> None:
    """Some gateways send the items and then a final response whose output is empty."""
    stream = RENDER["openai-responses"](RESPONSES["calls"])
    whole = body(RESPONSES["calls"])
    assert whole in stream
    stream = stream.replace(whole, body({**RESPONSES["calls"], "output": []}))
    response = decode_response(stream, "openai-responses", streamed=True)
    assert [p.call.id for p in response.parts if isinstance(p, CallPart)] == ["call_a", "call_b"]


def test_events_that_nobody_understands_are_listed() -> None:
    stream = RENDER["anthropic"](ANTHROPIC["text"])
    strange = event({"type": "hologram_delta", "beam": 1}, "hologram_delta") + event("not json")
    response = decode_response(strange + stream, "anthropic", streamed=True)
    assert {"/events/0", "/events/1"} <= set(response.opaque)
    assert response.complete


def test_an_unknown_delta_is_listed_with_its_block() -> None:
    stream = (
        event({"type": "content_block_start", "index": 0, "content_block": {"type": "text"}})
        + event(
            {
                "type": "content_block_delta",
                "index": 0,
                "delta": {"type": "text_delta", "text": "hi", "tone": "warm"},
            }
        )
        + event({"type": "message_stop"})
    )
    response = decode_response(stream, "anthropic", streamed=True)
    assert response.parts == (Text("hi"),)
    assert "/content/0/tone" in response.opaque


@pytest.mark.parametrize("provider", ["openai-chat", "anthropic", "openai-responses"])
def test_an_empty_stream_is_an_incomplete_response(provider: str) -> None:
    response = decode_response(b"", provider, streamed=True)
    assert (response.parts, response.complete, response.error) == ((), False, None)


@pytest.mark.parametrize("text", [b"<html>502</html>", b"method=POST path=/x", b"upstream died\n"])
def test_a_body_that_is_no_stream_says_so(text: bytes) -> None:
    with pytest.raises(EncodingError) as caught:
        decode_response(text, "openai-chat", streamed=True)
    assert caught.value.reason == "not-a-stream"


def test_an_error_document_sent_in_place_of_a_stream_is_read_as_a_document() -> None:
    refused = body({"error": {"message": "Slow down", "type": "rate_limit"}})
    response = decode_response(refused, "openai-chat", streamed=True)
    assert (response.error, response.complete) == ("rate_limit: Slow down", True)


def test_a_stream_announced_as_something_else_is_read_as_a_stream() -> None:
    stream = RENDER["openai-chat"](CHAT["text"])
    assert decode_response(stream, "openai-chat", streamed=False).complete


def test_the_order_of_reasoning_and_text_in_blocks_survives_streaming() -> None:
    def chunk(content: Any) -> bytes:
        return event({"choices": [{"index": 0, "delta": {"content": content}}]})

    def thought(text: str) -> list[dict[str, Any]]:
        return [{"type": "thinking", "thinking": [{"type": "text", "text": text}]}]

    stream = chunk(thought("one ")) + chunk(thought("two")) + chunk("Done") + chunk(".")
    response = decode_response(stream + b"data: [DONE]\n\n", "openai-chat", streamed=True)
    assert response.parts == (Reasoning("one two"), Text("Done."))


def test_a_tool_the_provider_ran_is_one_call_however_often_its_state_is_sent() -> None:
    def chunk(*ran: dict[str, Any]) -> bytes:
        return event({"choices": [{"index": 0, "delta": {"executed_tools": list(ran)}}]})

    call = {"index": 0, "type": "search", "arguments": "{}"}
    stream = chunk(call) + chunk({**call, "output": "found"}) + chunk({**call, "index": 1})
    response = decode_response(stream + b"data: [DONE]\n\n", "openai-chat", streamed=True)
    kinds = [type(part).__name__ for part in response.parts]
    assert kinds == ["CallPart", "ResultPart", "CallPart"]
