"""The stand-in provider: the real SDKs read it, and it says the same thing every time."""

from __future__ import annotations

import http.client
import subprocess
import sys
import threading
from typing import Any

import anthropic
import msgspec
import openai
import pytest

from groundwire.testing.standin import StandIn
from groundwire.testing.turns import Answer, Call, Failure, Gate, Hangup, Turn

SPOKEN = 'Ventil „V-17“ steht still.\nSay "open" 🙂 to it.'
CALLS = (Call("lookup", '{"name": "V-17", "depth": 2}'), Call("restart", "{}", "call_of_my_own"))
TURN = Turn(text=SPOKEN, calls=CALLS, reasoning="The valve is named above.", piece=7)
PATHS = ("/v1/chat/completions", "/v1/responses", "/v1/messages")
MESSAGES: Any = [{"role": "user", "content": "Which?"}]


def posted(standin: StandIn, path: str, body: bytes, **headers: str) -> tuple[int, Any, bytes]:
    """Status, headers and body of one request, without any SDK."""
    connection = http.client.HTTPConnection(standin.url.removeprefix("http://"), timeout=20)
    try:
        connection.request("POST", path, body, {"content-type": "application/json", **headers})
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


def asked(*, stream: bool = False) -> bytes:
    options = {"include_usage": True}
    return msgspec.json.encode({"model": "m-1", "stream": stream, "stream_options": options})


def chat(standin: StandIn) -> openai.OpenAI:
    given: Any = {"api_key": "unused", "max_retries": 0, "_strict_response_validation": True}
    return openai.OpenAI(base_url=f"{standin.url}/v1", **given)


def claude(standin: StandIn) -> anthropic.Anthropic:
    given: Any = {"api_key": "unused", "max_retries": 0, "_strict_response_validation": True}
    return anthropic.Anthropic(base_url=standin.url, **given)


def test_the_openai_sdk_reads_a_chat_completion_the_same_streamed_or_not():
    with StandIn([TURN, TURN]) as standin, chat(standin) as client:
        whole = client.chat.completions.create(model="m-1", messages=MESSAGES).choices[0]
        with client.chat.completions.stream(model="m-1", messages=MESSAGES) as stream:
            streamed = stream.get_final_completion().choices[0]
    for choice in (whole, streamed):
        assert choice.finish_reason == "tool_calls"
        assert choice.message.content == SPOKEN
        calls: Any = choice.message.tool_calls
        assert [(call.function.name, call.function.arguments) for call in calls] == [
            (call.name, call.arguments) for call in CALLS
        ]
        assert calls[1].id == "call_of_my_own"


def test_the_usage_chunk_comes_only_where_it_was_asked_for():
    with StandIn([TURN] * 2) as standin, chat(standin) as client:
        create: Any = client.chat.completions.create
        plain = list(create(model="m-1", messages=MESSAGES, stream=True))
        options = {"include_usage": True}
        counted = list(create(model="m-1", messages=MESSAGES, stream=True, stream_options=options))
        client.close()
    assert [chunk.usage for chunk in plain] == [None] * len(plain)
    assert counted[-1].choices == []
    assert counted[-1].usage.total_tokens > 0
    assert len(counted) == len(plain) + 1


def test_the_openai_sdk_reads_a_response_the_same_streamed_or_not():
    with StandIn([TURN, TURN]) as standin, chat(standin) as client:
        whole = client.responses.create(model="m-1", input="Which?")
        with client.responses.stream(model="m-1", input="Which?") as stream:
            numbers = [event.sequence_number for event in stream]
            streamed = stream.get_final_response()
    assert numbers == list(range(len(numbers)))
    for response in (whole, streamed):
        assert response.status == "completed"
        assert response.output_text == SPOKEN
        assert [item.type for item in response.output] == [
            "reasoning",
            "message",
            "function_call",
            "function_call",
        ]
        last: Any = response.output[-1]
        assert (last.call_id, last.name, last.arguments) == ("call_of_my_own", "restart", "{}")


