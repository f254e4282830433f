"""What in a git folder git writes by itself, and what it reads before it starts a program."""

from __future__ import annotations

import pytest

from groundwire.documents.staged import DeniedChange, StagedFile
from groundwire.errors import GuardError
from groundwire.targets.shell.reading import Upper
from groundwire.targets.shell.sorting import in_git, require_allowed, sort_out, written_by_git
from tests.unit.targets.trees import Tree


@pytest.mark.parametrize(
    "path",
    [
        "HEAD", "index", "ORIG_HEAD", "packed-refs", "refs/heads/main", "refs/stash", "logs/HEAD",
        "objects/ab/cdef", "objects/pack/pack-1.pack", "objects/info/commit-graph", "MERGE_MSG",
        "rebase-merge/done", "COMMIT_EDITMSG", "refs/heads/x.lock", "index.lock", "sharedindex.ab",
    ],
)  # fmt: skip
def test_gits_own(path: str) -> None:
    assert written_by_git(path)


@pytest.mark.parametrize(
    "path",
    [
        "", "config", "config.worktree", "hooks/pre-commit", "info/attributes", "info/exclude",
        "objects/info/alternates", "objects/info/ALTERNATES", "objects/info/http-alternates",
        "modules/a/config", "worktrees/a/gitdir", "commondir", "description", "index/x", "Hooks/x",
        "config.lock", "branches/x",
    ],
)  # fmt: skip
def test_not_gits_own(path: str) -> None:
    assert not written_by_git(path)


@pytest.mark.parametrize("path", [".git/index", ".GIT/index", ".git./index", "git~1/index"])
def test_the_git_folder_has_more_spellings_than_one(path: str) -> None:
    assert in_git(path) == "index"
    assert in_git("sub/" + path) is None


def test_locks_and_half_written_objects_are_in_no_part(tree: Tree) -> None:
    tree.file(".git/index", b"old")
    upper = Upper(0, 1)
    for path in ("index", "index.lock", "objects/ab/tmp_obj_x", "config"):
        upper.files.append(StagedFile(path=f".git/{path}", after=b"x", mode=0o644, modified=0))
    parts = sort_out(upper, tree.target._ground.root, (), ())
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
