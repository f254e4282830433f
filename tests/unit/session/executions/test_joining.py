from __future__ import annotations

import pytest

from groundwire.checks.transcript import Transcript
from groundwire.session.executions.joining import UNLINKED, joined
from tests.stories import Story, call, frame, message, response, result

USER = message("user", "Go.")


def told(*responses: object, lanes: tuple[int, ...] = ()) -> Story:
    story = Story()
    for number, given in enumerate(responses):
        lane = lanes[number] if lanes else 0
        story.request(frame(USER), lane=lane)
        story.respond(given, lane=lane)
    return story


def find(
    transcript: Transcript,
    *,
    call_id: str = "",
    name: str = "find",
    arguments: str | None = '{"a":1}',
    lane: int | None = None,
) -> tuple[str, int | None, str]:
    found = joined(transcript, lane=lane, call_id=call_id, name=name, arguments=arguments)
    if found.call is None:
        return "", None, found.link
    return found.call.call.id, found.call.lane, found.link


ONE = call("find", '{"a": 1}', "c1")
TWO = call("find", '{"a": 2}', "c2")
SAME = call("find", '{"a":1.0}', "c3")


def test_the_id_that_the_host_gives_goes_first() -> None:
    transcript = told(response(ONE, TWO)).engine.transcript
    assert find(transcript, call_id="c2") == ("c2", 0, "id")


def test_an_id_that_no_call_has_links_nothing_whatever_else_fits() -> None:
    transcript = told(response(ONE)).engine.transcript
    assert find(transcript, call_id="c9") == ("", None, "unlinked")


def test_without_an_id_the_only_waiting_call_with_equal_name_and_arguments_is_meant() -> None:
    transcript = told(response(ONE, TWO)).engine.transcript
    assert find(transcript) == ("c1", 0, "only")
    assert find(transcript, arguments='{"a":2}') == ("c2", 0, "only")


@pytest.mark.parametrize(
    ("name", "arguments"), [("drain", '{"a":1}'), ("find", '{"a":3}'), ("find", None)]
)
def test_a_call_that_differs_in_name_or_arguments_is_not_it(
    name: str, arguments: str | None
) -> None:
    transcript = told(response(ONE)).engine.transcript
    assert joined(transcript, lane=0, call_id="", name=name, arguments=arguments) == UNLINKED


def test_of_two_calls_that_fit_neither_is_taken() -> None:
    transcript = told(response(ONE, SAME)).engine.transcript
    assert find(transcript) == ("", None, "unlinked")


def test_a_call_that_was_answered_does_not_wait() -> None:
    story = told(response(ONE))
    story.request(frame(USER, message("assistant", ONE), result("up")))
    assert find(story.engine.transcript) == ("", None, "unlinked")
    # Its id still means it.
    assert find(story.engine.transcript, call_id="c1") == ("c1", 0, "id")


def test_calls_of_other_lanes_are_looked_at_where_the_host_names_none() -> None:
    transcript = told(response(TWO), response(ONE), lanes=(0, 1)).engine.transcript
    assert find(transcript) == ("c1", 1, "only")
    assert find(transcript, lane=0) == ("", None, "unlinked")


def test_one_id_in_two_lanes_means_the_call_that_still_waits() -> None:
    story = told(response(ONE), response(ONE), lanes=(0, 1))
    assert find(story.engine.transcript, call_id="c1") == ("", None, "unlinked")
    assert find(story.engine.transcript, call_id="c1", lane=1) == ("c1", 1, "id")
    story.request(frame(USER, message("assistant", ONE), result("up")))
    assert find(story.engine.transcript, call_id="c1") == ("c1", 1, "id")


def test_a_call_that_the_provider_runs_is_never_the_hosts() -> None:
    transcript = told(response(call("find", {"a": 1}, "c1", by="provider"))).engine.transcript
    assert find(transcript) == ("", None, "unlinked")


def test_a_call_without_an_id_cannot_be_named() -> None:
    transcript = told(response(call("find", {"a": 1}, ""))).engine.transcript
    assert find(transcript) == ("", None, "unlinked")
