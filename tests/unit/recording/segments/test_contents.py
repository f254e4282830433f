"""Contents: one line each, in the form the format asks for, with what must stay out kept out."""

from __future__ import annotations

import pytest

from groundwire.canon.digest import sha256
from groundwire.canon.positions import Range
from groundwire.documents.content import Content, Withheld
from groundwire.documents.entry import ExpectedEntry, RequestEntry
from groundwire.recording.content import commitment, plain
from groundwire.recording.lines import decode_line
from groundwire.recording.segments.contents import Contents, Draft
from tests.recorders import Salts
from tests.unit.recording.withholding.test_secrets import SECRETS

KEY = SECRETS["anthropic"].encode()


@pytest.fixture
def contents() -> Contents:
    return Contents(Salts(), b"the run's salt!!")


def only(draft: Draft) -> Content:
    (line,) = draft.lines.values()
    content = decode_line(line)
    assert isinstance(content, Content)
    return content


@pytest.mark.parametrize(
    ("data", "form"),
    [
        (b"", "text"), ("é☂".encode(), "text"), (b"\x00", "text"), (b"\xff\xfe", "b64"),
        (b"x" * 1_000_000, "text"), (b"x" * 1_000_001, "file"), (b"\xff" * 1_000_001, "file"),
        (b"\xed\xa0\x80", "b64"),
    ],
)  # fmt: skip
def test_the_form_is_the_one_that_the_format_asks_for(
    contents: Contents, data: bytes, form: str
) -> None:
    draft = Draft()
    named = contents.put(draft, data)
    content = only(draft)
    assert named == content.commitment == commitment(content)
    assert getattr(content, form) is not None
    if form == "file":
        assert draft.files == {sha256(data): data}
        assert content.size == len(data)
    else:
        assert plain(content) == data
        assert not draft.files


def test_the_same_bytes_are_one_content_for_the_whole_segment(contents: Contents) -> None:
    first, second = Draft(), Draft()
    one = contents.put(first, b"berth 7")
    assert contents.put(first, b"berth 7") == one
    contents.stands(first)
    assert contents.put(second, b"berth 7") == one
    assert second.lines == {}


def test_a_content_of_an_entry_that_did_not_stand_is_written_again(contents: Contents) -> None:
    contents.put(Draft(), b"berth 7")
    again = Draft()
    contents.put(again, b"berth 7")
    assert len(again.lines) == 1


def test_no_salt_is_used_twice(contents: Contents) -> None:
    draft = Draft()
    for number in range(50):
        contents.put(draft, b"%d" % number)
    salts = {decode_line(line).salt for line in draft.lines.values()}  # type: ignore[union-attr]  -- content lines
    assert len(salts) == 50


def test_a_secret_is_in_no_line(contents: Contents) -> None:
    draft = Draft()
    contents.put(draft, b"use " + KEY + b" now")
    content = only(draft)
    assert content.parts is not None
    assert [part if isinstance(part, str) else part.shape for part in content.parts] == [
        "use ", "provider-key", " now",
    ]  # fmt: skip
    assert KEY not in draft.lines[content.commitment]
    assert draft.withheld == 1
    assert commitment(content) == content.commitment


def test_equal_secrets_have_equal_commitments_under_a_salt_that_is_nowhere(
    contents: Contents,
) -> None:
    draft = Draft()
    contents.put(draft, b"first " + KEY)
    contents.put(draft, b"second " + KEY)
    withheld = [
        part.withheld
        for line in draft.lines.values()
        for part in decode_line(line).parts or ()  # type: ignore[union-attr]  -- content lines
        if isinstance(part, Withheld)
    ]
    assert len(withheld) == 2
    assert len(set(withheld)) == 1
    other = Draft()
    Contents(Salts(), b"another run salt").put(other, b"first " + KEY)
    assert withheld[0].encode() not in b"".join(other.lines.values())
    assert b"the run's salt!!".hex().encode() not in b"".join(draft.lines.values())


