from __future__ import annotations

from itertools import product

from groundwire.documents.decision import WORDS, strictest


def test_the_strictest_word_wins_in_any_order() -> None:
    for one, other in product(WORDS, WORDS):
        winner = strictest([one, other])
        assert winner == strictest([other, one])
        assert WORDS.index(winner) == max(WORDS.index(one), WORDS.index(other))


def test_what_no_rule_judged_is_denied() -> None:
    assert strictest([]) == "deny"
