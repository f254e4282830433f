"""A strand is a sequence like any other, and one that goes on from it is no copy."""

from __future__ import annotations

import weakref
from collections.abc import Iterator

import pytest

from groundwire.documents.strand import Strand, leading


def test_a_strand_reads_like_a_tuple_also_once_another_went_on_from_it() -> None:
    strand = Strand("abcd")
    strand.going_on(4, "xyz")
    plain = tuple("abcd")
    assert strand == plain
    assert plain == strand
    assert strand != tuple("abcdx")
    assert strand != "abcd"
    assert Strand(range(3)) != range(3)  # Their hashes differ, too.
    assert hash(strand) == hash(plain)
    assert (list(strand), list(reversed(strand)), len(strand)) == (list("abcd"), list("dcba"), 4)
    for index in range(-4, 4):
        assert strand[index] == plain[index]
    for index in (-5, 4, 6):
        with pytest.raises(IndexError):
            strand[index]
    assert "x" not in strand


def test_the_first_to_go_on_shares_the_list_and_the_second_does_not() -> None:
    strand = Strand("ab")
    first, second = strand.going_on(2, "cd"), strand.going_on(2, "cx")
    assert first.shares_items_with(strand)
    assert not second.shares_items_with(strand)
    assert (strand, first, second) == (tuple("ab"), tuple("abcd"), tuple("abcx"))
    assert first.going_on(4, "").shares_items_with(strand)


def test_nothing_is_put_into_an_empty_strand_that_others_may_begin_with() -> None:
    empty: Strand[str] = Strand()
    first = empty.going_on(0, "ab")
    assert not first.shares_items_with(empty)
    assert (len(empty), empty.going_on(5, "c")) == (0, tuple("c"))


def test_items_that_cannot_be_had_to_the_end_change_no_strand() -> None:
    def broken() -> Iterator[str]:
        yield "c"
        raise ValueError

    strand = Strand("ab")
    with pytest.raises(ValueError):  # noqa: PT011 -- our own, with nothing to say
        strand.going_on(2, broken())
    assert strand == tuple("ab")
    assert strand.going_on(2, "d") == tuple("abd")


def test_a_strand_is_read_backwards_while_another_goes_on_from_it() -> None:
    strand = Strand("abc")
    backwards = reversed(strand)
    assert next(backwards) == "c"
    strand.going_on(3, "xyz")
    assert list(backwards) == ["b", "a"]


def test_what_a_strand_let_go_is_let_go() -> None:
    class Item:
        pass

    items = [Item(), Item()]
    dropped = weakref.ref(items[1])
    strand = Strand(items).going_on(1, [])
    del items
    assert len(strand) == 1
    assert dropped() is None


def test_no_more_is_kept_than_is_there() -> None:
    strand = Strand("ab")
    strand.going_on(2, "c")
    assert strand.going_on(3, "d") == tuple("abd")
    assert strand.going_on(1, "d") == tuple("ad")


def test_equal_items_lead_although_they_are_other_objects() -> None:
    one, other = [("user", 1), ("user", 2)], [("user", 1), ("user", 3)]
    assert leading(one, other) == 1
    assert leading(one, one[:1]) == 1
    assert leading((), one) == 0
    assert leading(Strand(one), tuple(one)) == 2
    assert leading(Strand(one), Strand(other)) == 1
