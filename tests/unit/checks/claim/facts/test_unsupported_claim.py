"""Declared fields of an answer against the facts that results state, and every fence of it."""

from __future__ import annotations

import msgspec
import pytest

from groundwire.documents.declaration import CheckRules, Claim
from groundwire.documents.fact import Facts
from groundwire.documents.policy import ToolDeclaration
from tests.stories import response
from tests.unit.checks.claim.facts.telling import TANKS, Told

KIND = "unsupported-claim"
LEVEL = Claim(answer="level", entity="tank-7", field="level")


def told(*claims: Claim, tools: tuple[ToolDeclaration, ...] = (TANKS,), **rules: object) -> Told:
    run = Told(*tools, rules=CheckRules(claims=claims or (LEVEL,), **rules))
    run.say("How full is it?")
    return run


def levels(*values: object, at: object = None, name: str = "tank-7") -> dict[str, object]:
    rows = [{"name": name, "level": value} for value in values]
    return {"rows": rows} if at is None else {"rows": rows, "at": at}


def filed(run: Told, answer: object) -> list[tuple[str, bool]]:
    news = [finding for finding in run.answer(answer) if finding.kind == KIND]
    return [(finding.grade, finding.advisory) for finding in news]


def test_a_claim_that_the_latest_fact_contradicts_is_a_defect_with_both_witnesses() -> None:
    run = told()
    run.ask("tanks", levels(10))
    run.ask("tanks", levels(20))
    (finding,) = run.answer({"level": 10})
    assert (finding.grade, finding.advisory, finding.path) == ("contradicted", False, "/level")
    assert [(w.stratum, w.value) for w in finding.witnesses] == [
        ("asserted", "20"),
        ("asserted", "10"),
        ("quoted", "10"),
    ]
    assert [(s.kind, s.id) for s in finding.subjects] == [("entity", "tank-7")]
    for word in ("`level`", "`10`", "`20`", "c2", "`tanks`", "not changed"):
        assert word in finding.message


def test_two_fields_that_state_one_fact_wrongly_are_two_findings() -> None:
    run = told(LEVEL, Claim(answer="again.0", entity="tank-7", field="level"))
    run.ask("tanks", levels(20))
    found = run.answer({"level": 10, "again": [10]})
    assert sorted(finding.path for finding in found) == ["/again/0", "/level"]
    assert run.row(KIND)["failed"] == 2


@pytest.mark.parametrize(
    ("claimed", "fact"),
    [
        (20, 20), (20.0, 20), ("20", 20), (20, "20"), ("1,000", 1000), (0.1 + 0.2, 0.3),
        ("2031-05-02", "2031-05-02T10:00:00Z"), ("a  b", "a b"), (True, "true"), (18.3, 18.27),
        ("42%", 0.42), ([1, "1,000"], [1.0, 1000]), ({"a": 1, "b": None}, {"b": None, "a": 1}),
        ("2,000 MB", "2 GB"), (10**400, 10**400), ("€5", "5 EUR"), ("", None), ("unknown", None),
    ],
)  # fmt: skip
def test_the_same_value_in_another_spelling_agrees(claimed: object, fact: object) -> None:
    run = told()
    run.ask("tanks", f'{{"rows":[{{"name":"tank-7","level":{as_json(fact)}}}]}}')
    assert filed(run, f'{{"level":{as_json(claimed)}}}') == []
    assert run.row(KIND)["passed"] == 1


def as_json(value: object) -> str:
    return (
        str(value)
        if isinstance(value, int) and value > 2**63
        else msgspec.json.encode(value).decode()
    )


@pytest.mark.parametrize(
    ("claimed", "fact"),
    [
        (21, 20), ("2 TB", "2 GB"), (18.2, 18.27), (True, 1), (1, True), (5, None), ("down", "up"),
        ([1, 2, 3], [1, 2]), ({"a": 1}, {"a": 2}), ({"a": 1}, {"b": 1}), ([1], 1), (10**400 + 1, 10**400),
        ("2031-05-03", "2031-05-02"), ("$5", "€5"), (9007199254740993, 9007199254740992),
        ("9523456873", "9523456878"), ("9523456873", 9523456878.0),
    ],
)  # fmt: skip
def test_another_value_is_a_defect(claimed: object, fact: object) -> None:
    run = told()
    run.ask("tanks", f'{{"rows":[{{"name":"tank-7","level":{as_json(fact)}}}]}}')
    assert filed(run, f'{{"level":{as_json(claimed)}}}') == [("contradicted", False)]


