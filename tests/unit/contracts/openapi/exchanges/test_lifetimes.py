"""What was said of an operation's end decides how grave its end is."""

from __future__ import annotations

import pytest

from groundwire.canon.jcs import JSON
from groundwire.contracts.openapi.exchanges.lifetimes import sunset
from groundwire.contracts.openapi.options import Knobs, Options
from tests.unit.contracts.openapi.exchanges.asking import OK, api, changes, only, told

TODAY = Options(today="2026-12-01")


def _said(**of_it: JSON) -> dict[str, JSON]:
    return api(paths={"/a": {"get": {"responses": OK, **of_it}, "put": {"responses": OK}}})


GONE = api(paths={"/a": {"put": {"responses": OK}}})


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("2026-11-30", "2026-11-30"),
        ("2026-11-30T10:00:00Z", "2026-11-30"),
        ("Mon, 30 Nov 2026 23:59:59 GMT", "2026-11-30"),
        ("Monday, 30-Nov-2026 23:59:59 GMT", "2026-11-30"),
        ("2026-13-30", ""),
        ("soon", ""),
        ("Mon, 30 Foo 2026 23:59:59 GMT", ""),
        (20261130, ""),
        (None, None),
    ],
)
def test_a_day_is_read_in_both_forms(said: JSON, day: str | None) -> None:
    assert sunset({"x-sunset": said}) == day


@pytest.mark.parametrize(
    ("of_it", "today", "grade"),
    [
        ({}, "2026-12-01", "breaking"),
        ({"deprecated": True}, "2026-12-01", "breaking"),
        ({"deprecated": True, "x-sunset": "2026-11-30"}, "2026-12-01", "noted"),
        ({"deprecated": True, "x-sunset": "2026-12-01"}, "2026-12-01", "breaking"),
        ({"deprecated": True, "x-sunset": "2026-12-02"}, "2026-12-01", "breaking"),
        ({"deprecated": True, "x-sunset": "2026-11-30"}, "", "breaking"),
        ({"deprecated": True, "x-sunset": "soon"}, "2026-12-01", "breaking"),
        ({"x-sunset": "2026-11-30"}, "2026-12-01", "breaking"),
        ({"x-stability-level": "alpha"}, "2026-12-01", "risky"),
        ({"x-stability-level": "draft"}, "", "risky"),
        ({"x-stability-level": "beta"}, "2026-12-01", "breaking"),
        ({"x-stability-level": []}, "2026-12-01", "breaking"),
    ],
)
def test_only_a_named_day_that_is_past_makes_a_removal_expected(
    of_it: dict[str, JSON], today: str, grade: str
) -> None:
    found = only(_said(**of_it), GONE, Options(today=today))
    assert (found.grade, found.rule) == (grade, "operation-removed")
    assert (found.witness is None) == (grade == "noted")


def test_a_policy_may_hold_on_to_operations_whose_day_is_past() -> None:
    knobs = Knobs(operation_removed_after_sunset="breaking")
    old = _said(deprecated=True, **{"x-sunset": "2026-11-30"})
    assert only(old, GONE, Options(today="2026-12-01", knobs=knobs)).grade == "breaking"


def test_what_is_newly_said_of_the_end_is_noted() -> None:
    assert told(_said(), _said(deprecated=True)) == [("noted", "operation-deprecated")]
    assert told(_said(deprecated=True), _said()) == [("noted", "operation-reactivated")]
    dated = _said(deprecated=True, **{"x-sunset": "2027-01-01"})
    assert told(_said(), dated) == [("noted", "operation-deprecated")]
    assert "2027-01-01" in only(_said(), dated).says
    assert told(dated, _said(deprecated=True)) == [("noted", "operation-sunset-removed")]
    assert told(dated, _said(deprecated=True, **{"x-sunset": "soon"})) == [
        ("noted", "operation-sunset-invalid")
    ]


def test_a_day_that_comes_earlier_is_risky_and_a_later_one_silent() -> None:
    late = _said(deprecated=True, **{"x-sunset": "2027-02-01"})
    early = _said(deprecated=True, **{"x-sunset": "2027-01-01"})
    assert told(late, early) == [("risky", "operation-sunset-moved-earlier")]
    assert changes(early, late) == ()


def test_a_level_that_promises_less_is_risky_and_one_that_promises_more_silent() -> None:
    stable, beta = _said(**{"x-stability-level": "stable"}), _said(**{"x-stability-level": "beta"})
    assert told(stable, beta) == [("risky", "operation-stability-decreased")]
    assert changes(beta, stable) == ()
    assert changes(stable, _said(**{"x-stability-level": "odd"})) == ()


def test_names_tags_texts_and_unknown_extensions_say_nothing() -> None:
    new = _said(operationId="b", tags=["x"], summary="S", description="D", **{"x-a": 1})
    assert changes(_said(operationId="a", externalDocs={"url": "u"}), new) == ()
