from __future__ import annotations

import asyncio
import inspect
import pickle
import typing
from collections.abc import AsyncIterator, Iterator

import pytest

from groundwire.session.executions.values import Rendered
from groundwire.session.executions.wrapping import recorded
from groundwire.session.live.binding import current_session


class Heard:
    """A run that remembers what it is told."""

    is_open = True
    path = None

    def __init__(self) -> None:
        self.told: list[tuple[str, str | None, object, object]] = []

    def sent(self, *_: object) -> None:
        return None

    def ran(
        self, name: str, arguments: object, result: object, error: BaseException | None
    ) -> None:
        assert isinstance(arguments, Rendered)
        self.told.append((name, arguments.text, result, error))


@pytest.fixture
def heard() -> Iterator[Heard]:
    run = Heard()
    token = current_session.set(run)
    yield run
    current_session.reset(token)


def look(host: str, *shelves: int, deep: bool = False, **more: object) -> str:
    """Looks at a host."""
    return f"{host} {shelves} {deep} {more}"


async def wait(host: str = "petrel") -> str:
    """Waits for a host."""
    await asyncio.sleep(0)
    return host


LOOK, WAIT = recorded(look, "look"), recorded(wait, "wait")


@pytest.mark.parametrize(("plain", "wrapped"), [(look, LOOK), (wait, WAIT)])
def test_whoever_inspects_the_function_sees_what_was_there(
    plain: typing.Any, wrapped: typing.Any
) -> None:
    assert wrapped is not plain
    assert inspect.signature(wrapped) == inspect.signature(plain)
    assert inspect.signature(wrapped, follow_wrapped=False) == inspect.signature(plain)
    assert inspect.getfullargspec(wrapped) == inspect.getfullargspec(plain)
    assert inspect.getsource(wrapped) == inspect.getsource(plain)
    assert inspect.iscoroutinefunction(wrapped) == inspect.iscoroutinefunction(plain)
    assert inspect.isfunction(wrapped)
    assert typing.get_type_hints(wrapped) == typing.get_type_hints(plain)
    for name in ("__name__", "__qualname__", "__module__", "__doc__", "__annotations__"):
        assert getattr(wrapped, name) == getattr(plain, name)


def test_outside_a_session_it_does_what_it_did() -> None:
    assert LOOK("petrel", 1, deep=True, b=2) == look("petrel", 1, deep=True, b=2)
    assert asyncio.run(WAIT()) == "petrel"


def test_a_closed_session_is_told_nothing(heard: Heard) -> None:
    heard.is_open = False
    LOOK("petrel")
    assert heard.told == []


def test_arguments_are_told_by_the_names_of_their_parameters(heard: Heard) -> None:
    LOOK("petrel", 1, 2, deep=True, colour="red")
    LOOK(host="petrel")
    assert [arguments for _, arguments, *_ in heard.told] == [
        '{"host":"petrel","shelves":[1,2],"deep":true,"colour":"red"}',
        '{"host":"petrel"}',
    ]
    assert heard.told[1][2] == look("petrel")


def test_an_async_function_is_told_when_it_is_done(heard: Heard) -> None:
    assert asyncio.run(WAIT("fulmar")) == "fulmar"
    assert heard.told == [("wait", '{"host":"fulmar"}', "fulmar", None)]


def test_arguments_are_those_it_was_given_even_if_it_changes_them(heard: Heard) -> None:
    def drain(hosts: list[str]) -> None:
        hosts.clear()

    hosts = ["petrel"]
    recorded(drain, "drain")(hosts)
    assert hosts == []
    assert heard.told[0][1] == '{"hosts":["petrel"]}'


def test_its_error_reaches_the_host_unchanged(heard: Heard) -> None:
    error = ValueError("no such host")

    def find() -> None:
        raise error

    with pytest.raises(ValueError, match="no such host") as caught:
        recorded(find, "find")()
    assert caught.value is error
    assert heard.told == [("find", "{}", None, error)]


def test_a_cancelled_function_is_told_and_stays_cancelled(heard: Heard) -> None:
    async def slow() -> None:
        await asyncio.sleep(60)

    async def cancelled() -> None:
        task = asyncio.create_task(recorded(slow, "slow")())
        await asyncio.sleep(0)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())
    assert isinstance(heard.told[0][3], asyncio.CancelledError)


def test_wrong_arguments_are_the_functions_own_error(heard: Heard) -> None:
    with pytest.raises(TypeError, match="missing"):
        LOOK()  # type: ignore[call-arg] -- the point of the test
    assert [(name, arguments) for name, arguments, *_ in heard.told] == [("look", None)]


def test_a_context_that_a_framework_hands_in_is_no_argument(heard: Heard) -> None:
    class Desk:
        def find(self, host: str) -> str:
            return host

    def find(context: object, host: str) -> str:
        return host

    recorded(Desk.find, "find")(Desk(), "petrel")
    recorded(find, "find")(object(), host="petrel")
    assert [arguments for _, arguments, *_ in heard.told] == ['{"host":"petrel"}'] * 2


def test_an_argument_without_json_leaves_all_of_them_out(heard: Heard) -> None:
    LOOK("petrel", deep=b"bytes")  # type: ignore[arg-type] -- the point of the test
    assert heard.told[0][1] is None


def rows() -> Iterator[int]:
    yield 1


async def arows() -> AsyncIterator[int]:
    yield 1


@pytest.mark.parametrize("function", [rows, arows, print, Heard, len])
def test_generators_and_what_is_no_function_are_left_alone(function: typing.Any) -> None:
    assert recorded(function, "name") is function


def test_what_a_plain_function_returns_to_be_awaited_is_left_alone(heard: Heard) -> None:
    def start() -> typing.Any:
        return wait("petrel")

    started = recorded(start, "start")()
    assert asyncio.run(started) == "petrel"
    assert heard.told == []


def test_a_wrapped_function_is_pickled_by_its_name() -> None:
    assert pickle.loads(pickle.dumps(LOOK_BY_NAME)) is LOOK_BY_NAME


@typing.no_type_check
def named(host):
    return host


named = LOOK_BY_NAME = recorded(named, "named")