@pytest.mark.parametrize(
    ("claimed", "fact", "grade"),
    [
        ("Up", "up", "case"),
        ([2, 1], [1, 2], "order"),
        ([1, 1, 2], [1, 2], "set"),
        ("2 TB", 2, "unit"),
        (2, 2.4, "rounding"),
        (0.0, 0.008, "rounding"),
        ("2031-05-02T10:00", "2031-05-02T09:00Z", "time-zone"),
    ],
)
def test_what_may_be_the_same_is_a_place_to_look(claimed: object, fact: object, grade: str) -> None:
    run = told()
    run.ask("tanks", levels(fact))
    assert filed(run, {"level": claimed}) == [(grade, True)]
    assert run.row(KIND)["passed"] == 1


@pytest.mark.parametrize(
    ("declared", "claimed", "fact"),
    [
        ({"ignore_case": True}, "Up", "up"),
        ({"as_set": True}, [2, 1, 1], [1, 2]),
        ({"tolerance": "0.5"}, 20.4, 20),
        ({"tolerance": "1%"}, 201, 200),
        ({"unit": "GB"}, 2, "2,000 MB"),
        ({"unit": "%"}, 42, 0.42),
        ({"synonyms": (("ok", "healthy"),)}, "OK", "healthy"),
        ({"synonyms": (("1", "yes"),)}, "yes", 1),
    ],
)
def test_what_is_declared_of_a_claim_counts(
    declared: dict[str, object], claimed: object, fact: object
) -> None:
    run = told(Claim(answer="level", entity="tank-7", field="level", **declared))
    run.ask("tanks", levels(fact))
    assert filed(run, {"level": claimed}) == []


def test_a_tolerance_takes_the_place_of_rounding() -> None:
    run = told(Claim(answer="level", entity="tank-7", field="level", tolerance="0.01"))
    run.ask("tanks", levels(18.27))
    assert filed(run, {"level": 18.3}) == [("contradicted", False)]


def test_rounding_can_be_switched_off() -> None:
    run = told(LEVEL, equivalences_off=("rounding",))
    run.ask("tanks", levels(18.27))
    assert filed(run, {"level": 18.3}) == [("contradicted", False)]


def test_units_that_end_the_names_of_fields_convert_and_accuse_nobody() -> None:
    claim = Claim(answer="size_gb", entity="tank-7", field="size_mb")
    run = told(claim)
    run.ask("tanks", {"rows": [{"name": "tank-7", "size_mb": 2048}]})
    assert filed(run, {"size_gb": 2}) == []
    assert filed(run, {"size_gb": 2048}) == [("unit", True)]
    same = told(Claim(answer="lowest", entity="tank-7", field="latency_min"))
    same.ask("tanks", {"rows": [{"name": "tank-7", "latency_min": 7}]})
    assert filed(same, {"lowest": 7}) == []


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("Full.", "answer-not-json"),
        ('{"level": NaN}', "answer-not-json"),
        ('{"level": 1e400}', "answer-number-out-of-range"),
        ('{"level": ' + "[" * 5000 + "]" * 5000 + "}", "answer-too-deep"),
        ("[1]", "answer-no-object"),
        ('```json\n{"level": 1}\n```\n```json\n{"level": 2}\n```', "several-objects"),
        ('{"level": 1, "level": 20}', "repeated-key"),
    ],
)
def test_an_answer_that_cannot_be_read_is_unreachable_with_its_reason(
    answer: str, reason: str
) -> None:
    run = told()
    run.ask("tanks", levels(20))
    assert filed(run, answer) == []
    assert run.row(KIND)["unreachable"] == 1
    assert reason in run.row(KIND)["reasons"]


def test_an_object_in_one_fence_is_read_though_prose_stands_around_it() -> None:
    run = told()
    run.ask("tanks", levels(20))
    assert filed(run, 'Here it is:\n```json\n{"level": 10}\n```\nAnything else?') == [
        ("contradicted", False)
    ]


def test_a_field_that_is_left_out_claims_nothing() -> None:
    run = told(Claim(answer="level.size", entity="tank-7", field="level"))
    run.ask("tanks", levels(20))
    assert filed(run, {"level": 3}) == []
    assert run.row(KIND)["reasons"]["field-omitted"] == 1


