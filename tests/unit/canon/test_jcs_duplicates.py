"""Keys that stand twice are seen, and depth is, however a document spells what hides them."""

from __future__ import annotations

import pytest

from groundwire.canon.jcs import decode_foreign
from groundwire.errors import EncodingError


@pytest.mark.parametrize(
    "text",
    [
        r'{"a":1,"a":2,"note":"\u0022:"}',
        r'{"a":1,"a":2,"note":"\u0022\u003a"}',
        '{"a":1,"a":2,"b" :3}',
        '{"a":1,"a":2,"b"\n:3}',
        '{"a":":","a":2,"b":3}',
        '{"a":{"b":1},"a":2,"c":"\\":"}',
    ],
)
def test_a_second_key_is_seen_beside_what_gains_a_quote_and_colon_when_written_again(
    text: str,
) -> None:
    assert decode_foreign(text.encode()).duplicates == ("/a",)


@pytest.mark.parametrize(
    "text", ['{"a":"\\":","b" :[1,{"c":":"}]}', '{"a" : 1}', "[]", r'{"a":"\u0022:\u003a"}']
)
def test_no_second_key_is_seen_where_none_stands(text: str) -> None:
    assert decode_foreign(text.encode()).duplicates == ()


def test_a_document_that_nests_too_deep_is_refused_though_no_key_stands_twice() -> None:
    with pytest.raises(EncodingError) as caught:
        decode_foreign(b'[[[{"a":1}]]]', max_depth=3)
    assert caught.value.reason == "too-deep"
