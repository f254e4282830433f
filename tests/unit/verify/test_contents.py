from __future__ import annotations

import json

import pytest
from msgspec import structs

from groundwire.documents.content import Content
from groundwire.documents.entry import AnyEntry, RequestEntry
from groundwire.recording.lines import decode_line, decode_lines
from groundwire.verify.contents import Contents
from tests.recordings import LARGE, USER, Draft, canonical, sample, tagged
from tests.unit.verify.judging import at, data_of, judge, reason


def two_notes() -> Draft:
    """Two entries, the first with two contents: `alpha` before `beta`."""
    draft = Draft().open().certificate()
    draft.entry("later/3", {"alpha": "first", "beta": "second"})
    draft.note(text="third")
    return draft.close()


def line_of(draft: Draft, text: bytes) -> int:
    return at(draft, lambda line: text in line)


def changed(draft: Draft, index: int, *lines: bytes) -> bytes:
    return data_of([*draft.raw[:index], *lines, *draft.raw[index + 1 :]])


def test_a_changed_content_breaks_its_commitment() -> None:
    draft = two_notes()
    index = line_of(draft, b'"first"')
    verdict = judge(changed(draft, index, draft.raw[index].replace(b"first", b"fIrst")))
    assert (verdict.reason, verdict.line) == ("commitment-broken", index + 1)


def test_a_changed_salt_breaks_the_commitment() -> None:
    draft = two_notes()
    index = line_of(draft, b'"first"')
    line = draft.raw[index]
    start = line.index(b'"salt":"') + 8
    other = b"0" if line[start : start + 1] != b"0" else b"1"
    assert reason(changed(draft, index, line[:start] + other + line[start + 1 :])) == (
        "commitment-broken"
    )


def test_the_same_content_in_another_form_breaks_the_commitment() -> None:
    draft = Draft().open().certificate().note(text="plain").close()
    index = line_of(draft, b'"plain"')
    secret = '{"shape":"jwt","size":5,"withheld":"gw1:' + "0" * 64 + '"}'
    line = draft.raw[index].replace(b'"text":"plain"', b'"parts":["plain",%b]' % secret.encode())
    line = canonical(json.loads(line))
    assert reason(changed(draft, index, line)) == "commitment-broken"


def test_contents_that_change_places_are_misplaced() -> None:
    draft = two_notes()
    first, second = line_of(draft, b'"first"'), line_of(draft, b'"second"')
    raw = draft.raw.copy()
    raw[first], raw[second] = raw[second], raw[first]
    verdict = judge(data_of(raw))
    assert (verdict.reason, verdict.line) == ("content-misplaced", second + 1)


def test_a_content_that_stands_twice_is_misplaced() -> None:
    draft = two_notes()
    index = line_of(draft, b'"first"')
    verdict = judge(changed(draft, index, draft.raw[index], draft.raw[index]))
    assert (verdict.reason, verdict.line) == ("content-misplaced", index + 2)


def test_a_content_again_before_a_later_entry_is_misplaced() -> None:
    draft = two_notes()
    first, third = line_of(draft, b'"first"'), line_of(draft, b'"third"')
    verdict = judge(changed(draft, third, draft.raw[third], draft.raw[first]))
    assert (verdict.reason, verdict.line) == ("content-misplaced", third + 2)


def test_a_content_that_no_entry_names_is_misplaced() -> None:
    draft = two_notes()
    draft.content("nobody's")
    (orphan,) = draft.waiting.values()
    index = line_of(draft, b'"third"')
    verdict = judge(changed(draft, index, orphan, draft.raw[index]))
    assert (verdict.reason, verdict.line) == ("content-misplaced", index + 1)


def test_a_content_that_no_entry_names_cannot_hide_among_entries_without_contents() -> None:
    draft = Draft().open().certificate()
    draft.entry("composed/1", call=0)
    draft.close()
    other = Draft()
    other.content("nobody's")
    (orphan,) = other.waiting.values()
    index = line_of(draft, b"composed/1")
    assert reason(changed(draft, index, orphan, draft.raw[index])) == "content-misplaced"


