"""A watched client is the client it was; the tools composed are read before serialisation."""

from __future__ import annotations

import asyncio
import concurrent.futures
import copy
import logging
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import openai
import pytest

from groundwire.adapters.hooks import listed_names
from groundwire.adapters.openai import composed_tools
from groundwire.adapters.recognise import watch
from groundwire.errors import GroundwireError, HostError, PolicyError
from groundwire.testing.standin import StandIn
from groundwire.testing.turns import Call, Failure, Turn
from tests.adapters.watching import (
    DOORS,
    Door,
    MemoryWatcher,
    SeenAttempt,
    closed,
    current_run,
    each,
    settled,
)

every_door = pytest.mark.parametrize("door", DOORS, ids=repr)
TURN = Turn(text="Hall 4.", calls=(Call("lookup", '{"name": "pump-0417"}'),))


def answering(_request: dict[str, Any]) -> Turn:
    return TURN


@every_door
async def test_the_same_object_comes_back_looking_as_it_did(door: Door):
    client = door.client("http://127.0.0.1:9")
    kind, shown = type(client), repr(type(client))
    attributes = set(vars(client))
    assert watch(client, MemoryWatcher()) is client
    assert isinstance(client, kind)
    assert (type(client).__name__, repr(type(client))) == (kind.__name__, shown)
    assert set(vars(client)) - attributes == {"_groundwire_watching"}
    assert type(client._client._transport) is type(door.transport())
    await closed(client)


@every_door
async def test_watching_twice_tells_once_and_the_latest_watcher(door: Door):
    first, second = MemoryWatcher(), MemoryWatcher()
    with StandIn(answering) as standin:
        client = door.watched(standin.url, first)
        assert watch(client, first) is client
        await door.ask(client)
        watch(client, second)
        await door.ask(client)
        await closed(client)
    assert len(first.attempts) == len(first.calls) == 1
    assert len(second.attempts) == len(second.calls) == 1


@every_door
async def test_copies_stay_watched(door: Door):
    watcher = MemoryWatcher()
    with StandIn(answering) as standin:
        client = door.watched(standin.url, watcher)
        await door.ask(client.with_options(timeout=9), "a")
        await door.ask(client.copy(max_retries=1).with_options(timeout=8), "b")
        await door.ask(copy.copy(client), "c")
        if hasattr(client, "with_middleware"):
            await door.ask(client.with_middleware(), "d")
        await closed(client)
    assert [told.body for told in watcher.attempts] == [r.body for r in standin.requests]
    assert len(watcher.calls) == len(watcher.attempts)


@every_door
async def test_resources_taken_before_watching_are_watched(door: Door):
    watcher = MemoryWatcher()
    with StandIn(answering) as standin:
        client = door.client(standin.url)
        ask = client.chat.completions.create if door.is_openai else client.messages.create
        watch(client, watcher)
        messages = [{"role": "user", "content": "Which?"}]
        limit = {} if door.is_openai else {"max_tokens": 9}
        await settled(ask(model="m-1", messages=messages, **limit))
        await closed(client)
    assert watcher.only.body == standin.requests[0].body


@every_door
async def test_tools_in_the_extra_body_count_as_composed(door: Door):
    watcher = MemoryWatcher()
    with StandIn(answering) as standin:
        client = door.watched(standin.url, watcher)
        await door.ask(
            client, tools=door.tools("lookup"), extra_body={"tools": door.tools("restart")}
        )
        await closed(client)
    assert watcher.only.tools == ("restart",)
    assert b"restart" in standin.requests[0].body
    assert b"lookup" not in standin.requests[0].body


@every_door
async def test_a_call_without_tools_composes_none_of_them(door: Door):
    watcher = MemoryWatcher()
    with StandIn(answering) as standin:
        client = door.watched(standin.url, watcher)
        await door.ask(client)
        await closed(client)
    assert watcher.only.tools == ()


