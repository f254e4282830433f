"""`groundwire run`: output and exit code of the command where it is applied, a reason where not."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from groundwire.cli.main import run
from tests.terraforms import StandIn, change, saved, shown
from tests.unit.targets.shell.commands import needs_overlay

pytestmark = needs_overlay


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "groundwire.toml").write_text('[guard]\nprofile = "enforce/1"\n')
    monkeypatch.chdir(folder)
    return folder


def test_an_ordinary_command_is_applied(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code = run(["run", "--", "sh", "-c", "echo out; echo err >&2; echo 'a b' > made; exit 5"])
    told = capfd.readouterr()
    assert (code, told.out) == (5, "out\n")
    assert told.err == "err\ngroundwire: created made\n"
    assert (project / "made").read_text() == "a b\n"
    assert len(list((project / "runs").glob("*.gw"))) == 1


def test_words_reach_the_command_as_they_were_given(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["run", "printf", "%s|", "a b", "$HOME", "'", "*"]) == 0
    assert capfd.readouterr().out == "a b|$HOME|'|*|"


def test_a_refused_command_changes_nothing_and_says_what_would_allow_it(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (project / ".gitlab-ci.yml").write_text("a: b\n")
    assert run(["run", "--", "sh", "-c", "echo secret; rm .gitlab-ci.yml"]) == 1
    told = capfd.readouterr()
    assert (project / ".gitlab-ci.yml").exists()
    assert "secret" not in told.out + told.err
    assert "reason: approval-unavailable" in told.err


def test_the_lines_that_would_allow_a_command_are_for_pasting(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    command = ["run", "--", "cp", "made", ".gitlab-ci.yml"]
    (project / "made").write_text("a: b\n")
    assert run(command) == 1
    lines = capfd.readouterr().err.partition("put this into groundwire.toml:\n")[2]
    with (project / "groundwire.toml").open("a") as policy:
        policy.write(lines)
    assert run(command) == 0
    assert (project / ".gitlab-ci.yml").read_text() == "a: b\n"


def test_the_policy_itself_is_not_written(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    before = (project / "groundwire.toml").read_text()
    assert run(["run", "--", "sh", "-c", "echo > groundwire.toml"]) == 1
    assert (project / "groundwire.toml").read_text() == before
    assert "protected-place" in capfd.readouterr().err


def test_a_rule_can_name_these_commands(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    rule = '[[guard.rules]]\nid = "no"\ndecide = "deny"\ntools = ["groundwire_run"]\n'
    other = project / "other.toml"
    other.write_text(rule)
    assert run(["run", "--policy", str(other), "--", "true"]) == 1
    assert "decision-denied" in capfd.readouterr().err


def test_json_says_all_of_it(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "--json", "--", "sh", "-c", "echo out; echo x > made"]) == 0
    told = msgspec.json.decode(capfd.readouterr().out)
    assert told["outcome"] == "executed"
    assert told["stdout"] == "out\n"
    assert told["changes"] == [{"kind": "created", "path": "made"}]
    assert run(["run", "--json", "--", "ln", "-s", "a", "b"]) == 1
    told = msgspec.json.decode(capfd.readouterr().out)
    assert (told["outcome"], told["reason"]) == ("refused", "change-kind-denied")
    assert "b (symlink)" in told["message"]


def test_without_a_command_it_is_usage(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["run"]) == 2
    assert run(["run", "--policy", "not-there.toml", "true"]) in {2, 3}
    assert "Traceback" not in capfd.readouterr().err


def test_terraform_applies_the_plan_that_was_judged(
    project: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """With a stand-in of that name: see `tests.terraforms`."""
    terraform = StandIn(tmp_path / "terraform")
    monkeypatch.setenv("PATH", f"{terraform.program.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("CONDA_PREFIX", str(terraform.folder))
    (project / "p.tfplan").write_text(saved(shown(change("a.b", ["create"], None, {}))))
    assert run(["run", "--", "terraform", "apply", "p.tfplan"]) == 1
    lines = capfd.readouterr().err.partition("put this into groundwire.toml:\n")[2]
    assert terraform.landed == []
    with (project / "groundwire.toml").open("a") as policy:
        policy.write(lines)
    assert run(["run", "--", "terraform", "apply", "p.tfplan"]) == 0
    told = capfd.readouterr()
    assert (told.out, told.err) == ("Apply complete!\n", "groundwire: created a.b\n")
    terraform.ends(apply=1)
    assert run(["run", "--", "terraform", "apply", "p.tfplan"]) == 3
    assert "write-unsettled" in capfd.readouterr().err
    assert [line == "half" for line in terraform.landed] == [False, True]
