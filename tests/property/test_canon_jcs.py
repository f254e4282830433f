"""jcs against rfc8785 alone, and against the standard library as the judge of what JSON is."""

from __future__ import annotations

import json

import pytest
import rfc8785
from hypothesis import example, given, settings
from hypothesis import strategies as st

from groundwire.canon.jcs import decode, decode_foreign, encode
from groundwire.errors import EncodingError

EXAMPLES = 100
SAFE = st.integers(-(2**53) + 1, 2**53 - 1)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
# Long runs matter: a fast writer copies what needs no escape in blocks.
LONG = st.builds(lambda a, n, b: a + "x" * n + b, TEXT, st.integers(0, 70), TEXT)
KEYS = st.one_of(st.text("aAbB_", max_size=3), TEXT)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


def values(leaves):
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.lists(inner, max_size=5),
            st.lists(inner, max_size=5).map(tuple),
            st.dictionaries(KEYS, inner, max_size=8),
        ),
        max_leaves=25,
    )


PLAIN = values(st.one_of(st.none(), st.booleans(), SAFE, TEXT, LONG))
ANY = values(st.one_of(st.none(), st.booleans(), SAFE, TEXT, FLOATS))
WILD = values(
    st.one_of(
        st.none(), st.integers(), st.floats(), st.text(st.characters(), max_size=5), st.binary()
    )
)


@settings(max_examples=EXAMPLES)
@given(PLAIN)
def test_the_fast_path_writes_the_bytes_of_rfc8785(value) -> None:
    assert encode(value) == rfc8785.dumps(value)


@settings(max_examples=EXAMPLES)
@given(ANY)
def test_every_value_has_the_bytes_of_rfc8785(value) -> None:
    assert encode(value) == rfc8785.dumps(value)


@settings(max_examples=EXAMPLES)
@given(st.dictionaries(KEYS, st.none(), max_size=60))
def test_keys_stand_in_the_order_of_utf_16(value) -> None:
    assert list(json.loads(encode(value))) == sorted(value, key=lambda key: key.encode("utf-16be"))


@settings(max_examples=EXAMPLES)
@given(WILD)
def test_a_value_is_encoded_or_refused_and_never_mistaken(value) -> None:
    try:
        expected = rfc8785.dumps(value)
    except (ValueError, RecursionError):
        with pytest.raises(EncodingError):
            encode(value)
    else:
        assert encode(value) == expected


@settings(max_examples=EXAMPLES)
@given(PLAIN)
def test_a_canonical_document_comes_back_whole(value) -> None:
    assert encode(decode(encode(value))) == encode(value)


@settings(max_examples=EXAMPLES)
@given(ANY, st.data())
def test_one_flipped_byte_is_refused_or_another_document(value, data) -> None:
    document = bytearray(encode(value))
    place = data.draw(st.integers(0, len(document) - 1))
    document[place] ^= data.draw(st.integers(1, 255))
    try:
        read = decode(bytes(document))
    except EncodingError:
        return
    assert encode(read) == bytes(document)


@settings(max_examples=EXAMPLES)
@given(ANY, st.sampled_from([None, 0, 1, "\t"]), st.booleans())
def test_any_spelling_but_the_canonical_one_is_refused(value, indent, ascii_only) -> None:
    spelled = json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode()
    try:
        decode(spelled)
    except EncodingError:
        return
    assert encode(value) == spelled


def pairs_reader(data: bytes):
    """What the standard library reads, and the pointers of keys that stand twice."""
    found: list[str] = []

    def mark(pairs):
        return ("object", pairs)

    def build(node, pointer):
        if isinstance(node, tuple) and node and node[0] == "object":
            kept, twice = {}, {}
            for key, child in node[1]:
                if key in kept:
                    twice[key] = True
                kept[key] = child
            for key in twice:
                found.append(pointer + "/" + key.replace("~", "~0").replace("/", "~1"))
            return {
                key: build(child, pointer + "/" + key.replace("~", "~0").replace("/", "~1"))
                for key, child in kept.items()
            }
        if isinstance(node, list):
            return [build(child, f"{pointer}/{index}") for index, child in enumerate(node)]
        return node

    return build(json.loads(data, object_pairs_hook=mark), ""), sorted(found)


SPACE = st.sampled_from(["", "", "", " ", "\n", "\t \r"])
AWKWARD = st.sampled_from(["a", "b", ":", '":', '\\":', '" :', "\\", '\\\\":"', "/", "~", ""])


@st.composite
def documents(draw, depth: int = 3) -> str:
    """JSON text with few keys, so that they meet, and with texts that look like members."""
    kind = draw(st.integers(0, 3 if depth else 1))
    if kind == 0:
        return str(draw(st.integers()))
    if kind == 1:
        return json.dumps(draw(AWKWARD))
    inner = draw(st.lists(documents(depth=depth - 1), max_size=4))
    space = draw(SPACE)
    if kind == 2:
        return f"[{space}" + f"{space},".join(inner) + "]"
    members = [f"{space}{json.dumps(draw(AWKWARD))}{draw(SPACE)}:{item}" for item in inner]
    return "{" + ",".join(members) + f"{space}}}"


@settings(max_examples=EXAMPLES)
@given(documents())
@example('{"a":1,"a":1,"":":"}')
@example('{"a" :1,"a":1}')
def test_foreign_json_reads_as_the_standard_library_reads_it(text) -> None:
    value, duplicates = pairs_reader(text.encode())
    read = decode_foreign(text.encode())
    assert read.value == value
    assert sorted(read.duplicates) == duplicates


@settings(max_examples=EXAMPLES)
@given(ANY, st.sampled_from([None, 2]), st.booleans())
def test_foreign_json_without_repeats_reports_none(value, indent, ascii_only) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    read = decode_foreign(text.encode())
    assert read.duplicates == ()
    assert read.value == json.loads(text)
