"""Every door: what is told is what crossed, and what the SDK reads is what came."""

from __future__ import annotations

import asyncio
import socket

import pytest

from groundwire.adapters.recognise import watch
from groundwire.testing.standin import StandIn
from groundwire.testing.turns import Call, Failure, Gate, Hangup, Turn
from tests.adapters.watching import DOORS, Door, MemoryWatcher, closed, each, settled

pytestmark = pytest.mark.parametrize("door", DOORS, ids=repr)

SPOKEN = "The pump in hall 4 answers to pump-0417; ask it by that name. " * 3
TURN = Turn(text=SPOKEN, calls=(Call("lookup", '{"name": "pump-0417"}'),))


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("coding", ["identity", "gzip", "br", "zstd"])
async def test_the_bytes_that_crossed_are_told_below_content_coding(door: Door, stream, coding):
    watcher = MemoryWatcher()
    with StandIn([Turn(text=SPOKEN, coding=coding)]) as standin:
        client = door.watched(standin.url, watcher)
        said = await door.ask(client, stream=stream)
        await closed(client)
    (arrived,) = standin.requests
    told = watcher.only
    assert said == SPOKEN
    assert (told.method, told.url) == ("POST", standin.url + arrived.path)
    assert told.body == arrived.body
    assert dict(told.headers).items() >= {"Content-Length": str(len(arrived.body))}.items()
    assert told.status == 200
    assert arrived.replied.startswith(told.data)
    accepted = coding in arrived.header("accept-encoding")  # zstd needs what may not be installed
    sent_as = dict(told.response_headers).get("content-encoding", "identity")
    assert sent_as == (coding if accepted else "identity")
    assert told.end in ("whole", "closed")  # a client may stop at the protocol's own terminator
    if told.end == "whole":
        assert told.data == arrived.replied


@pytest.mark.parametrize("coding", ["identity", "gzip"])
async def test_a_watched_client_reads_the_same_chunks_as_an_unwatched_one(door: Door, coding):
    read = []
    for watched in (False, True):
        gate = Gate()
        with StandIn([Turn(text=SPOKEN, coding=coding, gate=gate)]) as standin:
            watcher = MemoryWatcher()
            client = door.client(standin.url)
            if watched:
                client = door.watched(standin.url, watcher)
            chunks = []
            gate.allow()
            raw = await settled(door.asking(client.with_options(timeout=20), stream=True))
            response = raw.response
            async for chunk in each(response.aiter_raw() if door.awaited else response.iter_raw()):
                chunks.append(chunk)
                gate.allow()  # the next event leaves when this one was read: no coalescing
            read.append(chunks)
            await closed(client)
    assert read[0] == read[1]
    assert len(read[0]) > 10
    assert watcher.only.chunks == read[1]
    assert watcher.only.end == "whole"


async def test_an_early_close_leaves_a_prefix_and_no_error(door: Door):
    watcher, gate = MemoryWatcher(), Gate()
    with StandIn([Turn(text=SPOKEN, gate=gate)]) as standin:
        client = door.watched(standin.url, watcher)
        gate.allow(4)
        stream = await settled(door.asking(client, stream=True))
        async for event in each(stream):
            if door.text_of(event):
                break
        await settled(stream.close())
        await closed(client)
        (arrived,) = standin.requests
        assert watcher.only.ends == [("closed", "")]
        assert 0 < len(watcher.only.data) < len(arrived.body) + len(SPOKEN) * 8
        assert arrived.replied.startswith(watcher.only.data)


async def test_a_response_closed_unread_is_closed_with_no_bytes(door: Door):
    watcher, gate = MemoryWatcher(), Gate()
    with StandIn([Turn(text=SPOKEN, gate=gate)]) as standin:
        client = door.watched(standin.url, watcher)
        stream = await settled(door.asking(client, stream=True))
        await settled(stream.close())
        await closed(client)
    assert watcher.only.ends == [("closed", "")]
    assert watcher.only.chunks == []
    assert watcher.only.status == 200


async def test_each_retry_is_an_attempt_of_its_own_within_one_call(door: Door):
    watcher = MemoryWatcher()
    script = [Failure(status=429, retry_after="0.001"), Failure(status=500, retry_after="0.001")]
    with StandIn([*script, Turn(text="Here.")]) as standin:
        client = door.watched(standin.url, watcher, max_retries=2)
        assert await door.ask(client, tools=door.tools("lookup")) == "Here."
        await closed(client)
    assert [told.status for told in watcher.attempts] == [429, 500, 200]
    assert {told.composed for told in watcher.attempts} == {(1, ("lookup",))}
    assert [told.body for told in watcher.attempts] == [r.body for r in standin.requests]
    for told, arrived in zip(watcher.attempts, standin.requests, strict=True):
        assert arrived.replied.startswith(told.data)
        assert told.ends in ([("whole", "")], [("closed", "")])


async def test_an_error_status_that_is_not_retried_is_told_and_raised_as_before(door: Door):
    watcher = MemoryWatcher()
    with StandIn([Failure(status=401, message="No such key.")]) as standin:
        client = door.watched(standin.url, watcher)
        with pytest.raises(door.sdk.AuthenticationError, match="No such key"):
            await door.ask(client)
        await closed(client)
    assert watcher.only.status == 401
    assert watcher.only.data == standin.requests[0].replied


async def test_a_refused_connection_ends_the_attempt_with_the_errors_name(door: Door):
    watcher = MemoryWatcher()
    with socket.socket() as taken:  # bound but not listening: connecting is refused
        taken.bind(("127.0.0.1", 0))
        client = door.watched(f"http://127.0.0.1:{taken.getsockname()[1]}", watcher)
        with pytest.raises(door.sdk.APIConnectionError):
            await door.ask(client)
        await closed(client)
    assert watcher.only.ends == [("error", "ConnectError")]
    assert watcher.only.status == 0


