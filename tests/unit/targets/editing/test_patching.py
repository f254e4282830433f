from __future__ import annotations

import pytest

from groundwire.errors import GuardError
from groundwire.targets.editing.patch_text import Hunk
from groundwire.targets.editing.patching import patched

NUMBERS = b"".join(b"%d\n" % number for number in range(1, 21))


def hunk(start: int, old: bytes, new: bytes) -> Hunk:
    return Hunk(
        start=start,
        old=tuple(old.splitlines(keepends=True)),
        new=tuple(new.splitlines(keepends=True)),
    )


def reason_of(content: bytes, *hunks: Hunk) -> str:
    with pytest.raises(GuardError) as refused:
        patched("a", content, hunks)
    return refused.value.reason


def test_a_hunk_goes_to_the_line_that_it_names_also_where_others_are_the_same() -> None:
    assert patched("a", b"x\nx\nx\n", [hunk(2, b"x\n", b"y\n")]) == b"x\ny\nx\n"


def test_a_hunk_whose_lines_have_moved_goes_to_the_only_other_place() -> None:
    assert patched("a", b"new\n" + NUMBERS, [hunk(3, b"3\n4\n", b"3\nx\n")]).splitlines()[4] == b"x"


def test_a_hunk_that_fits_two_other_places_is_refused() -> None:
    assert reason_of(b"0\nx\nx\n", hunk(1, b"x\n", b"y\n")) == "patch-ambiguous"


@pytest.mark.parametrize("old", [b"3\n5\n", b"3 \n4\n", b"3\r\n4\r\n"])
def test_a_hunk_is_never_put_where_it_nearly_fits(old: bytes) -> None:
    assert reason_of(NUMBERS, hunk(3, old, b"x\n")) == "patch-not-found"


def test_hunks_do_not_go_backwards() -> None:
    hunks = hunk(9, b"9\n", b"x\n"), hunk(2, b"2\n", b"y\n")
    assert reason_of(NUMBERS, *hunks) == "patch-not-found"


def test_once_a_hunk_was_found_elsewhere_line_numbers_count_for_nothing() -> None:
    content = b"a\nx\nb\nx\n"
    hunks = hunk(1, b"b\n", b"B\n"), hunk(2, b"x\n", b"y\n")
    assert patched("a", content, hunks) == b"a\nx\nB\ny\n"
    content += b"x\n"
    assert reason_of(content, *hunks) == "patch-ambiguous"
    by_chance = hunk(1, b"b\n", b"B\n"), hunk(3, b"x\n", b"y\n")
    assert reason_of(b"z\nb\nx\ny\nx\n", *by_chance) == "patch-ambiguous"


def test_lines_that_are_only_added_go_behind_the_line_that_is_named() -> None:
    assert patched("a", b"1\n2\n", [hunk(1, b"", b"x\n")]) == b"1\nx\n2\n"
    assert patched("a", b"", [hunk(0, b"", b"x\n")]) == b"x\n"
    assert reason_of(b"1\n", hunk(4, b"", b"x\n")) == "patch-not-found"


def test_the_end_of_the_last_line_is_part_of_it() -> None:
    assert patched("a", b"1\n2", [hunk(2, b"2", b"2\n")]) == b"1\n2\n"
    assert reason_of(b"1\n2", hunk(2, b"2\n", b"3\n")) == "patch-not-found"


def test_a_line_without_an_end_does_not_join_the_one_after_it() -> None:
    assert reason_of(b"1\n2\n", hunk(1, b"1\n", b"x")) == "patch-not-found"


def test_only_a_line_feed_ends_a_line() -> None:
    assert patched("a", b"a\x0cb\x85\n2\n", [hunk(2, b"2\n", b"3\n")]) == b"a\x0cb\x85\n3\n"
