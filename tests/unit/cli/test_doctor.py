"""`groundwire doctor` reads out every line, and its exit code says whether something needs doing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from groundwire.cli import doctor
from groundwire.cli import main as frame

CLIENTS = doctor._CLIENTS


@pytest.fixture(autouse=True)
def _no_sdks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading two SDKs takes seconds; the tests that are about them ask for one."""
    monkeypatch.setattr(doctor, "_CLIENTS", {})


def test_a_sound_machine_has_nothing_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert frame.run(["doctor", str(tmp_path)]) == 0
    output = capsys.readouterr()
    assert output.out.endswith("nothing to do\n")
    assert output.err == ""


def test_what_needs_doing_is_counted_and_has_a_next_step(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "groundwire.toml").write_text("agnt = 'x'\n")
    assert frame.run(["doctor", str(tmp_path)]) == 1
    output = capsys.readouterr().out
    assert "todo policy" in output
    assert "1 to do" in output


def test_json_is_one_document_with_the_same_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "groundwire.toml").write_text("agnt = 'x'\n")
    assert frame.run(["doctor", str(tmp_path), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["needed"] == 1
    topics = [line["topic"] for line in document["lines"]]
    assert topics == [
        "versions",
        "versions",
        "keys",
        "policy",
        "recordings",
        "state",
        "commands",
        "clock",
    ]
    assert all(line["next_step"] for line in document["lines"] if line["state"] == "todo")


def test_a_secret_that_is_not_set_is_told_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NOTICE_SECRET", raising=False)
    (tmp_path / "groundwire.toml").write_text(
        '[[notices]]\nurl = "https://sink.example/hook"\nsecret_from = "NOTICE_SECRET"\n'
    )
    assert frame.run(["doctor", str(tmp_path)]) == 0
    assert "note variables  NOTICE_SECRET is not set here" in capsys.readouterr().out


def test_an_sdk_that_is_installed_is_watched_for_a_try(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_CLIENTS", CLIENTS)
    line = doctor.examine_adapter("openai")
    assert (line.topic, line.state) == ("adapters", "ok")
    assert "sync and async" in line.says


def test_an_sdk_that_is_not_installed_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor.examination, "installed", lambda package: None)
    line = doctor.examine_adapter("anthropic")
    assert (line.state, "not installed" in line.says) == ("note", True)


def test_an_sdk_that_cannot_be_watched_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_CLIENTS", {"openai": ("OpenAIOfTomorrow",)})
    line = doctor.examine_adapter("openai")
    assert line.state == "todo"
    assert "OpenAIOfTomorrow" in line.says
    assert "pip install --upgrade" in line.next_step
