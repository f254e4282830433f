from __future__ import annotations

import json
from typing import Any

import msgspec

from groundwire.audit.lineage.otel import otel_of
from groundwire.lineage.manifest import digest_of, without_texts
from tests.unit.lineage.test_verdict import run


def spans(*results: str, at: str = "") -> list[dict[str, Any]]:
    manifest = run(*results)
    boundaries = tuple(msgspec.structs.replace(each, at=at) for each in manifest.boundaries)
    document = otel_of([msgspec.structs.replace(manifest, boundaries=boundaries)])
    [resource] = json.loads(msgspec.json.encode(document))["resourceSpans"]
    [scope] = resource["scopeSpans"]
    return list(scope["spans"])


def attributes(span: dict[str, Any]) -> dict[str, Any]:
    return {each["key"]: next(iter(each["value"].values())) for each in span["attributes"]}


def test_a_run_is_an_agent_span_with_a_chat_for_each_request_and_a_tool_for_each_call() -> None:
    agent, *rest = spans("db-7", "91 %")
    assert [each["name"] for each in rest] == ["chat model"] * 3 + ["execute_tool look"] * 2
    chats, tools = rest[:3], rest[3:]
    assert {each["parentSpanId"] for each in chats} == {agent["spanId"]}
    assert [each["parentSpanId"] for each in tools] == [each["spanId"] for each in chats[:2]]
    assert len({each["spanId"] for each in (agent, *rest)}) == 6
    for each in (agent, *rest):
        assert len(bytes.fromhex(each["traceId"])) == 16
        assert len(bytes.fromhex(each["spanId"])) == 8


def test_attributes_are_those_of_the_conventions_and_digests() -> None:
    agent, chat, _, tool = spans("db-7")
    row = run("db-7").calls[0]
    assert attributes(agent)["gen_ai.operation.name"] == "invoke_agent"
    assert attributes(chat)["gen_ai.provider.name"] == "openai"
    known = attributes(tool)
    assert known["gen_ai.operation.name"] == "execute_tool"
    assert (known["gen_ai.tool.name"], known["gen_ai.tool.call.id"]) == ("look", "c0")
    assert (known["gen_ai.tool.type"], known["groundwire.output"]) == ("function", row.output)


def test_the_manifest_stands_in_an_event_with_its_digest_and_without_texts() -> None:
    [event] = spans("db-7")[0]["events"]
    known = attributes(event)
    assert known["groundwire.lineage.manifest.digest"] == digest_of(run("db-7"))
    document = json.loads(known["groundwire.lineage.manifest"])
    assert document == json.loads(msgspec.json.encode(without_texts(run("db-7"))))
    assert document["calls"][0]["inputs_text"] is None


def test_times_are_nanoseconds_and_zero_where_a_log_has_no_clock() -> None:
    assert spans("db-7")[1]["startTimeUnixNano"] == "0"
    assert spans("db-7", at="1970-01-01T00:00:01.000002Z")[1]["endTimeUnixNano"] == "1000002000"
