from __future__ import annotations

import pytest

from groundwire.documents.verdict import Head
from tests.recordings import STRANGER, Draft, Hand, lines, sample
from tests.unit.verify.judging import data_of, head_of, judge, note_of, reason


def running(notes: int = 3) -> Draft:
    draft = Draft().open().certificate()
    for number in range(notes):
        draft.note(text=f"note {number}").checkpoint()
    return draft


def cut_after(draft: Draft, checkpoint: int) -> bytes:
    """The file up to its n-th checkpoint: everything in it is signed and linked."""
    found = [i for i, line in enumerate(draft.raw) if line.startswith(b'{"@":"checkpoint/1"')]
    return data_of(draft.raw[: found[checkpoint] + 1])


def test_a_file_cut_at_a_checkpoint_holds_as_open_and_not_against_the_known_head() -> None:
    draft = running()
    cut = cut_after(draft, 1)
    assert (judge(cut).state, judge(cut).completeness) == ("holds", "open")
    verdict = judge(cut, head=head_of(draft))
    assert (verdict.state, verdict.reason, verdict.completeness) == (
        "broken", "rolled-back", "unknown",
    )  # fmt: skip
    assert "6 entries" in verdict.message
    assert "knows of 8" in verdict.message


def test_a_file_cut_anywhere_is_behind_its_known_head() -> None:
    draft = running()
    data, head = draft.data(), head_of(draft)
    assert judge(data, head=head).state == "holds"
    for end in range(len(data)):
        assert judge(data[:end], head=head).state == "broken"


def test_a_file_may_be_ahead_of_its_known_head() -> None:
    draft = running()
    for size in range(1, draft.size + 1):
        assert judge(draft, head=head_of(draft, size)).state == "holds"


def test_another_recording_of_the_same_run_is_not_the_one_that_is_known() -> None:
    known, other = running(), Draft().open().certificate()
    for number in range(4):
        other.note(text=f"another {number}").checkpoint()
    assert judge(other).state == "holds"
    assert reason(other, head=head_of(known)) == "replaced"
    assert reason(other, head=head_of(known, 3)) == "replaced"
    assert reason(other, head=head_of(known, 2)) == "holds"


@pytest.mark.parametrize("change", [{"run": "run-other"}, {"segment": 1}])
def test_the_head_of_another_recording_is_no_head_of_this_one(change: dict[str, object]) -> None:
    draft = running()
    head = head_of(draft)
    other = Head(**{**{name: getattr(head, name) for name in head.__struct_fields__}, **change})
    assert reason(draft, head=other) == "replaced"


def test_an_emptied_file_is_behind_its_known_head() -> None:
    assert reason(b"", head=head_of(running())) == "rolled-back"


def test_a_broken_line_is_named_before_a_missing_end() -> None:
    draft = running()
    cut = cut_after(draft, 1).replace(b"note 0", b"note 9")
    assert reason(cut, head=head_of(draft)) == "commitment-broken"


def test_a_closed_recording_whose_closing_checkpoint_the_mirror_saw_is_anchored() -> None:
    draft = sample()
    notes = [note_of(draft, size) for size in (8, draft.size - 1)]
    verdict = judge(draft, notes=notes)
    assert (verdict.state, verdict.completeness) == ("holds", "anchored")
    assert "The mirror saw its closing checkpoint" in verdict.proves
    assert "no anchor" not in verdict.does_not_prove


def test_a_mirror_that_missed_the_close_leaves_it_closed() -> None:
    draft = sample()
    assert judge(draft, notes=[note_of(draft, 8)]).completeness == "closed"
    assert judge(draft).completeness == "closed"


def test_a_mirror_without_a_note_of_it_confirms_nothing() -> None:
    draft = sample()
    for notes in ([], [note_of(draft, 8, origin="groundwire/run-other/0")]):
        verdict = judge(draft, notes=notes)
        assert (verdict.state, verdict.reason) == ("undecided", "not-in-mirror")
    unknown = sample(identity=STRANGER)
    assert reason(unknown, notes=[]) == "signer-unknown"


