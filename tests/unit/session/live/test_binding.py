"""Which run requests go to after one was closed: by indent without a word, in a notebook with one."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import groundwire as gw
from groundwire.session.live.binding import current_session


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_notebook_that_falls_back_on_an_open_run_is_told_once() -> None:
    first = gw.Session("a.gw").open()
    second = gw.Session("b.gw").open()
    with pytest.warns(gw.RunStillOpen, match="a.gw"):
        second.close()
    assert current_session.get() is first
    third = gw.Session("c.gw").open()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        third.close()
    assert current_session.get() is first
    first.close()
    assert current_session.get() is None


def test_runs_within_runs_by_indent_are_not_warned_of() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", gw.RunStillOpen)
        with gw.Session("a.gw") as first:
            with gw.Session("b.gw"):
                pass
            assert current_session.get() is first
        assert current_session.get() is None


def test_to_close_the_earlier_run_leaves_the_later_one_bound() -> None:
    first = gw.Session("a.gw").open()
    second = gw.Session("b.gw").open()
    first.close()
    assert current_session.get() is second
    with warnings.catch_warnings():
        warnings.simplefilter("error", gw.RunStillOpen)
        second.close()
    assert current_session.get() is None