def test_a_content_that_stands_after_its_entry_is_misplaced() -> None:
    draft = two_notes()
    index = line_of(draft, b'"third"')
    raw = draft.raw.copy()
    raw[index], raw[index + 1] = raw[index + 1], raw[index]
    assert reason(data_of(raw)) == "content-misplaced"


def test_a_content_that_was_taken_away_is_missed_at_its_entry() -> None:
    draft = two_notes()
    index = line_of(draft, b'"second"')
    verdict = judge(data_of(draft.raw[:index] + draft.raw[index + 1 :]))
    # the entry is now where the content stood
    assert (verdict.reason, verdict.line) == ("content-missing", index + 1)


def test_a_content_that_two_entries_name_stands_before_the_first() -> None:
    draft = Draft().open().certificate().note(text="same").note(text="same").note(text="same")
    assert sum(b'"same"' in line for line in draft.raw) == 1
    assert judge(draft.close()).state == "holds"


def test_a_content_that_one_entry_names_twice_stands_once() -> None:
    draft = Draft().open().certificate()
    draft.entry("later/3", {"one": "same", "two": "same"})
    assert judge(draft.close()).state == "holds"


def test_messages_stand_in_the_order_append_replaced_holds() -> None:
    assert judge(sample()).state == "holds"
    draft = sample()
    index = line_of(draft, canonical(USER)[1:-1])
    raw = draft.raw.copy()
    raw[index], raw[index + 1] = raw[index + 1], raw[index]
    assert reason(data_of(raw), files=draft.files) == "content-misplaced"


def test_a_missing_or_another_attached_file_is_named() -> None:
    draft = sample()
    (name,) = draft.files
    data = draft.files[name]
    assert reason(draft, files={}) == "content-missing"
    for other in (data[:-1], data + b"x", b"y" + data[1:], b""):
        assert reason(draft, files={name: other}) == "attachment-changed"
    verdict = judge(draft, files={})
    assert b'"file"' in draft.raw[verdict.line - 1]


def test_an_attached_file_of_another_size_than_stated_is_refused() -> None:
    draft = Draft().open().certificate()
    data = b"x" * (LARGE + 1)
    draft.response(0, data)
    line = next(each for each in draft.raw if b'"file"' in each)
    salt = bytes.fromhex(line[line.index(b'"salt":"') + 8 :][:32].decode())
    (name,) = draft.files
    over = bytes.fromhex(name[7:]) + (LARGE + 2).to_bytes(8, "big")
    commitment = tagged("content", salt, b"file", over)
    old = line[line.index(b"gw1:") :][:68]
    forged = [
        each.replace(old, commitment.encode()).replace(b'"size":1000001}', b'"size":1000002}')
        for each in draft.raw
    ]
    assert reason(data_of(forged), files=draft.files) == "attachment-changed"


@pytest.mark.parametrize("size", [LARGE, LARGE + 1])
def test_a_content_of_a_million_bytes_stands_inline_and_one_more_in_a_file(size: int) -> None:
    draft = Draft().open().certificate().response(0, b"x" * size).close()
    assert len(draft.files) == size - LARGE
    assert judge(draft).state == "holds"


def test_only_the_closing_order_settles_what_is_missing() -> None:
    draft = two_notes()
    index = line_of(draft, b'"second"')
    cut = data_of(draft.raw[:index] + draft.raw[index + 1 : index + 3])
    assert reason(cut + b"torn") == "content-missing"


def test_a_content_that_its_entry_names_twice_stands_once() -> None:
    draft = Draft().open().certificate()
    draft.entry("child/1", {"name": "twin", "other": "twin"}, run="run-b")
    draft.close()
    assert judge(draft).state == "holds"
    index = line_of(draft, b'"twin"')
    verdict = judge(changed(draft, index, draft.raw[index], draft.raw[index]))
    assert (verdict.reason, verdict.line) == ("content-misplaced", index + 2)


def test_a_large_content_again_before_entries_that_name_nothing_new_is_misplaced() -> None:
    # Longer than what is taken at once: the entry after it stands among others without contents.
    draft = Draft().open().certificate().note(text="n" * 70_000)
    draft.note(text="n" * 70_000).note(text="n" * 70_000).checkpoint()
    index = line_of(draft, b"nnnn")
    verdict = judge(changed(draft, index + 1, draft.raw[index + 1], draft.raw[index]))
    assert (verdict.reason, verdict.line) == ("content-misplaced", index + 3)


