from __future__ import annotations

import pytest

from groundwire.documents.frame import Message, ResultPart
from groundwire.documents.policy import ToolDeclaration
from tests.stories import Story, call, frame, message, response, result

KIND = "partial-result"
USER = message("user", "Which shifts are open?")
WHOLE = '{"total":4,"shifts":[{"id":"S-1"},{"id":"S-2"},{"id":"S-3"},{"id":"S-4"}]}'
PAGE = '{"total":4,"next":"p2","shifts":[{"id":"S-1"},{"id":"S-2"}]}'
ASKED = message("assistant", call("shifts"))


def told(
    served: str, *tools: ToolDeclaration, returned: str | None = None, **more: object
) -> tuple[Story, list[Message]]:
    story = Story()
    story.declare(*tools)
    story.request(frame(USER))
    story.respond(response(call("shifts")))
    if returned is not None:
        story.execute("shifts", "{}", result=returned, **more)  # type: ignore[arg-type]  # shorthand
    messages = [USER, ASKED, result(served)]
    story.request(frame(*messages))
    return story, messages


@pytest.mark.parametrize(
    ("served", "grade"),
    [(WHOLE[:50], "prefix"), (WHOLE[:50] + "\n[output cut at 50 characters]", "cut")],
)
def test_less_than_the_tool_returned_is_a_place_to_look(served: str, grade: str) -> None:
    story, _ = told(served, returned=WHOLE)
    (finding,) = story.filed(KIND)
    assert (finding.seam, finding.grade, finding.advisory) == ("write", grade, True)


def test_a_mark_of_a_cut_needs_no_execution() -> None:
    story, _ = told(WHOLE[:50] + "\n[output truncated]")
    assert [finding.grade for finding in story.filed(KIND)] == ["cut"]


def test_structured_content_that_was_not_served_is_a_place_to_look() -> None:
    story, _ = told("4 shifts", returned="4 shifts", structured=WHOLE)
    assert [finding.grade for finding in story.filed(KIND)] == ["content-only"]


@pytest.mark.parametrize(
    ("tool", "grade"),
    [
        (ToolDeclaration(name="shifts", rows_at="$.shifts", total_at="$.total"), "total"),
        (ToolDeclaration(name="shifts", next_at="$.next"), "next-page"),
    ],
)
def test_a_page_is_partial_only_when_the_turn_ends_without_the_next(
    tool: ToolDeclaration, grade: str
) -> None:
    story, _ = told(PAGE, tool)
    assert story.filed(KIND) == []
    story.respond(response("Two are open."))
    assert [finding.grade for finding in story.filed(KIND)] == [grade]


def test_a_page_that_was_followed_is_silent() -> None:
    story, messages = told(PAGE, ToolDeclaration(name="shifts", next_at="$.next"))
    more = call("shifts", {"page": "p2"}, call_id="c2")
    story.respond(response(more))
    last = message("tool", ResultPart("c2", '{"next":null,"shifts":[{"id":"S-3"}]}'))
    story.request(frame(*messages, message("assistant", more), last))
    story.respond(response("Three are open."))
    assert story.filed(KIND) == []


def test_a_whole_result_is_silent_and_counted() -> None:
    story, _ = told(WHOLE, returned=WHOLE)
    assert story.filed(KIND) == []
    assert story.row(KIND)["grades"] == {"whole": 1}


def test_where_nothing_shows_that_there_was_more_it_is_no_pass() -> None:
    story, _ = told("4 shifts")
    assert story.row(KIND)["reasons"]["nothing-to-compare"] == 1  # type: ignore[index]  # a count


def test_an_error_has_no_rest() -> None:
    story, _ = told("Error: the service was cut off [truncated]")
    assert story.filed(KIND) == []
