"""JSON is read whole and exactly, or refused with a reason and a place."""

from __future__ import annotations

import pytest

from groundwire.contracts.reading.text import Text, read
from groundwire.contracts.reading.unreadable import Unreadable


def text(data: bytes) -> Text:
    return read(data, "a.json")


def refused(data: bytes) -> tuple[str, int, int]:
    with pytest.raises(Unreadable) as caught:
        text(data)
    assert str(caught.value) == caught.value.says
    return caught.value.reason, caught.value.line, caught.value.column


def test_a_value_comes_back_as_it_is_written() -> None:
    found = text(b'{"a": [1, 2.5, "x", true, null], "b": {}}')
    assert found.value == {"a": [1, 2.5, "x", True, None], "b": {}}
    assert (found.kind, dict(found.unread)) == ("json", {})


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    found = text(b'\xef\xbb\xbf{"a": 1}')
    assert found.value == {"a": 1}
    assert found.position("/a") == (1, 2)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", ("empty-file", 0, 0)),
        (b"\xef\xbb\xbf \n\t", ("empty-file", 0, 0)),
        (b'{"a": 1', ("not-json", 1, 8)),
        (b'{"a": [\n1,\n2', ("not-json", 3, 2)),
        (b'{"a": 1} x', ("not-json", 1, 11)),
        (b"[1, NaN]", ("not-json", 1, 5)),
        (b"[-Infinity]", ("not-json", 1, 3)),
        (b'{"a": 1,}', ("not-json", 1, 9)),
        (b'{"a": 01}', ("not-json", 1, 8)),
        (b"{'a': 1}", ("not-json", 1, 2)),
        (b'{"a":\n  "\\ud800"}', ("lone-surrogate", 2, 4)),
        (b'{"a": "\\ud83d\\ude00", "b": "\\udc00"}', ("lone-surrogate", 1, 29)),
        (b'{"a":\n "\xff"}', ("not-utf-8", 2, 3)),
        ('{"a": 1}'.encode("utf-16"), ("not-utf-8", 0, 0)),
        ('{"a": 1}'.encode("utf-16-le"), ("not-utf-8", 0, 0)),
        ('{"a": 1}'.encode("utf-32-be"), ("not-utf-8", 0, 0)),
        (b'{"a": "x\0"}', ("nul-in-file", 1, 9)),
        (b"[" + b"1" * 5000 + b"]", ("number-out-of-range", 0, 0)),
    ],
)
def test_what_is_no_json_is_refused_at_its_place(
    data: bytes, expected: tuple[str, int, int]
) -> None:
    assert refused(data) == expected


def test_an_escaped_nul_is_a_character_like_others() -> None:
    assert text(b'{"a": "\\u0000"}').value == {"a": "\0"}


def test_of_a_key_that_stands_twice_both_places_are_told() -> None:
    with pytest.raises(Unreadable) as caught:
        text(b'{"a": 1,\n "b": {"x": "\\"x\\":",\n  "y": 1, "\\u0078": 2}}')
    assert caught.value.reason == "key-repeated"
    assert (caught.value.line, caught.value.column) == (3, 11)
    assert "/b/x" in caught.value.says
    assert "line 2, column 8" in caught.value.says


def test_the_same_key_in_two_objects_is_no_key_twice() -> None:
    assert text(b'[{"a": 1}, {"a": 2}]').value == [{"a": 1}, {"a": 2}]


@pytest.mark.parametrize("depth", [257, 10_000])
def test_nesting_is_bounded_and_the_bound_has_a_name(depth: int) -> None:
    assert refused(b"[" * depth + b"]" * depth)[0] == "too-deep"
    assert refused(b'{"a":' * depth + b"1" + b"}" * depth)[0] == "too-deep"


def test_what_nests_within_the_bound_is_read() -> None:
    assert text(b"[" * 256 + b"]" * 256).position("/0/0") == (1, 3)


def test_a_hundred_megabytes_are_refused_before_they_are_read() -> None:
    assert refused(b"[" + b" " * (100 << 20) + b"]") == ("too-large", 0, 0)


def test_so_many_objects_that_no_memory_holds_them_are_refused_before_they_are_made() -> None:
    assert refused(b"[" + b"[]," * 3_000_001 + b"{}]") == ("too-large", 0, 0)


# --- numbers --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "value"),
    [
        ("1e400", 1.7976931348623157e308),
        ("-1e400", -1.7976931348623157e308),
        ("1e-400", 0.0),
        ("1e-99999999999", 0.0),
        ("0.1000000000000000055511151231257827", 0.1),
        ("9007199254740993.0", 9007199254740992.0),
        ("0." + "3" * 5000, 1 / 3),
    ],
)
def test_a_number_that_no_float_says_is_named_and_not_silently_rounded(
    number: str, value: float
) -> None:
    found = text(f'{{"a": [0.5, {number}], "b~/c": {number}}}'.encode())
    assert found.value == {"a": [0.5, value], "b~/c": value}
    assert dict(found.unread) == {"/a/1": "number-inexact", "/b~0~1c": "number-inexact"}
    assert isinstance(found.value, dict)
    assert type(found.value["b~/c"]) is float


@pytest.mark.parametrize(
    "number", ["0.1", "1.50", "100e-2", "1e22", "-0.0", "1E+2", "0e99999", "123456789012345.5"]
)
def test_a_number_that_a_float_says_is_not_named(number: str) -> None:
    found = text(f"[{number}]".encode())
    assert found.value == [float(number)]
    assert dict(found.unread) == {}


def test_a_whole_number_keeps_every_digit() -> None:
    assert text(b"[123456789012345678901234567890]").value == [123456789012345678901234567890]


def test_a_document_that_is_an_inexact_number_is_named_at_its_root() -> None:
    found = text(b"1e400")
    assert dict(found.unread) == {"": "number-inexact"}
    assert type(found.value) is float


# --- places ---------------------------------------------------------------------------------

DOCUMENT = '{\n  "é": {"b/c": [1,\n   {"d": 2}]},\r\n  "~": "\\"e\\": {",\n\t"f": []\n}\n'.encode()


@pytest.mark.parametrize(
    ("pointer", "place"),
    [
        ("", (1, 1)),
        ("/é", (2, 3)),
        ("/é/b~1c", (2, 9)),
        ("/é/b~1c/0", (2, 17)),
        ("/é/b~1c/1", (3, 4)),
        ("/é/b~1c/1/d", (3, 5)),
        ("/~0", (4, 3)),
        ("/f", (5, 2)),
        ("/e", None),
        ("/f/0", None),
        ("/é/b~1c/1/d/x", None),
        ("/é/b~1c/01", None),
    ],
)
def test_a_pointer_leads_to_a_key_or_element(pointer: str, place: tuple[int, int] | None) -> None:
    assert text(DOCUMENT).position(pointer) == place
