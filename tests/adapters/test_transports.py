"""The tap sits at the innermost transport: what the user's own transports change is seen."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from groundwire.adapters.recognise import watch
from groundwire.adapters.tap import Tap
from groundwire.errors import PolicyError
from groundwire.testing.standin import StandIn
from groundwire.testing.turns import Turn
from tests.adapters.watching import DOORS, Door, MemoryWatcher, closed, each

pytestmark = pytest.mark.parametrize("door", DOORS, ids=repr)

TURN = Turn(text="Hall 4.")


def rewritten(change: Callable[[dict[str, Any]], None]) -> Callable[[bytes], bytes]:
    """A change of the decoded body, as a change of its bytes."""

    def apply(body: bytes) -> bytes:
        document = msgspec.json.decode(body)
        change(document)
        return msgspec.json.encode(document)

    return apply


def dropped_first(document: dict[str, Any]) -> None:
    del document["tools"][0]


def added_one(document: dict[str, Any]) -> None:
    document["tools"].append({"type": "custom", "name": "smuggled"})


async def crossed(door: Door, transport: Any) -> tuple[MemoryWatcher, bytes]:
    """What a watched call with two tools told, and the body that arrived."""
    watcher = MemoryWatcher()
    with StandIn([TURN]) as standin:
        client = door.watched(standin.url, watcher, transport)
        said = await door.ask(client, tools=door.tools("lookup", "restart"))
        await closed(client)
    assert said == "Hall 4."
    return watcher, standin.requests[0].body


def offered(body: bytes) -> list[str]:
    """Names of the tools in a body."""
    tools = msgspec.json.decode(body)["tools"]
    return [tool.get("function", tool)["name"] for tool in tools]


@pytest.mark.parametrize(
    ("change", "left"),
    [(dropped_first, ["restart"]), (added_one, ["lookup", "restart", "smuggled"])],
)
async def test_a_transport_that_drops_or_adds_a_tool_is_seen(door: Door, change, left):
    watcher, arrived = await crossed(door, door.wrapping(door.transport(), rewritten(change)))
    assert watcher.only.tools == ("lookup", "restart")
    assert offered(watcher.only.body) == left
    assert watcher.only.body == arrived


async def test_a_subclass_of_the_transport_that_drops_a_tool_is_seen(door: Door):
    parent: Any = type(door.transport())
    package = door.package

    def less(request: Any) -> Any:
        content = rewritten(dropped_first)(request.content)
        headers = [(k, v) for k, v in request.headers.raw if k.lower() != b"content-length"]
        return package.Request(request.method, request.url, headers=headers, content=content)

    class Dropping(parent):
        def handle_request(self, request: Any) -> Any:
            return super().handle_request(less(request))

        async def handle_async_request(self, request: Any) -> Any:
            return await super().handle_async_request(less(request))

    watcher, arrived = await crossed(door, Dropping())
    assert offered(watcher.only.body) == ["restart"]
    assert watcher.only.body == arrived


async def test_an_event_hook_that_exchanges_the_stream_is_seen(door: Door):
    def exchange(request: Any) -> None:
        body = rewritten(dropped_first)(request.content)
        request.headers["content-length"] = str(len(body))
        request.stream = door.package.ByteStream(body)

    async def exchange_awaited(request: Any) -> None:
        exchange(request)

    hook = exchange_awaited if door.awaited else exchange
    http = door.http(transport=door.transport(), event_hooks={"request": [hook]})
    watcher = MemoryWatcher()
    with StandIn([TURN]) as standin:
        client = watch(door.client(standin.url, http_client=http), watcher)
        await door.ask(client, tools=door.tools("lookup", "restart"))
        await closed(client)
    assert watcher.only.body == standin.requests[0].body
    assert offered(watcher.only.body) == ["restart"]


async def test_transports_in_transports_in_containers_are_told_once(door: Door):
    inner = door.wrapping(door.transport(), rewritten(dropped_first))
    outer = door.wrapping(inner, spare=[door.transport()], by_name={"also": inner})
    outer.itself = outer
    watcher, arrived = await crossed(door, outer)
    assert watcher.only.body == arrived


async def test_two_wrappers_of_one_transport_are_each_told_from_inside(door: Door):
    shared = door.transport()
    outer = door.wrapping(door.wrapping(shared, rewritten(dropped_first)))
    used = vars(outer).pop("inner")
    outer.aside, outer.inner = door.wrapping(shared), used  # the pool is found in the first one
    watcher, arrived = await crossed(door, outer)
    assert watcher.only.body == arrived
    assert offered(arrived) == ["restart"]


async def test_a_transport_that_sends_through_a_client_of_its_own_is_seen(door: Door):
    http = door.http(transport=door.transport())
    package = door.package

    class Forwarding(package.AsyncBaseTransport if door.awaited else package.BaseTransport):
        def __init__(self) -> None:
            self.http = http

        def again(self, request: Any) -> Any:
            body = rewritten(dropped_first)(request.content)
            headers = {"content-type": "application/json"}
            return self.http.build_request("POST", request.url, content=body, headers=headers)

        def handle_request(self, request: Any) -> Any:
            return self.http.send(self.again(request), stream=True)

        async def handle_async_request(self, request: Any) -> Any:
            return await self.http.send(self.again(request), stream=True)

        def close(self) -> None:
            self.http.close()

        async def aclose(self) -> None:
            await self.http.aclose()

    watcher, arrived = await crossed(door, Forwarding())
    assert watcher.only.body == arrived
    assert offered(arrived) == ["restart"]


async def test_a_body_that_can_be_read_once_is_told_and_still_leaves(door: Door):
    package = door.package
    inner = door.transport()

    def parts(body: bytes):
        yield body[:7]
        yield body[7:]

    async def parts_awaited(body: bytes):
        for part in parts(body):
            yield part

    class Restreaming(package.AsyncBaseTransport if door.awaited else package.BaseTransport):
        def __init__(self) -> None:
            self.inner = inner

        def again(self, request: Any) -> Any:
            made = parts_awaited if door.awaited else parts
            headers = {"host": request.headers["host"], "content-type": "application/json"}
            headers["content-length"] = request.headers["content-length"]
            body = made(request.content)
            return package.Request("POST", request.url, headers=headers, content=body)

        def handle_request(self, request: Any) -> Any:
            return self.inner.handle_request(self.again(request))

        async def handle_async_request(self, request: Any) -> Any:
            return await self.inner.handle_async_request(self.again(request))

        def close(self) -> None:
            self.inner.close()

        async def aclose(self) -> None:
            await self.inner.aclose()

    watcher, arrived = await crossed(door, Restreaming())
    assert watcher.only.body == arrived


@pytest.mark.parametrize("whole", [True, False])
async def test_a_mock_transport_is_tapped_itself(door: Door, whole):
    if door.is_openai:
        answer = b'{"id": "c", "choices": [{"index": 0, "message": {"content": "Hall 4."}}]}'
    else:
        answer = b'{"id": "c", "content": [{"type": "text", "text": "Hall 4."}]}'
    asked = []

    def parts():
        yield answer[:10]
        yield answer[10:]

    async def parts_awaited():
        for part in parts():
            yield part

    def handler(request: Any) -> Any:
        asked.append(request.content)
        streamed = parts_awaited() if door.awaited else parts()
        headers = {"content-type": "application/json"}
        content = answer if whole else streamed
        return door.package.Response(200, headers=headers, content=content)

    watcher = MemoryWatcher()
    transport = door.package.MockTransport(handler)
    client = door.watched("http://127.0.0.1:9", watcher, transport)
    assert await door.ask(client) == "Hall 4."
    await closed(client)
    assert watcher.only.body == asked[0]
    assert watcher.only.data == answer
    assert watcher.only.ends == [("whole", "")]
    assert client._client._transport is transport


async def test_an_application_served_in_process_is_tapped_at_its_transport(door: Door):
    if not door.awaited:
        pytest.skip("ASGI is awaited")
    answer = (
        b'data: {"choices": [{"index": 0, "delta": {"content": "Hall 4."}}]}\n\ndata: [DONE]\n\n'
    )

    async def application(scope, receive, send):
        await receive()
        headers = [(b"content-type", b"text/event-stream")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": answer[:20], "more_body": True})
        await send({"type": "http.response.body", "body": answer[20:]})

    watcher = MemoryWatcher()
    transport = door.package.ASGITransport(application)
    client = door.watched("http://127.0.0.1:9", watcher, transport)
    await door.ask(client, stream=True)
    await closed(client)
    assert answer.startswith(watcher.only.data)
    assert b"[DONE]" in watcher.only.data


async def test_mounted_transports_are_tapped(door: Door):
    http = door.http(verify=False, mounts={"http://": door.wrapping(door.transport())})
    watcher = MemoryWatcher()
    with StandIn([TURN]) as standin:
        client = watch(door.client(standin.url, http_client=http), watcher)
        await door.ask(client)
        await closed(client)
    assert watcher.only.body == standin.requests[0].body


async def test_a_request_through_a_proxy_is_told_with_its_real_target(door: Door):
    watcher = MemoryWatcher()
    with StandIn([TURN]) as proxy:
        http = door.http(verify=False, proxy=proxy.url)
        client = watch(door.client("http://provider.invalid", http_client=http), watcher)
        assert await door.ask(client) == "Hall 4."
        await closed(client)
    assert watcher.only.url.startswith("http://provider.invalid/v1/")
    assert watcher.only.body == proxy.requests[0].body


async def test_a_transport_shared_with_an_unwatched_client_tells_only_of_the_watched(door: Door):
    transport, watcher = door.transport(), MemoryWatcher()
    with StandIn(lambda _request: TURN) as standin:
        watched = door.watched(standin.url, watcher, transport)
        other = door.client(standin.url, transport)
        sharing = door.client(standin.url, http_client=watched._client)
        for client, text in ((other, "a"), (watched, "b"), (sharing, "c"), (watched, "d")):
            await door.ask(client, text)
        await closed(watched)
    assert [b'"b"' in told.body or b'"d"' in told.body for told in watcher.attempts] == [True] * 2


async def test_a_request_inside_a_tap_is_told_once(door: Door):
    """A transport whose inner one cannot be found is tapped itself; the inner one may be, too."""
    shared, watcher = door.transport(), MemoryWatcher()
    with StandIn([TURN]) as standin:
        also = door.watched(standin.url, MemoryWatcher(), shared)

        def hidden(request: Any) -> Any:
            return shared.handle_request(request)

        async def hidden_awaited(request: Any) -> Any:
            return await shared.handle_async_request(request)

        outer = door.package.MockTransport(hidden_awaited if door.awaited else hidden)
        client = door.watched(standin.url, watcher, outer)
        assert await door.ask(client) == "Hall 4."
        await closed(client)
        await closed(also)
    assert watcher.only.body == standin.requests[0].body


async def test_two_watched_clients_on_one_transport_tell_each_their_own_watcher(door: Door):
    transport, first, second = door.transport(), MemoryWatcher(), MemoryWatcher()
    with StandIn(lambda _request: TURN) as standin:
        one = door.watched(standin.url, first, transport)
        two = door.watched(standin.url, second, transport)
        await door.ask(one, "to the first")
        await door.ask(two, "to the second")
        await closed(one)
    assert b"to the first" in first.only.body
    assert b"to the second" in second.only.body


async def test_a_transport_exchanged_after_watching_is_tapped_too(door: Door):
    watcher = MemoryWatcher()
    with StandIn([TURN]) as standin:
        client = door.watched(standin.url, watcher)
        before, client._client._transport = client._client._transport, door.transport()
        await door.ask(client)
        await closed(client)
        client._client._transport = before
    assert watcher.only.body == standin.requests[0].body


async def test_a_transport_that_takes_no_attribute_is_refused_by_name(door: Door):
    class Rigid:
        __slots__ = ()

        def handle_request(self, request: Any) -> Any: ...

        def handle_async_request(self, request: Any) -> Any: ...

        def close(self) -> None: ...

        async def aclose(self) -> None: ...

    client = door.client("http://127.0.0.1:9", Rigid())
    with pytest.raises(PolicyError, match="Rigid") as caught:
        watch(client, MemoryWatcher())
    assert caught.value.reason == "untappable-transport"
    await closed(client)


async def test_a_pool_class_patched_later_still_gets_its_way(door: Door, monkeypatch, caplog):
    watcher = MemoryWatcher()
    with StandIn([TURN]) as standin:
        client = door.watched(standin.url, watcher)
        pool = type(client._client._transport._pool)
        name = "handle_async_request" if door.awaited else "handle_request"
        original, patched = getattr(pool, name), []

        def replacement(self: Any, request: Any) -> Any:
            patched.append(request)
            return original(self, request)

        monkeypatch.setattr(pool, name, replacement)
        await door.ask(client)
        await closed(client)
    assert len(patched) == 1
    assert watcher.only.body == standin.requests[0].body


async def test_an_attribute_that_stood_on_the_transport_is_called_as_before(door: Door):
    transport, seen = door.transport(), []
    pool = transport._pool
    name = "handle_async_request" if door.awaited else "handle_request"
    before = getattr(pool, name)

    def instrumented(request: Any) -> Any:
        seen.append(request)
        return before(request)

    setattr(pool, name, instrumented)
    watcher, arrived = await crossed(door, transport)
    assert len(seen) == 1
    assert watcher.only.body == arrived


async def test_taps_do_not_pile_up(door: Door):
    transport, watcher = door.transport(), MemoryWatcher()
    client = door.watched("http://127.0.0.1:9", watcher, transport)
    for _ in range(3):
        watch(client, watcher)
    name = "handle_async_request" if door.awaited else "handle_request"
    tap = vars(transport._pool)[name]
    assert isinstance(tap, Tap)
    assert tap._before is None
    await closed(client)


async def test_a_response_that_cannot_be_read_is_passed_on_and_its_attempt_ends(door: Door, caplog):
    class Odd:
        status_code = 200

    package = door.package

    class Outer(package.AsyncBaseTransport if door.awaited else package.BaseTransport):
        def handle_request(self, request: Any) -> Any:
            return Odd()

        async def handle_async_request(self, request: Any) -> Any:
            return Odd()

    watcher = MemoryWatcher()
    client = door.watched("http://127.0.0.1:9", watcher, Outer())
    with caplog.at_level(logging.WARNING, "groundwire"), pytest.raises(Exception):  # noqa: B017,PT011 -- httpx's own
        await door.ask(client)
    await closed(client)
    assert watcher.only.ends == [("error", "UnreadableResponse")]


async def test_a_stream_iterated_again_goes_on_where_it_stopped(door: Door):
    """A mock's stream starts anew when iterated anew: the tap must not tell its chunks twice."""
    if not door.is_openai:
        pytest.skip("only this SDK iterates twice, to drain")
    events = [b'data: {"choices": []}\n\n', b"data: [DONE]\n\n", b": trailing\n\n"]
    package = door.package

    class Restarting(package.AsyncByteStream if door.awaited else package.SyncByteStream):
        def __iter__(self):
            yield from events

        async def __aiter__(self):
            for event in events:
                yield event

    def handler(_request: Any) -> Any:
        headers = {"content-type": "text/event-stream"}
        extensions = {"http_version": b"HTTP/1.1"}
        return package.Response(200, headers=headers, stream=Restarting(), extensions=extensions)

    watcher = MemoryWatcher()
    client = door.watched("http://127.0.0.1:9", watcher, package.MockTransport(handler))
    stream = (
        await door.asking(client, stream=True) if door.awaited else door.asking(client, stream=True)
    )
    assert [event async for event in each(stream)]
    await closed(client)
    assert b"".join(events).startswith(watcher.only.data)
    assert watcher.only.data.count(b"[DONE]") == 1
