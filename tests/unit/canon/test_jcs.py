from __future__ import annotations

import inspect
import sys
from collections import OrderedDict
from enum import IntEnum
from types import MappingProxyType
from typing import NamedTuple

import msgspec
import pytest

from groundwire.canon import jcs
from groundwire.canon.jcs import Foreign, decode, decode_foreign, encode
from groundwire.errors import EncodingError


class Level(IntEnum):
    HIGH = 3


class Pair(NamedTuple):
    left: int
    right: int


class Word(str):
    __slots__ = ()


def reason(call, *arguments, **options) -> str:
    with pytest.raises(EncodingError) as caught:
        call(*arguments, **options)
    return caught.value.reason


def nested(depth: int, innermost: object = 1) -> object:
    for _ in range(depth):
        innermost = [innermost]
    return innermost


@pytest.mark.parametrize(
    ("value", "data"),
    [
        ({"b": 1, "a": [True, False, None, ()]}, b'{"a":[true,false,null,[]],"b":1}'),
        ({}, b"{}"),
        ("", b'""'),
        (-0.0, b"0"),
        (1.0, b"1"),
        (1e21, b"1e+21"),
        (4.5e-7, b"4.5e-7"),
        (2**53 - 1, b"9007199254740991"),
        (-(2**53) + 1, b"-9007199254740991"),
        ("\x00\x1f\x7f\u2028/", b'"\\u0000\\u001f\x7f\xe2\x80\xa8/"'),
        ('\b\t\n\f\r"\\', b'"\\b\\t\\n\\f\\r\\"\\\\"'),
        # UTF-16 puts U+1F600 (D83D …) before U+FB33, UTF-8 after it.
        ({"\ufb33": 1, "\U0001f600": 2}, '{"\U0001f600":2,"\ufb33":1}'.encode()),
    ],
)
def test_a_value_has_one_encoding(value, data) -> None:
    assert encode(value) == data


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (2**53, "integer-out-of-range"),
        (-(2**53), "integer-out-of-range"),
        ([{"a": 10**5000}], "integer-out-of-range"),
        (float("nan"), "number-out-of-range"),
        ([float("-inf")], "number-out-of-range"),
        ("\ud800", "lone-surrogate"),
        ({"\udfff": 1}, "lone-surrogate"),
        ({"a": 1.5, "b": "\ud800"}, "lone-surrogate"),
        ({"a": 1.5, "\ud800": 1}, "lone-surrogate"),
        ({1: 2}, "key-not-text"),
        ({"a": 1, None: 2}, "key-not-text"),
        ({Word("a"): 1}, "key-not-text"),
        (b"bytes", "not-json"),
        ({1, 2}, "not-json"),
        (1j, "not-json"),
        (Level.HIGH, "not-json"),
        (Pair(1, 2), "not-json"),
        (Word("a"), "not-json"),
        (OrderedDict(a=1), "not-json"),
        (MappingProxyType({"a": 1}), "not-json"),
    ],
)
def test_a_value_that_is_not_exactly_json_has_no_encoding(value, code) -> None:
    assert reason(encode, value) == code
    assert reason(encode, {"deeper": [value]}) == code


def test_a_value_may_nest_to_the_bound_and_no_deeper() -> None:
    assert encode(nested(jcs.MAX_DEPTH)) == b"[" * jcs.MAX_DEPTH + b"1" + b"]" * jcs.MAX_DEPTH
    assert reason(encode, nested(jcs.MAX_DEPTH + 1)) == "too-deep"
    assert reason(encode, nested(100_000)) == "too-deep"


def test_a_float_does_not_lift_the_bound_on_depth() -> None:
    assert reason(encode, nested(jcs.MAX_DEPTH + 1, 1.5)) == "too-deep"
    assert decode(encode(nested(300, 1.5))) == nested(300, 1.5)


def test_a_value_that_holds_itself_is_too_deep() -> None:
    loop: list[object] = []
    loop.append(loop)
    assert reason(encode, loop) == "too-deep"


def test_a_value_that_doubles_at_each_level_is_refused_before_it_is_written(monkeypatch) -> None:
    monkeypatch.setattr(jcs, "MAX_BYTES", 1 << 14)
    monkeypatch.delattr(jcs, "_ENCODER")
    laughs: object = []
    for _ in range(17):
        laughs = [laughs, laughs]
    assert reason(encode, laughs) == "too-large"


