"""Plain messages are read in one go, and as the reader of all messages reads them."""

from __future__ import annotations

import msgspec
import pytest

from groundwire.errors import EncodingError
from groundwire.wire.openai_chat import read_answer, read_any, read_message
from groundwire.wire.openai_chat_plain import read_plain

CALL = b'{"id":"c1","function":{"name":"look","arguments":"{}"},"type":"function"}'
PLAIN = [
    b'{"role":"user","content":"Hello, \xc3\xa9\\n"}',
    b'{"content":"Hello.","role":"developer"}',
    b'{"role":"system","content":""}',
    b'{"role":"assistant","content":null,"tool_calls":[' + CALL + b"," + CALL + b"]}",
    b'{"role":"assistant","tool_calls":[],"content":"Done."}',
    b'{"tool_call_id":"c1","role":"tool","content":"{\\"a\\": 1}"}',
    b'{"role":"tool","tool_call_id":"","content":null}',
    b'{"role":"user"}',
]
OTHER = [
    b'{"role":"user","content":"a","content":"b"}',
    b'{"role":"user", "content":"a"}',
    b'{"role":"user","content":"\\u0061"}',
    b'{"role":"user","content":"a","name":"b"}',
    b'{"role":"user","content":["a"]}',
    b'{"role":"user","tool_call_id":"c1","content":"a"}',
    b'{"role":"tool","content":"a"}',
    b'{"role":"tool","tool_call_id":"c1","content":"a","tool_calls":[]}',
    b'{"role":"function","tool_call_id":"c1","content":"a"}',
    b'{"content":"a"}',
    b'{"role":"assistant","tool_calls":null}',
    b'{"role":"assistant","tool_calls":[' + CALL.replace(b'"c1"', b'"c1","id":"c2"') + b"]}",
    b'{"role":"assistant","tool_calls":[' + CALL.replace(b"function", b"custom") + b"]}",
    b'{"role":"assistant","tool_calls":[' + CALL.replace(b'"{}"', b"{}") + b"]}",
    b'{"role":"user","content":"\\ud800"}',
    b"[]",
    b'"a"',
]


@pytest.mark.parametrize("raw", PLAIN)
def test_a_plain_message_says_what_any_reader_would_find_in_it(raw: bytes) -> None:
    assert read_plain(raw) is not None
    assert read_message(raw) == read_any(raw)


@pytest.mark.parametrize("raw", OTHER)
def test_whatever_is_not_plain_is_left_to_the_reader_of_all_messages(raw: bytes) -> None:
    assert read_plain(raw) is None
    assert read_message(raw) == read_any(raw)


def test_bytes_that_are_no_text_are_refused_as_ever() -> None:
    raw = b'{"role":"user","content":"\xff"}'
    assert read_plain(raw) is None
    with pytest.raises(EncodingError, match="cannot be read"):
        read_message(raw)


def test_a_message_that_is_plain_but_no_answer_leaves_its_role_unread() -> None:
    body = b'{"choices":[{"index":0,"finish_reason":"stop","message":%b}]}'
    said = read_answer(body % b'{"role":"assistant","content":"a"}').reading
    other = read_answer(body % b'{"role":"user","content":"a"}').reading
    assert (said.parts, said.unread) == (other.parts, [])
    assert other.unread == ["/choices/0/message/role"]


def test_no_character_has_a_shorter_spelling_than_the_encoders() -> None:
    # That is what lets a length tell that nothing was overridden.
    for number in (*range(0x20), *range(0x7F, 0xD800, 7), *range(0xE000, 0x110000, 997)):
        character = chr(number)
        size = len(msgspec.json.encode(character))
        for spelling in (character, f"\\u{number:04x}", "\\" + character):
            quoted = f'"{spelling}"'.encode()
            try:
                found = msgspec.json.decode(quoted)
            except msgspec.DecodeError:
                continue
            assert found != character or len(quoted) >= size
    for escape in '"\\/bfnrt':
        assert len(msgspec.json.encode(msgspec.json.decode(f'"\\{escape}"'))) <= 4