def test_bytes_that_are_no_text_and_hold_a_secret_stay_out_whole(contents: Contents) -> None:
    draft = Draft()
    contents.put(draft, b"\xff\xfe " + KEY)
    (part,) = only(draft).parts or ()
    assert isinstance(part, Withheld)
    assert (part.shape, part.size) == ("not-text", len(KEY) + 3)


def test_a_large_content_with_a_secret_is_no_file(contents: Contents) -> None:
    draft = Draft()
    contents.put(draft, b"x " * 600_000 + KEY + b" y" * 600_000)
    assert draft.files == {}
    assert len(only(draft).parts or ()) == 3


def test_what_the_host_wants_kept_out_is_kept_out(contents: Contents) -> None:
    draft = Draft()
    contents.put(draft, b'{"content":"berth 7"}', [Range(12, 19)])
    parts = only(draft).parts or ()
    assert [part if isinstance(part, str) else part.shape for part in parts] == [
        '{"content":"', "policy", '"}',
    ]  # fmt: skip


@pytest.mark.parametrize("cut", range(1, 8))
def test_a_stretch_that_cuts_a_character_takes_it_whole(contents: Contents, cut: int) -> None:
    draft = Draft()
    text = "a☂é😀b".encode()
    contents.put(draft, text, [Range(cut, cut + 1)])
    shown = "".join(part for part in only(draft).parts or () if isinstance(part, str))
    assert len(shown) == 4
    assert shown.encode() == text.replace(
        "a☂é😀b"[len(text[:cut].decode(errors="ignore"))].encode(), b""
    )


def test_a_secret_inside_what_the_host_keeps_out_adds_nothing(contents: Contents) -> None:
    draft = Draft()
    contents.put(draft, b"ab " + KEY + b" cd", [Range(1, len(KEY) + 4)])
    parts = only(draft).parts or ()
    assert [part if isinstance(part, str) else part.shape for part in parts] == [
        "a", "policy", "cd",
    ]  # fmt: skip
    assert draft.withheld == 1


def test_a_stretch_of_nothing_or_out_of_reach_keeps_nothing_out(contents: Contents) -> None:
    draft = Draft()
    contents.put(draft, b"berth", [Range(2, 2), Range(9, 12)])
    assert only(draft).text == "berth"


def test_the_same_bytes_with_other_stretches_are_another_content(contents: Contents) -> None:
    draft = Draft()
    full = contents.put(draft, b"berth 7")
    part = contents.put(draft, b"berth 7", [Range(0, 5)])
    assert full != part


def test_lines_stand_in_the_order_in_which_the_entry_names_them_first(contents: Contents) -> None:
    draft = Draft()
    names = {text: contents.put(draft, text.encode()) for text in ("a", "b", "c", "d", "e")}
    fields = {
        "at": "2026-05-04T10:20:30.000000Z", "prev": "leaf:" + "0" * 64, "seq": 0, "attempt": 0,
        "composed": None, "context": "", "exchange": 0, "frame": "", "keep": 2, "lane": 0,
        "lane_name": None, "lane_parent": None, "lane_reason": "", "method": "", "parent": None,
        "path": "", "provider": "", "size": 0, "unreadable": "", "whole": False,
    }  # fmt: skip
    entry = RequestEntry(
        holds={"shell": names["a"], "digests": names["b"], "headers": names["e"]},
        append=(names["e"], names["c"], names["e"]), replaced=((1, names["d"]),), **fields,
    )  # fmt: skip
    written = [decode_line(line) for line in contents.lines_before(draft, entry)]
    assert [each.text for each in written] == ["e", "c", "d", "b", "a"]  # type: ignore[union-attr]  -- content lines


def test_a_content_that_no_entry_names_has_no_line(contents: Contents) -> None:
    draft = Draft()
    contents.put(draft, b"never named")
    entry = ExpectedEntry(at="", holds={}, prev="", seq=0)
    assert contents.lines_before(draft, entry) == []
