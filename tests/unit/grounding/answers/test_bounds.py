"""An answer may be any text: no number of values in it may cost more than its length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from unittest import mock

import pytest

from groundwire.grounding.answers import derived, judging, twice
from groundwire.grounding.answers.shelf import Shelf, Source
from groundwire.grounding.answers.verdict import judge
from groundwire.grounding.binding.text import read_answer
from groundwire.grounding.values.value import Value

SHELF = Shelf([Source('{"kg": 2719}', "result")])


def test_an_answer_of_more_values_than_are_judged_says_which_were_not() -> None:
    verdict = judge("It is 5 kg, then. " * (judging.MOST_JUDGED + 7), SHELF)
    methods = Counter(one.method for one in verdict.judged)
    assert methods == {"": judging.MOST_JUDGED, judging.UNREAD: 7}


@pytest.mark.parametrize("text", ["5 kg, ", "$5 and ", "5% or "])
def test_a_sentence_of_any_length_gives_a_value_few_operands(text: str) -> None:
    seen: list[int] = []
    from_operands = derived.from_operands

    def spied(value: Value, operands: Sequence[object]) -> str:
        seen.append(len(operands))
        return from_operands(value, operands)  # type: ignore[arg-type]  # passed on

    with (
        mock.patch.object(judging, "from_operands", spied),
        mock.patch.object(judging, "converted", lambda value, near: seen.append(len(near)) or ""),
    ):
        judge("It is " + text * 500, SHELF)
    assert max(seen) <= 2 * judging.MOST_NEAR + 1


def test_of_one_quantity_given_very_often_the_first_pairs_are_told() -> None:
    answer = read_answer(" ".join(f"Apples cost ${n * 10} per month." for n in range(1, 400)))
    assert len(list(twice.given_twice(answer))) == twice.MOST_PAIRS
