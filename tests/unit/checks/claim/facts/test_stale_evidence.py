"""Values that rest on results which are too old or were replaced, and every fence of it."""

from __future__ import annotations

import pytest

from groundwire.checks.claim.facts.ages.clock import age_floor, measured_in
from groundwire.documents.declaration import CheckRules
from groundwire.documents.fact import Facts
from groundwire.documents.frame import Media
from groundwire.documents.instant import read_instant
from groundwire.documents.policy import ToolDeclaration
from tests.stories import message
from tests.unit.checks.claim.facts.telling import Told

KIND = "stale-evidence"
AGED = ToolDeclaration(name="level", max_age=60, as_of="$.at")


def level(litres: int, **more: object) -> dict[str, object]:
    return {"tank": "tank-seven", "litres": litres} | more


def twice(first: object = None, second: object = None, *, arguments: object = None) -> Told:
    run = Told()
    run.say("How full is it?")
    run.ask("level", first or level(27190))
    run.ask("level", second or level(31415), arguments)
    return run


def filed(run: Told, answer: str, **more: str) -> list[tuple[str, bool]]:
    news = [finding for finding in run.answer(answer, **more) if finding.kind == KIND]
    return [(finding.grade, finding.advisory) for finding in news]


# --- replaced by the same call, made again ----------------------------------------------------


def test_a_value_that_the_same_call_replaced_is_a_defect() -> None:
    run = twice()
    (finding,) = [f for f in run.answer("It holds 27190 litres.") if f.kind == KIND]
    assert (finding.grade, finding.advisory) == ("replaced", False)
    for word in ("`27190`", "c1", "c2", "`litres`", "`31415`", "not changed"):
        assert word in finding.message


def test_the_newest_value_is_no_finding() -> None:
    assert filed(twice(), "It holds 31415 litres.") == []


def test_an_identifier_that_was_replaced_is_found_by_its_field() -> None:
    run = twice({"tank": "seven", "job": "JB-2719-X"}, {"tank": "seven", "job": "JB-3141-Y"})
    assert filed(run, "The job is JB-2719-X.") == [("replaced", False)]


@pytest.mark.parametrize(
    "answer",
    [
        "It held 31415 litres; the first reading showed 27190 litres.",
        "It was 27190 litres.",
        "As of ten o'clock it holds 27190 litres.",
        "Previously 27190 litres.",
        "It rose from 27190 litres.",
    ],
)
def test_an_answer_that_tells_of_a_change_or_of_the_past_is_not_accused(answer: str) -> None:
    assert filed(twice(), answer) == []


def test_other_arguments_are_another_question() -> None:
    assert filed(twice(arguments={"tank": 8}), "It holds 27190 litres.") == []


def test_arguments_declared_volatile_make_no_difference() -> None:
    run = Told(ToolDeclaration(name="level", volatile=("request",)))
    run.say("How full is it?")
    run.ask("level", level(27190), {"request": 1})
    run.ask("level", level(31415), {"request": 2})
    assert filed(run, "It holds 27190 litres.") == [("replaced", False)]


@pytest.mark.parametrize(
    ("effect", "advisory"), [("unstated", True), ("write", True), ("read", False)]
)
def test_another_tool_in_between_may_be_what_the_answer_speaks_of(
    effect: str, advisory: bool
) -> None:
    run = Told(ToolDeclaration(name="fill", effect=effect))
    run.say("Fill it.")
    run.ask("level", level(27190))
    run.ask("fill", "done")
    run.ask("level", level(31415))
    assert filed(run, "Filled up to 27190 litres.") == [("replaced", advisory)]


def test_an_image_may_hold_the_value() -> None:
    run = twice()
    run.messages.insert(1, message("user", Media("image", "", 4)))
    assert filed(run, "It holds 27190 litres.") == []
    assert run.row(KIND)["reasons"]["unread-part"] == 1


def test_a_value_that_another_result_has_too_is_not_stale() -> None:
    run = twice()
    run.ask("ledger", {"booked": 27190})
    assert filed(run, "It holds 27190 litres.") == []


def test_a_value_that_the_user_said_is_not_stale() -> None:
    run = twice()
    run.say("Is it still 27190 litres?")
    assert filed(run, "It holds 27190 litres.") == []


@pytest.mark.parametrize(
    "second",
    [
        {"tank": "tank-eight", "litres": 31415},
        {"tank": "tank-seven"},
        {"tank": "tank-seven", "content": 31415},
        "31415 litres",
        {"error": "no reading"},
    ],
)
def test_where_another_record_or_none_stands_in_its_place_nobody_is_accused(second: object) -> None:
    assert filed(twice(second=second), "It holds 27190 litres.") == []


def test_rows_that_moved_are_not_taken_for_one_another() -> None:
    first = [{"tank": "seven", "litres": 27190}, {"tank": "eight", "litres": 5}]
    second = [{"tank": "nine", "litres": 31415}, {"tank": "seven", "litres": 27191}]
    assert filed(twice(first, second), "It holds 27190 litres.") == []
    stayed = [{"tank": "seven", "litres": 31415}, {"tank": "eight", "litres": 5}]
    assert filed(twice(first, stayed), "It holds 27190 litres.") == [("replaced", False)]


def test_rows_without_a_name_are_not_taken_for_one_another() -> None:
    assert filed(twice([{"litres": 27190}], [{"litres": 31415}]), "It holds 27190 litres.") == []


