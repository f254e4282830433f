from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from groundwire.documents.edit import Create, Delete, Move, SetMode
from groundwire.errors import GuardError
from groundwire.targets.disk.kept import KeptBounds
from tests.unit.targets.trees import Tree, fresh, replace

EDITS = (
    replace("a", "1", "2"),
    Delete(path="b"),
    Move(path="c", to="d/c"),
    Create(path="n", content=b"n"),
    SetMode(path="m", mode=0o600),
)


def filled(tree: Tree) -> Tree:
    for name in "abcm":
        tree.file(name, name.encode() + b"1\n", 0o751)
    return tree


def reason_of(act: Callable[[], object]) -> str:
    with pytest.raises(GuardError) as refused:
        act()
    return refused.value.reason


def test_every_kind_of_change_is_undone_with_its_permissions(tree: Tree) -> None:
    filled(tree)
    before = tree.contents()
    written = tree.write(*EDITS)
    assert tree.contents() != before
    undone = tree.target.undo(written.plan, fresh())
    assert tree.contents() == before
    modes = {(tree.work / name).stat().st_mode & 0o777 for name in "abcm"}
    assert modes == {0o751}
    tree.target.undo(undone.plan, fresh())
    assert "n" in tree.contents(), "an undo can be undone"


@pytest.mark.parametrize(
    "act",
    [
        lambda work: (work / "a").write_bytes(b"theirs"),
        lambda work: (work / "a").unlink(),
        lambda work: (work / "a").chmod(0o700),
        lambda work: (work / "b").write_bytes(b"theirs"),
        lambda work: (work / "c").write_bytes(b"theirs"),
        lambda work: (work / "d/c").write_bytes(b"theirs"),
        lambda work: (work / "n").write_bytes(b"theirs"),
        lambda work: (work / "m").chmod(0o700),
    ],
)
def test_nothing_is_undone_where_one_file_was_changed_since(
    tree: Tree, act: Callable[[Path], object]
) -> None:
    written = filled(tree).write(*EDITS)
    act(tree.work)
    now = tree.contents()
    assert reason_of(lambda: tree.target.undo(written.plan, fresh())) == "changed-since"
    assert tree.contents() == now


def test_what_was_too_large_to_keep_is_not_undone(tmp_path: Path) -> None:
    tree = Tree(tmp_path, bounds=KeptBounds(each=3))
    tree.file("a", b"1234\n")
    written = tree.write(replace("a", "1", "2"))
    assert written.kept == ()
    assert reason_of(lambda: tree.target.undo(written.plan, fresh())) == "not-kept"


def test_a_damaged_image_is_not_written_back(tree: Tree) -> None:
    tree.file("a", b"1234\n")
    written = tree.write(replace("a", "1", "2"))
    (image,) = (tree.folder / "kept").iterdir()
    image.write_bytes(b"forged\n")
    assert reason_of(lambda: tree.target.undo(written.plan, fresh())) == "not-kept"
    assert tree.contents() == {"a": b"2234\n"}


def test_a_plan_of_another_folder_is_not_undone_here(tree: Tree, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = Tree(tmp_path / "other")
    other.file("a", b"1\n")
    written = other.write(replace("a", "1", "2"))
    tree.file("a", b"2\n")
    assert reason_of(lambda: tree.target.undo(written.plan, fresh())) == "path-outside"
