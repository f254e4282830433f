"""What a client sends back has the digest that the answer had, with the SDKs' own serialisation."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import anthropic
import httpx2
import openai
import pytest

from groundwire.documents.frame import Frame, Response
from groundwire.wire.decoder import Decoder, decode_response
from groundwire.wire.split import Splitter
from tests.unit.wire.answers import ANTHROPIC, CHAT, RESPONSES
from tests.unit.wire.rendering import RENDER, body

ASK: dict[str, Any] = {"role": "user", "content": "How warm is pump 4?"}


class Exchange:
    """A transport that answers everything with one answer and keeps the last body sent."""

    def __init__(self, answer: bytes, content_type: str) -> None:
        self.sent = b""
        self._answer = answer
        self._type = content_type

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.sent = request.content
        return httpx2.Response(200, content=self._answer, headers={"content-type": self._type})


def openai_client(exchange: Exchange) -> openai.OpenAI:
    http = openai.DefaultHttpxClient(transport=httpx2.MockTransport(exchange))
    return openai.OpenAI(api_key="none", base_url="http://provider.test/v1", http_client=http)


def anthropic_client(exchange: Exchange) -> anthropic.Anthropic:
    http = anthropic.DefaultHttpxClient(transport=httpx2.MockTransport(exchange))
    return anthropic.Anthropic(api_key="none", base_url="http://provider.test", http_client=http)


def frame_of(sent: bytes, provider: str) -> Frame:
    return Decoder().frame(Splitter().split(sent, provider), provider)


def chat_again(document: dict[str, Any], shape: Callable[[Any], Any]) -> tuple[Response, Frame]:
    answer = body(document)
    exchange = Exchange(answer, "application/json")
    client = openai_client(exchange)
    done = client.chat.completions.create(model="small-1", messages=[ASK])
    message = shape(done.choices[0].message)
    client.chat.completions.create(model="small-1", messages=[ASK, message])
    response = decode_response(answer, "openai-chat", streamed=False)
    return response, frame_of(exchange.sent, "openai-chat")


@pytest.mark.parametrize("name", CHAT)
@pytest.mark.parametrize(
    "shape",
    [
        pytest.param(lambda message: message, id="the object"),
        pytest.param(lambda message: message.model_dump(exclude_none=True), id="without nulls"),
        pytest.param(lambda message: message.model_dump(), id="with nulls"),
    ],
)
def test_a_chat_answer_comes_back_with_its_digest(name: str, shape: Callable[[Any], Any]) -> None:
    response, frame = chat_again(CHAT[name], shape)
    assert [message.role for message in frame.messages] == ["user", "assistant"]
    assert frame.messages[1].content_digest == response.content_digest


def test_a_streamed_chat_answer_put_together_by_the_sdk_comes_back_with_its_digest() -> None:
    functions = copy.deepcopy(CHAT["calls"])
    functions["choices"][0]["message"]["tool_calls"].pop()  # this SDK cannot stream custom calls
    for document in (CHAT["text"], functions):
        stream = RENDER["openai-chat"](document)
        exchange = Exchange(stream, "text/event-stream")
        client = openai_client(exchange)
        with client.chat.completions.stream(model="small-1", messages=[ASK]) as events:
            for _ in events:
                pass
            message = events.get_final_completion().choices[0].message
        given = message.to_dict(exclude_none=True)
        client.chat.completions.create(model="small-1", messages=[ASK, given])  # type: ignore[list-item]  # a message as a plain dict
        response = decode_response(stream, "openai-chat", streamed=True)
        frame = frame_of(exchange.sent, "openai-chat")
        assert frame.messages[1].content_digest == response.content_digest


@pytest.mark.parametrize("name", ANTHROPIC)
def test_an_anthropic_answer_comes_back_with_its_digest(name: str) -> None:
    answer = body(ANTHROPIC[name])
    exchange = Exchange(answer, "application/json")
    client = anthropic_client(exchange)
    asked: dict[str, Any] = {"model": "claude-small", "max_tokens": 9}
    done = client.beta.messages.create(messages=[ASK], **asked)
    client.beta.messages.create(
        messages=[ASK, {"role": "assistant", "content": done.content}], **asked
    )
    response = decode_response(answer, "anthropic", streamed=False)
    frame = frame_of(exchange.sent, "anthropic")
    assert frame.messages[1].content_digest == response.content_digest


def test_a_streamed_anthropic_answer_put_together_by_the_sdk_comes_back_with_its_digest() -> None:
    for document in (ANTHROPIC["text"], ANTHROPIC["calls"]):
        stream = RENDER["anthropic"](document)
        exchange = Exchange(stream, "text/event-stream")
        client = anthropic_client(exchange)
        with client.messages.stream(model="m", max_tokens=9, messages=[ASK]) as events:
            content = events.get_final_message().content
        with client.messages.stream(
            model="m", max_tokens=9, messages=[ASK, {"role": "assistant", "content": content}]
        ) as events:
            events.until_done()
        response = decode_response(stream, "anthropic", streamed=True)
        frame = frame_of(exchange.sent, "anthropic")
        assert frame.messages[1].content_digest == response.content_digest


def test_an_answer_whose_thinking_the_client_left_out_still_has_its_digest() -> None:
    document = ANTHROPIC["calls"]
    response = decode_response(body(document), "anthropic", streamed=False)
    kept = [block for block in document["content"] if "thinking" not in block["type"]]
    sent = body({"messages": [ASK, {"role": "assistant", "content": kept}]})
    assert frame_of(sent, "anthropic").messages[1].content_digest == response.content_digest


@pytest.mark.parametrize("name", RESPONSES)
@pytest.mark.parametrize("streamed", [False, True])
def test_the_items_of_a_response_come_back_with_their_digests(name: str, streamed: bool) -> None:
    document = RESPONSES[name]
    answer = RENDER["openai-responses"](document) if streamed else body(document)
    exchange = Exchange(answer, "text/event-stream" if streamed else "application/json")
    client = openai_client(exchange)
    if streamed:
        events = list(client.responses.create(model="small-1", input=[ASK], stream=True))
        output = events[-1].response.output  # type: ignore[union-attr]  # the final event
    else:
        output = client.responses.create(model="small-1", input=[ASK]).output
    again = client.responses.with_streaming_response
    with again.create(model="small-1", input=[ASK, *output]):  # type: ignore[list-item]  # output items are input items
        pass
    response = decode_response(answer, "openai-responses", streamed=streamed)
    frame = frame_of(exchange.sent, "openai-responses")
    digests = tuple(message.content_digest for message in frame.messages[1:])
    assert digests == response.item_digests


def test_the_text_of_a_response_sent_back_as_a_message_has_the_digest_of_the_response() -> None:
    response = decode_response(body(RESPONSES["text"]), "openai-responses", streamed=False)
    said = {"role": "assistant", "content": "Pump 4 is at 61 °C 😀."}
    frame = frame_of(body({"input": [ASK, said]}), "openai-responses")
    assert frame.messages[1].content_digest == response.content_digest


def test_a_spoken_answer_comes_back_by_its_id_with_its_digest() -> None:
    audio = {"id": "audio_1", "data": "AAAA", "transcript": "Sixty-one.", "expires_at": 9}
    message = {"role": "assistant", "content": None, "audio": audio}
    document = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    response = decode_response(body(document), "openai-chat", streamed=False)
    again = {"role": "assistant", "audio": {"id": "audio_1"}}
    frame = frame_of(body({"messages": [ASK, again]}), "openai-chat")
    assert frame.messages[1].content_digest == response.content_digest
    assert "Sixty-one." in str(response.parts)
