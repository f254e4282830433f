"""A command in a copy: the same changes, and nothing of the folder itself touched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from groundwire.documents.staged import StagedLink
from groundwire.errors import GuardError
from groundwire.targets.shell.copying import CopyBounds
from groundwire.targets.shell.staging import Bounds
from tests.unit.targets.shell.commands import QUICK, Shell
from tests.unit.targets.trees import Tree, fresh


@pytest.fixture
def shell(tree: Tree, tmp_path: Path) -> Shell:
    return Shell(tree, tmp_path / "home", overlay=False)


def test_the_same_changes_are_seen_as_in_an_overlay(shell: Shell) -> None:
    for name in ("d/changed", "gone", "mode", "same", "deep/er/a", "deep/er/b"):
        shell.tree.file(name)
    before = shell.tree.contents()
    staged = shell.stage(
        "echo new > d/made; echo more >> d/changed; rm gone; chmod 755 mode; cat same;"
        " rm -r deep; mkdir empty"
    )
    assert shell.tree.contents() == before
    proposal = shell.propose(staged)
    assert {change.name.path: change.kind for change in proposal.changes} == {
        "d/made": "created",
        "d/changed": "changed",
        "gone": "deleted",
        "mode": "mode",
        "deep/er/a": "deleted",
        "deep/er/b": "deleted",
    }
    assert staged.staged.folders == ("empty",)
    assert staged.staged.removed == ("deep/er", "deep")
    shell.apply(staged)
    assert set(shell.tree.contents()) == {"d/made", "d/changed", "mode", "same"}
    assert not (shell.tree.work / "deep").exists()


def test_a_file_is_copied_and_never_linked(shell: Shell) -> None:
    path = shell.tree.file("a")
    program = "import os; print(os.stat('a').st_ino)"
    told = shell.python(program).staged.output.stdout
    assert int(told) != path.stat().st_ino
    assert path.stat().st_nlink == 1


def test_links_are_copied_as_links(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "outside").write_bytes(b"theirs")
    (shell.tree.work / "node_modules").mkdir()
    (shell.tree.work / "node_modules/l").symlink_to("/usr/bin/env")
    (shell.tree.work / "out").symlink_to(tmp_path / "outside")
    assert shell.stage("true").staged.links == ()
    assert shell.stage("rm node_modules/l").staged.links == (
        StagedLink(path="node_modules/l", to=None),
    )
    with pytest.raises(GuardError, match=r"out \(symlink\)"):
        shell.stage("rm out")


@pytest.mark.parametrize("command", ["ln a b", "mkfifo p", "ln -s a l", "chmod u+s a"])
def test_kinds_that_are_never_made_are_not_here_either(shell: Shell, command: str) -> None:
    shell.tree.file("a")
    with pytest.raises(GuardError) as raised:
        shell.stage(command)
    assert raised.value.reason == "change-kind-denied"


def test_a_file_that_changed_while_the_command_ran_has_drifted(shell: Shell) -> None:
    path = shell.tree.file("a")
    staged = shell.stage("echo mine > a")
    path.write_bytes(b"theirs\n")
    with pytest.raises(GuardError) as raised:
        shell.propose(staged)
    assert raised.value.reason == "state-drifted"


@pytest.mark.parametrize("bounds", [CopyBounds(size=10), CopyBounds(entries=2)])
def test_a_large_folder_is_not_copied(tree: Tree, tmp_path: Path, bounds: CopyBounds) -> None:
    for name in ("a", "b", "c"):
        tree.file(name)
    shell = Shell(tree, tmp_path / "home", Bounds(limits=QUICK, copy=bounds), overlay=False)
    with pytest.raises(GuardError) as raised:
        shell.stage("true")
    assert raised.value.reason == "folder-too-large"
    assert [name for name in os.listdir(tree.state) if "copy" in name] == []


def test_nothing_of_a_copy_is_left(shell: Shell) -> None:
    shell.tree.file("a")
    shell.stage("chmod 000 a; mkdir d; chmod 000 d")
    assert os.listdir(shell.tree.state) == []


def test_a_command_begins_in_the_copy_of_its_folder(shell: Shell) -> None:
    shell.tree.file("sub/a")
    staged = shell.target.stage(("/bin/sh", "-c", "echo x > b; pwd"), fresh(), "sub")
    assert [name.path for name in staged.touches()] == ["sub/b"]
    assert str(shell.tree.work).encode() not in staged.staged.output.stdout
