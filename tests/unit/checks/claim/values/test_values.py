"""Checks of values in answers: what each files, every fence, and what it says where it is silent."""

from __future__ import annotations

import pytest

from groundwire.checks.claim.values.claim_over_partial import ClaimOverPartial
from groundwire.checks.claim.values.self_contradiction import SelfContradiction
from groundwire.checks.claim.values.unsupported_value import UnsupportedValue
from groundwire.checks.claim.values.wrong_aggregate import WrongAggregate
from groundwire.checks.claim.values.wrong_record import WrongRecord
from groundwire.checks.engine import Engine
from groundwire.checks.seams import Check
from groundwire.documents.declaration import CheckRules, Evidence
from groundwire.documents.disposition import Row
from groundwire.documents.event import Authored, Declared
from groundwire.documents.finding import Finding
from groundwire.documents.frame import Media
from groundwire.documents.policy import ToolDeclaration
from groundwire.grounding.answers import judging
from tests.stories import Story, call, frame, message, response, result

ALL: tuple[Check, ...] = (
    UnsupportedValue(),
    WrongRecord(),
    WrongAggregate(),
    SelfContradiction(),
    ClaimOverPartial(),
)
GATE = CheckRules(evidence=Evidence(posture="assist"))


def told(
    check: Check,
    answer: str,
    *results: str,
    rules: CheckRules = GATE,
    asked: str = "What is it?",
    tools: tuple[ToolDeclaration, ...] = (),
    tool: str = "list_rows",
) -> tuple[list[Finding], Row]:
    """What one check filed about an answer after these results, and its row."""
    story = Story(Engine((check,)))
    story.tell(
        Declared(
            step=0,
            at="",
            declarations=tools,
            grounding="whole",
            posture="observe",
            checks=rules,
        )
    )
    messages = [message("user", asked)]
    for number, text in enumerate(results):
        messages.append(message("assistant", call(tool, {}, f"c{number}")))
        messages.append(result(text, f"c{number}"))
    story.request(frame(*messages))
    story.respond(response(answer))
    return story.news, story.engine.rows()[0]


def filed(check: Check, answer: str, *results: str, **how: object) -> list[str]:
    news, _ = told(check, answer, *results, **how)  # type: ignore[arg-type]  # as in `told`
    return [one.witnesses[0].value for one in news]


@pytest.mark.parametrize("check", ALL, ids=lambda check: check.kind)
def test_every_check_finds_its_own_canary(check: Check) -> None:
    engine = Engine((check,))
    kinds = {finding.kind for event in check.canary() for finding in engine.feed(event)}
    assert kinds == {check.kind}


@pytest.mark.parametrize("check", ALL, ids=lambda check: check.kind)
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (response("", error="overloaded"), "error-response"),
        (response("Let me look.", call("look")), "no-answer"),
    ],
    ids=["error", "call"],
)
def test_every_way_out_has_its_reason(check: Check, answer: object, reason: str) -> None:
    story = Story(Engine((check,)))
    story.declare(arm_all=True)
    story.request(frame(message("user", "Look.")))
    story.respond(answer)  # type: ignore[arg-type]  # a response, typed by the parameters
    assert story.engine.rows()[0].reasons == {reason: 1}


@pytest.mark.parametrize("check", ALL[1:], ids=lambda check: check.kind)
def test_what_the_original_does_not_have_is_silent_under_its_rules(check: Check) -> None:
    _, row = told(check, "There are 5 rows.", "[]", rules=CheckRules(rules="original"))
    assert row.reasons == {"rules-original": 1}


