"""Cases with known answers about claims and evidence of earlier turns, where they are present.

They hold under `rules = "original"`.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from groundwire.documents.declaration import CheckRules, Claim
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
