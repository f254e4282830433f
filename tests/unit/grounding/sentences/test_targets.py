from __future__ import annotations

import pytest

from groundwire.grounding.sentences.targets import targets_of


def shapes(*texts: str) -> list[str]:
    return [target.shape for text in texts for target in targets_of(text)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("#A1234567", "#A7654321"),
        ("K7QX2M", "ZZ09PA"),
        ("gift_card_8190333", "gift_card_22"),
        ("ines@example.com", "bo@example.org"),
        ("20481733", "99481733"),
    ],
)
def test_two_of_a_kind_have_one_shape(one: str, other: str) -> None:
    first, second = shapes(one, other)
    assert first == second


@pytest.mark.parametrize(
    ("one", "other"),
    [("K7QX2M", "FLT266"), ("gift_card_8190333", "credit_card_8190333"), ("K7QX2M", "20481733")],
)
def test_two_kinds_have_two_shapes(one: str, other: str) -> None:
    first, second = shapes(one, other)
    assert first != second


@pytest.mark.parametrize(
    "text", ["$39.10", "2031-05-02", "12:30", "7pm", "3rd", "12", "two", "4 kg", "05/02/2031"]
)
def test_amounts_dates_and_times_are_no_targets(text: str) -> None:
    assert shapes(text) == []
