from __future__ import annotations

from groundwire.checks.transcript import Transcript, answer_text, is_answer
from groundwire.documents.event import (
    Authored,
    Declared,
    Event,
    Executed,
    Parked,
    Pinned,
    Requested,
    Responded,
    Vouched,
)
from groundwire.documents.frame import Frame, Message, Response, ToolSpec
from groundwire.documents.policy import ToolDeclaration
from tests.stories import Story, call, frame, message, response, result

SYSTEM = message("system", "You watch the fleet.")
FIRST, SECOND, THIRD = (message("user", text) for text in ("One?", "Two?", "Three?"))


def asked(shown: Frame | None, exchange: int = 0, lane: int = 0) -> Requested:
    return Requested(
        step=2 * exchange,
        at="",
        exchange=exchange,
        lane=lane,
        attempt=1,
        composed=None,
        frame=shown,
    )


def answered(given: Response | None, exchange: int = 0, lane: int = 0) -> Responded:
    return Responded(step=2 * exchange + 1, at="", exchange=exchange, lane=lane, response=given)


def ran(call_id: str, lane: int | None = 0) -> Executed:
    return Executed(
        step=9,
        at="",
        execution=0,
        call_id=call_id,
        link="id" if call_id else "unlinked",
        exchange=0,
        lane=lane,
        name="find",
        arguments="{}",
        result="fine",
    )


def seen(*events: Event) -> Transcript:
    transcript = Transcript()
    for event in events:
        transcript.see(event)
    return transcript


def shown(*messages: Message) -> Transcript:
    return seen(asked(frame(*messages)))


def test_a_call_that_comes_back_in_the_next_frame_is_the_call_that_was_chosen() -> None:
    chosen = call("find", '{"host": "petrel"}')
    transcript = seen(
        asked(frame(FIRST)),
        answered(response(chosen)),
        asked(frame(FIRST, message("assistant", chosen), result("up")), 1),
    )
    (only,) = transcript.called
    assert (only.exchange, only.answered, only.shown) == (0, True, chosen.call)
    (served,) = transcript.served
    assert served.chosen is only
    assert served.call is only.call


def test_a_call_that_comes_back_in_another_spelling_is_still_the_same_call() -> None:
    spelled, respelled = call("find", '{"host": "petrel"}'), call("find", '{"host":"petrel"}')
    transcript = seen(
        asked(frame(FIRST)),
        answered(response(spelled)),
        asked(frame(FIRST, message("assistant", respelled), result("up")), 1),
        # The window drops everything, and shows it again.
        asked(frame(SYSTEM), 2),
        asked(frame(SYSTEM, message("assistant", respelled)), 3),
    )
    (only,) = transcript.called
    assert only.call == spelled.call
    assert only.shown == respelled.call
    assert transcript.call(0, "c1") is only


def test_an_id_that_is_used_again_means_the_later_call() -> None:
    one, two = call("find", {"host": "petrel"}), call("find", {"host": "fulmar"})
    transcript = seen(
        asked(frame(FIRST)),
        answered(response(one)),
        asked(frame(FIRST, message("assistant", one), result("petrel up")), 1),
        answered(response(two), 1),
    )
    assert [each.call for each in transcript.called] == [one.call, two.call]
    assert transcript.call(0, "c1") is transcript.called[1]
    assert [each.answered for each in transcript.called] == [True, False]


def test_calls_of_one_id_that_a_window_shows_again_are_no_new_calls() -> None:
    turns = [
        part
        for host in ("petrel", "fulmar", "skua")
        for part in (message("assistant", call("find", {"host": host})), result(f"{host} up"))
    ]
    transcript = seen(
        asked(frame(SYSTEM, *turns)),
        asked(frame(SYSTEM, *turns[2:]), 1),
        asked(frame(SYSTEM, *turns), 2),
    )
    assert [each.call.arguments for each in transcript.called] == [
        '{"host":"petrel"}',
        '{"host":"fulmar"}',
        '{"host":"skua"}',
    ]
    assert [each.part.text for each in transcript.served] == ["petrel up", "fulmar up", "skua up"]
    assert [each.call.arguments for each in transcript.served if each.call] == [
        each.call.arguments for each in transcript.called
    ]