@every_door
async def test_options_that_lack_the_arguments_are_told_as_not_read(door: Door):
    """What a later version of the SDK might do: the channel is unreachable, the call goes on."""
    watcher = MemoryWatcher()
    with StandIn(answering) as standin:
        client = door.client(standin.url)
        kind = type(client)

        class Hidden:
            def __init__(self, options: Any) -> None:
                self.options = options

        class Later(kind):
            def post(self, path: str, *, cast_to: Any, body: Any = None, **_named: Any) -> Any:
                made = door.sdk._models.FinalRequestOptions.construct
                options = made(method="post", url=path, json_data=body)
                return self.request(cast_to, Hidden(options))

            def request(self, cast_to: Any, options: Any, **named: Any) -> Any:
                return super().request(cast_to, options.options, **named)

        client.__class__ = Later
        watch(client, watcher)
        await door.ask(client, tools=door.tools("lookup"))
        await closed(client)
    assert watcher.only.tools is None
    assert watcher.only.body == standin.requests[0].body


class Stopping(MemoryWatcher):
    """A watcher whose policy stops the agent."""

    def sent(self, *arguments: Any) -> SeenAttempt:
        raise HostError("recording-failed", "The disk is full; free some and run again.")


@every_door
async def test_a_policy_that_stops_reaches_the_caller_and_nothing_leaves(door: Door):
    with StandIn([]) as standin:
        client = door.watched(standin.url, Stopping(), max_retries=5)
        for stream in (False, True):
            with pytest.raises(HostError, match="disk is full") as caught:
                await door.ask(client, stream=stream)
            assert caught.value.reason == "recording-failed"
        await closed(client)
    assert standin.requests == []


@every_door
async def test_a_transport_that_swallows_every_exception_does_not_swallow_a_stop(door: Door):
    package, tries = door.package, []

    class Stubborn(package.AsyncBaseTransport if door.awaited else package.BaseTransport):
        def __init__(self) -> None:
            self.inner = door.transport()

        def handle_request(self, request: Any) -> Any:
            for _ in range(3):
                try:
                    tries.append(1)
                    return self.inner.handle_request(request)
                except Exception:
                    continue
            return package.Response(200, json={})

        async def handle_async_request(self, request: Any) -> Any:
            for _ in range(3):
                try:
                    tries.append(1)
                    return await self.inner.handle_async_request(request)
                except Exception:
                    continue
            return package.Response(200, json={})

    client = door.watched("http://127.0.0.1:9", Stopping(), Stubborn())
    with pytest.raises(HostError):
        await door.ask(client)
    assert len(tries) == 1
    await closed(client)


class Breaking(MemoryWatcher):
    """A watcher that fails at one place."""

    def __init__(self, where: str) -> None:
        super().__init__()
        self.where = where

    def fails(self, where: str) -> None:
        if where == self.where:
            raise GroundwireError("broken", f"broken at {where}")

    def composed(self, tools: Any) -> Any:
        self.fails("composed")
        watcher, inner = self, super().composed

        @contextmanager
        def context():
            watcher.fails("entering")
            with inner(tools):
                yield
            watcher.fails("leaving")

        return context()

    def sent(self, *arguments: Any) -> Any:
        self.fails("sent")
        attempt = super().sent(*arguments)
        for name in ("responded", "chunk", "ended"):
            setattr(attempt, name, self.failing(getattr(attempt, name), name))
        return attempt

    def failing(self, method: Any, name: str) -> Any:
        def called(*arguments: Any) -> None:
            self.fails(name)
            method(*arguments)

        return called


PLACES = ["composed", "entering", "leaving", "sent", "responded", "chunk", "ended"]


@every_door
@pytest.mark.parametrize("where", PLACES)
@pytest.mark.parametrize("stream", [False, True])
async def test_a_watcher_that_fails_changes_nothing_and_is_logged(
    door: Door, where, stream, caplog
):
    watcher = Breaking(where)
    with StandIn([TURN]) as standin, caplog.at_level(logging.WARNING, "groundwire"):
        client = door.watched(standin.url, watcher)
        assert await door.ask(client, stream=stream) == "Hall 4."
        await closed(client)
    assert "could not watch" in caplog.text
    if where in ("responded", "chunk"):  # told no more, for a gap would lie
        assert watcher.only.ends == [("error", "WatcherFailed")]
        assert watcher.only.chunks == []


