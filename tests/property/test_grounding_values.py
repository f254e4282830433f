"""Values, results and answers: whatever stands in them, reading ends and nothing is raised."""

from __future__ import annotations

from decimal import Decimal

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.grounding.answers.shelf import Shelf, Source
from groundwire.grounding.answers.verdict import judge
from groundwire.grounding.records.partial import partial_reason
from groundwire.grounding.records.reading import read_result
from groundwire.grounding.values.reading import read_values

_MARKS = st.text(alphabet="0123456789.,-\u2013/:%$€ xkmMBGTeE+#'\"{}[]()|\n\tabAPMpm", max_size=80)
_SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | _MARKS
_TREES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_MARKS, inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None, max_examples=150)
@given(_MARKS | st.text(max_size=80))
def test_values_are_in_order_and_within_the_text(text: str) -> None:
    values = read_values(text)
    starts = [value.start for value in values]
    assert starts == sorted(starts)
    assert all(0 <= value.start < value.end <= len(text) for value in values)


@settings(deadline=None, max_examples=100)
@given(st.decimals(min_value=-(10**12), max_value=10**12, allow_nan=False, places=3))
def test_a_written_number_is_read_back_exactly(number: Decimal) -> None:
    (value,) = read_values(f"it is {number:,f} in all")
    assert value.number == number


@settings(deadline=None, max_examples=100)
@given(_TREES, st.integers(min_value=0, max_value=200))
def test_any_result_is_read_whole_or_cut_or_as_pythons_repr(value: object, cut: int) -> None:
    for text in (msgspec.json.encode(value).decode(), repr(value)):
        for part in (text, text[:cut]):
            read_result(part)
            partial_reason(part)


@settings(deadline=None, max_examples=100)
@given(_MARKS | st.text(max_size=120), _TREES)
def test_any_answer_is_judged(text: str, served: object) -> None:
    verdict = judge(text, Shelf([Source(msgspec.json.encode(served).decode(), "result")]))
    assert all(one.value.end <= len(text) for one in verdict.judged)
