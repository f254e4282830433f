"""A guarded table behind the real SDKs: its tool list goes out, a call comes in, its result goes back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest

import groundwire as gw
from groundwire.session.guarding.table import GuardedTable
from groundwire.session.project import Project
from groundwire.testing.standin import StandIn
from groundwire.testing.turns import Call, Turn

WRITE = Call("write_file", '{"path": "a.txt",  "content": "one\\n"}', "call_1")
MISSES = Call("edit_file", '{"path": "a.txt", "old": "two", "new": "2"}', "call_2")
SCRIPT = (Turn(calls=(WRITE, MISSES)), Turn(text="One file is written, one edit was refused."))
SYSTEM = gw.with_policy("You tidy up.")
Settle = Callable[[object], dict[str, Any]]


def chat(project: Project, url: str, table: GuardedTable, settle: Settle) -> None:
    client = project.watch(openai.OpenAI(base_url=f"{url}/v1", api_key="k"))
    messages: list[Any] = gw.with_policy([{"role": "system", "content": "You tidy up."}])
    messages.append({"role": "user", "content": "go"})
    for _ in SCRIPT:
        tools: Any = table.openai()
        asked = client.chat.completions.create(model="m", messages=messages, tools=tools)
        said = asked.choices[0].message
        messages.append(said)
        messages += [settle(call) for call in said.tool_calls or ()]


def responses(project: Project, url: str, table: GuardedTable, settle: Settle) -> None:
    client = project.watch(openai.OpenAI(base_url=f"{url}/v1", api_key="k"))
    items: list[Any] = [{"role": "user", "content": "go"}]
    for _ in SCRIPT:
        tools: Any = table.openai_responses()
        asked = client.responses.create(model="m", instructions=SYSTEM, input=items, tools=tools)
        items += asked.output
        items += [settle(item) for item in asked.output if item.type == "function_call"]


def messages(project: Project, url: str, table: GuardedTable, settle: Settle) -> None:
    client = project.watch(anthropic.Anthropic(base_url=url, api_key="k"))
    told: list[Any] = [{"role": "user", "content": "go"}]
    for _ in SCRIPT:
        tools: Any = table.anthropic()
        asked = client.messages.create(
            model="m", max_tokens=99, system=SYSTEM, messages=told, tools=tools
        )
        told.append({"role": "assistant", "content": asked.content})
        results = [settle(block) for block in asked.content if block.type == "tool_use"]
        if results:
            told.append({"role": "user", "content": results})


@pytest.mark.parametrize("protocol", [chat, responses, messages])
def test_a_guarded_table_serves_a_run_of_each_protocol(
    protocol: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    project = Project()
    table = project.guard(project.coding_tools())
    outcomes: list[str] = []
    spelt: list[str] = []

    def settle(call: object) -> dict[str, Any]:
        result = table.dispatch(call)
        spelt.append(result.call.arguments)
        outcomes.append(f"{type(result.outcome).__name__} {getattr(result.outcome, 'reason', '')}")
        return result.message_for_model()

    with StandIn(SCRIPT) as standin, project.session(tmp_path / "run.gw") as run:
        protocol(project, standin.url, table, settle)
        report, proof = table.report(), run.proof("text")
        kinds = [finding.kind for finding in run.findings]
    assert outcomes == ["Executed ", "Refused edit-not-found"]
    assert spelt == [WRITE.arguments, MISSES.arguments]
    assert (tmp_path / "a.txt").read_text() == "one\n"
    first, second = (json.loads(request.body) for request in standin.requests)
    assert len(first["tools"]) == len(table)
    sent = json.dumps(second)
    assert "created a.txt" in sent
    assert "Nothing was changed. Read the target again" in sent
    # Both calls were seen to pass the table, by their ids, and the rule to be shown.
    assert (report.coverage.state, report.coverage.guarded, report.coverage.beside) == (
        "measured",
        2,
        0,
    )
    assert report.agent_rule_shown is True
    assert "2 of 2 calls" in proof
    assert kinds == []
