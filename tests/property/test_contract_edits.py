"""A version of a file that is read by way of another is what it would be if read as a whole."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import example, given, settings
from hypothesis import strategies as st

from groundwire.canon.jcs import JSON
from groundwire.contracts.openapi.opening.files import at
from groundwire.contracts.reading.text import Text, read
from groundwire.contracts.reading.unreadable import Unreadable
from groundwire.contracts.reading.versions.edits import LEAST
from groundwire.contracts.readings import Readings
from tests.property.test_contract_files import same

NAMES = st.sampled_from(["a", "b", "$ref", "é", 'q"', "\\", "/~"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-999, 999) | NAMES,
    lambda part: st.lists(part, max_size=3) | st.dictionaries(NAMES, part, max_size=3),
    max_leaves=12,
)
BYTES = st.lists(st.sampled_from([*b'{}[]",:\\0123 .-eabn\n', 0xC3, 0xA9, 0]), max_size=6).map(
    bytes
)
# Longer than what an edit is looked for in, and with more of it on one side or on both.
PADS = st.sampled_from([(LEAST, 9), (9, LEAST), (LEAST, LEAST)])


def padded(value: Any, pads: tuple[int, int], *, wide: bool) -> bytes:
    data = msgspec.json.encode({"p": "x" * pads[0], "v": {"w": value}, "z": "y" * pads[1]})
    return msgspec.json.format(data) if wide else data


def outcome(data: bytes, readings: Readings | None = None) -> Text | str:
    try:
        return readings.read(data, "a.json") if readings else read(data, "a.json")
    except Unreadable as error:
        return f"{error.reason} {error.line} {error.column}"


@settings(max_examples=150, deadline=None)
@given(VALUES, PADS, st.booleans(), st.integers(0, 10**6), st.integers(0, 4), BYTES)
@example({"a": 1}, (LEAST, 9), False, 0, 0, b"\xc3")
def test_an_edited_text_is_read_as_it_would_be_alone(
    value: Any, pads: tuple[int, int], wide: bool, at: int, gone: int, more: bytes
) -> None:
    old = padded(value, pads, wide=wide)
    begins = old.index(b'"v"') - 2
    ends = old.index(b'"z"') + 4
    at = begins + at % (ends - begins)
    new = old[:at] + more + old[at + gone :]
    readings = Readings()
    first = outcome(old, readings)
    assert isinstance(first, Text)
    alone, together = outcome(new), outcome(new, readings)
    if isinstance(alone, str) or isinstance(together, str):
        assert alone == together
        return
    assert same(alone.value, together.value)
    assert dict(alone.unread) == dict(together.unread)
    for pointer in ("/v", "/v/w", "/z", "/v/w/a", "/v/w/0"):
        assert alone.position(pointer) == together.position(pointer)
    assert same(first.value, read(old, "a.json").value)


@settings(max_examples=60, deadline=None)
@given(VALUES, VALUES, PADS)
def test_what_is_not_edited_is_the_very_same_object(
    old: Any, new: Any, pads: tuple[int, int]
) -> None:
    rest: JSON = [[0], {"a": [1]}]
    readings = Readings()
    before, after = (
        readings.read(padded({"rest": rest, "it": each}, pads, wide=True), "a.json").value
        for each in (old, new)
    )
    assert at(before, ("v", "w", "rest")) is at(after, ("v", "w", "rest"))
    assert same(at(after, ("v", "w", "it")), new)
