"""The tap: sits at the innermost transport of an HTTP client and tells what really crosses.

It knows httpx and httpx2, sync and async, and no SDK. A connection pool (of httpcore or
httpcore2) is the innermost point: whatever a transport of the user's adds to or drops from a
request has happened before it, subclasses of `HTTPTransport` included. A transport in which no
pool is found (a mock, an ASGI app, one with network code of its own) is tapped itself.

Bytes are told as they cross: the request's body as it leaves, the response's body below content
decoding. Only JSON bodies of POST requests are told. A tap stays where it is put, is silent for
requests that no watched client made, and changes nothing that passes.

Not seen: WebSocket and realtime sessions; uploads (they are no JSON); what a transport answers
by itself without asking an inner one; requests that a transport sends from another thread
without that thread running in a copy of the caller's context; the end of a response that is
neither read to its end nor closed.
"""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from contextvars import ContextVar, Token
from types import MethodType, ModuleType
from typing import Any

from groundwire.adapters.crossing import BROKEN, Crossing, open_crossing, tell
from groundwire.adapters.streams import tapped
from groundwire.errors import PolicyError
from groundwire.session.watching import Watcher

# The watcher of the SDK call that runs in this context. A transport may be shared with clients
# that nobody watches, so a tap asks who is calling; and while a request is inside one tap the
# answer is None, so that a tap within a tap does not count it twice.
watching_here: ContextVar[Watcher | None] = ContextVar("groundwire_watching", default=None)


_PACKAGES = frozenset({"httpx", "httpx2", "httpcore", "httpcore2"})
_POOLS = frozenset({"httpcore", "httpcore2"})
_NAMES = ("handle_request", "handle_async_request")
_DEPTH = 8
_BREADTH = 64
_installing = threading.Lock()


def stop_watching(token: Token[Watcher | None]) -> None:
    """The context watches what it watched before.

    A coroutine that was abandoned is closed by the collector in some other context, which never
    watched: there is nothing to undo.
    """
    with suppress(ValueError):
        watching_here.reset(token)


def install(http_client: object) -> None:
    """Every innermost transport reachable from this HTTP client has one tap.

    Raises:
        PolicyError: `untappable-transport`, where a transport takes no attribute.
    """
    leaves: list[object] = []
    _collect(http_client, _DEPTH, {}, leaves)
    for leaf in leaves:
        for name in _NAMES:
            if _offers(leaf, name):
                _install_at(leaf, name)


def _install_at(leaf: object, name: str) -> None:
    with _installing:
        if isinstance(getattr(leaf, name), Tap):
            return
        tap = AsyncTap if name == "handle_async_request" else SyncTap
        try:
            setattr(leaf, name, tap(leaf, name))
        except (AttributeError, TypeError) as error:
            raise PolicyError(
                "untappable-transport",
                f"The transport {type(leaf).__name__} takes no attributes, so nothing can be "
                "watched in it: give its class a __dict__ and weak references (no __slots__).",
            ) from error


def _collect(thing: object, depth: int, seen: dict[int, bool], leaves: list[object]) -> bool:
    """Whether a leaf stands at or below this thing; each leaf is in `leaves` once."""
    if id(thing) in seen or not depth:
        return seen.get(id(thing), False)
    seen[id(thing)] = False  # what refers back to a thing under way is no leaf of its own
    found = False
    for held in () if _package(thing, _POOLS) else _held(thing):
        found = _collect(held, depth - 1, seen, leaves) or found
    if not found and any(_offers(thing, name) for name in _NAMES):
        leaves.append(thing)
        found = True
    seen[id(thing)] = found
    return found


def _held(thing: object) -> Iterator[object]:
    """The transports, pools and HTTP clients among a thing's attributes, containers opened."""
    values = list(getattr(thing, "__dict__", {}).values())
    slots = (name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ()))
    values += [getattr(thing, name, None) for name in slots if name != "__weakref__"]
    for value in values:
        opened = value.values() if isinstance(value, dict) else value
        group = list(opened) if isinstance(value, dict | list | tuple | set) else [value]
        for one in group[:_BREADTH]:
            if any(_offers(one, name) for name in _NAMES) or _is_http_client(one):
                yield one


def _offers(thing: object, name: str) -> bool:
    return hasattr(type(thing), name) or name in getattr(thing, "__dict__", {})


def _is_http_client(thing: object) -> bool:
    return "_transport" in getattr(thing, "__dict__", {}) and hasattr(type(thing), "send")


