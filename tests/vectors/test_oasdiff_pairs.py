"""The pairs of oasdiff's own tests: each is decided as oasdiff decides, or was adjudicated.

`vectors/contracts/openapi-oasdiff.toml` has those, and why; `bench.contracting.pairs` which grades
count as alike which levels.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator

import pytest
from bench.contracting.pairs import ALIKE, VECTORS, Pair, Said, is_there, oasdiff

DATA = tomllib.loads((VECTORS / "openapi-oasdiff.toml").read_text("utf-8"))
PAIRS = {pair.name: pair for pair in oasdiff()}
pytestmark = pytest.mark.skipif(
    not is_there("openapi-oasdiff"), reason="../shared/cases is not there: oasdiff's pairs not run"
)


def outcomes() -> Iterator[tuple[str, str, str]]:
    for pair in PAIRS.values():
        yield (pair.name, *pair.outcome())


def test_every_pair_is_decided_alike_or_as_it_was_adjudicated() -> None:
    assert len(PAIRS) == 358
    assert [
        (name, told) for name, told, _ in outcomes() if told not in {"alike", "adjudicated"}
    ] == []


def test_at_most_three_in_a_hundred_are_undecided() -> None:
    assert Counter(grade for _, _, grade in outcomes())["undecided"] <= 0.03 * len(PAIRS)


def test_each_adjudication_is_of_a_pair_and_says_what_is_particular_to_it() -> None:
    cases = DATA["cases"]
    assert set(cases) <= set(PAIRS)
    assert all(case["why"].endswith(".") and len(case["why"]) > 40 for case in cases.values())
    assert {case["reason"] for case in cases.values()} == set(DATA["reasons"])
    assert [name for name, case in cases.items() if case["oasdiff"] != PAIRS[name].theirs] == []


@pytest.mark.parametrize(
    ("grade", "said", "outcome"),
    [
        ("breaking", None, "alike"),
        ("none", None, "wrong"),
        ("none", Said("none", "why"), "adjudicated"),
        ("risky", Said("none", "why"), "stale"),
        ("breaking", Said("none", "why"), "stale"),
        ("breaking", Said("breaking", "why"), "stale"),
    ],
)
def test_an_adjudication_holds_only_for_the_grade_it_speaks_of(
    grade: str, said: Said | None, outcome: str
) -> None:
    pair = Pair("pair", "ERR", ALIKE["ERR"].__contains__, lambda: grade, said)
    assert pair.outcome() == (outcome, grade)
