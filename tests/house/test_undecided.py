"""Why a change of a contract is left undecided is told of every reason that there is."""

from __future__ import annotations

from tests.undecided_page import reasons, told

# Said of other things than a change: why no sample was found, and what Outside tells itself.
OTHERS = {"nothing-fits", "nothing-found"}
# Told where a file is read, or by who joins a family and a name.
ELSEWHERE = {
    "credential-of-another-kind",
    "engine-missing",
    "header-invalid",
    "invalid",
    "merge-key",
    "number-inexact",
    "reference-paradox",
}


def known() -> set[str]:
    return {reason for group in told().values() for reason in group}


def test_every_reason_in_the_source_is_told_of() -> None:
    missing = {each for each in reasons() - OTHERS - known() if not each.startswith("invalid-")}
    assert missing == set()


def test_nothing_is_told_of_that_is_no_reason() -> None:
    assert known() - reasons() - ELSEWHERE == set()


def test_what_is_told_is_a_sentence() -> None:
    for group in told().values():
        assert all(means[0].isupper() or means[0] == "`" for means in group.values())
        assert all(means.endswith(".") for means in group.values())
