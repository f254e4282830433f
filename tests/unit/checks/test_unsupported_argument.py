from __future__ import annotations

import pytest

from groundwire.checks.choice.unsupported_argument import UnsupportedArgument
from groundwire.checks.engine import Engine
from groundwire.documents.frame import Media, ResultPart
from groundwire.documents.policy import ToolDeclaration
from tests.stories import Story, call, frame, message, response, result

KIND = "unsupported-argument"
ARMED = ToolDeclaration(name="restart", arguments_from=("list_hosts", "find_host"))
USER = message("user", "Restart db-7.")


def alone() -> Story:
    return Story(Engine((UnsupportedArgument(),)))


def armed(**options: object) -> Story:
    story = alone()
    story.declare(ARMED, **options)
    return story


def test_an_invented_argument_of_a_declared_tool_is_a_defect() -> None:
    story = armed()
    story.request(frame(USER))
    (finding,) = story.respond(response(call("restart", {"host": "db-9"})))
    assert (finding.kind, finding.seam, finding.grade) == (KIND, "choice", "nowhere")
    assert finding.path == "/host"
    assert [subject.id for subject in finding.subjects] == ["restart"]
    assert [witness.value for witness in finding.witnesses] == ["db-9", "nowhere"]
    assert "list_hosts` or `find_host`." in finding.message
    assert "not blocked" in finding.message
    assert story.row(KIND) == {"failed": 1, "grades": {"nowhere": 1}}


def test_a_served_argument_is_a_pass() -> None:
    story = armed()
    story.request(frame(USER))
    assert story.respond(response(call("restart", {"host": "DB-7"}))) == ()
    assert story.row(KIND) == {"passed": 1, "grades": {"exact:case": 1}}


def test_the_request_that_was_answered_is_the_one_that_counts() -> None:
    story = armed()
    story.request(frame(USER))
    story.request(frame(message("user", "Restart db-9.")), lane=1)
    story.request(frame(message("user", "Never mind.")))
    assert story.respond(response(call("restart", {"host": "db-7"})), exchange=0) == ()
    assert story.respond(response(call("restart", {"host": "db-9"})), exchange=1, lane=1) == ()
    assert story.respond(response(call("restart", {"host": "db-7"})), exchange=2) != ()


def test_two_bad_arguments_of_one_response_are_two_findings_and_one_encounter() -> None:
    story = armed()
    story.request(frame(USER))
    call_part = call("restart", {"host": "db-9", "rack": ["rack-44"]})
    assert len(story.respond(response(call_part))) == 2
    assert story.row(KIND)["failed"] == 1


def test_the_same_bad_argument_is_one_finding_with_a_count_and_another_value_is_another() -> None:
    story = armed()
    for _ in range(3):
        story.request(frame(USER))
        story.respond(response(call("restart", {"host": "db-9"})))
    story.request(frame(USER))
    story.respond(response(call("restart", {"host": "db-8"})))
    first, second = story.filed(KIND)
    assert (first.count, first.step, first.last_step) == (3, 2, 6)
    assert second.count == 1


def test_an_undeclared_tool_is_never_examined() -> None:
    story = armed()
    story.request(frame(USER))
    assert story.respond(response(call("delete", {"host": "db-9"}))) == ()
    assert story.row(KIND) == {"not_applicable": 1, "reasons": {"no-armed-call": 1}}


def test_where_nothing_is_declared_the_row_says_so() -> None:
    story = alone()
    story.request(frame(USER))
    story.respond(response(call("restart", {"host": "db-9"})))
    assert story.row(KIND) == {"not_applicable": 1, "reasons": {"not-declared": 1}}


def test_arm_all_examines_every_tool_of_the_host_and_none_of_the_providers() -> None:
    story = alone()
    story.declare(arm_all=True)
    story.request(frame(USER))
    assert len(story.respond(response(call("delete", {"host": "db-9"})))) == 1
    story.request(frame(USER))
    assert story.respond(response(call("web_search", {"query": "db-9 down"}, by="provider"))) == ()
    assert story.row(KIND)["reasons"] == {"no-armed-call": 1}


def test_a_message_without_declared_sources_says_how_to_declare_them() -> None:
    story = alone()
    story.declare(arm_all=True)
    story.request(frame(USER))
    (finding,) = story.respond(response(call("delete", {"host": "db-9"})))
    assert "arguments_from" in finding.message


def test_a_provider_runs_no_armed_call_even_by_a_declared_name() -> None:
    story = armed()
    story.request(frame(USER))
    assert story.respond(response(call("restart", {"host": "db-9"}, by="provider"))) == ()


