from __future__ import annotations

import pytest

from groundwire.grounding.spellings.numbers import operands, same_measure, same_number


@pytest.mark.parametrize(
    ("value", "other"),
    [("1250", "1,250"), ("$1,250.00", "1250"), ("1250", "1250.0"), ("12.50", "12.5")],
)
def test_an_amount_has_the_same_number_in_other_digits(value: str, other: str) -> None:
    assert other in set(same_number(value))


@pytest.mark.parametrize("value", ["007", "12-50", "1,25", "abc", "12.5.1"])
def test_what_may_be_a_text_has_no_other_digits(value: str) -> None:
    assert list(same_number(value)) == []


def test_a_measure_is_the_same_with_and_without_a_space() -> None:
    assert set(same_measure("16gb")) == {"16gb", "16 gb", "16-gb"}
    assert list(same_measure("16xy")) == []


def test_an_expression_has_operands() -> None:
    assert operands("(350 - 122) + 4.50") == ("350", "122", "4.50")
    assert operands("2031-05-02") == ()
    assert operands("350") == ()
