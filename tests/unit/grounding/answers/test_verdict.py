"""What is said of the values of an answer: which are grounded, by which equivalence, which are not."""

from __future__ import annotations

import pytest

from groundwire.grounding.answers.shelf import Shelf, Source
from groundwire.grounding.answers.verdict import judge


def unsupported(answer: str, *results: str, said: str = "", arguments: str = "") -> list[str]:
    sources = [Source(text, "result", arguments=arguments, tool="t") for text in results]
    sources += [Source(said, "said")] if said else []
    verdict = judge(answer, Shelf(sources))
    return [answer[one.value.start : one.value.end] for one in verdict.unsupported]


def method(answer: str, *results: str, said: str = "") -> str:
    sources = [Source(text, "result", tool="t") for text in results]
    sources += [Source(said, "said")] if said else []
    return judge(answer, Shelf(sources)).judged[0].method


@pytest.mark.parametrize(
    ("answer", "result", "by"),
    [
        ("It peaks at 41,200 IOPS.", '{"p": 41200}', "exact"),
        ("18.3 million hectares.", '{"mha": 18.32}', "magnitude"),
        ("About 41.3 %.", '{"share": 0.4131}', "percent"),
        ("It holds 2 TB.", '{"size_gb": 2000}', "unit"),
        ("It holds 2 TB.", '{"size_gib": 2048}', "unit"),
        ("It took 90 minutes.", '{"duration_s": 5400}', "unit"),
        ("It weighs 203.5 g.", '{"weight_g": 203.46}', "rounding"),
        ("On May 20.", '{"day": "2031-05-20"}', "date"),
        ("At 6:00 PM.", '{"leaves": "18:00:00"}', "time"),
        ("The card ending in 7447.", '{"id": "card_3377447"}', "ending"),
        ("Order #HT-2044.", '{"order": "HT-2044"}', "exact"),
        ("The port is ef0101.", '{"port": "0xef0101"}', "hexadecimal"),
        ("The port is 0xef0101.", '{"port": "ef0101"}', "hexadecimal"),
        ("The bands are 900/1800/1900.", '{"bands": "GSM 900 / 1800 / 1900"}', "list"),
    ],
)
def test_the_same_value_in_another_spelling_is_grounded(answer: str, result: str, by: str) -> None:
    assert method(answer, result) == by


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ("It peaks at 41,210 IOPS.", '{"p": 41200}'),
        ("It holds 24 GB.", '{"memory": "24 MB"}'),
        ("It holds 48 MB.", '{"camera": "48 MP"}'),
        ("On May 21.", '{"day": "2031-05-20"}'),
        ("On May 20, 2032.", '{"day": "2031-05-20"}'),
        ("At 7:00 PM.", '{"leaves": "18:00:00"}'),
        ("Order #HT-204.", '{"order": "HT-2044"}'),
        ("The port is 0xef0101.", '{"note": "see naa.0xef0101ab"}'),
        ("The port is ef0101.", '{"port": "ef01012"}'),
        ("The year 2,024.", '{"latency": "2024ms"}'.replace("2024", "2025")),
        ("The share is 18.33 %.", '{"share": 18.3}'),
    ],
)
def test_another_value_is_not(answer: str, result: str) -> None:
    assert len(unsupported(answer, result)) == 1


def test_rounding_is_to_the_stated_precision_only() -> None:
    assert unsupported("It is 18.3.", '{"v": 18.34}') == []
    assert unsupported("It is 18.3.", '{"v": 18.36}') == ["18.3"]
    assert unsupported("It is 18.30.", '{"v": 18.34}') == ["18.30"]


def test_what_people_said_grounds() -> None:
    assert unsupported("You asked for 4,815 units.", "{}", said="I need 4815 of them") == []


def test_what_a_call_was_given_may_be_told() -> None:
    assert unsupported("I set it to 1,200.", "ok", arguments='{"amount": 1200}') == []


class TestArithmetic:
    def test_a_sum_or_share_of_what_stands_beside_is_derived(self) -> None:
        result = '{"a": 2.87, "b": 1.94}'
        assert unsupported("It fell from 2.87 to 1.94, a drop of 32 %.", result) == []
        assert unsupported("2.87 and 1.94 make 4.81.", result) == []

    def test_two_numbers_that_do_not_stand_beside_it_make_nothing(self) -> None:
        assert unsupported("It costs $481.", '{"a": 287, "b": 194, "c": 7, "d": 9}') == ["$481"]

    def test_a_column_is_summed_only_where_the_sentence_says_so(self) -> None:
        rows = '[{"n": 211}, {"n": 340}, {"n": 131}, {"n": 99}]'
        assert unsupported("In total there are 781 of them.", rows) == []
        assert unsupported("There are 781 of them.", rows) == ["781"]

    def test_a_total_stands_under_its_breakdown(self) -> None:
        results = ('{"a": 250.5}', '{"b": 55.25}')
        assert unsupported("- Ticket: $250.50\n- Bag: $55.25\n- Total: $305.75", *results) == []

    def test_a_discount_is_a_share_of_what_stands_beside(self) -> None:
        answer = "The price was $120.00; with 20% off it is $96.00."
        assert unsupported(answer, '{"price": 120.0, "off": "20%"}') == []

    def test_fahrenheit_beside_celsius_is_a_conversion(self) -> None:
        assert unsupported("It is 22 \u00b0C (72 \u00b0F).", '{"temp_c": 22}') == []

    def test_the_sum_over_named_records_is_derived(self) -> None:
        rows = (
            '[{"id": "HA1", "price": 152}, {"id": "HA2", "price": 103}, {"id": "HA3", "price": 9}]'
        )
        assert unsupported("- HA1 and HA2\n  - Total price: $255", rows) == []
        assert unsupported("- HA1 and HA2\n  - Total price: $256", rows) == ["$256"]


class TestCandidates:
    def test_words_ordinals_list_numbers_and_short_numbers_are_none(self) -> None:
        answer = "1. The third of twelve lines has 17 words.\n2. Done."
        assert judge(answer, Shelf([])).judged == ()

    def test_a_date_may_have_been_computed(self) -> None:
        (one,) = judge("By May 27, 2031.", Shelf([Source("{}", "result")])).unsupported
        assert one.doubt

    def test_a_duration_is_a_doubt_where_nothing_states_durations(self) -> None:
        (one,) = judge("It takes 45 minutes.", Shelf([Source('{"a": 1}', "result")])).unsupported
        assert one.doubt
        source = Source('{"took": "30 minutes"}', "result")
        (one,) = judge("It takes 45 minutes.", Shelf([source])).unsupported
        assert not one.doubt
