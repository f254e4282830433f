from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from groundwire.documents.governing import CommandArguments, GitArguments
from groundwire.documents.outcome import Executed
from groundwire.documents.policy import ToolDeclaration
from groundwire.session.guarding.recovering import recover_writes, undo
from groundwire.session.guarding.result import GuardedResult
from groundwire.session.guarding.tallies import RunGuard
from groundwire.session.project import Session
from tests.unit.session.guarding.calls import Place, call, word
from tests.unit.targets.git.repositories import Repo, fresh

COMMIT = ToolDeclaration(name="commit", effect="write", target=GitArguments(does="commit"))
SET = ToolDeclaration(name="set_ref", effect="write", target=GitArguments(does="set-ref"))
RUN = ToolDeclaration(name="run", effect="write", target=CommandArguments())
DELETE = ToolDeclaration(name="delete_ref", effect="write", target=GitArguments(does="delete-ref"))


class World:
    def __init__(self, folder: Path) -> None:
        self.repo = Repo(folder)
        self.place = Place(self.repo.work, declared=(COMMIT, SET, DELETE, RUN))
        self.table = self.place.table()


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_a_commit_of_what_is_staged_lands_unasked_and_its_tools_own_code_does_not_run(
    world: World,
) -> None:
    world.repo.stage(a="2\n")
    with world.place.session():
        result = world.table.dispatch(call("commit", message="second"))
    assert word(result) == "executed"
    assert result.value == f"refs/heads/main is at {world.repo.at('main')}"
    assert result.proposal is not None
    assert [change.name.kind for change in result.proposal.changes] == ["git"]
    assert world.repo.git("log", "-1", "--format=%s") == "second"
    assert world.place.ran == []


def test_a_ref_moves_and_is_moved_back_by_the_receipt(world: World) -> None:
    first = world.repo.at("main")
    world.repo.git("branch", "side")
    second = world.repo.commit("second", a="2\n")
    with world.place.session() as run:
        result = world.table.dispatch(call("set_ref", ref="refs/heads/side", commit="main"))
        assert word(result) == "executed"
        assert world.repo.at("side") == second
        undone = undo(guard_of(world, run), receipt_of(result))
        assert word(undone) == "executed"
    assert world.repo.at("side") == first


def test_the_delete_of_a_branch_whose_work_stands_nowhere_else_is_held(world: World) -> None:
    world.repo.git("checkout", "-q", "-b", "side")
    tip = world.repo.commit("unmerged", a="2\n")
    world.repo.git("checkout", "-q", "main")
    world.repo.git("branch", "merged")
    with world.place.session():
        held = world.table.dispatch(call("delete_ref", ref="refs/heads/side"))
        gone = world.table.dispatch(call("delete_ref", ref="refs/heads/merged"))
    assert word(held) == "refused: approval-unavailable"
    assert held.ruling is not None
    assert "default/lost-content" in held.ruling.decision.rules
    assert world.repo.at("side") == tip
    assert word(gone) == "executed"


@pytest.mark.parametrize(
    ("name", "arguments", "reason"),
    [
        ("commit", {"message": 1}, "arguments-do-not-fit"),
        ("commit", {}, "arguments-do-not-fit"),
        ("commit", {"message": "x"}, "nothing-staged"),
        ("set_ref", {"ref": "refs/heads/side"}, "arguments-do-not-fit"),
        ("set_ref", {"ref": "refs/../config", "commit": "main"}, "bad-ref"),
        ("delete_ref", {"ref": ["refs/heads/main"]}, "arguments-do-not-fit"),
        ("delete_ref", {"ref": "refs/heads/main"}, "ref-checked-out"),
    ],
)
def test_what_is_no_move_is_refused(
    world: World, name: str, arguments: dict[str, Any], reason: str
) -> None:
    before = world.repo.everything()
    with world.place.session():
        assert word(world.table.dispatch(call(name, **arguments))) == f"refused: {reason}"
    assert world.repo.everything() == before


def test_a_move_whose_end_nobody_saw_is_told_from_the_ref(world: World) -> None:
    first = world.repo.at("main")
    world.repo.git("branch", "side")
    world.repo.commit("second", a="2\n")
    with world.place.session() as run:
        guard = guard_of(world, run)
        state, target = guard.guard.state, guard.guard.state.git(world.repo.work)
        result = world.table.dispatch(call("set_ref", ref="refs/heads/side", commit="main"))
        (write,) = state.grants().under(receipt_of(result))
        state.grants().examined(write.id, "unknown")
        (found,) = recover_writes(state)
        assert (found.state, found.unsettled) == ("landed", ())
        state.grants().examined(write.id, "unknown")
        world.repo.git("update-ref", "refs/heads/side", first)
        (found,) = recover_writes(state)
        assert found.state == "not-landed"
        assert result.proposal is not None
        assert target.plan(result.proposal, fresh()).steps == write.plan.steps


def test_a_commit_of_a_command_lands_unasked_and_is_undone_by_its_receipt(world: World) -> None:
    first = world.repo.at("main")
    (world.repo.work / "a").write_text("2\n")
    before = world.repo.everything()
    with world.place.session() as run:
        made = world.table.dispatch(call("run", command="git commit -q -a -m second"))
        assert word(made) == "executed"
        assert made.proposal is not None
        assert {change.name.kind for change in made.proposal.changes} == {"git"}
        assert world.repo.git("log", "-1", "--format=%s") == "second"
        lock = world.repo.work / ".git/index.lock"
        lock.touch()
        held = undo(guard_of(world, run), receipt_of(made))
        assert word(held) == "refused: git-locked"
        lock.unlink()
        undone = undo(guard_of(world, run), receipt_of(made))
        assert word(undone) == "executed"
        assert undone.proposal is not None
        assert {change.name.kind for change in undone.proposal.changes} == {"git"}
    assert world.repo.at("main") == first
    after = world.repo.everything()
    assert {path: after[path] for path in before} == before
    assert all(path.startswith("objects/") for path in set(after) - set(before))


def test_a_command_that_would_lose_commits_is_held(world: World) -> None:
    world.repo.git("checkout", "-q", "-b", "side")
    tip = world.repo.commit("unmerged", a="2\n")
    world.repo.git("checkout", "-q", "main")
    with world.place.session():
        held = world.table.dispatch(call("run", command="git branch -D side"))
    assert word(held) == "refused: approval-unavailable"
    assert held.ruling is not None
    assert "default/lost-content" in held.ruling.decision.rules
    assert world.repo.at("side") == tip


def test_locks_that_a_death_left_in_git_go_when_its_write_is_looked_at(world: World) -> None:
    (world.repo.work / "a").write_text("2\n")
    with world.place.session() as run:
        made = world.table.dispatch(call("run", command="git commit -q -a -m second"))
        state = guard_of(world, run).guard.state
        (write,) = state.grants().under(receipt_of(made))
        state.grants().examined(write.id, "unknown")
        ours, theirs = (world.repo.work / f".git/{name}.lock" for name in ("index", "HEAD"))
        ours.write_text(write.id)
        theirs.write_text("another git's")
        (found,) = recover_writes(state)
        assert found.state == "landed"
        assert not ours.exists()
        assert theirs.exists()


def receipt_of(result: GuardedResult) -> str:
    assert isinstance(result.outcome, Executed)
    return result.outcome.receipt


def guard_of(world: World, run: Session) -> RunGuard:
    found = world.place.project.run_guard(run)
    assert found is not None
    return found