def test_the_same_number_in_another_spelling_replaces_nothing() -> None:
    run = twice({"tank": "seven", "litres": 27190}, {"tank": "seven", "litres": "27190.0"})
    assert filed(run, "It holds 27190 litres.") == []


def test_marks_of_secrets_are_not_judged() -> None:
    first, second = (f"\u27e6withheld token {n} litres\u27e7" for n in (27190, 31415))
    run = twice({"tank": "seven", "litres": first}, {"tank": "seven", "litres": second})
    assert filed(run, f"It holds {first} today.") == []


def test_nothing_that_ages_is_out_of_scope() -> None:
    run = Told()
    run.say("How full is it?")
    run.ask("level", level(27190))
    assert filed(run, "It holds 27190 litres.") == []
    assert run.row(KIND)["reasons"]["nothing-ages"] == 1


def test_the_original_has_no_such_check() -> None:
    run = Told(rules=CheckRules(rules="original"))
    run.say("How full is it?")
    run.ask("level", level(27190))
    run.ask("level", level(31415))
    assert filed(run, "It holds 27190 litres.") == []


def test_values_that_the_policy_keeps_out_are_not_quoted() -> None:
    run = Told(ToolDeclaration(name="level", content="commitments"))
    run.say("How full is it?")
    run.ask("level", level(27190))
    run.ask("level", level(31415))
    (finding,) = [f for f in run.answer("It holds 27190 litres.") if f.kind == KIND]
    assert "31415" not in finding.message + finding.witnesses[1].value


# --- older than declared ------------------------------------------------------------------------

NOON, LATER = "2031-05-02T12:00:00.000000Z", "2031-05-02T12:05:00.000000Z"


def aged(result: object = None, **more: object) -> Told:
    run = Told(AGED)
    run.say("How full is it?")
    run.ask("level", result or level(27190, **more), at=NOON)
    return run


def test_a_result_older_than_its_tool_declares_is_a_defect() -> None:
    run = aged(at="2031-05-02T11:58:00Z")
    (finding,) = [f for f in run.answer("It holds 27190 litres.", at=NOON) if f.kind == KIND]
    assert (finding.grade, finding.advisory) == ("age", False)
    assert "120 s" in finding.message
    assert "60 s" in finding.message


def test_a_fresh_result_is_none() -> None:
    run = aged(at="2031-05-02T11:59:30Z")
    assert filed(run, "It holds 27190 litres.", at=NOON) == []
    assert run.row(KIND)["passed"] == 1


def test_a_result_was_not_measured_after_it_was_shown() -> None:
    run = aged()
    run.answer("One moment.", at=NOON)
    assert filed(run, "It holds 27190 litres.", at=LATER) == [("age", False)]


@pytest.mark.parametrize(
    "at", ["2031-05-02T11:58:00", "2031-05-02", "2031-05-01", "2032-01-01T00:00Z", "lately"]
)
def test_a_moment_that_may_be_half_a_day_off_accuses_nobody(at: str) -> None:
    assert filed(aged(at=at), "It holds 27190 litres.", at=NOON) == []


def test_a_moment_that_is_old_in_every_zone_is_old() -> None:
    assert filed(aged(at="2031-04-30"), "It holds 27190 litres.", at=NOON) == [("age", False)]


def test_of_rows_the_newest_counts() -> None:
    tool = ToolDeclaration(name="level", max_age=60, as_of="$[*].at")
    rows = [level(27190, at="2031-05-02T11:00Z"), level(4, at="2031-05-02T11:59:50Z")]
    run = Told(tool)
    run.say("How full is it?")
    run.ask("level", rows, at=NOON)
    assert filed(run, "It holds 27190 litres.", at=NOON) == []


def test_facts_say_themselves_when_they_were_measured() -> None:
    fact = Facts([{"entity": "a", "l": 27190}], measured_at="2031-05-02T11:00Z", source="s")
    assert filed(aged(str(fact)), "It holds 27190 litres.", at=NOON) == [("age", False)]


def test_a_younger_result_with_the_value_is_enough() -> None:
    run = aged(at="2031-05-02T11:58:00Z")
    run.ask("level", level(27190, at="2031-05-02T11:59:50Z"), at=NOON)
    assert filed(run, "It holds 27190 litres.", at=NOON) == []


def test_without_a_clock_only_turns_can_be_counted_and_that_is_a_place_to_look() -> None:
    run = Told(AGED)
    run.say("How full is it?")
    run.ask("level", level(27190))
    assert filed(run, "It holds 27190 litres.") == []
    run.say("And now?")
    assert filed(run, "It holds 27190 litres.") == [("turns", True)]


def test_a_clock_that_cannot_be_read_is_unreachable() -> None:
    run = aged()
    assert filed(run, "It holds 27190 litres.", at="noon") == []
    assert run.row(KIND)["reasons"]["no-clock"] == 1


def test_an_age_is_a_floor() -> None:
    day, bare = read_instant("2031-05-01"), read_instant("2031-05-02T11:00")
    assert day is not None
    assert bare is not None
    assert age_floor(NOON, NOON, []) is not None
    for measured in (day, bare):
        found = age_floor(NOON, NOON, [measured])
        assert found is not None
        assert not found
    assert age_floor("", NOON, [bare]) is None
    assert measured_in({"at": "2031-05-01"}, "$.at") == [day]
    assert measured_in({"at": "soon"}, "$.at") == []