@every_door
async def test_a_watcher_may_leave_a_request_unrecorded(door: Door):
    class Declining(MemoryWatcher):
        def sent(self, *arguments: Any) -> None:
            return None

    with StandIn([TURN]) as standin:
        client = door.watched(standin.url, Declining())
        assert await door.ask(client, stream=True) == "Hall 4."
        await closed(client)


@every_door
async def test_a_get_is_not_composed_and_not_told(door: Door):
    watcher = MemoryWatcher()
    client = door.watched("http://127.0.0.1:9", watcher)
    with pytest.raises(door.sdk.APIConnectionError):
        await settled(client.models.retrieve("m-1"))
    await closed(client)
    assert watcher.calls == []
    assert watcher.attempts == []


@pytest.mark.parametrize("door", [door for door in DOORS if door.awaited], ids=repr)
async def test_fifty_concurrent_runs_on_one_client_are_all_attributed(door: Door):
    watcher = MemoryWatcher()

    async def run(name: str) -> None:
        current_run.set(name)
        for step in range(3):
            stream = step % 2 == 0
            said = await door.ask(client, f"{name}:{step}", tools=door.tools(name), stream=stream)
            assert said == f"{name}:{step}"

    with StandIn(lambda request: Turn(text=request["messages"][0]["content"])) as standin:
        client = door.watched(standin.url, watcher)
        await asyncio.gather(*(run(f"run-{number}") for number in range(50)))
        await closed(client)
    assert len(watcher.attempts) == 150
    for told in watcher.attempts:
        assert f'"{told.run}:'.encode() in told.body
        assert told.tools == (told.run,)
        assert len(told.ends) == 1
    assert sorted(t.body for t in watcher.attempts) == sorted(r.body for r in standin.requests)


@pytest.mark.parametrize("door", [door for door in DOORS if not door.awaited], ids=repr)
def test_twenty_threads_on_one_client_are_all_attributed(door: Door):
    watcher = MemoryWatcher()

    def run(name: str) -> None:
        current_run.set(name)
        for step in range(3):
            asyncio.run(door.ask(client, f"{name}:{step}", tools=door.tools(name), stream=True))

    with StandIn(lambda request: Turn(text=request["messages"][0]["content"])) as standin:
        client = door.watched(standin.url, watcher)
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            list(pool.map(run, [f"run-{number}" for number in range(20)]))
        client.close()
    assert len(watcher.attempts) == 60
    for told in watcher.attempts:
        assert f'"{told.run}:'.encode() in told.body
        assert told.tools == (told.run,)
        assert len(told.ends) == 1


@pytest.mark.parametrize(
    "client",
    [None, "openai", object(), openai, openai.OpenAI],
    ids=["none", "a-name", "an-object", "the-module", "the-class"],
)
def test_what_is_no_client_is_refused_and_the_known_ones_are_named(client):
    with pytest.raises(PolicyError, match=r"openai\.OpenAI.*anthropic\.Anthropic") as caught:
        watch(client, MemoryWatcher())
    assert caught.value.reason == "unknown-client"


def test_a_resource_of_a_client_is_refused():
    client = openai.OpenAI(api_key="unused")
    with pytest.raises(PolicyError, match="Chat") as caught:
        watch(client.chat, MemoryWatcher())
    assert caught.value.reason == "unknown-client"
    client.close()


def test_a_client_of_a_version_without_the_hook_is_refused(monkeypatch):
    client = openai.OpenAI(api_key="unused")
    monkeypatch.setattr(openai._base_client.SyncAPIClient, "request", None)
    with pytest.raises(PolicyError) as caught:
        watch(client, MemoryWatcher())
    assert caught.value.reason == "unknown-client"
    client.close()


