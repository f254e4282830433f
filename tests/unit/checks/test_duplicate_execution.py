from __future__ import annotations

from collections.abc import Sequence

import pytest

from groundwire.documents.frame import Message, ResultPart
from groundwire.documents.policy import ToolDeclaration
from tests.stories import Story, call, frame, message, response

KIND = "duplicate-execution"
PAY = ToolDeclaration(name="pay", effect="write", volatile=("request_id",))
LOOK = ToolDeclaration(name="look", effect="read")
USER = message("user", "Pay the bill.")


class Told:
    """A conversation in which calls are chosen, answered and chosen again."""

    def __init__(self, *tools: ToolDeclaration) -> None:
        self.story = Story()
        self.story.declare(*tools)
        self.messages: list[Message] = [USER]
        self.calls = 0

    def step(
        self, name: str, arguments: object, answer: str | None = "done", *, error: bool = False
    ) -> None:
        self.calls += 1
        part = call(name, arguments, call_id=f"c{self.calls}")
        self.story.request(frame(*self.messages))
        self.story.respond(response(part))
        self.messages.append(message("assistant", part))
        if answer is not None:
            shown = ResultPart(f"c{self.calls}", answer, is_error=error)
            self.messages.append(message("tool", shown))

    def say(self, text: str) -> None:
        self.messages.append(message("user", text))

    def filed(self) -> Sequence[tuple[str, bool]]:
        return [(finding.grade, finding.advisory) for finding in self.story.filed(KIND)]


def test_a_write_chosen_again_after_it_succeeded_is_a_defect() -> None:
    told = Told(PAY)
    told.step("pay", {"bill": 7})
    told.step("pay", {"bill": 7})
    assert told.filed() == [("succeeded", False)]


def test_a_read_chosen_again_is_a_place_to_look() -> None:
    told = Told(LOOK)
    told.step("look", {"bill": 7})
    told.step("look", {"bill": 7})
    assert told.filed() == [("succeeded", True)]


def test_a_write_in_a_later_turn_is_a_place_to_look() -> None:
    told = Told(PAY)
    told.step("pay", {"bill": 7})
    told.say("Once more, please.")
    told.step("pay", {"bill": 7})
    assert told.filed() == [("succeeded", True)]


def test_a_write_after_an_unknown_outcome_is_a_defect_in_any_turn() -> None:
    told = Told(PAY)
    told.step("pay", {"bill": 7}, None)
    told.story.execute("pay", '{"bill":7}', call_id="c1", outcome="unknown")
    told.messages.append(message("tool", ResultPart("c1", "timed out", is_error=True)))
    told.say("Did it work?")
    told.step("pay", {"bill": 7})
    assert told.filed() == [("unknown", False)]


@pytest.mark.parametrize(
    ("tools", "steps"),
    [
        ((PAY,), [("pay", {"bill": 7}), ("pay", {"bill": 8})]),
        ((PAY, LOOK), [("look", {}), ("pay", {"bill": 7}), ("look", {})]),
        ((LOOK,), [("look", {}), ("undeclared", {}), ("look", {})]),
        (
            (PAY, ToolDeclaration(name="refund", effect="write")),
            [("pay", {"bill": 7}), ("refund", {"bill": 7}), ("pay", {"bill": 7})],
        ),
        (
            (ToolDeclaration(name="set", effect="write", idempotent=True),),
            [("set", {"to": 1}), ("set", {"to": 1})],
        ),
        ((), [("pay", {"bill": 7}), ("pay", {"bill": 7})]),
    ],
    ids=[
        "other arguments",
        "a write between reads",
        "something undeclared between reads",
        "a write between writes",
        "idempotent",
        "no effect declared",
    ],
)
def test_what_has_a_reason_to_run_again_is_silent(
    tools: tuple[ToolDeclaration, ...], steps: list[tuple[str, object]]
) -> None:
    told = Told(*tools)
    for name, arguments in steps:
        told.step(name, arguments)
    assert told.filed() == []


@pytest.mark.parametrize(
    ("reason", "disposition"), [("no-response", "not_applicable"), ("not-json", "unreachable")]
)
def test_where_no_answer_came_nothing_was_missed(reason: str, disposition: str) -> None:
    story = Story()
    story.declare(PAY)
    story.request(frame(USER))
    story.respond(None, reason=reason)
    assert story.row(KIND)[disposition] == 1


def test_trying_again_after_a_failure_is_silent() -> None:
    for answer, error in (("no", True), ("Error: the service is away", False)):
        told = Told(PAY)
        told.step("pay", {"bill": 7}, answer, error=error)
        told.step("pay", {"bill": 7})
        assert told.filed() == []


def test_reading_again_in_a_later_turn_is_silent() -> None:
    told = Told(LOOK)
    told.step("look", {})
    told.say("And now?")
    told.step("look", {})
    assert told.filed() == []


def test_volatile_arguments_and_another_spelling_make_no_other_call() -> None:
    told = Told(PAY)
    told.step("pay", '{"bill": 7.0, "request_id": "a"}')
    told.step("pay", '{"request_id":"b","bill":7}')
    assert told.filed() == [("succeeded", False)]


def test_arguments_that_are_no_json_cannot_be_compared() -> None:
    told = Told(PAY)
    told.step("pay", "{'bill'")
    assert told.story.row(KIND)["reasons"] == {"unreadable-arguments": 1}
