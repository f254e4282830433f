from __future__ import annotations

import json

import pytest

from groundwire.canon import positions
from groundwire.canon.positions import Range, TextMap, elements, locate, text_map
from groundwire.errors import EncodingError

BODY = b' {"model": "m", "messages": [ {"role":"user","content":"h\\u00e9\\n"}, {"n":[1,[2]]} ]}\n'


def at(body: bytes, pointer: str, **options) -> bytes:
    place = locate(body, pointer, **options)
    return body[place.start : place.end]


def cut(body: bytes, place: Range) -> bytes:
    return body[place.start : place.end]


def mapped(body: bytes, pointer: str) -> TextMap:
    return text_map(body, locate(body, pointer))


def reason(call, *arguments, **options) -> str:
    with pytest.raises(EncodingError) as caught:
        call(*arguments, **options)
    return caught.value.reason


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("", BODY.strip()),
        ("/model", b'"m"'),
        ("/messages/0", b'{"role":"user","content":"h\\u00e9\\n"}'),
        ("/messages/0/content", b'"h\\u00e9\\n"'),
        ("/messages/1/n/1/0", b"2"),
    ],
)
def test_a_pointer_leads_to_the_exact_bytes(pointer, value) -> None:
    assert at(BODY, pointer) == value


def test_the_examples_of_rfc_6901_lead_where_it_says() -> None:
    value = {
        "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5,
        'k"l': 6, " ": 7, "m~n": 8,
    }  # fmt: skip
    expected = {
        "": value, "/foo": ["bar", "baz"], "/foo/0": "bar", "/": 0, "/a~1b": 1, "/c%d": 2,
        "/e^f": 3, "/g|h": 4, "/i\\j": 5, '/k"l': 6, "/ ": 7, "/m~0n": 8,
    }  # fmt: skip
    for indent in (None, 2):
        body = json.dumps(value, indent=indent).encode()
        assert {pointer: json.loads(at(body, pointer)) for pointer in expected} == expected


@pytest.mark.parametrize(
    "pointer",
    [
        "/absent",
        "/messages/2",
        "/messages/-",
        "/messages/-1",
        "/messages/00",
        "/messages/+0",
        "/messages/0 ",
        "/messages/\u0660",
        "/messages/" + "9" * 5000,
        "/messages/role",
        "/messages/",
        "/model/0",
        "/model/",
        "/messages/0/content/0",
        "/Model",
        "//",
    ],
)
def test_a_pointer_to_nothing_is_refused(pointer) -> None:
    assert reason(locate, BODY, pointer) == "no-such-value"


@pytest.mark.parametrize("pointer", ["model", "#/model", "/a~", "/a~2b", "/~ ", "~0"])
def test_a_pointer_with_bad_syntax_is_refused(pointer) -> None:
    assert reason(locate, BODY, pointer) == "bad-pointer"


def test_a_pointer_with_too_many_steps_is_refused() -> None:
    body = b"[" * 65 + b"]" * 65
    assert at(body, "/0" * 64) == b"[]"
    assert reason(locate, body, "/0" * 65) == "too-deep"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" \n",
        b'{"a":1',
        b'{"a":1}}',
        b'{"a":1} {"a":2}',
        b'{"a":1}\x00',
        b'\xef\xbb\xbf{"a":1}',
        b'{"a":1,"b":nul}',
        b'{"a":1,"b":"\xff"}',
        b'{"a":1,"b":"\xed\xa0\x80"}',
        b'{"a":1,"\xff":2}',
        b'{"a":1,"b":"\n"}',
        b"{'a':1}",
        b'{"a":1,}',
        '{"a":1}'.encode("utf-16"),
    ],
)
def test_a_body_that_is_not_json_to_its_end_has_no_places(body) -> None:
    for pointer in ("", "/a", "/absent", "/a/b"):
        assert reason(locate, body, pointer) == "not-json"


@pytest.mark.parametrize("body", [b'"text', b"12 3", b"tru", b'"\n"'])
def test_a_malformed_scalar_has_no_places(body) -> None:
    assert reason(locate, body, "") == "not-json"
    assert reason(locate, body, "/0") == "not-json"


def test_a_body_deeper_than_the_interpreter_follows_is_refused() -> None:
    assert reason(locate, b"[" * 500_000, "/0") == "too-deep"
    assert reason(locate, b'{"a":' * 500_000, "") == "too-deep"


