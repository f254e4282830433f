"""Messages of Anthropic: every kind of block."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from groundwire.canon.digest import sha256
from groundwire.documents.call import ToolCall
from groundwire.documents.frame import (
    CallPart,
    Media,
    Opaque,
    Part,
    Reasoning,
    Response,
    ResultPart,
    Text,
)
from groundwire.errors import EncodingError
from groundwire.wire.anthropic import read_message
from groundwire.wire.decoder import decode_response
from groundwire.wire.reading import Read
from tests.unit.wire.answers import ANTHROPIC
from tests.unit.wire.rendering import body

PICTURE = base64.b64encode(b"picture").decode()


def read(content: Any, role: str = "user") -> Read:
    return read_message(body({"role": role, "content": content}))


def parts(content: Any, role: str = "user") -> tuple[Part, ...]:
    return read(content, role).message.parts


def answer(value: Any) -> Response:
    return decode_response(body(value), "anthropic", streamed=False)


def test_content_as_text_or_blocks() -> None:
    assert parts("hi") == parts([{"type": "text", "text": "hi"}]) == (Text("hi"),)


def test_results_as_text_as_blocks_or_absent() -> None:
    result = {"type": "tool_result", "tool_use_id": "t"}
    assert parts([{**result, "content": "61"}]) == (ResultPart("t", "61"),)
    assert parts([result]) == (ResultPart("t", ""),)
    failed = {**result, "content": [{"type": "text", "text": "no"}], "is_error": True}
    assert parts([failed]) == (ResultPart("t", "no", is_error=True),)
    source = {"type": "base64", "media_type": "image/png", "data": PICTURE}
    mixed = [
        {"type": "text", "text": "a"},
        {"type": "image", "source": source},
        {"type": "tool_reference", "tool_name": "f"},
        {"type": "text", "text": "b"},
    ]
    assert parts([{**result, "content": mixed}]) == (
        ResultPart("t", "a\nb", opaque=2),
        Media("image/png", sha256(b"picture"), 7),
        Opaque("tool_reference", '{"type":"tool_reference","tool_name":"f"}'),
    )


def test_a_user_message_of_nothing_but_results_is_the_tools() -> None:
    result = {"type": "tool_result", "tool_use_id": "t", "content": "1"}
    assert read([result, result]).message.role == "tool"
    assert read([result, {"type": "text", "text": "and?"}]).message.role == "user"
    assert read([]).message.role == "user"
    assert read([result], role="assistant").message.role == "assistant"
    assert read("x", role="system").message.role == "system"


def test_calls_keep_the_exact_text_of_their_input() -> None:
    raw = b'{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{ "a" :1.0}}]}'
    assert read_message(raw).message.parts == (
        CallPart(ToolCall(id="t", name="f", arguments='{ "a" :1.0}')),
    )


def test_thinking_is_reasoning_and_its_signature_is_listed() -> None:
    block = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
    found = read([block, {"type": "redacted_thinking", "data": "eA=="}], "assistant")
    assert found.message.parts[0] == Reasoning("hm")
    assert isinstance(found.message.parts[1], Opaque)
    assert found.unread == ("/content/0/signature", "/content/1")


def test_documents_of_every_source() -> None:
    def document(**source: Any) -> dict[str, Any]:
        return {"type": "document", "source": source, "title": "Manual"}

    blocks = [
        document(type="base64", media_type="application/pdf", data=PICTURE),
        document(type="text", media_type="text/plain", data="plain"),
        document(type="url", url="https://a.test/x.pdf"),
        document(type="content", content=[{"type": "text", "text": "inner"}]),
        document(type="file", file_id="file_1"),
        {"type": "image", "source": {"type": "url", "url": "https://a.test/x.png"}},
        {
            "type": "search_result",
            "source": "s",
            "title": "t",
            "content": [{"type": "text", "text": "found"}],
        },
    ]
    found = read(blocks)
    assert found.message.parts == (
        Media("application/pdf", sha256(b"picture"), 7),
        Text("plain"),
        Media("application/octet-stream", sha256(b"https://a.test/x.pdf"), 0),
        Text("inner"),
        Opaque("document", body(blocks[4]).decode()),
        Media("image/*", sha256(b"https://a.test/x.png"), 0),
        Text("found"),
    )
    assert found.unread == (
        "/content/0/title",
        "/content/1/title",
        "/content/2/title",
        "/content/3/title",
        "/content/4",
        "/content/6/source",
        "/content/6/title",
    )


def test_tools_the_provider_runs() -> None:
    response = answer(ANTHROPIC["provider tools"])
    calls = [part.call for part in response.parts if isinstance(part, CallPart)]
    assert [(call.id, call.name, call.executed_by) for call in calls] == [
        ("srvtoolu_a", "web_search", "provider"),
        ("mcptoolu_a", "find_part", "provider"),
    ]
    results = [part for part in response.parts if isinstance(part, ResultPart)]
    assert results == [
        ResultPart(
            "srvtoolu_a",
            "Manual of pump 4\nhttps://pumps.example/4",
            opaque=1,
            executed_by="provider",
        ),
        ResultPart("mcptoolu_a", "seal-9: 3 in stock", executed_by="provider"),
        ResultPart("srvtoolu_b", "42\n", opaque=1, executed_by="provider"),
    ]
    kinds = [part.kind for part in response.parts if isinstance(part, Opaque)]
    assert kinds == ["web_search_result", "bash_code_execution_result", "container_upload"]
    assert response.usage["server_tool_use.web"] == 1


def test_a_failed_tool_of_the_provider_is_an_error() -> None:
    content = {"type": "web_fetch_tool_result_error", "error_code": "unavailable"}
    block = {"type": "web_fetch_tool_result", "tool_use_id": "s", "content": content}
    assert parts([block], "assistant")[0] == ResultPart(
        "s", "", is_error=True, opaque=1, executed_by="provider"
    )


def test_the_text_of_a_fetched_page_is_read() -> None:
    page = {"type": "text", "media_type": "text/plain", "data": "The page."}
    document = {"type": "document", "source": page, "title": "A page"}
    content = {"type": "web_fetch_result", "url": "https://a.test", "content": document}
    block = {"type": "web_fetch_tool_result", "tool_use_id": "s", "content": content}
    result = parts([block], "assistant")[0]
    assert isinstance(result, ResultPart)
    assert result.text == "https://a.test\nA page\nThe page."


def test_a_block_nobody_knows_is_opaque_as_it_stood() -> None:
    raw = b'{"role":"user","content":[{"type":"hologram", "beam":1.50}]}'
    found = read_message(raw)
    assert found.message.parts == (Opaque("hologram", '{"type":"hologram", "beam":1.50}'),)
    assert found.unread == ("/content/0",)


def test_markers_and_callers_are_listed() -> None:
    text = {"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}, "citations": []}
    call = {"type": "tool_use", "id": "t", "name": "f", "input": {}, "caller": {"type": "direct"}}
    assert read([text, call], "assistant").unread == (
        "/content/0/cache_control",
        "/content/1/caller",
    )


def test_an_answer_says_how_it_stopped_and_what_it_cost() -> None:
    response = answer(ANTHROPIC["calls"])
    assert (response.id, response.stop, response.complete) == ("msg_2", "tool_use", True)
    assert response.usage == {"input_tokens": 9, "output_tokens": 40}
    assert [type(part) for part in response.parts] == [Reasoning, Opaque, Text, CallPart, CallPart]


def test_errors_in_place_of_an_answer() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Later"}}
    response = answer({**error, "request_id": "req_1"})
    assert response.error == "overloaded_error: Later"
    assert response.opaque == ("/request_id",)
    with pytest.raises(EncodingError) as caught:
        answer({"detail": "Not found"})
    assert caught.value.reason == "not-a-response"
