"""What the recorder gives back of what was said is what a reader of the file makes of it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.documents.event import Executed, Guarded
from groundwire.recording.segments import said as said_module
from groundwire.stores.memory import MemorySink
from tests.recorders import recorder

SECRET = "sk-ant-api03-" + "aB3dE5gH7jK9" * 6
TEXT = st.one_of(
    st.sampled_from(["", "ping", "größe", "half \ud800 a pair", f"key {SECRET} end", SECRET]),
    st.text(st.characters(), max_size=12),
)
MAYBE = st.none() | TEXT
EXECUTED = st.builds(
    Executed,
    step=st.just(0), at=st.just(""), execution=st.integers(0, 9), call_id=TEXT,
    link=st.sampled_from(["id", "unlinked"]), exchange=st.none(), lane=st.none(), name=TEXT,
    arguments=MAYBE, result=MAYBE, structured=MAYBE, rendered=MAYBE,
    outcome=st.sampled_from(["returned", "raised"]), reason=st.sampled_from(["", "no-json"]),
)  # fmt: skip
GUARDED = st.builds(
    Guarded,
    step=st.just(0), at=st.just(""), guarded=st.integers(0, 9),
    state=st.sampled_from(["decided", "outcome"]), call_id=TEXT,
    link=st.sampled_from(["id", "unlinked"]), exchange=st.none(), lane=st.none(), name=TEXT,
    document=MAYBE, outcome=st.sampled_from(["", "executed"]), reason=st.just(""),
    late=st.booleans(), gone=st.sampled_from(["", "redacted"]),
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.one_of(EXECUTED, GUARDED), st.booleans())
def test_the_short_way_and_the_long_way_come_to_one_event(
    said: Executed | Guarded,
    keep_out: bool,
) -> None:
    short = recorder(MemorySink()).said(said, keep_out=keep_out)
    told, said_module._told = said_module._told, lambda *_: None  # type: ignore[assignment] -- the long way
    try:
        long = recorder(MemorySink()).said(said, keep_out=keep_out)
    finally:
        said_module._told = told
    assert short == long
