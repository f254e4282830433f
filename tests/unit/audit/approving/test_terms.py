from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from groundwire.attest.people.approvals import STANDINGS
from groundwire.audit.approving.terms import Terms, joined, moment_of, standing_digest, standing_of
from groundwire.documents.approval import Standing
from groundwire.errors import PolicyError
from groundwire.keys.times import format_time
from tests.askings import ADA, BOB, MIDST

TYPED: dict[str, Any] = {
    "tool": "write_file", "arguments": ("path=docs/**", "mode=w=x"), "effects": ("write",),
    "environments": ("dev",), "operations": (), "uses": 20, "until": "8h",
}  # fmt: skip


def made(**typed: Any) -> Standing:
    return standing_of(Terms(**{**TYPED, **typed}), ADA.key_id, "0" * 32, MIDST)


def test_what_was_typed_is_what_is_approved_and_no_more() -> None:
    standing = made()
    assert [(each.name, each.pattern) for each in standing.arguments] == [
        ("mode", "w=x"),
        ("path", "docs/**"),
    ]
    assert standing.operations == ("tool_call",)
    assert (standing.effects, standing.environments) == (("write",), ("dev",))
    assert (standing.since, standing.at) == (format_time(MIDST), format_time(MIDST))
    assert standing.until == format_time(MIDST + timedelta(hours=8))
    assert standing.uses == 20


def test_it_can_be_sealed_as_it_is() -> None:
    standing = made(effects=("write", "read"), environments=("b", "a", "b"), operations=("x",))
    read, _ = STANDINGS.inspect(STANDINGS.seal(standing, ADA))
    assert read == standing
    assert read.effects == ("read", "write")
    assert read.environments == ("a", "b")


@pytest.mark.parametrize(
    "typed",
    [
        {"tool": ""},
        {"environments": ()},
        {"environments": ("",)},
        {"effects": ()},
        {"effects": ("write", "rite")},
        {"arguments": ("path",)},
        {"arguments": ("=docs",)},
        {"arguments": ("path=a", "path=b")},
        {"uses": 0},
        {"uses": -1},
        {"uses": 1_000_001},
        {"until": ""},
        {"until": "soon"},
        {"until": "0h"},
        {"until": "-1h"},
        {"until": "32d"},
        {"until": "9999999d"},
        {"until": "\u0661h"},
        {"until": "2031-12-24T18:00:00"},
        {"until": "2001-01-01T00:00:00Z"},
        {"until": "0001-01-01T00:00:00+14:00"},
        {"until": "9999-12-31T23:59:59-14:00"},
    ],
)
def test_what_cannot_be_meant_is_refused(typed: dict[str, Any]) -> None:
    with pytest.raises(PolicyError) as caught:
        made(**typed)
    assert caught.value.reason == "bad-standing-terms"


@pytest.mark.parametrize(
    ("text", "later"),
    [("30m", timedelta(minutes=30)), ("8h", timedelta(hours=8)), ("31d", timedelta(days=31))],
)
def test_a_while_is_counted_from_now(text: str, later: timedelta) -> None:
    assert moment_of(text, MIDST) == format_time(MIDST + later)


def test_a_moment_is_taken_in_its_zone() -> None:
    in_an_hour = MIDST + timedelta(hours=1)
    text = in_an_hour.isoformat().replace("+00:00", "Z")
    assert moment_of(text, MIDST) == format_time(in_an_hour)
    elsewhere = (in_an_hour + timedelta(hours=2)).isoformat().replace("+00:00", "+02:00")
    assert moment_of(elsewhere, MIDST) == format_time(in_an_hour)


def test_another_approver_says_yes_to_the_same_words() -> None:
    first = made()
    second = joined(first, BOB.key_id, MIDST + timedelta(minutes=1))
    assert second.approver == BOB.key_id
    assert (second.id, second.uses, second.until) == (first.id, first.uses, first.until)
    assert standing_digest(second) != standing_digest(first)
