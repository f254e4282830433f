from __future__ import annotations

from pathlib import Path

import pytest

from groundwire.audit.verifying import Verification, verify_files
from groundwire.documents.verdict import Head
from groundwire.errors import HostError
from tests.recordings import Draft, sample
from tests.unit.stores.disk.test_reading import put
from tests.unit.verify.judging import TRUSTED, head_of, note_of


def nothing_known(_run: str, _segment: int) -> Head | None:
    return None


def verified(*paths: Path, **options: object) -> Verification:
    options = {"known_head": nothing_known, "mirror": None, **options}
    return verify_files(paths, TRUSTED, **options)


def reasons(verification: Verification) -> list[str]:
    return [each.verdict.reason if each.verdict else "" for each in verification.files]


def story(*notes: str) -> Draft:
    draft = Draft().open().certificate().checkpoint()
    for text in notes:
        draft.note(text=text).checkpoint()
    return draft


def test_one_file_is_judged_and_says_whose_keys_were_trusted(tmp_path: Path) -> None:
    verification = verified(put(tmp_path, sample()))
    assert (verification.code, reasons(verification)) == (0, ["holds"])
    assert verification.keyring == "the tests' keyring"
    assert verification.files[0].head == "none is kept on this machine"
    assert verification.files[0].notes is None


def test_files_of_different_runs_are_judged_each_by_itself(tmp_path: Path) -> None:
    good, bad = put(tmp_path, sample(), "a.gw"), put(tmp_path, sample(run="run-b"), "b.gw")
    bad.write_bytes(bad.read_bytes().replace(b"berth 7", b"berth 9", 1))
    verification = verified(bad, good, tmp_path / "absent.gw")
    assert reasons(verification) == ["commitment-broken", "holds", ""]
    assert [each.path for each in verification.files][1] == str(good)
    assert "No such file" in verification.files[2].unreadable
    assert verification.code == 1
    assert verified(good, tmp_path / "absent.gw").code == 3


def test_the_known_head_is_asked_for_and_a_shortened_file_found(tmp_path: Path) -> None:
    draft = story("one", "two")
    cut = story("one")
    asked: list[tuple[str, int]] = []

    def known(run: str, segment: int) -> Head:
        asked.append((run, segment))
        return head_of(draft)

    path = put(tmp_path, cut)
    verification = verified(path, known_head=known)
    assert (verification.code, reasons(verification)) == (1, ["rolled-back"])
    assert asked == [(draft.run, 0)]
    assert verified(path).code == 0


def test_the_head_is_asked_for_before_the_lines_are_read(tmp_path: Path) -> None:
    path = put(tmp_path, story("one"))

    def grows_meanwhile(_run: str, _segment: int) -> Head:
        put(tmp_path, story("one", "two"))
        return head_of(story("one", "two"))

    assert verified(path, known_head=grows_meanwhile).code == 0


def test_heads_that_cannot_be_read_are_said_and_do_not_hide_the_verdict(tmp_path: Path) -> None:
    def damaged(_run: str, _segment: int) -> Head:
        raise HostError("heads-damaged", "The heads cannot be read.")

    verification = verified(put(tmp_path, sample()), known_head=damaged)
    assert verification.code == 0
    assert verification.files[0].head == "not compared: The heads cannot be read."


def test_the_mirror_confirms_contradicts_or_knows_nothing(tmp_path: Path) -> None:
    draft = sample()
    path = put(tmp_path, draft)
    notes = [note_of(draft, draft.size - 1)]
    confirmed = verified(path, mirror=lambda _run, _segment: notes)
    assert confirmed.files[0].verdict is not None
    assert (confirmed.files[0].verdict.completeness, confirmed.files[0].notes) == ("anchored", 1)
    silent = verified(path, mirror=lambda _run, _segment: [])
    assert (silent.code, reasons(silent)) == (3, ["not-in-mirror"])
    ahead = [note_of(draft, 40, root="root:" + "1" * 64)]
    assert reasons(verified(path, mirror=lambda _run, _segment: ahead)) == ["rolled-back"]


