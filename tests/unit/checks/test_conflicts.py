from __future__ import annotations

import pytest

from groundwire.canon.jcs import JSON
from groundwire.checks.conflicts import Known, NoValue, Said, Stated, conflicts, render

HOST = ("host", "db-7")


def stated(value: object, **options: object) -> Stated:
    wrapped = value if isinstance(value, Known | NoValue) else Said(value)
    return Stated(**{"subject": HOST, "predicate": "state", "value": wrapped, **options})


def test_two_values_of_one_thing_are_one_conflict_with_all_its_statements() -> None:
    one, two, three = stated("up"), stated("down"), stated("up")
    assert conflicts([one, two, three]) == ((one, two, three),)


@pytest.mark.parametrize(
    "other",
    [
        stated("up"),
        stated("down", stratum="quoted"),
        stated("down", epoch=2),
        stated("down", subject=("host", "db-8")),
        stated("down", predicate="seen"),
        stated(NoValue("unknown", "timeout")),
        stated(NoValue("not-applicable")),
        stated(NoValue("undefined")),
        stated(Known("up")),
    ],
)
def test_what_says_the_same_or_does_not_take_part_is_no_conflict(other: Stated) -> None:
    assert conflicts([stated("up"), other]) == ()


def test_a_multi_valued_predicate_never_conflicts() -> None:
    assert conflicts([stated("a"), stated("b")], multi_valued=["state"]) == ()


def test_a_known_value_conflicts_by_what_is_inside() -> None:
    assert len(conflicts([stated("up"), stated(Known("down"))])) == 1


def test_null_is_a_value() -> None:
    assert len(conflicts([stated(None), stated("up")])) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1, "b": [1, 2]}, {"b": [1, 2], "a": 1}),
        (2, 2.0),
        (float("nan"), None),
        (float("inf"), None),
        ({"a": {"y": 1, "x": 2.0}}, {"a": {"x": 2, "y": 1.0}}),
    ],
)
def test_values_that_are_the_same_are_rendered_alike(one: JSON, other: JSON) -> None:
    assert render(one) == render(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (True, 1),
        (False, 0),
        ([1, 2], [2, 1]),
        ("2", 2),
        ({"__proto__": 1}, {}),
        (2**70, 2**70 + 1),
        ("", None),
    ],
)
def test_values_that_are_not_are_not(one: JSON, other: JSON) -> None:
    assert render(one) != render(other)
