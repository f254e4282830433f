"""The committer: what was written becomes durable soon, one failure stops no other."""

from __future__ import annotations

import threading
import time

import pytest

from groundwire.errors import HostError
from groundwire.stores.committer import Committer
from groundwire.stores.memory import MemorySink
from tests.recorders import recorder
from tests.unit.stores.disks import forked


class Monotonic:
    """Seconds that pass when told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time_(monkeypatch: pytest.MonkeyPatch) -> Monotonic:
    return Monotonic()


def test_a_round_syncs_every_sink_that_was_written_to_and_no_other(time_: Monotonic) -> None:
    committer = Committer(time_, start=False)
    inner = [MemorySink() for _ in range(3)]
    sinks = [committer.serve(sink) for sink in inner]
    sinks[0].append(b"a\n")
    sinks[2].append(b"c\n")
    sinks[2].append(b"d\n")
    assert committer.round() == 2
    assert [sink.syncs for sink in inner] == [1, 0, 1]
    assert committer.round() == 0


def test_lateness_is_from_the_first_line_that_waited(time_: Monotonic) -> None:
    committer = Committer(time_, start=False)
    sink = committer.serve(MemorySink())
    sink.append(b"a\n")
    time_.now += 0.25
    sink.append(b"b\n")
    time_.now += 0.5
    committer.round()
    assert sink.lateness_us == 750_000
    sink.append(b"c\n")
    time_.now += 0.1
    committer.round()
    assert sink.lateness_us == 750_000


def test_a_runs_own_sync_is_counted_too_and_leaves_nothing_waiting(time_: Monotonic) -> None:
    committer = Committer(time_, start=False)
    sink = committer.serve(MemorySink())
    sink.append(b"a\n")
    time_.now += 2
    sink.sync()
    assert sink.lateness_us == 2_000_000
    assert committer.round() == 0


def test_a_line_that_comes_during_a_sync_waits_for_the_next_round(time_: Monotonic) -> None:
    committer = Committer(time_, start=False)

    class Slow(MemorySink):
        def sync(self) -> None:
            super().sync()
            if self.syncs == 1:
                sink.append(b"meanwhile\n")

    inner = Slow()
    sink = committer.serve(inner)
    sink.append(b"a\n")
    committer.round()
    assert inner.survived_crash() == b"a\n"
    committer.round()
    assert inner.survived_crash() == b"a\nmeanwhile\n"


def test_who_comes_while_another_syncs_shares_the_next_wait_and_no_earlier_one(
    time_: Monotonic,
) -> None:
    committer = Committer(time_, start=False)

    class Slow(MemorySink):
        def sync(self) -> None:
            if self.syncs == 0:
                sink.append(b"meanwhile\n")
            super().sync()

    inner = Slow()
    sink = committer.serve(inner)
    sink.append(b"a\n")
    sink.sync()
    # The line that came meanwhile may not have been there when the medium was waited for.
    sink.sync()
    assert inner.syncs == 2
    sink.sync()
    assert inner.syncs == 2


def test_a_sink_that_fails_stops_no_other_and_is_told(time_: Monotonic) -> None:
    told: list[HostError] = []
    committer = Committer(time_, start=False, on_failure=told.append)
    inner = [MemorySink() for _ in range(3)]
    sinks = [committer.serve(sink) for sink in inner]
    inner[1].fail_next["sync"] = HostError("sync-failed", "the disk is gone")
    for sink in sinks:
        sink.append(b"a\n")
    committer.round()
    assert [sink.syncs for sink in inner] == [1, 0, 1]
    assert [error.reason for error in told] == ["sync-failed"]
    with pytest.raises(HostError, match="the disk is gone"):
        sinks[1].append(b"b\n")
    assert committer.round() == 0


def test_a_fault_of_a_store_or_of_a_listener_stops_no_round(
    time_: Monotonic, caplog: pytest.LogCaptureFixture
) -> None:
    def listener(error: HostError) -> None:
        raise RuntimeError(error.reason)

    class Broken(MemorySink):
        def sync(self) -> None:
            raise ZeroDivisionError

    committer = Committer(time_, start=False, on_failure=listener)
    broken, inner = committer.serve(Broken()), MemorySink()
    good = committer.serve(inner)
    broken.append(b"a\n")
    good.append(b"b\n")
    assert committer.round() == 2
    assert inner.syncs == 1
    assert "a fault of a store" in caplog.text


def test_a_closed_sink_is_forgotten(time_: Monotonic) -> None:
    committer = Committer(time_, start=False)
    sink = committer.serve(MemorySink())
    sink.append(b"a\n")
    sink.close()
    assert committer.round() == 0


def test_a_failed_append_makes_nothing_wait(time_: Monotonic) -> None:
    committer = Committer(time_, start=False)
    inner = MemorySink()
    sink = committer.serve(inner)
    inner.fail_next["append"] = HostError("disk-full", "no room")
    with pytest.raises(HostError):
        sink.append(b"a\n")
    assert committer.round() == 0


def test_a_recorder_writes_through_it(time_: Monotonic) -> None:
    committer = Committer(time_, start=False)
    inner = MemorySink()
    sink = committer.serve(inner)
    writer = recorder(sink)
    time_.now += 0.5
    committer.round()
    assert inner.survived_crash() == inner.data
    writer.close(lateness_us=sink.lateness_us)
    assert b'"lateness_us":500000' in inner.data


def committing() -> set[threading.Thread]:
    """Committers' threads; another test's session may have left one that serves the process."""
    return {t for t in threading.enumerate() if t.name == "groundwire-committer"}


def test_the_thread_makes_lines_durable_without_being_asked_and_stops() -> None:
    synced = threading.Event()

    class Telling(MemorySink):
        def sync(self) -> None:
            super().sync()
            synced.set()

    committer = Committer(time.monotonic, interval=0.001)
    before = committing()
    sink = committer.serve(Telling())
    sink.append(b"a\n")
    assert synced.wait(10)
    assert [thread.daemon for thread in committing() - before] == [True]
    committer.stop()
    assert committing() == before
    assert 0 < sink.lateness_us < 10_000_000


def test_the_thread_makes_one_round_for_each_time_that_something_waits() -> None:
    rounds = []

    class Counting(Committer):
        def round(self) -> int:
            rounds.append(super().round())
            return rounds[-1]

    committer = Counting(time.monotonic, interval=0.0001)
    synced = threading.Event()

    class Telling(MemorySink):
        def sync(self) -> None:
            super().sync()
            synced.set()

    sink = committer.serve(Telling())
    for _ in range(3):
        sink.append(b"a\n")
        assert synced.wait(10)
        synced.clear()
    committer.stop()
    assert rounds == [1, 1, 1, 0]


def test_stopping_makes_durable_what_is_still_waiting() -> None:
    committer = Committer(time.monotonic, interval=60)
    inner = MemorySink()
    sink = committer.serve(inner)
    sink.append(b"a\n")
    committer.stop()
    assert inner.survived_crash() == b"a\n"
    sink.append(b"b\n")
    committer.stop()
    assert inner.survived_crash() == b"a\nb\n"


def test_a_forked_child_has_no_thread_and_no_sink_of_its_parent() -> None:
    committer, inner = Committer(time.monotonic, interval=60), MemorySink()
    committer.serve(inner).append(b"a\n")

    def child() -> str:
        own = MemorySink()
        committer.serve(own).append(b"b\n")
        committer.stop()
        return f"{own.syncs} {inner.syncs}"

    assert forked(child) == "1 0"
    committer.stop()


def test_a_thread_that_was_woken_for_nothing_hears_of_the_next_line_too() -> None:
    committer = Committer(time.monotonic, interval=0.0)
    durable = threading.Event()

    class Told(MemorySink):
        def sync(self) -> None:
            super().sync()
            if threading.current_thread() in committing():
                durable.set()

    sink = committer.serve(Told())
    sink.append(b"a\n")
    assert durable.wait(20)
    for number in range(200):
        with committer._changed:  # the thread is woken, and cannot look until it is too late
            sink.append(b"b%d\n" % number)
            sink.sync()
    durable.clear()
    sink.append(b"c\n")
    assert durable.wait(20)
    committer.stop()