class TestUnsupportedValue:
    check = UnsupportedValue()

    def test_without_a_posture_it_is_not_armed_and_says_so_once(self) -> None:
        news, row = told(self.check, "It is 48,151.", '{"a": 1}', rules=CheckRules())
        assert (news, row.reasons) == ([], {"not-declared": 1})

    def test_a_value_that_nothing_served_is_filed_with_both_witnesses(self) -> None:
        (finding,), row = told(self.check, "It is 48,151.", '{"a": 2719}')
        assert (finding.grade, finding.advisory, row.failed) == ("number", False, 1)
        assert [one.value for one in finding.witnesses] == ["48,151", "nothing like it"]

    def test_a_date_is_a_place_to_look(self) -> None:
        (finding,), row = told(self.check, "Due on May 27, 2031.", '{"a": 2719}')
        assert (finding.advisory, row.passed, row.advised) == (True, 1, 1)

    def test_after_an_image_everything_is_a_place_to_look(self) -> None:
        story = Story(Engine((self.check,)))
        story.declare(arm_all=True)
        image = Media(media_type="image/png", digest="sha256:00", size=1)
        story.request(frame(message("user", "Read it.", image)))
        (finding,) = story.respond(response("It says 48,151."))
        assert finding.advisory

    def test_exempt_values_and_patterns_are_left_alone(self) -> None:
        rules = CheckRules(
            evidence=Evidence(posture="assist", exempt=("48,151",), exempt_patterns=("hx-\\d+",))
        )
        assert filed(self.check, "It is 48,151, see HX-771.", "{}", rules=rules) == []

    def test_a_mark_that_stands_for_a_secret_is_not_judged_and_no_pass(self) -> None:
        news, row = told(self.check, "The key is \u27e6withheld bearer 0123456789ab\u27e7.", "{}")
        assert (news, row.passed, row.reasons) == ([], 0, {"withheld": 1})

    def test_a_mark_hides_nothing_that_stands_beside_it(self) -> None:
        assert filed(self.check, "\u27e6withheld 48151\u27e7: it is 62,342.", "{}") == ["62,342"]

    def test_past_the_values_that_are_judged_nothing_is_said_to_be_clean(self) -> None:
        answer = "One row has 2719 kg. " * (judging.MOST_JUDGED + 1)
        news, row = told(self.check, answer, '{"kg": 2719}')
        assert (news, row.passed, row.reasons) == ([], 0, {"index-truncated": 1})

    def test_an_equivalence_can_be_turned_off(self) -> None:
        rules = CheckRules(evidence=Evidence(posture="assist"), equivalences_off=("rounding",))
        assert filed(self.check, "It is 18.3.", '{"v": 18.34}', rules=rules) == ["18.3"]
        assert filed(self.check, "It is 18.3.", '{"v": 18.34}') == []

    def test_what_the_library_wrote_in_a_users_place_grounds_nothing(self) -> None:
        story = Story(Engine((self.check,)))
        story.declare(arm_all=True)
        correction = "Nothing holds 48,151. Look again."
        story.tell(Authored(step=1, at="", text=correction, kind="correction"))
        story.request(frame(message("user", "What is it?"), message("user", correction)))
        (finding,) = story.respond(response("It is 48,151."))
        assert finding.kind == "unsupported-value"

    def test_what_the_model_said_before_grounds_nothing(self) -> None:
        story = Story(Engine((self.check,)))
        story.declare(arm_all=True)
        story.request(
            frame(
                message("user", "What is it?"),
                message("assistant", "It is 48,151."),
                message("user", "Sure?"),
            )
        )
        assert len(story.respond(response("Yes, 48,151."))) == 1

    def test_a_result_that_was_evicted_still_grounds(self) -> None:
        story = Story(Engine((self.check,)))
        story.declare(arm_all=True)
        story.request(
            frame(message("user", "Look."), message("assistant", call("t")), result('{"v": 48151}'))
        )
        story.request(frame(message("user", "And?")))
        assert story.respond(response("It is 48,151.")) == ()


class TestWrongRecord:
    check = WrongRecord()
    rows = '[{"city": "Lagos", "temp_c": 31}, {"city": "Oslo", "temp_c": 14}]'

    def test_the_finding_names_the_entity_and_where_the_value_stands(self) -> None:
        (first, _), _ = told(self.check, "Lagos: 14 \u00b0C, Oslo: 31 \u00b0C.", self.rows)
        assert first.subjects[1].id == "Lagos"
        assert "temp_c" in first.message

    def test_where_nobody_is_named_there_is_nothing_to_look_in(self) -> None:
        _, row = told(self.check, "It is 31 \u00b0C.", self.rows)
        assert row.reasons == {"no-entity-named": 1}

    def test_without_a_result_it_is_not_applicable(self) -> None:
        _, row = told(self.check, "Lagos: 14 \u00b0C.")
        assert row.reasons == {"no-result": 1}

    def test_a_mark_hides_nothing_that_stands_beside_it(self) -> None:
        answer = "Lagos: 14 \u00b0C (\u27e6withheld x\u27e7)."
        assert filed(self.check, answer, self.rows) == ["14 \u00b0C"]


class TestWrongAggregate:
    check = WrongAggregate()
    rows = (
        '[{"day": "mon", "litres": 21}, {"day": "tue", "litres": 34}, {"day": "wed", "litres": 13}]'
    )

    @pytest.mark.parametrize(
        "answer",
        [
            "In total 87 litres were used.",
            "On average 31 litres were used.",
            "The highest use was 21 litres.",
        ],
    )
    def test_a_figure_beside_the_columns_own_is_filed(self, answer: str) -> None:
        (finding,), _ = told(self.check, answer, self.rows)
        assert finding.subjects[1].id == "litres"

    @pytest.mark.parametrize(
        "answer",
        [
            "In total 68 litres were used.",
            "The highest use was 34 litres.",
            "In total 87 bottles were used.",
            "In total 87 litres were used without the garden.",
            "In total 87 litres on mon and tue, 34 of them late.",
            "There were 87 litres.",
        ],
        ids=["right-sum", "right-max", "other-noun", "narrowed", "other-number", "no-cue"],
    )
    def test_otherwise_nothing_is_said(self, answer: str) -> None:
        assert filed(self.check, answer, self.rows) == []

    def test_a_total_that_a_result_states_is_not_added_up_again(self) -> None:
        assert filed(self.check, "In total 87 litres were used.", self.rows, '{"all": 87}') == []

    def test_a_table_that_was_cut_has_no_total(self) -> None:
        assert filed(self.check, "In total 87 litres were used.", self.rows[:-1]) == []


