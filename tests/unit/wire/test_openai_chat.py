"""Messages of chat completions, as OpenAI defines them and as others send them."""

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
from groundwire.wire.decoder import decode_response
from groundwire.wire.openai_chat import read_message
from groundwire.wire.reading import Read
from tests.unit.wire.answers import CHAT
from tests.unit.wire.rendering import body


def read(message: Any) -> Read:
    return read_message(body(message))


def parts(message: Any) -> tuple[Part, ...]:
    return read(message).message.parts


def answer(value: Any) -> Response:
    return decode_response(body(value), "openai-chat", streamed=False)


def answer_with(message: dict[str, Any], **choice: Any) -> Response:
    return answer({"choices": [{"index": 0, "message": message, **choice}]})


@pytest.mark.parametrize(
    ("stated", "role"),
    [
        ("system", "system"),
        ("developer", "system"),
        ("user", "user"),
        ("assistant", "assistant"),
        ("tool", "tool"),
        ("function", "tool"),
    ],
)
def test_roles_are_named_as_everywhere(stated: str, role: str) -> None:
    found = read({"role": stated, "content": "x"})
    assert found.message.role == role
    assert found.unread == ()


@pytest.mark.parametrize("stated", ["critic", 7, ["user"]])
def test_a_role_nobody_knows_is_listed(stated: Any) -> None:
    found = read({"role": stated, "content": "x"})
    assert (found.message.role, found.unread) == ("user", ("/role",))


def test_content_as_text_as_blocks_or_absent() -> None:
    assert parts({"role": "user", "content": "hi"}) == (Text("hi"),)
    blocks = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert parts({"role": "user", "content": blocks}) == (Text("a"), Text("b"))
    for nothing in (None, "", []):
        assert parts({"role": "assistant", "content": nothing}) == ()
    assert parts({"role": "assistant"}) == ()


def test_calls_keep_the_exact_text_of_their_arguments() -> None:
    arguments = '{"pump":  4, "big": 123456789012345678901234567890, "x": 1.0}'
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": arguments}}
    assert parts({"role": "assistant", "tool_calls": [call]}) == (
        CallPart(ToolCall(id="c1", name="f", arguments=arguments)),
    )
    broken = {**call, "function": {"name": "f", "arguments": '{"pump": '}}
    assert parts({"role": "assistant", "tool_calls": [broken]}) == (
        CallPart(ToolCall(id="c1", name="f", arguments='{"pump": ')),
    )
    as_object = {"id": "c1", "function": {"name": "f", "arguments": {"pump": 4}}}
    assert parts({"role": "assistant", "tool_calls": [as_object]}) == (
        CallPart(ToolCall(id="c1", name="f", arguments='{"pump":4}')),
    )


def test_custom_legacy_and_unknown_calls() -> None:
    custom = {"id": "c", "type": "custom", "custom": {"name": "sql", "input": "select 1"}}
    strange = {"id": "d", "type": "hologram", "hologram": {"beam": 1}}
    found = read({"role": "assistant", "tool_calls": [custom, strange]})
    assert found.message.parts == (
        CallPart(ToolCall(id="c", name="sql", arguments="select 1")),
        Opaque("hologram", body(strange).decode()),
    )
    assert found.unread == ("/tool_calls/1",)
    legacy = {"role": "assistant", "function_call": {"name": "f", "arguments": "{}"}}
    assert parts(legacy) == (CallPart(ToolCall(id="", name="f", arguments="{}")),)


def test_results_by_id_or_by_name() -> None:
    assert parts({"role": "tool", "tool_call_id": "c1", "content": "61"}) == (
        ResultPart("c1", "61"),
    )
    assert parts({"role": "function", "name": "f", "content": "61"}) == (
        ResultPart("", "61", name="f"),
    )
    assert parts({"role": "tool", "tool_call_id": "c1", "content": None}) == (ResultPart("c1", ""),)


def test_blocks_of_a_result_that_are_no_text_follow_it() -> None:
    picture = base64.b64encode(b"picture").decode()
    url = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{picture}"}}
    blocks = [{"type": "text", "text": "a"}, url, {"type": "text", "text": "b"}, {"type": "new"}]
    assert parts({"role": "tool", "tool_call_id": "c", "content": blocks}) == (
        ResultPart("c", "a\nb", opaque=2),
        Media("image/png", sha256(b"picture"), 7),
        Opaque("new", '{"type":"new"}'),
    )


def test_media_by_bytes_and_by_address() -> None:
    data = base64.b64encode(b"sound").decode()
    blocks = [
        {"type": "image_url", "image_url": {"url": "https://a.test/b.png", "detail": "low"}},
        {"type": "image_url", "image_url": "https://a.test/c.png"},
        {"type": "input_audio", "input_audio": {"data": data, "format": "wav"}},
        {"type": "file", "file": {"file_data": f"data:application/pdf;base64,{data}"}},
        {"type": "file", "file": {"file_data": data, "filename": "a.bin"}},
        {"type": "file", "file": {"file_id": "file-1"}},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,%%%"}},
        {"type": "video_url", "video_url": {"url": "https://a.test/v.mp4"}},
    ]
    found = read({"role": "user", "content": blocks})
    digest = sha256(b"sound")
    assert found.message.parts == (
        Media("image/*", sha256(b"https://a.test/b.png"), 0),
        Media("image/*", sha256(b"https://a.test/c.png"), 0),
        Media("audio/wav", digest, 5),
        Media("application/pdf", digest, 5),
        Media("application/octet-stream", digest, 5),
        Opaque("file", body(blocks[5]).decode()),
        Opaque("image_url", body(blocks[6]).decode()),
        Media("video/*", sha256(b"https://a.test/v.mp4"), 0),
    )
    assert found.unread == (
        "/content/0/image_url/detail",
        "/content/4/file/filename",
        "/content/5",
        "/content/6",
    )


