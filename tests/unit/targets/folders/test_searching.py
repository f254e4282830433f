"""What is found in a folder, and what is not looked at."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from groundwire.errors import GuardError
from groundwire.targets.folders.searching import SearchBounds, search


def found(root: Path, bounds: SearchBounds | None = None) -> dict[str, bytes]:
    return dict(
        search(
            str(root),
            lambda path: path.endswith(".json"),
            lambda path: path.endswith("skip"),
            bounds or SearchBounds(),
        )
    )


def made(root: Path) -> Path:
    for path in ("b.json", "a/c.json", "a/d.txt", "skip/e.json", "a/b/f.json"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(path)
    return root


def test_wanted_files_are_read_below_folders_that_are_not_skipped(tmp_path: Path) -> None:
    there = found(made(tmp_path))
    assert there == {path: path.encode() for path in ("b.json", "a/c.json", "a/b/f.json")}


def test_no_link_is_followed_and_nothing_else_than_a_file_is_opened(tmp_path: Path) -> None:
    root = made(tmp_path / "in")
    (tmp_path / "out.json").write_text("secret")
    (tmp_path / "far").mkdir()
    (tmp_path / "far/x.json").write_text("secret")
    (root / "link.json").symlink_to(tmp_path / "out.json")
    (root / "far").symlink_to(tmp_path / "far")
    os.mkfifo(root / "pipe.json")
    assert b"secret" not in found(root).values()
    assert len(found(root)) == 3


@pytest.mark.parametrize(
    "bounds", [SearchBounds(names=6), SearchBounds(files=2), SearchBounds(size=10)]
)
def test_more_than_the_bounds_let_is_said(tmp_path: Path, bounds: SearchBounds) -> None:
    with pytest.raises(GuardError) as error:
        found(made(tmp_path), bounds)
    assert error.value.reason == "folder-not-looked-through"


def test_a_folder_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert found(tmp_path / "none") == {}
