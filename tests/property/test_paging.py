"""However a person turns the pages, what was not written cannot be granted."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.audit.approving.paging import Reading
from groundwire.errors import GuardError

TURNS = st.lists(st.sampled_from(["on", "back", "written"]), max_size=40)


@settings(deadline=None, max_examples=300)
@given(st.integers(0, 12), st.integers(0, 5), st.integers(0, 4), TURNS)
def test_a_reading_is_whole_exactly_where_every_page_was_written(
    lines: int, rows: int, kept: int, turns: list[str]
) -> None:
    read = Reading([str(number) for number in range(lines)], rows, kept)
    written: set[int] = set()
    for turn in turns:
        match turn:
            case "on":
                before = read.at
                read.forward()
                assert read.at == before or (read.at == before + 1 and before in written)
            case "back":
                read.back()
            case _:
                read.written()
                written.add(read.at)
        assert written == set(range(len(written))), "pages are written in their order"
    try:
        read.require_whole()
        whole = True
    except GuardError:
        whole = False
    assert whole == (written == set(range(read.count)))