def test_what_is_written_is_bounded_too(monkeypatch) -> None:
    monkeypatch.setattr(jcs, "MAX_BYTES", 8)
    assert encode("sixsix") == b'"sixsix"'
    assert reason(encode, "seven77") == "too-large"
    assert reason(decode, b'"seven77"') == "too-large"


def test_a_full_stack_is_an_encoding_error() -> None:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 250)
    try:
        code = reason(encode, nested(400, 1.5))
    finally:
        sys.setrecursionlimit(limit)
    assert code == "too-deep"


@pytest.mark.parametrize(
    "data",
    [
        b'{"a":1,"a":1}',
        b'{"a":1,"\\u0061":1}',
        b'{"b":1,"a":1}',
        b'{"a": 1}',
        b" 1",
        b"1\n",
        b"1.0",
        b"1e3",
        b"-0",
        b"-0.0",
        b"1.50",
        b"15e-1",
        b"1E1",
        b'"\\u0061"',
        b'"\\/"',
        b'"\\u001F"',
        b'"\\u000a"',
        b'"\\u00e9"',
        b'"\\ud83d\\ude00"',
        '{"\ufb33":1,"\U0001f600":2}'.encode(),
        b'[1.5,{"b":1,"a":1}]',
    ],
)
def test_another_spelling_of_the_same_value_is_refused(data) -> None:
    assert reason(decode, data) == "not-canonical"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "not-json"),
        (b"nul", "not-json"),
        (b"{", "not-json"),
        (b"[1,]", "not-json"),
        (b"01", "not-json"),
        (b"NaN", "not-json"),
        (b"1 2", "not-json"),
        (b"\xef\xbb\xbf1", "not-json"),
        (b'"\xff"', "not-json"),
        (b'"\xed\xa0\x80"', "not-json"),
        (b'"\\ud800"', "not-json"),
        (b'"\n"', "not-json"),
        (b'"\x00', "not-json"),
        (b"9007199254740992", "integer-out-of-range"),
        (b"100000000000000000000", "integer-out-of-range"),
        (b"1e400", "number-out-of-range"),
        (b"9" * 5000, "number-out-of-range"),
        (b"[" * 513 + b"]" * 513, "too-deep"),
        (b"[" * 200_000, "too-deep"),
    ],
)
def test_bytes_that_no_value_has_are_refused(data, code) -> None:
    assert reason(decode, data) == code


@pytest.mark.parametrize(
    "value",
    [
        {"a": [1, "é", None, True], "é": {"ü": 1.5}},
        [[[[[[[[[["ten deep"]]]]]]]]]],
        [1.5, 2**53 - 1, -(2**53) + 1, 1e21, 0.1],
        {"\U0001f600": 2, "\ufb33": 1},
        "plain",
    ],
)
def test_what_encode_writes_decode_reads(value) -> None:
    assert decode(encode(value)) == value


def test_a_whole_float_past_the_safe_integers_does_not_come_back() -> None:
    assert encode(1e20) == b"100000000000000000000"
    assert reason(decode, encode(1e20)) == "integer-out-of-range"


def test_a_foreign_integer_keeps_every_digit() -> None:
    assert decode_foreign(b'{"id": 18446744073709551617}').value == {"id": 2**64 + 1}
    assert decode_foreign(b"-" + b"7" * 4000).value == -int("7" * 4000)
    assert reason(decode_foreign, b"7" * 4301) == "number-out-of-range"


def test_a_foreign_float_out_of_range_is_refused_and_never_infinite() -> None:
    assert reason(decode_foreign, b"[1e400]") == "number-out-of-range"
    assert reason(decode_foreign, b"[-1e999999999999]") == "number-out-of-range"
    assert decode_foreign(b"1e-400").value == 0.0


@pytest.mark.parametrize(
    "data",
    [
        b"NaN",
        b"[Infinity]",
        b"-Infinity",
        b'"\xff"',
        b'"\\ud800"',
        b"\xef\xbb\xbf{}",
        b"",
        b"{'a':1}",
    ],
)
def test_foreign_bytes_that_are_not_json_are_refused(data) -> None:
    assert reason(decode_foreign, data) == "not-json"
    assert reason(decode_foreign, data.decode("latin-1").encode("utf-16")) == "not-json"


