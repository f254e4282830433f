from __future__ import annotations

import copy

from groundwire.verify.equivocation import compare
from tests.recordings import IDENTITY, RESULT, STRANGER, Draft, Hand, sample
from tests.unit.verify.judging import keyring, walked


def story(*notes: str, signed: bool = True, **fields: object) -> Draft:
    draft = Draft(**fields).open().certificate().note(text="the beginning").checkpoint()
    for text in notes:
        draft.note(text=text)
    return draft.checkpoint() if signed and notes else draft


def test_a_recording_goes_on_from_an_earlier_copy_of_itself() -> None:
    early, late = story(), story("more")
    comparison = compare(walked(early), walked(late))
    assert (comparison.state, comparison.relation) == ("holds", "first-is-prefix")
    assert comparison.common == early.size
    assert compare(walked(late), walked(early)).relation == "second-is-prefix"
    assert compare(walked(early), walked(early)).relation == "same"


def test_two_signed_stories_of_one_run_prove_that_somebody_lied() -> None:
    one, other = story("we stopped the pump"), story("we never touched the pump")
    comparison = compare(walked(one), walked(other))
    assert (comparison.state, comparison.relation, comparison.common) == (
        "broken", "equivocation", 4,
    )  # fmt: skip
    assert comparison.proof is not None
    first, second = comparison.proof
    assert (first.checkpoint.run, first.checkpoint.size) == (
        second.checkpoint.run, second.checkpoint.size,
    )  # fmt: skip
    assert first.checkpoint.root != second.checkpoint.root


def test_stories_of_different_length_contradict_each_other_too() -> None:
    one, other = story("a"), story("b", "c", "d")
    comparison = compare(walked(one), walked(other))
    assert comparison.relation == "equivocation"
    assert comparison.proof is not None
    assert [each.checkpoint.size for each in comparison.proof] == [5, 7]


def test_a_second_run_key_of_the_same_identity_does_not_excuse_it() -> None:
    other = story("b", key=Hand("a second run key"))
    comparison = compare(walked(story("a")), walked(other))
    assert (comparison.relation, comparison.common) == ("equivocation", 1)


def test_ends_that_nobody_signed_may_differ() -> None:
    one, other = story("lost in the crash", signed=False), story("after the crash")
    for first, second in ((one, other), (other, one)):
        comparison = compare(walked(first), walked(second))
        assert (comparison.state, comparison.relation) == ("holds", "unsigned-ends-differ")
        assert comparison.proof is None


def test_a_story_by_a_signer_that_nobody_knows_proves_nothing() -> None:
    forged = story("b", identity=STRANGER)
    comparison = compare(walked(story("a")), walked(forged))
    assert (comparison.state, comparison.relation) == ("undecided", "signer-unknown")
    known = keyring(IDENTITY, STRANGER)
    assert compare(walked(story("a")), walked(forged, known)).relation == "equivocation"


def test_two_redactions_of_one_recording_are_no_contradiction() -> None:
    draft = sample()
    one = draft.redacted([draft.commitment_of(RESULT)])
    other = copy.deepcopy(draft).redacted([draft.commitment_of("watched: a client")])
    comparison = compare(walked(one), walked(other))
    assert (comparison.state, comparison.relation) == ("holds", "redacted-apart")
    assert compare(walked(draft), walked(one)).relation == "first-is-prefix"


def test_files_of_different_runs_or_segments_cannot_be_compared() -> None:
    one = story("a")
    for other in (story("a", run="run-b"), Draft(), one.close(next_segment=True).next()):
        comparison = compare(walked(one), walked(other))
        assert (comparison.state, comparison.relation) == ("broken", "segment-wrong")
    assert compare(walked(Draft()), walked(one)).relation == "segment-wrong"
