"""Values in prose: what they are, exactly, where they stand, how precisely they are stated."""

from __future__ import annotations

from decimal import Decimal

import pytest

from groundwire.grounding.values.reading import read_values
from groundwire.grounding.values.value import Value


def only(text: str) -> Value:
    (value,) = read_values(text)
    return value


@pytest.mark.parametrize(
    ("text", "number", "step"),
    [
        ("1,234,567.80", "1234567.80", "0.01"),
        ("1.234,5", "1234.5", "0.1"),
        ("-4", "-4", "1"),
        ("\u22124", "-4", "1"),
        ("18.3 million", "18300000", "100000"),
        ("$5k", "5000", "1000"),
        ("2bn", "2000000000", "1000000000"),
        ("twenty-three", "23", "1"),
        ("two hundred and five", "205", "1"),
        ("half a dozen", "6", "1"),
        ("a pair", "2", "1"),
        ("1e3", "1e3", "1"),
    ],
)
def test_a_number_is_exact_and_says_how_precise_it_is(text: str, number: str, step: str) -> None:
    value = only(text)
    assert (value.number, value.step) == (Decimal(number), Decimal(step))


@pytest.mark.parametrize(
    ("text", "unit", "family"),
    [
        ("128MB", "MB", "data"),
        ("42 %", "%", "share"),
        ("42 percent", "percent", "share"),
        ("5.0-inch", "inch", "length"),
        ("\u20ac4,417.00", "$", "money"),
        ("-4 \u00b0C", "\u00b0C", "celsius"),
        ("90 minutes", "minutes", "time"),
    ],
)
def test_a_unit_is_read_glued_joined_or_apart(text: str, unit: str, family: str) -> None:
    value = only(text)
    assert value.unit is not None
    assert (value.unit.name, value.unit.family) == (unit, family)


@pytest.mark.parametrize(
    "text",
    ["HAT-069x", "#W4938634", "555-010-0199", "7.0.3", "card_4938634", "fc1/3", "1e400", "1" * 60],
)
def test_what_only_holds_digits_is_no_number(text: str) -> None:
    value = only(text)
    assert (value.kind, value.number) == ("identifier", None)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2031-04-12", (2031, 4, 12)),
        ("May 20th, 2031", (2031, 5, 20)),
        ("20 May", (0, 5, 20)),
        ("05/16/2031", (2031, 5, 16)),
        ("31.12.2031", (2031, 12, 31)),
        ("July 2031", (2031, 7, 0)),
        ("May 27:", (0, 5, 27)),
    ],
)
def test_a_date_is_read_in_its_common_spellings(text: str, moment: tuple[int, int, int]) -> None:
    value = only(text)
    assert (value.kind, value.moment) == ("date", moment)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("06:00 AM", (6, 0, 0)),
        ("6 pm", (18, 0, 0)),
        ("12:30 p.m.", (12, 30, 0)),
        ("18:05:09", (18, 5, 9)),
    ],
)
def test_a_time_of_day_is_read_in_its_common_spellings(
    text: str, moment: tuple[int, int, int]
) -> None:
    value = only(text)
    assert (value.kind, value.moment) == ("time", moment)


@pytest.mark.parametrize(
    ("text", "joint", "numbers"),
    [
        ("101-95", "dash", [101, 95]),
        ("113 - 107", "dash", [113, 107]),
        ("13 - of - 24", "of", [13, 24]),
        ("13 of 24", "of", [13, 24]),
        ("480x854", "times", [480, 854]),
        ("24/7", "slash", [24, 7]),
    ],
)
def test_joined_numbers_are_two_that_belong_together(
    text: str, joint: str, numbers: list[int]
) -> None:
    values = read_values(text)
    assert [value.number for value in values] == [Decimal(number) for number in numbers]
    assert {value.joint for value in values} == {joint}


def test_a_time_stamp_is_a_date_and_a_time_and_holds_no_numbers() -> None:
    kinds = [value.kind for value in read_values("at 2031-04-12T08:15:00Z")]
    assert kinds == ["date", "time"]


def test_a_list_without_spaces_is_its_numbers() -> None:
    assert [value.number for value in read_values("10,20,30")] == [10, 20, 30]


def test_about_and_over_make_a_number_loose() -> None:
    assert only("about 1,200").loose
    assert not only("exactly 1,200").loose


def test_an_ordinal_says_which_and_not_how_many() -> None:
    assert only("the third").ordinal
    assert only("the 3rd").ordinal


def test_spans_are_those_of_the_text() -> None:
    text = "It peaks at 41,200 IOPS on May 3."
    assert [text[v.start : v.end] for v in read_values(text)] == ["41,200", "May 3"]


def test_a_month_with_the_long_s_is_that_month() -> None:
    # Case-blind expressions take it for an s; to raise here would end every check of the answer.
    assert only("\u017fep 5, 2024").moment == (2024, 9, 5)


def test_what_makes_a_number_loose_may_stand_behind_a_line_end() -> None:
    assert [value.loose for value in read_values("about \n5, about  5, x5 about\u00a05")] == [
        True,
        False,
        False,
        False,
    ]


def test_number_words_are_read_in_a_text_of_any_script() -> None:
    def numbers(text: str) -> list[int]:
        return [int(value.number or 0) for value in read_values(text)]

    assert numbers("Caf\u00e9 \u2014 twenty-one \u65e5 and a dozen") == [21, 12]
    assert numbers("\u00c9one and Seven\u00e9") == []
