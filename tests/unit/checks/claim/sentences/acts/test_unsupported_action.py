from __future__ import annotations

import pytest

from groundwire.documents.declaration import CheckRules
from groundwire.documents.event import Declared
from groundwire.documents.finding import Finding
from groundwire.documents.frame import Frame, Message
from groundwire.documents.policy import ToolDeclaration
from tests.stories import Story, call, frame, message, response, result

KIND = "unsupported-action"
ASKED = message("user", "Please see to booking #A1234567 of ines@example.com.")
CANCEL = ToolDeclaration(name="cancel_booking", effect="write")
REFUND = ToolDeclaration(name="refund_booking", effect="write")
MAIL = ToolDeclaration(name="send_email", effect="external")
LOOK = ToolDeclaration(name="get_booking", effect="read")
TOOLS = ("cancel_booking", "refund_booking", "send_email", "get_booking")


def shown(*messages: Message, held: str | None = None) -> Frame:
    return frame(ASKED, *messages, tools=TOOLS, held=held)


def did(name: str, arguments: object, said: str = "ok", call_id: str = "c1") -> list[Message]:
    return [message("assistant", call(name, arguments, call_id)), result(said, call_id)]


def ask(
    answer: str, *messages: Message, declared: bool = True, held: str | None = None
) -> tuple[Story, list[Finding]]:
    story = Story()
    if declared:
        story.declare(CANCEL, REFUND, MAIL, LOOK)
    else:
        story.declare(arm_all=True)
    story.request(shown(*messages, held=held))
    story.respond(response(answer))
    return story, story.filed(KIND)


def test_a_deed_that_no_call_did_is_a_defect_where_a_declared_tool_owns_its_verb() -> None:
    story, (finding,) = ask("I have cancelled booking #A1234567.")
    assert (finding.grade, finding.advisory) == ("no-call", False)
    assert [subject.id for subject in finding.subjects] == ["final", "cancel_booking"]
    assert [witness.value for witness in finding.witnesses] == [
        "I have cancelled booking #A1234567.",
        "no-call",
    ]
    assert "`cancel_booking`" in finding.message
    assert story.row(KIND)["failed"] == 1


def test_with_every_tool_armed_names_own_verbs_and_what_they_file_is_doubt() -> None:
    _, (finding,) = ask("I have cancelled booking #A1234567.", declared=False)
    assert finding.advisory


def test_a_deed_that_a_call_did_is_borne_out() -> None:
    story, filed = ask(
        "I have cancelled booking #A1234567.",
        *did("cancel_booking", {"booking": "#A1234567"}),
    )
    assert filed == []
    assert story.row(KIND)["passed"] == 1


def test_a_deed_done_to_another_thing_of_its_kind_is_named_so() -> None:
    _, (finding,) = ask(
        "I have cancelled booking #A1234567.",
        *did("cancel_booking", {"booking": "#A7654321"}),
    )
    assert finding.grade == "other-target"
    assert "c1" in finding.message


def test_one_of_the_things_named_is_enough() -> None:
    _, filed = ask(
        "I have cancelled bookings #A1234567 and #A7654321.",
        *did("cancel_booking", {"booking": "#A7654321"}),
    )
    assert filed == []


def test_the_thing_may_stand_in_the_result() -> None:
    _, filed = ask(
        "I have cancelled booking #A1234567.",
        *did("cancel_booking", {"booking": "#A7654321"}, "closed with #A1234567"),
    )
    assert filed == []


def test_a_call_of_another_lane_counts() -> None:
    story = Story()
    story.declare(CANCEL)
    story.request(frame(*did("cancel_booking", {"booking": "#A1234567"})), lane=1)
    story.request(shown(), lane=0)
    story.respond(response("I have cancelled booking #A1234567."), lane=0)
    assert story.filed(KIND) == []


def test_a_call_whose_result_nobody_showed_counts_as_done() -> None:
    _, filed = ask(
        "I have cancelled booking #A1234567.",
        message("assistant", call("cancel_booking", {"booking": "#A1234567"})),
    )
    assert filed == []


def test_a_failed_call_is_the_other_kinds() -> None:
    story, filed = ask(
        "I have cancelled booking #A1234567.",
        *did("cancel_booking", {"booking": "#A1234567"}, "Error: it is closed."),
    )
    assert filed == []
    assert len(story.filed("contradicted-action")) == 1


def test_a_tool_that_may_do_anything_excuses_what_it_was_given() -> None:
    _, filed = ask(
        "I have cancelled booking #A1234567.",
        *did("bash", {"command": "desk release #A1234567"}),
    )
    assert filed == []
    _, (finding,) = ask("I have cancelled booking #A1234567.", *did("bash", {"command": "uptime"}))
    assert finding.grade == "no-call"


def test_a_deed_may_be_told_by_a_near_verb() -> None:
    _, filed = ask(
        "The fee of booking #A1234567 has been refunded.",
        *did("cancel_booking", {"booking": "#A1234567"}),
    )
    assert filed == []


