"""What a declared break pardons, and what it does not."""

from __future__ import annotations

import msgspec
import pytest

from groundwire.audit.diffing.declaring import Declarations
from groundwire.contracts.changes import Change, Grade
from groundwire.contracts.comparison import Comparison
from groundwire.documents.contract import DiffRules, Waiver

WAIVER = Waiver(rule="operation-removed", reason="agreed", until="2026-12-31")


def change(grade: Grade = "breaking", **said: object) -> Change:
    given = msgspec.convert(said, dict[str, tuple[str, ...]])
    return Change(
        rule="operation-removed", grade=grade, says="gone", reaches=given.get("reaches", ())
    )


def pardoned(
    declared: Declarations,
    one: Change,
    path: str = "api/a.yaml",
    versions: tuple[str, str] = ("1.0", "1.1"),
) -> str:
    comparison = Comparison(path=path, kind="openapi", before="a", after="b", changes=(one,))
    return declared.apply(comparison, versions).changes[0].pardoned


def by_waiver(waiver: Waiver, today: str = "2026-12-01") -> Declarations:
    return Declarations(rules=DiffRules(waivers=(waiver,)), today=today)


@pytest.mark.parametrize("grade", ["breaking", "exposure", "undecided", "risky"])
def test_a_waiver_pardons_what_it_names_of_whatever_grade(grade: Grade) -> None:
    assert pardoned(by_waiver(WAIVER), change(grade)) == "agreed (until 2026-12-31)"


def test_a_waiver_holds_through_its_last_day_and_no_longer() -> None:
    assert pardoned(by_waiver(WAIVER, "2026-12-31"), change())
    late = by_waiver(WAIVER, "2027-01-01")
    assert pardoned(late, change()) == ""
    assert list(late.ended()) == [WAIVER]
    assert list(by_waiver(WAIVER, "2026-12-31").ended()) == []


def test_a_waiver_of_another_rule_pardons_nothing() -> None:
    other = msgspec.structs.replace(WAIVER, rule="response-property-removed")
    assert pardoned(by_waiver(other), change()) == ""


def test_a_waiver_of_a_file_pardons_only_there() -> None:
    ours = msgspec.structs.replace(WAIVER, file="api/*.yaml")
    assert pardoned(by_waiver(ours), change())
    assert pardoned(by_waiver(ours), change(), "other/a.yaml") == ""


def test_a_waiver_of_one_operation_pardons_no_cause_that_reaches_another() -> None:
    one = msgspec.structs.replace(WAIVER, operation="GET /a")
    assert pardoned(by_waiver(one), change(reaches=("GET /a",)))
    assert pardoned(by_waiver(one), change(reaches=("GET /a", "GET /b"))) == ""
    assert pardoned(by_waiver(one), change()) == ""


def test_a_label_pardons_only_where_the_policy_knows_it() -> None:
    rules = DiffRules(labels=("breaking-change",))
    labelled = Declarations(rules=rules, today="2026-12-01", labels=("x", "breaking-change"))
    assert pardoned(labelled, change()) == "label breaking-change"
    assert pardoned(Declarations(rules=rules, today="2026-12-01", labels=("x",)), change()) == ""


@pytest.mark.parametrize(
    ("old", "new", "rises"),
    [
        ("1.9.0", "2.0.0", True),
        ("v1", "v2", True),
        ("9.0", "10.0", True),
        ("1.0", "1.9", False),
        ("2.0", "1.0", False),
        ("2026-01-01", "2027-01-01", True),
        ("", "2.0", False),
        ("1.0", "", False),
        ("one", "two", False),
        ("1x", "2x", False),
    ],
)
def test_a_version_pardons_where_its_first_number_rises(old: str, new: str, rises: bool) -> None:
    declared = Declarations(rules=DiffRules(version_bump="major"), today="2026-12-01")
    assert bool(pardoned(declared, change(), versions=(old, new))) is rises
    assert (
        pardoned(Declarations(rules=DiffRules(), today="2026-12-01"), change(), versions=(old, new))
        == ""
    )


@pytest.mark.parametrize("grade", ["exposure", "undecided"])
def test_neither_label_nor_version_pardons_weaker_protection_or_doubt(grade: Grade) -> None:
    rules = DiffRules(labels=("agreed",), version_bump="major")
    declared = Declarations(rules=rules, today="2026-12-01", labels=("agreed",))
    assert pardoned(declared, change(grade), versions=("1.0", "2.0")) == ""


def test_what_harms_nobody_needs_no_pardon() -> None:
    assert pardoned(by_waiver(WAIVER), change("noted")) == ""