@pytest.mark.parametrize(
    "result",
    ["no such tank", {"rows": []}, {"rows": [{"name": "tank-8", "level": 3}]}, {"rows": [{"level": 3}]},
     {"rows": [{"name": ["tank-7"], "level": 3}]}, {"rows": [{"name": "tank-7"}]}, '{"rows":[{"name":"tank-7","le',
     "[" * 4000 + "]" * 4000, '{"rows":[{"name":"tank-7","level":NaN}]}'],
)  # fmt: skip
def test_a_fact_that_nobody_collected_accuses_nobody(result: object) -> None:
    run = told()
    run.ask("tanks", result)
    assert filed(run, {"level": 3}) == []
    assert run.row(KIND)["reasons"]["uncollected"] == 1


def test_a_failed_call_states_no_facts() -> None:
    run = told()
    run.ask("tanks", levels(20), error=True)
    assert filed(run, {"level": 3}) == []


def test_a_fact_that_says_it_is_unknown_settles_nothing_even_after_a_known_one() -> None:
    run = told()
    for value in (20, {"kind": "unknown", "reason": "sensor off"}):
        fact = Facts([{"entity": "tank-7", "level": value}], measured_at="2031-05-02", source="s")
        run.ask("probe", str(fact))
    assert filed(run, {"level": 3}) == []
    assert run.row(KIND)["reasons"]["fact-unknown"] == 1


def test_a_known_wrapper_is_its_value_and_plain_json_has_no_wrappers() -> None:
    run = told()
    wrapped = {"kind": "known", "value": 20}
    fact = Facts([{"entity": "tank-7", "level": wrapped}], measured_at="2031-05-02", source="s")
    run.ask("probe", str(fact))
    assert filed(run, {"level": 20}) == []
    run.ask("tanks", levels({"kind": "unknown"}))
    assert filed(run, {"level": 3}) == [("contradicted", False)]


@pytest.mark.parametrize("word", [None, "unknown", "N/A", ""])
def test_an_answer_that_does_not_know_is_a_place_to_look(word: object) -> None:
    run = told()
    run.ask("tanks", levels(20))
    (finding,) = run.answer({"level": word})
    assert (finding.grade, finding.advisory, len(finding.witnesses)) == ("declined", True, 1)
    assert run.row(KIND)["passed"] == 1


def test_results_of_calls_made_together_that_disagree_settle_nothing_and_say_so() -> None:
    run = told()
    run.together([("tanks", levels(10), {"site": 1}), ("tanks", levels(20), {"site": 2})])
    assert filed(run, {"level": 10}) == [("disputed", True)]
    assert run.row(KIND)["unreachable"] == 1
    assert filed(run, {"level": 30}) == [("contradicted", False)]


def test_results_made_together_agree_where_one_was_measured_later() -> None:
    run = told()
    late, early = levels(20, at="2031-05-02T11:00Z"), levels(10, at="2031-05-02T10:00Z")
    run.together([("tanks", late, {"site": 1}), ("tanks", early, {"site": 2})])
    assert filed(run, {"level": 20}) == []
    assert filed(run, {"level": 10}) == [("contradicted", False)]


def test_history_that_is_shown_at_once_keeps_its_order() -> None:
    run = told()
    run.ask("tanks", levels(10))
    run.ask("tanks", levels(20))
    again = told()
    again.messages = run.messages
    assert filed(again, {"level": 20}) == []
    assert filed(again, {"level": 10}) == [("contradicted", False)]


def test_several_rows_of_one_entity_in_one_result_settle_nothing() -> None:
    run = told()
    run.ask("tanks", levels(10, 20))
    assert filed(run, {"level": 10}) == []
    assert run.row(KIND)["reasons"]["several-facts"] == 1


def test_by_measured_at_an_older_measurement_that_comes_last_does_not_settle() -> None:
    claim = Claim(answer="level", entity="tank-7", field="level", order="measured_at")
    run = told(claim)
    run.ask("tanks", levels(20, at="2031-05-02T11:00Z"))
    run.ask("tanks", levels(10, at="2031-05-02T10:00Z"))
    assert filed(run, {"level": 20}) == []
    by_arrival = told()
    by_arrival.ask("tanks", levels(20, at="2031-05-02T11:00Z"))
    by_arrival.ask("tanks", levels(10, at="2031-05-02T10:00Z"))
    assert filed(by_arrival, {"level": 20}) == [("contradicted", False)]


def test_by_measured_at_facts_without_a_comparable_time_settle_nothing() -> None:
    claim = Claim(answer="level", entity="tank-7", field="level", order="measured_at")
    for other in (None, "2031-05-02T10:00", "2031-05-02", "lately"):
        run = told(claim)
        run.ask("tanks", levels(20, at="2031-05-02T11:00Z"))
        run.ask("tanks", levels(10, at=other))
        assert filed(run, {"level": 5}) == []
        assert run.row(KIND)["reasons"]["no-measured-at"] == 1


