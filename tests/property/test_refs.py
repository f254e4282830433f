"""However two writers take their turns, no move of a ref is lost: each stands on the one before it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.documents.ref_edit import Commit, SetRef
from groundwire.documents.target import Proposal
from groundwire.errors import GroundwireError
from groundwire.targets.git.target import GitTarget
from tests.unit.targets.git.repositories import NOW, Repo, fresh
from tests.unit.targets.git.stagings import Staging

SIDE = "refs/heads/side"
TURNS = st.lists(st.tuples(st.sampled_from([0, 1, 2]), st.integers(0, 3)), max_size=10)


@settings(max_examples=15, deadline=None)
@given(turns=TURNS)
def test_any_interleaving_of_two_writers_and_a_plain_git_loses_no_move(
    turns: list[tuple[int, int]],
) -> None:
    with TemporaryDirectory() as folder:
        repo = Repo(Path(folder))
        commits = [repo.at("main")]
        commits += [repo.commit(f"{number}", a=f"{number}\n") for number in range(3)]
        repo.git("branch", "side", commits[0])
        targets = [GitTarget(repo.work, repo.kept, lambda: NOW) for _ in range(2)]
        pending: list[Proposal | None] = [None, None]
        now = commits[0]
        for writer, which in turns:
            if writer == 2:
                repo.git("update-ref", SIDE, commits[which])
                now = commits[which]
                continue
            proposal, pending[writer] = pending[writer], None
            if proposal is None:
                pending[writer] = proposed(targets[writer], commits[which])
                continue
            [change] = proposal.changes
            assert change.before is not None
            assert change.after is not None
            judged, wanted = change.before.decode().strip(), change.after.decode().strip()
            try:
                targets[writer].write_if_unchanged(proposal, fresh())
            except GroundwireError as error:
                if error.reason != "state-drifted":
                    raise
                assert now != judged
            else:
                assert now == judged  # nobody's move was written over
                now = wanted
            assert repo.at(SIDE) == now


def proposed(target: GitTarget, commit: str) -> Proposal | None:
    request = SetRef(ref=SIDE, commit=commit)
    try:
        return target.propose(
            request, [target.read_state(name) for name in target.touches(request)]
        )
    except GroundwireError as error:
        if error.reason != "edit-malformed":  # it is there already
            raise
        return None


def test_commits_of_two_writers_at_once_stand_one_on_the_other(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    (repo.work / "a").write_text("other\n")
    repo.git("add", "-A")
    landed: list[int] = []

    def write(number: int) -> None:
        target = GitTarget(repo.work, repo.kept, lambda: NOW + number)
        for turn in range(6):
            request = Commit(message=f"{number} {turn}")
            try:
                names = target.touches(request)
                proposal = target.propose(request, [target.read_state(name) for name in names])
                target.write_if_unchanged(proposal, fresh())
            except GroundwireError as error:
                if error.reason not in {"state-drifted", "nothing-staged", "git-failed"}:
                    raise
            else:
                landed.append(number)

    run_both(lambda: write(1), lambda: write(2))
    assert int(repo.git("rev-list", "--count", "main")) == 1 + len(landed)
    assert landed
    assert repo.git("fsck", "--strict", "--no-dangling") == ""


def test_a_staged_command_and_a_plain_git_at_once_lose_no_commit(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    landed: list[str] = []
    refused: list[str] = []

    def plain() -> None:
        for turn in range(8):
            try:
                repo.git("commit", "-q", "--allow-empty", "-m", f"plain {turn}")
            except Exception:  # it found a lock; nothing was done
                refused.append(f"plain {turn}")
            else:
                landed.append(f"plain {turn}")

    def staged() -> None:
        for turn in range(4):
            command = ("commit", "-q", "--allow-empty", "-m", f"staged {turn}")
            try:
                Staging(repo, command).apply()
            except Exception:  # drifted, locked, or copied while it changed
                refused.append(f"staged {turn}")
            else:
                landed.append(f"staged {turn}")

    run_both(plain, staged)
    said = repo.git("log", "--format=%s", "main").splitlines()
    assert sorted(said) == sorted([*landed, "first"])
    assert not list((repo.work / ".git").rglob("*.lock"))
    assert repo.git("fsck", "--strict", "--no-dangling") == ""


def run_both(*works: Callable[[], None]) -> None:
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive(), "it waits for ever"
