"""The read-out's decisions, in their order. RO numbers are the cases of the reference page."""

from __future__ import annotations

import msgspec
import pytest

from groundwire.audit.words import BOUND, KNOWN, Evidence, Kinds, headline, notes, row_line
from groundwire.checks import registry
from groundwire.documents.disposition import Row
from groundwire.documents.finding import Finding, Subject

WIRE = Row(
    check="invariant-violation",
    seam="wire",
    version=1,
    passed=0,
    failed=0,
    not_applicable=0,
    unreachable=0,
    reasons={},
)
TOOLS = msgspec.structs.replace(WIRE, check="missing-tools", seam="compose")
DEFECT = Finding(
    kind="missing-tools",
    seam="compose",
    subjects=(Subject("tool", "drain"),),
    witnesses=(),
    message="",
    lane=0,
    step=4,
)
KINDS = Kinds(("invariant-violation", "missing-tools"), ("unwritten-kind",))


def row(base: Row = WIRE, **counts: object) -> Row:
    return msgspec.structs.replace(base, **counts)


def like(**changes: object) -> Finding:
    return msgspec.structs.replace(DEFECT, **changes)


def said(evidence: Evidence, kind: str | None = None) -> tuple[str, str]:
    found = headline(evidence, kind, KINDS)
    return found.code, found.text


# --- the four absences ------------------------------------------------------------------------


def test_ro1_without_a_list_of_events_there_is_no_evidence_and_how_to_get_some() -> None:
    code, text = said(Evidence(events=None))
    assert code == "no-evidence"
    assert "no evidence" in text
    assert "not mean that there were no errors" in text
    assert "watch the client" in text


def test_ro2_events_without_any_of_integrity_are_counted_and_not_called_clean() -> None:
    code, text = said(Evidence(events=37))
    assert code == "no-integrity-events"
    assert "37 events retained" in text
    assert "not a clean bill" in text


def test_ro3_no_registered_check_is_an_honest_absence() -> None:
    code, text = said(Evidence(events=5, rows=()))
    assert code == "no-check-registered"
    assert "no check was registered" in text


def test_ro4_rows_that_compared_nothing_say_how_much_of_each_reason() -> None:
    rows = (row(unreachable=3), row(TOOLS, not_applicable=2), row(check="x"))
    code, text = said(Evidence(events=5, rows=rows))
    assert code == "nothing-checked"
    assert "Nothing was checked" in text
    assert "3 encounters could not be compared" in text
    assert "2 were out of scope" in text
    assert "1 check never met anything" in text


def test_the_four_absences_are_four_sentences() -> None:
    absent = [
        Evidence(events=None),
        Evidence(events=37),
        Evidence(events=5, rows=()),
        Evidence(events=5, rows=(row(unreachable=1),)),
        Evidence(events=5, findings=(like(synthetic=True),)),
    ]
    assert len({said(evidence)[0] for evidence in absent}) == 5
    assert len({said(evidence)[1] for evidence in absent}) == 5
    for evidence in absent:
        for word in ("healthy", "passed", "all clear", "no errors exist"):
            assert word not in said(evidence)[1]


# --- green is earned --------------------------------------------------------------------------


def test_ro5_some_rows_checked_is_partial_and_names_the_silent_ones() -> None:
    rows = (row(passed=3), row(TOOLS, not_applicable=4))
    code, text = said(Evidence(events=5, rows=rows))
    assert code == "partly-checked"
    assert "1 of 2 checks" in text
    assert "3 encounters" in text
    assert "missing-tools @ compose" in text


def test_partial_names_four_silent_checks_and_counts_the_rest() -> None:
    rows = (row(passed=1), *(row(check=f"c{number}") for number in range(6)))
    text = said(Evidence(events=5, rows=rows))[1]
    assert "c3 @ wire and 2 more" in text


def test_ro6_every_row_checked_says_how_much_and_only_of_what_they_cover() -> None:
    code, text = said(Evidence(events=5, rows=(row(passed=3), row(TOOLS, passed=2))))
    assert code == "all-checked"
    assert "all 2 checks ran (5 encounters)" in text
    assert "that they cover" in text


def test_ro7_failing_rows_without_findings_are_evidence_lost() -> None:
    code, text = said(Evidence(events=5, rows=(row(failed=2),)))
    assert code == "findings-lost"
    assert "2 failing encounters" in text
    assert "opposite of clean" in text


