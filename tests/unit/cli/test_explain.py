"""`groundwire explain`: what it says where it cannot show what was asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from groundwire.cli import main
from groundwire.session.project import Project


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_log_has_nothing_to_be_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "log.json").write_text(json.dumps({"messages": [{"role": "user", "content": "hi"}]}))
    assert main.run(["explain", "log.json", "--boundary", "0"]) == 3
    said = capsys.readouterr()
    assert said.out == ""
    assert "log.json is no recording" in said.err
    assert "reason: not-a-recording" in said.err


def test_a_request_that_is_not_there_is_told_how_many_there_are(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Project().session(folder / "run.gw"):
        pass
    assert main.run(["explain", "run.gw", "--boundary", "7"]) == 3
    told = capsys.readouterr().err
    assert "no request 7; it has 0, counted from 0" in told
    assert "groundwire guard verify RUN#N" in told
