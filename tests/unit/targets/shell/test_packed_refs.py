"""Refs that another git moves, packs or deletes while a command is staged: no commit is lost by it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from groundwire.errors import GuardError
from groundwire.targets.shell import staging
from groundwire.targets.shell.running import Command, Ran, run_contained
from tests.unit.targets.shell.commands import Shell, needs_overlay, repository
from tests.unit.targets.trees import fresh

pytestmark = needs_overlay

MAKES = "made=$(git -c user.name=A -c user.email=a@b commit-tree -m x main^{tree})"
COMMITS = "echo b > b; git add b; git -c user.name=A -c user.email=a@b commit -qm b"


def quiet_repository(shell: Shell) -> Path:
    """A repository without reflogs, so that no log shows that a ref was moved."""
    shell.tree.file("a")
    repository(shell.tree.work)
    git(shell.tree.work, "config", "core.logAllRefUpdates", "false")
    shutil.rmtree(shell.tree.work / ".git/logs")
    return shell.tree.work


def git(work: Path, *arguments: str) -> str:
    words = ("git", "-c", "user.name=A", "-c", "user.email=a@b", *arguments)
    done = subprocess.run(words, cwd=work, capture_output=True, check=True, text=True, timeout=30)
    return done.stdout.strip()


def theirs(work: Path, ref: str = "refs/heads/main") -> str:
    """Another git has moved the ref to a commit of its own, touching nothing else, and packed it."""
    made = git(work, "commit-tree", "-p", ref, "-m", "theirs", f"{ref}^{{tree}}")
    git(work, "update-ref", ref, made)
    git(work, "pack-refs", "--all")
    assert not (work / ".git" / ref).exists()
    return made


def test_attack_a_ref_that_another_git_moved_and_packed_while_the_command_ran_is_not_overwritten(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = quiet_repository(shell)
    made: list[str] = []

    def run(command: Command) -> Ran:
        ran = run_contained(command)
        made.append(theirs(work))
        return ran

    monkeypatch.setattr(staging, "run_contained", run)
    with pytest.raises(GuardError) as raised:
        shell.stage(COMMITS)
    assert raised.value.reason == "state-drifted"
    assert git(work, "rev-parse", "main") == made[0]


def test_a_ref_that_was_moved_and_packed_after_the_command_is_not_overwritten(shell: Shell) -> None:
    work = quiet_repository(shell)
    git(work, "pack-refs", "--all")
    staged = shell.stage(COMMITS)
    made = theirs(work)
    with pytest.raises(GuardError) as raised:
        shell.propose(staged)
    assert raised.value.reason == "state-drifted"
    assert git(work, "rev-parse", "main") == made


def test_a_ref_that_was_moved_and_packed_after_the_proposal_is_not_overwritten(
    shell: Shell,
) -> None:
    work = quiet_repository(shell)
    git(work, "pack-refs", "--all")
    staged = shell.stage(COMMITS)
    proposal = shell.propose(staged)
    made = theirs(work)
    with pytest.raises(GuardError) as raised:
        staged.write_if_unchanged(proposal, fresh())
    assert raised.value.reason == "state-drifted"
    assert git(work, "rev-parse", "main") == made


def test_a_branch_that_another_git_deleted_while_the_command_ran_does_not_come_back(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = quiet_repository(shell)
    git(work, "branch", "deep/topic")

    def run(command: Command) -> Ran:
        ran = run_contained(command)
        git(work, "update-ref", "-d", "refs/heads/deep/topic")
        return ran

    monkeypatch.setattr(staging, "run_contained", run)
    with pytest.raises(GuardError) as raised:
        shell.stage(f"{MAKES} && git update-ref refs/heads/deep/topic $made")
    assert raised.value.reason == "state-drifted"


def test_a_commit_on_a_packed_branch_stands(shell: Shell) -> None:
    work = quiet_repository(shell)
    git(work, "pack-refs", "--all")
    before = git(work, "rev-parse", "main")
    staged = shell.stage(COMMITS)
    staged.write_if_unchanged(shell.propose(staged), fresh())
    assert git(work, "rev-parse", "main~1") == before


def test_a_file_that_another_deleted_meanwhile_comes_back_with_what_the_command_made_of_it(
    shell: Shell,
) -> None:
    path = shell.tree.file("a", b"old\n")
    staged = shell.stage("echo mine >> a")
    path.unlink()
    staged.write_if_unchanged(shell.propose(staged), fresh())
    assert path.read_bytes() == b"old\nmine\n"
