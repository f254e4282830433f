from __future__ import annotations

import json

import pytest

from groundwire.canon.positions import locate
from groundwire.documents.event import Requested
from groundwire.documents.frame import Frame
from groundwire.documents.injection import Injection
from groundwire.documents.split import Split
from groundwire.lineage.context import Injections, form_of, injected_digest
from groundwire.wire.decoder import Decoder
from groundwire.wire.split import Splitter
from tests.stories import call, frame, message, result

LISTING = 'Line "one"\n\tcafé 🚀 \\ end'


class Lane:
    """Bodies of one provider, split and decoded like those of a run."""

    def __init__(self, provider: str) -> None:
        self.provider = provider
        self.splitter, self.decoder = Splitter(), Decoder()
        self.injections = Injections()
        self.exchange = -1

    def see(self, body: bytes, *, lane: int = 0) -> tuple[Requested, Split]:
        split = self.splitter.split(body, self.provider)
        self.exchange += 1
        return request(self.decoder.frame(split, self.provider), self.exchange, lane), split


def request(shown: Frame | None, exchange: int = 0, lane: int = 0) -> Requested:
    return Requested(
        step=exchange, at="", exchange=exchange, lane=lane, attempt=1, composed=None, frame=shown
    )


def chat(*messages: object, indent: int | None = None) -> bytes:
    return json.dumps({"model": "m", "messages": messages}, indent=indent).encode()


USER = {"role": "user", "content": "Look at db-7."}
CALLS = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}},
        {"id": "c2", "type": "function", "function": {"name": "list", "arguments": "{}"}},
    ],
}
RESULTS = [
    {"role": "tool", "tool_call_id": "c1", "content": LISTING},
    {"role": "tool", "tool_call_id": "c2", "content": [{"type": "text", "text": "up"}]},
]
BODIES = {
    "openai-chat": (chat(USER, CALLS, *RESULTS), ["/messages/2/content", "/messages/3/content"]),
    "anthropic": (
        json.dumps(
            {
                "model": "m",
                "max_tokens": 9,
                "messages": [
                    USER,
                    {
                        "role": "assistant",
                        "content": [
                            {"type": "tool_use", "id": "c1", "name": "look", "input": {}},
                            {"type": "tool_use", "id": "c2", "name": "list", "input": {}},
                        ],
                    },
                    {
                        "role": "user",
                        "content": [
                            {"type": "text", "text": "Here:"},
                            {"type": "tool_result", "tool_use_id": "c1", "content": LISTING},
                            {
                                "type": "tool_result",
                                "tool_use_id": "c2",
                                "content": [{"type": "text", "text": "up"}],
                            },
                        ],
                    },
                ],
            }
        ).encode(),
        ["/messages/2/content/1/content", "/messages/2/content/2/content"],
    ),
    "openai-responses": (
        json.dumps(
            {
                "model": "m",
                "input": [
                    USER,
                    {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"},
                    {"type": "function_call", "call_id": "c2", "name": "list", "arguments": "{}"},
                    {"type": "function_call_output", "call_id": "c1", "output": LISTING},
                    {"type": "function_call_output", "call_id": "c2", "output": "up"},
                ],
            }
        ).encode(),
        ["/input/3/output", "/input/4/output"],
    ),
}


@pytest.mark.parametrize("provider", sorted(BODIES))
def test_each_result_stands_at_its_pointer_and_bytes_in_the_exact_body(provider: str) -> None:
    body, pointers = BODIES[provider]
    lane = Lane(provider)
    first, second = lane.injections.since(*lane.see(body))
    assert [first.pointer, second.pointer] == pointers
    for row in (first, second):
        place = locate(body, row.pointer)
        assert (row.body_start, row.body_end) == (place.start, place.end)
    assert json.loads(body[first.body_start : first.body_end]) == LISTING
    assert (first.call_id, first.tool, first.form) == ("c1", "look", "whole")
    assert (second.call_id, second.tool, second.form) == ("c2", "list", "whole")
    assert first.text_characters == len(LISTING)
    assert first.text_bytes == len(LISTING.encode())
    assert first.injected == first.first_injected == injected_digest(LISTING)
    assert second.injected == injected_digest("up")


def test_white_space_in_a_body_moves_the_bytes_and_nothing_else() -> None:
    body = chat(USER, CALLS, *RESULTS, indent=3)
    lane = Lane("openai-chat")
    request_, split = lane.see(body)
    rows = lane.injections.since(request_, split)
    assert split.regular
    for row in rows:
        place = locate(body, row.pointer)
        assert (row.body_start, row.body_end) == (place.start, place.end)


def test_a_body_whose_separators_differ_claims_no_position() -> None:
    parts = [json.dumps(one) for one in (USER, CALLS, *RESULTS)]
    body = f'{{"messages":[{parts[0]},{parts[1]} , {parts[2]},{parts[3]}]}}'.encode()
    lane = Lane("openai-chat")
    request_, split = lane.see(body)
    assert not split.regular
    rows = lane.injections.since(request_, split)
    assert [(row.pointer, row.body_start, row.body_end) for row in rows] == [
        ("/messages/2/content", -1, -1),
        ("/messages/3/content", -1, -1),
    ]


def test_an_imported_log_claims_no_position() -> None:
    shown = frame(message("assistant", call("look")), result("up"))
    (row,) = Injections().since(request(shown), None)
    assert (row.pointer, row.body_start, row.body_end) == ("", -1, -1)
    assert (row.form, row.tool, row.text_bytes) == ("whole", "look", 2)


def test_a_request_that_only_grew_gives_what_is_new_and_all_rows_on_demand() -> None:
    lane = Lane("openai-chat")
    assert len(lane.injections.since(*lane.see(chat(USER, CALLS, *RESULTS)))) == 2
    again = {"role": "user", "content": "And now?"}
    grown = lane.see(chat(USER, CALLS, *RESULTS, again))
    assert lane.injections.since(*grown) == ()
    rows = lane.injections.rows(*grown)
    assert [(row.exchange, row.call_id, row.form) for row in rows] == [
        (1, "c1", "whole"),
        (1, "c2", "whole"),
    ]


def test_a_window_that_dropped_messages_gives_every_later_row_anew() -> None:
    lane = Lane("openai-chat")
    lane.injections.since(*lane.see(chat(USER, CALLS, *RESULTS)))
    rows = lane.injections.since(*lane.see(chat(CALLS, *RESULTS)))
    assert [row.message for row in rows] == [1, 2]
    assert [row.form for row in rows] == ["whole", "whole"]


def test_asking_for_all_rows_of_an_old_request_does_not_hide_what_is_new_later() -> None:
    lane = Lane("openai-chat")
    old = lane.see(chat(USER, CALLS, RESULTS[0]))
    lane.injections.since(*old)
    new = lane.see(chat(USER, CALLS, *RESULTS))
    assert len(lane.injections.rows(*old)) == 1
    assert [row.call_id for row in lane.injections.since(*new)] == ["c2"]
    assert len(lane.injections.rows(*old)) == 1
    again = lane.see(chat(USER, CALLS, *RESULTS, USER))
    assert lane.injections.since(*again) == ()


def shortened(text: str) -> Injection:
    lane = Lane("openai-chat")
    lane.injections.since(*lane.see(chat(USER, CALLS, RESULTS[0])))
    cut = {**RESULTS[0], "content": text}
    (row,) = lane.injections.since(*lane.see(chat(USER, CALLS, cut)))
    return row


def test_a_result_that_was_changed_keeps_the_digest_of_what_it_was() -> None:
    row = shortened("cleared")
    assert (row.form, row.injected) == ("rewritten", injected_digest("cleared"))
    assert row.first_injected == injected_digest(LISTING)
    assert shortened(LISTING[:9]).form == "prefix"
    assert shortened(LISTING[3:9]).form == "fragment"


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("alpha\nbeta\ngamma", "whole"),
        ("alpha\nbe", "prefix"),
        ("alpha\nbe\n[cut at 8 characters]", "prefix"),
        ("alpha\nbe…", "prefix"),
        ("alpha\nbe... ", "prefix"),
        ("beta", "fragment"),
        ("alpha\ngamma", "rewritten"),
        ("alpha\nbeta 9999", "rewritten"),
        ("alpha\nbeta\ngamma\n[2 rows]", "rewritten"),
        ("", "rewritten"),
        ("\n", "fragment"),
        ("…", "rewritten"),
        ("[removed]", "rewritten"),
        ("ALPHA\nbeta\ngamma", "rewritten"),
        ("alpha\nbeta\ngamma\ndelta", "rewritten"),
    ],
)
def test_the_form_is_judged_on_unescaped_text(text: str, form: str) -> None:
    assert form_of(text, "alpha\nbeta\ngamma") == form


