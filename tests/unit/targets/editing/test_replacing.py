from __future__ import annotations

import pytest

from groundwire.documents.edit import Replace
from groundwire.errors import GuardError
from groundwire.targets.editing.replacing import occurrences, replaced


def reason_of(content: bytes, *edits: Replace) -> str:
    with pytest.raises(GuardError) as refused:
        replaced("a.py", content, edits)
    return refused.value.reason


def test_text_that_stands_once_gives_way() -> None:
    assert replaced("a", b"x = 1\ny = 2\n", [Replace(old="1", new="3")]) == b"x = 3\ny = 2\n"


def test_edits_are_made_in_their_order_each_on_what_the_one_before_left() -> None:
    edits = [Replace(old="a", new="b"), Replace(old="bc", new="d")]
    assert replaced("a", b"ac", edits) == b"d"


def test_text_that_stands_elsewhere_too_is_refused_until_its_count_is_said() -> None:
    assert reason_of(b"a b a", Replace(old="a", new="c")) == "edit-ambiguous"
    assert replaced("a", b"a b a", [Replace(old="a", new="c", count=2)]) == b"c b c"
    assert reason_of(b"a b a", Replace(old="a", new="c", count=3)) == "edit-not-found"


def test_text_that_overlaps_itself_is_not_taken_for_one_place() -> None:
    assert reason_of(b"aaa", Replace(old="aa", new="b")) == "edit-ambiguous"
    assert reason_of(b"aaa", Replace(old="aa", new="b", count=2)) == "edit-ambiguous"
    assert occurrences(b"aaaa", b"aa") == 3


@pytest.mark.parametrize(
    "edit",
    [
        Replace(old="", new="x"),
        Replace(old="a", new="a"),
        Replace(old="a", new="b", count=0),
        Replace(old="a", new="\ud800"),
    ],
)
def test_an_edit_that_says_nothing_is_refused(edit: Replace) -> None:
    assert reason_of(b"a", edit) == "edit-malformed"


def test_no_edit_at_all_is_refused() -> None:
    assert reason_of(b"a") == "edit-malformed"


def test_blanks_and_line_ends_are_part_of_the_text() -> None:
    assert reason_of(b"a  b", Replace(old="a b", new="c")) == "edit-not-found"
    with pytest.raises(GuardError, match="CR LF"):
        replaced("a", b"a\r\nb\r\n", [Replace(old="a\nb", new="c")])


def test_bytes_that_are_no_text_stay_as_they_are() -> None:
    assert replaced("a", b"\xff\x00name\xfe", [Replace(old="name", new="é")]) == (
        b"\xff\x00\xc3\xa9\xfe"
    )
