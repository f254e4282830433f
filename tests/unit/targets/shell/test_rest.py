"""Folders, links and times of a command whose process died before they were all as it left them."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from groundwire.documents.target import Plan, Recovered, Rest
from groundwire.errors import EncodingError
from groundwire.targets.files.journal import require_plan
from groundwire.targets.shell import applying
from groundwire.targets.shell.applying import recover_rest
from tests.unit.targets.shell.commands import Shell, needs_overlay
from tests.unit.targets.trees import Tree, fresh

WHOLE = (
    "mkdir -p made/deep && rmdir old && mkdir -p build && ln -s ../a.txt build/link &&"
    " echo two > a.txt && touch -d 2001-01-01 seen.txt"
)
ALONE = "mkdir made && rmdir old"


class _Died(BaseException):
    """Stands for the end of the process."""


def dying(shell: Shell, command: str, step: str, monkeypatch: pytest.MonkeyPatch) -> Plan:
    """The command is applied by a process that ends before the step of this name is first taken."""
    staged = shell.stage(command)
    proposal, write = shell.propose(staged), fresh()
    plan = staged.plan(proposal, write)
    assert plan is not None

    def die(*_: object, **__: object) -> None:
        raise _Died

    with monkeypatch.context() as patched:
        patched.setattr(applying, step, die)
        with pytest.raises(_Died):
            staged.write_if_unchanged(proposal, write)
    return plan


def recovered(tree: Tree, plan: Plan) -> Recovered:
    """As the next session does it, of a plan that was kept as text."""
    kept = msgspec.json.decode(msgspec.json.encode(plan), type=Plan)
    (found,) = tree.target.recover(kept)
    return recover_rest(kept, found)


@needs_overlay
@pytest.mark.parametrize("step", ["_make_folder", "_set_link", "_remove_folder", "_set_time"])
def test_what_was_left_undone_after_the_files_is_done_by_recovery(
    shell: Shell, tree: Tree, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    tree.file("a.txt")
    tree.file("seen.txt")
    (tree.work / "old").mkdir()
    plan = dying(shell, WHOLE, step, monkeypatch)
    found = recovered(tree, plan)
    assert (found.stands, found.left_alone) == ("after", ())
    assert (tree.work / "a.txt").read_bytes() == b"two\n"
    assert (tree.work / "made/deep").is_dir()
    assert os.readlink(tree.work / "build/link") == "../a.txt"
    assert not (tree.work / "old").exists()
    assert plan.rest is not None
    assert (tree.work / "a.txt").stat().st_mtime_ns == dict(plan.rest.times)["a.txt"]
    assert recovered(tree, plan) == found  # and once more, where all of it stands


@needs_overlay
def test_what_cannot_be_done_any_more_is_named(
    shell: Shell, tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.file("a.txt")
    tree.file("seen.txt")
    (tree.work / "old").mkdir()
    plan = dying(shell, WHOLE, "_make_folder", monkeypatch)
    tree.file("made", b"somebody's\n")
    tree.file("old/new.txt", b"somebody's\n")
    found = recovered(tree, plan)
    assert found.stands == "after"
    assert {name.path for name in found.left_alone} == {"made", "made/deep", "old"}
    assert (tree.work / "made").read_bytes() == b"somebody's\n"
    assert (tree.work / "old/new.txt").read_bytes() == b"somebody's\n"


@needs_overlay
def test_where_the_files_do_not_stand_nothing_of_the_rest_is_done(shell: Shell, tree: Tree) -> None:
    tree.file("a.txt")
    staged = shell.stage("echo two > a.txt; mkdir made")
    plan = staged.plan(shell.propose(staged), fresh())
    assert plan is not None
    assert recovered(tree, plan).stands == "before"
    assert not (tree.work / "made").exists()


@needs_overlay
@pytest.mark.parametrize(
    ("step", "stands"), [("_make_folder", "before"), ("_remove_folder", "after")]
)
def test_a_command_of_no_files_is_recovered_wholly_or_not_at_all(
    shell: Shell, tree: Tree, monkeypatch: pytest.MonkeyPatch, step: str, stands: str
) -> None:
    (tree.work / "old").mkdir()
    plan = dying(shell, ALONE, step, monkeypatch)
    assert plan.steps == ()
    assert recovered(tree, plan).stands == stands
    landed = stands == "after"
    assert ((tree.work / "made").is_dir(), (tree.work / "old").exists()) == (landed, not landed)


@needs_overlay
def test_a_command_that_leaves_nothing_has_no_plan(shell: Shell, tree: Tree) -> None:
    tree.file("a.txt")
    staged = shell.stage("touch a.txt")
    assert staged.plan(shell.propose(staged), fresh()) is None


def test_a_time_of_a_file_that_was_not_placed_is_not_set_back(tree: Tree, tmp_path: Path) -> None:
    seen, later = tree.file("seen.txt"), tree.file("later.txt")
    os.utime(seen, ns=(5, 5))
    os.utime(later, ns=(50, 50))
    (tree.work / "made").mkdir()
    times = (("seen.txt", 9), ("later.txt", 9), ("gone.txt", 9))
    plan = Plan(
        write=fresh(), root=str(tree.work), steps=(),
        rest=Rest(folders=("made",), links=(), removed=(), times=times),
    )  # fmt: skip
    assert recovered(tree, plan).stands == "after"
    assert (seen.stat().st_mtime_ns, later.stat().st_mtime_ns) == (9, 50)


@pytest.mark.parametrize(
    "rest",
    [
        Rest(folders=("../out",), links=(), removed=(), times=()),
        Rest(folders=(), links=(("a/../../out", "x"),), removed=(), times=()),
        Rest(folders=(), links=(), removed=("/etc",), times=()),
        Rest(folders=(), links=(), removed=(), times=(("..", 1),)),
    ],
)
def test_a_plan_that_names_what_no_command_leaves_is_none(tree: Tree, rest: Rest) -> None:
    plan = Plan(write=fresh(), root=str(tree.work), steps=(), rest=rest)
    with pytest.raises(EncodingError) as raised:
        require_plan(plan)
    assert raised.value.reason == "bad-journal"


def test_a_folder_that_a_link_took_the_place_of_is_not_gone_into(
    tree: Tree, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (tree.work / "there").mkdir()
    (tree.work / "made").symlink_to(outside)
    plan = Plan(
        write=fresh(), root=str(tree.work), steps=(),
        rest=Rest(folders=("there", "made", "made/deep"), links=(), removed=(), times=()),
    )  # fmt: skip
    assert {name.path for name in recovered(tree, plan).left_alone} == {"made", "made/deep"}
    assert not any(outside.iterdir())
