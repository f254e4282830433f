from __future__ import annotations

from groundwire.documents.verdict import Verdict
from groundwire.verify.recording import Segment, verify_segments
from tests.recordings import Draft, lines
from tests.unit.verify.judging import TRUSTED, head_of


def judged(*drafts: Draft) -> tuple[Verdict, ...]:
    return verify_segments(
        [Segment(lines=lines(each.data()), files=each.files.get) for each in drafts], TRUSTED
    )


def reasons(*drafts: Draft) -> list[str]:
    return [verdict.reason for verdict in judged(*drafts)]


def rotated() -> tuple[Draft, Draft, Draft]:
    first = Draft().open().certificate().note().close(next_segment=True)
    second = first.next().note(text="in the second").close(next_segment=True)
    third = second.next().note(text="in the third").close()
    return first, second, third


def test_segments_that_follow_one_another_hold_and_make_one_closed_run() -> None:
    verdicts = judged(*rotated())
    assert [verdict.state for verdict in verdicts] == ["holds"] * 3
    assert [verdict.completeness for verdict in verdicts] == ["closed"] * 3
    assert "before this one" not in verdicts[1].does_not_prove
    assert "the whole run" not in verdicts[0].does_not_prove


def test_a_segment_alone_says_that_it_is_not_all() -> None:
    first, second, third = rotated()
    assert judged(first)[0].completeness == "open"
    assert "before this one" in judged(third)[0].does_not_prove
    assert [each.completeness for each in judged(second, third)] == ["closed", "closed"]


def test_a_segment_that_is_left_out_or_in_another_order_is_missed() -> None:
    first, second, third = rotated()
    assert reasons(first, third) == ["holds", "segment-wrong"]
    assert reasons(second, first) == ["holds", "segment-wrong"]
    assert reasons(first, first) == ["holds", "segment-wrong"]


def test_a_segment_that_was_shortened_is_found_by_the_next_one() -> None:
    first, second, _ = rotated()
    cut = Draft().open().certificate().note().checkpoint()
    assert reasons(cut, second) == ["rolled-back", "holds"]
    assert reasons(first, second) == ["holds", "holds"]


def test_a_segment_that_was_replaced_does_not_lead_to_the_next_one() -> None:
    _, second, _ = rotated()
    other = Draft().open().certificate().note(text="another").close(next_segment=True)
    assert reasons(other, second) == ["holds", "segment-wrong"]


def test_the_next_segment_starts_where_the_one_before_was_closed() -> None:
    first = Draft().open().certificate().note().close(next_segment=True)
    early = Draft(segment=1).open(
        previous={
            "head": "leaf:" + first.leaves[3].hex(),
            "root": head_of(first, 4).root,
            "size": 4,
        }
    )
    assert reasons(first, early.certificate().close()) == ["holds", "segment-wrong"]
    over = Draft().open().certificate().note().close(next_segment=False)
    assert reasons(over, over.next().close()) == ["holds", "segment-wrong"]


def test_the_head_and_the_root_of_the_one_before_are_both_compared() -> None:
    first = Draft().open().certificate().note().close(next_segment=True)
    for wrong in ({"head": "leaf:" + "1" * 64}, {"root": "root:" + "1" * 64}):
        previous = {"head": first.head, "root": first.root, "size": first.size, **wrong}
        after = Draft(segment=1).open(previous=previous).certificate().close()
        assert reasons(first, after) == ["holds", "segment-wrong"]


def test_a_segment_of_another_run_does_not_follow() -> None:
    first = Draft().open().certificate().close(next_segment=True)
    previous = {"head": first.head, "root": first.root, "size": first.size}
    other = Draft(run="run-b", segment=1).open(previous=previous).certificate().close()
    assert reasons(first, other) == ["holds", "segment-wrong"]


def test_a_redacted_segment_still_leads_to_the_next_one() -> None:
    first, second, third = rotated()
    redacted = first.redacted([first.commitment_of("watched: a client")])
    assert reasons(redacted, second, third) == ["holds"] * 3


def test_what_is_broken_in_one_segment_is_said_of_that_one() -> None:
    first, second, third = rotated()
    second.raw[-1] = second.raw[-1].replace(b'"seq"', b'"Seq"')
    assert reasons(first, second, third) == ["holds", "line-malformed", "holds"]
