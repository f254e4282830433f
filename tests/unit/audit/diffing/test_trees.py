"""Files of a folder and of commits: what is read, and what never is."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from groundwire.audit.diffing import trees
from groundwire.audit.diffing.trees import Commit, Folder, Tree, commits
from groundwire.errors import HostError
from groundwire.targets.disk.git_program import Git
from tests.unit.targets.git.repositories import Repo


def in_folder(repo: Repo) -> Tree:
    return Folder(repo.work, "now")


def in_commit(repo: Repo) -> Tree:
    repo.git("add", "-A")
    repo.git("commit", "-q", "--allow-empty", "-m", "all")
    return Commit(Git(str(repo.work)), repo.at("HEAD").strip(), "HEAD")


BOTH = pytest.mark.parametrize("of", [in_folder, in_commit])


@BOTH
def test_a_file_is_read_by_its_path(tmp_path: Path, of: Callable[[Repo], Tree]) -> None:
    repo = Repo(tmp_path)
    (repo.work / "api").mkdir()
    (repo.work / "api" / "ä b.yaml").write_bytes(b"\xff\0x")
    tree = of(repo)
    assert tree.read("api/ä b.yaml") == b"\xff\0x"
    assert tree.read("api/other.yaml") is None
    assert tree.read("api/ä b.yaml/x") is None


@BOTH
def test_nothing_outside_is_read(tmp_path: Path, of: Callable[[Repo], Tree]) -> None:
    repo = Repo(tmp_path)
    (repo.folder / "secret").write_text("s")
    (repo.work / "inner").mkdir()
    (repo.work / "inner" / "a").write_text("a")
    tree = of(repo)
    for path in (
        "../secret",
        "inner/../../secret",
        "/etc/passwd",
        str(repo.folder / "secret"),
        "",
        ".",
        "inner//a",
    ):
        assert tree.read(path) is None


@BOTH
def test_a_link_is_not_followed(tmp_path: Path, of: Callable[[Repo], Tree]) -> None:
    repo = Repo(tmp_path)
    (repo.folder / "secret").write_text("s")
    os.symlink(repo.folder / "secret", repo.work / "link")
    tree = of(repo)
    with pytest.raises(HostError) as caught:
        tree.read("link")
    assert caught.value.reason == "target-unreadable"


def test_a_folder_behind_a_link_is_not_entered(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    (repo.folder / "elsewhere").mkdir()
    (repo.folder / "elsewhere" / "a").write_text("s")
    os.symlink(repo.folder / "elsewhere", repo.work / "link")
    assert _read(Folder(repo.work, "now"), "link/a") is None


def test_a_folder_and_a_pipe_are_no_files(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    (repo.work / "folder").mkdir()
    os.mkfifo(repo.work / "pipe")
    for name in ("folder", "pipe"):
        assert _read(Folder(repo.work, "now"), name) is None


@BOTH
def test_a_file_too_large_is_named_and_not_read(
    tmp_path: Path, of: Callable[[Repo], Tree], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trees, "MOST_BYTES", 9)
    repo = Repo(tmp_path)
    (repo.work / "nine").write_bytes(b"123456789")
    (repo.work / "ten").write_bytes(b"1234567890")
    tree = of(repo)
    assert tree.read("nine") == b"123456789"
    with pytest.raises(HostError) as caught:
        tree.read("ten")
    assert caught.value.reason == "file-too-large"


def test_the_ends_of_a_range_are_commits(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    git = Git(str(repo.work))
    first = repo.at("main").strip()
    second = repo.commit("second", a="2\n").strip()
    before, after = commits(git, "main~1..main")
    assert (before.name, after.name, before.label, after.label) == (first, second, "main~1", "main")
    assert commits(git, "main~1..")[1].name == second
    assert commits(git, "..main~1")[0].name == second


def test_three_dots_begin_where_the_two_parted(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    first = repo.at("main").strip()
    repo.git("branch", "side")
    repo.commit("ours", a="ours\n")
    repo.git("checkout", "-q", "side")
    theirs = repo.commit("theirs", b="theirs\n").strip()
    before, after = commits(Git(str(repo.work)), "main...side")
    assert (before.name, after.name) == (first, theirs)


@pytest.mark.parametrize(
    "said", ["main", "main..nowhere", "a..b..c", "..--output=x", "main....main", "x:y..main"]
)
def test_what_is_no_range_is_refused(tmp_path: Path, said: str) -> None:
    repo = Repo(tmp_path)
    with pytest.raises(HostError) as caught:
        commits(Git(str(repo.work)), said)
    assert caught.value.reason == "bad-range"
    assert not (repo.work / "x").exists()


def _read(tree: Tree, path: str) -> bytes | None:
    """The content; None where it is not there or refused as no file."""
    try:
        return tree.read(path)
    except HostError as error:
        if error.reason != "target-unreadable":
            raise
        return None


def test_a_folder_that_vanished_or_may_not_be_opened_is_no_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("x")
    assert Folder(tmp_path / "gone", "").read("a") is None
    assert Folder(tmp_path / "file", "").read("a") is None

    def denied(*_arguments: object, **_named: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", denied)
    with pytest.raises(HostError) as caught:
        Folder(tmp_path, "now").read("a")
    assert caught.value.reason == "target-unreadable"
