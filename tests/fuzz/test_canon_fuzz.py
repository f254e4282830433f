"""Any bytes are a document or an `EncodingError`; nothing else comes out of canon."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.canon import digest, dsse, jcs, positions
from groundwire.canon.positions import Range
from groundwire.errors import EncodingError

EXAMPLES = 150
TOKENS = [
    b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b" ", b"\n", b"\x00", b"\xff", b"\xc3\xa9",
    b"\xed\xa0\x80", b"\xf0\x9f\x98\x80", b"\xef\xbb\xbf", b"0", b"-1", b"1.5", b"1e999", b"-0",
    b"9" * 20, b"9" * 5000, b"true", b"null", b"NaN", b'"a"', b'"a":', b'"\\u0061":', b'"\\ud800"',
    b"\\ud83d\\ude00", b"\\u12", b'{"a":1,"a":[', b"[" * 600, b"]" * 600, b'{"a":' * 600,
]  # fmt: skip
SOUP = st.lists(st.sampled_from(TOKENS), max_size=30).map(b"".join)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(["a", "b", "\u00e9"]), inner, max_size=3),
    ),
    max_leaves=15,
)


@st.composite
def broken(draw) -> bytes:
    """JSON as some writer would write it, then one cut, flip or insertion."""
    indent = draw(st.sampled_from([None, 0, 2]))
    data = bytearray(json.dumps(draw(VALUES), indent=indent).encode())
    place = draw(st.integers(0, len(data) - 1))
    match draw(st.integers(0, 3)):
        case 0:
            del data[place:]
        case 1:
            data[place] ^= draw(st.integers(1, 255))
        case 2:
            data[place:place] = draw(st.sampled_from(TOKENS))
        case _:
            pass
    return bytes(data)


DATA = st.one_of(st.binary(max_size=64), SOUP, broken())
POINTERS = st.one_of(
    st.text(max_size=8),
    st.lists(st.sampled_from(["a", "0", "1", "~0", "", "\u00e9"]), max_size=6).map(
        lambda steps: "".join("/" + step for step in steps)
    ),
)
PLACES = st.builds(Range, st.integers(-2, 70), st.integers(-2, 70))


@settings(max_examples=EXAMPLES)
@given(DATA)
def test_any_bytes_are_a_canonical_document_or_an_encoding_error(data) -> None:
    with contextlib.suppress(EncodingError):
        assert jcs.encode(jcs.decode(data)) == data


@settings(max_examples=EXAMPLES)
@given(DATA)
def test_any_bytes_are_foreign_json_or_an_encoding_error(data) -> None:
    try:
        read = jcs.decode_foreign(data)
    except EncodingError:
        return
    assert read.value == json.loads(data) or read.value != read.value


@settings(max_examples=EXAMPLES)
@given(DATA, POINTERS)
def test_any_bytes_have_a_value_at_a_pointer_or_an_encoding_error(data, pointer) -> None:
    try:
        place = positions.locate(data, pointer)
    except EncodingError:
        return
    found = data[place.start : place.end]
    assert found == found.strip()
    assert positions.locate(data, "", within=place) == place
    with contextlib.suppress(EncodingError):
        assert positions.text_map(data, place).text == json.loads(found)
    with contextlib.suppress(EncodingError):
        parts = positions.elements(data, place)
        assert all(part == positions.locate(data, "", within=part) for part in parts)


@settings(max_examples=EXAMPLES)
@given(DATA, PLACES, POINTERS)
def test_any_range_of_any_bytes_is_a_value_or_an_encoding_error(data, place, pointer) -> None:
    for call in (
        lambda: positions.locate(data, pointer, within=place),
        lambda: positions.elements(data, place),
        lambda: positions.text_map(data, place).inner(pointer),
    ):
        with contextlib.suppress(EncodingError):
            call()


@settings(max_examples=EXAMPLES)
@given(st.text(st.characters(), max_size=70))
def test_any_text_is_a_digest_or_an_encoding_error(text) -> None:
    for candidate in (text, "gw1:" + text):
        with contextlib.suppress(EncodingError):
            assert candidate.endswith(":" + digest.raw(candidate).hex())


@settings(max_examples=EXAMPLES)
@given(st.text(st.sampled_from("YQ=+/-_ \n\u00e9\ud800"), max_size=9))
def test_any_text_is_base64_or_an_encoding_error(text) -> None:
    with contextlib.suppress(EncodingError):
        data = dsse.decode_base64(text)
        assert dsse.encode_base64(data) == text.replace("-", "+").replace("_", "/")


@pytest.mark.slow
@settings(max_examples=2_000)
@given(DATA, POINTERS)
def test_many_bytes_have_a_value_at_a_pointer_or_an_encoding_error(data, pointer) -> None:
    for call in (
        lambda: jcs.decode(data),
        lambda: jcs.decode_foreign(data),
        lambda: positions.locate(data, pointer),
    ):
        with contextlib.suppress(EncodingError):
            call()
