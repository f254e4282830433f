"""What is run outside, to contain a command, is nothing that a command can have written."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import groundwire
from tests.unit.targets.shell.commands import Shell, view
from tests.unit.targets.trees import Tree

CHANGED_IN_MID_RUN = """
import sys
from pathlib import Path
from groundwire.targets.shell.running import Command, run_contained
folder, marker = sys.argv[1:]
for name in ("calls", "layout", "program"):
    path = Path(folder, "groundwire/targets/shell/inside", name + ".py")
    path.write_text(f"open({marker!r}, 'w')\\n" + path.read_text().replace("from __future__", "# "))
with run_contained(Command(words=("/bin/echo", "ran"), root=folder, folder=folder, environment={})) as ran:
    print(ran.stdout.decode())
"""


def test_a_python_put_into_the_virtual_environment_is_not_what_contains_the_next_command(
    shell: Shell, tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = tree.work / "python"
    put.write_text(f"#!/bin/sh\n: > '{tree.work}/outside'\n")
    put.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(put))
    assert shell.stage("echo ran").staged.output.stdout == b"ran\n"
    assert not (tree.work / "outside").exists()


def test_groundwire_written_over_in_mid_run_does_not_contain_the_next_command(
    tmp_path: Path,
) -> None:
    """It may be installed in the working folder itself."""
    folder, marker = tmp_path / "site", tmp_path / "outside"
    compiled = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(groundwire.__file__).parent, folder / "groundwire", ignore=compiled)
    search = os.pathsep.join([str(folder), *(path for path in sys.path if path)])
    done = subprocess.run(
        [sys.executable, "-c", CHANGED_IN_MID_RUN, str(folder), str(marker)],
        env={"PYTHONPATH": search},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "ran", done.stderr
    assert not marker.exists()


def test_who_commits_is_not_asked_of_a_git_in_the_working_folder(
    tree: Tree, tmp_path: Path
) -> None:
    put = tree.work / "bin" / "git"
    put.parent.mkdir()
    put.write_text(f"#!/bin/sh\n: > '{tree.work}/outside'\n")
    put.chmod(0o755)
    path = f"{put.parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    seen = view(tree, tmp_path / "home", {"PATH": path})
    assert str(put.parent) in seen.environment["PATH"]
    assert not (tree.work / "outside").exists()
