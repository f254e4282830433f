"""Moments are read from a closed list of spellings, and compared only where that can be done."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from groundwire.documents.instant import read_instant

TEN = datetime(2031, 5, 2, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "2031-05-02T10:00Z",
        "2031-05-02T10:00:00.000000Z",
        "2031-05-02 12:00:00+02:00",
        "2031-05-02T12:00:00.1234567+0200".replace(".1234567", ""),
        "Fri, 02 May 2031 10:00:00 GMT",
        int(TEN.timestamp()),
        int(TEN.timestamp() * 1000),
        float(TEN.timestamp()),
    ],
)
def test_one_moment_has_many_spellings(text: object) -> None:
    found = read_instant(text)
    assert found is not None
    assert (found.moment, found.zoned, found.day) == (TEN, True, False)


@pytest.mark.parametrize(
    "value",
    [
        "yesterday", "2031-13-02", "2031-02-30", "2031-W18", "10:00", "", "2031", True, None, 7, 1e300,
        float("nan"), [2031], "2031-05-02T25:00", "0000-01-01", "9999-12-31T23:59:59-14:00",
    ],
)  # fmt: skip
def test_whatever_else_is_no_moment(value: object) -> None:
    assert read_instant(value) is None


def test_a_date_a_moment_without_a_zone_and_one_with_one_do_not_sort() -> None:
    day, bare, zoned = map(read_instant, ("2031-05-02", "2031-05-02T10:00", "2031-05-02T10:00Z"))
    assert day is not None
    assert bare is not None
    assert zoned is not None
    pairs = ((day, bare), (bare, zoned), (day, zoned))
    assert [left.sorts_with(right) for left, right in pairs] == [False, False, False]
    assert day.sorts_with(day)
