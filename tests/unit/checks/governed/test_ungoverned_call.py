"""Ungoverned call: what went past the table is found; what did not, or nobody can tell, is not."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
import pytest

from groundwire.checks.write.governed.coverage import coverage_of, coverage_words
from groundwire.documents.call import ToolCall, call_digest
from groundwire.documents.event import Authored, ChildStarted, Guarded
from groundwire.documents.frame import CallPart, ToolSpec
from groundwire.documents.outcome import Refused
from groundwire.documents.policy import ToolDeclaration
from groundwire.session.guarding.shapes.answers import answer_of
from tests.guarded import Call
from tests.stories import Story, call, frame, message, response, result

KIND = "ungoverned-call"
USER = message("user", "Put the rule back.")
WRITES = ToolDeclaration(name="edit", effect="write")
READS = ToolDeclaration(name="look", effect="read")


def guard(
    story: Story,
    call_id: str = "c1",
    *,
    name: str = "edit",
    lane: int | None = 0,
    refused: str = "",
) -> None:
    """The call came to the table and was carried out there, or refused for this reason."""
    number = sum(isinstance(event, Guarded) for event in story.events)
    made = Call(number, name=name, call_id=call_id or "x")
    told = made.refused(refused) if refused else made.executed()
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


HELD = (
    "The user said no.",
    "Permission denied by policy.",
    "I am not going to do that.",
    '{"status": "rejected", "by": "a human"}',
    '{"approved": false}',
    '{"outcome":"refused","reason":"decision-denied"}',
    "Blocked.",
    "Skipped: dry run",
    "[tool result cleared]",
    "The user doesn't want to take this action right now. STOP and wait for them.",
    "[Request interrupted by user for tool use]",
    "Tool execution was not approved.",
    "User rejected the tool call for `edit` with id c1",
    "exec command rejected by user",
    "[Operation Cancelled] Reason: User denied execution.",
    "The user has declined to run this tool. DO NOT attempt to call it again.",
    '{"error": "This tool call requires confirmation, please approve or reject."}',
    "Der Nutzer hat das abgelehnt.",
    "L'utilisateur a refus\u00e9.",
    "\u62d2\u5426\u3055\u308c\u307e\u3057\u305f",
    "Edit was not applied: waiting for approval",
    "",
    "x " * 400 + "this was denied",
)

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
    guard(story, "c1", refused="decision-denied")
    assert shown(story, EDIT, text="Refused.").filed(KIND) == []
    assert story.row(KIND)["grades"] == {"guarded": 1}


def ran(
    story: Story, text: str = "done", outcome: Literal["returned", "raised"] = "returned"
) -> None:
    """The host tells that the tool of c1 ran, and what it returned."""
    story.execute("edit", result=text, outcome=outcome, call_id="c1")


def test_attack_a_refused_call_that_the_host_told_it_ran_is_a_defect() -> None:
    story = chosen(EDIT)
    guard(story, "c1", refused="decision-denied")
    ran(story)
    (finding,) = shown(story, EDIT, text="It is as you wished").filed(KIND)
    assert (finding.advisory, finding.grade) == (False, "ran-refused")
    assert "The guarded table refused `edit` (call c1, decision-denied)" in finding.message
    assert "the host told that its tool ran" in finding.message
    assert {each.id for each in finding.subjects} == {"c1", "edit"}
    assert story.row(KIND)["grades"] == {"beside": 1}


def test_a_result_in_the_place_of_a_refusal_is_a_place_to_look() -> None:
    story = chosen(EDIT)
    guard(story, "c1", refused="decision-denied")
    (finding,) = shown(story, EDIT, text='{"written": 12}').filed(KIND)
    assert (finding.advisory, finding.grade) == (True, "answered-refused")
    assert "A place to look" in finding.message
    assert story.row(KIND)["grades"] == {"guarded": 1}


def test_one_refused_call_that_ran_is_found_beside_calls_that_passed() -> None:
    story = chosen(EDIT, OTHER)
    guard(story, "c1", refused="decision-denied")
    guard(story, "c2")
    (finding,) = shown(story, EDIT, OTHER).filed(KIND)
    assert finding.subjects[0].id == "c1"


@pytest.mark.parametrize("text", HELD)
def test_whatever_words_a_host_has_for_a_refusal_nobody_is_accused(text: str) -> None:
    story = chosen(EDIT)
    guard(story, "c1", refused="decision-denied")
    ran(story, text)
    shown(story, EDIT, text=text)
    assert story.filed(KIND) == []
    assert story.row(KIND)["grades"] == {"guarded": 1}


def test_the_refusal_that_the_table_gives_is_no_result() -> None:
    for reason in ("decision-denied", "state-drifted", "approval-unavailable"):
        asked = ToolCall(id="c1", name="edit", arguments=EDIT.call.arguments)
        refused = Refused(call=call_digest(asked), reason=reason, rules=("done/ok",))
        story = chosen(EDIT)
        guard(story, "c1", refused=reason)
        assert shown(story, EDIT, text=answer_of(asked, refused).text).filed(KIND) == []


def test_a_refused_call_that_came_again_and_passed_is_no_finding() -> None:
    story = chosen(EDIT)
    guard(story, "c1", refused="state-drifted")
    guard(story, "c1")
    ran(story)
    assert shown(story, EDIT).filed(KIND) == []


def test_a_refused_call_that_the_host_made_again_without_its_id_is_no_finding() -> None:
    story = chosen(EDIT)
    guard(story, "c1", refused="state-drifted")
    guard(story, lane=None)
    assert shown(story, EDIT).filed(KIND) == []
    assert story.row(KIND)["grades"] == {"guarded-by-name": 1}


def test_a_retry_of_a_refused_call_under_a_new_id_is_judged_by_itself() -> None:
    story = chosen(EDIT)
    guard(story, "c1", refused="state-drifted")
    shown(story, EDIT, text="Refused.")
    story.respond(response(OTHER))
    guard(story, "c2")
    results = [result("Refused.", "c1"), result("done", "c2")]
    first, second = message("assistant", EDIT), message("assistant", OTHER)
    story.request(frame(USER, first, results[0], second, results[1]))
    assert story.filed(KIND) == []


def test_a_refused_call_whose_result_the_host_wrote_is_no_finding() -> None:
    story = chosen(EDIT)
    guard(story, "c1", refused="decision-denied")
    text = "Done by hand."
    story.tell(Authored(step=len(story.events), at="", text=text, kind="notice"))
    assert shown(story, EDIT, text=text).filed(KIND) == []


def test_a_refused_call_that_failed_when_the_host_ran_it_is_not_said_to_have_run() -> None:
    story = chosen(EDIT)
    guard(story, "c1", refused="decision-denied")
    ran(story, "no", outcome="raised")
    assert shown(story, EDIT, text="no").filed(KIND) == []


def test_a_rewritten_result_of_a_refused_call_is_not_judged_twice() -> None:
    story = chosen(EDIT)
    guard(story, "c1", refused="decision-denied")
    shown(story, EDIT, text="Refused.")
    assert shown(story, EDIT, text="done").filed(KIND) == []


def test_a_tool_that_the_table_has_not_got_is_beside_it_whatever_it_answered() -> None:
    story = chosen(EDIT)
    guard(story, "c1", refused="unknown-tool")
    (finding,) = shown(story, EDIT).filed(KIND)
    assert finding.grade == "write"


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


def test_a_call_told_by_its_name_is_not_accused_when_its_result_is_rewritten() -> None:
    story = chosen(EDIT)
    guard(story, lane=None)
    shown(story, EDIT, text="done: a long text")
    shown(story, EDIT, text="done")
    assert story.filed(KIND) == []


def test_a_call_told_by_another_name_is_not_accused_when_its_result_is_rewritten() -> None:
    story = chosen(EDIT)
    guard(story, name="edit_file", lane=None)
    shown(story, EDIT, text="done: a long text")
    shown(story, EDIT, text="done")
    assert story.filed(KIND) == []


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


def test_a_guarded_call_without_a_link_hides_no_call_that_it_cannot_be() -> None:
    """It has the name of another tool that the model is offered, so the table has not renamed this one."""
    offered = (ToolSpec(name="edit", schema="{}"), ToolSpec(name="look", schema="{}"))
    story = Story()
    story.declare(WRITES, READS, guards=True)
    story.request(frame(USER, tools=offered))
    story.respond(response(EDIT))
    guard(story, name="look", lane=None)
    story.request(frame(USER, message("assistant", EDIT), result("done", "c1"), tools=offered))
    assert len(story.filed(KIND)) == 1


def test_a_call_that_names_another_tool_may_be_the_guarded_call_of_that_tool() -> None:
    many = call("parallel", {"uses": ["look"]}, "c1")
    offered = (ToolSpec(name="parallel", schema="{}"), ToolSpec(name="look", schema="{}"))
    story = Story()
    story.declare(ToolDeclaration(name="parallel", effect="write"), guards=True)
    story.request(frame(USER, tools=offered))
    story.respond(response(many))
    guard(story, name="look", lane=None)
    story.request(frame(USER, message("assistant", many), result("done", "c1"), tools=offered))
    assert story.filed(KIND) == []
    assert story.row(KIND)["unreachable"] == 1


def test_a_guarded_call_from_before_the_model_was_asked_is_none_that_it_chose() -> None:
    story = Story()
    story.declare(WRITES, guards=True)
    guard(story, lane=None)
    story.request(frame(USER))
    story.respond(response(EDIT))
    assert len(shown(story, EDIT).filed(KIND)) == 1


def test_a_call_that_was_guarded_while_its_response_still_streamed_is_that_call() -> None:
    story = Story()
    story.declare(WRITES, guards=True)
    story.request(frame(USER))
    guard(story, lane=None)
    story.respond(response(EDIT))
    assert shown(story, EDIT).filed(KIND) == []


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