@pytest.mark.parametrize(
    ("given", "reason", "word"),
    [
        (None, "no-response", "not_applicable"),
        (None, "withheld", "unreachable"),
        (None, "", "unreachable"),
        (response(error="overloaded"), "", "not_applicable"),
        (response(call("restart", {"host": "db-9"}), error="refused"), "", "not_applicable"),
        (response("Done."), "", "not_applicable"),
        (response(call("restart", {"count": 3})), "", "not_applicable"),
        (response(call("restart", '{"host":"db-')), "", "unreachable"),
    ],
    ids=[
        "no-answer",
        "withheld",
        "unreadable",
        "error",
        "error-with-a-call",
        "no-call",
        "no-text",
        "cut-arguments",
    ],
)
def test_every_way_out_leaves_a_note(given: object, reason: str, word: str) -> None:
    story = armed()
    story.request(frame(USER))
    assert story.respond(given, reason=reason) == ()  # type: ignore[arg-type] -- parametrized
    assert story.row(KIND)[word] == 1


def test_a_request_that_could_not_be_read_makes_the_check_unreachable() -> None:
    story = armed()
    story.request(None, reason="redacted")
    story.respond(response(call("restart", {"host": "db-9"})))
    assert story.row(KIND) == {"unreachable": 1, "reasons": {"redacted": 1}}


def test_a_response_to_a_request_nobody_saw_is_unreachable() -> None:
    story = armed()
    story.respond(response(call("restart", {"host": "db-9"})), exchange=7)
    assert story.row(KIND)["reasons"] == {"request-not-seen": 1}


def test_one_cut_call_hides_no_bad_argument_of_another() -> None:
    story = armed()
    story.request(frame(USER))
    bad, cut = call("restart", {"host": "db-9"}), call("restart", '{"host":', "c2")
    assert len(story.respond(response(bad, cut))) == 1
    assert story.row(KIND)["failed"] == 1


def test_one_cut_call_makes_no_pass_of_the_response() -> None:
    story = armed()
    story.request(frame(USER))
    good, cut = call("restart", {"host": "db-7"}), call("restart", '{"host":', "c2")
    story.respond(response(good, cut))
    assert story.row(KIND) == {"unreachable": 1, "reasons": {"unreadable-arguments": 1}}


def test_what_the_provider_keeps_cannot_be_accused() -> None:
    story = armed()
    story.request(frame(message("user", "And restart it."), held="resp_1"))
    assert story.respond(response(call("restart", {"host": "db-9"}))) == ()
    assert story.row(KIND) == {"unreachable": 1, "reasons": {"held-by-provider": 1}}


def test_a_value_found_although_the_provider_keeps_more_is_a_pass() -> None:
    story = armed()
    story.request(frame(message("user", "Restart db-7."), held="resp_1"))
    story.respond(response(call("restart", {"host": "db-7"})))
    assert story.row(KIND)["passed"] == 1


@pytest.mark.parametrize(
    "unread",
    [
        message("user", Media("image/png", "sha256:", 1)),
        message("tool", ResultPart("c0", "see image", opaque=1)),
    ],
)
def test_where_an_image_may_have_shown_the_value_it_is_only_a_doubt(unread: object) -> None:
    story = armed()
    story.request(frame(USER, unread))  # type: ignore[arg-type] -- parametrized
    (finding,) = story.respond(response(call("restart", {"host": "db-9"})))
    assert finding.advisory
    assert "image" in finding.message
    assert story.row(KIND)["passed"] == 1
    assert story.row(KIND)["advised"] == 1


def test_a_fragment_is_a_defect_even_beside_an_image() -> None:
    story = armed()
    image = message("user", Media("image/png", "sha256:", 1))
    story.request(frame(message("user", "db-70 is slow"), image))
    (finding,) = story.respond(response(call("restart", {"host": "db-7"})))
    assert (finding.grade, finding.advisory) == ("fragment", False)
    assert "db-70" in finding.message


def test_a_fragment_names_the_longer_value_and_where_it_was_served() -> None:
    story = armed()
    listing = result('{"job":"bkp-4711-delta-tier2"}', name="list_hosts")
    story.request(frame(USER, message("assistant", call("list_hosts")), listing))
    (finding,) = story.respond(response(call("restart", {"host": "4711-delta"})))
    assert finding.grade == "fragment"
    assert "`bkp-4711-delta-tier2`" in finding.message
    assert "a tool result of `list_hosts`" in finding.message


def test_a_value_cut_from_the_models_own_prose_after_the_result_was_dropped() -> None:
    story = armed()
    prose = message("assistant", "Its backup job is bkp-4711-delta-tier2.")
    listing = result('{"job":"bkp-4711-delta-tier2"}', name="list_hosts")
    story.request(frame(USER, message("assistant", call("list_hosts")), listing, prose))
    story.respond(response("ok"))
    story.request(frame(USER, prose, message("user", "And now?")))
    (finding,) = story.respond(response(call("restart", {"host": "4711-delta"})))
    assert (finding.grade, finding.advisory) == ("self", False)
    assert "no evidence" in finding.message
    assert "served earlier" in finding.message
    assert "dropped" in finding.message


