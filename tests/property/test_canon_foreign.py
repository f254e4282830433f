"""The canonical bytes of a stranger's JSON are the same on the quick way and on the sure one."""

from __future__ import annotations

import json

from hypothesis import example, given, settings
from hypothesis import strategies as st

from groundwire.canon.jcs import decode_foreign, encode, encode_foreign
from groundwire.errors import EncodingError

TEXTS = st.text('ab:, "\\é\x7f', max_size=4)
LEAVES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXTS)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=12,
)


def surely(data: bytes) -> bytes | str | None:
    try:
        found = decode_foreign(data)
        return None if found.duplicates else encode(found.value)
    except EncodingError as error:
        return error.reason


def quickly(data: bytes) -> bytes | str | None:
    try:
        return encode_foreign(data)
    except EncodingError as error:
        return error.reason


@settings(deadline=None, max_examples=200)
@given(VALUES, st.sampled_from([(",", ":"), (", ", ": "), (" , ", " : ")]), st.booleans())
def test_a_value_in_any_spelling_has_one_canonical_form(
    value: object, separators: tuple[str, str], ascii_only: bool
) -> None:
    text = json.dumps(value, separators=separators, ensure_ascii=ascii_only)
    assert quickly(text.encode()) == surely(text.encode())


@settings(deadline=None, max_examples=200)
@given(st.lists(st.sampled_from(['"a"', '":"', ":", ",", "1.0", "-0", "{", "}", "[", "]", " "])))
@example(['{"a":1,"a":1}'])
@example(['{"a":":","a":""}'])
@example(['{"b":[{"a":1,"a":2}],"a":1e3}'])
@example(['{"a": -0.0, "b": 9007199254740993, "c": 1e400}'])
@example(['{"a" :1,"a":":"}'])
def test_whatever_the_bytes_the_quick_way_says_no_more(pieces: list[str]) -> None:
    data = "".join(pieces).encode()
    assert quickly(data) == surely(data)