def test_findings_without_rows_are_still_findings_and_nothing_without_rows_is_unmeasured() -> None:
    assert said(Evidence(events=5, findings=(DEFECT,)))[0] == "findings"
    assert said(Evidence(events=5, findings=(like(synthetic=True),)))[0] == "no-rows"


# --- findings ---------------------------------------------------------------------------------


def test_ro8_a_defect_and_an_advisory_are_counted_apart() -> None:
    evidence = Evidence(events=5, findings=(DEFECT, like(advisory=True)), rows=(row(failed=1),))
    code, text = said(evidence)
    assert code == "findings"
    assert "1 finding, plus 1 advisory counted apart" in text


def test_ro9_a_kind_that_nothing_looks_for_cannot_be_answered() -> None:
    for evidence in (Evidence(events=None), Evidence(events=5, rows=(row(passed=3),))):
        code, text = said(evidence, "unwritten-kind")
        assert code == "kind-without-a-check"
        assert "cannot be answered" in text
        assert "invariant-violation, missing-tools" in text


def test_findings_of_such_a_kind_are_shown_where_a_record_has_them() -> None:
    evidence = Evidence(events=5, findings=(like(kind="unwritten-kind"),))
    assert said(evidence, "unwritten-kind")[0] == "findings"


def test_ro10_a_kind_that_is_none_says_nothing_about_the_run() -> None:
    code, text = said(Evidence(events=5, rows=(row(passed=3),)), "banana")
    assert code == "unknown-kind"
    assert "nothing about" in text
    assert "invariant-violation, missing-tools" in text


def test_ro11_none_of_one_kind_names_those_that_were_filed() -> None:
    evidence = Evidence(events=5, findings=(DEFECT,), rows=(row(failed=1),))
    code, text = said(evidence, "invariant-violation")
    assert code == "none-of-that-kind"
    assert "missing-tools" in text


def test_ro12_more_encounters_than_findings_are_explained() -> None:
    evidence = Evidence(events=5, findings=(DEFECT,), rows=(row(failed=6),))
    (note,) = notes(evidence)
    assert "6 failing encounters for 1 distinct defect" in note
    assert notes(Evidence(events=5, findings=(DEFECT,), rows=(row(failed=1),))) == ()


def test_more_findings_than_encounters_are_explained_too() -> None:
    evidence = Evidence(events=5, findings=(DEFECT, like(path="/b")), rows=(row(failed=1),))
    (note,) = notes(evidence)
    assert "2 defects in 1 failing encounter:" in note


def test_ro14_a_synthetic_finding_is_quarantined_and_never_counted() -> None:
    evidence = Evidence(events=5, findings=(like(synthetic=True),), rows=(row(passed=1),))
    assert said(evidence)[0] == "all-checked"
    (note,) = notes(evidence)
    assert "1 finding synthetic" in note
    assert "quarantined" in note


# --- the checks -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ({}, "registered, never met anything"),
        ({"not_applicable": 2}, "nothing compared; 2 out of scope"),
        (
            {"unreachable": 2, "reasons": {"imported-log": 2}},
            "2 could not be compared: silent, not clean [imported-log 2]",
        ),
        (
            {"passed": 3, "failed": 1, "advised": 1},
            "compared 4 times, 1 failed; 1 with an advisory",
        ),
        ({"passed": 1, "minted": 2, "caught": 1}, "1 of 2 canaries caught"),
    ],
)
def test_a_row_that_compared_nothing_never_reads_like_one_that_found_nothing(
    counts: dict[str, object], words: str
) -> None:
    assert words in row_line(row(**counts))


def test_the_bound_of_every_green_is_stated() -> None:
    assert "not that no error exists" in BOUND


def test_this_versions_kinds_are_those_of_its_checks() -> None:
    assert KNOWN.filable == registry.filable_kinds()
    assert set(KNOWN.filable).isdisjoint(KNOWN.without_a_check)
    assert set(KNOWN.filable) | set(KNOWN.without_a_check) == set(registry.KINDS)


def test_what_the_policy_switches_off_is_said_and_never_hidden() -> None:
    shown = row(passed=1, suppressed=2)
    assert "2 findings switched off by the policy" in row_line(shown)
    (note,) = notes(Evidence(events=1, rows=(shown,)))
    assert note.startswith("2 findings not filed")
