"""Whatever tools and arguments are called, the proposal is a policy, and the same text again."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.audit.declaring.observing import ArgumentSeen, Observed, ToolSeen
from groundwire.audit.declaring.proposal import propose
from groundwire.authority.policy import decode_policy
from groundwire.canon import paths

NAMES = (
    st.text(max_size=8)
    | st.text('a.[]*"\\\n\t #=', max_size=6)
    | st.sampled_from(["user", "list", "free_text", "a:$", "x", "\x1b[31m", "\ud800", "é", "/p/"])
)
PATHS = st.just("") | st.lists(NAMES | st.integers(0, 3), max_size=3).map(paths.spelled)
COUNTS = st.integers(0, 4)
ARGUMENTS = st.builds(
    ArgumentSeen,
    values=st.integers(1, 4),
    places=st.dictionaries(st.tuples(NAMES, PATHS), COUNTS, max_size=3).map(Counter),
    tools=st.dictionaries(NAMES, COUNTS, max_size=2).map(Counter),
    said=COUNTS,
    unseen=COUNTS,
    listed=COUNTS,
    prose=COUNTS,
    computed=COUNTS,
)
TOOLS = st.builds(
    ToolSeen,
    calls=COUNTS,
    results=COUNTS,
    arguments=st.dictionaries(NAMES, ARGUMENTS, max_size=3),
    rows=st.dictionaries(PATHS, COUNTS, max_size=2).map(Counter),
)


@given(tools=st.dictionaries(NAMES, TOOLS, max_size=4))
@settings(max_examples=150, deadline=None)
def test_a_proposal_is_a_policy_whatever_names_were_seen(tools: dict[str, ToolSeen]) -> None:
    observed = Observed(runs=2, tools=tools)
    text = propose(observed)
    text.encode()
    policy = decode_policy(text, "proposal")
    assert {tool.name for tool in policy.tools} <= set(tools)
    assert propose(observed) == text
