"""Files that nobody may read once they stand: told by what the system says of them, or not at all."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from groundwire.documents.edit import SetMode
from groundwire.documents.target import Proposal
from groundwire.targets.files.marks import Marks
from tests.unit.targets.trees import Tree, Unsynced, fresh, replace


class OfNoRoot(Unsynced):
    """The system as it is for whoever is not root: a file without the bit is not opened."""

    def open_file(self, name: str, folder: int) -> int:
        if not os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode & stat.S_IRUSR:
            raise PermissionError(errno.EACCES, "Permission denied", name)
        return super().open_file(name, folder)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path, OfNoRoot())
    made.file("a.txt", b"secret\n")
    return made


def hidden(tree: Tree) -> tuple[Proposal, Marks]:
    """The file may not be read any more, by a write that has just ended."""
    proposal = tree.propose(SetMode(path="a.txt", mode=0o200))
    written = tree.target.write_if_unchanged(proposal, fresh())
    return proposal, tree.target.marks(written)


def seen(tree: Tree, proposal: Proposal, marks: Marks | None) -> str:
    (found,) = tree.target.observe(proposal, marks)
    return found.seen


def test_a_file_that_cannot_be_read_and_is_the_one_that_was_put_there_matches_by_its_token(
    tree: Tree,
) -> None:
    proposal, marks = hidden(tree)
    assert set(marks) == {"a.txt"}
    assert seen(tree, proposal, marks) == "token-match"
    assert seen(tree, proposal, None) == "not-observed"


def test_a_file_that_can_be_read_has_no_mark(tree: Tree) -> None:
    proposal = tree.propose(replace("a.txt", "secret", "public"))
    written = tree.target.write_if_unchanged(proposal, fresh())
    assert tree.target.marks(written) == {}
    assert seen(tree, proposal, {}) == "content-match"


def same_size(path: Path) -> None:
    path.write_bytes(b"others\n")


def another_file(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(b"secret\n")
    other.chmod(0o200)
    other.replace(path)


def longer(path: Path) -> None:
    path.write_bytes(b"secret and more\n")


def other_bits(path: Path) -> None:
    path.chmod(0o222)


def gone(path: Path) -> None:
    path.unlink()


def a_link(path: Path) -> None:
    path.unlink()
    path.symlink_to("elsewhere")


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    ("deed", "says"),
    [
        (same_size, "not-observed"),
        (another_file, "not-observed"),
        (longer, "drift"),
        (other_bits, "drift"),
        (gone, "drift"),
        (a_link, "drift"),
        (a_folder, "drift"),
    ],
)
def test_whatever_others_do_to_it_is_no_match(
    tree: Tree, deed: Callable[[Path], None], says: str
) -> None:
    proposal, marks = hidden(tree)
    before = (tree.work / "a.txt").stat()
    deed(tree.work / "a.txt")
    if deed is same_size:  # a write within a tick of the clock is told by the time it set
        os.utime(tree.work / "a.txt", ns=(0, before.st_mtime_ns + 1))
    assert seen(tree, proposal, marks) == says


def test_a_file_that_was_exchanged_before_its_mark_was_taken_has_none(tree: Tree) -> None:
    proposal = tree.propose(SetMode(path="a.txt", mode=0o200))
    written = tree.target.write_if_unchanged(proposal, fresh())
    another_file(tree.work / "a.txt")
    assert tree.target.marks(written) == {}
    assert seen(tree, proposal, tree.target.marks(written)) == "not-observed"
