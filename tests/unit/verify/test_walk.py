from __future__ import annotations

import pytest

from groundwire.verify.walk import Walk
from tests.recordings import Draft, Hand, canonical, leaf, lines, root, sample
from tests.unit.verify.judging import TRUSTED, at, data_of, judge, reason, walked


def entry_at(draft: Draft, kind: str) -> int:
    return at(draft, lambda line: line.startswith(b'{"@":"' + kind.encode()))


def without(draft: Draft, index: int) -> bytes:
    return data_of(draft.raw[:index] + draft.raw[index + 1 :])


def test_an_entry_that_was_removed_is_missed_by_the_next_one() -> None:
    draft = sample()
    verdict = judge(without(draft, entry_at(draft, "child/1")), files=draft.files)
    assert verdict.reason == "sequence-wrong"
    plain = Draft().open().certificate()
    for number in range(3):
        plain.entry("composed/1", call=number)
    plain.close()
    verdict = judge(without(plain, entry_at(plain, "composed/1")))
    assert (verdict.reason, verdict.line) == ("sequence-wrong", entry_at(plain, "composed/1") + 1)


def test_an_entry_that_stands_twice_or_elsewhere_is_found() -> None:
    draft = Draft().open().certificate()
    for number in range(3):
        draft.entry("composed/1", call=number)
    draft.close()
    first = entry_at(draft, "composed/1")
    twice = [*draft.raw[: first + 1], draft.raw[first], *draft.raw[first + 1 :]]
    assert reason(data_of(twice)) == "sequence-wrong"
    swapped = draft.raw.copy()
    swapped[first], swapped[first + 1] = swapped[first + 1], swapped[first]
    assert reason(data_of(swapped)) == "sequence-wrong"


def test_an_entry_with_another_field_is_no_longer_what_the_next_one_names() -> None:
    draft = sample()
    index = entry_at(draft, "response/1")
    changed = draft.raw.copy()
    changed[index] = changed[index].replace(b'"status":200', b'"status":500')
    verdict = judge(data_of(changed))
    assert verdict.reason == "chain-broken"
    assert verdict.line > index + 1


def test_a_changed_entry_among_others_of_its_kind_is_found_without_a_checkpoint() -> None:
    draft = Draft().open().certificate().checkpoint()
    for number in range(6):
        draft.entry("composed/1", call=number)
    index = entry_at(draft, "composed/1") + 2
    raw = draft.raw.copy()
    raw[index] = raw[index].replace(b'"call":2', b'"call":9')
    verdict = judge(data_of(raw))
    assert (verdict.reason, verdict.line, verdict.entries) == ("chain-broken", index + 2, 6)


def test_a_chain_written_anew_without_the_key_meets_the_checkpoint() -> None:
    draft = Draft().open().certificate().note().note(text="the second").checkpoint()
    raw, previous = [], "leaf:" + "0" * 64
    for line in draft.raw:
        if line.startswith(b'{"@":"content"'):
            raw.append(line)
            continue
        start = line.index(b'"prev":"') + 8
        anew = line[:start] + previous.encode() + line[start + 69 :]
        raw.append(anew.replace(b'"count":1', b'"count":2'))
        previous = "leaf:" + leaf(raw[-1]).hex()
    verdict = judge(data_of(raw))
    assert (verdict.reason, verdict.line) == ("checkpoint-wrong", len(raw))
    assert "head" in verdict.message


def test_the_first_entry_names_no_entry_before_it() -> None:
    draft = Draft().open()
    line = draft.raw[-1].replace(b"leaf:0", b"leaf:1")
    assert reason(data_of([*draft.raw[:-1], line])) == "chain-broken"


def test_a_line_of_another_run_does_not_fit() -> None:
    one, other = sample(), sample(run="run-harbour-9")
    for index, (mine, theirs) in enumerate(zip(one.raw, other.raw, strict=True)):
        if mine != theirs:
            raw = [*one.raw[:index], theirs, *one.raw[index + 1 :]]
            assert judge(data_of(raw), files=one.files).state == "broken"


@pytest.mark.parametrize("at_once", [True, False])
def test_a_line_without_end_in_the_middle_is_no_torn_end(at_once: bool) -> None:
    good = lines(Draft().open().certificate().note().checkpoint().data())
    parts = [*good[:-1], b"torn", good[-1]]
    source = parts if at_once else iter(parts)
    walk = Walk(TRUSTED, {}.get).over(source)
    assert walk.failure is not None
    assert walk.failure.reason == "line-malformed"


