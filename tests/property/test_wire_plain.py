"""A chat message is the same whether it is read in one go or member by member."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.wire.openai_chat import read_any, read_message
from groundwire.wire.openai_chat_plain import read_plain

TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=4) | st.sampled_from(
    ["{}", '{"a": 1}', "look", ""]
)
FUNCTIONS = st.fixed_dictionaries(
    {"name": TEXTS, "arguments": TEXTS}, optional={"strict": st.booleans()}
)
CALLS = st.fixed_dictionaries(
    {"id": TEXTS, "type": st.sampled_from(["function", "custom"]), "function": FUNCTIONS},
    optional={"index": st.integers(0, 2)},
)
ROLES = st.sampled_from(["system", "developer", "user", "assistant", "tool", "function", "x"])
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "role": ROLES,
        "content": TEXTS | st.none() | st.lists(TEXTS, max_size=2),
        "tool_calls": st.lists(CALLS, max_size=2) | st.none(),
        "tool_call_id": TEXTS | st.none(),
        "refusal": TEXTS | st.none(),
        "name": TEXTS,
    },
)


@settings(deadline=None, max_examples=300)
@given(
    MESSAGES.flatmap(lambda said: st.permutations(list(said.items()))),
    st.sampled_from([(",", ":"), (", ", ": ")]),
    st.booleans(),
    st.sampled_from([b"", b',"role":"tool"', b',"content":"b"', b',"tool_call_id":"c"']),
)
def test_a_message_is_read_alike_in_one_go_and_member_by_member(
    members: list[tuple[str, Any]], separators: tuple[str, str], ascii_only: bool, more: bytes
) -> None:
    text = json.dumps(dict(members), separators=separators, ensure_ascii=ascii_only)
    raw = text.encode()[:-1] + (more if members else b"") + b"}"
    assert read_message(raw) == read_any(raw)


def test_plain_messages_are_among_those() -> None:
    assert read_plain(b'{"role":"user","content":"a"}') is not None
