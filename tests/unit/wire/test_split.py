"""Bodies taken apart exactly, and what is no body of its kind refused by name."""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any

import msgspec
import pytest

from groundwire.documents.split import Split
from groundwire.errors import EncodingError
from groundwire.wire.split import Splitter, common_prefix
from tests.unit.wire.rendering import body

HELLO = {"role": "user", "content": "Which pumps run hot?"}
ANSWER = {"role": "assistant", "content": 'Pump 4, "the old one": 61 °C'}
TOOLS = [{"type": "function", "function": {"name": "read_gauge", "parameters": {}}}]


def split(data: bytes, provider: str = "openai-chat") -> Split:
    found = Splitter().split(data, provider)
    assert joined(found) == data
    assert found.body_digest == "sha256:" + hashlib.sha256(data).hexdigest()
    assert found.size == len(data)
    return found


def joined(found: Split) -> bytes:
    return found.before + found.between.join(found.messages) + found.after


def refused(data: bytes, provider: str = "openai-chat") -> str:
    with pytest.raises(EncodingError) as caught:
        Splitter().split(data, provider)
    return caught.value.reason


def test_messages_are_the_exact_slices_of_the_body() -> None:
    found = split(body({"model": "m", "messages": [HELLO, ANSWER], "tools": TOOLS}))
    assert found.messages == (body(HELLO), body(ANSWER))
    assert (found.between, found.regular, found.kept) == (b",", True, 0)


@pytest.mark.parametrize("indent", [None, 0, 2, "\t"])
@pytest.mark.parametrize("first", [True, False])
def test_any_even_spelling_of_white_space_is_regular(indent: Any, first: bool) -> None:
    value: dict[str, Any] = {"messages": [HELLO, ANSWER, HELLO]}
    value = {**value, "model": "m"} if first else {"model": "m", **value}
    found = split(json.dumps(value, indent=indent).encode())
    assert found.regular
    assert [json.loads(message) for message in found.messages] == value["messages"]


def test_separators_that_differ_make_a_body_irregular() -> None:
    found = Splitter().split(b'{"messages":[1, 2,3]}', "openai-chat")
    assert not found.regular
    assert found.messages == (b"1", b"2", b"3")


def test_no_message_and_one_message_are_regular() -> None:
    assert split(b'{"messages":[ ]}').messages == ()
    assert split(b' { "messages" : [ {} ] } ').messages == (b"{}",)


def test_the_input_of_a_response_may_be_a_text_or_missing() -> None:
    found = split(b'{"model":"m","input":"a \\"b\\"", "x":1}', "openai-responses")
    assert (found.messages, found.after) == ((b'"a \\"b\\""',), b', "x":1}')
    assert split(b'{"prompt":{"id":"p"}}', "openai-responses").messages == ()


def test_a_list_inside_another_member_is_not_taken_for_the_messages() -> None:
    decoy = b'{"metadata":{"messages":[{"a":1}]},"messages":[{"a":1}]}'
    found = split(decoy)
    assert found.before == b'{"metadata":{"messages":[{"a":1}]},"messages":['
    inside = b'{"metadata":{"messages":[]},"messages":[]}'
    assert split(inside).before == inside[:-2]
    many = b'{"m":[' + b'{"messages":[1]},' * 99 + b'0],"messages":[1]}'
    assert split(many).before == many[:-3]


def test_a_key_spelled_with_escapes_is_the_same_key() -> None:
    assert split(b'{"mess\\u0061ges":[{}]}').messages == (b"{}",)


