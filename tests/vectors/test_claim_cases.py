"""Cases with known answers about claims and evidence of earlier turns, where they are present.

They hold under `rules = "original"`.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from groundwire.checks.claim.facts.ages.turns import Turns, judge_turns
from groundwire.documents.declaration import CheckRules, Claim, Evidence
from groundwire.documents.event import Declared
from groundwire.documents.fact import Facts
from tests.stories import Story, call, frame, message, response, result

FILE = Path(__file__).parents[2] / ".." / "shared" / "cases" / "context-integrity.json"
pytestmark = pytest.mark.skipif(
    not FILE.is_file(), reason="../shared/cases is not there: cases with known answers not run"
)


def cases(check: str) -> list[object]:
    if not FILE.is_file():
        return []
    found = msgspec.json.decode(FILE.read_bytes())
    return [pytest.param(case, id=case["id"]) for case in found if case["check"] == check]


def declared(rules: CheckRules) -> Declared:
    return Declared(
        step=0, at="", declarations=(), grounding="whole", posture="observe", checks=rules
    )


@pytest.mark.parametrize("case", cases("unsupported-claim"))
def test_unsupported_claim(case: dict) -> None:
    given = case["input"]
    claims = tuple(Claim(**claim) for claim in given["claims"])
    story = Story()
    story.tell(declared(CheckRules(rules="original", claims=claims)))
    messages = [message("user", "What is it?")]
    for number, row in enumerate(given["rows"]):
        told = Facts(
            [{"entity": row["entity"], row["field"]: row["value"]}],
            measured_at="2031-05-02",
            source="case",
        )
        messages += [message("assistant", call("look", {}, f"c{number}"))]
        messages += [result(str(told), f"c{number}")]
    story.request(frame(*messages))
    answer = msgspec.json.encode(given["answerObject"]).decode()
    story.respond(response(answer))
    story.end()
    news = [finding for finding in story.news if finding.kind == "unsupported-claim"]
    row = story.row("unsupported-claim")
    expected = case["expect"]
    assert {word: row.get(NAMES[word], 0) for word in WORDS} == {
        word: sum(one == word for one in expected["dispositions"]) for word in WORDS
    }
    assert [
        {
            "field": finding.path.lstrip("/").replace("/", "."),
            "advisory": finding.advisory,
            "witnesses": "".join(witness.stratum[0] for witness in finding.witnesses),
        }
        for finding in news
    ] == expected["findings"]


NAMES = {
    "checked-pass": "passed",
    "checked-fail": "failed",
    "not-applicable": "not_applicable",
    "unreachable": "unreachable",
}
WORDS = tuple(NAMES)


@pytest.mark.parametrize("case", cases("prior-turn-evidence"))
def test_prior_turn_evidence(case: dict) -> None:
    given = case["input"]
    turns = Turns(
        this_turn=given["thisTurn"],
        prior=given["prior"],
        newest=1,
        current=given["currentTurn"],
        results=given["toolResultsThisTurn"],
        truncated=given["truncated"],
    )
    assert judge_turns(turns)[0] == case["expect"]["disposition"]


@pytest.mark.parametrize("case", cases("prior-turn-evidence"))
def test_prior_turn_evidence_in_a_run(case: dict) -> None:
    given = case["input"]
    if given["truncated"] or not given["currentTurn"]:
        pytest.skip("a run has no such reading: its index is small, and a person has spoken")
    story = Story()
    gate = Evidence(posture="assist")
    story.tell(declared(CheckRules(rules="original", evidence=gate)))
    old = [f"OLD-{n:04}" for n in range(given["prior"])]
    new = [f"NEW-{n:04}" for n in range(given["thisTurn"])]
    messages = [message("user", "Look."), message("assistant", call("look", {}, "c0"))]
    messages += [result(msgspec.json.encode(old).decode(), "c0")]
    for turn in range(2, given["currentTurn"] + 1):
        messages += [message("assistant", "Done."), message("user", f"Go on, {turn}.")]
    for number in range(given["toolResultsThisTurn"]):
        messages += [message("assistant", call("look", {}, f"n{number}"))]
        messages += [result(msgspec.json.encode(new).decode(), f"n{number}")]
    story.request(frame(*messages))
    story.respond(response(" and ".join([*old, *new, "that is all"])))
    story.end()
    row = story.row("prior-turn-evidence")
    assert row[NAMES[case["expect"]["disposition"]]] == 1
