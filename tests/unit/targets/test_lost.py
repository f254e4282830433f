from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from groundwire.canon.digest import sha256
from groundwire.documents.edit import Create, Delete, FileEdit, Move, SetMode, Whole
from groundwire.targets.disk.holdings import DiskHoldings
from groundwire.targets.disk.kept import KeptBounds
from groundwire.targets.lost import lost_content
from tests.unit.targets.trees import Tree, replace


class Held:
    """Holdings that are said."""

    def __init__(self, *, file: bytes = b"", git: bytes = b"", kept: bytes = b"") -> None:
        self.file, self.git, self.kept = file, git, kept

    def stands_in_file(self, content: bytes, but: frozenset[str]) -> bool:
        return content == self.file

    def stands_in_git(self, content: bytes) -> bool:
        return content == self.git

    def is_kept(self, digest: str) -> bool:
        return digest == sha256(self.kept)


def lost(tree: Tree, held: Held, *edits: FileEdit, largest: int = 0, total: int = 100) -> list[str]:
    bounds = KeptBounds(each=largest, total=total)
    changes = lost_content(tree.propose(*edits), lambda: held, bounds)
    return [change.name.path for change in changes]


@pytest.mark.parametrize("edit", [Delete(path="a"), Whole(path="a", content=b"x")])
def test_bytes_that_stand_nowhere_else_are_lost(tree: Tree, edit: FileEdit) -> None:
    tree.file("a", b"only here")
    assert lost(tree, Held(), edit) == ["a"]
    assert lost(tree, Held(), edit, largest=9) == []
    assert lost(tree, Held(), edit, largest=8) == ["a"]
    for held in (Held(file=b"only here"), Held(git=b"only here"), Held(kept=b"only here")):
        assert lost(tree, held, edit) == []


def test_what_the_copies_have_no_room_for_in_all_is_lost(tree: Tree) -> None:
    tree.file("a", b"only here")
    tree.file("b", b"nor there")
    both = (Delete(path="a"), Delete(path="b"))
    assert lost(tree, Held(), *both, largest=9, total=18) == []
    assert lost(tree, Held(), *both, largest=9, total=17) == ["b"]
    assert lost(tree, Held(), *both, largest=9, total=0) == ["a", "b"]


def test_nothing_is_lost_by_what_takes_no_bytes_away(tree: Tree) -> None:
    tree.file("a", b"1")
    tree.file("empty", b"")
    assert lost(tree, Held(), Move(path="a", to="b")) == []
    assert lost(tree, Held(), SetMode(path="a", mode=0o600)) == []
    assert lost(tree, Held(), Create(path="n", content=b"n")) == []
    assert lost(tree, Held(), Delete(path="empty")) == []


def test_bytes_that_the_same_proposal_puts_elsewhere_are_not_lost(tree: Tree) -> None:
    tree.file("a", b"1")
    tree.file("b", b"2")
    assert lost(tree, Held(), Whole(path="b", content=b"1"), Delete(path="a")) == ["b"]


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True)


def test_the_disk_is_asked_for_files_git_and_what_is_kept(tree: Tree) -> None:
    tree.file("a", b"1\n")
    holdings = DiskHoldings(tree.work, tree.kept)
    assert not holdings.stands_in_file(b"1\n", frozenset({"a"}))
    tree.file("deep/b", b"1\n")
    assert holdings.stands_in_file(b"1\n", frozenset({"a"}))
    assert not DiskHoldings(tree.work, tree.kept, most=1).stands_in_file(b"1\n", frozenset({"a"}))
    assert not holdings.stands_in_git(b"1\n"), "no repository at all"
    try:
        git(tree.work, "init", "-q")
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no git")
    git(tree.work, "add", "a")
    assert holdings.stands_in_git(b"1\n")
    assert not holdings.stands_in_git(b"2\n")
    assert not holdings.is_kept(sha256(b"1\n"))
    tree.write(replace("a", "1", "2"))
    assert holdings.is_kept(sha256(b"1\n"))
