"""Callbacks: strangers' code that can change nothing."""

from __future__ import annotations

import threading

import pytest

from groundwire.errors import PolicyError
from groundwire.session.live.callbacks import Callbacks


def test_a_callback_hears_the_documents_of_its_topic_in_order() -> None:
    callbacks, heard = Callbacks(), []
    callbacks.on("finding", heard.append)
    callbacks.tell("finding", 1)
    callbacks.tell("disposition", 2)
    callbacks.tell("finding", 3)
    assert callbacks.settle() == 0
    assert heard == [1, 3]


def test_a_callback_that_raises_is_counted_and_the_next_one_is_still_called() -> None:
    callbacks, heard = Callbacks(), []
    callbacks.on("finding", lambda _: 1 / 0)
    callbacks.on("finding", heard.append)
    callbacks.tell("finding", "x")
    assert callbacks.settle() == 1
    assert heard == ["x"]


def test_a_callback_that_raises_even_system_exit_does_not_end_its_thread() -> None:
    callbacks, heard = Callbacks(), []

    def leave(_: object) -> None:
        raise SystemExit

    callbacks.on("finding", leave)
    callbacks.on("finding", heard.append)
    callbacks.tell("finding", "x")
    assert callbacks.settle() == 1
    assert heard == ["x"]


def test_an_awaitable_is_awaited_and_its_failure_counted() -> None:
    callbacks, heard = Callbacks(), []

    async def hears(document: object) -> None:
        heard.append(document)

    async def fails(_: object) -> None:
        raise ValueError

    callbacks.on("finding", hears)
    callbacks.on("finding", fails)
    callbacks.tell("finding", "x")
    assert callbacks.settle() == 1
    assert heard == ["x"]


def test_a_callback_that_hangs_holds_nobody_up_and_is_counted() -> None:
    callbacks, release = Callbacks(), threading.Event()
    callbacks.on("finding", lambda _: release.wait())
    callbacks.tell("finding", 1)
    callbacks.tell("finding", 2)
    assert callbacks.settle(wait=0.01) == 2
    release.set()
    assert callbacks.settle() == 0


@pytest.mark.parametrize(
    ("topic", "reason"), [("findings", "unknown-topic"), ("finding", "not-callable")]
)
def test_what_cannot_be_meant_is_refused(topic: str, reason: str) -> None:
    with pytest.raises(PolicyError) as error:
        Callbacks().on(topic, 5 if reason == "not-callable" else print)  # type: ignore[arg-type]  # what a caller without types may do
    assert error.value.reason == reason
