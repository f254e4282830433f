from __future__ import annotations

from groundwire.documents.finding import Finding
from groundwire.documents.frame import Message, ResultPart
from groundwire.documents.policy import ToolDeclaration
from tests.stories import Story, call, frame, message, response, result

KIND = "contradicted-action"
CANCEL = ToolDeclaration(name="cancel_booking", effect="write")
ANSWER = "I have cancelled booking #A1234567."


def tried(said: str, call_id: str = "c1", *, is_error: bool = False) -> list[Message]:
    part = ResultPart(call_id, said, is_error=is_error)
    return [
        message("assistant", call("cancel_booking", {"booking": "#A1234567"}, call_id)),
        message("tool", part),
    ]


def ask(*messages: Message, declared: ToolDeclaration = CANCEL) -> tuple[Story, list[Finding]]:
    story = Story()
    story.declare(declared)
    story.request(frame(message("user", "Please."), *messages, tools=["cancel_booking"]))
    story.respond(response(ANSWER))
    return story, story.filed(KIND)


def test_a_deed_that_only_failed_calls_tried_is_contradicted() -> None:
    story, (finding,) = ask(*tried("Error: it is closed."))
    assert (finding.seam, finding.grade, finding.advisory) == ("claim", "failed", False)
    assert "Error: it is closed." in finding.message
    assert finding.witnesses[1].value == "Error: it is closed."
    assert story.filed("unsupported-action") == []


def test_the_wires_own_mark_of_an_error_is_enough() -> None:
    _, (finding,) = ask(*tried("closed", is_error=True))
    assert finding.grade == "failed"


def test_a_later_try_that_did_not_fail_is_enough() -> None:
    _, filed = ask(*tried("Error: busy."), *tried("ok", "c2"))
    assert filed == []


def test_a_failed_call_of_another_tool_contradicts_nothing() -> None:
    story, filed = ask(message("assistant", call("send_email", {})), result("Error: no address."))
    assert filed == []
    assert len(story.filed("unsupported-action")) == 1


def test_an_execution_that_raised_failed() -> None:
    story = Story()
    story.declare(CANCEL)
    story.request(frame(message("user", "Please."), tools=["cancel_booking"]))
    story.respond(response(call("cancel_booking", {"booking": "#A1234567"})))
    story.execute("cancel_booking", result="boom", outcome="raised")
    story.request(
        frame(
            message("user", "Please."),
            message("assistant", call("cancel_booking", {"booking": "#A1234567"})),
            result("see the log"),
            tools=["cancel_booking"],
        )
    )
    story.respond(response(ANSWER))
    assert len(story.filed(KIND)) == 1


def test_a_result_that_the_policy_keeps_out_is_not_quoted() -> None:
    kept_out = ToolDeclaration(name="cancel_booking", effect="write", content="commitments")
    _, (finding,) = ask(*tried("Error: it is closed."), declared=kept_out)
    assert "closed" not in finding.message
    assert [witness.value for witness in finding.witnesses][1] == "failed"
