"""What passes through a tapped stream, without any network."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import httpx
import httpx2
import pytest

from groundwire.adapters.crossing import Crossing
from groundwire.adapters.streams import AsyncTappedStream, TappedStream, tapped
from groundwire.session.watching import End, Headers

PIECES = [b"one", b"two", b"", b"three"]


class Told:
    """An attempt that keeps what it is told, in order."""

    def __init__(self) -> None:
        self.log: list[object] = []

    def responded(self, status: int, headers: Headers) -> None:
        self.log.append(status)

    def chunk(self, data: bytes) -> None:
        self.log.append(data)

    def ended(self, how: End, error: str = "") -> None:
        self.log.append((how, error))


class Inner:
    """A body that starts anew whenever it is iterated, and may break off."""

    def __init__(self, breaks: BaseException | None = None) -> None:
        self.breaks = breaks
        self.closed = 0

    def __iter__(self) -> Iterator[bytes]:
        yield from PIECES
        if self.breaks is not None:
            raise self.breaks

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self:
            yield piece

    def close(self) -> None:
        self.closed += 1

    async def aclose(self) -> None:
        self.closed += 1


def told() -> tuple[Told, Crossing]:
    attempt = Told()
    return attempt, Crossing(attempt)


def test_every_chunk_is_told_and_handed_on_in_order_to_the_end():
    attempt, crossing = told()
    assert list(TappedStream(Inner(), crossing)) == PIECES
    assert attempt.log == [*PIECES, ("whole", "")]


async def test_every_awaited_chunk_is_told_and_handed_on_in_order_to_the_end():
    attempt, crossing = told()
    assert [chunk async for chunk in AsyncTappedStream(Inner(), crossing)] == PIECES
    assert attempt.log == [*PIECES, ("whole", "")]


def test_a_chunk_is_told_before_it_is_handed_on():
    attempt, crossing = told()
    stream = iter(TappedStream(Inner(), crossing))
    for number in range(1, 4):
        next(stream)
        assert attempt.log == PIECES[:number]


async def test_an_awaited_chunk_is_told_before_it_is_handed_on():
    attempt, crossing = told()
    stream = aiter(AsyncTappedStream(Inner(), crossing))
    for number in range(1, 4):
        await anext(stream)
        assert attempt.log == PIECES[:number]


def test_a_second_iteration_goes_on_where_the_first_stopped():
    attempt, crossing = told()
    stream = TappedStream(Inner(), crossing)
    assert next(iter(stream)) == b"one"
    assert list(stream) == PIECES[1:]
    assert list(stream) == []
    assert attempt.log == [*PIECES, ("whole", "")]


async def test_a_second_awaited_iteration_goes_on_where_the_first_stopped():
    attempt, crossing = told()
    stream = AsyncTappedStream(Inner(), crossing)
    assert await anext(aiter(stream)) == b"one"
    assert [chunk async for chunk in stream] == PIECES[1:]
    assert [chunk async for chunk in stream] == []
    assert attempt.log == [*PIECES, ("whole", "")]


def test_closing_early_closes_the_inner_stream_and_ends_a_prefix():
    attempt, crossing = told()
    inner = Inner()
    stream = TappedStream(inner, crossing)
    next(iter(stream))
    stream.close()
    stream.close()
    assert inner.closed == 2
    assert attempt.log == [b"one", ("closed", "")]


async def test_closing_an_awaited_stream_early_closes_the_inner_one_and_ends_a_prefix():
    attempt, crossing = told()
    inner = Inner()
    stream = AsyncTappedStream(inner, crossing)
    await anext(aiter(stream))
    await stream.aclose()
    await stream.aclose()
    assert inner.closed == 2
    assert attempt.log == [b"one", ("closed", "")]


def test_closing_after_the_end_changes_nothing():
    attempt, crossing = told()
    stream = TappedStream(Inner(), crossing)
    list(stream)
    stream.close()
    assert attempt.log[-1] == ("whole", "")
    assert len(attempt.log) == len(PIECES) + 1


@pytest.mark.parametrize(
    ("error", "end"),
    [
        (OSError("https://secret@host"), ("error", "OSError")),
        (KeyboardInterrupt(), ("closed", "KeyboardInterrupt")),
    ],
)
def test_an_error_ends_the_attempt_by_its_name_and_is_raised_as_it_is(error, end):
    attempt, crossing = told()
    with pytest.raises(type(error)) as caught:
        list(TappedStream(Inner(error), crossing))
    assert caught.value is error
    assert attempt.log == [*PIECES, end]


async def test_an_error_of_an_awaited_stream_is_raised_as_it_is():
    attempt, crossing = told()
    error = OSError("https://secret@host")
    with pytest.raises(OSError, match="secret") as caught:
        [chunk async for chunk in AsyncTappedStream(Inner(error), crossing)]
    assert caught.value is error
    assert attempt.log == [*PIECES, ("error", "OSError")]


@pytest.mark.parametrize("package", [httpx, httpx2])
def test_a_client_takes_a_tapped_stream_for_one_of_its_packages(package):
    _attempt, crossing = told()
    assert isinstance(tapped(Inner(), crossing, package, awaited=False), package.SyncByteStream)
    assert isinstance(tapped(Inner(), crossing, package, awaited=True), package.AsyncByteStream)
