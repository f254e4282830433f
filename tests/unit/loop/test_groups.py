"""Groups: when one is parked by itself, and when never."""

from __future__ import annotations

import pytest

from groundwire.errors import PolicyError
from groundwire.loop.groups import EngagedBy, Group, Groups

BACKUPS = Group(name="backups", tools=("restore", "list_backups"), prompt="Backups are nightly.")
SERVED = {"look", "restore", "list_backups"}


@pytest.mark.parametrize("evidence", ["semantic", "lexical", "assumed"])
def test_a_group_on_a_guess_is_parked_after_three_idle_passes(evidence: EngagedBy) -> None:
    groups = Groups([Group(name="g", tools=("restore",), engaged_by=evidence)])
    assert [len(groups.passed(SERVED, ["look"])) for _ in range(4)] == [0, 0, 1, 0]
    assert groups.parked == ("g",)
    assert groups.held_out == {"restore"}


@pytest.mark.parametrize("evidence", ["explicit", "structural"])
def test_a_group_that_somebody_asked_for_stands(evidence: EngagedBy) -> None:
    groups = Groups([Group(name="g", tools=("restore",), engaged_by=evidence)])
    assert not any(groups.passed(SERVED, ["look"]) for _ in range(9))


def test_a_pass_is_idle_only_where_something_else_was_called_and_the_group_was_served() -> None:
    groups = Groups([BACKUPS])
    for served, called in ((SERVED, []), ({"look"}, ["look"]), (SERVED, ["look", "restore"])):
        assert not any(groups.passed(served, called) for _ in range(9))


def test_use_of_a_tool_begins_the_grace_anew() -> None:
    groups = Groups([BACKUPS])
    for called in ("look", "look", "restore", "look", "look"):
        assert groups.passed(SERVED, [called]) == []
    [parked] = groups.passed(SERVED, ["look"])
    assert parked.parked


def test_a_group_that_is_never_parked_is_not_and_cannot_be() -> None:
    groups = Groups([Group(name="g", tools=("restore",), parkable=False)])
    assert not any(groups.passed(SERVED, ["look"]) for _ in range(9))
    with pytest.raises(PolicyError) as refused:
        groups.park("g")
    assert refused.value.reason == "group-not-parkable"


def test_a_parked_group_leaves_one_line_in_the_prompt_and_comes_back_whole() -> None:
    groups = Groups([BACKUPS])
    assert groups.prompts() == ["Backups are nightly."]
    assert [change.parked for change in groups.park("backups")] == [True]
    assert groups.park("backups") == []
    [card] = groups.prompts()
    assert "backups: parked" in card
    assert "\n" not in card
    assert [change.parked for change in groups.engage("backups")] == [False]
    assert groups.engage("backups") == []
    assert groups.prompts() == ["Backups are nightly."]
    # Asked for, it stands.
    assert not any(groups.passed(SERVED, ["look"]) for _ in range(9))


@pytest.mark.parametrize(
    ("groups", "reason"),
    [
        ([BACKUPS, Group(name="backups", tools=())], "declared-twice"),
        ([BACKUPS, Group(name="more", tools=("restore",))], "declared-twice"),
        ([Group(name="g", tools=(), engaged_by="hearsay")], "unknown-evidence"),
    ],
)
def test_groups_that_cannot_be_are_refused(groups: list[Group], reason: str) -> None:
    with pytest.raises(PolicyError) as refused:
        Groups(groups)
    assert refused.value.reason == reason


def test_a_group_that_nobody_declared_is_named_with_those_that_are() -> None:
    with pytest.raises(PolicyError, match="backups") as refused:
        Groups([BACKUPS]).engage("backup")
    assert refused.value.reason == "unknown-group"