def test_a_body_over_the_bound_is_refused(monkeypatch) -> None:
    monkeypatch.setattr(positions, "MAX_BYTES", 7)
    assert at(b'{"a":1}', "/a") == b"1"
    assert reason(locate, b'{"a":12}', "/a") == "too-large"


def test_the_last_of_two_equal_keys_is_meant_at_every_level() -> None:
    body = b'{"a":{"b":1},"x":[{"b":"]}"}],"a":{"b":2,"c":0,"\\u0062":[3]}}'
    assert at(body, "/a/b") == b"[3]"
    assert json.loads(body)["a"]["b"] == [3]


def test_what_stands_beside_the_path_may_be_unreadable_numbers_and_surrogates() -> None:
    body = b'{"big":1e999,"long":' + b"9" * 5000 + b',"low":"x","a":[true]}'
    assert at(body, "/a/0") == b"true"
    assert at(body, "/big") == b"1e999"


def test_a_pointer_can_start_at_a_known_place() -> None:
    second = locate(BODY, "/messages/1")
    assert at(BODY, "/n/1", within=second) == b"[2]"
    assert at(BODY, "", within=second) == cut(BODY, second)
    assert reason(locate, BODY, "/role", within=second) == "no-such-value"


@pytest.mark.parametrize(
    ("start", "end", "code"),
    [
        (-1, 3, "no-such-range"),
        (3, 3, "no-such-range"),
        (5, 2, "no-such-range"),
        (0, 15, "no-such-range"),
        (5, 12, "no-such-range"),
        (6, 13, "no-such-range"),
        (6, 11, "not-json"),
        (7, 11, "not-json"),
        (1, 12, "not-json"),
    ],
)
def test_a_place_that_is_not_one_value_is_refused(start, end, code) -> None:
    body = b'{"a": [1, 2] }'
    place = Range(start, end)
    assert reason(locate, body, "", within=place) == code
    assert reason(locate, body, "/0", within=place) == code
    assert reason(elements, body, place) == code
    assert reason(text_map, body, place) in {code, "not-json"}


def test_the_elements_of_an_array_are_its_values_in_order() -> None:
    found = elements(BODY, locate(BODY, "/messages"))
    assert found == [locate(BODY, "/messages/0"), locate(BODY, "/messages/1")]
    assert elements(b"[]", Range(0, 2)) == []
    assert reason(elements, BODY, locate(BODY, "/messages/0")) == "not-json"
    assert reason(elements, b'["\xff"]', Range(0, 5)) == "not-json"


