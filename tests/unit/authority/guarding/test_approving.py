"""`[[approvers]]` and `[approvals]`: who may say yes; nothing garbled, doubled or unreachable is read."""

from __future__ import annotations

import pytest

from groundwire.authority.policy import decode_policy
from groundwire.documents.approving import ApprovalRules, Approver, approvers_for
from groundwire.errors import PolicyError

ADA = "ed25519:" + "a" * 64
BOB = "ed25519:" + "b" * 64
TWO = f"""\
[[approvers]]
name = "ada"
key = "{ADA}"

[[approvers]]
name = "bob"
key = "{BOB}"
environments = ["staging"]

[[guard.environments]]
name = "staging"
pattern = "staging/**"
"""


def refusal(text: str) -> PolicyError:
    with pytest.raises(PolicyError) as caught:
        decode_policy(text, "groundwire.toml")
    return caught.value


def test_without_approvers_nobody_is_asked_and_the_defaults_stand() -> None:
    policy = decode_policy("", "p")
    assert policy.approvers == ()
    assert policy.approvals == ApprovalRules(wait_seconds=900, expires_seconds=900, needed=1)


def test_approvers_and_how_they_are_asked_are_read_whole() -> None:
    policy = decode_policy(
        "[approvals]\nwait_seconds = 0\nexpires_seconds = 60\nneeded = 2\n" + TWO, "p"
    )
    assert policy.approvers == (
        Approver(name="ada", key=ADA),
        Approver(name="bob", key=BOB, environments=("staging",)),
    )
    assert policy.approvals == ApprovalRules(wait_seconds=0, expires_seconds=60, needed=2)


def test_an_approver_answers_only_where_the_policy_lets_them() -> None:
    approvers = decode_policy(TWO, "p").approvers
    assert [each.name for each in approvers_for(approvers, "staging")] == ["ada", "bob"]
    assert [each.name for each in approvers_for(approvers, "production")] == ["ada"]


@pytest.mark.parametrize(
    ("text", "reason", "line", "says"),
    [
        (f'[[approvers]]\nname = "ada"\nky = "{ADA}"', "unknown-setting", 3, "'key'"),
        ('[[approvers]]\nname = "ada"', "missing-setting", 1, "'key'"),
        (f'[[approvers]]\nkey = "{ADA}"', "missing-setting", 1, "'name'"),
        (f'[approvers]\nkey = "{ADA}"', "wrong-type", 1, "[[approvers]]"),
        (f'[[approvers]]\nname = "Ada"\nkey = "{ADA}"', "bad-name", 2, "small letters"),
        (f'[[approvers]]\nname = "\u0430da"\nkey = "{ADA}"', "bad-name", 2, "small letters"),
        (f'[[approvers]]\nname = ""\nkey = "{ADA}"', "blank-name", 2, "empty"),
        (f'[[approvers]]\nname = "a"\nkey = "{ADA.upper()}"', "bad-key-id", 3, "digits"),
        (f'[[approvers]]\nname = "a"\nkey = "{ADA[:-1]}"', "bad-key-id", 3, "64"),
        (f'[[approvers]]\nname = "a"\nkey = "{ADA}0"', "bad-key-id", 3, "64"),
        ('[[approvers]]\nname = "a"\nkey = 7', "wrong-type", 3, "a text"),
        (TWO.replace(BOB, ADA), "repeated-entry", 7, "one key is one person"),
        (TWO.replace('"bob"', '"ada"'), "repeated-entry", 6, "stands twice"),
        (TWO.replace('["staging"]', '["stagin"]'), "unknown-environment", 8, "'staging'"),
        (TWO.replace('["staging"]', "[]"), "empty-declaration", 8, "leave the key out"),
        ("[approvals]\nwait = 1", "unknown-setting", 2, "'wait_seconds'"),
        ("[approvals]\nwait_seconds = inf", "wrong-type", 2, "whole number"),
        ("[approvals]\nwait_seconds = nan", "wrong-type", 2, "whole number"),
        ("[approvals]\nwait_seconds = -1", "out-of-range", 2, "from 0"),
        ("[approvals]\nwait_seconds = true", "wrong-type", 2, "whole number"),
        ("[approvals]\nexpires_seconds = 0", "out-of-range", 2, "from 1"),
        ("[approvals]\nexpires_seconds = 14401", "out-of-range", 2, "to 14400"),
        ("[approvals]\nneeded = 0", "out-of-range", 2, "from 1"),
        ("[approvals]\nneeded = 2", "too-few-approvers", 2, "0 could"),
        ("[approvals]\nneeded = 3\n" + TWO, "too-few-approvers", 2, "2 could"),
    ],
)
def test_what_cannot_be_meant_is_refused_at_its_line(
    text: str, reason: str, line: int, says: str
) -> None:
    error = refusal(text)
    assert error.reason == reason
    assert f"line {line}:" in error.message
    assert says in error.message


def rule(more: str, decide: str = "approve") -> str:
    return f'[[guard.rules]]\nid = "two"\ndecide = "{decide}"\n{more}\n{TWO}'


def test_a_rule_may_ask_for_more_people() -> None:
    (read,) = decode_policy(rule("needed = 2"), "p").guard.rules
    assert read.needed == 2
    assert decode_policy(rule(""), "p").guard.rules[0].needed is None


@pytest.mark.parametrize(
    ("more", "decide", "reason"),
    [
        ("needed = 3", "approve", "too-few-approvers"),
        ('needed = 2\nenvironments = ["production"]', "approve", "too-few-approvers"),
        ("needed = 0", "approve", "out-of-range"),
        ("needed = 17", "approve", "out-of-range"),
        ("needed = 1", "deny", "needed-without-approve"),
        ("needed = 1", "allow", "needed-without-approve"),
    ],
)
def test_a_rule_asks_for_no_more_people_than_there_are(more: str, decide: str, reason: str) -> None:
    assert refusal(rule(more, decide)).reason == reason


def test_approvers_of_no_environment_that_needs_them_are_too_few() -> None:
    """One who may answer for staging alone is nobody to ask where only production is."""
    text = TWO.replace(f'[[approvers]]\nname = "ada"\nkey = "{ADA}"\n', "")
    assert decode_policy(text, "p").approvers[0].name == "bob"
    assert (
        refusal(
            text + '[[guard.rules]]\nid = "a"\ndecide = "approve"\nneeded = 1\n'
            'environments = ["production"]\n'
        ).reason
        == "too-few-approvers"
    )


def test_a_phase_is_act_or_plan() -> None:
    assert decode_policy("", "p").guard.phase == "act"
    assert decode_policy('[guard]\nphase = "plan"', "p").guard.phase == "plan"
    assert refusal('[guard]\nphase = "planing"').reason == "unknown-choice"
