"""Containment is what a program that tried to get out was seen to have reached."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from groundwire.errors import HostError
from groundwire.targets.shell import staging
from groundwire.targets.shell.canary import Measured, Way, measure, measure_or_none
from groundwire.targets.shell.running import (
    Command,
    Ran,
    not_contained,
    run_contained,
    run_in_copy,
)
from groundwire.targets.shell.staging import open_shell
from tests.unit.targets.shell.commands import needs_overlay, view
from tests.unit.targets.trees import NOW, Tree, fresh


def measured(tree: Tree, home: Path, run: Callable[[Command], Ran]) -> Measured:
    home.mkdir(exist_ok=True)
    tree.state.mkdir(exist_ok=True)
    found = measure(run, view(tree, home), tree.state, fresh())
    assert list(tree.state.iterdir()) == []
    assert list(home.iterdir()) == []
    return found


@needs_overlay
def test_an_overlay_contains(tree: Tree, tmp_path: Path) -> None:
    assert measured(tree, tmp_path / "home", run_contained) == Measured("contained", ())


@needs_overlay
def test_what_contains_is_measured_where_the_virtual_environment_is_hidden(
    tree: Tree, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home / "venv"], check=True)
    tree.state.mkdir()
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from groundwire.targets.shell.canary import measure\n"
        "from groundwire.targets.shell.running import run_contained\n"
        "from groundwire.targets.shell.view import view_of\n"
        "home, state, given = sys.argv[1:]\n"
        "token = given[::-1]  # it is in no command line\n"
        "seen = view_of({'HOME': home}, [Path(state)], written=home)\n"
        "print(measure(run_contained, seen, Path(state), token).containment)\n"
    )
    done = subprocess.run(
        [home / "venv" / "bin" / "python", "-c", program, home, tree.state, fresh()],
        env={"PYTHONPATH": ":".join(sys.path), "HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("contained\n", "")


def test_a_copy_contains_nothing(tree: Tree, tmp_path: Path) -> None:
    found = measured(tree, tmp_path / "home", run_in_copy)
    assert found.containment == "none"
    assert {"written outside", "hidden file read", "socket reached"} <= set(found.ways)


@needs_overlay
def test_a_hidden_file_that_is_read_is_seen(tree: Tree, tmp_path: Path) -> None:
    def run(command: Command) -> Ran:
        hidden = next(word for word in command.words if word.endswith("/hidden"))
        ran = run_contained(command)
        ran.stdout += Path(hidden).read_bytes()
        return ran

    found = measured(tree, tmp_path / "home", run)
    assert found == Measured("none", ("hidden file read",))


@needs_overlay
def test_a_file_written_outside_is_seen(tree: Tree, tmp_path: Path) -> None:
    home = tmp_path / "home"

    def run(command: Command) -> Ran:
        target = next(word for word in command.words if word.startswith(f"{home}/"))
        Path(target).write_bytes(b"")
        return run_contained(command)

    assert measured(tree, home, run).containment == "none"


@needs_overlay
@pytest.mark.parametrize("way", ["socket reached", "outlived"])
def test_files_alone_are_contained(tree: Tree, tmp_path: Path, way: Way) -> None:
    started = []

    def run(command: Command) -> Ran:
        if way == "socket reached":
            port = int(command.words[6])
            socket.create_connection(("127.0.0.1", port)).close()
        else:
            stay = "import select; select.select([], [], [], 60)"
            words = (sys.executable, "-I", "-c", stay, command.words[5])
            started.append(subprocess.Popen(words, start_new_session=True))
        return run_contained(command)

    found = measured(tree, tmp_path / "home", run)
    assert found == Measured("files-only", (way,))
    for each in started:
        assert each.wait(60) == -9


def test_what_could_not_be_measured_does_not_hold(tree: Tree, tmp_path: Path) -> None:
    def run(command: Command) -> Ran:
        return run_in_copy(msgspec.structs.replace(command, words=("/bin/true",)))

    (tmp_path / "home").mkdir()
    shown = view(tree, tmp_path / "home")
    with pytest.raises(HostError) as raised:
        measure(run, shown, tree.state, fresh())
    assert raised.value.reason == "staging-failed"
    assert measure_or_none(run, shown, tree.state, fresh()) == Measured("none", ())


@needs_overlay
def test_a_shell_is_opened_with_what_was_measured(tree: Tree, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    shown = view(tree, tmp_path / "home")
    shell = open_shell(tree.target, shown, state=tree.state, now=lambda: NOW, token=fresh())
    assert shell.measured == Measured("contained", ())
    staged = shell.stage(("/bin/sh", "-c", "echo x > a"), fresh()).staged
    assert staged.containment == "contained"


def test_where_there_is_no_overlay_a_copy_is_and_says_so(
    tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(command: Command) -> Ran:
        raise not_contained("a test")

    monkeypatch.setattr(staging, "run_contained", refuse)
    (tmp_path / "home").mkdir()
    shell = open_shell(
        tree.target, view(tree, tmp_path / "home"), state=tree.state, now=lambda: NOW, token=fresh()
    )
    assert shell.measured.containment == "none"
    staged = shell.stage(("/bin/sh", "-c", "echo x > a"), fresh()).staged
    assert (staged.containment, [file.path for file in staged.changes]) == ("none", ["a"])
    assert tree.contents() == {}
