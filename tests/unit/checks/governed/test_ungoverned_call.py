"""Ungoverned call: what went past the table is found; what did not, or nobody can tell, is not."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from groundwire.checks.write.governed.coverage import coverage_of, coverage_words
from groundwire.documents.event import Authored, ChildStarted, Guarded
from groundwire.documents.frame import CallPart
from groundwire.documents.policy import ToolDeclaration
from tests.guarded import Call
from tests.stories import Story, call, frame, message, response, result

KIND = "ungoverned-call"
USER = message("user", "Put the rule back.")
WRITES = ToolDeclaration(name="edit", effect="write")
READS = ToolDeclaration(name="look", effect="read")


def guard(story: Story, call_id: str = "c1", *, name: str = "edit", lane: int | None = 0) -> None:
    """The call came to the table and was refused there."""
    number = sum(isinstance(event, Guarded) for event in story.events)
    told = Call(number, name=name, call_id=call_id or "x").refused()
    loose: dict[str, Any] = {"call_id": "", "link": "unlinked", "exchange": None}
    placed = {"lane": lane, "exchange": story.exchange, **(loose if lane is None else {})}
    story.tell(msgspec.structs.replace(told, step=len(story.events), **placed))


def chosen(*calls: CallPart, guards: bool = True, tools: tuple[ToolDeclaration, ...] = ()) -> Story:
    story = Story()
    story.declare(*(tools or (WRITES, READS)), guards=guards)
    story.request(frame(USER))
    story.respond(response(*calls))
    return story


def shown(story: Story, *calls: CallPart, text: str = "done", **more: Any) -> Story:
    """Every one of these calls has this result in the next request."""
    results = [result(text, each.call.id) for each in calls]
    story.request(frame(USER, message("assistant", *calls), *results), **more)
    return story


EDIT = call("edit", {"path": "a"}, "c1")
OTHER = call("edit", {"path": "b"}, "c2")


def test_a_raw_tool_beside_the_table_is_a_defect() -> None:
    story = chosen(EDIT, OTHER)
    guard(story, "c1")
    (finding,) = shown(story, EDIT, OTHER).filed(KIND)
    assert {each.id for each in finding.subjects} == {"c2", "edit"}
    assert (finding.seam, finding.advisory, finding.grade) == ("write", False, "write")
    assert "never came to the guarded table" in finding.message
    assert story.row(KIND)["grades"] == {"beside": 1, "guarded": 1}


def test_a_call_that_the_table_refused_came_to_it() -> None:
    story = chosen(EDIT)
    guard(story, "c1")
    assert shown(story, EDIT, text="Refused.").filed(KIND) == []


def test_without_a_guard_nothing_had_to_pass_it() -> None:
    story = shown(chosen(EDIT, guards=False), EDIT)
    story.end()
    assert story.filed(KIND) == []
    assert story.row(KIND) == {"not_applicable": 1, "reasons": {"no-guard": 1}}


def test_a_first_guarded_call_arms_it_for_the_results_before_as_well() -> None:
    story = shown(chosen(EDIT, guards=False), EDIT)
    story.respond(response(OTHER))
    guard(story, "c2")
    assert len(shown(story, EDIT, OTHER).filed(KIND)) == 1


def test_a_declared_guard_arms_it_where_no_call_came_to_the_table_at_all() -> None:
    assert len(shown(chosen(EDIT), EDIT).filed(KIND)) == 1


def test_a_tool_that_nobody_declared_is_a_place_to_look() -> None:
    handoff = call("transfer", {}, "c1")
    (finding,) = shown(chosen(handoff), handoff).filed(KIND)
    assert (finding.advisory, finding.grade) == (True, "unstated")


def test_an_execution_that_the_host_told_of_makes_it_a_defect() -> None:
    handoff = call("transfer", {}, "c1")
    story = chosen(handoff)
    story.execute("transfer")
    (finding,) = shown(story, handoff).filed(KIND)
    assert (finding.advisory, finding.grade) == (False, "ran-beside")


def test_a_declared_read_beside_the_table_is_silent_and_counted() -> None:
    look = call("look", {}, "c1")
    story = shown(chosen(look), look)
    assert story.filed(KIND) == []
    assert story.row(KIND)["grades"] == {"declared-read": 1}


def test_a_tool_that_the_provider_runs_is_silent() -> None:
    search = call("web_search", {}, "c1", by="provider")
    story = chosen(search)
    story.request(frame(USER, message("assistant", search), result("found", by="provider")))
    story.request(frame(USER, message("assistant", search), result("found", by="host")))
    assert story.filed(KIND) == []


def test_a_result_that_the_host_wrote_itself_is_silent() -> None:
    story = chosen(EDIT)
    text = "The user said no."
    story.tell(Authored(step=len(story.events), at="", text=text, kind="notice"))
    assert shown(story, EDIT, text=text).filed(KIND) == []
    assert story.row(KIND)["grades"] == {"authored": 1}


def test_a_call_that_no_response_of_this_run_chose_is_silent() -> None:
    story = Story()
    story.declare(WRITES, guards=True)
    assert shown(story, EDIT).filed(KIND) == []


def test_a_history_that_goes_on_in_another_lane_is_not_accused_again() -> None:
    story = chosen(EDIT)
    guard(story, "c1")
    shown(story, EDIT)
    assert shown(story, EDIT, lane=1).filed(KIND) == []


def test_a_call_that_waited_when_a_child_run_began_may_have_been_answered_there() -> None:
    story = chosen(EDIT)
    story.tell(ChildStarted(step=len(story.events), at="", run="run-child"))
    shown(story, EDIT)
    assert story.filed(KIND) == []
    assert story.row(KIND)["unreachable"] == 1
    story.respond(response(OTHER))
    assert len(shown(story, EDIT, OTHER).filed(KIND)) == 1


def test_a_retry_that_shows_the_same_result_again_is_one_finding() -> None:
    story = shown(chosen(EDIT), EDIT)
    shown(story, EDIT)
    shown(story, EDIT)
    (finding,) = story.filed(KIND)
    assert finding.count == 1


def test_parallel_calls_that_a_framework_gave_no_ids_are_told_by_their_names() -> None:
    story = chosen(EDIT, OTHER)
    guard(story, lane=None)
    guard(story, lane=None)
    shown(story, EDIT, OTHER)
    assert story.filed(KIND) == []
    assert story.row(KIND)["grades"] == {"guarded-by-name": 2}


def test_one_guarded_call_without_an_id_stands_for_one_call_only() -> None:
    story = chosen(EDIT, OTHER)
    guard(story, lane=None)
    shown(story, EDIT, OTHER)
    assert len(story.filed(KIND)) == 1


def test_a_guarded_call_of_another_name_that_is_linked_to_none_leaves_it_untold() -> None:
    story = chosen(EDIT)
    guard(story, name="edit_file", lane=None)
    shown(story, EDIT)
    assert story.filed(KIND) == []
    assert story.row(KIND)["unreachable"] == 1
    story.respond(response(OTHER))
    assert len(shown(story, EDIT, OTHER).filed(KIND)) == 1


def test_a_log_that_crossed_no_wire_is_not_judged() -> None:
    story = shown(chosen(EDIT), EDIT, wire=False)
    assert story.filed(KIND) == []
    assert coverage_of(story.engine.rows()).state == "unknown"


def test_several_states_of_one_guarded_call_count_once() -> None:
    story = chosen(EDIT, OTHER)
    for told in Call(0, name="edit").whole():
        loose = {"call_id": "", "link": "unlinked", "exchange": None, "lane": None}
        story.tell(msgspec.structs.replace(told, step=len(story.events), **loose))
    shown(story, EDIT, OTHER)
    assert len(story.filed(KIND)) == 1


@pytest.mark.parametrize(
    ("calls", "guarded", "words"),
    [
        (
            (EDIT,),
            ("c1",),
            (
                "coverage, measured on the wire: 1 of 1 call with a result in a later request came to"
                " the guarded table"
            ),
        ),
        (
            (EDIT, OTHER, call("look", {}, "c3")),
            ("c1",),
            (
                "coverage, measured on the wire: 1 of 3 calls with a result in a later request came to"
                " the guarded table, 1 did not, 1 went beside it to tools declared to read"
            ),
        ),
        (
            (),
            (),
            "coverage unknown: no result of a call was seen to cross a watched wire in this run",
        ),
    ],
)
def test_coverage_is_what_the_wire_measured(
    calls: tuple[CallPart, ...], guarded: tuple[str, ...], words: str
) -> None:
    story = chosen(*calls)
    for call_id in guarded:
        guard(story, call_id)
    shown(story, *calls)
    assert coverage_words(coverage_of(story.engine.rows())) == words


def test_a_guarded_call_waits_for_nothing_once_it_has_ended() -> None:
    """The next call with its name and arguments is the only one that a tool can run for."""
    story = chosen(EDIT)
    made = Call(0, name="edit", call_id="c1")
    for told in (made.decided(), made.intent()):
        story.tell(msgspec.structs.replace(told, step=len(story.events)))
    transcript = story.engine.transcript
    assert [each.call.id for each in transcript.waiting()] == ["c1"]
    story.tell(msgspec.structs.replace(made.executed(), step=len(story.events)))
    assert transcript.waiting() == []
    assert transcript.called[0].guarded
