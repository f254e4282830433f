"""What commits on the way, and the index, change that the working folder does not show."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundwire.targets.git import history
from groundwire.targets.git.history import History
from tests.unit.targets.git.repositories import Repo
from tests.unit.targets.git.stagings import Staging


@pytest.fixture
def work(tmp_path: Path) -> Repo:
    repo = Repo(tmp_path)
    repo.commit("files", spec="one\n", other="x\n")
    return repo


def told(found: History) -> list[tuple[str, str, bytes | None, bytes | None]]:
    assert found.whole
    return [(each.name.path, each.kind, each.before, each.after) for each in found.changes]


def run(script: str) -> tuple[str, ...]:
    """A command of git that is a script of the shell."""
    return ("-c", f"alias.do=!{script}", "do")


BACK = "cp spec old && echo bad > spec && git commit -q -a -m bad && mv old spec && git commit -q -a -m back"


def test_attack_what_a_commit_on_the_way_holds_is_a_change(work: Repo) -> None:
    staging = Staging(work, run(BACK))
    assert "refs/heads/main" in [name.path for name in staging.staged.touches()]
    assert told(staging.staged.history()) == [("spec", "changed", b"one\n", b"bad\n")]


def test_commits_of_what_the_folder_shows_are_no_history_of_their_own(work: Repo) -> None:
    work.stage(spec="two\n", new="n\n")
    for script in (
        "git commit -q -a -m all",
        "git commit -q spec -m one && git commit -q -a -m other",
        "git commit -q -a -m one && git commit -q --amend -m again",
        "git rm -q --cached other && git rm -q --cached -r . && git add -A && git commit -q -m same",
    ):
        assert told(Staging(work, run(script)).staged.history()) == []


def test_attack_what_leaves_history_while_the_folder_keeps_it_is_a_deletion(work: Repo) -> None:
    gone = ("spec", "deleted", b"one\n", None)
    for script in (
        "git rm -q --cached spec",
        "git rm -q --cached spec && git commit -q -m gone",
        "git update-index --force-remove spec && git commit -q -m gone",
    ):
        assert told(Staging(work, run(script)).staged.history()) == [gone]


def test_a_deletion_that_the_folder_shows_is_judged_there(work: Repo) -> None:
    assert (
        told(Staging(work, run("git rm -q spec && git commit -q -m gone")).staged.history()) == []
    )


def test_what_was_judged_when_it_was_committed_elsewhere_is_not_judged_again(work: Repo) -> None:
    work.git("checkout", "-q", "-b", "topic")
    work.commit("first", spec="two\n")
    work.commit("second", spec="three\n")
    work.git("checkout", "-q", "main")
    work.commit("base", other="y\n")
    for script in (
        "git rebase -q main topic",
        "git cherry-pick topic~1 topic",
        "git merge -q --no-edit topic",
        "git merge -q --squash topic && git commit -q -m squashed",
    ):
        assert told(Staging(work, run(script)).staged.history()) == []


def test_a_merge_changes_what_differs_from_each_parent(work: Repo) -> None:
    work.git("checkout", "-q", "-b", "topic")
    work.commit("theirs", other="theirs\n")
    work.git("checkout", "-q", "main")
    script = (
        "git merge -q --no-commit --no-ff topic && echo evil > spec && git add spec && "
        "git commit -q -m merged && git checkout -q HEAD~1 -- spec && git commit -q -m back"
    )
    assert told(Staging(work, run(script)).staged.history()) == [
        ("spec", "changed", b"one\n", b"evil\n")
    ]


def test_what_a_merge_takes_over_from_one_parent_was_judged_there(work: Repo) -> None:
    work.git("checkout", "-q", "-b", "topic")
    work.commit("own", other="own\n")
    work.git("checkout", "-q", "main")
    work.commit("theirs", spec="two\n")
    work.git("checkout", "-q", "topic")
    script = "git merge -q --no-edit main && echo three > spec && git commit -q -a -m three"
    assert told(Staging(work, run(script)).staged.history()) == []


def test_a_conflict_in_the_index_is_no_deletion(work: Repo) -> None:
    work.git("checkout", "-q", "-b", "topic")
    work.commit("theirs", spec="theirs\n")
    work.git("checkout", "-q", "main")
    work.commit("ours", spec="ours\n")
    staging = Staging(work, run("git merge -q topic || true"))
    assert "MERGE_HEAD" in [name.path for name in staging.staged.touches()]
    assert told(staging.staged.history()) == []


@pytest.mark.parametrize("bound", ["MOST_COMMITS", "MOST_FILES", "MOST_BYTES"])
def test_more_than_is_looked_at_is_said_to_be(
    work: Repo, bound: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    staging = Staging(work, run(f"{BACK} && echo z > other && git commit -q -a -m more"))
    monkeypatch.setattr(history, bound, 1)
    assert not staging.staged.history().whole
