"""A number is looked for in the record of the entity that its sentence names."""

from __future__ import annotations

import pytest

from groundwire.grounding.binding.binder import Binder
from groundwire.grounding.binding.bound import wrongly_bound
from groundwire.grounding.binding.fields import matching, same_word
from groundwire.grounding.binding.text import read_answer
from groundwire.grounding.records.evidence import read_evidence

PLAYERS = (
    '[{"name": "Ada Moor", "PTS": 18, "REB": 6, "AST": 1, "FGM": 7, "FGA": 12},'
    ' {"name": "Bo Lund", "PTS": 11, "REB": 8, "AST": 8, "FGM": 4, "FGA": 9}]'
)
FLIGHTS = (
    '[{"flight": "HA101", "scheduled_departure": "06:00:00", "price": 121},'
    ' {"flight": "HA102", "scheduled_departure": "09:00:00", "price": 100}]'
)


def bound(answer: str, *results: str) -> list[str]:
    binder = Binder([read_evidence(text) for text in results])
    return [
        answer[one.value.start : one.value.end]
        for one in wrongly_bound(read_answer(answer), binder)
    ]


def test_a_number_with_its_noun_is_its_owners_field() -> None:
    assert bound("Ada Moor had 18 points and six rebounds.", PLAYERS) == []
    assert bound("Ada Moor had 11 points and eight rebounds.", PLAYERS) == ["11", "eight"]


def test_an_article_counts_one() -> None:
    assert bound("Ada Moor added an assist.", PLAYERS) == []
    assert bound("Bo Lund added an assist.", PLAYERS) == ["an"]
    assert bound("Bo Lund gave an amount of 8 assists.", PLAYERS) == []


def test_so_many_of_so_many_is_a_pair_of_one_record() -> None:
    assert bound("Ada Moor made 7 of 12 shots.", PLAYERS) == []
    assert bound("Ada Moor made 4 of 12 shots.", PLAYERS) == ["4"]


def test_the_label_of_a_list_item_names_the_field() -> None:
    right = "1. **HA101**\n   - Departure: 06:00 AM\n   - Price: $121"
    assert bound(right, FLIGHTS) == []
    wrong = "1. **HA101**\n   - Departure: 09:00 AM\n   - Price: $100"
    assert bound(wrong, FLIGHTS) == ["09:00 AM", "$100"]


def test_a_number_right_behind_a_name_is_its_own() -> None:
    cities = '[{"city": "Lagos", "temp_c": 31}, {"city": "Oslo", "temp_c": 14}]'
    assert bound("Lagos: 14 \u00b0C, Oslo: 31 \u00b0C.", cities) == ["14 \u00b0C", "31 \u00b0C"]
    assert bound("Lagos: 31 \u00b0C, Oslo: 14 \u00b0C.", cities) == []


@pytest.mark.parametrize(
    "answer",
    [
        "They had 11 points.",
        "Ada Moor averaged 11 points.",
        "Ada Moor and Bo Lund combined for 29 points.",
        "Cy Vane of the Ada Moor camp had 11 points.",
        "Ada Moor passed Bo Lund, who had 11 points.",
        "Ada Moor shot from the three-point line.",
    ],
    ids=["no-name", "narrowed", "combined", "stranger", "another-has-it", "word"],
)
def test_where_the_owner_is_not_sure_nothing_is_said(answer: str) -> None:
    assert bound(answer, PLAYERS) == []


def test_a_label_counts_only_where_no_record_beside_it_has_the_value() -> None:
    rows = '[{"flight": "HA101", "price": 121, "prices": {"biz": 300}}]'
    assert bound("1. **HA101**\n   - Price: $300", rows) == []


def test_the_field_of_a_numbered_part_is_the_one_meant() -> None:
    match = '{"home": {"team": "Owls", "period1": 2, "period2": 0}, "away": {"team": "Elks", "period1": 1, "period2": 3}}'
    assert bound("Elks scored three goals in the second period.", match) == []
    assert bound("Elks scored two goals in the second period.", match) == ["two"]


def test_a_score_is_one_field_of_two_records() -> None:
    match = '[{"team": "Owls", "goals": 3, "a": 1, "b": 9, "c": 7}, {"team": "Elks", "goals": 2, "a": 5, "b": 8, "c": 6}]'
    assert bound("Owls beat Elks 3-2.", match) == []
    assert bound("Owls beat Elks 4-2.", match) == ["4"]


@pytest.mark.parametrize(
    ("part", "word"),
    [("pts", "points"), ("reb", "rebounds"), ("qty", "quantity"), ("temp", "temperature"),
     ("price", "prices"), ("pct", "percent"), ("category", "categories")],
)  # fmt: skip
def test_a_keys_word_is_cut_or_contracted_from_a_word(part: str, word: str) -> None:
    assert same_word(part, word)


@pytest.mark.parametrize(("part", "word"), [("pts", "percent"), ("to", "total"), ("of", "offer")])
def test_other_words_are_not(part: str, word: str) -> None:
    assert not same_word(part, word)


def test_the_plainest_key_wins() -> None:
    keys = ("PTS", "PTS_QTR1", "REB")
    assert matching(keys, ("points",), frozenset()) == ("PTS",)