def test_by_measured_at_two_sources_of_one_time_that_disagree_settle_nothing() -> None:
    claim = Claim(answer="level", entity="tank-7", field="level", order="measured_at")
    run = told(claim)
    run.ask("tanks", levels(20, at="2031-05-02T11:00Z"))
    run.ask("tanks", levels(10, at="2031-05-02T11:00:00Z"), {"site": 2})
    assert filed(run, {"level": 20}) == [("disputed", True)]


def test_a_call_since_that_carries_the_value_may_have_made_it_true() -> None:
    run = told()
    run.ask("tanks", levels(20))
    run.ask("fill", "done", {"tank": "tank-7", "to": 30})
    assert filed(run, {"level": 30}) == []
    assert run.row(KIND)["reasons"]["changed-since"] == 1
    assert filed(run, {"level": 40}) == [("contradicted", False)]


def test_a_declared_write_to_the_entity_may_have_changed_it_and_a_read_has_not() -> None:
    write = ToolDeclaration(name="drain", effect="write")
    read = ToolDeclaration(name="look", effect="read")
    run = told(tools=(TANKS, write))
    run.ask("tanks", levels(20))
    run.ask("drain", "done", {"tank": "tank-7"})
    assert filed(run, {"level": 40}) == []
    other = told(tools=(TANKS, read))
    other.ask("tanks", levels(20))
    other.ask("look", "seen", {"tank": "tank-7", "level": 40})
    assert filed(other, {"level": 40}) == [("contradicted", False)]


def test_a_fact_of_an_earlier_turn_still_settles_and_its_age_is_told() -> None:
    run = told()
    run.ask("tanks", levels(20))
    run.answer("It is 20.")
    run.say("Write it down.")
    (finding,) = [f for f in run.answer({"level": 10}) if f.kind == KIND]
    assert not finding.advisory
    assert "1 turn ago" in finding.message


def test_a_value_that_the_user_said_since_is_a_place_to_look() -> None:
    run = told()
    run.ask("tanks", levels(20))
    run.answer("It is 20.")
    run.say("I filled it up to 35 myself. Write it down.")
    assert filed(run, {"level": 35}) == [("said-since", True)]
    assert filed(run, {"level": 3}) == [("contradicted", False)]


def test_what_the_tool_returned_is_the_fact_and_not_what_a_host_made_of_it() -> None:
    run = told()
    call_id = run.ask("tanks", "tank-7: about 20")
    run.story.execute("tanks", call_id=call_id, result=msgspec.json.encode(levels(20)).decode())
    assert filed(run, {"level": 10}) == [("contradicted", False)]


def test_facts_in_structured_content_count() -> None:
    run = told()
    call_id = run.ask("tanks", "one tank")
    text = msgspec.json.encode(levels(20)).decode()
    run.story.execute("tanks", call_id=call_id, result="one tank", structured=text)
    assert filed(run, {"level": 10}) == [("contradicted", False)]


def test_points_of_a_series_settle_by_their_own_time() -> None:
    points = [
        {"t": "2031-05-02T11:00Z", "entity": "tank-7", "metric": "level", "value": 20},
        {"t": "2031-05-02T10:00Z", "entity": "tank-7", "metric": "level", "value": 10},
    ]
    fact = Facts(
        series=points,
        grain={"interval": "1h", "aggregation": "mean"},
        measured_at="2031-05-02",
        source="s",
    )
    run = told()
    run.ask("probe", str(fact))
    assert filed(run, {"level": 20}) == []
    assert filed(run, {"level": 10}) == [("contradicted", False)]


def test_a_field_within_a_column_is_named_by_a_path() -> None:
    run = told(Claim(answer="level", entity="tank-7", field="now.level"))
    run.ask("tanks", {"rows": [{"name": "tank-7", "now": {"level": 20}}]})
    assert filed(run, {"level": 10}) == [("contradicted", False)]


def test_a_result_that_is_one_record_states_facts_of_it() -> None:
    tool = ToolDeclaration(name="tank", entity_at="$.id")
    run = told(Claim(answer="level", entity="7", field="level"), tools=(tool,))
    run.ask("tank", {"id": 7, "level": 20})
    assert filed(run, {"level": 10}) == [("contradicted", False)]


TOTAL = Claim(answer="total", entity="*", field="level", aggregate="sum")


def sites(*values: object, **more: object) -> dict[str, object]:
    return {"rows": [{"name": f"t{n}", "level": v} for n, v in enumerate(values)]} | more


