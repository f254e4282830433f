"""Whole agents and what they answer: claims, evidence and its postures, turns, judges in order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

import groundwire as gw
from groundwire.documents.declaration import CheckRules, Claim, Evidence
from groundwire.errors import PolicyError
from groundwire.loop.agent import Agent
from groundwire.loop.evidence import UnsupportedValuesError
from groundwire.loop.outcomes import Answered, Denied, Outcome, Rejected
from groundwire.loop.terms import Terms
from groundwire.loop.windows import Summarised, last_turns
from groundwire.testing.simulator import Simulator, assert_no_findings, replying
from groundwire.testing.turns import Answer, Turn
from tests.simulated import Told, calls, checks, project, session

FACTS = gw.Facts(
    [{"entity": "petrel", "size": 12}], measured_at="2031-05-02T08:00:00Z", source="the disk report"
)
SIZE = Claim(answer="size", entity="petrel", field="size")
TOOLS = [replying("measure", str(FACTS)), replying("count", "the count is 48151 of 60233")]
MEASURE, COUNT = calls(("measure", "{}")), calls(("count", "{}"))


def ran(
    folder: Path,
    rules: CheckRules,
    script: Sequence[Answer],
    *,
    questions: Sequence[str] = ("Go on.",),
    **more: object,
) -> tuple[list[Outcome], Told, list[bytes]]:
    of = project(rules=rules)
    model = Simulator(of, script)
    with session(of, folder) as run:
        agent = Agent(model, TOOLS, **more)
        outcomes = [agent.ask(run, question) for question in questions]
    found = Told(run)
    assert found.replays()
    return outcomes, found, model.requests


def in_force(**fields: object) -> CheckRules:
    return msgspec.convert(msgspec.to_builtins(checks()) | msgspec.to_builtins(fields), CheckRules)


@pytest.mark.whole_agent("CL29")
def test_claims_of_an_answer_in_prose_are_unreachable(tmp_path: Path) -> None:
    claims = (SIZE, Claim(answer="owner", entity="petrel", field="owner"))
    script = [MEASURE, Turn(text="It is 13 TB.")]
    _, found, _ = ran(tmp_path, in_force(claims=claims), script)
    assert found.counts("unsupported-claim")["unreachable"] == 2
    assert found.kinds() == []


DENIED = [MEASURE, Turn(text='{"size": 13}')]


@pytest.mark.whole_agent("CL30")
def test_claims_of_an_answer_that_was_denied_are_out_of_scope(tmp_path: Path) -> None:
    outcomes, found, _ = ran(
        tmp_path, in_force(claims=(SIZE,)), DENIED, terms=Terms(screen=lambda _: "not today")
    )
    [outcome] = outcomes
    assert isinstance(outcome, Denied)
    assert outcome.reason == "not today"
    row = found.row("unsupported-claim")
    assert (row.passed + row.failed, row.reasons["denied"]) == (0, 1)
    assert found.kinds() == []


def test_by_default_an_answer_is_judged_as_it_comes_also_where_it_is_denied_later(
    tmp_path: Path,
) -> None:
    _, found, _ = ran(
        tmp_path, CheckRules(claims=(SIZE,)), DENIED, terms=Terms(screen=lambda _: "not today")
    )
    assert found.kinds() == ["unsupported-claim"]


def test_an_answer_that_nobody_denied_is_judged_at_the_end_of_the_run(tmp_path: Path) -> None:
    _, found, _ = ran(tmp_path, in_force(claims=(SIZE,)), DENIED)
    assert found.kinds() == ["unsupported-claim"]


@pytest.mark.whole_agent("CL31")
def test_two_wrong_fields_of_one_fact_are_two_findings(tmp_path: Path) -> None:
    claims = (SIZE, Claim(answer="also", entity="petrel", field="size"))
    _, found, _ = ran(
        tmp_path, in_force(claims=claims), [MEASURE, Turn(text='{"size": 13, "also": 14}')]
    )
    assert [(f.kind, f.path) for f in found.of("unsupported-claim")] == [
        ("unsupported-claim", "/size"),
        ("unsupported-claim", "/also"),
    ]
    assert found.counts("unsupported-claim")["findings"] == 2


GATE = Evidence(posture="assist")
BOTH = ("How many?", "And now?", "Again?")


@pytest.mark.whole_agent("R07")
def test_a_value_that_was_served_again_in_this_turn_is_of_this_turn(tmp_path: Path) -> None:
    answer = Turn(text="There are 48151.")
    script = [COUNT, answer, Turn(text="Nothing new."), COUNT, answer]
    _, found, _ = ran(tmp_path, in_force(evidence=GATE), script, questions=BOTH)
    assert found.of("prior-turn-evidence") == []
    assert found.row("prior-turn-evidence").passed == 2


def test_a_value_of_an_earlier_turn_alone_is_told_of(tmp_path: Path) -> None:
    answer = Turn(text="There are 48151.")
    script = [COUNT, answer, Turn(text="Nothing new."), answer]
    _, found, _ = ran(tmp_path, in_force(evidence=GATE), script, questions=BOTH)
    [notice] = found.of("prior-turn-evidence")
    assert notice.advisory


@pytest.mark.whole_agent("R08")
def test_a_correction_of_the_loop_begins_no_turn(tmp_path: Path) -> None:
    script = [COUNT, Turn(text="There are 48151."), Turn(text="There are 48151, of 60233.")]
    terms = Terms(judge=lambda text: None if "of" in text else "Say of how many.")
    outcomes, found, _ = ran(tmp_path, in_force(evidence=GATE), script, terms=terms)
    assert isinstance(outcomes[0], Answered)
    assert found.of("prior-turn-evidence") == []
    assert found.row("prior-turn-evidence").passed == 2


MADE_UP = Turn(text="There are 77342 of 60233.")
RIGHT = Turn(text="There are 48151 of 60233.")


@pytest.mark.parametrize("rules", ["original", "default"])
def test_assist_delivers_and_records(tmp_path: Path, rules: str) -> None:
    told = msgspec.convert({"rules": rules, "evidence": {"posture": "assist"}}, CheckRules)
    outcomes, found, requests = ran(tmp_path, told, [COUNT, MADE_UP])
    [outcome] = outcomes
    assert isinstance(outcome, Answered)
    assert (outcome.unsupported, outcome.revised, outcome.judged) == (("77342",), False, True)
    assert found.kinds() == ["unsupported-value"]
    assert len(requests) == 2


def test_guard_offers_one_revision_and_delivers_what_comes_of_it(tmp_path: Path) -> None:
    asked: list[Sequence[str]] = []

    def revise(values: Sequence[str]) -> str:
        asked.append(values)
        return "Look the number up."

    guard = CheckRules(evidence=Evidence(posture="guard"))
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    outcomes, _, requests = ran(
        tmp_path / "a", guard, [COUNT, MADE_UP, RIGHT], terms=Terms(revise=revise)
    )
    assert outcomes[0] == Answered(
        text=RIGHT.text, revised=True, calls=outcomes[0].calls, judged=True
    )
    assert asked == [("77342",)]
    assert b"Look the number up." in requests[-1]
    outcomes, found, requests = ran(
        tmp_path / "b", guard, [COUNT, MADE_UP, MADE_UP], terms=Terms(revise=revise)
    )
    assert isinstance(outcomes[0], Answered)
    assert (outcomes[0].unsupported, outcomes[0].revised) == (("77342",), True)
    assert len(requests) == 3
    assert found.of("unsupported-value")[0].path == ""


def test_a_host_that_declines_the_revision_has_the_answer_flagged_at_once(tmp_path: Path) -> None:
    guard = CheckRules(evidence=Evidence(posture="guard"))
    outcomes, _, requests = ran(
        tmp_path, guard, [COUNT, MADE_UP], terms=Terms(revise=lambda _: None)
    )
    assert isinstance(outcomes[0], Answered)
    assert (outcomes[0].unsupported, outcomes[0].revised) == (("77342",), False)
    assert len(requests) == 2


def test_rails_refuses_with_the_values_after_one_revision(tmp_path: Path) -> None:
    rails = CheckRules(evidence=Evidence(posture="rails"))
    with pytest.raises(UnsupportedValuesError) as refused:
        ran(tmp_path, rails, [COUNT, MADE_UP, MADE_UP])
    assert refused.value.values == ("77342",)
    assert refused.value.revised
    assert refused.value.reason == "unsupported-values"
    assert "77342" not in str(refused.value)


def test_the_text_of_a_correction_grounds_nothing(tmp_path: Path) -> None:
    guard = CheckRules(evidence=Evidence(posture="guard"))
    terms = Terms(revise=lambda values: f"Nothing says {values[0]}.")
    outcomes, _, _ = ran(tmp_path, guard, [COUNT, MADE_UP, MADE_UP], terms=terms)
    assert isinstance(outcomes[0], Answered)
    assert outcomes[0].unsupported == ("77342",)


def test_an_answer_that_was_not_recorded_is_not_said_to_be_judged(tmp_path: Path) -> None:
    of = project(rules=CheckRules(evidence=Evidence(posture="guard")))
    run = session(of, tmp_path)
    outcome = Agent(Simulator(of, [Turn(text="There are 77342.")])).ask(run, "How many?")
    assert isinstance(outcome, Answered)
    assert (outcome.unsupported, outcome.judged) == ((), False)


SCHEMA = {"type": "object", "required": ["size"], "properties": {"size": {"type": "number"}}}


def test_an_answer_that_does_not_fit_is_corrected_twice_and_then_rejected(tmp_path: Path) -> None:
    bad = [Turn(text="13 TB"), Turn(text='{"size": "13"}'), Turn(text="{}")]
    outcomes, found, requests = ran(tmp_path, CheckRules(), bad, terms=Terms(schema=SCHEMA))
    [outcome] = outcomes
    assert isinstance(outcome, Rejected)
    assert outcome.text == "{}"
    assert "no JSON" in requests[1].decode()
    assert "/size (type)" in requests[2].decode()
    assert found.kinds() == []


def test_judges_stand_in_order_and_one_that_keeps_an_answer_back_hides_it_from_the_next(
    tmp_path: Path,
) -> None:
    seen: list[tuple[str, str]] = []

    def told_of(name: str, answer: str | None, text: str) -> str | None:
        seen.append((name, text))
        return answer

    terms = Terms(
        screen=lambda text: told_of("screen", "no" if text == "secret" else None, text),
        schema=SCHEMA,
        judge=lambda text: told_of("judge", "Larger." if "1}" in text else None, text),
        revise=lambda _: told_of("revise", None, ""),
    )
    guard = CheckRules(evidence=Evidence(posture="guard"))
    script = [Turn(text=text) for text in ("prose", '{"size": 1}', '{"size": 77342}', "secret")]
    outcomes, _, _ = ran(tmp_path, guard, script, questions=("Go on.", "More."), terms=terms)
    assert [type(outcome) for outcome in outcomes] == [Answered, Denied]
    assert seen == [
        ("screen", "prose"),
        ("screen", '{"size": 1}'),
        ("judge", '{"size": 1}'),
        ("screen", '{"size": 77342}'),
        ("judge", '{"size": 77342}'),
        ("revise", ""),
        ("screen", "secret"),
    ]


def test_a_denied_answer_is_no_part_of_what_the_model_sees_next(tmp_path: Path) -> None:
    terms = Terms(screen=lambda text: "no" if "secret" in text else None)
    script = [Turn(text="the secret is out"), Turn(text="Fine.")]
    _, _, requests = ran(tmp_path, CheckRules(), script, questions=("A?", "B?"), terms=terms)
    assert b"secret" not in requests[1]


def test_a_schema_that_is_none_is_refused(tmp_path: Path) -> None:
    of = project()
    with session(of, tmp_path) as run, pytest.raises(PolicyError) as refused:
        Agent(Simulator(of, []), terms=Terms(schema={"type": 7})).ask(run, "Go on.")
    assert refused.value.reason == "bad-answer-schema"


def test_a_summary_is_known_to_be_the_loops_own_text(tmp_path: Path) -> None:
    window = Summarised(lambda _: "So far: 77342 were counted.", most=2, keep=1)
    script = [COUNT, RIGHT, RIGHT, RIGHT, Turn(text="Good night.")]
    _, found, requests = ran(
        tmp_path, CheckRules(), script, questions=("a", "b", "c", "d"), window=window
    )
    assert b"77342" in requests[-1]
    assert found.of("unsupported-summary")


def test_a_clean_turn_has_no_findings_and_was_checked(tmp_path: Path) -> None:
    of = project(rules=CheckRules(evidence=Evidence(posture="rails")))
    with session(of, tmp_path) as run:
        Agent(Simulator(of, [COUNT, RIGHT]), TOOLS, window=last_turns(3)).ask(run, "How many?")
        assert_no_findings(run)
