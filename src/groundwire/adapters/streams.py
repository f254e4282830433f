"""Streams: what an SDK reads passes through here chunk by chunk, told before it is handed on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from functools import cache
from types import ModuleType
from typing import Any

from groundwire.adapters.crossing import Crossing


class TappedStream:
    """A response body as it arrives, unchanged.

    One iterator over the inner stream serves every iteration: a client that iterates twice (to
    drain what it left) goes on where it stopped. A chunk is told before it is handed on, so that
    nothing an agent acted upon is missing after a crash.
    """

    def __init__(self, inner: Any, crossing: Crossing) -> None:
        self._inner = inner
        self._crossing = crossing
        self._chunks: Iterator[bytes] | None = None

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        try:
            if self._chunks is None:
                self._chunks = iter(self._inner)
            chunk = next(self._chunks)
        except StopIteration:
            self._crossing.ended("whole")
            raise
        except BaseException as error:
            self._crossing.failed(error)
            raise
        self._crossing.chunk(chunk)
        return chunk

    def close(self) -> None:
        """The inner stream is closed; a body not read to its end is a prefix."""
        try:
            if hasattr(self._inner, "close"):
                self._inner.close()
        finally:
            self._chunks = None
            self._crossing.ended("closed")


class AsyncTappedStream:
    """As `TappedStream`, awaited."""

    def __init__(self, inner: Any, crossing: Crossing) -> None:
        self._inner = inner
        self._crossing = crossing
        self._chunks: AsyncIterator[bytes] | None = None

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        try:
            if self._chunks is None:
                self._chunks = aiter(self._inner)
            chunk = await anext(self._chunks)
        except StopAsyncIteration:
            self._crossing.ended("whole")
            raise
        except BaseException as error:
            self._crossing.failed(error)
            raise
        self._crossing.chunk(chunk)
        return chunk

    async def aclose(self) -> None:
        """The inner stream is closed; a body not read to its end is a prefix."""
        try:
            if hasattr(self._inner, "aclose"):
                await self._inner.aclose()
        finally:
            self._chunks = None
            self._crossing.ended("closed")


@cache
def _sync_class(package: ModuleType) -> type[TappedStream]:
    parent = getattr(package, "SyncByteStream", None)
    return type("TappedStream", (TappedStream, parent), {}) if parent else TappedStream


@cache
def _async_class(package: ModuleType) -> type[AsyncTappedStream]:
    parent = getattr(package, "AsyncByteStream", None)
    return (
        type("AsyncTappedStream", (AsyncTappedStream, parent), {}) if parent else AsyncTappedStream
    )


def tapped(stream: Any, crossing: Crossing, package: ModuleType, *, awaited: bool) -> Any:
    """A stream that `package` (httpx, httpcore or their successors) takes for one of its own."""
    make = _async_class(package) if awaited else _sync_class(package)
    return make(stream, crossing)
