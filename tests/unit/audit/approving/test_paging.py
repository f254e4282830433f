from __future__ import annotations

import pytest

from groundwire.audit.approving.paging import Reading
from groundwire.errors import GuardError


def reading(lines: int = 10, rows: int = 4, kept: int = 1) -> Reading:
    return Reading([str(number) for number in range(lines)], rows, kept)


def whole(read: Reading) -> bool:
    try:
        read.require_whole()
    except GuardError:
        return False
    return True


def test_pages_hold_every_line_once_and_leave_room_for_the_prompt() -> None:
    read = reading()
    pages = []
    for _ in range(read.count):
        pages.append(read.page())
        read.written()
        read.forward()
    assert pages == [("0", "1", "2"), ("3", "4", "5"), ("6", "7", "8"), ("9",)]
    assert whole(read)


def test_only_what_was_written_to_its_end_counts_as_shown() -> None:
    read = reading()
    while not read.is_last:
        read.written()
        read.forward()
        assert not whole(read)
    read.written()
    assert whole(read)


def test_a_page_that_was_not_written_is_not_passed() -> None:
    read = reading()
    read.forward()
    assert read.at == 0
    read.written()
    read.forward()
    read.forward()
    assert read.at == 1


def test_a_page_out_of_its_order_is_refused() -> None:
    read = reading()
    read.at = 2
    with pytest.raises(GuardError, match="passed over") as caught:
        read.written()
    assert caught.value.reason == "not-shown-whole"


def test_whoever_goes_back_has_seen_what_they_saw() -> None:
    read = reading(lines=6)
    read.written()
    read.forward()
    read.written()
    read.back()
    assert read.at == 0
    read.back()
    assert read.at == 0
    assert whole(read)
    read.written()
    assert whole(read)


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_a_terminal_of_hardly_any_rows_shows_a_line_at_a_time(rows: int) -> None:
    assert reading(lines=3, rows=rows).count == 3


def test_nothing_at_all_is_one_page() -> None:
    read = reading(lines=0)
    assert (read.count, read.page(), read.is_last) == (1, (), True)
    with pytest.raises(GuardError) as caught:
        read.require_whole()
    assert caught.value.reason == "not-shown-whole"
    read.written()
    assert whole(read)
