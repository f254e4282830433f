"""What stands, and how, when a host hears of a guarded effect; and where the host says it is."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest

from groundwire.attest.receipts import inspect_receipt
from groundwire.documents.entry import CheckpointEntry, GuardedEntry
from groundwire.documents.event import Guarded
from groundwire.recording.reader import read
from groundwire.recording.writer import Recorder
from groundwire.session import run as running
from groundwire.session.guarding.ways.files import FileWay
from groundwire.stores.disk.system import System
from tests.driving import replayed
from tests.unit.session.guarding.calls import Place, call, word

THREADS = 16


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    # No other thread takes a checkpoint.
    monkeypatch.setattr(running, "hand_over", lambda _: None)
    return Place(tmp_path / "project")


class Medium(System):
    """How many bytes of a recording are durable; `dead`: it keeps no more."""

    durable = 0
    dead = False

    @staticmethod
    def sync(descriptor: int) -> None:
        if not os.readlink(f"/proc/self/fd/{descriptor}").endswith(".gw"):
            os.fsync(descriptor)
            return
        if Medium.dead:
            raise OSError(5, "Input/output error")
        Medium.durable = os.fstat(descriptor).st_size
        os.fsync(descriptor)


@pytest.fixture
def medium(monkeypatch: pytest.MonkeyPatch) -> type[Medium]:
    monkeypatch.setattr(Medium, "dead", False)
    monkeypatch.setattr(Medium, "durable", 0)
    monkeypatch.setattr(System, "sync", staticmethod(Medium.sync))
    return Medium


def standing(path: Path, durable: int) -> tuple[list[str], bool]:
    """States of guarded calls that are durable, and whether a checkpoint covers the last of all."""
    lines = path.read_bytes().splitlines(keepends=True)
    entries = read(lines, lambda _: None).entries
    kept = [line for line in lines if line.startswith(b'{"@":"guarded/1"')]
    on_medium = path.read_bytes()[:durable]
    states = [
        entry.state
        for entry, line in zip(
            (each for each in entries if isinstance(each, GuardedEntry)), kept, strict=True
        )
        if line in on_medium
    ]
    guarded = [at for at, each in enumerate(entries) if isinstance(each, GuardedEntry)]
    return states, any(isinstance(each, CheckpointEntry) for each in entries[guarded[-1] :])


def test_an_effect_is_acknowledged_once_its_record_is_durable_and_under_a_checkpoint(
    place: Place, medium: type[Medium]
) -> None:
    place.write("a.py", "1")
    table = place.table()
    with place.session() as run:
        assert word(table.dispatch(call("edit", path="a.py", old="1", new="2"))) == "executed"
        assert run.path is not None
        states, covered = standing(run.path, medium.durable)
    assert states == ["decided", "intent", "outcome", "attested"]
    assert covered


def test_an_unknown_effect_is_acknowledged_no_earlier(place: Place, medium: type[Medium]) -> None:
    def own(path: str, old: str, new: str) -> None:
        raise ValueError(path)

    place.write("a.py", "1")
    table = place.table(own=own)
    with place.session() as run:
        with pytest.raises(ValueError, match=r"a\.py"):
            table.dispatch(call("own", path="a.py", old="1", new="2"))
        assert run.path is not None
        states, covered = standing(run.path, medium.durable)
    assert states[-2:] == ["outcome", "attested"]
    assert covered


def test_an_effect_whose_record_the_disk_refuses_is_never_a_silent_success(
    place: Place, medium: type[Medium], monkeypatch: pytest.MonkeyPatch
) -> None:
    wrote = FileWay.write

    def then_the_disk_dies(self: FileWay, *given: Any) -> object:
        value = wrote(self, *given)
        medium.dead = True
        return value

    place.write("a.py", "1")
    table = place.table()
    monkeypatch.setattr(FileWay, "write", then_the_disk_dies)
    with place.session() as run:
        with pytest.warns(UserWarning, match="no longer recorded"):
            result = table.dispatch(call("edit", path="a.py", old="1", new="2"))
        assert place.text("a.py") == "2"
        assert word(result) == "executed"
        assert not result.recorded
        assert not result.proof_call().recorded
        assert run.lost_reason == "sync-failed"
        again = table.dispatch(call("edit", path="a.py", old="2", new="3"))
        assert word(again) == "refused: guard-not-recorded"
    assert place.text("a.py") == "2"


def test_calls_that_end_together_share_one_checkpoint(
    place: Place, medium: type[Medium], monkeypatch: pytest.MonkeyPatch
) -> None:
    covers: list[int] = []
    recorded = threading.Barrier(THREADS + 1, timeout=60)
    all_recorded = threading.Event()
    covering, syncing = Recorder.cover, medium.sync

    def counted(self: Recorder) -> None:
        covers.append(self.size)
        covering(self)

    def slow(descriptor: int) -> None:
        if threading.current_thread().name.startswith("acting"):
            all_recorded.wait(60)
        syncing(descriptor)

    with place.session() as run:

        def ends() -> None:
            begun = run.begin_guarded(call("edit"))
            run.record_guarded(begun.said("edit", "decided", "{}"), durable=False)
            recorded.wait()
            run.cover_guarded()

        monkeypatch.setattr(Recorder, "cover", counted)
        monkeypatch.setattr(System, "sync", staticmethod(slow))
        threads = [threading.Thread(target=ends, name=f"acting-{n}") for n in range(THREADS)]
        for thread in threads:
            thread.start()
        recorded.wait()
        all_recorded.set()
        for thread in threads:
            thread.join(60)
        opened = run._opened
        assert opened is not None
        assert opened.rail.recorder.covered == (0, covers[0])
    assert len(covers) == 1
    assert len([each for each in replayed(run.path) if isinstance(each, Guarded)]) == THREADS


@pytest.mark.parametrize(
    ("path", "claimed", "environment"),
    [
        ("dev/a", None, "dev"),
        ("dev/a", "staging", "staging"),
        ("dev/a", "nobody declared this", "production"),
        ("staging/a", "dev", "staging"),
        ("elsewhere", "dev", "production"),
    ],
)
def test_what_a_run_says_of_its_environment_makes_a_decision_only_stricter(
    tmp_path: Path, path: str, claimed: str | None, environment: str
) -> None:
    patterns = [{"name": name, "pattern": f"{name}/**"} for name in ("dev", "staging")]
    place = Place(tmp_path / "project", rules={"environments": patterns})
    place.write(path, "1")
    table = place.table()
    tags = {} if claimed is None else {"environment": claimed}
    with (
        place.project.session(tmp_path / "run.gw", tags=tags) as run,
        run.child("part") as child,
    ):
        asked = call("edit", path=path, old="1", new="2")
        inner = child.call(asked, lambda: None)
    with place.project.session(tmp_path / "two.gw", tags=tags):
        outer = table.dispatch(call("edit", path=path, old="2", new="3"))
    for result in (inner, outer):
        assert result.receipt is not None
        assert inspect_receipt(result.receipt)[0].asked.environment == environment