async def test_a_hangup_before_the_answer_ends_the_attempt_in_error(door: Door):
    watcher = MemoryWatcher()
    with StandIn([Hangup()]) as standin:
        client = door.watched(standin.url, watcher)
        with pytest.raises(door.sdk.APIConnectionError):
            await door.ask(client)
        await closed(client)
    assert watcher.only.ends == [("error", "RemoteProtocolError")]


async def test_a_stream_that_breaks_off_keeps_its_prefix_and_raises_as_before(door: Door):
    watcher = MemoryWatcher()
    errors = []
    for watched in (False, True):
        with StandIn([Turn(text=SPOKEN, cut_after=900)]) as standin:
            client = door.client(standin.url)
            if watched:
                client = door.watched(standin.url, watcher)
            with pytest.raises(Exception) as caught:  # noqa: PT011 -- the SDKs differ
                await door.ask(client, stream=True)
            errors.append((type(caught.value), str(caught.value)))
            await closed(client)
    assert errors[0] == errors[1]
    assert watcher.only.ends == [("error", "RemoteProtocolError")]
    assert watcher.only.data == standin.requests[0].replied
    assert len(watcher.only.data) == 900


async def test_a_timeout_between_chunks_is_told_and_raised_as_before(door: Door):
    watcher, gate = MemoryWatcher(), Gate()
    with StandIn([Turn(text=SPOKEN, gate=gate)]) as standin:
        client = door.watched(standin.url, watcher, timeout=0.15)
        gate.allow(3)
        with pytest.raises(Exception) as caught:  # noqa: PT011 -- the SDKs differ
            await door.ask(client, stream=True)
        assert "Timeout" in type(caught.value).__name__
        await closed(client)
        assert watcher.only.ends == [("error", "ReadTimeout")]
        assert standin.requests[0].replied.startswith(watcher.only.data)
        assert watcher.only.data


async def test_one_connection_serves_two_requests_as_without_the_tap(door: Door):
    watcher = MemoryWatcher()
    with StandIn([TURN, TURN, TURN]) as standin:
        client = door.watched(standin.url, watcher)
        for _ in range(3):
            await door.ask(client)
        await closed(client)
    assert len({arrived.peer for arrived in standin.requests}) == 1
    assert [told.end for told in watcher.attempts] == ["whole"] * 3


async def test_raw_and_streaming_responses_are_told_as_far_as_they_are_read(door: Door):
    watcher = MemoryWatcher()
    with StandIn([TURN, TURN]) as standin:
        client = door.watched(standin.url, watcher)
        raw = await settled(door.asking(_raw(door, client)))
        assert raw.status_code == 200
        assert (await settled(raw.parse())).id in raw.http_response.text
        manager = door.asking(_streaming(door, client))
        if door.awaited:
            async with manager as response:
                first = await anext(aiter(response.iter_bytes(100)))
        else:
            with manager as response:
                first = next(iter(response.iter_bytes(100)))
        await closed(client)
    told = watcher.attempts
    assert told[0].data == standin.requests[0].replied
    assert told[1].data.startswith(first)
    assert told[0].end == "whole"


def _raw(door: Door, client):
    return client.with_raw_response if door.is_openai else _View(client.messages.with_raw_response)


def _streaming(door: Door, client):
    if door.is_openai:
        return client.with_streaming_response
    return _View(client.messages.with_streaming_response)


class _View:
    def __init__(self, messages):
        self.messages = messages


async def test_the_response_keeps_its_extensions(door: Door):
    seen = []
    with StandIn([TURN]) as standin:
        client = door.watched(standin.url, MemoryWatcher())
        raw = await settled(door.asking(_raw(door, client)))
        seen.append(raw.http_response.extensions)
        await closed(client)
    assert seen[0]["http_version"] == b"HTTP/1.1"
    assert "network_stream" in seen[0]


async def test_a_closed_client_fails_as_it_did(door: Door):
    errors = []
    for watched in (False, True):
        with StandIn([]) as standin:
            client = door.client(standin.url)
            await closed(client)
            if watched:
                assert watch(client, MemoryWatcher()) is client
            with pytest.raises(Exception) as caught:  # noqa: PT011 -- whatever it was
                await door.ask(client)
            errors.append((type(caught.value), str(caught.value)))
    assert errors[0] == errors[1]


async def test_an_upload_is_not_told_and_arrives_whole(door: Door):
    if not door.is_openai:
        pytest.skip("one SDK's uploads are enough: the tap is the same")
    watcher = MemoryWatcher()
    with StandIn([]) as standin:
        client = door.watched(standin.url, watcher)
        with pytest.raises(door.sdk.NotFoundError):
            await settled(client.files.create(file=("a.bin", b"\x00" * 9), purpose="batch"))
        await closed(client)
    assert b"\x00" * 9 in standin.requests[0].body
    assert watcher.attempts == []


async def test_a_cancelled_read_is_a_close_by_the_host(door: Door):
    if not door.awaited:
        pytest.skip("only what is awaited can be cancelled")
    watcher, gate = MemoryWatcher(), Gate()
    with StandIn([Turn(text=SPOKEN, gate=gate)]) as standin:
        client = door.watched(standin.url, watcher)
        heard = asyncio.Event()

        async def read():
            async for event in await door.asking(client, stream=True):
                if door.text_of(event):
                    heard.set()

        gate.allow(5)
        task = asyncio.create_task(read())
        await asyncio.wait_for(heard.wait(), 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await closed(client)
        assert watcher.only.end == "closed"
        assert standin.requests[0].replied.startswith(watcher.only.data)
