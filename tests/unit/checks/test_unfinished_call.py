from __future__ import annotations

import pytest

from groundwire.documents.frame import Response, ToolSpec
from tests.stories import Story, call, frame, message, response

KIND = "unfinished-call"
USER = message("user", "Write the setup page.")
CUT = '{"path":"setup.md","content":"# Setup\\n1. inst'


def told(given: Response, *tools: ToolSpec | str) -> Story:
    story = Story()
    story.request(frame(USER, tools=tools))
    story.respond(given)
    return story


@pytest.mark.parametrize(
    "given",
    [
        response(call("write_page", CUT), stop="length"),
        response(call("write_page", CUT), complete=False),
        response(call("run", '{"commands":["npm ci","npm test"'), stop="stop"),
        response(call("write_page", ""), stop="max_tokens"),
    ],
    ids=["cut by length", "no end of the stream", "whatever the provider says", "not begun"],
)
def test_a_call_whose_arguments_break_off_is_a_defect(given: Response) -> None:
    story = told(given)
    (finding,) = story.filed(KIND)
    assert (finding.seam, finding.grade, finding.advisory) == ("choice", "cut-arguments", False)
    assert story.row(KIND)["failed"] == 1


def test_a_whole_call_at_the_end_of_a_cut_response_is_a_place_to_look() -> None:
    story = told(response(call("write_page", '{"path":"setup.md"}'), stop="length"))
    (finding,) = story.filed(KIND)
    assert (finding.grade, finding.advisory) == ("cut-response", True)


@pytest.mark.parametrize(
    "given",
    [
        response(call("write_page", '{"path":"setup.md"}'), stop="tool_calls"),
        response(call("write_page", ""), stop="tool_calls"),
        response(call("write_page", "{'path': 'setup.md'}"), stop="tool_calls"),
        response(call("write_page", '{"path":"setup.md"}'), "And so", stop="length"),
    ],
    ids=["whole", "none written", "wrong, not cut", "text was cut, not the call"],
)
def test_what_does_not_break_off_is_silent(given: Response) -> None:
    story = told(given)
    assert story.filed(KIND) == []
    assert story.row(KIND) == {"passed": 1}


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (response("Done."), "no-call"),
        (response(call("find", CUT, by="provider")), "no-call"),
        (response(error="overloaded"), "error-response"),
    ],
)
def test_where_there_is_no_call_for_the_host_it_does_not_apply(
    given: Response, reason: str
) -> None:
    assert told(given).row(KIND)["reasons"] == {reason: 1}


def test_a_provider_run_call_at_the_end_of_a_cut_response_is_no_call_of_the_host() -> None:
    whole, searched = call("write_page", "{}"), call("web_search", "{}", "s1", by="provider")
    assert told(response(whole, searched, stop="length")).filed(KIND) == []


def test_a_tool_of_free_text_has_no_arguments_that_could_break_off() -> None:
    free = ToolSpec(name="patch", schema="")
    assert told(response(call("patch", "[1, 2", call_id="p")), free).filed(KIND) == []


def test_a_response_that_cannot_be_read_is_no_pass() -> None:
    story = Story()
    story.request(frame(USER))
    story.respond(None, reason="not-json")
    assert story.row(KIND)["unreachable"] == 1