def test_bytes_after_the_closing_checkpoint_are_an_error() -> None:
    draft = sample()
    for more in (b"x", b"\x00" * 512, b"{"):
        assert reason(draft.data() + more, files=draft.files) == "after-closing"
    note = Draft().note().raw[0]
    assert reason(draft.data() + note + b"\n", files=draft.files) == "after-closing"


def test_a_checkpoint_before_any_certificate_is_no_opening() -> None:
    assert reason(Draft().open().checkpoint()) == "opening-wrong"


def test_a_walk_keeps_roots_where_it_was_asked_to_in_batches_and_one_by_one() -> None:
    draft = Draft().open().certificate()
    for number in range(300):
        draft.entry("composed/1", call=number)
    draft.checkpoint()
    marks = [1, 2, 3, 150, draft.size]
    walk = Walk(TRUSTED, {}.get, marks).over(lines(draft.data()))
    assert walk.failure is None
    assert {size: known[0] for size, known in walk.roots.items()} == {
        size: root(draft.leaves[:size]) for size in marks
    }
    assert walk.roots[150][1] == "leaf:" + draft.leaves[149].hex()


def test_leaves_and_checkpoints_are_kept_only_where_asked() -> None:
    draft = sample()
    assert walked(draft).leaves == ["leaf:" + each.hex() for each in draft.leaves]
    assert [each.checkpoint.closed for each in walked(draft).checkpoints] == [False, False, True]
    plain = Walk(TRUSTED, draft.files.get).over(lines(draft.data()))
    assert (plain.leaves, plain.checkpoints) == ([], [])


def test_a_run_log_with_a_signed_deletion_verifies_and_a_forged_one_does_not() -> None:
    draft = Draft().open().certificate()
    draft.entry(
        "run/1", {"path": "runs/a.gw"}, root="root:" + "1" * 64, run="run-a", segment=0, size=4,
        state="closed",
    )  # fmt: skip
    draft.deletion()
    assert judge(draft.close()).state == "holds"
    forged = Draft().open().certificate()
    forged.deletion(by=Hand("stranger"))
    assert reason(forged.close()) == "signer-unknown"
    lying = Draft().open().certificate()
    lying.deletion(identity=Hand("other").id)
    assert reason(lying.close()) == "identity-mismatch"
    torn = Draft().open().certificate()
    torn.entry("deletion/1", envelope={"payload": "", "payloadType": "x", "signatures": []})
    assert reason(torn.close()) == "envelope-malformed"


def test_unknown_kinds_cannot_stand_before_the_opening_or_after_the_close() -> None:
    draft = Draft()
    draft.entry("weather/1")
    assert reason(draft.open().certificate().checkpoint()) == "opening-wrong"
    closed = sample()
    closed.entry("weather/1")
    assert reason(closed) == "after-closing"


def test_an_entry_of_an_unknown_kind_with_a_float_is_no_entry() -> None:
    draft = Draft().open().certificate()
    line = canonical(
        {"@": "weather/1", "at": draft.now(), "holds": {}, "prev": draft.head, "seq": 2, "x": 1}
    )
    assert reason(draft.data() + line.replace(b'"x":1', b'"x":1.5') + b"\n") == "line-malformed"


def test_an_entry_with_a_wrong_number_is_found_though_its_link_is_right() -> None:
    for kind in ("composed/1", "weather/1"):
        draft = Draft().open().certificate()
        draft.entry("composed/1", call=0)
        draft.entry(kind, seq=7, **({"call": 1} if kind == "composed/1" else {}))
        verdict = judge(draft.checkpoint())
        assert (verdict.reason, verdict.line) == ("sequence-wrong", 6)


def test_entries_before_the_line_at_fault_are_counted_the_same_at_once_and_singly() -> None:
    draft = Draft().open().certificate()
    for number in range(5):
        draft.note(text=f"note {number}")
    bad = draft.data().replace(b'"note 3"', b'"nOte 3"')
    verdict = judge(bad)
    assert (verdict.reason, verdict.entries) == ("commitment-broken", 5)
    slow = judge(bad.replace(b'"topic":"sdk"}\n', b'"topic":"sdk"}\n', 1) + b"\n")
    assert slow.entries == 5
