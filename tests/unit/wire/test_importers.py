"""Logs people already have, told apart by what stands in them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from typing import Any

import pytest

from groundwire.documents.call import ToolCall
from groundwire.documents.frame import (
    CallPart,
    Frame,
    Reasoning,
    Response,
    ResultPart,
    Text,
    ToolSpec,
)
from groundwire.errors import EncodingError
from groundwire.wire.import_runs import read_schema_text
from groundwire.wire.importers import ImportedRun, ImportProblem, import_log
from tests.unit.wire.answers import ANTHROPIC, CHAT, RESPONSES
from tests.unit.wire.rendering import RENDER, body

ASK = {"role": "user", "content": "Which pumps run hot?"}
CALL = {"id": "c1", "type": "function", "function": {"name": "read_gauge", "arguments": "{}"}}
CHOSEN = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "61"}
SAID = {"role": "assistant", "content": "Pump 4."}
THANKS = {"role": "user", "content": "Thanks."}
CONVERSATION = [ASK, CHOSEN, RESULT, SAID, THANKS]
TOOL = {"type": "function", "function": {"name": "read_gauge", "parameters": {}}}
BLOCKS = [
    ASK,
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "c1", "name": "read_gauge", "input": {}}],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "61"}]},
    SAID,
    THANKS,
]
RUN = {
    "run_id": "run-7",
    "model": "small-1",
    "schema_text": "@set:pumps",
    "messages": [
        {"role": "system", "content": "Be brief."},
        ASK,
        {
            "role": "assistant",
            "content": "Let me see.",
            "thinking": "Gauge first.",
            "tool_calls": [{"id": "c1", "name": "read_gauge", "arguments": {"pump": 4}}],
        },
        {"role": "tool", "tool_call_id": "c1", "name": "read_gauge", "content": "61"},
        SAID,
    ],
}


def lines(*rows: Any) -> bytes:
    return b"\n".join(row if isinstance(row, bytes) else body(row) for row in rows)


def runs(data: bytes, **schemas: str) -> list[ImportedRun]:
    found = list(import_log(data, tool_schemas={f"@set:{key}": v for key, v in schemas.items()}))
    assert all(isinstance(each, ImportedRun) for each in found), found
    return [each for each in found if isinstance(each, ImportedRun)]


def one(data: bytes, **schemas: str) -> ImportedRun:
    (run,) = runs(data, **schemas)
    return run


def outline(steps: Sequence[Frame | Response]) -> list[int | str]:
    """How many messages each frame has, and the kinds of parts each response has."""
    return [
        len(step.messages)
        if isinstance(step, Frame)
        else " ".join(type(part).__name__ for part in step.parts)
        for step in steps
    ]


OUTLINE = [1, "CallPart", 3, "Text", 5]


@pytest.mark.parametrize(
    ("data", "format_name"),
    [
        (body({"messages": CONVERSATION, "tools": [TOOL]}), "openai-messages"),
        (json.dumps({"messages": CONVERSATION}, indent=1).encode(), "openai-messages"),
        (body(CONVERSATION), "openai-messages"),
        (json.dumps(CONVERSATION, indent=1).encode(), "openai-messages"),
        (b"\xef\xbb\xbf" + lines(*CONVERSATION), "openai-messages"),
        (lines(*CONVERSATION, b"", b"  "), "openai-messages"),
        (lines(CONVERSATION), "openai-messages"),
        (gzip.compress(lines(*CONVERSATION)), "openai-messages"),
        (body({"system": "Be brief.", "messages": BLOCKS}), "anthropic-messages"),
        (body(BLOCKS), "anthropic-messages"),
        (lines(*BLOCKS), "anthropic-messages"),
    ],
)
def test_each_answer_responds_to_everything_before_it(data: bytes, format_name: str) -> None:
    run = one(data)
    assert run.format == format_name
    assert outline(run.steps) == OUTLINE
    frames = [step for step in run.steps if isinstance(step, Frame)]
    assert all(message.raw == b"" for frame in frames for message in frame.messages)
    assert frames[1].messages[0] is frames[0].messages[0]


def test_the_run_format() -> None:
    run = one(body(RUN), pumps=json.dumps([TOOL]))
    assert (run.run_id, run.model, run.format) == ("run-7", "small-1", "runs")
    assert run.declared == ("read_gauge",)
    assert outline(run.steps) == [2, "Reasoning Text CallPart", 4, "Text"]
    chosen = run.steps[1]
    assert isinstance(chosen, Response)
    assert chosen.parts == (
        Reasoning("Gauge first."),
        Text("Let me see."),
        CallPart(ToolCall(id="c1", name="read_gauge", arguments='{"pump":4}')),
    )
    frame = run.steps[2]
    assert isinstance(frame, Frame)
    assert frame.messages[3].parts == (ResultPart("c1", "61", name="read_gauge"),)
    assert frame.messages[2].content_digest == chosen.content_digest
    assert frame.tools == (ToolSpec(name="read_gauge", schema="{}"),)
    assert run.notes == ()


def test_a_run_without_the_schemas_it_names_and_without_call_ids_says_so() -> None:
    messages = [
        ASK,
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "", "name": "f", "arguments": {}}],
        },
        {"role": "tool", "tool_call_id": None, "name": "f", "content": "1"},
        {"role": "tool", "content": "2"},
    ]
    run = one(body({**RUN, "messages": messages}))
    assert run.declared == ()
    assert run.notes == (
        "The tools @set:pumps were not given, so nothing of their schemas is known.",
        "2 results name no call; their order is all that pairs them.",
    )


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (json.dumps([TOOL]), ["read_gauge"]),
        (
            json.dumps(TOOL) + "\n" + json.dumps({"name": "g", "input_schema": {}}),
            ["read_gauge", "g"],
        ),
        (json.dumps([{"functionDeclarations": [{"name": "a"}, {"name": "b"}]}]), ["a", "b"]),
        (
            "read_gauge: Reads it.\n\n:param pump: Which.\nstop_pump: Stops it.",
            ["read_gauge", "stop_pump"],
        ),
        ("Anything at all.", [""]),
        ("null", []),
        ("", []),
    ],
)
def test_tools_told_in_json_in_lines_or_in_prose(text: str, names: list[str]) -> None:
    assert [tool.name for tool in read_schema_text(text)] == names


def test_prose_is_kept_whole() -> None:
    first, second = read_schema_text(
        "read_gauge: Reads it.\n\n:param pump: Which.\nstop_it: Stops."
    )
    assert first.description == "Reads it.\n\n:param pump: Which."
    assert second.description == "Stops."


def test_whole_responses_stand_for_what_the_assistant_said() -> None:
    document = {"messages": [ASK], "response": CHAT["calls"]}
    assert outline(one(body(document)).steps) == [1, "CallPart CallPart CallPart"]
    run = one(lines(ASK, CHAT["calls"], RESULT, CHAT["text"]))
    assert outline(run.steps) == [1, "CallPart CallPart CallPart", 3, "Text"]
    assert run.model == "small-1"
    answer = run.steps[1]
    assert isinstance(answer, Response)
    assert answer.id == "chatcmpl-2"
    assert outline(one(body([ASK, ANTHROPIC["text"]])).steps) == [1, "Text Text"]
    assert one(body([ASK, ANTHROPIC["text"]])).format == "anthropic-messages"


def test_items_that_follow_each_other_are_one_answer() -> None:
    output = {"type": "function_call_output", "call_id": "call_a", "output": "61"}
    run = one(body({"input": [ASK, *RESPONSES["calls"]["output"], output, SAID]}))
    assert run.format == "openai-items"
    assert outline(run.steps) == [1, "CallPart CallPart", 4, "Text"]
    answer = run.steps[1]
    assert isinstance(answer, Response)
    assert len(answer.item_digests) == 2
    assert outline(one(body({"input": "Hello", "response": RESPONSES["text"]})).steps) == [
        1,
        "Reasoning Opaque Text",
    ]


def test_exchanges_hold_a_request_and_its_response() -> None:
    request = {"model": "small-1", "messages": [ASK], "tools": [TOOL]}
    rows = [
        {"id": "x1", "request": request, "response": CHAT["text"]},
        {
            "path": "/v1/messages",
            "request": {**request, "tools": []},
            "response": ANTHROPIC["text"],
        },
        {"provider": "openai-responses", "request": {"input": "Hi"}, "response": None},
        {
            "request": request,
            "response_text": RENDER["openai-chat"](CHAT["calls"]).decode(),
        },
        {"request": request, "response_text": "<html>"},
    ]
    found = runs(lines(*rows))
    assert [outline(run.steps) for run in found] == [
        [1, "Text"],
        [1, "Text Text"],
        [1],
        [1, "CallPart CallPart CallPart"],
        [1],
    ]
    assert [run.run_id for run in found[:2]] == ["x1", "line-2"]
    assert found[0].declared == ("read_gauge",)
    assert "not-a-stream" in found[4].notes[0]


def test_a_broken_row_is_named_and_the_rows_around_it_are_read() -> None:
    rows = [
        RUN,
        b'{"messages": [',
        {"messages": "none"},
        {"weather": "fine"},
        b"7",
        {"run_id": "r", "messages": [{"role": "critic"}]},
        {"provider": "gemini", "request": {"contents": []}},
        RUN,
    ]
    found = list(import_log(lines(*rows)))
    assert [each.line for each in found] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert [each.reason if isinstance(each, ImportProblem) else "" for each in found] == [
        "",
        "not-json",
        "messages-not-a-list",
        "unknown-row",
        "not-an-object",
        "not-a-message",
        "provider-not-decoded",
        "",
    ]
    assert all(
        each.message.startswith(f"Line {each.line}: ")
        for each in found
        if isinstance(each, ImportProblem)
    )


def test_a_broken_line_does_not_end_a_conversation_and_is_missing_from_it() -> None:
    broken = b'{"role":"user","content":"\xff"}'
    found = list(import_log(lines(ASK, CHOSEN, b"{]", broken, RESULT, SAID)))
    assert [each.reason for each in found if isinstance(each, ImportProblem)] == [
        "not-json",
        "not-json",
    ]
    run = found[-1]
    assert isinstance(run, ImportedRun)
    assert outline(run.steps) == [1, "CallPart", 3, "Text"]
    assert run.notes == (
        "Line 3 could not be read and is missing here.",
        "Line 4 could not be read and is missing here.",
    )


@pytest.mark.parametrize(
    "data",
    [
        b'{"messages":\n[{"role":"user",\n"content":"a"}]}',
        b'{\n}\n{"messages":[{"role":"user","content":"a"}]}',
        b'[\n{"messages":[{"role":"user","content":"a"}]}\n]',
        b'{"messages":[{"role":"user","content":"a"}]}\n',
        b'\n\n{"messages":[{"role":"user","content":"a"}]}\n\n{"messages":[]}',
    ],
    ids=["one", "broken-lines", "array", "one-line", "lines"],
)
def test_one_document_of_many_lines_is_told_from_many_rows(data: bytes) -> None:
    runs = [run for run in import_log(data) if isinstance(run, ImportedRun)]
    [frame] = runs[0].steps
    assert isinstance(frame, Frame)
    assert [message.parts for message in frame.messages] == [(Text("a"),)]


def test_conversations_in_one_array_are_runs_of_their_own() -> None:
    found = runs(body([{"messages": CONVERSATION}, RUN]))
    assert [run.run_id for run in found] == ["line-1", "run-7"]


def test_the_first_message_may_be_the_assistants() -> None:
    assert outline(one(body([SAID])).steps) == [0, "Text"]


@pytest.mark.parametrize("data", [b"", b"  \n", b"hello", b"7", b'"text"', b"[]", b"<xml/>", b"{]"])
def test_what_is_no_log_is_refused_by_name(data: bytes) -> None:
    with pytest.raises(EncodingError) as caught:
        list(import_log(data))
    assert caught.value.reason == "not-a-log"


def test_a_broken_gzip_is_refused_by_name() -> None:
    with pytest.raises(EncodingError) as caught:
        list(import_log(b"\x1f\x8b" + b"x" * 40))
    assert caught.value.reason == "bad-content-encoding"


def test_blocks_nested_too_deep_are_a_problem_of_their_row() -> None:
    opening, closing = b'{"type":"tool_result","content":[' * 400, b"]}" * 400
    deep = b'{"role":"user","content":[' + opening + closing + b"]}"
    rows = [b'{"messages":[' + deep + b"]}", {"messages": [ASK]}, deep]
    reasons = [
        each.reason if isinstance(each, ImportProblem) else "" for each in import_log(lines(*rows))
    ]
    assert reasons == ["too-deep", "", "too-deep", ""]
