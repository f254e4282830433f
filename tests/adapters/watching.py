"""A watcher in memory, and the doors: every SDK, awaited or not, on every HTTP package it takes.

In the environment of older SDKs (see test_legacy_environment) there is no httpx2, and httpx is the
SDKs' own.
"""

from __future__ import annotations

import inspect
import ssl
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import anthropic
import httpx
import openai

from groundwire.adapters.recognise import watch
from groundwire.session.watching import End, Headers

try:
    import httpx2
except ImportError:
    httpx2 = None

TLS = ssl.create_default_context()  # making one takes longer than most tests
current_run: ContextVar[str] = ContextVar("current_run", default="")
_composed: ContextVar[tuple[int, Sequence[str] | None] | None] = ContextVar("c", default=None)


class SeenAttempt:
    """One exchange as it was told."""

    def __init__(self, method: str, url: str, headers: Headers, body: bytes) -> None:
        self.method, self.url, self.headers, self.body = method, url, headers, body
        self.run = current_run.get()
        self.composed = _composed.get()
        self.status = 0
        self.response_headers: Headers = ()
        self.chunks: list[bytes] = []
        self.ends: list[tuple[End, str]] = []

    def responded(self, status: int, headers: Headers) -> None:
        self.status, self.response_headers = status, headers

    def chunk(self, data: bytes) -> None:
        assert not self.ends, "a chunk after the end"
        self.chunks.append(data)

    def ended(self, how: End, error: str = "") -> None:
        self.ends.append((how, error))

    @property
    def data(self) -> bytes:
        return b"".join(self.chunks)

    @property
    def end(self) -> End:
        assert len(self.ends) == 1, self.ends
        return self.ends[0][0]

    @property
    def tools(self) -> Sequence[str] | None:
        assert self.composed is not None, "nothing was composed"
        return self.composed[1]


class MemoryWatcher:
    """Keeps every attempt, in order, with the run and the composed tools it belongs to."""

    def __init__(self) -> None:
        self.attempts: list[SeenAttempt] = []
        self.calls: list[Sequence[str] | None] = []
        self._lock = threading.Lock()

    @contextmanager
    def composed(self, tools: Sequence[str] | None) -> Iterator[None]:
        with self._lock:
            self.calls.append(tools)
            number = len(self.calls)
        token = _composed.set((number, tools))
        try:
            yield
        finally:
            _composed.reset(token)

    def sent(self, method: str, url: str, headers: Headers, body: bytes) -> SeenAttempt:
        attempt = SeenAttempt(method, url, headers, body)
        with self._lock:
            self.attempts.append(attempt)
        return attempt

    @property
    def only(self) -> SeenAttempt:
        assert len(self.attempts) == 1, self.attempts
        return self.attempts[0]


class Door:
    """One way into a provider."""

    def __init__(self, name: str, package: Any, *, awaited: bool) -> None:
        self.name, self.package, self.awaited = name, package, awaited
        self.is_openai = name.startswith("openai")

    def __repr__(self) -> str:
        return self.name

    @property
    def sdk(self) -> Any:
        return openai if self.is_openai else anthropic

    def client(self, url: str, transport: Any = None, **named: Any) -> Any:
        """A fresh client, unwatched, on a transport or on its own default one."""
        given = {"verify": TLS} if transport is None else {"transport": transport}
        defaults = {"api_key": "unused", "max_retries": 0, "http_client": self.http(**given)}
        named = defaults | named
        if self.is_openai:
            kind = openai.AsyncOpenAI if self.awaited else openai.OpenAI
            return kind(base_url=f"{url}/v1", **named)
        kind = anthropic.AsyncAnthropic if self.awaited else anthropic.Anthropic
        return kind(base_url=url, **named)

    def http(self, **named: Any) -> Any:
        if self.package is not (httpx2 or httpx):
            return (httpx.AsyncClient if self.awaited else httpx.Client)(**named)
        if self.awaited:
            return self.sdk.DefaultAsyncHttpxClient(**named)
        return self.sdk.DefaultHttpxClient(**named)

    def watched(self, url: str, watcher: Any, transport: Any = None, **named: Any) -> Any:
        return watch(self.client(url, transport, **named), watcher)

    def transport(self, **named: Any) -> Any:
        package = self.package
        kind = package.AsyncHTTPTransport if self.awaited else package.HTTPTransport
        return kind(**{"verify": TLS} | named)

    def wrapping(self, inner: Any, change: Any = None, **attributes: Any) -> Any:
        """A transport of the user's around another; `change` makes the body that leaves."""
        package = self.package

        def changed(request: Any) -> Any:
            if change is None:
                return request
            return package.Request(
                request.method,
                request.url,
                headers=[(k, v) for k, v in request.headers.raw if k.lower() != b"content-length"],
                content=change(request.content),
                extensions=request.extensions,
            )

        class Wrapping(package.AsyncBaseTransport if self.awaited else package.BaseTransport):
            def __init__(self) -> None:
                self.inner = inner
                vars(self).update(attributes)

            def handle_request(self, request: Any) -> Any:
                return self.inner.handle_request(changed(request))

            async def handle_async_request(self, request: Any) -> Any:
                return await self.inner.handle_async_request(changed(request))

            def close(self) -> None:
                self.inner.close()

            async def aclose(self) -> None:
                await self.inner.aclose()

        return Wrapping()

    def tools(self, *names: str) -> list[dict[str, Any]]:
        """Tools as this SDK's call takes them."""
        schema = {"type": "object", "properties": {}}
        if self.is_openai:
            return [
                {"type": "function", "function": {"name": name, "parameters": schema}}
                for name in names
            ]
        return [{"name": name, "input_schema": schema} for name in names]

    def asking(self, resource: Any, text: str = "Which machine?", **named: Any) -> Any:
        """The SDK's call, not awaited yet; `resource` is a client or a view of one."""
        named = {"model": "m-1", "messages": [{"role": "user", "content": text}]} | named
        if self.is_openai:
            return resource.chat.completions.create(**named)
        return resource.messages.create(max_tokens=64, **named)

    async def ask(self, client: Any, text: str = "Which machine?", **named: Any) -> str:
        """The text that the SDK hands to its caller."""
        answer = await settled(self.asking(client, text, **named))
        if named.get("stream"):
            return "".join([self.text_of(event) async for event in each(answer)])
        if self.is_openai:
            return answer.choices[0].message.content or ""
        return "".join(block.text for block in answer.content if block.type == "text")

    def text_of(self, event: Any) -> str:
        """The text in one event of a stream."""
        if self.is_openai:
            return (event.choices and event.choices[0].delta.content) or ""
        return getattr(getattr(event, "delta", None), "text", "")


OWN = [
    Door("openai", httpx2 or httpx, awaited=False),
    Door("openai-async", httpx2 or httpx, awaited=True),
    Door("anthropic", httpx2 or httpx, awaited=False),
    Door("anthropic-async", httpx2 or httpx, awaited=True),
]
LEGACY = [
    Door("openai-on-httpx", httpx, awaited=False),
    Door("openai-on-httpx-async", httpx, awaited=True),
]
DOORS = [*OWN, *LEGACY] if httpx2 else OWN


async def settled(value: Any) -> Any:
    """The value, awaited if it must be."""
    return await value if inspect.isawaitable(value) else value


async def each(stream: Any) -> AsyncIterator[Any]:
    """The items of a stream, awaited or not."""
    if hasattr(stream, "__aiter__"):
        async for item in stream:
            yield item
    else:
        for item in stream:
            yield item


async def closed(client: Any) -> None:
    """The client is closed."""
    await settled(client.close())
