"""A chat stream says the same whether it is read in one go or event by event."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.documents.frame import Response
from groundwire.wire.decoder import decode_response, read_events
from groundwire.wire.openai_chat_stream_plain import read_plain_stream

DONE = b"data: [DONE]\n\n"
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=4) | st.sampled_from(
    ["", '"', "\n\ndata: ", '{"a": 1}']
)
FUNCTIONS = st.fixed_dictionaries({}, optional={"name": TEXTS, "arguments": TEXTS})
CALLS = st.fixed_dictionaries(
    {"index": st.integers(0, 2), "function": FUNCTIONS},
    optional={"id": TEXTS | st.none(), "type": st.sampled_from(["function", "custom"])},
)
BEGINNINGS = st.fixed_dictionaries(
    {
        "index": st.integers(0, 1),
        "id": st.sampled_from(["call_1", ""]),
        "type": st.just("function"),
        "function": st.fixed_dictionaries({"name": st.just("look"), "arguments": TEXTS}),
    }
)
GOING_ON = st.fixed_dictionaries(
    {
        "index": st.integers(0, 1),
        "function": st.fixed_dictionaries({"arguments": TEXTS}),
    }
)
DELTAS = st.fixed_dictionaries(
    {},
    optional={
        "role": st.sampled_from(["assistant", None, "user"]),
        "content": TEXTS | st.none(),
        "refusal": st.none() | TEXTS,
        "tool_calls": st.lists(CALLS | BEGINNINGS | GOING_ON, max_size=2) | st.none(),
    },
)
PLAIN_DELTAS = st.fixed_dictionaries(
    {"content": TEXTS | st.none()},
    optional={"tool_calls": st.lists(BEGINNINGS | GOING_ON, max_size=1)},
)
CHOICES = st.fixed_dictionaries(
    {"index": st.sampled_from([0, 0, 0, 1]), "delta": DELTAS | PLAIN_DELTAS},
    optional={
        "finish_reason": st.sampled_from([None, "stop", ""]),
        "logprobs": st.none() | st.just({"content": []}),
    },
)
USAGES = st.sampled_from(
    [None, 3, {}, {"prompt_tokens": 3, "details": {"created": 1, "words": "a"}, "words": "b"}]
)
OUTER = {
    "id": st.just("chatcmpl-1"),
    "object": st.just("chat.completion.chunk"),
    "model": st.just("m"),
}
MORE = {
    "created": st.sampled_from([0, 1, 1.0]),
    "service_tier": st.sampled_from([None, "default", ""]),
    "system_fingerprint": st.sampled_from([None, "fp_1", ""]),
    "obfuscation": st.sampled_from(["x", "xy", ""]),
}


@st.composite
def streams(draw: st.DrawFn) -> bytes:
    """Chunks that mostly agree in what stands around their choices, as one body."""
    outer = draw(st.fixed_dictionaries(OUTER, optional=MORE).map(lambda said: list(said.items())))
    outer = draw(st.permutations(outer))
    events = []
    for _ in range(draw(st.integers(1, 4))):
        chunk: dict[str, Any] = dict(outer)
        chunk["choices"] = draw(st.lists(CHOICES, max_size=2))
        chunk |= draw(st.fixed_dictionaries({}, optional={"usage": USAGES}))
        if draw(st.integers(0, 9)) == 0:
            chunk |= draw(st.fixed_dictionaries({}, optional=MORE | {"id": TEXTS, "x": TEXTS}))
        separators = draw(st.sampled_from([(",", ":"), (",", ":"), (", ", ": ")]))
        ascii_only = draw(st.booleans())
        events.append(json.dumps(chunk, separators=separators, ensure_ascii=ascii_only).encode())
    return b"".join(b"data: %b\n\n" % event for event in events) + DONE


@settings(deadline=None, max_examples=400)
@given(streams())
def test_a_stream_is_read_alike_in_one_go_and_event_by_event(body: bytes) -> None:
    assert decode_response(body, "openai-chat", streamed=True) == read_events(body, "openai-chat")


def chunk(delta: bytes, rest: bytes = b"") -> bytes:
    return (
        b'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":'
        b'[{"index":0,"delta":%b,"finish_reason":null}]%b}\n\n' % (delta, rest)
    )


def call(index: int) -> bytes:
    return chunk(
        b'{"tool_calls":[{"index":%d,"id":"a","type":"function","function":'
        b'{"name":"look","arguments":"{}"}}]}' % index
    )


def read(body: bytes) -> Response:
    """The answer of a stream that is plain."""
    answer = read_plain_stream(body)
    assert answer is not None
    response = answer.response("openai-chat", complete=True)
    assert response == read_events(body, "openai-chat")
    return response


def test_streams_of_a_text_and_of_calls_are_plain() -> None:
    begins = (
        b'{"tool_calls":[{"index":0,"id":"a","type":"function","function":'
        b'{"name":"look","arguments":""}}]}'
    )
    goes_on = b'{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}'
    usage = (
        b'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[],'
        b'"usage":{"prompt_tokens":4}}\n\n'
    )
    said = chunk(b'{"role":"assistant","content":"so "}') + chunk(b'{"content":"it is"}')
    response = read(said + chunk(begins) + chunk(goes_on) + usage + DONE)
    assert [type(part).__name__ for part in response.parts] == ["Text", "CallPart"]
    assert response.usage == {"prompt_tokens": 4}
    assert response.opaque == ("/created",)


def test_a_stream_that_is_cut_or_says_more_is_not_plain() -> None:
    text = chunk(b'{"content":"a"}')
    for body in (
        text,
        text + DONE + text,
        text + DONE.replace(b"DONE", b"GONE"),
        b": hello\n\n" + text + DONE,
        text + chunk(b'{"reasoning":"b"}') + DONE,
        text + chunk(b'{"content":"a"}', b',"error":{}') + DONE,
        text + chunk(b'{"content":"a","content":"b"}') + DONE,
        text + text.replace(b'"m"', b'"n"') + DONE,
        chunk(b'{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}') + DONE,
        call(0) + call(0) + DONE,
        call(1) + DONE,
        call(0).replace(b'"id":"a",', b"") + DONE,
        chunk(b'{"content":"a"}', b',"usage":{"created":1}') + DONE,
    ):
        assert read_plain_stream(body) is None