def test_a_body_with_a_repeated_key_is_refused() -> None:
    assert refused(b'{"messages":[1],"messages":[2]}') == "repeated-key"
    assert refused(b'{"messages":[1],"model":"a","model":"b"}') == "repeated-key"
    assert refused(b'{"model":"a","model":"b"}') == "repeated-key"
    assert refused(b'{"messages":[1],"mess\\u0061ges":[2]}') == "repeated-key"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not-json"),
        (b"{", "not-json"),
        (b'{"messages":[{}]', "not-json"),
        (b'{"messages":[{}]}x', "not-json"),
        (b'{"messages":[{},]}', "not-json"),
        (b"\xff\xfe", "not-json"),
        (b'\xef\xbb\xbf{"messages":[]}', "not-json"),
        (b"[]", "not-an-object"),
        (b'"text"', "not-an-object"),
        (b"{}", "no-messages"),
        (b'{"messages":"hello"}', "messages-not-a-list"),
        (b'{"messages":{}}', "messages-not-a-list"),
        (b'{"messages":null}', "messages-not-a-list"),
        (b'{"messages":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "too-deep"),
    ],
)
def test_what_is_no_body_of_its_kind_is_refused_by_name(data: bytes, reason: str) -> None:
    assert refused(data) == reason


def test_an_unknown_provider_is_refused() -> None:
    assert refused(b'{"messages":[]}', "smoke-signals") == "unknown-provider"


def test_a_lone_surrogate_in_a_body_does_not_keep_it_from_being_split() -> None:
    data = b'{"messages":[{"content":"a\\ud800 b"},{"content":"c"}],"x":"\\udfff"}'
    assert split(data).messages[0] == b'{"content":"a\\ud800 b"}'


def grow(splitter: Splitter, values: list[bytes], after: bytes = b'],"model":"m"}') -> Split:
    data = b'{"messages":[' + b",".join(values) + after
    found = splitter.split(data, "openai-chat")
    assert found == with_kept(Splitter().split(data, "openai-chat"), found.kept)
    assert joined(found) == data
    return found


def with_kept(found: Split, kept: int) -> Split:
    return msgspec.structs.replace(found, kept=kept)


def test_a_body_that_went_on_from_another_is_not_kept_alive() -> None:
    splitter = Splitter()
    values = [body({"role": "user", "content": str(number)}) for number in range(5)]
    for count in range(1, 5):
        data = b'{"messages":[' + b",".join(values[:count]) + b'],"n":%d}' % count
        references = sys.getrefcount(data)
        splitter.split(data, "openai-chat")
    assert sys.getrefcount(data) == references


def test_a_body_that_grew_keeps_its_messages_as_the_same_objects() -> None:
    splitter = Splitter()
    values = [body({"role": "user", "content": str(number)}) for number in range(50)]
    before = grow(splitter, values[:40])
    found = grow(splitter, values)
    assert found.kept == 40
    assert all(old is new for old, new in zip(before.messages, found.messages, strict=False))
    assert found.after is before.after


def test_what_changed_between_two_bodies_is_found() -> None:
    splitter = Splitter()
    values = [body({"role": "user", "content": "x" * number}) for number in range(9)]
    grow(splitter, values)
    assert grow(splitter, values[:5]).kept == 5
    assert grow(splitter, [*values[:3], b'{"other":1}', *values[4:]]).kept == 3
    assert grow(splitter, values[2:]).kept == 0
    assert grow(splitter, values, b'],"model":"other"}').kept == 9
    assert grow(splitter, [], b'],"model":"other"}').kept == 0


def test_a_number_that_goes_on_is_not_taken_for_the_message_before() -> None:
    splitter = Splitter()
    assert grow(splitter, [b"1", b"2"]).messages == (b"1", b"2")
    assert grow(splitter, [b"1", b"23"]).messages == (b"1", b"23")
    assert grow(splitter, [b"12"]).messages == (b"12",)


def test_white_space_before_the_end_does_not_leak_into_the_shell_of_the_body_before() -> None:
    splitter = Splitter()
    grow(splitter, [b"{}"])
    found = splitter.split(b'{"messages":[{},{} ],"model":"m"}', "openai-chat")
    assert found.after == b' ],"model":"m"}'
    assert joined(found) == b'{"messages":[{},{} ],"model":"m"}'