def test_a_result_that_a_window_drops_is_out_of_view_and_shown_again_the_same() -> None:
    turn = (message("assistant", call("find")), result("up"))
    transcript = shown(SYSTEM, *turn)
    (served,) = transcript.served
    transcript.see(asked(frame(SYSTEM, FIRST), 1))
    assert not served.visible
    assert transcript.lane(0).results == []
    assert [each.parts for each in transcript.lane(0).dropped] == [each.parts for each in turn]
    transcript.see(asked(frame(SYSTEM, FIRST, *turn), 2))
    assert served.visible
    assert transcript.lane(0).results == [served]
    assert transcript.served == [served]


def test_two_equal_results_are_two_results_and_come_back_as_two() -> None:
    pair = (result("up", ""), result("up", ""))
    transcript = shown(SYSTEM, *pair)
    transcript.see(asked(frame(SYSTEM), 1))
    transcript.see(asked(frame(SYSTEM, *pair), 2))
    assert [each.number for each in transcript.served] == [0, 1]
    assert all(each.visible for each in transcript.served)


def test_a_result_names_its_tool_by_the_wire_else_by_its_call() -> None:
    transcript = shown(
        message("assistant", call("find")),
        result("up"),
        result("down", "c2", name="drain"),
        result("gone", "c3"),
    )
    assert [each.tool for each in transcript.served] == ["find", "drain", ""]
    assert transcript.served[2].call is None


def test_lanes_with_the_same_ids_do_not_meet() -> None:
    one, two = call("find", {"host": "petrel"}), call("drain", {"host": "fulmar"})
    transcript = seen(
        asked(frame(FIRST)),
        answered(response(one)),
        asked(frame(SECOND), 1, lane=1),
        answered(response(two), 1, lane=1),
        asked(frame(FIRST, message("assistant", one), result("up")), 2),
        asked(frame(SECOND, message("assistant", two), result("drained")), 3, lane=1),
    )
    assert len(transcript.called) == 2
    assert [each.tool for each in transcript.served] == ["find", "drain"]
    assert [each.lane for each in transcript.served] == [0, 1]
    assert transcript.lane(0).turn == transcript.lane(1).turn == 1


def test_what_stays_of_a_frame_is_not_new() -> None:
    transcript = seen(asked(frame(SYSTEM, FIRST)), asked(frame(SYSTEM, FIRST, SECOND), 1))
    lane = transcript.lane(0)
    assert (lane.kept, lane.dropped, lane.turn) == (2, [], 2)
    assert [each.parts for each in lane.added] == [SECOND.parts]


def test_turns_are_counted_on_while_a_window_moves() -> None:
    transcript = seen(
        asked(frame(SYSTEM, FIRST, SECOND)),
        asked(frame(SYSTEM, SECOND, THIRD), 1),
        asked(frame(SYSTEM, THIRD, message("assistant", call("find")), result("up")), 2),
    )
    assert transcript.lane(0).turn == 3
    assert transcript.served[0].turn == 3
    # All of it comes back, and nothing of it is a new turn.
    transcript.see(asked(frame(SYSTEM, FIRST, SECOND, THIRD, message("user", "Four?")), 3))
    assert transcript.lane(0).turn == 4


def test_results_belong_to_the_turn_in_which_they_first_stood() -> None:
    transcript = shown(
        FIRST, message("assistant", call("find")), result("up"), SECOND, result("late", "c2")
    )
    assert [each.turn for each in transcript.served] == [1, 2]
    assert [each.turn for each in transcript.called] == [1]


def test_text_that_a_library_wrote_in_a_users_place_begins_no_turn() -> None:
    library = Message(
        role="user", parts=FIRST.parts, raw=b"", content_digest="", authored_by="library"
    )
    said = Authored(step=0, at="", text="Summary: all quiet.", kind="summary")
    transcript = seen(said, asked(frame(library, message("user", said.text), SECOND)))
    assert transcript.lane(0).turn == 1
    assert transcript.authored == {said.text: said}


