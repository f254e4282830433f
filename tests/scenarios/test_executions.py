"""Tools that a real SDK's agent runs: what they ran with stands beside the call on the wire."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest

import groundwire as gw
from groundwire.audit.live.comparing import compare_live
from groundwire.cli import main
from groundwire.documents.event import Executed
from groundwire.documents.policy import Policy
from groundwire.session import declarations
from groundwire.testing.standin import StandIn
from groundwire.testing.turns import Call, Turn
from tests.driving import reading, replayed

KEY = "sk-test-0123456789abcdefghijklmnopqrstuv"
SCRIPT = [
    Turn(calls=(Call("look", '{"host": "petrel-7"}'), Call("look", '{"host": "fulmar-2"}'))),
    Turn(text="Both are up."),
]


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(declarations, "_declared", {})


def executed(run: gw.Session) -> list[Executed]:
    return [event for event in replayed(run.path) if isinstance(event, Executed)]


@pytest.mark.parametrize("streamed", [False, True])
def test_each_of_two_parallel_calls_has_its_own_execution(streamed: bool) -> None:
    @gw.tool
    def look(host: str) -> dict[str, str]:
        return {"host": host, "state": "up"}

    with StandIn(SCRIPT) as here, gw.Session("runs/a.gw", project=gw.Project(Policy())) as run:
        client = run.watch(openai.OpenAI(base_url=f"{here.url}/v1", api_key=KEY))
        messages: list[Any] = [{"role": "user", "content": "Are petrel-7 and fulmar-2 up?"}]
        if streamed:
            calls = streamed_calls(client, messages)
        else:
            said = client.chat.completions.create(model="m", messages=messages)
            calls = [
                (call.id, call.function.arguments)  # type: ignore[union-attr] -- functions all
                for call in said.choices[0].message.tool_calls or ()
            ]
        # The last first: order is not what they are told apart by.
        results = [(call_id, look(**json.loads(text))) for call_id, text in reversed(calls)]
        assert [result["host"] for _, result in results] == ["fulmar-2", "petrel-7"]
        client.close()
    events = executed(run)
    assert [(event.link, event.call_id) for event in events] == [
        ("only", call_id) for call_id, _ in reversed(calls)
    ]
    assert [event.exchange for event in events] == [0, 0]
    assert compare_live([reading(run.path)]).state == "equal"


def streamed_calls(client: openai.OpenAI, messages: list[Any]) -> list[tuple[str, str]]:
    calls: dict[int, list[str]] = {}
    with client.chat.completions.create(model="m", messages=messages, stream=True) as stream:
        for chunk in stream:
            for choice in chunk.choices:
                for call in choice.delta.tool_calls or ():
                    known = calls.setdefault(call.index, ["", ""])
                    known[0] = call.id or known[0]
                    if call.function is not None:
                        known[1] += call.function.arguments or ""
    return [(call_id, text) for call_id, text in calls.values()]


def test_async_tools_of_runs_side_by_side_stand_in_their_own_runs() -> None:
    @gw.tool
    async def look(host: str) -> str:
        await asyncio.sleep(0)
        return f"{host} up"

    async def agent(project: gw.Project, client: anthropic.AsyncAnthropic, host: str) -> gw.Session:
        async with project.session() as run:
            said = await client.messages.create(
                model="m", max_tokens=99, messages=[{"role": "user", "content": host}]
            )
            await asyncio.gather(
                *(look(**block.input) for block in said.content if block.type == "tool_use")
            )
        return run

    def answer(request: dict[str, Any]) -> Turn:
        host = request["messages"][0]["content"]
        return Turn(calls=(Call("look", json.dumps({"host": host})),))

    async def both() -> list[gw.Session]:
        project = gw.Project(Policy())
        with StandIn(answer) as here:
            client = project.watch(anthropic.AsyncAnthropic(base_url=here.url, api_key=KEY))
            async with client:
                return await asyncio.gather(
                    *(agent(project, client, f"petrel-{number}") for number in range(8))
                )

    for number, run in enumerate(asyncio.run(both())):
        (event,) = executed(run)
        assert event.link == "only"
        assert (event.arguments, event.result) == (
            f'{{"host":"petrel-{number}"}}',
            f"petrel-{number} up",
        )


def test_audit_compares_with_the_live_run_from_the_command_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with StandIn([Turn(text="Fine.")]) as here, gw.Session("runs/b.gw") as run:
        client = run.watch(openai.OpenAI(base_url=f"{here.url}/v1", api_key=KEY))
        client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Well?"}])
        client.close()
    assert main.run(["audit", "runs/b.gw", "--compare-live"]) == 0
    assert ": equal: " in capsys.readouterr().out