@pytest.mark.parametrize(
    ("tools", "names"),
    [
        (None, ()),
        (openai.omit, ()),
        (openai.NOT_GIVEN, ()),
        ([], ()),
        ([{"type": "function", "function": {"name": "lookup"}}], ("lookup",)),
        ([{"type": "custom", "custom": {"name": "grammar"}}], ("grammar",)),
        (
            [{"type": "function", "name": "lookup"}, {"type": "web_search"}],
            ("lookup", "web_search"),
        ),
        ([{"type": "web_search_20250305", "name": "web_search"}], ("web_search",)),
        ([{"type": "mcp", "server_label": "desk"}], ("mcp",)),
        (({"name": "a"}, {"name": "b"}, {"name": "a"}), ("a", "b", "a")),
        ([{"type": "namespace", "name": "n", "tools": [{"name": "a"}]}, {"name": "b"}], ("a", "b")),
        ([SimpleNamespace(name="a", type="custom")], ("a",)),
        ([{"name": "a"}, {"schema": 1}], None),
        (iter([{"name": "a"}]), None),
        ("lookup", None),
    ],
)
def test_tools_are_named_as_on_the_wire_or_not_at_all(tools, names):
    assert listed_names(tools) == names


def test_an_iterator_of_tools_is_not_used_up():
    tools = iter([{"name": "a"}])
    assert listed_names(tools) is None
    assert list(tools) == [{"name": "a"}]


def test_the_older_spelling_of_functions_is_read_too():
    named = {
        "tools": [{"type": "function", "function": {"name": "a"}}],
        "functions": [{"name": "b"}],
    }
    assert composed_tools(named) == ("a", "b")
    assert composed_tools({"functions": "b"}) is None


async def test_every_resource_of_openai_is_seen_with_its_tools():
    watcher = MemoryWatcher()
    function = {"type": "function", "name": "lookup", "parameters": {}, "strict": False}
    chat_tool = {"type": "function", "function": {"name": "lookup", "parameters": {}}}
    messages: Any = [{"role": "user", "content": "Which?"}]
    with StandIn(answering) as standin:
        client = watch(openai.OpenAI(base_url=f"{standin.url}/v1", api_key="unused"), watcher)
        tools: Any = [function, {"type": "web_search"}]
        client.responses.create(model="m-1", input="Which?", tools=tools)
        client.responses.parse(model="m-1", input="Which?", tools=tools)
        with client.responses.stream(model="m-1", input="Which?", tools=tools) as events:
            assert events.get_final_response().output_text == "Hall 4."
        chat: Any = [chat_tool]
        client.chat.completions.parse(model="m-1", messages=messages, tools=chat[:0])
        with client.chat.completions.stream(model="m-1", messages=messages, tools=chat) as events:
            last = events.get_final_completion().choices[0].message
        assert last.content == "Hall 4."
        client.close()
    both, one = ("lookup", "web_search"), ("lookup",)
    assert [told.tools for told in watcher.attempts] == [both, both, both, (), one]
    assert [told.body for told in watcher.attempts] == [r.body for r in standin.requests]


async def test_azures_clients_are_watched():
    watcher = MemoryWatcher()
    with StandIn(answering) as standin:
        given: Any = {"azure_endpoint": standin.url, "api_key": "unused", "api_version": "1"}
        client = watch(openai.AzureOpenAI(**given), watcher)
        client.chat.completions.create(model="m-1", messages=[])
        client.with_options(timeout=5).chat.completions.create(model="m-1", messages=[])
        client.close()
        awaited = watch(openai.AsyncAzureOpenAI(**given), watcher)
        await awaited.chat.completions.create(model="m-1", messages=[])
        await awaited.close()
    path = "/openai/deployments/m-1/chat/completions?api-version=1"
    assert [told.url for told in watcher.attempts] == [standin.url + path] * 3


