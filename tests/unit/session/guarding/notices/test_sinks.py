"""Sinks: a callback's answer counts for what it is, and one that hangs holds up nobody for long."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest

from groundwire.canon.digest import sha256
from groundwire.documents.notice import Delivery, Notice
from groundwire.session.guarding.notices import sinks
from groundwire.session.guarding.notices.sinks import CallbackSink, Deliveries, Sink
from tests.unit.stores.posting.test_notices import NOTICE, NOW


def told(*callbacks: Any, timeout: float = 60.0) -> list[tuple[str, str, str]]:
    made = [CallbackSink(each, n, lambda: NOW, timeout) for n, each in enumerate(callbacks, 1)]
    came = Deliveries(lambda: NOW).to(made, NOTICE)
    assert [each.sink for each in came] == [f"callback-{n}" for n in range(1, len(came) + 1)]
    assert all(each.at == NOW and each.status is None for each in came)
    return [(each.state, each.error, each.answer) for each in came]


async def later(answer: object) -> object:
    await asyncio.sleep(0)
    return answer


async def failing() -> object:
    await asyncio.sleep(0)
    raise ValueError("no")


def raising(error: BaseException) -> Any:
    def callback(_: object) -> None:
        raise error

    return callback


def test_a_callback_is_given_the_notice_and_what_it_returns_acknowledges_it() -> None:
    heard: list[object] = []

    def callback(notice: object) -> str:
        heard.append(notice)
        return "ticket 7"

    assert told(callback) == [("acknowledged", "", sha256(b"ticket 7"))]
    assert heard == [NOTICE]
    assert told(lambda _: b"ticket 7") == told(callback)


def test_a_callback_that_returns_nothing_only_took_it() -> None:
    assert told(lambda _: None) == [("sent", "", "")]


@pytest.mark.parametrize("answer", [True, False, 0, 1, "", b"", [], {"ok": 1}, object(), 1.5])
def test_an_answer_that_does_not_say_what_it_means_is_none(answer: object) -> None:
    assert told(lambda _: answer) == [("failed", "wrong-answer", "")]


@pytest.mark.parametrize(
    "error",
    [ValueError("x"), KeyboardInterrupt(), SystemExit(0), StopIteration(), RecursionError()],
)
def test_whatever_a_callback_raises_is_a_failure_and_goes_no_further(error: BaseException) -> None:
    assert told(raising(error)) == [("failed", "raised", "")]


def test_what_is_to_be_awaited_is_awaited_and_counts_for_what_it_gives() -> None:
    assert told(
        lambda _: later("seen"), lambda _: later(None), lambda _: later(True), lambda _: failing()
    ) == [
        ("acknowledged", "", sha256(b"seen")),
        ("sent", "", ""),
        ("failed", "wrong-answer", ""),
        ("failed", "raised", ""),
    ]


def test_a_callback_that_hangs_is_given_up_and_its_late_answer_counts_for_nothing() -> None:
    held, ended = threading.Event(), threading.Event()

    def hanging(_: object) -> str:
        held.wait(10)
        ended.set()
        return "late"

    deliveries = Deliveries(lambda: NOW)
    stuck = CallbackSink(hanging, 1, lambda: NOW, 0.05)
    good = CallbackSink(lambda _: "seen", 2, lambda: NOW, 60.0)
    came = deliveries.to((stuck, good), NOTICE)
    assert [(each.state, each.error) for each in came] == [
        ("failed", "timeout"),
        ("acknowledged", ""),
    ]
    held.set()
    assert ended.wait(60)
    assert came[0].state == "failed"
    hangs = CallbackSink(lambda _: later(threading.Event().wait(0)), 1, lambda: NOW, 60.0)
    assert deliveries.to((hangs,), NOTICE)[0].error == "wrong-answer"


def test_an_awaitable_that_hangs_is_given_up_too() -> None:
    held = threading.Event()

    async def hanging() -> str:
        await asyncio.to_thread(held.wait, 60)
        return "late"

    assert told(lambda _: hanging(), timeout=0.05) == [("failed", "timeout", "")]
    held.set()


def test_all_are_told_at_once_and_each_has_its_own_time() -> None:
    both = threading.Barrier(2, timeout=60)

    def meeting(_: object) -> str:
        both.wait()
        return "seen"

    assert [each[0] for each in told(meeting, meeting)] == ["acknowledged", "acknowledged"]


def test_while_too_many_hang_nobody_else_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sinks, "MOST_HANGING", 2)
    held, asked = threading.Event(), []

    def hanging(_: object) -> None:
        asked.append(1)
        held.wait(60)

    deliveries = Deliveries(lambda: NOW)
    sink = CallbackSink(hanging, 1, lambda: NOW, 0.02)
    for _ in range(4):
        assert deliveries.to((sink,), NOTICE)[0].error == "timeout"
    assert len(asked) == 2
    before = threading.active_count()
    held.set()
    for thread in threading.enumerate():
        if thread.name == "groundwire-notice":
            thread.join(60)
    assert threading.active_count() < before
    assert told(lambda _: "seen")[0][0] == "acknowledged"
    came = deliveries.to((CallbackSink(lambda _: "seen", 1, lambda: NOW, 60.0),), NOTICE)
    assert came[0].state == "acknowledged"


def test_where_a_process_has_no_thread_left_nobody_was_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def none_left(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", none_left)
    assert told(lambda _: "seen") == [("failed", "timeout", "")]


def test_a_sink_whose_server_drips_is_given_up_when_its_time_is_over() -> None:
    class Dripping:
        name = "https://slow.example"
        timeout = 0.05

        def __init__(self) -> None:
            self.stop = threading.Event()

        def deliver(self, notice: Notice) -> Delivery:
            while not self.stop.wait(0.01):  # each wait is shorter than the timeout of a socket
                pass
            raise OSError(notice.run)

    sink: Sink = (slow := Dripping())
    begun = time.monotonic()
    came = Deliveries(lambda: NOW).to((sink,), NOTICE)
    slow.stop.set()
    assert (came[0].sink, came[0].error) == ("https://slow.example", "timeout")
    assert time.monotonic() - begun < 30
