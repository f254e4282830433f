"""Heads outside the file: they only move on, are private, and are never lost without a word."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from pathlib import Path

import pytest

from groundwire.documents.verdict import Head
from groundwire.errors import HostError
from groundwire.stores.heads import Heads, Known
from tests.unit.stores.disks import forked

AT = "2026-05-04T10:20:30.000000Z"


def head(size: int, digit: str = "a", run: str = "run-1", segment: int = 0) -> Head:
    return Head(run=run, segment=segment, size=size, root="root:" + digit * 64)


def put(heads: Heads, each: Head) -> None:
    heads.put(each, state="checkpointed", path="/runs/quay.gw", at=AT)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "groundwire" / "heads.sqlite"


@pytest.fixture
def heads(path: Path) -> Heads:
    return Heads(path)


def reason(act: object, *arguments: object) -> str:
    with pytest.raises(HostError) as told:
        act(*arguments)  # type: ignore[operator]  -- any callable
    return told.value.reason


def test_a_head_is_known_as_it_was_put(heads: Heads) -> None:
    put(heads, head(3))
    heads.put(head(9, "b"), state="closed", path="/runs/moved.gw", at=AT)
    assert heads.get("run-1", 0) == Known(
        head=head(9, "b"), state="closed", path="/runs/moved.gw", at=AT
    )


@pytest.mark.parametrize("how", ["unlinked", "moved", "replaced"])
def test_a_database_that_was_taken_away_is_told_of_once_and_made_anew(
    heads: Heads, path: Path, how: str
) -> None:
    put(heads, head(3))
    away = path.with_name("elsewhere.sqlite")
    path.rename(away)
    if how == "unlinked":
        away.unlink()
    if how == "replaced":
        put(Heads(path), head(4))
    assert reason(put, heads, head(5)) == "heads-moved"
    put(heads, head(5))
    assert Heads(path).get("run-1", 0) == heads.get("run-1", 0)
    assert reason_of_reading(heads, path) == "heads-moved"


def reason_of_reading(heads: Heads, path: Path) -> str:
    path.unlink()
    return reason(heads.get, "run-1", 0)


def test_segments_and_runs_are_apart(heads: Heads) -> None:
    put(heads, head(3))
    put(heads, head(5, segment=1))
    put(heads, head(7, run="run-2"))
    known = [heads.get(*each) for each in (("run-1", 0), ("run-1", 1), ("run-2", 0))]
    assert [each and each.head.size for each in known] == [3, 5, 7]
    assert heads.get("run-2", 1) is None


def test_a_head_never_goes_back(heads: Heads) -> None:
    put(heads, head(9))
    assert reason(put, heads, head(8)) == "head-went-back"
    assert reason(put, heads, head(9, "b")) == "head-went-back"
    put(heads, head(9))
    known = heads.get("run-1", 0)
    assert known is not None
    assert known.head == head(9)


def test_a_forgotten_head_is_not_known(heads: Heads) -> None:
    put(heads, head(9))
    heads.forget("run-1", 0)
    heads.forget("run-9", 9)
    assert heads.get("run-1", 0) is None


def test_heads_outlive_the_process_and_serve_others(path: Path, heads: Heads) -> None:
    put(heads, head(3))
    other = Heads(path)
    known = other.get("run-1", 0)
    assert known is not None
    put(other, head(4))
    known = heads.get("run-1", 0)
    assert known is not None
    assert known.head.size == 4
    heads.close()
    known = heads.get("run-1", 0)
    assert known is not None


def test_the_file_and_its_folder_are_private(path: Path, heads: Heads) -> None:
    before = os.umask(0)
    try:
        put(heads, head(3))
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    modes = {stat.S_IMODE(each.stat().st_mode) for each in path.parent.iterdir()}
    assert modes == {0o600}
    assert not (path.parent / ".gitignore").exists()


def test_a_file_open_to_others_proves_nothing_and_is_refused(path: Path, heads: Heads) -> None:
    put(heads, head(3))
    path.chmod(0o666)
    assert reason(Heads(path).get, "run-1", 0) == "heads-unsafe"


def test_a_link_in_its_place_is_refused(path: Path, heads: Heads, tmp_path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.symlink_to(tmp_path / "elsewhere")
    assert reason(put, heads, head(3)) == "heads-unwritable"
    assert not (tmp_path / "elsewhere").exists()


def test_a_folder_that_cannot_be_made_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert reason(put, Heads(tmp_path / "file" / "heads.sqlite"), head(3)) in {
        "heads-unwritable", "recording-unwritable",
    }  # fmt: skip


@pytest.mark.parametrize(
    "garbage", [b"not a database at all" * 100, b"SQLite format 3\0" + b"\0" * 900]
)
def test_a_damaged_file_is_said_and_kept(path: Path, heads: Heads, garbage: bytes) -> None:
    put(heads, head(3))
    heads.close()
    path.write_bytes(garbage)
    for act in (lambda: put(heads, head(4)), lambda: heads.get("run-1", 0)):
        with pytest.raises(HostError) as told:
            act()
        assert told.value.reason == "heads-damaged"
        assert "Move it away" in told.value.message
    assert path.read_bytes() == garbage


def test_a_file_of_a_later_version_is_not_written_to(path: Path, heads: Heads) -> None:
    put(heads, head(3))
    heads.close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 2")
    connection.close()
    assert reason(heads.get, "run-1", 0) == "heads-damaged"


def test_many_threads_may_use_it_at_once(heads: Heads) -> None:
    def work(number: int) -> None:
        for size in range(1, 20):
            put(heads, head(size, run=f"run-{number}"))

    workers = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
        assert not worker.is_alive(), "it waits for ever"
    known = [heads.get(f"run-{number}", 0) for number in range(8)]
    assert [each and each.head.size for each in known] == [19] * 8


def test_a_forked_child_has_a_connection_of_its_own(heads: Heads) -> None:
    put(heads, head(3))
    assert forked(lambda: put(heads, head(5, run="child"))) == "None"
    put(heads, head(4))
    known = heads.get("child", 0)
    assert known is not None
    assert known.head.size == 5


def test_a_file_in_use_for_too_long_is_said(
    path: Path, heads: Heads, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groundwire.stores.heads._WAIT_MS", 10)
    put(heads, head(3))
    heads.close()
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        assert reason(put, heads, head(4)) == "heads-busy"
    finally:
        holder.execute("ROLLBACK")
        holder.close()
    put(heads, head(4))