def test_the_anthropic_sdk_reads_a_message_the_same_streamed_or_not():
    with StandIn([TURN, TURN]) as standin, claude(standin) as client:
        named: Any = {"model": "m-1", "max_tokens": 9, "messages": MESSAGES}
        whole = client.messages.create(**named)
        with client.messages.stream(**named) as stream:
            streamed = stream.get_final_message()
    for message in (whole, streamed):
        thinking, text, first, second = message.content
        assert thinking.type == "thinking"
        assert thinking.thinking == TURN.reasoning
        assert text.type == "text"
        assert text.text == SPOKEN
        assert first.type == second.type == "tool_use"
        assert (first.name, first.input) == ("lookup", {"name": "V-17", "depth": 2})
        assert (second.id, second.input) == ("call_of_my_own", {})
        assert message.stop_reason == "tool_use"
        assert message.usage.output_tokens == whole.usage.output_tokens


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("stream", [False, True])
def test_the_same_request_gets_the_same_bytes_in_every_run(path, stream):
    replies = []
    for _ in range(2):
        with StandIn([TURN, TURN]) as standin:
            replies.append([posted(standin, path, asked(stream=stream))[2] for _ in range(2)])
            assert [received.replied for received in standin.requests] == replies[-1]
    assert replies[0] == replies[1]
    assert replies[0][0] != replies[0][1], "a repeated request has its own identifiers"


def test_arguments_stand_in_a_message_as_the_text_they_are():
    odd = '{"b":1,  "a": 1.50, "big": 123456789012345678901}'
    with StandIn([Turn(calls=(Call("lookup", odd),))]) as standin:
        _status, _headers, body = posted(standin, "/v1/messages", asked())
    assert odd.encode() in body


def test_streams_end_with_the_protocols_own_terminator():
    ends = (b"data: [DONE]\n\n", b"", b'event: message_stop\ndata: {"type":"message_stop"}\n\n')
    with StandIn([TURN] * 3) as standin:
        for path, end in zip(PATHS, ends, strict=True):
            _status, headers, body = posted(standin, path, asked(stream=True))
            assert headers["content-type"] == "text/event-stream; charset=utf-8"
            assert body.endswith(end)
    assert b"event: response.completed\n" in standin.requests[1].replied


def test_longer_paths_and_queries_are_served():
    with StandIn([TURN]) as standin:
        path = "/openai/deployments/desk/chat/completions?api-version=1"
        assert posted(standin, path, asked())[0] == 200


@pytest.mark.parametrize(
    ("body", "path", "status"),
    [(b"{", PATHS[0], 400), (b"[]", PATHS[2], 400), (b"{}", "/v1/embeddings", 404)],
)
def test_what_is_not_served_gets_an_error_document(body, path, status):
    with StandIn([TURN]) as standin:
        got, _headers, answer = posted(standin, path, body)
    assert got == status
    assert msgspec.json.decode(answer)["error"]["message"]


def test_failures_are_the_sdks_own_errors_and_say_when_to_come_again():
    script = [Failure(retry_after="7"), Failure(status=529), Failure(status=400, message="No.")]
    with StandIn(script) as standin, claude(standin) as client:
        named: Any = {"model": "m-1", "max_tokens": 9, "messages": MESSAGES}
        with pytest.raises(anthropic.RateLimitError) as limited:
            client.messages.create(**named)
        with pytest.raises(anthropic.InternalServerError) as overloaded:
            client.messages.create(**named)
        with pytest.raises(anthropic.BadRequestError, match="No"):
            client.messages.create(**named)
    assert limited.value.response.headers["retry-after"] == "7"
    body: Any = overloaded.value.body
    assert body["error"]["type"] == "overloaded_error"


@pytest.mark.parametrize("size", [0, 1, 57, 100_000])
def test_a_cut_stream_breaks_off_after_exactly_so_many_bytes(size):
    with StandIn([TURN, Turn(text=SPOKEN, cut_after=size)]) as standin:
        whole = posted(standin, PATHS[0], asked(stream=True))[2]
        with pytest.raises(http.client.IncompleteRead) as caught:
            posted(standin, PATHS[0], asked(stream=True))
    received = standin.requests[1].replied
    assert caught.value.partial == received
    assert len(received) == min(size, len(received))
    assert size > 1000 or len(received) == size
    assert whole


