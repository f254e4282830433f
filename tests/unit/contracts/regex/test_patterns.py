"""Patterns as languages: what is in them, what is in one and not in another, and what is not read."""

from __future__ import annotations

import re
from itertools import product

import pytest

from groundwire.contracts.regex.expressions import Expressions, TooLarge
from groundwire.contracts.regex.reading import NotRegular, read_pattern
from groundwire.contracts.regex.strings import Wanted, matches, shortest

PATTERNS = [
    "^a", "a$", "^$", "(^a|b$)", "^(a|b)*$", "a{2,3}", "^(ab){2}$", "[^a]", "^a?b?$", "(a|^)b",
    "^(^a)*b", "a(b$)?", "(a$|b)+", "(?:^|a)*b", "x*", "^a|b", "$a", "a^", "(a|)b", "(^|a){2}b",
    "^[ab]{0,2}$", "(a*)*b", "(a?){3}b$", "^(?:a|ab)(?:c|bcd)?$", "a{2,}", "^.{2}$", "[a-b]x",
]  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_is_found_in_just_the_strings_that_another_engine_finds_it_in(
    pattern: str,
) -> None:
    expressions = Expressions()
    language = read_pattern(pattern, expressions)
    other = re.compile(pattern.replace("$", r"\Z"))
    for length in range(5):
        for signs in product("abx", repeat=length):
            text = "".join(signs)
            assert matches(language, text, expressions) == bool(other.search(text)), text


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("a$", "a\n", False),  # the end is the end
        ("^.$", "\r", False),
        ("^.$", "\u2028", False),
        ("^.$", "\U0001f600", True),  # one character, not two units
        (r"^\d$", "\u0663", False),  # ASCII only
        (r"^\w$", "é", False),
        (r"^\s$", "\ufeff", True),
        (r"^\s$", "\x85", False),
        (r"^\cC$", "\x03", True),
        (r"^\x41\u0042\u{43}$", "ABC", True),
        (r"^\uD83D\uDE00$", "\U0001f600", True),
        ("^[^]$", "x", True),
        ("[]", "x", False),
        (r"^[\w-.]+$", "a-.", True),
        (r"^[\b]$", "\b", True),
        (r"^\/\-$", "/-", True),
        ("^(?<name>a)$", "a", True),
        ("^a{2}?$", "aa", True),
    ],
)
def test_a_pattern_means_what_ecma_262_says(pattern: str, text: str, found: bool) -> None:
    expressions = Expressions()
    assert matches(read_pattern(pattern, expressions), text, expressions) is found


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(", "pattern-invalid"),
        (")", "pattern-invalid"),
        ("[a", "pattern-invalid"),
        ("[b-a]", "pattern-invalid"),
        ("*a", "pattern-invalid"),
        ("a**", "pattern-invalid"),
        ("a{2,1}", "pattern-invalid"),
        ("a{,2}", "pattern-invalid"),
        ("\\", "pattern-invalid"),
        (r"\u{110000}", "pattern-invalid"),
        (r"\i", "pattern-invalid"),
        ("(?=a)", "pattern-not-regular"),
        ("(?<!a)", "pattern-not-regular"),
        (r"(a)\1", "pattern-not-regular"),
        (r"\bword", "pattern-not-regular"),
        (r"\p{L}", "pattern-not-regular"),
        ("a" * 6_000, "pattern-too-large"),
        ("(" * 60 + "a" + ")" * 60, "pattern-too-large"),
        ("a{9999999}", "pattern-too-large"),
        ("(^a){50}", "pattern-too-large"),
        ("((a{0,50}){0,50}b){0,50}" * 90, "pattern-too-large"),
    ],
)
def test_a_pattern_that_is_not_read_says_why(pattern: str, reason: str) -> None:
    with pytest.raises(NotRegular, match=reason):
        read_pattern(pattern, Expressions())


def found(
    matching: list[str], failing: list[str], least: int = 0, most: int | None = None,
    excluded: tuple[str, ...] = (),
) -> str | None:  # fmt: skip
    expressions = Expressions()
    wanted = Wanted(
        tuple(read_pattern(each, expressions) for each in matching),
        tuple(read_pattern(each, expressions) for each in failing),
        least,
        most,
        frozenset(excluded),
    )
    return shortest(wanted, expressions, lambda: None)


def test_the_shortest_string_is_found_or_that_there_is_none() -> None:
    assert found(["^a+$"], ["^a$"]) == "aa"
    assert found(["^[0-9]{3}$"], ["^1"]) == "000"
    assert found(["foo"], ["^foo"]) == "afoo"
    assert found(["^a$"], ["a"]) is None
    assert found(["^a*$"], [], least=3, most=2) is None
    assert found(["^(a|b)*$"], ["a", "b"]) == ""
    assert found(["^(a|b)+$"], ["a", "b"]) is None
    assert found(["^x-"], [], least=5, most=5) == "x-aaa"


def test_long_bounded_repetitions_are_no_matter() -> None:
    assert found(["^[a-z]{1,255}$"], [], least=255) == "a" * 255
    assert found(["^[a-z]{1,255}$"], [], least=256) is None


def test_what_is_excluded_is_not_found_and_the_next_best_is() -> None:
    assert found(["^[ab]$"], [], excluded=("a",)) == "b"
    assert found(["^[ab]$"], [], excluded=("a", "b")) is None
    assert found([], [], most=0, excluded=("",)) is None
    assert found([], [], least=1, most=1, excluded=("a", "0")) == "A"


def test_a_table_of_expressions_has_an_end() -> None:
    expressions = Expressions(most_nodes=50)
    with pytest.raises((NotRegular, TooLarge)):
        read_pattern("abcdefghijklmnopqrstuvwxyz" * 3, expressions)


def test_a_search_ends_where_its_caller_says() -> None:
    class Enough(Exception):
        pass

    steps = iter(range(500))

    def tick() -> None:
        if next(steps, None) is None:
            raise Enough

    expressions = Expressions()
    wanted = Wanted(
        (read_pattern("^(a|b)*a(a|b){25}$", expressions),),
        (read_pattern("^(a|b)*b(a|b){24}", expressions),),
    )
    with pytest.raises(Enough):
        shortest(wanted, expressions, tick)