@pytest.mark.parametrize(
    ("aggregate", "right", "wrong"),
    [("sum", 60, 61), ("count", 3, 4), ("mean", 20, 21), ("min", 10, 11), ("max", 30, 31)],
)
def test_a_figure_over_all_entities_is_held_against_their_facts(
    aggregate: str, right: int, wrong: int
) -> None:
    run = told(Claim(answer="total", entity="*", field="level", aggregate=aggregate))
    run.ask("tanks", sites(10, 20, 30))
    assert filed(run, {"total": right}) == []
    (finding,) = run.answer({"total": wrong})
    assert (finding.grade, finding.advisory) == ("contradicted", False)
    assert finding.witnesses[0].value == str(right)
    assert f"{aggregate} over 3 facts" in finding.witnesses[0].provenance


def test_a_figure_over_floats_and_gaps_is_exact() -> None:
    run = told(TOTAL, Claim(answer="n", entity="*", field="level", aggregate="count"))
    run.ask("tanks", sites(0.1, 0.2, None))
    assert filed(run, {"total": 0.3, "n": 3}) == []
    assert filed(run, {"total": 0.3, "n": 2}) == []


def test_a_figure_over_a_partial_result_accuses_nobody() -> None:
    tool = msgspec.structs.replace(TANKS, total_at="$.total")
    run = told(TOTAL, tools=(tool,))
    run.ask("tanks", sites(10, 20, total=5))
    assert filed(run, {"total": 99}) == []
    assert run.row(KIND)["reasons"]["partial-result"] == 1


def test_a_figure_over_several_results_may_mean_either_and_is_only_doubted() -> None:
    run = told(TOTAL)
    run.ask("tanks", sites(10, 20))
    run.ask("tanks", {"rows": [{"name": "t9", "level": 5}]}, {"page": 2})
    assert filed(run, {"total": 35}) == []
    assert filed(run, {"total": 5}) == []
    assert filed(run, {"total": 36}) == [("population", True)]


def test_a_figure_over_what_are_no_numbers_is_unreachable() -> None:
    run = told(TOTAL)
    run.ask("tanks", sites("low", 20))
    assert filed(run, {"total": 99}) == []
    assert run.row(KIND)["reasons"]["not-numbers"] == 1


def test_marks_of_secrets_are_never_judged() -> None:
    run = told()
    run.ask("tanks", levels("\u27e6withheld token gw1:00\u27e7"))
    assert filed(run, {"level": "x"}) == []
    assert run.row(KIND)["reasons"]["withheld"] == 1


def test_values_that_the_policy_keeps_out_are_not_quoted() -> None:
    run = told(tools=(msgspec.structs.replace(TANKS, content="commitments"),))
    run.ask("tanks", levels(271828))
    (finding,) = run.answer({"level": 10})
    assert "271828" not in finding.message
    assert all("271828" not in witness.value for witness in finding.witnesses)


def test_facts_of_another_lane_settle_nothing_here() -> None:
    run = told()
    run.ask("tanks", levels(20))
    run.story.request(None, lane=1, reason="unreadable")
    run.story.respond(response('{"level": 10}'), lane=1)
    assert run.story.filed(KIND) == []


def test_without_claims_one_encounter_says_so() -> None:
    run = Told(TANKS)
    run.ask("tanks", levels(20))
    run.answer({"level": 10})
    assert run.row(KIND) == {"not_applicable": 1, "reasons": {"not-declared": 1}}


def test_what_is_no_answer_is_not_judged() -> None:
    run = told()
    run.ask("tanks", levels(20))
    run.story.respond(response('{"level": 10}', error="overloaded"))
    run.story.respond(response('{"level": 10}', complete=False))
    run.story.respond(None, reason="no-response")
    assert run.story.filed(KIND) == []
    assert run.row(KIND)["not_applicable"] == 4


def test_a_long_wrong_value_is_clipped_in_the_message() -> None:
    run = told()
    run.ask("tanks", levels("x" * 9000))
    (finding,) = run.answer({"level": "y" * 9000})
    assert len(finding.message) < 600
    assert all(len(witness.value) <= 2000 for witness in finding.witnesses)


def test_claims_that_are_declared_later_find_the_facts_that_came_before() -> None:
    run = Told(TANKS)
    run.say("How full is it?")
    run.ask("tanks", levels(20))
    run.answer({"level": 10})
    declared = run.story.events[0]
    run.story.tell(msgspec.structs.replace(declared, checks=CheckRules(claims=(LEVEL,))))
    assert filed(run, {"level": 10}) == [("contradicted", False)]
