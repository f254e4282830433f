"""`groundwire guard`: a group of commands, each in a module of its own."""

from __future__ import annotations

import json

import pytest

from groundwire.cli.main import run
from groundwire.guard.profiles import PROFILES


def test_a_profile_is_printed_with_every_fact_and_what_is_done_about_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["guard", "profile", "strict/1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "strict/1"
    said = {line.split()[0]: " ".join(line.split()[1:]) for line in lines[1:]}
    assert set(said) == {row.fact for row in PROFILES["strict/1"].rows}
    assert said["uncontained"] == "refused"
    assert said["unread-overwrite"] == "a person is asked"


def test_without_a_name_every_profile_is_printed_and_observing_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["guard", "profile"]) == 0
    heads = [line for line in capsys.readouterr().out.splitlines() if not line.startswith(" ")]
    assert [head.partition(":")[0] for head in heads] == list(PROFILES)
    assert [head for head in heads if "let through" in head] == [heads[0]]


def test_a_profile_as_json_is_the_table_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["guard", "profile", "enforce/1", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["guards"] is True
    assert {row["fact"]: row["treatment"] for row in printed["rows"]} == {
        row.fact: row.treatment for row in PROFILES["enforce/1"].rows
    }


def test_an_unknown_profile_is_a_wrong_question(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["guard", "profile", "enforce/9"]) == 2
    assert "reason: unknown-profile" in capsys.readouterr().err