@pytest.mark.parametrize(
    ("spelled", "spellings"),
    [
        ('""', []),
        ('"abc"', ["a", "b", "c"]),
        (r'"a\n\"\\\/z"', ["a", r"\n", r"\"", r"\\", r"\/", "z"]),
        (r'"\u0041\u00E9\ud83d\ude00\uD83D\uDE00x"',
         [r"\u0041", r"\u00E9", r"\ud83d\ude00", r"\uD83D\uDE00", "x"]),
        ('"\u00e9\u65e5\U0001f600"', ["\u00e9", "\u65e5", "\U0001f600"]),
        (r'"\\u0041\\\u0041"', [r"\\", "u", "0", "0", "4", "1", r"\\", r"\u0041"]),
        (r'"\\\\\""', [r"\\", r"\\", r"\""]),
        (r'"\ud83d\ude00\ude00"'[:-7] + '"', [r"\ud83d\ude00"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("block", [1, 2, 5, 1024])
def test_each_character_is_mapped_to_the_bytes_that_spell_it(
    spelled, spellings, block, monkeypatch
) -> None:
    monkeypatch.setattr(positions, "BLOCK", block)
    body = b"[1, " + spelled.encode() + b"]"
    found = mapped(body, "/1")
    assert found.text == json.loads(spelled)
    places = [found.byte_range(index, index + 1) for index in range(len(found.text))]
    assert [cut(body, place).decode() for place in places] == spellings
    assert found.byte_range(0, len(found.text)) == Range(5, len(body) - 2)


def test_a_range_of_no_characters_has_no_bytes() -> None:
    found = mapped(b'["\\u00e9x"]', "/0")
    assert found.byte_range(1, 1) == Range(8, 8)
    assert mapped(b'[""]', "/0").byte_range(0, 0) == Range(2, 2)


@pytest.mark.parametrize(("start", "end"), [(-1, 1), (2, 1), (0, 4), (4, 4), (0, 10**9)])
def test_characters_that_the_text_does_not_have_are_refused(start, end) -> None:
    assert reason(mapped(b'["abc"]', "/0").byte_range, start, end) == "no-such-range"


@pytest.mark.parametrize(
    "spelled",
    [
        b"1",
        b'"',
        b'"a',
        b'a"',
        b'"a"b"',
        b'"a\\"',
        b'"\\ud83d"',
        b'"\\ude00"',
        b'"\\ude00\\ud83d"',
        b'"\\ud83d\\u0041"',
        b'"\\u12"',
        b'"\\x"',
        b'"\n"',
        b'"\xff"',
        b'"\xed\xa0\x80"',
        b'"\xc3"',
    ],
)
@pytest.mark.parametrize("block", [1, 1024])
def test_what_is_not_one_string_has_no_text(spelled, block, monkeypatch) -> None:
    monkeypatch.setattr(positions, "BLOCK", block)
    body = b"xx" + spelled + b"yy"
    assert reason(text_map, body, Range(2, 2 + len(spelled))) == "not-json"


def test_a_range_outside_the_body_has_no_text() -> None:
    assert reason(text_map, b'"a"', Range(0, 4)) == "no-such-range"
    assert reason(text_map, b'"a"', Range(-3, 3)) == "no-such-range"


def test_json_in_json_is_followed_back_to_the_outermost_bytes() -> None:
    arguments = json.dumps({"host": "srv-\u00e9", "ports": [22, 443]}, ensure_ascii=False)
    body = json.dumps({"call": {"arguments": arguments}}).encode()
    found = mapped(body, "/call/arguments")
    assert found.text == arguments
    assert cut(body, found.value("/ports/1")) == b"443"
    assert cut(body, found.value("/host")) == b'\\"srv-\\u00e9\\"'
    host = found.inner("/host")
    assert host.text == "srv-\u00e9"
    assert cut(body, host.byte_range(4, 5)) == b"\\u00e9"
    assert cut(body, host.byte_range(0, 3)) == b"srv"


def test_json_in_json_in_json_is_followed_too() -> None:
    text = 'line\n"\u00e9\U0001f600"'
    body = b"  " + json.dumps([json.dumps({"k": json.dumps([text])}, ensure_ascii=False)]).encode()
    found = mapped(body, "/0").inner("/k").inner("/0")
    assert found.text == text
    for start in range(len(text)):
        spelled = b'"' + cut(body, found.byte_range(start, start + 1)) + b'"'
        for _ in range(3):
            inside = json.loads(spelled)
            spelled = b'"' + inside.encode() + b'"'
        assert inside == text[start]


def test_a_string_that_is_a_json_string_has_an_inner_text_at_the_root() -> None:
    body = json.dumps(json.dumps("a\nb")).encode()
    assert mapped(body, "").inner("").text == "a\nb"
    assert cut(body, mapped(body, "").inner("").byte_range(1, 2)) == b"\\\\n"


def test_a_text_that_is_no_json_has_nothing_inside() -> None:
    found = mapped(b'["plain words"]', "/0")
    assert reason(found.inner, "/a") == "not-json"
    assert reason(found.value, "") == "not-json"
    assert reason(mapped(b'["{\\"a\\":1}"]', "/0").inner, "/a") == "not-json"
    assert reason(mapped(b'["{\\"a\\":1}"]', "/0").value, "/b") == "no-such-value"


def test_a_long_text_is_mapped_across_its_blocks() -> None:
    unit = 'word \u00e9 \n "q" \U0001f600 '
    text = unit * 2000
    for ascii_only in (True, False):
        body = json.dumps({"t": text}, ensure_ascii=ascii_only).encode()
        found = mapped(body, "/t")
        assert found.text == text
        spelled = json.dumps(unit, ensure_ascii=ascii_only).encode()[1:-1]
        for number in (0, 1, 777, 1999):
            place = found.byte_range(number * len(unit), (number + 1) * len(unit))
            assert cut(body, place) == spelled
            assert place.start == 7 + number * len(spelled)


def test_a_text_of_backslashes_alone_is_mapped() -> None:
    body = b'["' + b"\\" * 20_000 + b'"]'
    found = mapped(body, "/0")
    assert found.text == "\\" * 10_000
    assert found.byte_range(9_999, 10_000) == Range(2 + 19_998, 2 + 20_000)