def test_the_same_text_spelled_with_other_escapes_is_whole() -> None:
    lane = Lane("openai-chat")
    plain = json.dumps({"messages": [USER, CALLS, RESULTS[0]]}, ensure_ascii=False).encode()
    lane.injections.since(*lane.see(plain))
    rows = lane.injections.since(*lane.see(chat(USER, CALLS, RESULTS[0])))
    assert [row.form for row in rows] == ["whole"]


def test_another_call_with_a_used_id_is_not_a_rewritten_result() -> None:
    lane = Lane("openai-chat")
    other = {**RESULTS[0], "content": "a second listing"}
    lane.injections.since(*lane.see(chat(USER, CALLS, RESULTS[0])))
    rows = lane.injections.since(*lane.see(chat(USER, CALLS, RESULTS[0], CALLS, other)))
    assert [row.form for row in rows] == ["whole"]
    rows = lane.injections.since(*lane.see(chat(CALLS, other)))
    assert [row.form for row in rows] == ["whole"]


def test_lanes_do_not_know_each_others_results() -> None:
    lane = Lane("openai-chat")
    lane.injections.since(*lane.see(chat(USER, CALLS, RESULTS[0])))
    other = {**RESULTS[0], "content": "elsewhere"}
    (row,) = lane.injections.since(*lane.see(chat(USER, CALLS, other), lane=1))
    assert row.form == "whole"


def test_a_request_that_cannot_be_read_has_no_rows() -> None:
    assert Injections().since(request(None), None) == ()
