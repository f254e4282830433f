"""Each attack of the list is stopped, or said as it must be; and the list is what it is said to be."""

from __future__ import annotations

import os
from collections import Counter

import pytest

from tests.adversarial.attack import Attack, carry_out
from tests.adversarial.listing import FAMILIES, attacks, told
from tests.adversarial.matrix import MATRIX

QUICK = ("signed",)
"""Families that are tried with every change; the others take minutes."""

EVERY = attacks()


def _slow(each: Attack) -> object:
    marks = () if each.family in QUICK else (pytest.mark.slow,)
    return pytest.param(each, id=each.name, marks=marks)


@pytest.mark.parametrize("attack", [_slow(each) for each in EVERY])
def test_an_attack_is_stopped_or_said_as_it_must_be(attack: Attack) -> None:
    ended = carry_out(attack)
    assert ended.wrong == "", f"{attack.tried}: {ended}"
    assert ended.how in attack.ends


def test_the_list_has_every_family_that_it_is_said_to_have() -> None:
    counted = Counter(each.family for each in EVERY)
    assert set(counted) == set(FAMILIES)
    assert min(counted.values()) >= 8, counted


def test_nine_of_the_ten_rows_of_the_published_matrix_are_attacks_of_the_list() -> None:
    names = {each.name for each in EVERY}
    assert {name for row in MATRIX.values() for name in row} <= names
    assert [row for row, carried in MATRIX.items() if not carried] == ["AM-HTTP-MISSING-ETAG"]
    assert len(MATRIX) == 10


def test_an_attack_that_succeeds_is_said_and_ends_the_list_with_1() -> None:
    broken = Attack("signed", "a made-up one", "none", ("refused",), lambda world: "executed")
    assert carry_out(broken).wrong.startswith("it had to end as refused")
    changing = Attack(
        "signed", "another", "none", ("refused",), lambda world: _changed(world.place)
    )
    assert "something was changed: README.md" in carry_out(changing).wrong
    raising = Attack("signed", "a third", "none", ("refused",), lambda world: str(1 // 0))
    assert carry_out(raising).how == "broke"


def test_names_that_fit_no_attack_are_no_success() -> None:
    said: list[str] = []
    assert told(said.append, ["no such attack"]) == 1
    assert said[-1].startswith("0 attacks")


def test_what_an_attack_changed_of_the_process_is_as_before() -> None:
    before = dict(os.environ), os.getcwd()
    assert told(lambda _: None, ["receipt of another call"]) == 0
    assert (dict(os.environ), os.getcwd()) == before


def _changed(place: object) -> str:
    place.write("README.md", "changed")  # type: ignore[attr-defined]  # an object of any kind here
    return "refused"
