"""Rules that ask where an argument comes from: what is asked, while nobody says and once somebody does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from groundwire.authority.policy import decode_policy
from groundwire.documents.governing import ArgumentOrigin, GuardRules, Origin
from groundwire.errors import PolicyError
from tests.unit.authority.guarding.questions import question, ruled

RULE = """
[[guard.rules]]
id = "told-by-a-result"
decide = "{decide}"
tools = ["send"]
origins = {{ to = "result", body = ["result", "nothing"] }}

[[guard.rules]]
id = "letters"
decide = "allow"
operations = ["send"]
"""


def rules(decide: str = "deny") -> GuardRules:
    return decode_policy(RULE.format(decide=decide), "p").guard


def asked(tool: str = "send", origins: Mapping[str, tuple[Origin, ...]] | None = None) -> Any:
    made = question(effect="external", operation="send", tool=tool)
    return msgspec.structs.replace(made, origins=origins or {})


@pytest.mark.parametrize("decide", ["allow", "warn", "approve", "deny"])
def test_while_nobody_says_where_an_argument_comes_from_the_call_is_asked_about(
    decide: str,
) -> None:
    ruling = ruled(asked(), rules(decide))
    assert ruling.decision.decision == "approve"
    assert ruling.decision.rules == ("told-by-a-result",)
    (witness,) = [each for each in ruling.decision.witnesses if each.rule == "told-by-a-result"]
    assert witness.says == "approve: it asks where to, body comes from, and nobody here says that"


def test_a_call_that_the_rule_is_not_of_is_not_asked_about() -> None:
    assert ruled(asked(tool="post"), rules()).decision.decision == "allow"


@pytest.mark.parametrize(
    ("origins", "decision"),
    [
        ({"to": ("result",), "body": ("nothing",)}, "deny"),
        ({"to": ("user", "result"), "body": ("system", "result")}, "deny"),
        ({"to": ("user",), "body": ("result",)}, "allow"),
        ({"to": ("result",), "body": ("user",)}, "allow"),
        ({"to": (), "body": ()}, "allow"),
        # What is known excludes it, whatever the other would be.
        ({"to": ("user",)}, "allow"),
        ({"to": ("result",)}, "approve"),
        ({"body": ("nothing",)}, "approve"),
    ],
)
def test_given_origins_decide(origins: Mapping[str, tuple[Origin, ...]], decision: str) -> None:
    assert ruled(asked(origins=origins), rules()).decision.decision == decision


def test_a_rule_that_allows_by_origin_does_not_allow_what_another_denies() -> None:
    policy = RULE.format(decide="allow") + '[[guard.rules]]\nid = "no"\ndecide = "deny"\n'
    assert ruled(asked(), decode_policy(policy, "p").guard).decision.decision == "deny"


def test_the_lines_that_would_allow_it_say_that_none_does() -> None:
    assert "told-by-a-result holds it" in ruled(asked(), rules()).would_allow


def test_a_text_stands_for_a_list_of_one() -> None:
    (rule, _) = rules().rules
    assert rule.origins == (
        ArgumentOrigin(argument="to", origins=("result",)),
        ArgumentOrigin(argument="body", origins=("result", "nothing")),
    )


@pytest.mark.parametrize(
    ("origins", "reason"),
    [
        ("{}", "empty-declaration"),
        ('{ to = "model" }', "unknown-choice"),
        ("{ to = [] }", "empty-declaration"),
        ('{ to = ["user", "user"] }', "repeated-entry"),
        ("{ to = 1 }", "wrong-type"),
        ('"result"', "wrong-type"),
        ('{ "a b..c" = "user" }', "bad-argument-path"),
    ],
)
def test_what_cannot_be_meant_is_refused(origins: str, reason: str) -> None:
    text = f'[[guard.rules]]\nid = "x"\ndecide = "deny"\norigins = {origins}\n'
    with pytest.raises(PolicyError) as refused:
        decode_policy(text, "groundwire.toml")
    assert refused.value.reason == reason
    assert "line" in refused.value.message
