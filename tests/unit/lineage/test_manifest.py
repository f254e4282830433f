from __future__ import annotations

import json

import msgspec
import pytest

from groundwire.canon.digest import sha256
from groundwire.documents.event import Executed, Responded
from groundwire.documents.manifest import CallRow, Manifest
from groundwire.errors import EncodingError
from groundwire.lineage.chains import EMPTY
from groundwire.lineage.context import injected_digest
from groundwire.lineage.manifest import Manifesting, Seals, digest_of, rows_at, without_texts
from groundwire.lineage.rows import inputs_digest
from tests.stories import Story, call, frame, message, response, result
from tests.unit.lineage.test_context import CALLS, RESULTS, USER, Lane, chat

ASK = message("user", "Which host is full?")
LOOK = message("assistant", call("look", {"host": "db-7"}))


def told(story: Story) -> Manifest:
    folded = Manifesting()
    for event in story.events:
        folded.see(event)
    return folded.manifest("r1", "reconstructed")


def looked(text: str = "db-7 is full") -> Story:
    story = Story()
    story.request(frame(ASK), wire=False)
    story.respond(response(*LOOK.parts))
    story.request(frame(ASK, LOOK, result(text)), wire=False)
    return story


def only(manifest: Manifest) -> CallRow:
    [row] = manifest.calls
    return row


def executed(
    text: str, *, rendering: str = "text", link: str = "id", call_id: str = "c1"
) -> Executed:
    return msgspec.convert(
        {
            "step": 9, "at": "", "execution": 0, "call_id": call_id, "link": link, "exchange": 0,
            "lane": None if link == "unlinked" else 0, "name": "look", "arguments": "{}",
            "result": text, "rendering": rendering,
        },
        Executed,
    )  # fmt: skip


def test_a_call_is_a_row_with_its_digests_and_the_request_that_carried_its_result() -> None:
    row = only(told(looked()))
    arguments = '{"host":"db-7"}'
    assert (row.id, row.tool, row.chosen_in, row.position) == ("c1", "look", 0, 0)
    assert (row.inputs, row.inputs_text) == (inputs_digest(arguments), arguments)
    assert row.output == injected_digest("db-7 is full")
    assert row.output_sha256 == sha256(b"db-7 is full")
    assert row.standing == "injected"
    [stretch] = row.injections
    assert (stretch.first_request, stretch.last_request, stretch.form) == (1, 1, "whole")
    assert stretch.injected == stretch.returned == row.output


def test_a_result_that_stays_where_it_is_is_one_stretch_of_requests() -> None:
    story = looked()
    more = (ASK, LOOK, result("db-7 is full"), message("assistant", "Full."))
    for number in range(3):
        extra = [message("user", str(each)) for each in range(number + 1)]
        story.request(frame(*more, *extra), wire=False)
    manifest = told(story)
    [stretch] = only(manifest).injections
    assert (stretch.first_request, stretch.last_request) == (1, 4)
    assert [each.results for each in manifest.boundaries] == [0, 1, 0, 0, 0]
    assert [[row.id for row, _ in rows_at(manifest, each)] for each in range(5)] == [
        [], ["c1"], ["c1"], ["c1"], ["c1"]
    ]  # fmt: skip


def test_a_result_that_is_shortened_is_a_stretch_of_its_own() -> None:
    story = looked("db-7 is full")
    story.request(frame(ASK, LOOK, result("db-7")), wire=False)
    first, second = only(told(story)).injections
    assert (first.form, first.first_request, first.last_request) == ("whole", 1, 1)
    assert (second.form, second.first_request, second.text_end) == ("prefix", 2, 4)
    assert second.injected == injected_digest("db-7")
    assert second.returned == injected_digest("db-7 is full")


def test_a_result_that_left_the_context_ends_its_stretch_and_comes_back_as_another() -> None:
    story = looked()
    story.request(frame(ASK), wire=False)
    story.request(frame(ASK, LOOK, result("db-7 is full")), wire=False)
    manifest = told(story)
    spans = [(each.first_request, each.last_request) for each in only(manifest).injections]
    assert spans == [(1, 1), (3, 3)]
    assert list(rows_at(manifest, 2)) == []


def test_what_the_host_says_a_tool_returned_is_what_the_injection_is_compared_with() -> None:
    story = Story()
    story.request(frame(ASK), wire=False)
    story.respond(response(*LOOK.parts))
    story.tell(executed("db-7 is full at 91 %"))
    story.request(frame(ASK, LOOK, result("db-9 is full")), wire=False)
    row = only(told(story))
    [stretch] = row.injections
    assert (row.output_from, row.output) == ("returned", injected_digest("db-7 is full at 91 %"))
    assert (stretch.form, stretch.compared_with) == ("rewritten", "returned")
    assert stretch.returned == row.output != stretch.injected