def test_reasoning_under_the_names_that_vendors_give_it() -> None:
    message = {"role": "assistant", "reasoning": "hm", "reasoning_content": "hm", "content": "x"}
    assert parts(message) == (Reasoning("hm"), Text("x"))
    blocks = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "a"}, {"type": "odd"}]},
        {"type": "thinking", "thinking": "b"},
        {"type": "text", "text": "x"},
    ]
    assert parts({"role": "assistant", "content": blocks}) == (
        Reasoning("a"),
        Opaque("odd", '{"type":"odd"}'),
        Reasoning("b"),
        Text("x"),
    )


def test_tools_the_provider_ran_itself_are_calls_and_results_of_its_own() -> None:
    ran = {"type": "search", "arguments": '{"q":1}', "output": "found", "index": 0, "score": 1}
    message = {"role": "assistant", "content": "x", "executed_tools": [ran]}
    response = answer_with(message)
    assert response.parts == (
        Text("x"),
        CallPart(ToolCall(id="", name="search", arguments='{"q":1}', executed_by="provider")),
        ResultPart("", "found", name="search", executed_by="provider"),
    )
    assert "/choices/0/message/executed_tools/0/score" in response.opaque
    assert (
        response.content_digest == answer_with({**message, "executed_tools": None}).content_digest
    )


def test_every_field_that_is_not_read_is_listed() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}", "x": 1}}
    message = {
        "role": "assistant",
        "content": [{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}],
        "tool_calls": [{**call, "y": 2}],
        "annotations": [{"type": "url_citation"}],
        "name": None,
        "audio": None,
        "nothing": {},
        "mood~/x": "calm",
    }
    assert read(message).unread == (
        "/content/0/cache_control",
        "/tool_calls/0/function/x",
        "/tool_calls/0/y",
        "/annotations",
        "/mood~0~1x",
    )


def test_a_repeated_key_is_listed_and_the_last_value_counts() -> None:
    found = read_message(b'{"role":"user","content":"seen","content":"sent"}')
    assert found.message.parts == (Text("sent"),)
    assert found.unread == ("/content",)


@pytest.mark.parametrize("value", ["text", 7, None, [], [{"role": "user"}]])
def test_an_element_that_is_no_object_is_opaque(value: Any) -> None:
    found = read(value)
    assert found.message.parts == (Opaque("", body(value).decode()),)
    assert found.unread == ("",)


def test_content_of_another_kind_is_opaque() -> None:
    assert parts({"role": "user", "content": 7}) == (Opaque("", "7"),)
    assert parts({"role": "user", "content": [7]}) == (Opaque("", "7"),)


def test_text_that_is_no_utf8_is_refused() -> None:
    with pytest.raises(EncodingError) as caught:
        read_message(b'{"role":"user","content":"\xff"}')
    assert caught.value.reason == "not-json"


def test_an_answer_says_how_it_stopped_and_what_it_cost() -> None:
    response = answer(CHAT["text"])
    assert response.parts == (Text('Pump 4 is at 61 °C. "ok" 😀'),)
    assert (response.id, response.model, response.stop) == ("chatcmpl-1", "small-1", "stop")
    assert response.usage == {
        "prompt_tokens": 9,
        "completion_tokens": 12,
        "prompt_tokens_details.cached_tokens": 4,
    }
    assert (response.complete, response.error, response.item_digests) == (True, None, ())
    assert response.opaque == ("/created",)


def test_costs_that_are_no_whole_counts_are_listed() -> None:
    usage = {"a": 1.5, "b": True, "c": [1], "d": None, "e": 10**30, "f": {"g": 2, "h": "x"}}
    response = answer({"choices": [], "usage": usage})
    assert response.usage == {"f.g": 2}
    assert set(response.opaque) == {f"/usage/{name}" for name in "abce"} | {"/usage/f/h"}


def test_further_choices_are_listed() -> None:
    choice = CHAT["text"]["choices"][0]
    response = answer({"choices": [choice, {**choice, "index": 1}]})
    assert response.parts == answer(CHAT["text"]).parts
    assert response.opaque == ("/choices/1",)


def test_errors_in_place_of_an_answer() -> None:
    error = {"message": "No such model", "type": "invalid_request_error", "code": "x", "param": "m"}
    response = answer({"error": error})
    assert (response.error, response.complete) == ("invalid_request_error: No such model", True)
    assert response.opaque == ("/error/code", "/error/param")
    assert answer({"error": "down"}).error == "down"
    assert answer({"error": {}}).error == "error"
    assert answer({"error": [1]}).error == "[1]"
    inside = answer_with({"role": "assistant", "content": "x"}, error={"code": "502"})
    assert inside.error == "502"


@pytest.mark.parametrize("value", [{"detail": "Not found"}, {"choices": None}, {}])
def test_a_document_without_choices_and_error_is_no_response(value: Any) -> None:
    with pytest.raises(EncodingError) as caught:
        answer(value)
    assert caught.value.reason == "not-a-response"
