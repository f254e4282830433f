from __future__ import annotations

import msgspec

from groundwire.checks.filing import File, identity, name_of
from groundwire.documents.finding import Finding, Subject

BASE = Finding(
    kind="k",
    seam="choice",
    subjects=(Subject("tool", "b"), Subject("tool", "a")),
    witnesses=(),
    message="first",
    lane=0,
    step=3,
    path="/x",
    value_digest="gw1:1",
)


def like(**changes: object) -> Finding:
    return msgspec.structs.replace(BASE, **changes)


def test_the_identity_is_kind_seam_subjects_path_and_value() -> None:
    for changes in (
        {"kind": "other"},
        {"seam": "wire"},
        {"subjects": (Subject("tool", "a"),)},
        {"path": "/y"},
        {"value_digest": "gw1:2"},
    ):
        assert identity(like(**changes)) != identity(BASE), changes


def test_order_of_subjects_message_grade_lane_step_and_advisory_are_no_part_of_it() -> None:
    for changes in (
        {"subjects": (Subject("tool", "a"), Subject("tool", "b"))},
        {"message": "second"},
        {"grade": "self"},
        {"lane": 9},
        {"step": 9},
        {"advisory": True},
    ):
        assert identity(like(**changes)) == identity(BASE), changes


def test_subjects_whose_joined_names_are_alike_are_not_the_same() -> None:
    one = like(subjects=(Subject("tool", "a tool b"),))
    other = like(subjects=(Subject("tool", "a"), Subject("tool", "b")))
    assert identity(one) != identity(other)


def test_a_finding_met_again_is_counted_and_keeps_its_first_words() -> None:
    file = File()
    assert file.add(BASE)
    assert not file.add(like(step=5, message="second"))
    (found,) = file.findings()
    assert (found.count, found.step, found.last_step, found.message) == (2, 3, 5, "first")


def test_a_defect_is_news_where_only_a_doubt_was_filed() -> None:
    file = File()
    assert file.add(like(advisory=True))
    assert file.add(like(step=4))
    (found,) = file.findings()
    assert (found.advisory, found.step, found.count) == (False, 4, 2)


def test_a_doubt_after_a_defect_changes_nothing_but_the_count() -> None:
    file = File()
    file.add(BASE)
    assert not file.add(like(step=4, advisory=True))
    (found,) = file.findings()
    assert (found.advisory, found.count, found.last_step) == (False, 2, 4)


def test_by_place_another_value_there_is_the_same_finding_as_in_the_original() -> None:
    file = File()
    assert file.add(BASE, by_place=True)
    assert not file.add(like(value_digest="gw1:2"), by_place=True)
    assert file.add(like(path="/y", value_digest="gw1:2"), by_place=True)
    assert [finding.count for finding in file.findings()] == [2, 1]


def test_what_a_paused_run_filed_is_no_news_in_the_run_that_goes_on() -> None:
    file = File()
    file.went_on([name_of(BASE)])
    assert not file.add(like(step=9, message="again"))
    assert not file.add(like(advisory=True))
    assert file.add(like(value_digest="gw1:2"))
    assert len(file.findings()) == 1


def test_a_doubt_of_the_paused_run_hides_no_defect_of_the_run_that_goes_on() -> None:
    file = File()
    file.went_on([name_of(like(advisory=True))])
    assert not file.add(like(advisory=True))
    assert file.add(BASE)
