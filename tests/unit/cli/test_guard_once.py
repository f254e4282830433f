"""`groundwire guard once`: what is unsettled, and a person's word on it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from groundwire.cli.main import run
from tests.unit.session.guarding.calls import word
from tests.unit.session.guarding.once.test_deeds import Bank, pay, place_of, table_of, timed_out


@pytest.mark.parametrize(
    ("said", "then"), [("--not-done", "executed"), ("--done", "refused: already-done")]
)
def test_a_person_says_what_became_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], said: str, then: str
) -> None:
    bank, place = Bank(), place_of(tmp_path)
    table = table_of(place, bank)
    with place.session() as session:
        timed_out(table, bank, pay("INV-7"))
        assert run(["guard", "once"]) == 1
        shown = capsys.readouterr().out
        assert "pay_invoice" in shown
        assert session.run_id in shown
        assert "INV-7" not in shown
        digest = shown.splitlines()[0]
        assert run(["guard", "once", digest[4:20], said]) == 0
        assert "settled" in capsys.readouterr().out
        assert word(table.dispatch(pay("INV-7", "2"))) == then


def test_nothing_is_unsettled_where_nothing_was_begun(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["guard", "once"]) == 0
    assert capsys.readouterr().out == "Every deed that is to be done once is settled.\n"
    assert run(["guard", "once", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_the_help_says_who_may_say_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["guard", "once", "--help"]) == 0
    assert "any process of this user" in " ".join(capsys.readouterr().out.split())


def test_who_finds_no_write_to_recover_is_told_of_deeds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["guard", "recover"]) == 0
    assert "groundwire guard once" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments", [["--done"], ["12", "--not-done"], ["gw1:", "--done", "--not-done"]]
)
def test_a_word_on_no_one_deed_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    bank, place = Bank(), place_of(tmp_path)
    table = table_of(place, bank)
    with place.session():
        timed_out(table, bank, pay("INV-7"))
        assert run(["guard", "once", *arguments]) not in (0, 1) or "no-such-deed" in "".join(
            capsys.readouterr()
        )
        assert word(table.dispatch(pay("INV-7", "2"))) == "refused: once-unsettled"
