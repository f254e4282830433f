"""Answers all of whose values were served in earlier turns, and what keeps the notice silent."""

from __future__ import annotations

import pytest

from groundwire.checks.claim.facts.ages.turns import Turns, judge_turns
from groundwire.documents.declaration import CheckRules, Evidence
from groundwire.documents.frame import Media, ResultPart
from groundwire.documents.policy import ToolDeclaration
from tests.stories import frame, message, response
from tests.unit.checks.claim.facts.telling import Told

KIND = "prior-turn-evidence"
GATE = Evidence(posture="assist")
RULES = ("default", "original")


def told(rules: str = "default", **more: object) -> Told:
    return Told(rules=CheckRules(rules=rules, evidence=GATE, **more))


def served_before(run: Told) -> None:
    run.say("How full is it?")
    run.ask("level", {"tank": "tank-7", "litres": 27190})
    run.answer("It holds 27190 litres.")
    run.say("And how full is it now?")


def filed(run: Told) -> list[str]:
    run.story.end()
    return [finding.grade for finding in run.story.filed(KIND)]


@pytest.mark.parametrize("rules", RULES)
def test_an_answer_of_old_values_after_fetching_nothing_is_a_place_to_look(rules: str) -> None:
    run = told(rules)
    served_before(run)
    run.answer("It holds 27190 litres.")
    run.story.end()
    (finding,) = run.story.filed(KIND)
    assert (finding.grade, finding.advisory, len(finding.witnesses)) == ("nothing-fetched", True, 3)
    assert run.row(KIND)["failed"] == 1
    for words in ("`27190`", "turn 1", "at least 1 turn ago", "fetched nothing", "not changed"):
        assert words in finding.message


@pytest.mark.parametrize("rules", RULES)
def test_results_that_were_fetched_and_not_used_are_told_apart(rules: str) -> None:
    run = told(rules)
    served_before(run)
    run.ask("weather", {"degrees": 1441})
    run.answer("It holds 27190 litres.")
    assert filed(run) == ["nothing-used"]


@pytest.mark.parametrize("rules", RULES)
def test_one_value_of_this_turn_is_enough(rules: str) -> None:
    run = told(rules)
    served_before(run)
    run.ask("level", {"tank": "tank-7", "litres": 31415})
    run.answer("It holds 31415 litres now, and 27190 before.")
    assert filed(run) == []


@pytest.mark.parametrize("rules", RULES)
def test_a_value_that_is_served_again_is_of_the_later_turn(rules: str) -> None:
    run = told(rules)
    served_before(run)
    run.ask("level", {"tank": "tank-7", "litres": 27190})
    run.answer("It holds 27190 litres.")
    assert filed(run) == []


@pytest.mark.parametrize("rules", RULES)
def test_what_the_user_said_needs_no_result(rules: str) -> None:
    run = told(rules)
    run.say("How full is it?")
    run.ask("level", {"tank": "tank-7", "litres": 27190})
    run.answer("It holds 27190 litres.")
    run.say("So 27190 litres? Good.")
    run.answer("Yes, 27190 litres.")
    assert filed(run) == []
    assert run.row(KIND)["unreachable"] == 1


def test_a_correction_by_the_host_begins_no_turn() -> None:
    run = told()
    run.say("How full is it?")
    run.ask("level", {"tank": "tank-7", "litres": 27190})
    run.say("Analyse the result and answer.")
    run.answer("It holds 27190 litres.")
    assert filed(run) == []


def test_what_is_computed_in_a_turn_with_results_may_be_its_own() -> None:
    run = told()
    served_before(run)
    run.ask("add", {"note": "done"})
    run.answer("The total of 27190 and 27190 is 54380 litres.")
    run.story.end()
    assert run.story.filed(KIND) == []


def test_an_image_may_hold_the_value() -> None:
    run = told()
    served_before(run)
    run.messages.append(message("user", Media("image", "", 4)))
    run.answer("It holds 27190 litres.")
    assert filed(run) == []


def test_results_in_another_lane_have_turns_of_their_own() -> None:
    run = told()
    served_before(run)
    run.story.request(
        frame(message("user", "Look"), message("tool", ResultPart("x", '{"litres": 5}'))),
        lane=1,
    )
    run.answer("It holds 27190 litres.")
    assert filed(run) == []


def test_marks_of_secrets_are_no_values() -> None:
    run = told()
    run.say("Which key?")
    run.ask("key", {"key": "\u27e6withheld token gw1:2719\u27e7"})
    run.answer("Done.")
    run.say("Which?")
    run.answer("\u27e6withheld token gw1:2719\u27e7")
    assert filed(run) == []


def test_two_answers_of_other_values_are_two_notices_and_the_same_again_is_one() -> None:
    run = told()
    run.say("How full are they?")
    run.ask("level", {"litres": 27190, "other": 31415})
    run.answer("27190 and 31415 litres.")
    for value in (27190, 31415, 27190):
        run.say("And now?")
        run.answer(f"It holds {value} litres.")
    assert len(filed(run)) == 2
    assert run.row(KIND)["failed"] == 3


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        (CheckRules(), "not-declared"),
        (CheckRules(evidence=GATE, prior_turns=False), "switched-off"),
    ],
)
def test_without_the_gate_one_encounter_says_so(rules: CheckRules, reason: str) -> None:
    run = Told(ToolDeclaration(name="level"), rules=rules)
    served_before(run)
    run.answer("It holds 27190 litres.")
    assert filed(run) == []
    assert run.row(KIND) == {"not_applicable": 1, "reasons": {reason: 1}}


def test_arming_everything_arms_it() -> None:
    run = Told(arm_all=True)
    served_before(run)
    run.answer("It holds 27190 litres.")
    assert filed(run) == ["nothing-fetched"]


def test_an_empty_answer_is_unreachable_and_a_failed_one_out_of_scope() -> None:
    run = told()
    served_before(run)
    run.story.respond(response(""))
    run.story.respond(response("27190", error="overloaded"))
    run.story.respond(None, reason="no-response")
    row = run.row(KIND)
    assert row["reasons"]["empty-answer"] == 1
    assert filed(run) == []


@pytest.mark.parametrize(
    ("turns", "word", "reason"),
    [
        (Turns(this_turn=0, prior=2, newest=1, current=2, results=0), "checked-fail", ""),
        (Turns(this_turn=1, prior=2, newest=1, current=2, results=0), "checked-pass", ""),
        (
            Turns(this_turn=0, prior=0, newest=0, current=2, results=1),
            "unreachable",
            "nothing-grounded",
        ),
        (Turns(this_turn=0, prior=2, newest=1, current=0, results=0), "unreachable", "no-turn"),
        (
            Turns(this_turn=0, prior=2, newest=1, current=2, results=0, truncated=True),
            "not-applicable",
            "index-truncated",
        ),
    ],
)
def test_the_order_in_which_a_reading_is_judged(turns: Turns, word: str, reason: str) -> None:
    assert judge_turns(turns) == (word, reason)
