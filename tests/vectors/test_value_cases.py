"""Cases with known answers about values: the evidence gate of the original, and three users' reports.

They stand beside the checkout, where they are present.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from groundwire.checks.claim.values.claim_over_partial import ClaimOverPartial
from groundwire.checks.claim.values.self_contradiction import SelfContradiction
from groundwire.checks.claim.values.unsupported_value import UnsupportedValue
from groundwire.checks.claim.values.wrong_aggregate import WrongAggregate
from groundwire.checks.claim.values.wrong_record import WrongRecord
from groundwire.checks.engine import Engine
from groundwire.documents.declaration import CheckRules, Evidence
from groundwire.documents.event import Declared
from groundwire.documents.policy import ToolDeclaration
from groundwire.grounding.answers.original import classify, tokenise
from tests.stories import Story, call, frame, message, response, result

CASES = Path(__file__).parents[2] / ".." / "shared" / "cases"
FILE = CASES / "context-integrity.json"
pytestmark = pytest.mark.skipif(
    not FILE.is_file(), reason="../shared/cases is not there: cases about values not run"
)
CHECKS = (
    UnsupportedValue(),
    WrongRecord(),
    ClaimOverPartial(),
    WrongAggregate(),
    SelfContradiction(),
)


def cases(check: str) -> list[object]:
    if not FILE.is_file():
        return []
    found = msgspec.json.decode(FILE.read_bytes())
    return [pytest.param(case, id=case["id"]) for case in found if case["check"] == check]


def report(name: str) -> dict:
    reports = msgspec.json.decode((CASES / "from-users.json").read_bytes())
    return next(one for one in reports if one["id"] == name)


def variant(given: dict, letter: str) -> str:
    return next(one["answer"] for one in given["variants"] if one["v"] == letter)


@pytest.mark.parametrize("case", cases("tokenise"))
def test_tokenise(case: dict) -> None:
    assert {"tokens": tokenise(case["input"]["text"])} == case["expect"]


@pytest.mark.parametrize("case", cases("classify"))
def test_classify(case: dict) -> None:
    given = case["input"]
    kind, value = classify(given["token"], Evidence(min_digits=given["minDigits"])) or (None, None)
    assert {"kind": kind, "value": value} == case["expect"]


@pytest.mark.parametrize("case", cases("evidence-gate"))
def test_evidence_gate_under_the_original_rules(case: dict) -> None:
    given = case["input"]
    story = armed(CheckRules(rules="original", evidence=Evidence(posture="assist")))
    results = [
        part
        for number, text in enumerate(given["toolResults"])
        for part in (
            message("assistant", call("look", {}, f"c{number}")),
            result(text, f"c{number}"),
        )
    ]
    said = [message("user", text) for text in given["userMessages"]]
    story.request(frame(*said, *results))
    story.respond(response(given["answer"]))
    row = story.engine.rows()[0]
    assert [one.witnesses[0].value for one in story.news] == case["expect"]["unsupported"]
    assert sum(row.grades.values()) == case["expect"]["candidates"]


def armed(rules: CheckRules, *tools: ToolDeclaration) -> Story:
    story = Story(Engine(CHECKS))
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
    return story


def told(given: dict, answer: str, *, declare: bool = False, served: str | None = None) -> Story:
    messages = []
    for one in given["messages"]:
        if one["role"] == "assistant":
            calls = [
                call(c["function"]["name"], c["function"]["arguments"], c["id"])
                for c in one["tool_calls"]
            ]
            messages.append(message("assistant", *calls))
        elif one["role"] == "tool":
            messages.append(result(served or one["content"], one["tool_call_id"]))
        else:
            messages.append(message("user", one["content"]))
    tools = [
        ToolDeclaration(name=name, **fields)
        for name, fields in given.get("declare", {}).items()
        if declare
    ]
    story = armed(CheckRules(), *tools)
    story.request(frame(*messages))
    story.respond(response(answer))
    return story


def found(story: Story) -> list[tuple[str, str]]:
    return [(one.kind, one.witnesses[0].value) for one in story.news]


class TestAListCutByTheHost:
    def test_a_count_and_a_none_that_rest_on_it_are_filed(self) -> None:
        given = report("N01")
        story = told(given, variant(given, "a"), declare=True)
        kinds = [(kind, value.split()[0]) for kind, value in found(story)]
        assert kinds == [("claim-over-partial", "5"), ("claim-over-partial", "no")]

    def test_an_answer_that_says_it_was_cut_is_left_alone(self) -> None:
        given = report("N01")
        assert found(told(given, variant(given, "b"), declare=True)) == []

    def test_the_whole_list_is_no_part(self) -> None:
        given = report("N01")
        whole = given["returned_by_tool"]["c1"]
        assert found(told(given, variant(given, "c"), declare=True, served=whole)) == []


class TestParallelResultsInTheWrongOrder:
    def test_a_number_of_the_other_city_is_of_the_wrong_record(self) -> None:
        given = report("N03")
        story = told(given, variant(given, "a"))
        assert [kind for kind, _ in found(story)] == ["wrong-record", "wrong-record"]

    def test_the_right_numbers_are_left_alone(self) -> None:
        given = report("N03")
        assert found(told(given, variant(given, "b"))) == []

    def test_results_without_an_id_cannot_be_judged(self) -> None:
        given = report("N03")
        for one in given["messages"]:
            if one["role"] == "tool":
                one["tool_call_id"] = ""
        story = told(given, variant(given, "b"))
        row = story.engine.rows()[1]
        assert (found(story), row.reasons) == ([], {"unpaired-result": 1})

    def test_a_difference_of_the_two_is_derived(self) -> None:
        given = report("N03")
        assert found(told(given, variant(given, "d"))) == []


class TestATotalThatNoColumnHas:
    def test_a_total_beside_the_columns_sum_is_wrong(self) -> None:
        given = report("N07")
        (finding,) = told(given, variant(given, "a")).news
        assert finding.kind == "wrong-aggregate"
        assert "18.32" in finding.message

    @pytest.mark.parametrize("letter", ["b", "e"])
    def test_sum_mean_and_share_of_a_drop_are_derived(self, letter: str) -> None:
        given = report("N07")
        assert found(told(given, variant(given, letter))) == []

    def test_the_number_of_another_year_is_of_the_wrong_record(self) -> None:
        given = report("N07")
        (finding,) = told(given, variant(given, "c")).news
        assert (finding.kind, finding.subjects[1].id) == ("wrong-record", "2017")

    def test_one_quantity_with_two_values_contradicts_itself(self) -> None:
        given = report("N07")
        (finding,) = told(given, variant(given, "d")).news
        assert finding.kind == "self-contradiction"
        assert "470.42" in finding.message
        assert "5,426" in finding.message

    def test_both_of_them_are_unsupported_where_the_gate_is_on(self) -> None:
        given = report("N07")
        answer = variant(given, "d")
        story = armed(CheckRules(evidence=Evidence(posture="assist")))
        story.request(frame(message("user", "What do I spend?")))
        story.respond(response(answer))
        kinds = [one.kind for one in story.news]
        assert kinds.count("unsupported-value") == 2
