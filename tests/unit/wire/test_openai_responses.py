"""Items of OpenAI responses, in requests and in answers."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from groundwire.canon.digest import sha256
from groundwire.documents.call import Executor, ToolCall
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
from groundwire.wire.openai_responses import read_message
from groundwire.wire.reading import Read
from tests.unit.wire.answers import RESPONSES
from tests.unit.wire.rendering import body

PICTURE = base64.b64encode(b"picture").decode()


def read(item: Any) -> Read:
    return read_message(body(item))


def parts(item: Any) -> tuple[Part, ...]:
    return read(item).message.parts


def call(call_id: str, name: str, arguments: str, executed_by: Executor = "host") -> CallPart:
    return CallPart(ToolCall(id=call_id, name=name, arguments=arguments, executed_by=executed_by))


def answer(value: Any) -> Response:
    return decode_response(body(value), "openai-responses", streamed=False)


@pytest.mark.parametrize(
    ("stated", "role"),
    [("user", "user"), ("assistant", "assistant"), ("system", "system"), ("developer", "system")],
)
def test_messages_with_and_without_their_type(stated: str, role: str) -> None:
    for item in (
        {"role": stated, "content": "hi"},
        {"type": "message", "role": stated, "content": [{"type": "input_text", "text": "hi"}]},
        {"type": "message", "role": stated, "content": [{"type": "output_text", "text": "hi"}]},
    ):
        found = read(item)
        assert (found.message.role, found.message.parts) == (role, (Text("hi"),))


def test_a_text_in_place_of_the_items_is_the_users() -> None:
    found = read_message(b'"hi \\u00e9"')
    assert (found.message.role, found.message.parts) == ("user", (Text("hi é"),))


def test_calls_and_results_of_functions_and_custom_tools() -> None:
    item = {"type": "function_call", "call_id": "c", "name": "f", "arguments": '{"a": 1}'}
    assert parts(item) == (call("c", "f", '{"a": 1}'),)
    custom = {"type": "custom_tool_call", "call_id": "d", "name": "sql", "input": "select 1"}
    assert parts(custom) == (call("d", "sql", "select 1"),)
    for kind in ("function_call_output", "custom_tool_call_output"):
        found = read({"type": kind, "call_id": "c", "output": "61"})
        assert (found.message.role, found.message.parts) == ("tool", (ResultPart("c", "61"),))


def test_results_of_several_blocks() -> None:
    blocks = [
        {"type": "input_text", "text": "a"},
        {"type": "input_image", "image_url": f"data:image/png;base64,{PICTURE}"},
        {"type": "input_file", "file_id": "file-1"},
        {"type": "input_text", "text": "b"},
    ]
    assert parts({"type": "function_call_output", "call_id": "c", "output": blocks}) == (
        ResultPart("c", "a\nb", opaque=2),
        Media("image/png", sha256(b"picture"), 7),
        Opaque("input_file", body(blocks[2]).decode()),
    )


def test_files_and_pictures_by_bytes_by_address_and_by_id() -> None:
    blocks = [
        {"type": "input_image", "image_url": "https://a.test/x.png", "detail": "low"},
        {"type": "input_image", "file_id": "file-1"},
        {"type": "input_file", "file_data": f"data:application/pdf;base64,{PICTURE}"},
        {"type": "input_file", "file_url": "https://a.test/x.pdf"},
        {"type": "input_file", "file_data": "%%%"},
        {"type": "input_audio", "input_audio": {"data": PICTURE, "format": "mp3"}},
    ]
    found = read({"role": "user", "content": blocks})
    assert found.message.parts == (
        Media("image/*", sha256(b"https://a.test/x.png"), 0),
        Opaque("input_image", body(blocks[1]).decode()),
        Media("application/pdf", sha256(b"picture"), 7),
        Media("application/octet-stream", sha256(b"https://a.test/x.pdf"), 0),
        Opaque("input_file", body(blocks[4]).decode()),
        Media("audio/mp3", sha256(b"picture"), 7),
    )
    assert found.unread == ("/content/0/detail", "/content/1", "/content/4")


def test_tools_the_host_runs_that_have_items_of_their_own() -> None:
    action = {"type": "exec", "command": ["ls"]}
    assert parts({"type": "local_shell_call", "call_id": "c", "action": action}) == (
        call("c", "local_shell", body(action).decode()),
    )
    assert parts({"type": "local_shell_call_output", "id": "c", "output": "x"}) == (
        ResultPart("c", "x"),
    )
    shell = {"type": "shell_call", "call_id": "c", "action": action}
    assert parts(shell) == (call("c", "shell", body(action).decode()),)
    hosted = {**shell, "environment": {"type": "container_auto"}}
    assert parts(hosted) == (call("c", "shell", body(action).decode(), "provider"),)
    chunk = {"stdout": "out", "stderr": "err", "outcome": {"type": "exit", "exit_code": 1}}
    found = read({"type": "shell_call_output", "call_id": "c", "output": [chunk]})
    assert found.message.parts == (ResultPart("c", "out\nerr"),)
    assert found.unread == ("/output/0/outcome",)
    patch = {"type": "apply_patch_call", "call_id": "c", "operation": action}
    assert parts(patch) == (call("c", "apply_patch", body(action).decode()),)
    done = {"type": "apply_patch_call_output", "call_id": "c", "status": "failed", "output": "no"}
    assert parts(done) == (ResultPart("c", "no", is_error=True),)


def test_the_computer_and_its_screen() -> None:
    action = {"type": "click", "x": 1, "y": 2}
    asked = {"type": "computer_call", "call_id": "c", "action": action}
    assert parts(asked) == (call("c", "computer", body(action).decode()),)
    many = {"type": "computer_call", "call_id": "c", "actions": [action]}
    assert parts(many) == (call("c", "computer", body([action]).decode()),)
    screen = {"type": "computer_screenshot", "image_url": f"data:image/png;base64,{PICTURE}"}
    assert parts({"type": "computer_call_output", "call_id": "c", "output": screen}) == (
        ResultPart("c", "", opaque=1),
        Media("image/png", sha256(b"picture"), 7),
    )


def test_tools_the_provider_runs() -> None:
    response = answer(RESPONSES["provider tools"])
    assert response.parts == (
        call("ws_1", "web_search", '{"type":"search","query":"pump 4"}', "provider"),
        call("fs_1", "file_search", '["seal"]', "provider"),
        ResultPart("fs_1", "seal-9 fits", executed_by="provider"),
        call("ci_1", "code_interpreter", '"print(6 * 7)"', "provider"),
        ResultPart("ci_1", "42", executed_by="provider"),
        call("mcp_1", "find_part", '{"part":"seal-9"}', "provider"),
        ResultPart("mcp_1", "3 in stock", executed_by="provider"),
        Opaque("mcp_list_tools", body(RESPONSES["provider tools"]["output"][4]).decode()),
    )
    assert "/output/3/server_label" in response.opaque
    assert "/output/4" in response.opaque


def test_a_failed_call_of_a_hosted_server_is_an_error() -> None:
    item = {
        "type": "mcp_call",
        "id": "m",
        "name": "f",
        "arguments": "{}",
        "output": None,
        "error": {"type": "http_error", "message": "gone", "code": 404},
    }
    found = read(item)
    assert found.message.parts[1] == ResultPart(
        "m", "http_error: gone", is_error=True, executed_by="provider"
    )
    assert found.unread == ("/error/code",)


def test_tool_search_by_either_side() -> None:
    asked = {"type": "tool_search_call", "call_id": "c", "arguments": {"q": 1}}
    assert parts({**asked, "execution": "client"}) == (call("c", "tool_search", '{"q":1}'),)
    assert parts({**asked, "execution": "server"}) == (
        call("c", "tool_search", '{"q":1}', "provider"),
    )
    told = {"type": "tool_search_output", "call_id": "c", "execution": "client", "tools": [1]}
    assert parts(told) == (ResultPart("c", "", "tool_search", opaque=1), Opaque("tools", "[1]"))


def test_reasoning_is_read_as_far_as_it_is_shown() -> None:
    item = {
        "type": "reasoning",
        "id": "rs",
        "summary": [{"type": "summary_text", "text": "a"}, {"type": "summary_text", "text": "b"}],
        "content": [{"type": "reasoning_text", "text": "c"}, {"type": "odd"}],
        "encrypted_content": "ZW5j",
    }
    found = read(item)
    assert found.message.parts == (
        Reasoning("a\nb\nc"),
        Opaque("odd", '{"type":"odd"}'),
        Opaque("reasoning", '"ZW5j"'),
    )
    assert found.unread == ("/content/1", "/encrypted_content", "/id")
    assert parts({"type": "reasoning", "summary": []}) == (Reasoning(""),)


def test_reasoning_that_nobody_is_shown_is_told_apart_by_what_stands_for_it() -> None:
    one = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "YQ=="}
    other = {**one, "id": "rs_2", "encrypted_content": "Yg=="}
    digests = {
        read(item).message.content_digest
        for item in (one, other, {**one, "encrypted_content": None}, {"type": "reasoning"})
    }
    assert len(digests) == 4
    said = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]}
    assert read({**said, "id": "a"}).message.content_digest == read(said).message.content_digest


def test_a_generated_picture_is_media() -> None:
    item = {"type": "image_generation_call", "id": "i", "result": PICTURE, "output_format": "webp"}
    assert parts(item) == (
        call("i", "image_generation", "", "provider"),
        Media("image/webp", sha256(b"picture"), 7),
    )
    assert read({**item, "result": "%%%"}).unread == ("/result",)


@pytest.mark.parametrize(
    "item",
    [
        {"type": "compaction", "encrypted_content": "x"},
        {"type": "mcp_approval_request", "id": "m", "name": "f", "arguments": "{}"},
        {"type": "hologram", "beam": 1},
        {"beam": 1},
    ],
)
def test_an_item_nobody_knows_is_opaque(item: dict[str, Any]) -> None:
    found = read(item)
    assert found.message.parts == (Opaque(item.get("type", ""), body(item).decode()),)
    assert found.unread == ("",)
    assert found.held is None


def test_a_reference_to_an_item_the_provider_keeps_is_held() -> None:
    assert read({"type": "item_reference", "id": "msg_1"}).held == "msg_1"
    assert read({"id": "msg_1"}).held == "msg_1"


def test_opaque_items_have_the_role_of_who_sends_them() -> None:
    assert read({"type": "additional_tools", "role": "developer"}).message.role == "system"
    assert read({"type": "mcp_approval_response"}).message.role == "tool"
    assert read({"type": "compaction"}).message.role == "assistant"


def test_a_status_other_than_completed_is_listed() -> None:
    item = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
    assert read({**item, "status": "completed"}).unread == ()
    assert read({**item, "status": "incomplete"}).unread == ("/status",)


def test_an_answer_says_how_it_ended() -> None:
    response = answer(RESPONSES["text"])
    assert response.parts == (
        Reasoning("Look at the gauge.\nThen answer."),
        Opaque("reasoning", '"ZW5j"'),
        Text("Pump 4 is at 61 °C 😀."),
    )
    assert (response.id, response.stop, response.complete) == ("resp_1", "completed", True)
    assert response.usage["total_tokens"] == 21
    assert len(response.item_digests) == 2
    cut = answer(RESPONSES["refusal"])
    assert (cut.stop, cut.parts) == ("max_output_tokens", (Text("I will not open"),))


def test_errors_in_place_of_an_answer() -> None:
    assert answer({"error": {"message": "Bad", "type": "invalid"}}).error == "invalid: Bad"
    with pytest.raises(EncodingError) as caught:
        answer({"error": None})
    assert caught.value.reason == "not-a-response"
