"""What happened after a fact came: calls that may have changed it."""

from __future__ import annotations

import pytest

from groundwire.checks.claim.facts.ledger import ledger_of
from groundwire.checks.claim.facts.since import may_have_changed
from groundwire.documents.declaration import CheckRules
from groundwire.documents.policy import ToolDeclaration
from tests.unit.checks.claim.facts.telling import TANKS, Told
from tests.unit.checks.claim.facts.test_unsupported_claim import LEVEL, levels


@pytest.mark.parametrize(
    ("effect", "arguments", "may"),
    [
        ("write", {"tank": "tank-7"}, True),
        ("destructive", {"tanks": [{"id": "TANK-7"}]}, True),
        ("unstated", {"tank": "tank-7"}, False),
        ("unstated", {"set": 40}, True),
        ("unstated", {"set": "400"}, False),
        ("read", {"tank": "tank-7", "set": 40}, False),
        ("write", {"tank": "tank-8"}, False),
        ("write", "not json", False),
    ],
)
def test_which_calls_may_have_changed_a_fact(effect: str, arguments: object, may: bool) -> None:
    run = Told(TANKS, ToolDeclaration(name="set", effect=effect), rules=CheckRules(claims=(LEVEL,)))
    run.say("Set it.")
    run.ask("tanks", levels(20))
    run.ask("set", "done", arguments)
    run.answer("Done.")
    transcript = run.story.engine.transcript
    (fact,) = ledger_of(transcript).facts(0, "tank-7", "level")
    assert may_have_changed(transcript, 0, fact, 40) is may
    assert not may_have_changed(transcript, 1, fact, 40)
