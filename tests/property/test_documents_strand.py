"""Whatever strands go on from one another, each stays what it was."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.documents.strand import Strand, leading

ITEMS = st.lists(st.integers(0, 2), max_size=3)
STEPS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 12), ITEMS), max_size=12)
PLACES = st.none() | st.integers(-9, 9)


@settings(deadline=None, max_examples=150)
@given(STEPS, PLACES, PLACES, st.sampled_from([None, 1, 2, 3, -1, -2]))
def test_a_strand_is_the_tuple_of_its_items_for_ever(
    steps: list[tuple[int, int, list[int]]], start: int | None, stop: int | None, step: int | None
) -> None:
    strands: list[Strand[int]] = [Strand()]
    plain: list[tuple[int, ...]] = [()]
    for number, keep, fresh in steps:
        which = number % len(strands)
        strands.append(strands[which].going_on(keep, fresh))
        plain.append((*plain[which][:keep], *fresh))
    for strand, items in zip(strands, plain, strict=True):
        assert tuple(strand) == items
        assert strand == items
        assert strand[start:stop:step] == items[start:stop:step]
        assert tuple(reversed(strand)) == items[::-1]
    for strand, items in zip(strands, plain, strict=True):
        for other, others in zip(strands, plain, strict=True):
            same = leading(strand, other)
            assert items[:same] == others[:same]
            assert items[: same + 1] != others[: same + 1] or same == len(items) == len(others)
            assert leading(items, other) == same
            assert (strand == other) == (items == others)
