"""Warnings name the line of whoever runs the agent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import groundwire as gw
from groundwire.documents.declaration import CheckRules, Off
from groundwire.session.live.warned import RecordingWarning, level_of_the_host, warn

ENDED = Off(check="stale-evidence", reason="known", until="2020-01-01")


def test_the_level_is_that_of_the_first_line_that_is_not_ours() -> None:
    assert level_of_the_host() == 1
    with pytest.warns(RecordingWarning) as caught:
        warn("the disk is full", RecordingWarning)
    assert caught[0].filename == __file__


def test_what_a_policy_no_longer_says_is_told_where_the_run_is_opened(tmp_path: Path) -> None:
    project = gw.Project(gw.Policy(checks=CheckRules(off=(ENDED,))))
    with (
        pytest.warns(gw.PolicyWarning, match="ended on 2020-01-01") as caught,
        project.session(tmp_path / "run.gw"),
    ):
        pass
    assert caught[0].filename == __file__


def test_a_request_outside_any_run_is_told_where_it_is_sent() -> None:
    project = gw.Project(gw.Policy())
    with pytest.warns(gw.UnwatchedRequest) as caught:
        project.outside_run()
    assert [os.path.basename(each.filename) for each in caught] == ["test_warned.py"]
