from __future__ import annotations

import pytest

from groundwire.grounding.boundaries import standing
from groundwire.grounding.folding import fold
from groundwire.grounding.spellings.dates import is_moment, is_served_moment, year_of


def served(value: str, *texts: str) -> bool:
    def stands(spelling: str, separators: str) -> bool:
        return any(standing(fold(text), spelling, separators)[0] == "whole" for text in texts)

    return is_served_moment(fold(value), stands)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("2031-05-02", "on May 2, 2031"),
        ("2031-05-02", "on May 2nd 2031"),
        ("2031-05-02", "the 2nd of May, 2031"),
        ("2031-05-02", "2 May 2031"),
        ("2031-05-02", "05/02/2031"),
        ("2031-05-02", "2.5.2031"),
        ("2031-05-02", "20310502"),
        ("2031/05/02", "2031-05-02"),
        ("2031-05-12", "Today is 2031-05-01. Come on May 12th!"),
        ("2031-05-12", "this year, 2031: 5/12"),
        ("14:00", "at 2 pm"),
        ("14:00", "at 2:00pm"),
        ("02:00 pm", "at 14:00"),
        ("09:30", "from 9:30 to 10"),
        ("10:00", "10:00-11:00"),
        ("10:00:00", "at 10:00"),
        ("2031-05-02T14:00:00Z", "May 2, 2031, at 2pm"),
        ("2031-05-02 14:00", "2031-05-02, 14:00"),
    ],
)
def test_a_moment_is_served_in_another_spelling(value: str, text: str) -> None:
    assert served(value, text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("2031-05-03", "on May 2, 2031"),
        ("2031-05-02", "on May 2"),
        ("2031-05-02", "on May 2, 2030"),
        ("2031-05-02", "on May 23, 2031"),
        ("2031-05-02", "room 2031, May 20"),
        ("14:00", "at 2 am"),
        ("14:00", "at 12:00"),
        ("2031-05-02 14:00", "May 2, 2031"),
        ("2031-05-02 14:00", "at 2 pm"),
        ("2031-13-02", "2031-13-02"),
        ("db-7", "db-7"),
        ("", "x"),
    ],
)
def test_another_moment_was_not_served(value: str, text: str) -> None:
    assert not served(value, text)


@pytest.mark.parametrize("value", ["2031-05-02", "14:00", "2:00 pm", "2031-05-02t14:00:00+02:00"])
def test_dates_and_times_are_moments(value: str) -> None:
    assert is_moment(value)


@pytest.mark.parametrize(
    "value", ["", "2031", "2031-05", "14", " 14:00x", "2031-05-0214:00", "20:00:00:25"]
)
def test_other_numbers_are_no_moments(value: str) -> None:
    assert not is_moment(value)


def test_the_year_of_a_date_is_read() -> None:
    assert year_of("2031-05-02 10:00") == "2031"
    assert year_of("10:00") == ""
    assert year_of("db-7") == ""