def test_entries_have_nothing_to_settle_only_where_all_they_name_was_named() -> None:
    draft = Draft().open().certificate().request(0, b"", [USER], shell={"before": "["})
    lines = [decode_line(line) for line in draft.raw]
    entry = next(each for each in lines if isinstance(each, RequestEntry))
    seen = Contents({}.get)
    seen.settle(entry, 1)
    again = structs.replace(entry, append=())
    new = tagged("value")
    assert seen.named([again, again])
    assert not seen.named([again, structs.replace(again, holds={**entry.holds, "whole": new})])
    assert not seen.named([again, structs.replace(again, append=(new,))])
    assert not seen.named([again, structs.replace(again, replaced=((0, new),))])
    seen.take(next(each for each in lines if isinstance(each, Content)), 2, 100)
    assert not seen.named([again])


def three_notes() -> list[AnyEntry | Content]:
    draft = Draft()
    draft.note(text="one").note(text="two").entry("child/1", {"name": "one"}, run="r")
    documents = decode_lines([line + b"\n" for line in draft.raw])
    assert documents is not None
    return documents


def state_of(seen: Contents) -> object:
    return (
        seen.count, seen.withheld, set(seen._named), seen.waiting.copy(),
        seen.waiting_lines.copy(), seen.waiting_bytes,
    )  # fmt: skip


def test_contents_settled_together_leave_what_one_by_one_they_leave() -> None:
    documents = three_notes()
    together, singly = Contents({}.get), Contents({}.get)
    first = documents[0]
    assert isinstance(first, Content)
    for seen in (together, singly):
        seen.take(first, 1, 100)
    assert together.settle_all(documents[1:])
    for number, document in enumerate(documents[1:], 2):
        if isinstance(document, Content):
            singly.take(document, number, 100)
        else:
            singly.settle(document, number)
    assert state_of(together) == state_of(singly)


def test_contents_that_do_not_fit_are_not_settled_together_and_change_nothing() -> None:
    one, first, two, second, third = three_notes()
    assert isinstance(one, Content)
    bad = structs.replace(one, text="onE")
    filed = Content(
        commitment=one.commitment, salt=one.salt, file="sha256:" + "a" * 64, size=2_000_000
    )
    for documents in (
        [bad, first, two, second],  # not what was committed to
        [first, two, second],  # missing
        [one, first, second],
        [two, first, one, second],  # before another entry
        [one, two, first, second],
        [one, one, first, two, second],  # twice
        [one, first, two, second, one, third],  # again
        [one, first, one, second],
        [filed, first, two, second],  # in a file
    ):
        seen = Contents({}.get)
        before = state_of(seen)
        assert not seen.settle_all(documents)
        assert state_of(seen) == before


def test_contents_that_one_entry_names_twice_are_not_settled_together() -> None:
    one, first, *_ = three_notes()
    twice = structs.replace(first, holds={"text": first.holds["text"], "too": first.holds["text"]})
    for documents in ([one, twice], [one, one, twice]):
        seen = Contents({}.get)
        assert not seen.settle_all(documents)
        assert state_of(seen) == state_of(Contents({}.get))


def test_contents_behind_the_line_at_fault_are_not_counted() -> None:
    secret = {"shape": "jwt", "size": 5, "withheld": "gw1:" + "0" * 64}
    for wrong in (1, 2, 3):
        draft = Draft().open().certificate()
        for number in range(1, 5):
            changes = {"frame": tagged("frame")} if number == wrong else {}
            draft.request(
                number, b"", [], unreadable="not-json", stands_as=[f"{number}", secret], **changes
            )
        verdict = judge(draft.checkpoint())
        line = line_of(draft, b'"exchange":%d,' % wrong) + 1
        counted = sum(each.startswith(b'{"@":"content"') for each in draft.raw[:line])
        parts = sum(b'"parts"' in each for each in draft.raw[:line])
        assert (verdict.reason, verdict.line) == ("context-wrong", line)
        assert (verdict.contents, verdict.withheld) == (counted, parts)