def test_a_mirror_that_cannot_be_read_leaves_it_undecided(tmp_path: Path) -> None:
    def broken(_run: str, _segment: int) -> list[str]:
        raise HostError("anchor-failed", "The notes cannot be read.")

    verification = verified(put(tmp_path, sample()), mirror=broken)
    assert verification.code == 3
    assert verification.files[0].unreadable == "The notes cannot be read."


def test_segments_are_followed_in_whatever_order_they_are_given(tmp_path: Path) -> None:
    first = Draft().open().certificate().note().close(next_segment=True)
    second = first.next().note(text="on").close()
    paths = [put(tmp_path, second, "b.gw"), put(tmp_path, first, "a.gw")]
    verification = verified(*paths)
    assert (verification.code, reasons(verification)) == (0, ["holds", "holds"])
    assert all(
        each.verdict and each.verdict.completeness == "closed" for each in verification.files
    )
    alone = verified(paths[1])
    assert alone.files[0].beside == (str(paths[0]),)
    assert verified(paths[0]).files[0].beside == (str(paths[1]),)
    assert verified(put(tmp_path, sample(run="run-x"), "x.gw")).files[0].beside == ()


def test_two_copies_are_compared_and_a_contradiction_proven(tmp_path: Path) -> None:
    one, other = put(tmp_path, story("a"), "one.gw"), put(tmp_path, story("b"), "other.gw")
    verification = verified(one, other)
    assert (verification.code, reasons(verification)) == (1, ["holds", "holds"])
    (compared,) = verification.comparisons
    assert compared.comparison.relation == "equivocation"
    assert (compared.first, compared.second) == (str(one), str(other))


def test_an_earlier_copy_is_a_prefix(tmp_path: Path) -> None:
    early, late = put(tmp_path, story("a"), "early.gw"), put(tmp_path, story("a", "b"), "late.gw")
    verification = verified(early, late)
    assert verification.code == 0
    assert verification.comparisons[0].comparison.relation == "first-is-prefix"


def test_a_copy_that_fails_is_not_compared(tmp_path: Path) -> None:
    broken = put(tmp_path, story("a"), "broken.gw")
    broken.write_bytes(broken.read_bytes().replace(b'"a"', b'"x"'))
    paths = [broken, put(tmp_path, story("a"), "b.gw"), put(tmp_path, story("a", "c"), "c.gw")]
    verification = verified(*paths)
    assert reasons(verification) == ["commitment-broken", "holds", "holds"]
    assert [each.first for each in verification.comparisons] == [str(paths[1])]


@pytest.mark.parametrize("data", [b"", b"\x00" * 99, b"junk\n", b"\xff\xfe"])
def test_files_that_are_no_recordings_get_a_verdict_each(tmp_path: Path, data: bytes) -> None:
    for name in ("a.gw", "b.gw"):
        (tmp_path / name).write_bytes(data)
    verification = verified(tmp_path / "a.gw", tmp_path / "b.gw", tmp_path)
    assert verification.code in {1, 3}
    assert verification.files[2].verdict is None
    assert verification.comparisons == ()


def test_attack_a_second_copy_hides_no_segment_that_was_cut(tmp_path: Path) -> None:
    whole = Draft().open().certificate().note().checkpoint().note().close(next_segment=True)
    cut = Draft().open().certificate().note().checkpoint()
    second = put(tmp_path, whole.next().note(text="on").close(), "b.gw")
    one, other = put(tmp_path, cut, "a.gw"), put(tmp_path, cut, "copy.gw")
    assert reasons(verified(one, second)) == ["rolled-back", "holds"]
    verification = verified(one, other, second)
    assert (verification.code, reasons(verification)) == (
        1,
        ["rolled-back", "rolled-back", "holds"],
    )
    honest = [put(tmp_path, whole, "c.gw"), put(tmp_path, whole, "d.gw")]
    assert reasons(verified(*honest, second)) == ["holds", "holds", "holds"]
