"""Patterns: the plain ones are taken, and none that a text can make run long."""

from __future__ import annotations

import re
import time

import pytest

from groundwire.authority.reading.patterns import read_pattern
from groundwire.authority.reading.values import Misdeclared

GOOD = [
    "^p-[0-9]+$",
    "[a-z]+(?:-[a-z]+)*",
    r"\d{4}-\d{2}-\d{2}",
    r"(?:[0-9a-f]{2}:){5}[0-9a-f]{2}",
    r"[^@\s]+@[^@\s.]+(?:\.[^@\s.]+)+",
    "(?i)ops-[0-9]{4}",
    "P[0-9]+|Q[0-9]+",
    "a|b|",
    r"\w+ \w+",
    "(ab|cd)+e",
    r"[A-Z]{2}\d{2}(?: ?\d{4}){2,7}",
    "x{0}y?",
    r"[\]\-^]+",
    "größe-[0-9]+",
    "(?:a|b(?:c|d))+",
    ".+-[0-9]{4}",
    r"\$[0-9]+(?:\.[0-9]{2})?",
    "[^ ]+",
    r"[^\d-]+-[0-9]+",
]

BAD = {
    "(a+)+": "several ways",
    "(a*)*": "several ways",
    "(a|a)+": "several ways",
    "(a|ab)+c": "several ways",
    "(a?){30}a": "several ways",
    "(?:(?:a|a)b)+": "several ways",
    "(?:-(?:a|a)b)+": "several ways",
    "(?:-a?a?)*": "several ways",
    "(?:x[a-z]+)*": "several ways",
    r"(\w+\s?)*": "several ways",
    r"^(\d+)*$": "several ways",
    "a*a*b": "two repeats",
    r"\d+\d+": "two repeats",
    ".*foo.*": "two repeats",
    "a?" * 13 + "a" * 13: "ways",
    ".{0,100}.{0,100}x": "ways",
    r"(a)\1": "not read here",
    r"\x41": "not read here",
    "(?=a)b": "looks around",
    "(?<=a)b": "looks around",
    "(?P<n>a)": "looks around",
    "a(?i)b": "looks around",
    "a++": "repeats a repeat",
    "a{2}{3}": "repeats a repeat",
    "a{2000}": "over 1000 times",
    "a{5,2}": "from more to less",
    "a{x}": "counts nothing",
    "*a": "repeats nothing",
    "a)": "nothing opened",
    "(a": "nothing closes",
    "[a": "breaks off",
    "a\\": "breaks off",
    "[z-a]": "backwards",
    "[[a]]": "other engines",
    "^*": "repeats an edge",
    "(" * 25 + "a" + ")" * 25: "too deep",
    "a" * 301: "over 300",
}


def refused(pattern: str, *, searched: bool = False) -> str:
    try:
        read_pattern(f"/{pattern}/", ("p",), searched=searched)
    except Misdeclared as error:
        return f"{error.reason}: {error}"
    return ""


@pytest.mark.parametrize("pattern", GOOD)
def test_a_plain_pattern_is_taken_as_it_stands(pattern: str) -> None:
    assert read_pattern(f"/{pattern}/", ("p",)) == pattern


@pytest.mark.parametrize("pattern", sorted(BAD))
def test_a_pattern_that_could_run_long_or_is_read_two_ways_is_refused(pattern: str) -> None:
    assert BAD[pattern] in refused(pattern)


@pytest.mark.parametrize("text", ["p", "/p", "p/", "//", "/"])
def test_a_pattern_stands_between_slashes(text: str) -> None:
    with pytest.raises(Misdeclared, match="between slashes"):
        read_pattern(text, ("p",))


@pytest.mark.parametrize("pattern", ["never .*", "a+", "(?:-[a-z]+)*x"])
def test_what_is_searched_for_has_no_repeat_without_an_end(pattern: str) -> None:
    assert "without an end" in refused(pattern, searched=True)


def test_what_is_searched_for_matches_something() -> None:
    assert "every text" in refused("a{0,3}", searched=True)
    assert not refused("Never .{0,200} without approval", searched=True)


@pytest.mark.parametrize("pattern", GOOD)
@pytest.mark.parametrize(
    "seed", ["a", "a-", "ab", "1", "0:", "- ", "x.", "A1 ", "@", "-0000", "$1"]
)
def test_no_text_makes_a_plain_pattern_run_long(pattern: str, seed: str) -> None:
    text = seed * (20_000 // len(seed)) + "\n!"
    before = time.process_time()
    re.compile(pattern).fullmatch(text)
    assert time.process_time() - before < 2
