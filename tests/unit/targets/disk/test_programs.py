from __future__ import annotations

import os
from pathlib import Path

import pytest

from groundwire.errors import HostError
from groundwire.targets.disk.git_program import Git
from groundwire.targets.disk.programs import path_outside, program_outside


def put(folder: Path, name: str = "git", says: str = "") -> Path:
    """A program that leaves a file beside itself when it is run."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    program.write_text(f"#!/bin/sh\n: > '{folder}/ran'\n{says}\n")
    program.chmod(0o755)
    return program


def test_the_search_path_leaves_the_working_folder_out_by_any_of_its_names(tmp_path: Path) -> None:
    work, link = tmp_path / "work", tmp_path / "link"
    (work / "bin").mkdir(parents=True)
    link.symlink_to(work / "bin")
    beside = tmp_path / "work-tools"
    given = [
        str(work),
        f"{work}/bin",
        f"{work}/../work/bin",
        str(link),
        "",
        ".",
        "bin",
        str(beside),
    ]
    assert path_outside(str(work), os.pathsep.join(given)) == str(beside)


def test_a_git_in_the_working_folder_is_never_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "work"
    put(work / ".venv/bin")
    put(tmp_path / "bin", says="echo $PATH")
    monkeypatch.setenv("PATH", os.pathsep.join([f"{work}/.venv/bin", f"{tmp_path}/bin"]))
    git = Git(str(work))
    assert git.at(str(tmp_path)).run("version") == f"{tmp_path}/bin\n".encode()
    assert git.setting("user.name") == f"{tmp_path}/bin"
    assert not (work / ".venv/bin/ran").exists()
    assert (tmp_path / "bin/ran").exists()


def test_a_link_to_a_git_in_the_working_folder_is_passed_over(tmp_path: Path) -> None:
    work, first, then = tmp_path / "work", tmp_path / "first", tmp_path / "then"
    first.mkdir()
    (first / "git").symlink_to(put(work))
    put(then)
    path = f"{first}{os.pathsep}{then}"
    assert program_outside("git", str(work), path) == str(then / "git")


def test_where_the_only_git_lies_in_the_working_folder_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(HostError) as raised:
        Git(str(tmp_path)).run("version")
    assert raised.value.reason == "git-missing"
    assert not (tmp_path / "ran").exists()
