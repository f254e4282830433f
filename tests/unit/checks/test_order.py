from __future__ import annotations

import pytest

from groundwire.documents.frame import Message, ResultPart
from tests.stories import Story, call, frame, message, result

KIND = "result-out-of-order"
USER = message("user", "How warm are hall A and hall B?")
TWO = message("assistant", call("warmth", call_id="p1"), call("warmth", call_id="p2"))


def test_parallel_results_in_another_order_are_an_advisory() -> None:
    story = Story()
    (finding,) = story.request(frame(USER, TWO, result("4", "p2"), result("31", "p1")))
    assert (finding.kind, finding.seam, finding.advisory) == (KIND, "write", True)
    assert [subject.id for subject in finding.subjects] == ["p1", "p2"]
    assert [witness.value for witness in finding.witnesses] == ["p1, p2", "p2, p1"]
    assert story.row(KIND) == {"passed": 1, "advised": 1}


@pytest.mark.parametrize(
    "messages",
    [
        (USER, TWO, result("31", "p1"), result("4", "p2")),
        (USER, TWO, message("user", ResultPart("p1", "31"), ResultPart("p2", "4"))),
    ],
)
def test_results_in_the_order_of_their_calls_are_silent(messages: tuple[Message, ...]) -> None:
    story = Story()
    assert story.request(frame(*messages)) == ()
    assert story.row(KIND) == {"passed": 1}


@pytest.mark.parametrize(
    "messages",
    [
        (USER,),
        (USER, message("assistant", call("warmth")), result("31")),
        (USER, TWO, result("4", "p2")),
        (
            USER,
            message("assistant", call("warmth", call_id=""), call("warmth", call_id="")),
            result("4", ""),
            result("31", ""),
        ),
        (
            USER,
            message("assistant", call("warmth", call_id="p"), call("warmth", call_id="p")),
            result("4", "p"),
            result("31", "p"),
        ),
    ],
    ids=["no-call", "one-call", "one-result", "no-ids", "one-id"],
)
def test_where_there_is_no_order_to_compare_the_check_does_not_apply(
    messages: tuple[Message, ...],
) -> None:
    story = Story()
    story.request(frame(*messages))
    assert story.filed(KIND) == []
    assert story.row(KIND) == {"not_applicable": 1, "reasons": {"no-parallel-results": 1}}


def test_the_same_turn_in_later_requests_is_one_finding() -> None:
    story = Story()
    shown = [USER, TWO, result("4", "p2"), result("31", "p1")]
    story.request(frame(*shown))
    story.request(frame(*shown, message("assistant", "31 and 4."), USER))
    (finding,) = story.filed(KIND)
    assert finding.count == 2


def test_a_request_that_cannot_be_read_is_unreachable() -> None:
    story = Story()
    story.request(None, reason="not-json")
    assert story.row(KIND) == {"unreachable": 1, "reasons": {"not-json": 1}}