def test_a_request_that_could_not_be_read_leaves_the_lane_as_it_was() -> None:
    transcript = seen(asked(frame(FIRST)), asked(None, 1))
    assert transcript.lane(0).turn == 1
    assert transcript.request(1) is not None


def test_a_request_is_kept_until_its_response_was_judged() -> None:
    transcript = seen(asked(frame(FIRST)), answered(response("ok")))
    assert transcript.request(0) is not None
    transcript.see(asked(frame(FIRST, SECOND), 1))
    assert transcript.request(0) is None


def test_an_execution_belongs_to_the_call_that_is_meant_when_it_ran() -> None:
    one, two = call("find", {"host": "petrel"}), call("find", {"host": "fulmar"})
    transcript = seen(
        asked(frame(FIRST)),
        answered(response(one)),
        first := ran("c1"),
        asked(frame(FIRST, message("assistant", one), result("up")), 1),
        answered(response(two), 1),
        second := ran("c1"),
        stray := ran("", None),
    )
    assert [each.executions for each in transcript.called] == [[first], [second]]
    assert transcript.execution("c1") is second
    assert transcript.executed == [first, second, stray]


def test_what_the_host_says_stands_in_the_transcript() -> None:
    pin = Pinned(step=0, at="", name="rule", text="Never drain two hosts.")
    park = Parked(step=1, at="", group="disks", tools=("drain",), parked=True)
    back = Parked(step=2, at="", group="disks", tools=("drain",), parked=False)
    word = Vouched(step=3, at="", value="petrel", source="the ticket")
    transcript = seen(pin, park, back, word)
    assert transcript.pinned == [pin]
    assert transcript.parked == {"disks": back}
    assert transcript.vouched == [word]


def test_a_later_declaration_adds_to_the_earlier_ones() -> None:
    def declared(name: str, **more: bool) -> Declared:
        tools = (ToolDeclaration(name=name),)
        return Declared(
            step=0, at="", declarations=tools, grounding="whole", posture="observe", **more
        )

    transcript = seen(declared("find", arm_all=True), declared("drain"))
    assert sorted(transcript.tools) == ["drain", "find"]
    assert transcript.arm_all


def test_an_answer_is_a_whole_text_without_a_tool_for_the_host() -> None:
    assert is_answer(response("All quiet."))
    assert is_answer(response("All quiet.", call("web_search", by="provider")))
    assert not is_answer(response("All quiet.", call("find")))
    assert not is_answer(response("All qui", complete=False))
    assert not is_answer(response(" "))
    assert not is_answer(response("All quiet.", error="overloaded"))
    assert answer_text(response("one", "two")) == "one\ntwo"


def test_a_lanes_answer_is_its_last_one() -> None:
    transcript = seen(
        asked(frame(FIRST)), answered(last := response("ok")), answered(response(call("find")), 1)
    )
    assert transcript.lane(0).answer is last


def test_structured_content_counts_as_returned_though_no_frame_shows_it() -> None:
    story = Story()
    story.declare(ToolDeclaration(name="assign", arguments_from=("list_shifts",)))
    asks, lists = message("user", "Give it to Ira."), call("list_shifts")
    story.request(frame(asks))
    story.respond(response(lists))
    story.execute("list_shifts", result="2 shifts", structured='{"shifts":["SH-2044","SH-2045"]}')
    story.request(frame(asks, message("assistant", lists), result("2 shifts")))
    (finding,) = story.respond(response(call("assign", {"shift": "SH-2044"}, "c2")))
    assert "returned by a tool" in finding.witnesses[1].provenance


def test_a_tool_that_was_offered_before_is_known_as_the_last_request_offered_it() -> None:
    first, other = (ToolSpec(name="find", schema=schema) for schema in ('{"a":1}', '{"b":2}'))
    run = Transcript()
    for exchange, tools in enumerate([(first,), (other,), (), (first,)]):
        shown = Frame(
            provider="p", model="m", system=(), tools=tools, parameters="{}", messages=(FIRST,)
        )
        run.see(asked(shown, exchange))
        assert run.offered == {"find": tools[0] if tools else other}
