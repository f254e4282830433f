"""Runs of real SDKs over real sockets: what is recorded, to whom it belongs, what it cannot do."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest

import groundwire as gw
from groundwire.demo import agents, story
from groundwire.documents.entry import (
    CloseEntry,
    ComposedEntry,
    Open,
    RequestEntry,
    ResponseEntry,
)
from groundwire.documents.policy import Policy, ToolDeclaration
from groundwire.recording.reader import Reader, read
from groundwire.testing.standin import StandIn
from groundwire.testing.turns import Call, Failure, Turn

KEY = "sk-test-0123456789abcdefghijklmnopqrstuv"
TOOLS = [
    {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}},
]
POLICY = Policy(tools=(ToolDeclaration(name="find_snapshot", arguments_from=("list_hosts",)),))


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def project() -> Iterator[gw.Project]:
    project = gw.Project(POLICY)
    yield project
    project.close()


def reading(path: Path | None) -> Reader:
    assert path is not None
    with path.open("rb") as file:
        return read(file.readlines(), lambda _: None)


def entries(path: Path | None, kind: type) -> list[Any]:
    return [entry for entry in reading(path).entries if isinstance(entry, kind)]


_clients: list[openai.OpenAI | anthropic.Anthropic] = []


@pytest.fixture(autouse=True)
def _clients_are_closed() -> Iterator[None]:
    yield
    while _clients:
        _clients.pop().close()


def client_of(here: StandIn, **more: Any) -> openai.OpenAI:
    settings = {"base_url": f"{here.url}/v1", "api_key": KEY, "max_retries": 2} | more
    client = openai.OpenAI(**settings)
    _clients.append(client)
    return client


def anthropic_client_of(here: StandIn) -> anthropic.Anthropic:
    client = anthropic.Anthropic(base_url=here.url, api_key=KEY)
    _clients.append(client)
    return client


def ask(client: openai.OpenAI, *contents: str, tools: object = openai.omit) -> str | None:
    said = client.chat.completions.create(
        model="m", messages=[{"role": "user", "content": c} for c in contents], tools=tools
    )
    return said.choices[0].message.content


def test_the_story_of_a_cut_out_id_is_found_and_recorded() -> None:
    with (
        StandIn(story.forgetful()) as here,
        gw.Session("runs/a.gw", project=gw.Project(POLICY)) as run,
    ):
        client = run.watch(client_of(here))
        agents.ask_with_openai(client, run, (story.FIRST_QUESTION, story.SECOND_QUESTION))
    assert [(finding.kind, finding.grade) for finding in run.findings] == [
        ("dangling-reference", "dropped"),
        ("unsupported-argument", "self"),
    ]
    reader = reading(run.path)
    assert [reader.body(number) for number in reader.exchanges] == [
        received.body for received in here.requests
    ]
    assert len(entries(run.path, ComposedEntry)) == 4
    assert entries(run.path, CloseEntry)[0].findings == 2


def test_the_same_agent_with_everything_in_view_has_nothing_filed() -> None:
    with StandIn(story.attentive()) as here, gw.Session(project=gw.Project(POLICY)) as run:
        client = run.watch(anthropic_client_of(here))
        agents.ask_with_anthropic(client, run, (story.FIRST_QUESTION, story.SECOND_QUESTION))
    assert run.findings == ()
    assert {row.check for row in run.rows if row.passed} >= {"unsupported-argument"}


def test_two_runs_of_one_name_are_two_files() -> None:
    with StandIn([Turn(text="a"), Turn(text="b")]) as here:
        paths = []
        for _ in range(2):
            with gw.Session("runs/cell.gw") as run:
                ask(run.watch(client_of(here)), "hello")
            paths.append(run.path)
    assert [path.name for path in paths if path] == ["cell.gw", "cell-2.gw"]


def test_retries_are_attempts_of_one_composed_call() -> None:
    script = [Failure(status=500, retry_after="0"), Turn(text="fine")]
    with StandIn(script) as here, gw.Session() as run:
        ask(run.watch(client_of(here)), "hello", tools=TOOLS)
    requests = entries(run.path, RequestEntry)
    assert [(r.attempt, r.composed, r.lane) for r in requests] == [(0, 0, 0), (1, 0, 0)]
    assert [r.status for r in entries(run.path, ResponseEntry)] == [500, 200]
    assert run.findings == ()


def test_fifty_runs_at_once_on_one_client_are_each_attributed(project: gw.Project) -> None:
    def answer(request: dict[str, Any]) -> Turn:
        return Turn(text=f"echo {request['messages'][-1]['content']}")

    with StandIn(answer) as here:
        client = project.watch(openai.AsyncOpenAI(base_url=f"{here.url}/v1", api_key=KEY))

        async def handle(number: int) -> tuple[Path | None, int]:
            async with project.session(tags={"number": str(number)}) as run:
                for turn in range(3):
                    stream = await client.chat.completions.create(
                        model="m",
                        stream=True,
                        messages=[{"role": "user", "content": f"run {number} turn {turn}"}],
                    )
                    async for _ in stream:
                        pass
            return run.path, number

        async def everybody() -> list[tuple[Path | None, int]]:
            ran = await asyncio.gather(*(handle(number) for number in range(50)))
            await client.close()
            return list(ran)

        done = asyncio.run(everybody())
    assert len({path for path, _ in done}) == 50
    for path, number in done:
        reader = reading(path)
        assert len(reader.exchanges) == 3
        for exchange in reader.exchanges:
            body = reader.body(exchange)
            assert isinstance(body, bytes)
            assert f"run {number} turn".encode() in body
            said = reader.answer(exchange)
            assert isinstance(said, bytes)
            assert said.rstrip().endswith(b"data: [DONE]")


def test_a_request_outside_any_run_is_passed_on_and_warned_of_once(project: gw.Project) -> None:
    with StandIn([Turn(text="a"), Turn(text="b")]) as here:
        client = project.watch(client_of(here))
        with pytest.warns(gw.UnwatchedRequest):
            ask(client, "hello")
        assert ask(client, "hello") == "b"
    assert project.outside == 2


def test_a_policy_can_refuse_requests_outside_any_run() -> None:
    project = gw.Project(Policy(outside_session="refuse"))
    with StandIn([Turn(text="a")]) as here:
        client = project.watch(client_of(here))
        with pytest.raises(gw.HostError) as error:
            ask(client, "hello")
    assert error.value.reason == "outside-session"
    assert here.requests == []


def test_a_policy_can_record_requests_outside_any_run() -> None:
    project = gw.Project(Policy(outside_session="record"))
    with StandIn([Turn(text="a")]) as here:
        ask(project.watch(client_of(here)), "hello")
    run = project.outside_run()
    project.close()
    assert run is not None
    assert len(entries(run.path, RequestEntry)) == 1


def test_a_run_ends_and_its_client_goes_on_in_the_next_one(project: gw.Project) -> None:
    with StandIn([Turn(text="a"), Turn(text="b")]) as here:
        client = project.watch(client_of(here))
        for _ in range(2):
            with project.session() as run:
                ask(client, "hello")
            assert len(entries(run.path, RequestEntry)) == 1


def test_an_early_close_keeps_the_prefix_and_says_so() -> None:
    with StandIn([Turn(text="a very long answer " * 200)]) as here, gw.Session() as run:
        client = run.watch(client_of(here))
        stream = client.chat.completions.create(
            model="m", stream=True, messages=[{"role": "user", "content": "hello"}]
        )
        next(iter(stream))
        stream.close()
    [response] = entries(run.path, ResponseEntry)
    assert response.outcome == "closed-early"
    assert response.captured > 0


def test_a_compressed_answer_is_kept_decoded_with_the_digest_of_what_came() -> None:
    with StandIn([Turn(text="plain again", coding="gzip")]) as here, gw.Session() as run:
        assert ask(run.watch(client_of(here)), "hello") == "plain again"
    [response] = entries(run.path, ResponseEntry)
    assert response.encoding == "gzip"
    assert response.outcome == "complete"
    body = reading(run.path).answer(0)
    assert isinstance(body, bytes)
    assert b"plain again" in body


def test_missing_tools_are_named_and_the_wire_manifest_stays_silent() -> None:
    with StandIn([Turn(text="a")]) as here, gw.Session() as run:
        run.tools(["look", "mend"])
        ask(run.watch(client_of(here)), "hello", tools=TOOLS)
    assert [(f.kind, f.seam) for f in run.findings] == [("missing-tools", "compose")]


def test_a_child_run_has_its_own_recording_and_names_its_parent() -> None:
    with StandIn([Turn(text="a"), Turn(text="b")]) as here, gw.Session("runs/p.gw") as run:
        client = run.watch(client_of(here))
        ask(client, "hello")
        with run.child("researcher") as child:
            ask(client, "dig")
    assert entries(child.path, Open)[0].parent == run.run_id
    assert len(entries(run.path, RequestEntry)) == len(entries(child.path, RequestEntry)) == 1


def test_attack_a_secret_in_a_childs_name_stands_in_no_file_and_no_name() -> None:
    secret = "sk-proj-" + "Ab9" * 14
    with gw.Session("runs/p.gw") as run, run.child(secret) as child:
        pass
    assert child.path is not None
    assert "sk-proj" not in child.path.name
    for path in (run.path, child.path):
        assert path is not None
        assert secret not in path.read_text()


def test_threads_without_a_context_report_to_the_run_that_watched() -> None:
    with StandIn([Turn(text="a")]) as here, gw.Session() as run:
        client = run.watch(client_of(here))
        thread = threading.Thread(target=ask, args=(client, "hello"))
        thread.start()
        thread.join(60)
        assert not thread.is_alive(), "it waits for ever"
    assert len(entries(run.path, RequestEntry)) == 1


def test_a_forked_child_never_writes_into_its_parents_run() -> None:
    with StandIn([Turn(text="a")]) as here, gw.Session("runs/fork.gw") as run:
        ask(run.watch(client_of(here)), "hello")
        before = run.path.read_bytes() if run.path else b""
        child = os.fork()
        if child == 0:
            run.sent("POST", "http://127.0.0.1/v1/chat/completions", (), b"{}")
            run.checkpoint_now()
            run.close()
            os._exit(0)
        os.waitpid(child, 0)
        assert run.path is not None
        assert run.path.read_bytes()[: len(before)] == before
        assert b"/v1/chat/completions" in before
        assert run.path.read_bytes().count(b'"@":"request/1"') == 1


def test_a_folder_that_cannot_be_written_stops_nothing_by_default(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file where the folder should be")
    with StandIn([Turn(text="a")]) as here:
        with pytest.warns(gw.RecordingWarning):
            run = gw.Session("runs/a.gw").open()
        assert ask(run.watch(client_of(here)), "hello") == "a"
        run.close()
    assert run.lost == 2
    assert run.path is None


def test_a_folder_that_cannot_be_written_stops_a_run_that_asked_for_it(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file where the folder should be")
    with pytest.raises(gw.HostError):
        gw.Session("runs/a.gw", project=gw.Project(Policy(on_recording_error="stop"))).open()


def test_a_sub_agent_a_router_and_a_summariser_on_one_client_evict_nothing() -> None:
    prompt = {"agent": "You operate.", "router": "Route this.", "summary": "Summarise this."}

    def answer(request: dict[str, Any]) -> Turn:
        system = request["messages"][0]["content"]
        if system != prompt["agent"]:
            return Turn(text="ops" if system == prompt["router"] else "two hosts were seen")
        if request["messages"][-1]["role"] == "user":
            host = request["messages"][-1]["content"].split()[-1]
            return Turn(calls=(Call("look", f'{{"host": "{host}"}}'),))
        return Turn(text="seen")

    declared = Policy(tools=(ToolDeclaration(name="look", arguments_from=("list",)),))

    async def agent(client: openai.AsyncOpenAI, host: str) -> None:
        async def say(messages: list[dict[str, Any]], system: str, *, tools: bool) -> Any:
            said = await client.chat.completions.create(
                model="m",
                messages=[{"role": "system", "content": prompt[system]}, *messages],
                tools=TOOLS if tools else openai.omit,
            )
            return said.choices[0].message

        talk: list[dict[str, Any]] = []
        for turn in range(4):
            talk.append({"role": "user", "content": f"turn {turn}: look at {host}-{turn}"})
            await say(talk[-1:], "router", tools=False)
            while True:
                said = await say(talk, "agent", tools=True)
                talk.append(said.model_dump(exclude_none=True))
                if not said.tool_calls:
                    break
                talk += [
                    {"role": "tool", "tool_call_id": c.id, "content": "up"} for c in said.tool_calls
                ]
            await say([*talk, {"role": "user", "content": "in short?"}], "summary", tools=False)

    async def both(here: StandIn, run: gw.Session) -> None:
        client = run.watch(openai.AsyncOpenAI(base_url=f"{here.url}/v1", api_key=KEY))
        await asyncio.gather(agent(client, "petrel"), agent(client, "gannet"))
        await client.close()

    with StandIn(answer) as here, gw.Session(project=gw.Project(declared)) as run:
        asyncio.run(both(here, run))
    assert run.findings == ()
    lanes: dict[int, set[str]] = {}
    reader = reading(run.path)
    for number in reader.exchanges:
        body = reader.body(number)
        assert isinstance(body, bytes)
        who = next(name for name, text in prompt.items() if text.encode() in body)
        lanes.setdefault(reader.request(number).lane, set()).add(who)
    assert all(len(kinds) == 1 for kinds in lanes.values())
    assert sum(kinds == {"agent"} for kinds in lanes.values()) == 2


SECRET = "sk-proj-Zk3vQ9mT1xR7cB5nL2pW8yH4dF6gJ0sA9eU3iO7rT1qX5zV8"


def test_planted_secrets_stand_in_no_file_and_equal_secrets_are_told_to_be_equal() -> None:
    def answer(request: dict[str, Any]) -> Turn:
        if request["messages"][-1]["role"] == "user":
            return Turn(calls=(Call("look", "{}"),))
        return Turn(calls=(Call("use", f'{{"key": "{SECRET}"}}'),))

    declared = Policy(tools=(ToolDeclaration(name="use", arguments_from=("look",)),))
    with StandIn(answer) as here, gw.Session(project=gw.Project(declared)) as run:
        client = run.watch(
            client_of(
                here,
                api_key=SECRET,
                default_query={"key": SECRET},
                default_headers={"x-extra": SECRET},
            )
        )
        talk: list[Any] = [{"role": "user", "content": f"my key is {SECRET}."}]
        for _ in range(2):
            stream = client.chat.completions.stream(model="m", messages=talk, tools=TOOLS)
            with stream as events:
                said = events.get_final_completion().choices[0].message
            talk.append(
                {
                    "role": "assistant",
                    "tool_calls": [
                        c.model_dump(exclude={"parsed_arguments"}) for c in said.tool_calls or ()
                    ],
                }
            )
            talk.append(
                {
                    "role": "tool",
                    "tool_call_id": (said.tool_calls or [])[0].id,
                    "content": f'{{"key": "{SECRET}"}}',
                }
            )
    assert run.path is not None
    for file in run.path.parent.rglob("*"):
        assert not file.is_file() or SECRET.encode() not in file.read_bytes(), file
    assert entries(run.path, CloseEntry)[0].withheld >= 3
    # The argument is the withheld secret that the tool result and the user gave.
    assert [f for f in run.findings if f.kind == "unsupported-argument"] == []


def test_results_that_the_policy_keeps_out_are_checked_live_and_stand_in_no_file() -> None:
    story_policy = Policy(
        tools=(
            ToolDeclaration(name="find_snapshot", arguments_from=("list_hosts",)),
            ToolDeclaration(name="list_hosts", content="commitments"),
        )
    )
    with StandIn(story.attentive()) as here, gw.Session(project=gw.Project(story_policy)) as run:
        client = run.watch(anthropic_client_of(here))
        agents.ask_with_anthropic(client, run, (story.FIRST_QUESTION, story.SECOND_QUESTION))
    assert run.findings == ()
    assert run.path is not None
    assert b"gannet-0491" not in run.path.read_bytes()