@pytest.mark.parametrize(
    ("data", "value", "duplicates"),
    [
        (b'{"a":1,"b":{"a":1}}', {"a": 1, "b": {"a": 1}}, ()),
        (b'{"a":1,"a":2}', {"a": 2}, ("/a",)),
        (b'{"a":1,"\\u0061":2,"a":3}', {"a": 3}, ("/a",)),
        (b'[0,{"x/y":{"~":1,"~":[]}}]', [0, {"x/y": {"~": []}}], ("/1/x~1y/~0",)),
        (b'{"":1,"":2}', {"": 2}, ("/",)),
        (b'{"a" :1,"a"\n:2}', {"a": 2}, ("/a",)),
        (b'{"a":{"i":1,"i":2},"a":{"j":1,"j":2}}', {"a": {"j": 2}}, ("/a", "/a/j")),
        (b'{"a":":","b":"\\":\\"","c\\\\":1}', {"a": ":", "b": '":"', "c\\": 1}, ()),
        (b'{"a\\\\":1,"a\\\\":2,"c":"\\":"}', {"a\\": 2, "c": '":'}, ("/a\\",)),
        # What looks like a member makes up for the one that is lost.
        (b'{"a":1,"a":2,"b":"x\\\\\\":"}', {"a": 2, "b": 'x\\":'}, ("/a",)),
        (b'{"a":1,"a" :2}', {"a": 2}, ("/a",)),
        (b'{"a":1,"a":2,"b\\\\":3}', {"a": 2, "b\\": 3}, ("/a",)),
        (b'{"t":"\\" :","a":1,"a":1}', {"t": '" :', "a": 1}, ("/a",)),
    ],
)
def test_a_foreign_key_that_stands_twice_is_reported(data, value, duplicates) -> None:
    assert decode_foreign(data) == Foreign(value, duplicates)


def test_pointers_of_duplicates_end_before_they_outgrow_the_document() -> None:
    key = "k" * 100_000
    data = f'{{"{key}":{{"a":1,"a":1,"b":1,"b":1}}}}'.encode()
    assert decode_foreign(data).duplicates == (f"/{key}/a",)


def test_foreign_size_and_depth_are_the_callers_to_bound() -> None:
    assert reason(decode_foreign, b"[1,2]", max_bytes=4) == "too-large"
    assert decode_foreign(b"[1,2]", max_bytes=5).value == [1, 2]
    assert reason(decode_foreign, b'{"a":[[]]}', max_depth=2) == "too-deep"
    assert decode_foreign(b'{"a":[[]]}', max_depth=3).value == {"a": [[]]}
    assert decode_foreign(b'"flat"', max_depth=0).value == "flat"


@pytest.mark.parametrize("data", [b"[" * 300_000, b'{"a":' * 300_000, b"[" * 600 + b"]" * 600])
def test_foreign_nesting_ends_in_an_error_and_not_in_the_interpreter(data) -> None:
    assert reason(decode_foreign, data) == "too-deep"


class Told(msgspec.Struct, frozen=True, tag="told"):
    """A document of every plain kind."""

    zebra: str
    alpha: tuple[int, ...]
    inner: dict[str, object]


@pytest.mark.parametrize(
    "document",
    [
        Told("z", (1, -2), {"b": None, "a": True}),
        Told("é\u2028\x7f\x1f", (), {}),
        Told("z", (), {"whole": 1.0}),
        Told("z", (), {"half": 0.5, "large": 1e21}),
        Told("z", (), {"\U0001f600": 1, "\ue000": 2}),
        Told("z", (), {"deep": [[[[[[[[1]]]]]]]]}),
        {"b": Told("z", (2**53 - 1,), {}), "a": [Told("y", (), {})]},
    ],
)
def test_a_document_has_the_bytes_of_what_it_is_made_of(document: object) -> None:
    assert jcs.encode_document(document) == jcs.encode(msgspec.to_builtins(document))


@pytest.mark.parametrize(
    ("inner", "reason"),
    [
        ({"n": 2**53}, "integer-out-of-range"),
        ({"n": 2**70}, "integer-out-of-range"),
        ({"n": float("nan")}, "number-out-of-range"),
        ({"n": "\ud800"}, "lone-surrogate"),
        ({"n": jcs.encode_document}, "not-json"),
        ({"n": Word("x")}, "not-json"),
    ],
)
def test_a_document_without_canonical_json_is_refused_for_its_reason(
    inner: dict[str, object], reason: str
) -> None:
    with pytest.raises(EncodingError) as told:
        jcs.encode_document(Told("z", (), inner))
    assert told.value.reason == reason
