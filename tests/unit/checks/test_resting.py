"""A check at rest meets the same as one that looks at every event."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from groundwire.checks.engine import Engine
from groundwire.checks.registry import ALL_CHECKS
from groundwire.checks.seams import Encounter, Resting, judged, not_applicable
from groundwire.checks.transcript import Transcript
from groundwire.documents.declaration import ArgumentSource, Column
from groundwire.documents.event import Event, Parked, Pinned, Requested, Responded
from groundwire.documents.policy import ToolDeclaration
from tests.stories import Story, call, frame, message, response, result
from tests.unit.checks.test_engine import Stub

USER = message("user", "Hello.")
ASKED = message("assistant", call("find", {"id": "quay-17"}), call("look", {}, "c2"))
GIVEN = (result('[{"id": "quay-17"}]', "c1"), result("[]", "c2"))
SOURCE = ArgumentSource(argument="id", kind="result", tool="find")


class Sleeper(Stub):
    """A check that is at rest until it is woken, and counts how often it is asked."""

    def __init__(self, resting: object) -> None:
        super().__init__()
        self.resting = resting
        self.asked: list[type] = []

    def watch(self, _: Transcript) -> Sleeper:
        return self

    def rests(self) -> object:
        if isinstance(self.resting, Exception):
            raise self.resting
        return self.resting

    def see(self, event: Event) -> Iterable[Encounter]:
        self.asked.append(type(event))
        return (judged(()),) if isinstance(event, Requested | Responded) else ()


def told(sleeper: Sleeper) -> Story:
    """Two requests, the second with two new results, and a response after each."""
    story = Story(Engine([sleeper]))
    story.request(frame(USER))
    story.respond(response(call("find"), call("look", {}, "c2")))
    story.request(frame(USER, ASKED, *GIVEN))
    story.respond(response("ok"))
    return story


def test_a_check_at_rest_is_not_asked_and_counted_at_every_request_and_response() -> None:
    resting = Resting(
        request=not_applicable("none"),
        fresh=not_applicable("some"),
        response=not_applicable("answered"),
    )
    sleeper = Sleeper(resting)
    story = told(sleeper)
    assert sleeper.asked == []
    row = {"not_applicable": 4, "reasons": {"answered": 2, "none": 1, "some": 1}}
    assert story.row("stub") == row
    assert story.row("stub") == row


def test_a_check_at_rest_may_meet_each_new_result() -> None:
    each = Resting(request=not_applicable("none"), fresh=not_applicable("some"), each=True)
    assert told(Sleeper(each)).row("stub") == {
        "not_applicable": 3,
        "reasons": {"none": 1, "some": 2},
    }


def test_what_a_check_at_rest_met_last_is_the_latest() -> None:
    sleeper = Sleeper(Resting(request=not_applicable("none"), fresh=not_applicable("some")))
    story = told(sleeper)
    assert story.engine.latest("stub") == not_applicable("some")


def test_a_check_is_asked_again_after_every_other_event() -> None:
    sleeper = Sleeper(Resting(request=not_applicable("none")))
    story = told(sleeper)
    sleeper.resting = None
    story.request(frame(USER))
    assert sleeper.asked == []
    story.expect("find")
    story.request(frame(USER))
    assert Requested in sleeper.asked
    assert story.row("stub") == {"passed": 1, "not_applicable": 2, "reasons": {"none": 2}}


@pytest.mark.parametrize("says", [ValueError("no"), 7, None])
def test_a_check_that_cannot_say_what_it_meets_is_asked(says: object) -> None:
    assert told(Sleeper(says)).row("stub") == {"passed": 4}


def events(story: Story) -> None:
    """What gives checks at rest something to do, one after the other, and a loop before each."""

    def loop(number: int) -> None:
        first, second = f"c{number}", f"d{number}"
        asked = message(
            "assistant", call("find", {"id": "quay-17"}, first), call("look", {}, second)
        )
        given = (result('[{"id": "quay-17", "used": 412}]', first), result("[]", second))
        story.request(frame(USER, tools=("find", "look")))
        story.respond(response(call("find", {"id": "quay-17"}, first), call("look", {}, second)))
        if number > 3:
            story.execute(
                "find", '{"id": "quay-18"}', call_id=first, result='[{"id": "quay-17", "used": 41}]'
            )
        story.request(frame(USER, asked, *given, tools=("find", "look")))
        story.respond(response("There is quay-17."))

    loop(0)
    story.declare(ToolDeclaration(name="look", arguments=(SOURCE,)), arm_all=True)
    loop(1)
    story.declare(
        ToolDeclaration(name="look", effect="write", arguments_from=("find",)),
        ToolDeclaration(name="find", columns=(Column(name="id", type="number"),)),
    )
    loop(2)
    story.tell(Pinned(step=len(story.events), at="", name="rule", text="Hello."))
    story.tell(
        Parked(step=len(story.events), at="", group="all", tools=("find", "look"), parked=True)
    )
    loop(3)
    story.request(None, reason="unreadable-body")
    story.respond(None, reason="no-response")
    loop(4)
    story.expect("gone")
    story.compose(0, "find")
    loop(5)
    story.declare(checks={"rules": "original"})
    loop(6)
    story.end()


def test_checks_at_rest_file_and_count_what_they_would_if_they_looked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rested, looked = Story(), Story()
    events(rested)
    monkeypatch.setattr(Engine, "_resting", lambda *_: None)
    events(looked)
    assert rested.engine.rows() == looked.engine.rows()
    assert rested.engine.findings() == looked.engine.findings()
    assert {finding.kind for finding in rested.engine.findings()} >= {
        "dangling-reference",
        "missing-tools",
        "parked-but-served",
        "column-type-mismatch",
        "altered-result",
    }
    for check in ALL_CHECKS:
        assert rested.engine.latest(check.kind) == looked.engine.latest(check.kind)
