from __future__ import annotations

import pytest

from groundwire.checks.engine import Engine
from groundwire.checks.write.pairing import UnpairedCall
from groundwire.checks.write.turns import Turns
from groundwire.documents.frame import Media, Message, ResultPart
from tests.stories import Story, call, frame, message, response, result

KIND = "unpaired-call"
USER = message("user", "Look at db-7 and db-8.")
ONE = message("assistant", call("look", call_id="c1"))
TWO = message("assistant", call("look", call_id="c1"), call("look", call_id="c2"))
AND_NOW = message("user", "And now?")


def grades(*messages: Message, held: str | None = None) -> list[str]:
    story = Story()
    story.request(frame(*messages, held=held))
    return [finding.grade for finding in story.filed(KIND)]


@pytest.mark.parametrize(
    "messages",
    [
        (USER,),
        (USER, ONE, result("up")),
        (USER, TWO, result("up", "c1"), result("up", "c2"), AND_NOW),
        (USER, TWO, result("up", "c2"), result("up", "c1"), AND_NOW),
        (USER, TWO, message("user", ResultPart("c1", "a"), ResultPart("c2", "b"), "And?")),
        (
            USER,
            message("assistant", call("look", call_id="c1")),
            message("assistant", call("look", call_id="c2")),
            result("up", "c1"),
            result("up", "c2"),
            AND_NOW,
        ),
        (
            USER,
            message("assistant", call("search", call_id="s1", by="provider"), "Found."),
            AND_NOW,
        ),
        (
            USER,
            message("assistant", ResultPart("s1", "found", executed_by="provider")),
            AND_NOW,
        ),
        (USER, message("user", ResultPart("s1", "found", executed_by="provider")), AND_NOW),
        (USER, ONE, result("up"), message("assistant", "Up."), AND_NOW),
    ],
    ids=[
        "no-call",
        "pair",
        "parallel",
        "parallel-reversed",
        "blocks",
        "items",
        "provider-call",
        "provider-result",
        "provider-result-sent-back",
        "conversation",
    ],
)
def test_paired_calls_are_silent(messages: tuple[Message, ...]) -> None:
    assert grades(*messages) == []


@pytest.mark.parametrize(
    "messages",
    [
        (USER, ONE),
        (USER, TWO, result("up", "c1")),
        (
            USER,
            message("assistant", call("look", call_id="c1")),
            message("assistant", call("look", call_id="c2")),
            result("up", "c2"),
        ),
    ],
    ids=["last-message", "partly-answered", "items"],
)
def test_calls_of_the_last_turn_may_still_be_waiting(messages: tuple[Message, ...]) -> None:
    assert grades(*messages) == []


def test_a_call_that_the_conversation_moved_past_has_no_result() -> None:
    story = Story()
    (finding,) = story.request(frame(USER, TWO, result("up", "c1"), AND_NOW))
    assert (finding.grade, finding.advisory) == ("no-result", False)
    assert [(subject.kind, subject.id) for subject in finding.subjects] == [
        ("call", "c2"),
        ("tool", "look"),
    ]
    assert "`look (c2)`" in finding.message


def test_a_later_assistant_turn_is_moving_on_too() -> None:
    assert grades(USER, ONE, AND_NOW, message("assistant", "It is up.")) == ["no-result"]


def test_an_answer_given_while_a_parallel_result_was_missing_files_it_at_once() -> None:
    story = Story()
    assert story.request(frame(USER, TWO, result("up", "c1"))) == ()
    (finding,) = story.respond(response("Both are up."))
    assert finding.grade == "no-result"
    shown = frame(USER, TWO, result("up", "c1"), message("assistant", "Both are up."), AND_NOW)
    assert story.request(shown) == ()
    assert story.filed(KIND)[0].count == 2


def test_an_error_in_place_of_an_answer_files_nothing() -> None:
    story = Story()
    story.request(frame(USER, TWO, result("up", "c1")))
    assert story.respond(response(error="bad request")) == ()
    assert story.respond(None, reason="no-response") == ()


def test_a_result_whose_call_never_stood_there_is_told_from_one_whose_call_was_dropped() -> None:
    assert grades(USER, result("up", "c9")) == ["no-call"]
    story = Story()
    story.request(frame(USER, ONE, result("up")))
    story.request(frame(result("up"), AND_NOW))
    (finding,) = story.filed(KIND)
    assert (finding.grade, finding.advisory) == ("evicted-call", False)
    assert "dropped the call" in finding.message


def test_a_call_known_only_from_its_response_counts_as_seen() -> None:
    story = Story()
    story.request(frame(USER))
    story.respond(response(call("look", call_id="c5")))
    story.request(frame(USER, result("up", "c5")))
    assert [finding.grade for finding in story.filed(KIND)] == ["evicted-call"]


def test_a_call_whose_result_the_window_dropped_is_told_from_one_without() -> None:
    story = Story()
    story.request(frame(USER, ONE, result("up"), AND_NOW))
    (finding,) = story.request(frame(USER, ONE, AND_NOW))
    assert finding.grade == "evicted-result"


def test_a_result_before_its_call_answers_nothing() -> None:
    assert sorted(grades(USER, result("up"), ONE, AND_NOW)) == ["evicted-call", "evicted-result"]