def test_a_result_may_tell_of_the_deed() -> None:
    _, filed = ask(
        "I have sent the receipt to your email.",
        *did("get_booking", {}, "The receipt was sent to your email."),
    )
    assert filed == []


def test_what_a_result_repeats_of_the_call_is_no_report() -> None:
    note = "Tell them we refunded the booking fee."
    _, (finding,) = ask(
        "I have refunded the whole amount.",
        *did("get_booking", {"remark": note}, f"noted: {note}"),
    )
    assert finding.grade == "no-call"


def test_a_person_may_have_said_that_it_was_done() -> None:
    story = Story()
    story.declare(CANCEL)
    story.request(frame(message("user", "My booking was cancelled by you."), tools=TOOLS))
    story.respond(response("Your booking has been cancelled."))
    assert story.filed(KIND) == []
    story.request(frame(message("user", "I want my booking cancelled."), tools=TOOLS), lane=1)
    story.respond(response("Your booking has been cancelled."), lane=1)
    assert len(story.filed(KIND)) == 1


def test_a_verb_of_general_use_needs_what_the_tool_acts_on() -> None:
    _, filed = ask("I have sent you all that I know.")
    assert filed == []
    _, (finding,) = ask("I have sent the email.")
    assert finding.subjects[1].id == "send_email"


def test_a_passive_about_the_world_is_no_deed_of_the_run() -> None:
    story, filed = ask("The show has been cancelled for good.")
    assert filed == []
    assert story.row(KIND)["reasons"] == {"no-owned-act": 1}


def test_a_deed_told_before_the_run_began_is_not_judged() -> None:
    story = Story()
    story.declare(CANCEL)
    before = message("assistant", "I have cancelled booking #A1234567.")
    story.request(shown(before, message("user", "Sure?")))
    story.respond(response("Yes, I have cancelled booking #A1234567."))
    assert story.filed(KIND) == []


def test_where_the_provider_keeps_the_conversation_nothing_is_filed() -> None:
    story, filed = ask("I have cancelled booking #A1234567.", held="resp_1")
    assert filed == []
    assert story.row(KIND)["reasons"] == {"held-by-provider": 1}


def test_declared_words_own_in_place_of_the_name() -> None:
    story = Story()
    story.declare(ToolDeclaration(name="cancel_booking", effect="write", says=("roll back",)))
    story.request(shown())
    story.respond(response("I have rolled back the visit."))
    story.request(shown())
    story.respond(response("I have cancelled booking #A1234567."))
    assert [(found.witnesses[0].value, found.advisory) for found in story.filed(KIND)] == [
        ("I have rolled back the visit.", False),
        ("I have cancelled booking #A1234567.", True),
    ]


def test_a_declared_read_bears_out_nothing() -> None:
    story = Story()
    story.declare(CANCEL, ToolDeclaration(name="cancel_preview", effect="read"))
    story.request(shown(*did("cancel_preview", {"booking": "#A1234567"}, "3 nights")))
    story.respond(response("I have cancelled booking #A1234567."))
    assert len(story.filed(KIND)) == 1


def test_a_deed_that_no_tool_owns_is_doubt_only_where_nothing_was_done_at_all() -> None:
    answer = "I have deployed your site."
    _, (finding,) = ask(answer)
    assert (finding.grade, finding.advisory) == ("no-tool", True)
    _, filed = ask(answer, *did("send_email", {"to": "bo@example.com"}))
    assert filed == []


def test_a_marked_secret_is_nobodys_deed() -> None:
    _, filed = ask("I have cancelled \u27e6withheld token 1\u27e7.")
    assert filed == []


@pytest.mark.parametrize(
    ("answer", "reason"),
    [("It is open.", "no-claimed-act"), ("I have cancelled it for you.", "not-declared")],
)
def test_an_answer_without_a_subject_says_why_it_is_not_judged(answer: str, reason: str) -> None:
    story = Story()
    story.declare(*([] if reason == "not-declared" else [CANCEL]))
    story.request(shown())
    story.respond(response(answer))
    assert story.row(KIND) == {"not_applicable": 1, "reasons": {reason: 1}}


def test_a_response_that_calls_a_tool_is_no_answer() -> None:
    story = Story()
    story.declare(CANCEL)
    story.request(shown())
    story.respond(response("I have cancelled it for you.", call("cancel_booking", {})))
    assert story.row(KIND)["reasons"] == {"no-answer": 1}


def test_under_the_original_rules_it_does_not_judge() -> None:
    story = Story()
    story.tell(
        Declared(
            step=0,
            at="",
            declarations=(CANCEL,),
            grounding="whole",
            posture="observe",
            checks=CheckRules(rules="original"),
        )
    )
    story.request(shown())
    story.respond(response("I have cancelled booking #A1234567."))
    assert story.row(KIND)["reasons"] == {"rules-original": 1}
