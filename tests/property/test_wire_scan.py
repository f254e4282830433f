"""The members of an object are read whole, however it is spelled and whatever stands in it twice."""

from __future__ import annotations

import json

from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import Raw

from groundwire.wire import scan

SPACES = st.sampled_from(["", "", "", "", " ", "\n", "\t "])
# Few letters, so that keys meet; some that are longer on the wire than they look.
KEYS = st.text(st.sampled_from('abé\n"\\\U0001f980'), max_size=3)
VALUES = st.sampled_from(["null", "1", '""', '"a:b,c"', "[]", '[{"a":1,"a":2}]', '{"a": 1}', "{}"])
SPELLINGS = st.sampled_from([True, False])
MEMBERS = st.lists(st.tuples(KEYS, SPELLINGS, VALUES), max_size=5)


@settings(deadline=None, max_examples=300)
@given(MEMBERS, st.lists(SPACES, min_size=32, max_size=32))
@example([("a", True, "1"), ("a", True, "1")], [""] * 32)
@example([("a", True, "1"), ("b", True, "2")], [""] * 32)
def test_no_member_is_lost_and_the_last_of_equal_keys_counts(
    members: list[tuple[str, bool, str]], spaces: list[str]
) -> None:
    gaps = iter(spaces)
    spelled = [
        f"{next(gaps)}{json.dumps(key, ensure_ascii=escaped)}{next(gaps)}:{next(gaps)}{value}"
        f"{next(gaps)}"
        for key, escaped, value in members
    ]
    body = (next(gaps) + "{" + (",".join(spelled) or next(gaps)) + "}").encode()
    expected = [(key, value.encode()) for key, _, value in members]
    keys = [key for key, _ in expected]
    for data in (body, Raw(body)):
        assert [(key, bytes(value)) for key, value in scan.pairs(data)] == expected
        last, overridden = scan.fields(data)
        assert [(key, bytes(value)) for key, value in last.items()] == list(dict(expected).items())
        assert overridden == [key for place, key in enumerate(keys) if key in keys[:place]]
        assert scan.last_fields(data) == last