def test_the_same_unpaired_call_in_later_requests_is_one_finding_with_a_count() -> None:
    story = Story()
    shown = [USER, ONE, AND_NOW]
    for _ in range(4):
        story.request(frame(*shown))
        shown.append(message("assistant", "Hm."))
        shown.append(AND_NOW)
    (finding,) = story.filed(KIND)
    assert (finding.count, finding.last_step) == (4, 3)
    assert story.row(KIND)["failed"] == 4


def test_a_finding_is_repaired_when_the_result_comes_late() -> None:
    story = Story()
    story.request(frame(USER, ONE, AND_NOW))
    story.request(frame(USER, ONE, AND_NOW, result("up")))
    assert story.filed(KIND)[0].count == 1
    assert story.row(KIND)["passed"] == 1


def test_results_without_an_id_cannot_be_told_apart() -> None:
    story = Story()
    (finding,) = story.request(frame(USER, TWO, result("4", ""), result("31", ""), AND_NOW))
    assert finding.grade == "no-id"
    assert "2 results name no call id" in finding.message


def test_calls_and_results_that_both_have_no_id_pair_by_their_order() -> None:
    nameless = message("assistant", call("look", call_id=""), call("look", call_id=""))
    shown = (USER, nameless, result("4", ""), result("31", ""))
    again = (message("assistant", call("look", call_id="")), result("5", ""), AND_NOW)
    assert grades(*shown, *again) == []
    assert grades(USER, nameless, result("4", ""), AND_NOW) == ["no-result"]


def test_one_id_for_two_calls_of_a_turn_is_a_defect() -> None:
    same = message("assistant", call("look", call_id="c1"), call("stop", call_id="c1"))
    story = Story()
    (finding,) = story.request(frame(USER, same, result("a"), result("b"), AND_NOW))
    assert (finding.grade, finding.advisory) == ("doubled-id", False)


def test_an_id_that_a_later_turn_uses_again_is_a_place_to_look() -> None:
    story = Story()
    (finding,) = story.request(frame(USER, ONE, result("a"), ONE, result("b"), AND_NOW))
    assert (finding.grade, finding.advisory) == ("reused-id", True)
    assert story.row(KIND) == {"passed": 1, "advised": 1}


def test_a_reused_id_hides_no_missing_result() -> None:
    assert sorted(grades(USER, ONE, AND_NOW, ONE, result("b"), AND_NOW)) == [
        "evicted-result",
        "reused-id",
    ]


def test_two_results_for_one_call_are_a_place_to_look() -> None:
    story = Story()
    (finding,) = story.request(frame(USER, ONE, result("a"), result("b"), AND_NOW))
    assert (finding.grade, finding.advisory) == ("second-result", True)


def test_a_missing_pair_and_a_doubled_id_of_one_call_are_two_findings() -> None:
    same = message("assistant", call("look", call_id="c1"), call("look", call_id="c1"))
    assert len(grades(USER, same, AND_NOW)) == 2


def test_a_result_whose_call_the_provider_keeps_is_not_accused() -> None:
    story = Story()
    story.request(frame(USER))
    story.respond(response(call("look", call_id="c1")))
    assert story.request(frame(result("up"), held="resp_1")) == ()
    assert story.row(KIND)["passed"] == 1
    assert story.request(frame(result("up", "c7"), held="resp_2")) == ()
    assert story.row(KIND)["reasons"] == {"held-by-provider": 1, "no-call": 1}


def test_lanes_do_not_complete_one_another() -> None:
    story = Story()
    story.request(frame(USER, ONE, AND_NOW), lane=1)
    story.request(frame(USER, result("up")), lane=2)
    assert sorted(finding.grade for finding in story.filed(KIND)) == ["evicted-call", "no-result"]


def test_interleaved_conversations_of_several_lanes_file_nothing() -> None:
    story = Story()
    lanes = {
        1: [USER, ONE, result("up"), message("assistant", "Up."), AND_NOW],
        2: [message("user", "Summarise: c1 c2 c3")],
        3: [message("user", "Route it."), message("assistant", "left"), AND_NOW],
    }
    for length in range(1, 6):
        for lane, messages in lanes.items():
            story.request(frame(*messages[:length]), lane=lane)
            story.respond(response("ok"), lane=lane)
    assert story.news == []


@pytest.mark.parametrize(("shown", "reason"), [(None, "withheld"), (None, "")])
def test_a_request_that_cannot_be_read_is_unreachable(shown: None, reason: str) -> None:
    story = Story()
    story.request(shown, reason=reason)
    assert story.row(KIND) == {
        "unreachable": 1,
        "reasons": {reason or "unreadable-body": 1},
    }


def test_a_conversation_that_grows_costs_what_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Message] = []
    add = Turns._add

    def counted(turns: Turns, one: Message) -> None:
        read.append(one)
        add(turns, one)

    monkeypatch.setattr(Turns, "_add", counted)
    engine = Engine([UnpairedCall()])
    story = Story(engine)
    messages: list[Message] = [USER]
    for number in range(100):
        call_id = f"c{number}"
        messages += [message("assistant", call("look", call_id=call_id)), result("up", call_id)]
        story.request(frame(*messages))
    assert story.news == []
    assert len(read) == len(messages)


def test_a_picture_in_a_result_does_not_end_the_turn() -> None:
    picture = Media(media_type="image/png", digest="sha256:" + "0" * 64, size=9)
    pictured = message("tool", ResultPart("c1", "seen", opaque=1), picture)
    assert grades(USER, TWO, pictured) == []
    assert grades(USER, TWO, pictured, AND_NOW) == ["no-result"]
