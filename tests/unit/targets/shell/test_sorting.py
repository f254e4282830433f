"""What a command left is in one part: files, what git wrote, or what is denied."""

from __future__ import annotations

import pytest

from groundwire.documents.staged import DeniedChange, StagedFile
from groundwire.errors import GuardError
from groundwire.targets.shell.reading import Upper
from groundwire.targets.shell.sorting import in_git, is_left_over, require_allowed, sort_out
from tests.unit.targets.trees import Tree


@pytest.mark.parametrize(
    "path", ["index.lock", "refs/heads/x.lock", "objects/ab/tmp_obj_x", "objects/pack/tmp_pack_x"]
)
def test_left_over(path: str) -> None:
    assert is_left_over(path)


@pytest.mark.parametrize("path", ["index", "config.lock", "hooks/x.lock", "x/tmp_obj_x", "a.lock"])
def test_not_left_over(path: str) -> None:
    assert not is_left_over(path)


@pytest.mark.parametrize("path", [".git/index", ".GIT/index", ".git./index", "git~1/index"])
def test_the_git_folder_has_more_spellings_than_one(path: str) -> None:
    assert in_git(path) == "index"
    assert in_git("sub/" + path) is None


def test_locks_and_half_written_objects_are_in_no_part(tree: Tree) -> None:
    tree.file(".git/index", b"old")
    upper = Upper(1, 1)
    for path in ("index", "index.lock", "objects/ab/tmp_obj_x", "config"):
        upper.files.append(StagedFile(path=f".git/{path}", after=b"x", mode=0o644, modified=0))
    parts = sort_out(upper, 1 << 62, tree.target._ground.root, (), ())
    assert [(change.path, change.before, change.after) for change in parts.git] == [
        ("index", b"old", b"x")
    ]
    assert parts.denied == (DeniedChange(path=".git/config", kind="git-own"),)
    assert parts.changes == ()


def test_a_long_list_of_denied_changes_is_cut_and_counted() -> None:
    denied = [DeniedChange(path=f"p{number:02}", kind="pipe") for number in range(25)]
    with pytest.raises(GuardError, match=r"p19 \(pipe\) and 5 more\."):
        require_allowed(denied)
    require_allowed([])
