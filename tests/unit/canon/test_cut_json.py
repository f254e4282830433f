"""Which texts break off, and which are whole or wrong."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.canon.cut_json import is_cut

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    "text",
    [
        "{",
        '{"path":"a.md","content":"# Setup\\n1. inst',
        '{"commands":["npm ci","npm test"',
        '{"path":"a.md"',
        '{"path"',
        '{"path":',
        '{"path":"a",',
        '{"n":-',
        '{"n":1.',
        '{"n":2e',
        '{"n":tru',
        '{"t":"\\',
        '{"t":"\\u00e',
        "[1,[2,{",
        '{"n":12',
    ],
)
def test_a_beginning_of_a_document_is_cut(text: str) -> None:
    assert is_cut(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "{}",
        '{"a":1} ',
        "{'a':1}",
        '{"a":1,}',
        '{"a":1}{',
        '{"a" "b"',
        '{"a":trux',
        "[1 2",
        "[,",
        "{]",
        '{"a":"\n',
        '{"a":"\\x',
        "tru",
        '"text',
        "[01",
        "{1:2",
        "[}",
    ],
)
def test_what_is_whole_or_wrong_is_not_cut(text: str) -> None:
    assert not is_cut(text)


@settings(deadline=None, max_examples=60)
@given(st.lists(JSON, max_size=5) | st.dictionaries(st.text(), JSON, max_size=4), st.data())
def test_every_beginning_is_cut_and_the_whole_is_not(value: object, data: st.DataObject) -> None:
    text = json.dumps(value, ensure_ascii=data.draw(st.booleans()))
    assert not is_cut(text)
    assert is_cut(text[: data.draw(st.integers(1, len(text) - 1))])


def test_a_deeply_nested_beginning_is_cut() -> None:
    assert is_cut("[" * 20_000)


@pytest.mark.parametrize("text", ["[" * 9000 + "]" * 9000, '{"a":' * 9000 + "1" + "}" * 9000])
def test_a_document_too_deep_to_be_built_is_not_cut_where_it_ends(text: str) -> None:
    assert not is_cut(text)
    assert is_cut(text[:-1])
