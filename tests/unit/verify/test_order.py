from __future__ import annotations

import pytest

from tests.recordings import RESULT, Draft, Hand, sample
from tests.unit.verify.judging import reason


def test_the_first_entry_is_the_opening_and_the_second_a_certificate() -> None:
    assert reason(Draft().certificate().checkpoint()) == "opening-wrong"
    assert reason(Draft().note()) == "opening-wrong"
    assert reason(Draft().open().note().certificate().checkpoint()) == "opening-wrong"


def test_there_is_one_opening() -> None:
    assert reason(Draft().open().certificate().open().checkpoint()) == "opening-wrong"
    assert reason(Draft().open().open().certificate()) == "opening-wrong"


def test_a_first_segment_goes_on_from_nothing_and_a_later_one_from_something() -> None:
    previous = {"head": "leaf:" + "1" * 64, "root": "root:" + "1" * 64, "size": 9}
    assert reason(Draft().open(previous=previous).certificate().checkpoint()) == "opening-wrong"
    later = Draft(segment=1)
    assert reason(later.open().certificate().checkpoint()) == "opening-wrong"
    fine = Draft(segment=1).open(previous=previous).certificate().checkpoint()
    assert reason(fine) == "holds"


def test_a_new_run_key_needs_a_note_that_the_file_was_recovered() -> None:
    draft = Draft().open().certificate().note().checkpoint()
    draft.key = Hand("another run key")
    assert reason(draft.certificate().checkpoint()) == "certificate-misplaced"
    draft = Draft().open().certificate().note("recovered").note("gap")
    draft.key = Hand("another run key")
    assert reason(draft.certificate().checkpoint()) == "certificate-misplaced"


def test_a_run_key_is_certified_again_behind_a_note_that_says_so() -> None:
    draft = Draft().open().certificate().note().checkpoint()
    assert reason(draft.note("certified-again").certificate().checkpoint()) == "holds"


def test_close_and_closing_checkpoint_stand_together() -> None:
    close = {
        "exchanges": 0, "findings": 0, "lateness_us": 0, "next_segment": False, "withheld": 0,
    }  # fmt: skip
    draft = Draft().open().certificate()
    draft.entry("close/1", **close)
    assert reason(draft.note()) == "closing-wrong"
    open_ended = Draft().open().certificate().checkpoint()
    open_ended.entry("close/1", **close)
    assert reason(open_ended) == "holds"
    assert reason(open_ended.checkpoint(closed=False)) == "closing-wrong"
    assert reason(Draft().open().certificate().checkpoint(closed=True)) == "closing-wrong"
    twice = Draft().open().certificate().close()
    twice.entry("close/1", **close)
    assert reason(twice) == "after-closing"


def test_nothing_but_a_whole_redaction_follows_the_closing_checkpoint() -> None:
    assert reason(sample().note()) == "after-closing"
    assert reason(sample().checkpoint(closed=True)) == "after-closing"
    assert reason(sample().certificate()) == "after-closing"
    assert reason(sample().certificate().note()) == "after-closing"
    assert reason(sample().certificate().checkpoint(closed=True)) == "after-closing"
    redacted = sample()
    redacted = redacted.redacted([redacted.commitment_of(RESULT)])
    assert reason(redacted) == "holds"
    assert reason(redacted.note()) == "after-closing"


@pytest.mark.parametrize("lines", [1, 2])
def test_a_redaction_that_is_cut_in_the_middle_is_refused(lines: int) -> None:
    draft = sample()
    redacted = draft.redacted([draft.commitment_of(RESULT)])
    redacted.raw = redacted.raw[:-lines]
    assert reason(redacted) == "after-closing"


def test_a_redaction_without_its_closing_word_is_refused() -> None:
    draft = sample()
    redacted = draft.redacted([draft.commitment_of(RESULT)])
    redacted.raw.pop()
    redacted.leaves.pop()
    assert reason(redacted.checkpoint(closed=False)) == "closing-wrong"


def test_a_redaction_before_the_close_is_misplaced() -> None:
    draft = Draft().open().certificate().note()
    gone = draft.commitment_of("watched: a client")
    draft.entry("redaction/1", envelope=draft.identity.envelope(b"{}"))
    assert reason(draft) == "redaction-misplaced"
    assert gone