@pytest.mark.parametrize(
    ("value", "advisory"),
    [
        ("2031-05-03", True),
        ("please restart it gently this time", True),
        ("Ivy Stone", False),
        ("please refund w4712 to the customer", False),
        ("db-9", False),
    ],
)
def test_of_a_declared_tool_only_sentences_and_computed_dates_are_doubts(
    value: str, *, advisory: bool
) -> None:
    story = armed()
    story.request(frame(message("user", "It is 2031-05-02.")))
    (finding,) = story.respond(response(call("restart", {"host": value})))
    assert finding.advisory is advisory


def test_of_a_tool_that_nobody_declared_a_short_text_is_a_doubt_too() -> None:
    story = alone()
    story.declare(arm_all=True)
    story.request(frame(USER))
    (finding,) = story.respond(response(call("mail", {"place": "Dinner plans"})))
    assert finding.advisory
    assert story.respond(response(call("mail", {"subject": "Dinner plans"}))) == ()


def test_a_doubt_and_a_defect_of_one_value_are_filed_as_the_defect() -> None:
    story = armed()
    image = message("user", Media("image/png", "sha256:", 1))
    story.request(frame(USER, image))
    story.respond(response(call("restart", {"host": "db-9"})))
    story.request(frame(USER))
    assert len(story.respond(response(call("restart", {"host": "db-9"})))) == 1
    (finding,) = story.filed(KIND)
    assert (finding.advisory, finding.count) == (False, 2)


def test_a_long_value_is_clipped_in_the_message_and_whole_in_the_witness() -> None:
    story = armed()
    value = "db-" + "9" * 400
    story.request(frame(USER))
    (finding,) = story.respond(response(call("restart", {"host": value})))
    assert len(finding.message) < 600
    assert "…" in finding.message
    assert finding.witnesses[0].value == value


def test_control_characters_of_a_value_are_escaped_in_the_message() -> None:
    story = armed()
    story.request(frame(USER))
    value = "db-9\x1b[2J\u202e\u2028x"
    (finding,) = story.respond(response(call("restart", {"host": value})))
    assert finding.message.isprintable()
    assert r"\x1b[2J\u202e\u2028" in finding.message


def test_in_substring_mode_a_piece_of_a_served_value_passes() -> None:
    story = armed(grounding="substring")
    story.request(frame(message("user", "db-70")))
    assert story.respond(response(call("restart", {"host": "db-7"}))) == ()
    story.request(frame(message("user", "db-70")))
    (finding,) = story.respond(response(call("restart", {"host": "db-9"})))
    assert finding.grade == "nowhere"


def test_in_substring_mode_earlier_calls_are_not_the_models_text_but_prose_is() -> None:
    story = armed(grounding="substring")
    earlier = message("assistant", call("restart", {"host": "db-9"}))
    story.request(frame(USER, earlier, result("ok")))
    (finding,) = story.respond(response(call("restart", {"host": "db-9"})))
    assert finding.grade == "nowhere"
    story.request(frame(USER, message("assistant", "Maybe db-8.")))
    (finding,) = story.respond(response(call("restart", {"host": "db-8"})))
    assert finding.grade == "self"


def test_the_value_of_a_call_made_before_counts_as_the_models_own() -> None:
    story = armed()
    earlier = message("assistant", call("restart", {"host": "db-9"}))
    story.request(frame(USER, earlier, result("no such host")))
    (finding,) = story.respond(response(call("restart", {"host": "db-9"})))
    assert finding.grade == "self"
    assert "own earlier call" in finding.message


MARK = "\u27e6withheld bearer 0123456789ab\u27e7"


def told_of(value: str, *served: str) -> Story:
    story = Story()
    story.declare(arm_all=True)
    messages = [message("user", "Restart it.")]
    for number, text in enumerate(served):
        messages += [message("assistant", call("look", {}, f"c{number}"))]
        messages += [result(text, f"c{number}")]
    story.request(frame(*messages))
    story.respond(response(call("restart", {"host": value}, "now")))
    return story


def test_a_mark_that_nothing_served_is_no_finding_and_no_pass() -> None:
    row = told_of(MARK).row(KIND)
    assert (row.get("failed"), row.get("passed"), row["reasons"]) == (None, None, {"withheld": 1})


def test_a_mark_that_was_served_is_the_same_secret() -> None:
    assert told_of(MARK, f'{{"key":"{MARK}"}}').row(KIND)["passed"] == 1


def test_a_mark_of_the_models_own_hides_no_identifier_beside_it() -> None:
    (finding,) = told_of(f"{MARK} petrel-9917").filed(KIND)
    assert not finding.advisory
    assert told_of(f"https://ops:{MARK}@petrel-9917/x").filed(KIND) == []
