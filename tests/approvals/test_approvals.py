"""No attempt to forge a person's yes is accepted, and what a person says themselves is."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.approvals.attempt import Attempt, carry_out
from tests.approvals.listing import FAMILIES, attempts, told

QUICK = ("honest", "mail", "keys")
"""Families that are tried with every change; the others start many processes."""

EVERY = attempts()


def _slow(each: Attempt) -> object:
    marks = () if each.family in QUICK else (pytest.mark.slow,)
    return pytest.param(each, id=each.name, marks=marks)


@pytest.mark.parametrize("attempt", [_slow(each) for each in EVERY])
def test_an_attempt_is_not_accepted_and_ends_as_it_must(attempt: Attempt) -> None:
    ended = carry_out(attempt)
    assert ended.wrong == "", f"{attempt.tried}: {ended}"
    assert ended.how in attempt.ends
    assert ended.accepted == attempt.honest


def test_the_list_has_every_family_and_enough_that_is_tried_with_every_change() -> None:
    forged = [each for each in EVERY if not each.honest]
    counted = Counter(each.family for each in forged)
    assert set(counted) == set(FAMILIES) - {"honest"}
    assert min(counted.values()) >= 8, counted
    assert sum(counted[family] for family in QUICK) >= 25
    assert len(forged) >= 70


def test_one_that_is_accepted_is_said_and_ends_the_list_with_1(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def through(world: object) -> str:
        world.place.write("app.py", "v2\n")  # type: ignore[attr-defined]  # an Office
        return "refused"

    broken = Attempt("mail", "a made-up one", "none", ("refused",), through)
    raising = Attempt("mail", "another", "none", ("refused",), lambda world: str(1 // 0))
    monkeypatch.setattr("tests.approvals.listing.ATTEMPTS", [broken, raising])
    said: list[str] = []
    assert told(said.append) == 1
    assert said[-1] == "2 attempts, 1 accepted"
    assert any("a person's yes was taken that nobody gave" in line for line in said)
    assert any("broke" in line for line in said)


def test_an_honest_yes_that_is_refused_is_wrong_too(monkeypatch: pytest.MonkeyPatch) -> None:
    refused = Attempt("mail", "a made-up one", "none", ("refused",), lambda world: "refused", True)
    monkeypatch.setattr("tests.approvals.listing.ATTEMPTS", [refused])
    said: list[str] = []
    assert told(said.append) == 1


def test_names_that_fit_no_attempt_are_no_success() -> None:
    said: list[str] = []
    assert told(said.append, ["no such attempt"]) == 1
    assert said[-1] == "0 attempts, 0 accepted"
