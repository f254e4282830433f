"""Positions against a writer that notes where it puts each value and each character."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.canon import layout, positions
from groundwire.canon.positions import Range, TextMap, elements, locate, text_map

EXAMPLES = 50
CHARACTERS = st.one_of(
    st.sampled_from('ab"\\/\n\u0000\u00e9\ufb33\U0001f600{}[],:'),
    st.characters(exclude_categories=["Cs"]),
)
TEXTS = st.text(CHARACTERS, max_size=12)
KEYS = st.sampled_from(["a", "b", "a/b", "~", "", "\u00e9", 'q"', "\\"])
VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**20), 10**20),
        st.floats(allow_nan=False, allow_infinity=False),
        TEXTS,
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.lists(st.tuples(KEYS, inner), max_size=5).map(tuple)
    ),
    max_leaves=20,
)
SPACES = st.sampled_from(["", "", "", " ", "\n ", "\t\r\n"])


def spellings(character: str) -> list[str]:
    """Every way JSON has to write one character."""
    units = character.encode("utf-16-be")
    pairs = [units[at : at + 2].hex() for at in range(0, len(units), 2)]
    ways = [
        "".join(f"\\u{pair}" for pair in pairs),
        "".join(f"\\u{pair.upper()}" for pair in pairs),
    ]
    if ord(character) >= 0x20 and character not in '"\\':
        ways += [character] * 4
    if character in '"\\/':
        ways.append("\\" + character)
    return ways


class Writer:
    """Writes JSON in whatever style it is told, and notes the range of the value at each pointer."""

    def __init__(self, draw, rhythm: str | None) -> None:
        self.draw, self.rhythm = draw, rhythm
        self.out = bytearray()
        self.places: dict[str, Range] = {}

    def space(self) -> None:
        self.out += (self.draw(SPACES) if self.rhythm is None else self.rhythm).encode()

    def text(self, text: str) -> list[int]:
        """Writes a string, and says where each character of it begins, and where it ends."""
        self.out += b'"'
        starts = []
        for character in text:
            starts.append(len(self.out))
            self.out += self.draw(st.sampled_from(spellings(character))).encode()
        starts.append(len(self.out))
        self.out += b'"'
        return starts

    def value(self, value, pointer: str = "") -> None:
        self.space()
        start = len(self.out)
        if isinstance(value, list):
            self.out += b"["
            for index, child in enumerate(value):
                self.out += b"," * bool(index)
                self.value(child, f"{pointer}/{index}")
            self.space()
            self.out += b"]"
        elif isinstance(value, tuple):
            self.object(value, pointer)
        elif isinstance(value, str):
            self.text(value)
        else:
            self.out += json.dumps(value).encode()
        self.places[pointer] = Range(start, len(self.out))
        self.space()

    def object(self, members, pointer: str) -> None:
        self.out += b"{"
        for index, (key, child) in enumerate(members):
            self.out += b"," * bool(index)
            self.space()
            self.text(key)
            self.space()
            self.out += b":"
            below = f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"
            # What an earlier value of the key held is not there any more.
            for known in [known for known in self.places if (known + "/").startswith(below + "/")]:
                del self.places[known]
            self.value(child, below)
        self.space()
        self.out += b"}"


@pytest.fixture(params=[0, 32], ids=["compared", "walked"], scope="module", autouse=True)
def few(request):
    """Containers this small are compared in one piece, as wide ones are, or walked."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout, "_FEW", request.param)
        yield


@settings(max_examples=EXAMPLES)
@given(VALUES, st.sampled_from([None, "", " "]), st.data())
def test_every_pointer_leads_to_where_its_value_was_written(value, rhythm, data) -> None:
    writer = Writer(data.draw, rhythm)
    writer.value(value)
    body = bytes(writer.out)
    for pointer, place in writer.places.items():
        assert locate(body, pointer) == place
        parent, _, step = pointer.rpartition("/")
        if pointer:
            outer = writer.places[parent]
            assert locate(body, f"/{step}", within=outer) == place
            if body[outer.start] == ord("["):
                assert elements(body, outer)[int(step)] == place


@settings(max_examples=EXAMPLES)
@given(TEXTS, TEXTS, st.integers(1, 40), st.data())
def test_every_character_leads_to_where_it_was_written(before, text, block, data) -> None:
    writer = Writer(data.draw, "")
    writer.out += b"["
    writer.text(before)
    writer.out += b","
    place = len(writer.out)
    starts = writer.text(text)
    end = len(writer.out)
    writer.out += b"]"
    kept, positions.BLOCK = positions.BLOCK, block
    try:
        found = text_map(bytes(writer.out), Range(place, end))
        assert found.text == text
        for start in range(len(text) + 1):
            for stop in range(start, len(text) + 1):
                assert found.byte_range(start, stop) == Range(starts[start], starts[stop])
    finally:
        positions.BLOCK = kept


def spelled(found: TextMap, body: bytes, start: int, end: int, depth: int) -> str:
    place = found.byte_range(start, end)
    text = body[place.start : place.end].decode()
    for _ in range(depth):
        text = json.loads(f'"{text}"')
    return text


@settings(max_examples=EXAMPLES)
@given(TEXTS, st.lists(st.booleans(), min_size=1, max_size=4), st.integers(1, 40), st.data())
def test_a_text_inside_texts_leads_to_bytes_of_the_outermost_body(
    text, styles, block, data
) -> None:
    body = text
    for ascii_only in styles:
        body = json.dumps({"\u00e9": [0, body]}, ensure_ascii=ascii_only)
    outer = body.encode()
    kept, positions.BLOCK = positions.BLOCK, block
    try:
        found = text_map(outer, locate(outer, "/\u00e9/1"))
        for _ in styles[1:]:
            assert found.value("/\u00e9/0") != found.value("/\u00e9/1")
            found = found.inner("/\u00e9/1")
        assert found.text == text
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, len(text)))
        assert spelled(found, outer, start, end, len(styles)) == text[start:end]
    finally:
        positions.BLOCK = kept


@settings(max_examples=EXAMPLES)
@given(VALUES, st.data())
def test_a_located_value_is_the_one_the_standard_library_reads(value, data) -> None:
    writer = Writer(data.draw, None)
    writer.value(value)
    body = bytes(writer.out)
    read = json.loads(body)

    def compare(node, pointer: str) -> None:
        place = locate(body, pointer)
        assert json.loads(body[place.start : place.end]) == node
        steps = list(node.items()) if isinstance(node, dict) else []
        if isinstance(node, list):
            steps = list(enumerate(node))
        for step, child in steps:
            token = str(step).replace("~", "~0").replace("/", "~1")
            compare(child, f"{pointer}/{token}")

    compare(read, "")