def test_a_hangup_sends_nothing():
    with StandIn([Hangup()]) as standin, pytest.raises(http.client.RemoteDisconnected):
        posted(standin, PATHS[0], asked())


def test_a_gate_lets_events_out_one_by_one():
    gate = Gate()
    with StandIn([Turn(text=SPOKEN, gate=gate, piece=4)]) as standin, chat(standin) as client:
        stream = client.chat.completions.create(model="m-1", messages=MESSAGES, stream=True)
        for number in range(1, 4):
            gate.allow()
            next(iter(stream))
            assert len(standin.requests[0].pieces) == number
        gate.open()
        assert len(list(stream)) > 2


def test_closing_lets_go_of_a_stream_that_is_held_back():
    asked_for = threading.Event()

    def answer(_request: dict[str, object]) -> Answer:
        asked_for.set()
        return Turn(text=SPOKEN, gate=Gate())

    with StandIn(answer) as standin:
        reader = threading.Thread(target=_ignoring, args=(standin,))
        reader.start()
        assert asked_for.wait(10)
    reader.join(10)
    assert not reader.is_alive()


def _ignoring(standin: StandIn) -> None:
    try:
        posted(standin, PATHS[0], asked(stream=True))
    except (http.client.HTTPException, OSError):
        return


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd"])
def test_coding_is_applied_only_where_it_is_accepted(coding):
    turn = Turn(text=SPOKEN, coding=coding)
    with StandIn([turn, turn]) as standin:
        accepted = {"accept-encoding": f"identity, {coding}"}
        assert posted(standin, PATHS[0], asked(), **accepted)[1]["content-encoding"] == coding
        assert posted(standin, PATHS[0], asked())[1]["content-encoding"] is None


def test_a_script_may_answer_by_what_is_asked():
    def answer(request: dict[str, object]) -> Answer:
        return Turn(text=f"You are {request['model']}.")

    with StandIn(answer) as standin:
        assert b"You are m-1." in posted(standin, PATHS[0], asked())[2]


def test_a_script_with_no_answer_left_fails_the_request_and_the_test():
    standin = StandIn([TURN]).__enter__()
    posted(standin, PATHS[0], asked())
    status, headers, _body = posted(standin, PATHS[0], asked())
    assert status == 500
    assert headers["x-should-retry"] == "false"
    with pytest.raises(LookupError, match="has 1 answers"):
        standin.__exit__(None, None, None)


def test_a_script_that_raises_fails_the_request_and_the_test():
    def broken(_request: dict[str, object]) -> Answer:
        raise ZeroDivisionError

    standin = StandIn(broken).__enter__()
    assert posted(standin, PATHS[2], asked())[0] == 500
    with pytest.raises(ZeroDivisionError):
        standin.__exit__(None, None, None)


NEVER_LEFT = """
import http.client
from groundwire.testing.standin import StandIn
from groundwire.testing.turns import Turn
here = StandIn([Turn(text="a")]).__enter__()
open_still = http.client.HTTPConnection(here.url.removeprefix("http://"), timeout=20)
open_still.request("POST", "/v1/messages", b"{}")
open_still.getresponse().read()
print("done")
"""


def test_a_stand_in_that_nobody_leaves_does_not_keep_the_interpreter() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", NEVER_LEFT], check=True, timeout=15, capture_output=True
    )
    assert (ended.stdout, ended.stderr) == (b"done\n", b"")


def test_no_thread_of_a_stand_in_outlives_it() -> None:
    before = set(threading.enumerate())
    with StandIn([Turn(text="a"), Turn(text="b")]) as standin:
        connection = http.client.HTTPConnection(standin.url.removeprefix("http://"), timeout=20)
        connection.request("POST", "/v1/messages", b"{}")
        connection.getresponse().read()
        assert set(threading.enumerate()) - before
    assert set(threading.enumerate()) - before == set()
    connection.close()
