"""Rules have one name each, in the words of the field, and oasdiff's ids lead to them."""

from __future__ import annotations

import re

import pytest

from groundwire.contracts.openapi.rules.rule import Rule
from groundwire.contracts.openapi.rules.table import BY_NAME, table

_RULE = Rule(name="a-rule", grade="noted", means="Something.")


def test_a_name_stands_for_one_rule() -> None:
    with pytest.raises(ValueError, match="a-rule"):
        table((_RULE,), (_RULE,))


def test_rules_are_listed_by_their_names() -> None:
    assert list(BY_NAME) == sorted(BY_NAME)
    assert all(name == rule.name for name, rule in BY_NAME.items())
    assert [name for name in BY_NAME if not re.fullmatch(r"[a-z]+(-[a-z]+)+", name)] == []


def test_what_a_rule_means_is_a_sentence_and_a_grave_one_says_what_would_do() -> None:
    assert [rule.name for rule in BY_NAME.values() if not rule.means.endswith(".")] == []
    grave = {"breaking", "exposure", "risky"}
    without = [rule.name for rule in BY_NAME.values() if rule.grade in grave and not rule.instead]
    assert without == []
