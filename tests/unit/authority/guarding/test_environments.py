"""Environments: read off names, unknown is production, a word makes it only stricter."""

from __future__ import annotations

import pytest

from groundwire.authority.environments import environment_of
from groundwire.documents.governing import EnvironmentPattern, GuardRules
from tests.unit.authority.guarding.questions import name

RULES = GuardRules(
    environments=(
        EnvironmentPattern(name="dev", pattern="dev/**"),
        EnvironmentPattern(name="staging", pattern="staging/**"),
        EnvironmentPattern(name="staging", pattern="dev/shared/**"),
    )
)


@pytest.mark.parametrize(
    ("paths", "environment", "known"),
    [
        (["dev/a"], "dev", True),
        (["staging/a"], "staging", True),
        (["dev/a", "staging/a"], "staging", True),
        (["dev/shared/a"], "staging", True),
        (["DEV/a"], "dev", True),
        (["prod/a"], "production", False),
        (["dev/a", "prod/a"], "production", False),
        ([], "production", False),
    ],
)
def test_the_strictest_environment_of_any_target_holds_and_unknown_is_production(
    paths: list[str], environment: str, known: bool
) -> None:
    found = environment_of([name(path) for path in paths], RULES)
    assert (found.name, found.known) == (environment, known)
    assert found.facts == (() if known else ("environment-unknown",))


@pytest.mark.parametrize(
    ("path", "claimed", "environment"),
    [
        ("dev/a", "staging", "staging"),
        ("dev/a", "production", "production"),
        ("staging/a", "dev", "staging"),
        ("prod/a", "dev", "production"),
        ("dev/a", "devv", "production"),
        ("dev/a", "", "dev"),
    ],
)
def test_a_word_of_the_host_makes_it_only_stricter(
    path: str, claimed: str, environment: str
) -> None:
    assert environment_of([name(path)], RULES, claimed).name == environment


def test_a_word_of_the_policy_makes_it_only_stricter_and_nothing_known() -> None:
    claiming = GuardRules(environments=RULES.environments, environment="staging")
    assert environment_of([name("dev/a")], claiming).name == "staging"
    found = environment_of([name("prod/a")], claiming)
    assert (found.name, found.known) == ("production", False)


def test_without_patterns_everything_is_production() -> None:
    assert environment_of([name("dev/a")], GuardRules()).name == "production"