def test_a_result_that_the_host_had_in_other_words_is_no_rewriting() -> None:
    story = Story()
    story.request(frame(ASK), wire=False)
    story.respond(response(*LOOK.parts))
    story.tell(executed('{"full": true}', rendering="json"))
    story.request(frame(ASK, LOOK, result('{"full":true}')), wire=False)
    [stretch] = only(told(story)).injections
    assert (stretch.form, stretch.compared_with) == ("whole", "first-carried")


def test_an_execution_of_no_call_is_counted_and_is_no_row() -> None:
    story = looked()
    story.tell(executed("ok", link="unlinked", call_id=""))
    manifest = told(story)
    assert (manifest.unlinked, len(manifest.calls)) == (1, 1)


def test_results_of_the_first_frame_were_provided_upfront() -> None:
    story = Story()
    story.request(frame(ASK, LOOK, result("db-7 is full")), wire=False)
    row = only(told(story))
    assert (row.standing, row.chosen_in, row.position) == ("provided-upfront", None, -1)


def test_a_result_whose_call_nobody_saw_is_a_row_without_inputs() -> None:
    story = Story()
    story.request(frame(ASK, result("db-7 is full", "lost")), wire=False)
    row = only(told(story))
    assert (row.id, row.inputs, row.inputs_text) == ("lost", "", None)
    assert row.injections


def test_a_call_of_the_provider_is_a_row_whose_injection_nobody_observed() -> None:
    story = Story()
    story.request(frame(ASK), wire=False)
    searched = call("web_search", {"q": "db-7"}, "s1", by="provider")
    story.respond(response(searched, *result("full", "s1", by="provider").parts, "It is full."))
    manifest = told(story)
    row = only(manifest)
    assert (row.executed_by, row.standing, row.position) == ("provider", "not-observed", 0)
    assert (row.output_from, row.output) == ("response", injected_digest("full"))
    [answer] = manifest.answers
    assert (answer.exchange, answer.characters, answer.sha256) == (0, 11, sha256(b"It is full."))


def test_a_result_that_no_request_carried_was_not_injected() -> None:
    story = Story()
    story.request(frame(ASK), wire=False)
    story.respond(response(*LOOK.parts))
    assert only(told(story)).standing == "not-injected"


@pytest.mark.parametrize("hidden", ["unreadable", "held"])
def test_where_a_later_request_was_not_seen_nobody_says_that_nothing_was_injected(
    hidden: str,
) -> None:
    story = Story()
    story.request(frame(ASK), wire=False)
    story.respond(response(*LOOK.parts))
    story.request(
        None if hidden == "unreadable" else frame(held="previous_response_id"), reason="x"
    )
    manifest = told(story)
    assert only(manifest).standing == "not-observed"
    [gap] = manifest.gaps
    assert gap.exchange == 1
    assert manifest.boundaries[1].state == {"held": "not-observed"}.get(hidden, "unreadable")


def test_a_request_that_was_not_read_is_in_no_stretch() -> None:
    story = looked()
    story.request(None, reason="withheld", wire=False)
    story.request(frame(ASK, LOOK, result("db-7 is full")), wire=False)
    manifest = told(story)
    spans = [(each.first_request, each.last_request) for each in only(manifest).injections]
    assert spans == [(1, 1), (3, 3)]


def test_a_response_that_was_not_read_is_a_gap_and_one_that_never_came_is_none() -> None:
    story = Story()
    story.request(frame(ASK), wire=False)
    story.respond(None, reason="no-response")
    assert told(story).gaps == ()
    story.respond(None, reason="withheld")
    [gap] = told(story).gaps
    assert (gap.part, gap.why) == ("response", "withheld")


def test_calls_stand_in_the_order_of_the_requests_that_carried_them() -> None:
    story = Story()
    both = message("assistant", call("late", {}, "c1"), call("early", {}, "c2"))
    story.request(frame(ASK), wire=False)
    story.respond(response(*both.parts))
    story.request(frame(ASK, both, result("2", "c2")), wire=False)
    story.request(frame(ASK, both, result("2", "c2"), result("1", "c1")), wire=False)
    never = message("assistant", call("never", {}, "c3"))
    story.respond(response(*never.parts))
    assert [row.id for row in told(story).calls] == ["c2", "c1", "c3"]