def test_an_open_recording_is_open_whatever_the_mirror_saw() -> None:
    draft = running()
    assert judge(draft, notes=[note_of(draft, draft.size - 1)]).completeness == "open"


def test_the_mirror_tells_a_shortened_recording_from_an_open_one() -> None:
    draft = running()
    notes = [note_of(draft, size) for size in (3, 5, 7)]
    assert reason(draft, notes=notes) == "holds"
    verdict = judge(cut_after(draft, 1), notes=notes)
    assert (verdict.reason, "mirror" in verdict.message) == ("rolled-back", True)


def test_two_signed_stories_of_one_run_are_equivocation() -> None:
    draft, other = running(), Draft().open().certificate()
    for number in range(3):
        other.note(text=f"another {number}").checkpoint()
    verdict = judge(other, notes=[note_of(draft, 5)])
    assert (verdict.state, verdict.reason) == ("broken", "equivocation")


def test_an_unsigned_end_that_the_mirror_contradicts_was_replaced() -> None:
    draft = running(2)
    known = running(2)
    draft.note(text="one end").note(text="two")
    known.note(text="another end").note(text="three")
    assert reason(draft, notes=[note_of(known, known.size - 1)]) == "replaced"


def test_a_note_by_a_key_that_the_file_does_not_certify_contradicts_and_confirms_nothing() -> None:
    original = sample()
    anew = sample(key=Hand("a second run key"))
    note = note_of(original, original.size - 1)
    assert reason(anew, notes=[note]) == "replaced"
    unknown = note_of(anew, anew.size - 1, by=STRANGER)
    assert reason(anew, notes=[unknown]) == "not-in-mirror"
    both = judge(anew, notes=[unknown, note_of(anew, 8)])
    assert (both.state, both.completeness) == ("holds", "closed")


def test_a_note_of_another_run_or_segment_says_nothing_of_this_one() -> None:
    draft = sample()
    for origin in ("groundwire/run-other/0", f"groundwire/{draft.run}/1"):
        note = note_of(draft, 99, origin=origin, root="root:" + "1" * 64)
        assert reason(draft, notes=[note, note_of(draft, 8)]) == "holds"


def test_a_note_that_is_none_leaves_it_undecided() -> None:
    draft = sample()
    good = note_of(draft, draft.size - 1)
    start = good.rindex(" ") + 1
    forged = good[:start] + good[start : start + 20] + "AAAA" + good[start + 24 :]
    for bad in ("", "hello", "groundwire/x", good[: good.index("—")], forged):
        verdict = judge(draft, notes=[bad])
        assert (verdict.state, verdict.reason) == ("undecided", "note-malformed"), bad
    text = good.replace("\n21\n", "\n20\n")
    assert judge(draft, notes=[text]).state != "holds"


def test_a_note_over_nothing_says_nothing() -> None:
    draft = sample()
    nothing = note_of(draft, 0, root="root:" + "0" * 64)
    assert reason(draft, notes=[nothing]) == "not-in-mirror"
    assert reason(draft, notes=[nothing, note_of(draft, 8)]) == "holds"


def test_notes_are_for_the_original_where_a_redaction_was_appended() -> None:
    draft = sample()
    redacted = draft.redacted([draft.commitment_of("watched: a client")])
    verdict = judge(redacted, notes=[note_of(draft, draft.size - 1)])
    assert (verdict.state, verdict.completeness) == ("holds", "anchored")


def test_a_closed_segment_that_says_another_follows_is_not_the_whole_run() -> None:
    draft = Draft().open().certificate().close(next_segment=True)
    verdict = judge(draft, notes=[note_of(draft, draft.size - 1)])
    assert (verdict.state, verdict.completeness, verdict.closed) == ("holds", "open", True)
    assert "the whole run" in verdict.does_not_prove
    assert len(lines(draft.data())) == len(draft.raw)
