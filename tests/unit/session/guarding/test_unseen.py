"""A command that takes bytes away which neither the run nor git has is asked about; ordinary work is not."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from groundwire.documents.governing import CommandArguments
from groundwire.documents.outcome import Executed, Refused
from groundwire.documents.policy import ToolDeclaration
from groundwire.targets.disk.holdings import DiskHoldings
from groundwire.targets.disk.kept import KeptFiles
from tests.unit.session.guarding.calls import Place
from tests.unit.targets.shell.commands import needs_overlay

RUN = ToolDeclaration(name="sh", effect="write", target=CommandArguments(command="cmd"))
pytestmark = needs_overlay


def committed(folder: Path) -> Place:
    """A repository with one commit, and work in it that is in no commit."""
    given = Place(folder / "project", declared=(RUN,))
    given.write("app.py", "one\ntwo\n")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "user.name", "A")
    git(folder, "config", "user.email", "a@example.org")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "First")
    return given


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder / "project"), *words], check=True, capture_output=True)


def ended(place: Place, *commands: str) -> object:
    with place.project.session():
        table = place.table()
        results = [table.dispatch(("sh", {"cmd": each}, "c")) for each in commands]
    return results[-1].outcome


def is_asked(outcome: object) -> bool:
    assert isinstance(outcome, Refused | Executed)
    return isinstance(outcome, Refused) and "profile/unread-overwrite" in outcome.rules


@pytest.mark.parametrize(
    "command",
    ["git checkout -- .", "git restore .", "git reset -q --hard", "git clean -fdq; true",
     "rm notes.md", "echo other > notes.md", ": > app.py"],
)  # fmt: skip
def test_what_nobody_has_is_not_taken_away_unasked(tmp_path: Path, command: str) -> None:
    given = committed(tmp_path)
    given.write("app.py", "one\ntwo\nunsaved\n")
    given.write("notes.md", "draft\n")
    assert is_asked(ended(given, command))
    assert (given.text("app.py"), given.text("notes.md")) == ("one\ntwo\nunsaved\n", "draft\n")


@pytest.mark.parametrize(
    "command",
    ["git stash -qu", "git add -A && git commit -qm wip && git reset -q --hard HEAD~1",
     "mv notes.md draft.md", "sed -i s/two/2/ app.py", "cat notes.md >> app.py"],
)  # fmt: skip
def test_what_is_put_away_moved_or_edited_is_not_lost(tmp_path: Path, command: str) -> None:
    given = committed(tmp_path)
    given.write("app.py", "one\ntwo\nunsaved\n")
    given.write("notes.md", "draft\n")
    assert isinstance(ended(given, command), Executed)


def test_what_the_run_wrote_or_read_itself_may_go(tmp_path: Path) -> None:
    given = committed(tmp_path)
    given.write("notes.md", "draft\n")
    assert isinstance(ended(given, "echo x > mine.txt", "rm mine.txt"), Executed)
    assert isinstance(ended(given, "cat notes.md", "rm notes.md"), Executed)


def test_products_of_a_build_may_go(tmp_path: Path) -> None:
    given = committed(tmp_path)
    given.write("build/lib/a.txt", "made\n")
    assert isinstance(ended(given, "rm -r build"), Executed)


def test_git_is_asked_of_many_files_at_once_and_what_it_cannot_say_is_lacking(
    tmp_path: Path,
) -> None:
    given = committed(tmp_path)
    given.write("new.txt", "new\n")
    holdings = DiskHoldings(tmp_path / "project", KeptFiles(tmp_path / "kept", lambda: 0.0))
    assert holdings.lacking_in_git(["app.py", "new.txt"]) == {"new.txt"}
    assert holdings.lacking_in_git([]) == frozenset()
    assert holdings.lacking_in_git(["app.py", "gone.txt"]) == {"app.py", "gone.txt"}
    assert holdings.lacking_in_git(["app.py", "a\nb"]) == {"app.py", "a\nb"}
    nowhere = DiskHoldings(tmp_path, KeptFiles(tmp_path / "kept", lambda: 0.0))
    assert nowhere.lacking_in_git(["project/app.py"]) == {"project/app.py"}
