"""What is hidden from a command is not deleted by it, in git either."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundwire.errors import GuardError
from groundwire.targets.shell.staging import Bounds
from tests.unit.targets.shell.commands import QUICK, Shell, repository
from tests.unit.targets.trees import Tree

COMMIT = "git -c user.name=A -c user.email=a@example.org commit -q"


@pytest.fixture
def hiding(tree: Tree, tmp_path: Path) -> Shell:
    tree.file("private/notes.txt", b"secret\n")
    tree.file("app.py")
    repository(tree.work)
    return Shell(tree, tmp_path / "home", Bounds(limits=QUICK, deny_read=("private/**",)))


@pytest.mark.parametrize(
    "command", ["git add -A", f"git add -A && {COMMIT} -m x", f"{COMMIT} -am x"]
)
def test_a_commit_of_everything_does_not_delete_what_is_only_hidden(
    hiding: Shell, command: str
) -> None:
    with pytest.raises(GuardError) as raised:
        hiding.stage(f"echo two > app.py; {command}")
    assert raised.value.reason == "change-kind-denied"
    assert "private/notes.txt" in raised.value.message
    assert "app.py" not in raised.value.message


def test_a_commit_of_other_files_by_name_is_none_of_its_business(hiding: Shell, tree: Tree) -> None:
    staged = hiding.run(
        f"echo two > app.py; git add app.py && {COMMIT} -m two && git log --format=%s"
    )
    assert staged.staged.output.stdout == b"two\nbegin\n"
    assert tree.contents()["private/notes.txt"] == b"secret\n"
