"""Business keys: which values are one, and which are not."""

from __future__ import annotations

import json

import pytest

from groundwire.errors import EncodingError
from groundwire.grounding.once.keys import business_key, same_value


def key(value: object) -> str:
    return business_key(json.dumps({"a": value, "b": 1}), ("a",))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("INV-7", "inv-7"), ("INV-7", "\u2003inv-7\n"), ("\uff29\uff2e\uff36", "inv"), ("stra\u00dfe", "STRASSE"),
        ("e\u0301", "\u00c9"), ("in\u200bv\u2060", "INV"), ("7", 7), ("\uff17", 7), (" -7 ", -7), ("0", -0.0),
        (120, 120.0), ([1, "A"], [1.0, "a "]), ({"x": {"y": "A"}}, {"x": {"y": "a"}}),
    ],
)  # fmt: skip
def test_the_same_whatever_it_is_written_like(one: object, other: object) -> None:
    assert key(one) == key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("7.0", 7), ("7.0", "7"), ("07", 7), ("+7", 7), ("1e3", 1000), (1, True), (0, False), ("true", True),
        ("A B", "AB"), ("A-B", "A\u2013B"), ([], [1]), ([1, 2], [2, 1]), ({"x": 1}, {"X": 1}), ([["a"]], ["a"]),
        (["a,b"], ["a", "b"]), (10, 1), (10, 100), (-1, 1), (0.1, 0.01),
    ],
)  # fmt: skip
def test_others_are_others(one: object, other: object) -> None:
    nothing = {"[]"}
    if json.dumps(one) not in nothing:
        assert key(one) != key(other)


def test_numbers_keep_every_digit_and_any_power() -> None:
    def spelled(text: str) -> str:
        return business_key(f'{{"a":{text}}}', ("a",))

    assert spelled("120") == spelled("1.20e2") == spelled("1200e-1") == spelled("0.12E+3")
    assert spelled("0.1") != spelled("0.10000000000000000000000001")
    assert spelled("9007199254740993") != spelled("9007199254740992.0")
    assert spelled("1e300") != spelled("1e301")
    assert spelled("0.000") == spelled("-0") == spelled("0e5")


def test_several_arguments_are_told_apart_by_their_place() -> None:
    assert business_key('{"a":"x","b":"y"}', ("a", "b")) != business_key(
        '{"a":"y","b":"x"}', ("a", "b")
    )


def test_an_argument_inside_of_another_is_found() -> None:
    inside = business_key('{"order":{"id":"A"}}', ("order.id",))
    assert inside == business_key('{"order":{"id":"a","more":1}}', ("order.id",))


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ("{}", "once-key-missing"),
        ("", "once-key-missing"),
        ('{"a":null}', "once-key-missing"),
        ('{"a":" \\u200b"}', "once-key-missing"),
        ('{"a":[]}', "once-key-missing"),
        ('{"a":{}}', "once-key-missing"),
        ("[]", "once-key-missing"),
        ("{", "not-json"),
        ('{"a":1e999}', "number-out-of-range"),
    ],
)
def test_a_call_that_says_nothing_has_no_key(arguments: str, reason: str) -> None:
    with pytest.raises(EncodingError) as refused:
        business_key(arguments, ("a",))
    assert refused.value.reason == reason


def test_a_value_has_one_text_whatever_its_python_is() -> None:
    assert same_value(120) == same_value("120") == same_value(120.0)
    assert same_value(True) != same_value(1)
