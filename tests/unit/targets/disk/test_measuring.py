from __future__ import annotations

import os
from pathlib import Path

from groundwire.documents.target import (
    Absent,
    Present,
    Unmeasurable,
    is_same_file,
    stands_for,
)
from groundwire.targets.disk.measuring import measure
from groundwire.targets.disk.system import Disk
from tests.unit.targets.trees import Rival


def measured(folder: Path, name: str = "a", disk: Disk | None = None, limit: int = 100) -> object:
    handle = os.open(folder, os.O_RDONLY)
    try:
        return measure(disk or Disk(), handle, name, limit=limit).state
    finally:
        os.close(handle)


def test_a_file_that_changes_while_it_is_read_has_no_token(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"1")

    def grow() -> None:
        with path.open("ab") as file:
            file.write(b"1")

    assert measured(tmp_path, disk=Rival("read", grow, times=99)) == Unmeasurable(why="changing")
    assert isinstance(measured(tmp_path, disk=Rival("read", grow, times=2)), Present)


def test_a_file_over_the_limit_and_one_that_cannot_be_read_have_no_token(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    assert measured(tmp_path, limit=4) == Unmeasurable(why="too-large")
    assert isinstance(measured(tmp_path, limit=5), Present)
    assert measured(tmp_path, "x" * 300) == Unmeasurable(why="unreadable")


def test_tokens_tell_files_apart_and_contents_alike(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(b"1")
    os.link(tmp_path / "a", tmp_path / "c")
    a, b, c = (measured(tmp_path, name) for name in "abc")
    assert isinstance(a, Present)
    assert isinstance(b, Present)
    assert isinstance(c, Present)
    assert stands_for(a, b)
    assert not is_same_file(a, b)
    assert is_same_file(a, c)
    assert not stands_for(a, Absent())
    assert not stands_for(Unmeasurable(why="changing"), Unmeasurable(why="changing"))
    assert not is_same_file(Absent(), Absent())
