"""`kill -9` before, in and after every call to the system: wholly before or wholly after."""

from __future__ import annotations

import errno
import os
import shutil
import signal
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest

from groundwire.documents.edit import Create, Delete, FileEdit, Move, SetMode
from groundwire.documents.target import Plan, Recovered
from tests.unit.stores.disks import fork
from tests.unit.targets.trees import Tree, Unsynced, replace

CALLS = {
    "create", "write", "sync", "set_mode", "set_owner", "exchange", "move_new", "rename", "link",
    "remove", "make_folder", "remove_folder",
}  # fmt: skip
WRITE = "f" * 32
BEFORE = {"a": b"a 1\n", "b": b"b 1\n", "c": b"c 1\n", "m": b"m\n", "keep": b"keep\n"}
EDITS: tuple[FileEdit, ...] = (
    replace("a", "1", "2"),
    Delete(path="b"),
    Move(path="c", to="d/e/c"),
    Create(path="new/n", content=b"n\n"),
    SetMode(path="m", mode=0o600),
)
AFTER = {"a": b"a 2\n", "d/e/c": b"c 1\n", "new/n": b"n\n", "m": b"m\n", "keep": b"keep\n"}


class Killed(Unsynced):
    """Dies at the call of that number: odd numbers before it, even ones in it or after it.

    `lacking` are calls that this file system does not have.
    """

    def __init__(self, at: int, lacking: Sequence[str] = ()) -> None:
        self._at, self._count, self._lacking = at, 0, frozenset(lacking)

    def __getattribute__(self, name: str) -> object:
        found = super().__getattribute__(name)
        if name not in CALLS:
            return found

        def called(*given: object) -> object:
            if name in self._lacking:
                raise OSError(errno.EINVAL, "no such call")
            self._tick()
            if name == "write":
                descriptor, data = given
                os.write(descriptor, data[: len(data) // 2])
                self._tick()
                return os.write(descriptor, data[len(data) // 2 :])
            answer = found(*given)
            self._tick()
            return answer

        return called

    def _tick(self) -> None:
        self._count += 1
        if self._count == self._at:
            os.kill(os.getpid(), signal.SIGKILL)


def tree_in(folder: Path, disk: Unsynced | None = None) -> Tree:
    tree = Tree(folder, disk)
    if not list(tree.work.iterdir()):
        for name, content in BEFORE.items():
            tree.file(name, content, 0o640)
    return tree


def dies(act: Callable[[], object]) -> bool:
    """Whether the act, in a child, was killed."""
    child = fork()
    if child == 0:
        try:
            act()
        except BaseException:
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) in {0, -signal.SIGKILL}
    return os.WIFSIGNALED(status)


def write(folder: Path, at: int, edits: Sequence[FileEdit], lacking: Sequence[str]) -> bool:
    """Whether the write was killed at that call."""
    tree = tree_in(folder)
    proposal = tree.propose(*edits)

    def act() -> None:
        tree.target._ground.root.disk = tree.kept._disk = Killed(at, lacking)
        tree.target.write_if_unchanged(proposal, WRITE)

    return dies(act)


def standing(tree: Tree, found: Sequence[Recovered], after: dict[str, bytes]) -> str:
    """`before` or `after`, wholly, with nothing left over."""
    contents = tree.contents()
    assert contents in (BEFORE, after), contents
    stands = "after" if contents == after and after != BEFORE else "before"
    assert tree.journals() == []
    if stands == "before":
        assert not (tree.work / "d").exists()
        assert not (tree.work / "new").exists()
    for recovered in found:
        assert recovered.left_alone == ()
        assert recovered.stands == stands
    mode = (tree.work / "m").stat().st_mode & 0o777
    if len(after) > 3 and after is AFTER:
        assert mode == (0o600 if stands == "after" else 0o640)
    return stands


LACKING: dict[str, tuple[str, ...]] = {
    "whole": (),
    "no-exchange": ("exchange",),
    "no-renameat2": ("exchange", "move_new"),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", LACKING)
def test_several_files_killed_at_every_call_stand_wholly_or_not_at_all(
    tmp_path: Path, kind: str
) -> None:
    several_killed(tmp_path, LACKING[kind], 1)


def test_several_files_killed_at_any_call_stand_wholly_or_not_at_all(tmp_path: Path) -> None:
    several_killed(tmp_path, (), 5)


def several_killed(tmp_path: Path, lacking: Sequence[str], stride: int) -> None:
    seen, at = set(), 0
    while True:
        at += stride
        folder = tmp_path / str(at)
        folder.mkdir()
        killed = write(folder, at, EDITS, lacking)
        tree = tree_in(folder)
        tree.target._ground.root.disk = Killed(0, lacking)
        found = tree.target.recover()
        stands = standing(tree, found, AFTER)
        seen.add((killed, stands))
        assert tree.target.recover() == (), "recovered twice"
        shutil.rmtree(folder)
        if not killed:
            break
    assert at > 80
    assert seen == {(True, "before"), (True, "after"), (False, "after")}


@pytest.mark.parametrize("edit", range(len(EDITS)))
@pytest.mark.parametrize(
    "kind", ["whole", *(pytest.param(kind, marks=pytest.mark.slow) for kind in [*LACKING][1:])]
)
def test_one_file_killed_at_any_call_is_settled_by_its_plan(
    tmp_path: Path, kind: str, edit: int
) -> None:
    lacking, at = LACKING[kind], 0
    while True:
        at += 1
        folder = tmp_path / str(at)
        folder.mkdir()
        tree = tree_in(folder)
        plan = tree.target.plan(tree.propose(EDITS[edit]), WRITE)
        killed = write(folder, at, EDITS[edit : edit + 1], lacking)
        (found,) = tree.target.recover(plan)
        _require_one_of(tree, plan, found, killed=killed)
        shutil.rmtree(folder)
        if not killed:
            break
    assert at > 1


def _require_one_of(tree: Tree, plan: Plan, found: Recovered, *, killed: bool) -> None:
    (step,) = plan.steps
    changed = {path: content for path, content in BEFORE.items() if path != step.path}
    after = dict(changed)
    if step.after is not None:
        path = step.to or step.path
        after[path] = AFTER[path]
    assert found.left_alone == ()
    assert tree.contents() == (after if found.stands == "after" else BEFORE)
    assert killed or found.stands == "after"
    if step.kind == "mode":
        mode = (tree.work / "m").stat().st_mode & 0o777
        assert mode == (0o600 if found.stands == "after" else 0o640)


def written_by_hand(path: Path) -> None:
    path.write_bytes(b"theirs\n")


def renamed_over(path: Path) -> None:
    beside = path.with_name("theirs")
    beside.write_bytes(b"theirs\n")
    beside.rename(path)


@pytest.mark.parametrize("act", [written_by_hand, renamed_over])
def test_a_file_that_somebody_changed_meanwhile_is_left_alone_and_named(
    tmp_path: Path, act: Callable[[Path], None]
) -> None:
    at, named = 1, 0
    while True:
        at += 6
        folder = tmp_path / str(at)
        folder.mkdir()
        killed = write(folder, at, EDITS, ())
        tree = tree_in(folder)
        begun = bool(tree.journals())
        act(tree.work / "a")
        found = tree.target.recover()
        contents = tree.contents()
        assert contents.pop("a") == b"theirs\n"
        stands = [{p: c for p, c in each.items() if p != "a"} for each in (BEFORE, AFTER)]
        assert contents in stands, contents
        if begun:
            assert [name.path for name in found[0].left_alone] == ["a"]
            named += 1
        shutil.rmtree(folder)
        if not killed:
            break
    assert named > 10


@pytest.mark.slow
def test_a_recovery_killed_at_any_call_can_be_done_again(tmp_path: Path) -> None:
    at, deaths = 0, 0
    killed = True
    while killed:
        at += 7
        again, dead = 0, True
        while dead:
            again += 1
            folder = tmp_path / f"{at}-{again}"
            folder.mkdir()
            killed = write(folder, at, EDITS, ())
            dead = dies(partial(recovered, folder, again))
            tree = tree_in(folder)
            tree.target.recover()
            standing(tree, (), AFTER)
            deaths += dead
            shutil.rmtree(folder)
    assert deaths > 100


def recovered(folder: Path, at: int) -> None:
    tree = tree_in(folder)
    tree.target._ground.root.disk = Killed(at)
    tree.target.recover()