def _package(thing: object, among: frozenset[str] = _PACKAGES) -> ModuleType | None:
    """The HTTP package that a thing's class, or a parent of it, comes from."""
    for kind in type(thing).__mro__:
        root = kind.__module__.partition(".")[0]
        if root in among:
            return sys.modules.get(root)
    return None


class Tap:
    """Stands in for one method of one transport, calling what stood there before.

    The method is looked up anew for each request unless an instance attribute was replaced, so
    that a test that patches the transport's class still gets its way.
    """

    def __init__(self, leaf: object, name: str) -> None:
        self._leaf = weakref.ref(leaf)
        self._name = name
        self._before: Callable[..., Any] | None = getattr(leaf, "__dict__", {}).get(name)

    def _inner(self) -> Callable[..., Any]:
        if self._before is not None:
            return self._before
        leaf = self._leaf()
        return MethodType(getattr(type(leaf), self._name), leaf)


class SyncTap(Tap):
    """`handle_request`, watched."""

    def __call__(self, request: Any) -> Any:
        """The inner transport's response, its stream told as it is read."""
        watcher, inner = watching_here.get(), self._inner()
        if watcher is None or tell(_is_told, request) is not True:
            return inner(request)
        body = b"".join(request.stream)
        _keep_body(request, body)
        crossing = _opened(watcher, request, body)
        if crossing is None:
            return inner(request)
        token = watching_here.set(None)
        try:
            response = inner(request)
        except BaseException as error:
            crossing.failed(error)
            raise
        finally:
            stop_watching(token)
        return _passed_on(response, crossing, awaited=False)


class AsyncTap(Tap):
    """`handle_async_request`, watched."""

    async def __call__(self, request: Any) -> Any:
        """The inner transport's response, its stream told as it is read."""
        watcher, inner = watching_here.get(), self._inner()
        if watcher is None or tell(_is_told, request) is not True:
            return await inner(request)
        if _is_replayable(request.stream):
            body = b"".join(request.stream)
        else:
            body = b"".join([chunk async for chunk in request.stream])
        _keep_body(request, body)
        crossing = _opened(watcher, request, body)
        if crossing is None:
            return await inner(request)
        token = watching_here.set(None)
        try:
            response = await inner(request)
        except BaseException as error:
            crossing.failed(error)
            raise
        finally:
            stop_watching(token)
        return _passed_on(response, crossing, awaited=True)


def _is_told(request: Any) -> bool:
    """Whether a request has a JSON body that can be read without being used up."""
    if _text(request.method).upper() != "POST" or _package(request) is None:
        return False
    return any(
        name.lower() == "content-type" and "json" in value.lower()
        for name, value in _headers(request.headers)
    )


def _opened(watcher: Watcher, request: Any, body: bytes) -> Crossing | None:
    url = bytes(request.url) if isinstance(request.method, bytes) else str(request.url)
    return open_crossing(
        watcher, _text(request.method), _text(url), _headers(request.headers), body
    )


def _keep_body(request: Any, body: bytes) -> None:
    """A body that can be read once only is replaced by the bytes that were read."""
    if not _is_replayable(request.stream):
        package = _package(request)
        request.stream = getattr(package, "ByteStream", Replayed)(body)


def _passed_on(response: Any, crossing: Crossing, *, awaited: bool) -> Any:
    if tell(_take, response, crossing, awaited=awaited) is BROKEN:
        crossing.ended("error", "UnreadableResponse")
    return response


def _take(response: Any, crossing: Crossing, *, awaited: bool) -> None:
    package = _package(response)
    if package is None:
        raise TypeError(f"not a response of a known HTTP package: {type(response).__name__}")
    pooled = hasattr(response, "status")
    crossing.responded(
        response.status if pooled else response.status_code, _headers(response.headers)
    )
    if _is_replayable(response.stream):  # in memory already: the client will not iterate it
        crossing.chunk(b"".join(response.stream))
        crossing.ended("whole")
    else:
        response.stream = tapped(response.stream, crossing, package, awaited=awaited)


def _is_replayable(stream: object) -> bool:
    return isinstance(stream, Replayed) or (
        type(stream).__name__ == "ByteStream" and _package(stream) is not None
    )


def _headers(headers: Any) -> tuple[tuple[str, str], ...]:
    pairs = getattr(headers, "raw", headers)
    return tuple((_text(name), _text(value)) for name, value in pairs)


def _text(value: bytes | str) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value


class Replayed:
    """A request body that can be iterated any number of times, awaited or not."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    def __iter__(self) -> Iterator[bytes]:
        yield self._body

    async def __aiter__(self) -> Any:
        yield self._body
