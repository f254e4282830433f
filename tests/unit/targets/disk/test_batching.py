"""Many files are waited for once, and always before the journal says that they stand."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from groundwire.documents.edit import Create
from groundwire.errors import GroundwireError
from groundwire.targets.disk import batching
from groundwire.targets.disk.batching import BatchedDisk
from groundwire.targets.disk.kept import KeptFiles
from groundwire.targets.disk.system import Disk
from groundwire.targets.files.target import FilesTarget
from tests.unit.targets.trees import NOW, Tree, fresh


def target(folder: Path, disk: Disk | None = None) -> FilesTarget:
    work = folder / "work"
    work.mkdir(exist_ok=True)
    return FilesTarget(work, KeptFiles(folder / "kept", lambda: NOW), folder / "state", disk)


def write(files: FilesTarget, count: int) -> None:
    edits = [Create(path=f"d/f{number}", content=b"%d\n" % number) for number in range(count)]
    readings = [files.read_state(name) for name in files.touches(edits)]
    proposal = files.propose(edits, readings)
    with files.batched() as batched:
        batched.write_if_unchanged(proposal, fresh())


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every wait for the medium, and every word of a journal, in their order."""
    order: list[str] = []
    syncfs, fsync, put = batching._syncfs(), os.fsync, Disk.write

    def all_at_once(descriptor: int) -> int:
        order.append("all")
        assert syncfs is not None
        result: int = syncfs(descriptor)
        return result

    def one(descriptor: int) -> None:
        order.append("one")
        fsync(descriptor)

    def word(self: Disk, descriptor: int, data: bytes) -> None:
        if data.startswith(b'{"type":'):
            order.append(data.split(b'"')[3].decode())
        put(self, descriptor, data)

    if syncfs is not None:
        monkeypatch.setattr(batching, "_syncfs", lambda: all_at_once)
    monkeypatch.setattr(os, "fsync", one)
    monkeypatch.setattr(Disk, "write", word)
    return order


@pytest.mark.skipif(sys.platform != "linux", reason="syncfs is Linux's")
def test_all_contents_are_waited_for_once_and_before_the_journals_own_word(
    tmp_path: Path, told: list[str]
) -> None:
    write(target(tmp_path), 50)
    assert told.count("all") == 1
    assert told[: told.index("committed")].count("one") < 10
    assert told.index("staged") < told.index("all") < told.index("one") < told.index("committed")
    assert len(list((tmp_path / "work/d").iterdir())) == 50


def test_where_there_is_no_such_call_each_file_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: list[str]
) -> None:
    monkeypatch.setattr(batching, "_syncfs", lambda: None)
    write(target(tmp_path), 20)
    assert told.count("one") >= 20
    assert "all" not in told


def test_a_wait_that_fails_writes_nothing_and_leaks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batching, "_syncfs", lambda: lambda _: -1)
    files = target(tmp_path)
    before = len(os.listdir("/dev/fd"))
    with pytest.raises(GroundwireError):
        write(files, 20)
    assert not (tmp_path / "work/d").exists()
    assert len(os.listdir("/dev/fd")) == before


def test_a_write_that_is_given_up_lets_go_of_what_it_waited_for(tmp_path: Path) -> None:
    folder = os.open(tmp_path, os.O_RDONLY)
    with BatchedDisk() as disk:
        descriptor = disk.create(".gw-x", folder, 0o600)
        disk.sync(descriptor)
        disk.close(descriptor)
        assert len(os.listdir("/dev/fd")) > 0
        waiting = disk._waiting
    if waiting is not None:
        with pytest.raises(OSError, match="descriptor"):
            os.fstat(waiting)
    os.close(folder)


def test_a_disk_that_is_not_the_systems_own_is_kept(tree: Tree) -> None:
    with tree.target.batched() as batched:
        assert batched is tree.target