def test_a_body_that_stops_being_json_after_the_known_part_is_refused() -> None:
    splitter = Splitter()
    grow(splitter, [b"{}", b"[]"])
    for tail in (b',{}"model":"m"}', b',{]],"model":"m"}', b'],"a":[],"model":"m"', b""):
        with pytest.raises(EncodingError) as caught:
            splitter.split(b'{"messages":[{},[]' + tail, "openai-chat")
        assert caught.value.reason == "not-json"
    with pytest.raises(EncodingError) as caught:
        splitter.split(b'{"messages":[{},[]],"messages":[],"model":"m"}', "openai-chat")
    assert caught.value.reason == "repeated-key"


def test_a_text_input_is_not_carried_on_as_if_it_were_a_list() -> None:
    splitter = Splitter()
    splitter.split(b'{"input":"abc","model":"m"}', "openai-responses")
    with pytest.raises(EncodingError) as caught:
        splitter.split(b'{"input":"abc","x","model":"m"}', "openai-responses")
    assert caught.value.reason == "not-json"


def test_conversations_side_by_side_are_each_compared_with_themselves() -> None:
    splitter = Splitter()
    lanes = [[body({"lane": lane})] for lane in range(12)]
    for step in range(4):
        for lane in lanes:
            found = grow(splitter, lane)
            assert found.kept == (len(lane) - 1 if step else 0)
            lane.append(body({"step": step}))


def test_the_bodies_remembered_are_few_and_bounded() -> None:
    splitter = Splitter()
    for number in range(40):
        splitter.split(body({"n": number, "messages": [{"x": "y" * 2_000_000}]}), "openai-chat")
    held = [len(seen.body) for seen in splitter._seen]
    assert len(held) <= 16
    assert sum(held[1:]) <= 24 << 20


def test_the_common_prefix_is_found_to_the_byte() -> None:
    old = bytes(range(256)) * 400
    for length in (0, 1, 4095, 4096, 4097, 50_000, len(old) - 1, len(old)):
        changed = old[:length] + (b"" if length == len(old) else bytes([old[length] ^ 1])) + b"tail"
        assert common_prefix(old, changed, len(old)) == length
        assert common_prefix(old, old[:length], len(old)) == length
    assert common_prefix(old, old, 10) == 10


def same_as_alone(splitter: Splitter, data: bytes, provider: str = "openai-chat") -> Split:
    found = splitter.split(data, provider)
    assert found == with_kept(Splitter().split(data, provider), found.kept)
    return found


def test_a_body_that_begins_otherwise_has_not_gone_on_from_the_one_before() -> None:
    splitter = Splitter()
    # Long enough that the hash of a beginning is kept, which a wrong body would take up again.
    values = [b'{"role":"user","content":"%d%b"}' % (n, b"x" * 40_000) for n in range(5)]
    for count in (1, 2, 3):
        grow(splitter, values[:count])
    other = b'{"model":"m","messages":[' + b",".join(values[:4]) + b"]}"
    assert same_as_alone(splitter, other).kept == 3
    grow(splitter, [*values[:3], values[4], values[3]])


def test_a_body_is_compared_with_those_of_its_own_protocol() -> None:
    splitter = Splitter()
    body = b'{"messages":[1,2],"input":[3]}'
    splitter.split(body, "openai-chat")
    assert same_as_alone(splitter, body, "openai-responses").messages == (b"3",)
    assert same_as_alone(splitter, body, "anthropic").kept == 0


def test_equal_messages_of_successive_bodies_are_one_object() -> None:
    splitter = Splitter()
    values = [b'{"role":"user","content":"%d"}' % number for number in range(3)]
    before, after = grow(splitter, values), grow(splitter, values[1:])
    assert after.messages[0] is before.messages[1]


def test_a_body_goes_on_to_be_irregular_where_it_was() -> None:
    splitter = Splitter()
    assert not same_as_alone(splitter, b'{"messages":[1,2, 3]}').regular
    assert not same_as_alone(splitter, b'{"messages":[1,2, 3,4]}').regular
