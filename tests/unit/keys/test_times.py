from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from groundwire.errors import EncodingError
from groundwire.keys.times import format_time, parse_time, spell_time

MOMENT = datetime(2026, 5, 4, 10, 20, 30, 7, tzinfo=UTC)


def test_a_time_is_written_with_six_decimals_and_a_z() -> None:
    assert format_time(MOMENT) == "2026-05-04T10:20:30.000007Z"
    assert parse_time("2026-05-04T10:20:30.000007Z") == MOMENT


def test_a_time_of_another_zone_is_written_in_utc() -> None:
    there = MOMENT.astimezone(timezone(timedelta(hours=5, minutes=45)))
    assert format_time(there) == "2026-05-04T10:20:30.000007Z"


@pytest.mark.parametrize("microsecond", [0, 1, 10, 500_000, 999_999])
@pytest.mark.parametrize("year", [1, 2026, 9999])
def test_a_time_is_written_as_the_standard_library_writes_it(year: int, microsecond: int) -> None:
    moment = MOMENT.replace(year=year, microsecond=microsecond)
    written = moment.isoformat(timespec="microseconds").removesuffix("+00:00")
    assert format_time(moment) == f"{written}Z"


def test_years_of_less_than_four_digits_keep_four() -> None:
    assert format_time(datetime(7, 1, 1, tzinfo=UTC)) == "0007-01-01T00:00:00.000000Z"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "never",
        "2026-05-04",
        "2026-05-04T10:20:30Z",
        "2026-05-04T10:20:30.000Z",
        "2026-05-04T10:20:30.0000000Z",
        "2026-05-04T10:20:30.000000",
        "2026-05-04T10:20:30.000000+00:00",
        "2026-05-04T10:20:30,000000Z",
        "2026-05-04t10:20:30.000000z",
        "2026-05-04 10:20:30.000000Z",
        "2026-13-04T10:20:30.000000Z",
        "2026-02-30T10:20:30.000000Z",
        "2026-05-04T24:00:00.000000Z",
        "2026-05-04T10:20:60.000000Z",
        "0000-05-04T10:20:30.000000Z",
        "2026-05-04T10:20:30.000000Z\n",
        " 2026-05-04T10:20:30.000000Z",
        "٢٠٢٦-05-04T10:20:30.000000Z",
        "+026-05-04T10:20:30.000000Z",
        "20260504T102030.000000Z",
        "2026-W19-1T10:20:30.000000Z",
    ],
)
def test_another_spelling_of_a_time_is_refused(text: str) -> None:
    with pytest.raises(EncodingError) as refused:
        parse_time(text)
    assert refused.value.reason == "bad-time"


def test_a_moment_without_a_zone_is_not_taken_for_utc() -> None:
    with pytest.raises(EncodingError) as refused:
        format_time(datetime(2026, 5, 4))  # noqa: DTZ001 -- the point of the test
    assert refused.value.reason == "bad-time"


def test_a_moment_that_has_no_utc_date_is_refused() -> None:
    edge = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14)))
    with pytest.raises(EncodingError):
        format_time(edge)


def test_a_time_that_was_spelled_a_moment_ago_is_read_as_any_other() -> None:
    there = MOMENT.astimezone(timezone(timedelta(hours=5)))
    text = spell_time(there)
    read = parse_time(text)
    assert (read, read.tzinfo, type(read)) == (MOMENT, UTC, datetime)
    spell_time(MOMENT + timedelta(microseconds=1))
    assert parse_time(text) == MOMENT