class TestSelfContradiction:
    check = SelfContradiction()

    def test_two_amounts_a_month_for_one_thing_are_filed(self) -> None:
        answer = "Licences cost 271.90 a month. The licences take 4,815 a month of the budget."
        assert filed(self.check, answer) == ["271.90 | 4,815"]

    @pytest.mark.parametrize(
        "answer",
        [
            "Licences cost 271.90 a month. Servers take 4,815 a month.",
            "Licences cost 271.90 a month. The licences take 272 a month of the budget.",
            "Licences cost 271.90 a month. If you upgrade, licences take 4,815 a month.",
            "Licences cost 271.90 a month. The licences take 4,815 a year.",
            "- Licences cost 271.90 a month.\n- The licences take 4,815 a month.",
        ],
        ids=["other-thing", "rounded", "supposed", "other-period", "items"],
    )
    def test_where_both_may_be_true_nothing_is_said(self, answer: str) -> None:
        assert filed(self.check, answer) == []


class TestClaimOverPartial:
    check = ClaimOverPartial()
    part = '{"tickets":[{"id":"T-1"},{"id":"T-2"},{"id":"T-3"}\n[output cut at 48 characters]'

    @pytest.mark.parametrize(
        ("answer", "grade"),
        [
            ("There are 3 tickets.", "count"),
            ("There are no tickets from Bo.", "none"),
            ("All tickets are open.", "all"),
            ("The oldest of the tickets is 14 days old.", "figure"),
        ],
    )
    def test_what_speaks_of_all_rows_is_filed(self, answer: str, grade: str) -> None:
        (finding,), _ = told(self.check, answer, self.part)
        assert finding.grade == grade

    @pytest.mark.parametrize(
        "answer",
        [
            "At least 3 tickets are open.",
            "The list was cut; there are 3 tickets in what I saw.",
            "There are 3 apples.",
            "T-2 is open.",
            "Are there 3 tickets?",
        ],
        ids=["at-least", "admits", "other-noun", "one-row", "question"],
    )
    def test_otherwise_nothing_is_said(self, answer: str) -> None:
        assert filed(self.check, answer, self.part) == []

    def test_the_results_own_total_is_no_count(self) -> None:
        declared = ToolDeclaration(name="list_rows", rows_at="$.tickets", total_at="$.total")
        text = '{"total": 12, "tickets": [{"id": "T-1"}, {"id": "T-2"}]}'
        assert filed(self.check, "There are 12 tickets.", text, tools=(declared,)) == []
        assert filed(self.check, "There are 2 tickets.", text, tools=(declared,)) == ["2"]

    @pytest.mark.parametrize(
        "answer",
        [
            'The mail said: "All tickets are open."',
            "I can close all tickets for you if you like.",
            "T-1 is open. I will not close all tickets, only this one.",
            "To see all tickets, open the console.",
            "Never close all tickets at once.",
            "Close all tickets before you restart.",
            "Closing every ticket is destructive, so please confirm.",
            "You asked me to close 2 tickets.",
            "Only close two tickets once the rack is drained, and never close 2 tickets of one rack.",
            "If there are no tickets left, close the queue.",
        ],
    )
    def test_what_is_quoted_offered_planned_or_ordered_claims_nothing(self, answer: str) -> None:
        assert filed(self.check, answer, self.part) == []

    @pytest.mark.parametrize(
        ("answer", "said"),
        [
            ("All tickets are closed.", "All tickets are closed"),
            ("Currently all tickets are closed.", "all tickets are closed"),
            ("I checked every ticket here.", "every ticket here"),
            ("If you like, I go on; here are all tickets: T-1, T-2.", "all tickets"),
        ],
    )
    def test_a_plain_statement_about_all_of_them_is_a_claim(self, answer: str, said: str) -> None:
        assert filed(self.check, answer, self.part) == [said]

    def test_what_was_read_on_is_whole(self) -> None:
        assert filed(self.check, "There are 3 tickets.", self.part, '{"tickets":[]}') == []

    def test_a_whole_result_is_not_applicable(self) -> None:
        _, row = told(self.check, "There are 3 tickets.", '{"tickets":[]}')
        assert row.reasons == {"no-partial-result": 1}


def test_what_an_absence_looked_for_grounds_nothing() -> None:
    absence = '{"groundwire_absence":1,"looked_for":["HT-2044"],"checked":["the 2031 register"]}'
    assert filed(UnsupportedValue(), "Order HT-2044 was shipped.", absence) == ["HT-2044"]
    served = '{"order":"HT-2044"}'
    assert filed(UnsupportedValue(), "Order HT-2044 was shipped.", absence, served) == []
