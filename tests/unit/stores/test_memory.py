"""The twin in memory keeps the promises of the file, and fails when told to."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundwire.canon.digest import sha256
from groundwire.errors import HostError
from groundwire.recording.sink import Sink
from groundwire.stores.committer import Committer
from groundwire.stores.file import FileSink
from groundwire.stores.memory import MemorySink


@pytest.fixture(params=["file", "memory", "committed"])
def sink(request: pytest.FixtureRequest, tmp_path: Path) -> Sink:
    if request.param == "file":
        return FileSink.create(tmp_path / "a.gw")
    memory = MemorySink()
    return (
        memory if request.param == "memory" else Committer(lambda: 0.0, start=False).serve(memory)
    )


def test_every_sink_keeps_the_same_promises(sink: Sink) -> None:
    sink.append(b"one\n")
    sink.sync()
    sink.attach(sha256(b"x"), b"x")
    sink.append(b"two\n")
    sink.close()
    for act in (
        lambda: sink.append(b"three\n"),
        sink.sync,
        lambda: sink.attach(sha256(b"y"), b"y"),
    ):
        with pytest.raises(HostError) as told:
            act()
        assert told.value.reason == "recording-closed"


def test_a_crash_leaves_what_was_synced() -> None:
    sink = MemorySink()
    sink.append(b"one\n")
    sink.sync()
    sink.append(b"two\n")
    assert sink.survived_crash() == b"one\n"
    assert sink.lines() == [b"one\n", b"two\n"]


def test_a_failure_that_was_asked_for_happens_once_and_changes_nothing() -> None:
    sink = MemorySink()
    sink.fail_next["append"] = HostError("disk-full", "as told")
    with pytest.raises(HostError, match="as told"):
        sink.append(b"one\n")
    sink.append(b"two\n")
    assert sink.data == b"two\n"


def test_a_failed_sync_is_for_good() -> None:
    sink = MemorySink()
    sink.fail_next["sync"] = HostError("sync-failed", "as told")
    for _ in range(2):
        with pytest.raises(HostError, match="as told"):
            sink.sync()
    with pytest.raises(HostError, match="as told"):
        sink.append(b"one\n")
