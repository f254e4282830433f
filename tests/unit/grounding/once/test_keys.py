"""Business keys: which values are one, and which are not."""

from __future__ import annotations

import json

import pytest

from groundwire.errors import EncodingError
from groundwire.grounding.once.keys import business_key, hides, same_value


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
        ("A B", "AB"), ("A\u2800B", "AB"), ("A\tB", "AB"), ("A-B", "A\u2013B"), ([], [1]), ([1, 2], [2, 1]), ({"x": 1}, {"X": 1}), ([["a"]], ["a"]),
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
    assert spelled("9007199254740993") != spelled("9007199254740992")
    assert spelled("9007199254740993") != spelled("9007199254740992.0")
    assert spelled("1" * 60) != spelled("1" * 59 + "2")
    assert spelled("1" * 60) == spelled(f'"{"1" * 60}"')
    assert spelled("1e300") != spelled("1e301")
    assert spelled("0.000") == spelled("-0") == spelled("0e5")


@pytest.mark.parametrize(
    "number",
    ["7e0000000000", "7e-0000000000", "70000000000e-0000000010", "7.00000000000000000000001"],
)
def test_numbers_of_which_a_tool_gets_one_float_are_one(number: str) -> None:
    assert business_key(f'{{"a":{number}}}', ("a",)) == key(7)
    assert business_key(f'{{"a":-{number}}}', ("a",)) == key(-7)
    assert business_key(f'{{"a":1{number}}}', ("a",)) != key(7)


UNSEEN = [
    "\x00", "\x08", "\x1c", "\x7f", "\x9f", "\u00ad", "\u034f", "\u061c", "\u115f", "\u1160", "\u17b4", "\u17b5",
    "\u180b", "\u180e", "\u180f", "\u200b", "\u200d", "\u202e", "\u2060", "\u2065", "\u206f", "\u3164", "\ufe00",
    "\ufe0f", "\ufeff", "\uffa0", "\ufff0", "\ufff8", "\ufff9", "\U00016fe4", "\U0001bca0", "\U0001d173",
    "\U000e0000", "\U000e0001", "\U000e0100", "\U000e0fff",
]  # fmt: skip


@pytest.mark.parametrize("unseen", UNSEEN, ids=ascii)
def test_what_nobody_sees_makes_no_other_key_wherever_it_stands(unseen: str) -> None:
    for spelt in (f"{unseen}INV-7\u00e9", f"INV{unseen}-7e\u0301", f"INV-7e{unseen}\u0301{unseen}"):
        assert key(spelt) == key("inv-7\u00e9")
        assert hides(spelt)
    assert key(f"{unseen}7{unseen}") == key(7)
    with pytest.raises(EncodingError):
        key(f"{unseen} {unseen}")


@pytest.mark.parametrize(
    "space", ["  ", "\t", "\n ", "\u00a0", "\u2003", "\u2028", "\u2800", "\u200b \x00 "], ids=ascii
)
def test_white_space_is_one_space_and_none_at_the_ends(space: str) -> None:
    assert key(f"{space}INV{space}7{space}") == key("inv 7") != key("inv7")


def test_white_space_that_a_spelling_brings_along_goes_too() -> None:
    assert key("\u00b4INV") == key(" \u0301INV")
    assert key("INV\u2003\u00b4") == key("INV\u00b4")


def test_only_a_text_hides_anything() -> None:
    assert not any(map(hides, ["INV 7\n", "\u00e9", "", 7, None, ["\u200b"]]))
    assert hides("7\u2800")


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
