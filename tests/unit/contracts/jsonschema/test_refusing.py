"""What a schema takes offence at is told in bounds, however many branches choices have."""

from __future__ import annotations

from typing import Any

import jsonschema_rs

from groundwire.contracts.jsonschema.refusing import refusals_of

CHOICE = {
    "type": "object",
    "properties": {"in": {"oneOf": [{"$ref": "#/definitions/c"}] * 3}, "n": {"type": "integer"}},
}
VALIDATOR = jsonschema_rs.Draft4Validator(
    {"allOf": [{"$ref": "#/definitions/c"}], "definitions": {"c": CHOICE}}
)


def nested(depth: int) -> Any:
    value: Any = {"n": "no integer"}
    for _ in range(depth - 1):
        value = {"in": value}
    return value


def test_each_branch_of_a_choice_says_what_it_refuses() -> None:
    [refusal] = refusals_of(VALIDATOR, nested(2))
    assert refusal.keyword == "oneOf"
    assert [[each.keyword for each in branch] for branch in refusal.branches] == [["type"]] * 3


def test_of_a_value_that_nests_deep_nothing_is_told_as_it_could_fill_any_memory() -> None:
    assert refusals_of(VALIDATOR, nested(8)) != ()
    assert refusals_of(VALIDATOR, nested(9)) == ()
    assert refusals_of(VALIDATOR, nested(60)) == ()
    assert refusals_of(VALIDATOR, [[nested(7)]]) == ()