@pytest.mark.parametrize("door", [door for door in DOORS if not door.is_openai], ids=repr)
async def test_the_stream_helper_of_anthropic_is_seen(door: Door):
    watcher = MemoryWatcher()
    asked: Any = {"model": "m-1", "max_tokens": 9, "messages": [{"role": "user", "content": "?"}]}
    asked["tools"] = [*door.tools("lookup"), {"type": "web_search_20250305", "name": "web_search"}]
    with StandIn(answering) as standin:
        client = door.watched(standin.url, watcher)
        for resource in (client.messages, client.beta.messages):
            manager = resource.stream(**asked)
            if door.awaited:
                async with manager as stream:
                    said = await stream.get_final_text()
            else:
                with manager as stream:
                    said = stream.get_final_text()
            assert said == "Hall 4."
        await closed(client)
    assert [told.tools for told in watcher.attempts] == [("lookup", "web_search")] * 2
    for told, arrived in zip(watcher.attempts, standin.requests, strict=True):
        assert told.body == arrived.body
        assert told.data == arrived.replied


@pytest.mark.parametrize("door", [door for door in DOORS if not door.is_openai], ids=repr)
async def test_what_a_middleware_changes_or_sends_again_is_told_as_it_left(door: Door):
    watcher = MemoryWatcher()

    def less(request: Any) -> Any:
        body = dict(request.options.json_data)
        return request.copy(body=body | {"tools": body["tools"][1:]})

    def twice(request: Any, call_next: Any) -> Any:
        call_next(less(request))
        return call_next(request)

    async def twice_awaited(request: Any, call_next: Any) -> Any:
        await call_next(less(request))
        return await call_next(request)

    with StandIn(answering) as standin:
        middleware = [twice_awaited if door.awaited else twice]
        client = watch(door.client(standin.url, middleware=middleware), watcher)
        await door.ask(client, tools=door.tools("lookup", "restart"))
        await closed(client)
    assert [told.body for told in watcher.attempts] == [r.body for r in standin.requests]
    assert [b"lookup" in told.body for told in watcher.attempts] == [False, True]
    assert {told.composed for told in watcher.attempts} == {(1, ("lookup", "restart"))}


@pytest.mark.parametrize("door", [door for door in DOORS if not door.is_openai], ids=repr)
async def test_an_attempt_made_after_the_call_returned_is_told_too(door: Door):
    """A middleware may ask again while the caller reads: the SDK goes through its attempt."""
    watcher = MemoryWatcher()
    with StandIn(answering) as standin:
        client = door.watched(standin.url, watcher)
        made = door.sdk._models.FinalRequestOptions.construct(
            method="post",
            url="/v1/messages",
            json_data={"model": "m-1", "messages": [], "tools": door.tools("lookup")},
        )
        response, _options = await settled(client._attempt_request(made))
        assert response.status_code == 200
        await closed(client)
    assert watcher.only.body == standin.requests[0].body
    assert watcher.only.tools == ("lookup",)


@every_door
async def test_a_stream_read_in_another_task_still_belongs_to_its_run(door: Door):
    watcher = MemoryWatcher()
    with StandIn(answering) as standin:
        client = door.watched(standin.url, watcher)
        current_run.set("the asking one")
        stream = await settled(door.asking(client, stream=True))

        async def read() -> str:
            current_run.set("the reading one")
            return "".join([door.text_of(event) async for event in each(stream)])

        assert await asyncio.create_task(read()) == "Hall 4."
        await closed(client)
    assert watcher.only.run == "the asking one"
    assert b"Hall" in watcher.only.data


@every_door
async def test_a_refused_retry_is_one_call_with_two_attempts(door: Door):
    watcher = MemoryWatcher()
    with StandIn([Failure(status=503, retry_after="0.001"), Failure(status=503)]) as standin:
        client = door.watched(standin.url, watcher, max_retries=1)
        with pytest.raises(door.sdk.InternalServerError):
            await door.ask(client)
        await closed(client)
    assert [told.status for told in watcher.attempts] == [503, 503]
    assert len(watcher.calls) == 1
    assert len(standin.requests) == 2
