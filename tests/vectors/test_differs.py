"""Every case of the family under both sets of rules; `vectors/differs.toml` has those that differ."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.vectors.context_cases import FILE, Case, cases, expected, verdict

DIFFERS = tomllib.loads((Path(__file__).parents[2] / "vectors" / "differs.toml").read_text("utf-8"))
VERDICTS = DIFFERS["verdicts"]
CASES = cases()


@pytest.mark.skipif(
    not FILE.is_file(),
    reason="../shared/cases is not there: verdicts under both rules not compared",
)
class TestBothVerdicts:
    @pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
    def test_under_the_original_rules_a_case_is_as_stated(self, case: Case) -> None:
        found = verdict(case, "original")
        assert found == expected(case)
        if case["id"] in VERDICTS:
            assert str(found) == VERDICTS[case["id"]]["original"]

    @pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
    def test_by_default_it_is_the_same_unless_it_is_listed(self, case: Case) -> None:
        listed = VERDICTS.get(case["id"])
        stated = str(expected(case)) if listed is None else listed["default"]
        assert str(verdict(case, "default")) == stated

    def test_only_cases_that_there_are_are_listed(self) -> None:
        assert set(VERDICTS) <= {case["id"] for case in CASES}


def test_every_case_that_is_listed_differs_and_says_why() -> None:
    for table in DIFFERS.values():
        for name, one in table.items():
            assert one["original"] != one["default"], name
            assert one["why"].endswith("."), name
