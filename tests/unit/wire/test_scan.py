"""JSON taken apart one level at a time."""

from __future__ import annotations

import pytest
from msgspec import Raw

from groundwire.errors import EncodingError
from groundwire.wire import scan


def test_members_keep_their_order_their_spelling_and_their_repetition() -> None:
    data = b' { "a" : 1.0 , "b":[ 1 ], "a" :"x" } '
    assert [(key, bytes(value)) for key, value in scan.pairs(data)] == [
        ("a", b"1.0"),
        ("b", b"[ 1 ]"),
        ("a", b'"x"'),
    ]
    places = [(m.key, data[m.start : m.end]) for m in scan.members(data)]
    assert places == [("a", b"1.0"), ("b", b"[ 1 ]"), ("a", b'"x"')]


@pytest.mark.parametrize(
    ("data", "members"),
    [
        (b'{"a": 1, "b": [1, 2]}', [("a", b"1"), ("b", b"[1, 2]")]),
        # As long as three members with spaces, and yet one of its four was overridden.
        (b'{"":1,"a":2,"b":3,"":4}', [("", b"1"), ("a", b"2"), ("b", b"3"), ("", b"4")]),
        (b'{"a":1,  "b": 2}', [("a", b"1"), ("b", b"2")]),
        (rb'{"a\"": 1, "b": 2}', [('a"', b"1"), ("b", b"2")]),
    ],
    ids=["spaced", "repeated", "spaced-otherwise", "escaped"],
)
def test_members_of_objects_with_white_space_are_found_with_every_repetition(
    data: bytes, members: list[tuple[str, bytes]]
) -> None:
    for read in (data, Raw(data)):
        assert [(key, bytes(value)) for key, value in scan.pairs(read)] == members


def test_elements_keep_their_spelling() -> None:
    assert [bytes(value) for value in scan.elements(b"[ 1 , {} ,null]")] == [b"1", b"{}", b"null"]


def test_lone_surrogates_are_stepped_over_and_values_left_as_they_stood() -> None:
    data = rb'{"a\ud800":"x\udc00\ud83d\ude00 \\ud800","b":["\ud800",1]}'
    assert [(key, bytes(value)) for key, value in scan.pairs(data)] == [
        ("a\ufffd", rb'"x\udc00\ud83d\ude00 \\ud800"'),
        ("b", rb'["\ud800",1]'),
    ]
    assert [m.key for m in scan.members(data)] == ["a\ufffd", "b"]
    assert scan.text(rb'"x\udc00\ud83d\ude00 \\ud800"') == "x\ufffd😀 \\ud800"
    assert [bytes(value) for value in scan.elements(rb'[ "\ud800", 1 ]')] == [rb'"\ud800"', b"1"]


def test_mending_keeps_every_byte_in_its_place() -> None:
    data = rb'"\uDBFF\uDBFF\uDC00 \u0041 \" \\"'
    mended = scan.mend(data)
    assert mended == rb'"\ufffd\uDBFF\uDC00 \u0041 \" \\"'
    assert scan.mend(rb'"\ud83d\ude00"') is None
    assert scan.mend(b'"plain"') is None


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not-json"),
        (b"[1]", "not-an-object"),
        (b"7", "not-an-object"),
        (b'{"a":1,}', "not-json"),
        (b'{"a":\\ud800}', "not-json"),
        (b'{"a":"\\ud800"', "not-json"),
        (b'{"a":' + b"[" * 99_999, "too-deep"),
    ],
)
def test_what_is_no_object_is_refused_by_name(data: bytes, reason: str) -> None:
    for read in (scan.pairs, scan.members):
        with pytest.raises(EncodingError) as caught:
            read(data)
        assert caught.value.reason == reason


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"{}", "not-an-array"), (b"[1,]", "not-json"), (b'["\\ud800"', "not-json")],
)
def test_what_is_no_array_is_refused_by_name(data: bytes, reason: str) -> None:
    with pytest.raises(EncodingError) as caught:
        scan.elements(data)
    assert caught.value.reason == reason


@pytest.mark.parametrize("data", [b"7", b'"\xff"', b'"', b'"\\ud800\xff"'])
def test_what_is_no_text_is_refused_by_name(data: bytes) -> None:
    with pytest.raises(EncodingError) as caught:
        scan.text(data)
    assert caught.value.reason == "not-json"


def test_small_questions() -> None:
    assert scan.first(Raw(b'"x"')) == b'"'
    assert scan.first(Raw(b"")) == b""
    assert scan.is_json(b"{}")
    assert not scan.is_json(b"{")
    assert not scan.is_json(b"[" * 99_999)
    assert scan.skip_space(b" \t\r\n x", 0) == 5
