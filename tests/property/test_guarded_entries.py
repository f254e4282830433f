"""Guarded entries in any order and mixture: nothing that was not permitted reads as permitted."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.audit.guarding.calls import count_of, guarded_calls
from groundwire.checks.engine import Engine
from groundwire.documents.event import Guarded
from groundwire.stores.memory import MemorySink
from groundwire.verify.recording import verify_recording
from tests.guarded import Call, trusting
from tests.recorders import lines, recorder

CALLS = (
    Call(0),
    Call(1, path="b.yaml"),
    Call(1, path="c.yaml"),  # another call under the same number
    Call(0, decision="deny"),
    Call(0, run="run-elsewhere"),
)
POOL = [
    told
    for made in CALLS
    for told in (
        made.decided(), made.intent(), made.executed(), made.unknown(), made.refused(),
        made.passed(), made.executed(late=True), made.attested(), made.drifted(), made.rejudged(),
    )
]  # fmt: skip
ANY = st.builds(
    lambda told, number: msgspec.structs.replace(told, guarded=number),
    st.sampled_from(POOL),
    st.integers(0, 1),
)
TOLD = st.lists(st.one_of(st.sampled_from(POOL), ANY), max_size=8)
WHOLE = st.permutations([*CALLS[0].whole(), *CALLS[1].whole()]).map(list)


def permitted(told: Sequence[Guarded]) -> bool:
    """The slow reference: each effect has its own receipt and intent somewhere before it."""
    for at, each in enumerate(told):
        if each.outcome not in ("executed", "unknown"):
            continue
        before = [other for other in told[:at] if other.guarded == each.guarded]
        made = next(one for one in CALLS if each.document and one.digest in each.document)
        documents = [other.document for other in before]
        if (
            made.number != each.guarded
            or made.receipt.decision != "allow"
            or made.asked.run == "run-elsewhere"
            or made.decided().document not in documents
            or made.intent().document not in documents
        ):
            return False
    return True


@settings(max_examples=120)
@given(st.one_of(TOLD, WHOLE))
def test_a_recording_that_holds_has_a_receipt_and_an_intent_for_each_effect(
    told: list[Guarded],
) -> None:
    sink = MemorySink()
    writer = recorder(sink)
    events = [writer.said(each) for each in told]
    writer.close()
    verdict = verify_recording(lines(sink.data), trusting(), files=sink.files.get)
    assert verdict.state in ("holds", "broken")
    if verdict.state == "holds":
        assert permitted(told)
        assert count_of(guarded_calls(told)) == verdict.guarded
    # Whatever the entries say, no check fails over them.
    engine = Engine()
    for event in events:
        engine.feed(event)
    assert not [row for row in engine.rows() if "raised" in row.reasons]


@settings(max_examples=40)
@given(st.permutations([0] * 4 + [1] * 4))
def test_calls_that_overlap_in_any_way_hold(turns: list[int]) -> None:
    left = [iter(CALLS[0].whole()), iter(CALLS[1].whole())]
    sink = MemorySink()
    writer = recorder(sink)
    for turn in turns:
        writer.said(next(left[turn]))
    writer.close()
    verdict = verify_recording(lines(sink.data), trusting(), files=sink.files.get)
    assert (verdict.reason, verdict.guarded.executed) == ("holds", 2)
