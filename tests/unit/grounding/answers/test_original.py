"""The original's evidence gate: exact tokens, results alone, an absence grounds nothing it sought."""

from __future__ import annotations

import pytest

from groundwire.documents.declaration import Evidence, TokenShape
from groundwire.grounding.answers.original import candidates, normalise, unsupported

RULES = Evidence()


def missing(
    answer: str, *results: str, said: tuple[str, ...] = (), rules: Evidence = RULES
) -> list[str]:
    return unsupported(answer, results, said, rules)[1]


def test_a_token_is_looked_up_whole() -> None:
    assert missing("The id is 0xef0101.", '{"note": "see naa.0xef0101ab"}') == ["0xef0101"]
    assert missing("The id is ef0101.", '{"note": "0xef0101"}') == []


def test_what_an_absence_looked_for_grounds_nothing() -> None:
    absent = '{"outcome": "nothing_found", "looked_for": "hx-a-99", "checked": ["fabric-a1"]}'
    assert missing("Nothing on hx-a-99 in fabric-a1.", absent) == ["hx-a-99"]


def test_what_was_said_is_exempt() -> None:
    assert missing("You asked for 4815.", "{}", said=("give me 4,815",)) == []


def test_a_declared_shape_needs_no_digit() -> None:
    rules = Evidence(shapes=(TokenShape(name="port", pattern="port-[a-z]+"),))
    assert candidates("It is port-alpha.", rules) == ["port-alpha"]


def test_exempt_values_are_no_candidates() -> None:
    rules = Evidence(exempt=("0xab12cd",), exempt_patterns=("v\\d.*",))
    assert candidates("ab12cd in v2.0.31", rules) == []


@pytest.mark.parametrize(
    ("piece", "token"),
    [("$4,417.00.", "4417"), ("+15551234567", "15551234567"), ("007", "7"), ("-0.50", "-0.5")],
)
def test_a_number_has_one_form(piece: str, token: str) -> None:
    assert normalise(piece) == token
