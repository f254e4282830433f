"""What a person is shown: every byte that goes or comes, and what the agent says marked as that."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.authority.approving.packet import claim_in, plain, whole_difference
from groundwire.authority.approving.standing import LONGEST, _fits
from groundwire.documents.call import ToolCall


def test_a_diff_has_every_line_that_goes_or_comes() -> None:
    before = b"".join(b"line %d\n" % number for number in range(20_000))
    after = before.replace(b"line 9999\n", b"harm\n").replace(b"line 3\n", b"")
    said = whole_difference(before, after).split("\n")
    assert "-line 9999" in said
    assert "+harm" in said
    assert "-line 3" in said


def test_long_stretches_that_differ_are_shown_whole() -> None:
    before = b"".join(b"old %d\n" % number for number in range(5_000))
    after = b"".join(b"new %d\n" % number for number in range(5_000))
    said = whole_difference(before, after).split("\n")
    assert sum(line.startswith("-old") for line in said) == 5_000
    assert sum(line.startswith("+new") for line in said) == 5_000


@settings(deadline=None, max_examples=150)
@given(st.lists(st.sampled_from("abc"), max_size=30), st.lists(st.sampled_from("abc"), max_size=30))
def test_the_lines_of_a_diff_make_the_one_of_the_other(one: list[str], other: list[str]) -> None:
    before, after = ("".join(f"{line}\n" for line in lines).encode() for lines in (one, other))
    said = [line for line in whole_difference(before, after).split("\n") if line[:2] != "@@"]
    gone = [line[1:] for line in said if line[:1] == "-"]
    come = [line[1:] for line in said if line[:1] == "+"]
    assert sorted(gone + list(other)) == sorted(come + list(one))


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (None, b"a\n", "+a"),
        (b"a\n", None, "-a"),
        (b"a", b"a\n", "no line end"),
        (b"a\xff\n", b"a\nharm\n", "+harm"),
        (b"a\xff\n", b"a\n", "-a\\xff"),
        (b"a\0", b"a", "2 bytes (sha256:"),
        (b"\0", None, "become nothing"),
    ],
)
def test_every_pair_of_contents_says_something(
    before: bytes | None, after: bytes | None, said: str
) -> None:
    assert said in whole_difference(before, after)


@pytest.mark.parametrize(
    ("arguments", "claim"),
    [
        ('{"reason":"because"}', "reason: because"),
        ('{"why":"","intent":"fix"}', "intent: fix"),
        ('{"reason":7}', ""),
        ("[]", ""),
        ("{", ""),
        ("", ""),
    ],
)
def test_what_the_agent_says_of_why_is_found(arguments: str, claim: str) -> None:
    assert claim_in(ToolCall(id="1", name="edit", arguments=arguments)) == claim


def test_half_a_character_is_spelt() -> None:
    assert plain("a\ud800b") == "a\\ud800b"


@pytest.mark.parametrize(
    ("value", "pattern", "fits"),
    [
        ("docs/a.md", "docs/*.md", True),
        ("docs/x/a.md", "docs/*.md", False),
        ("docs/x/a.md", "docs/**", True),
        ("docs/../a.md", "docs/**", False),
        ("..", "**", False),
        ("a..b", "**", True),
        ("DOCS/a.md", "docs/*", False),
        ("abc", "a?c", True),
        ("a/c", "a?c", False),
        ("", "*", True),
        ("a\nb", "*", True),
        ("a", "", False),
        ("a", "ab", False),
        (7, "**", False),
        (None, "**", False),
        ("a" * (LONGEST + 1), "**", False),
    ],
)
def test_a_pattern_covers_the_whole_argument(value: object, pattern: str, fits: bool) -> None:
    assert _fits(value, pattern) is fits