def test_one_call_in_two_conversations_is_one_row() -> None:
    story = looked()
    spelled = message("assistant", call("look", '{ "host": "db-7" }'))
    story.request(frame(ASK, spelled, result("db-7 is full")), lane=1, wire=False)
    row = only(told(story))
    assert [(each.lane, each.first_request) for each in row.injections] == [(0, 1), (1, 2)]
    assert row.standing == "injected"


def test_two_calls_with_one_id_are_two_rows_and_each_has_its_own_result() -> None:
    story = looked("first")
    again = message("assistant", call("look", {"host": "db-8"}))
    story.respond(response(*again.parts))
    story.request(frame(ASK, LOOK, result("first"), again, result("second")), wire=False)
    one, two = told(story).calls
    assert [each.output for each in (one, two)] == [
        injected_digest("first"),
        injected_digest("second"),
    ]
    assert [len(each.injections) for each in (one, two)] == [1, 1]


def test_the_bytes_of_a_moved_body_are_another_stretch() -> None:
    lane, folded = Lane("openai-chat"), Manifesting()
    messages = (USER, CALLS, *RESULTS)
    for body in (chat(*messages), json.dumps({"model": "longer", "messages": messages}).encode()):
        event, split = lane.see(body)
        folded.see(event, split, Seals("c", "f", sha256(body)))
        for row in folded.manifest("r", "recording").calls:
            place = row.injections[-1]
            value = json.loads(body[place.body_start : place.body_end])
            text = value if isinstance(value, str) else value[0]["text"]
            assert injected_digest(text) == place.injected
            assert place.text_end - place.text_start == len(text)
    manifest = folded.manifest("r", "recording")
    assert [len(row.injections) for row in manifest.calls] == [2, 2]
    assert [each.results for each in manifest.boundaries] == [2, 0]


def test_a_boundary_has_the_heads_before_and_after_and_the_hash_of_the_body() -> None:
    lane, folded = Lane("openai-chat"), Manifesting()
    for number in range(2):
        event, split = lane.see(chat(USER, *([USER] * number)))
        folded.see(event, split, Seals(f"head{number}", f"frame{number}", f"body{number}"))
    first, second = folded.manifest("r", "recording").boundaries
    assert (first.before, first.after, first.frame, first.body) == (
        EMPTY,
        "head0",
        "frame0",
        "body0",
    )
    assert (second.before, second.after) == ("head0", "head1")
    assert first.state == "observed"


def test_an_imported_log_claims_neither_bytes_nor_hashes() -> None:
    manifest = told(looked())
    [stretch] = only(manifest).injections
    assert (stretch.body_start, stretch.body_end) == (-1, -1)
    for each in manifest.boundaries:
        assert (each.before, each.after, each.frame, each.body) == ("", "", "", "")
        assert each.state == "reconstructed"


def test_the_digest_covers_every_field_of_the_manifest_but_texts_that_are_digested() -> None:
    story = looked()
    story.respond(response("db-7."))
    manifest = told(story)
    name, seen = digest_of(manifest), set[str]()
    row = only(manifest)
    changed = [
        msgspec.structs.replace(manifest, calls=(msgspec.structs.replace(row, **{field: value}),))
        for field, value in {
            "id": "c2", "inputs": "gw1:x", "output": "gw1:x", "tool": "other", "lane": 1,
            "injections": (), "standing": "not-injected", "executed_by": "provider",
        }.items()
    ]  # fmt: skip
    changed += [
        msgspec.structs.replace(manifest, boundaries=()),
        msgspec.structs.replace(manifest, answers=()),
        msgspec.structs.replace(manifest, run="r2"),
        msgspec.structs.replace(manifest, unlinked=1),
        msgspec.structs.replace(manifest, calls=()),
    ]
    for each in changed:
        if each.calls and each.calls[0].inputs == "gw1:x":
            with pytest.raises(EncodingError):
                digest_of(each)
            continue
        seen.add(digest_of(each))
    assert len(seen) == len(changed) - 1
    assert name not in seen
    assert digest_of(without_texts(manifest)) == name


def test_arguments_that_are_not_those_of_their_digest_are_no_manifest() -> None:
    manifest = told(looked())
    row = msgspec.structs.replace(only(manifest), inputs_text='{"host":"db-8"}')
    with pytest.raises(EncodingError) as refused:
        digest_of(msgspec.structs.replace(manifest, calls=(row,)))
    assert refused.value.reason == "bad-manifest"


def test_an_answer_is_the_last_text_that_chose_no_call_of_the_host() -> None:
    story = looked()
    story.respond(response("Let me see.", call("look", {}, "c9")))
    assert told(story).answers == ()
    story.tell(Responded(step=9, at="", exchange=1, lane=0, response=response("Done.")))
    [answer] = told(story).answers
    assert answer.sha256 == sha256(b"Done.")
