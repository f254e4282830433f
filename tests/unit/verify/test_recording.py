from __future__ import annotations

import pytest

from groundwire.verify.recording import verify_recording
from groundwire.verify.words import TABLE
from tests.recordings import RESULT, STRANGER, USER, Draft, lines, sample
from tests.unit.verify.judging import TRUSTED, head_of, judge, keyring, reason


def test_a_closed_recording_holds_and_says_what_it_proves_and_what_not() -> None:
    draft = sample()
    verdict = judge(draft)
    assert (verdict.state, verdict.reason, verdict.line) == ("holds", "holds", 0)
    assert (verdict.completeness, verdict.closed, verdict.torn_bytes) == ("closed", True, 0)
    assert (verdict.run, verdict.segment) == (draft.run, 0)
    assert (verdict.entries, verdict.signed_entries) == (draft.size, draft.size - 1)
    assert (verdict.contents, verdict.redacted, verdict.withheld) == (26, 0, 1)
    assert verdict.not_understood == 1
    assert verdict.identity == draft.identity.id
    assert verdict.custody == "in-process"
    assert verdict.root == draft.root
    for line in (verdict.proves, verdict.does_not_prove):
        assert "\n" not in line
    assert draft.identity.id in verdict.proves
    assert "21 entries" in verdict.proves
    assert "the model saw" in verdict.does_not_prove
    assert "in reach of the agent's own process" in verdict.does_not_prove
    assert "no anchor" in verdict.does_not_prove


def test_an_open_recording_holds_as_far_as_it_is_signed() -> None:
    draft = Draft().open().certificate().note().checkpoint().note().note()
    verdict = judge(draft)
    assert (verdict.state, verdict.completeness, verdict.closed) == ("holds", "open", False)
    assert (verdict.entries, verdict.signed_entries) == (6, 3)
    assert "last 3 entries" in verdict.does_not_prove
    assert "the whole run" in verdict.does_not_prove


def test_a_recording_that_a_newer_checkpoint_ends_has_no_unsigned_tail_to_speak_of() -> None:
    verdict = judge(Draft().open().certificate().note().checkpoint())
    assert "nothing came after the last checkpoint" in verdict.does_not_prove


def test_custody_is_what_the_keyring_says() -> None:
    verdict = judge(sample(), keyring(Draft().identity, custody="hardware"))
    assert verdict.custody == "hardware"
    assert "own process" not in verdict.does_not_prove


@pytest.mark.parametrize("torn", [b"{", b'{"@":"note/1","at":"2026', b"\x00" * 5000, b"\xff"])
def test_a_torn_end_of_an_open_recording_is_counted_and_not_read(torn: bytes) -> None:
    draft = Draft().open().certificate().note().checkpoint()
    verdict = judge(draft.data() + torn)
    assert (verdict.state, verdict.torn_bytes, verdict.entries) == ("holds", len(torn), 4)


def test_contents_whose_entry_is_not_written_yet_are_an_unfinished_end() -> None:
    draft = Draft().open().certificate().checkpoint()
    begun = draft.size
    longer = Draft().open().certificate().checkpoint().note(text="not yet")
    cut = longer.data()[: -len(longer.raw[-1]) - 1]
    verdict = judge(cut)
    assert verdict.state == "holds"
    assert verdict.entries == begun
    assert verdict.torn_bytes == len(cut) - len(draft.data())


def test_a_recording_read_at_any_moment_of_being_written_is_never_called_broken() -> None:
    draft = Draft().open().certificate().note().checkpoint().note(text="ü\n").checkpoint()
    data = draft.data()
    states = {judge(data[:end]).state for end in range(len(data) + 1)}
    assert states == {"holds", "undecided"}


@pytest.mark.parametrize("data", [b"", b"{", b"\x00" * 100])
def test_a_file_without_a_whole_entry_could_not_be_judged(data: bytes) -> None:
    verdict = judge(data)
    assert (verdict.state, verdict.reason, verdict.completeness) == (
        "undecided", "no-entries", "open",
    )  # fmt: skip


@pytest.mark.parametrize(
    "data",
    [b"\n", b"hello\n", b"\x89PNG\r\n\x1a\n", b"\x00x\n", b'{"role":"user"}\n', b"[]\n" * 3],
)
def test_a_file_of_another_kind_is_no_recording(data: bytes) -> None:
    for whole in (data, data.rstrip(b"\n") or b"{}", data * 9_000):
        verdict = judge(whole)
        assert (verdict.state, verdict.reason, verdict.line) == ("undecided", "not-a-recording", 0)
        assert verdict.proves.startswith("nothing")


@pytest.mark.parametrize("data", [b"hello\n", b"hello", b"\x89PNG"])
def test_a_file_of_another_kind_in_place_of_a_known_recording_replaced_it(data: bytes) -> None:
    verdict = judge(data, head=head_of(sample()))
    assert (verdict.state, verdict.reason) == ("broken", "replaced")


@pytest.mark.parametrize("change", [b"x", b"\n", b"\x00\n", b"", b"[] \n"])
def test_a_recording_whose_first_line_was_changed_is_still_one_and_broken(change: bytes) -> None:
    data = sample().data()
    verdict = judge(change + data[1:])
    assert (verdict.state, verdict.reason, verdict.line) == ("broken", "line-malformed", 1)


def test_what_is_counted_of_a_broken_recording_is_said_to_be_a_part() -> None:
    draft = sample()
    assert not judge(draft).partial
    broken = judge(draft.data().replace(b'"seq":9', b'"seq":8', 1), files=draft.files)
    assert (broken.state, broken.partial, broken.entries) == ("broken", True, 9)
    # Found only when every line had been read: the counts are of the whole file.
    assert not judge(draft, head=head_of(Draft(run="other").open())).partial
    assert not judge(draft.data() + b"x", files=draft.files).partial


def test_without_a_checkpoint_nothing_is_signed() -> None:
    assert reason(Draft().open()) == "nothing-signed"
    assert reason(Draft().open().certificate().note()) == "nothing-signed"


def test_an_unknown_signer_leaves_an_intact_recording_undecided() -> None:
    draft = sample()
    verdict = judge(draft, keyring(STRANGER))
    assert (verdict.state, verdict.reason) == ("undecided", "signer-unknown")
    assert verdict.message.startswith("Intact, but the signer is unknown")
    assert verdict.identity == draft.identity.id
    assert verdict.custody == "unknown"
    # line 4 is the certificate: two contents and the opening entry stand before it
    assert verdict.line == 4


def test_an_unknown_signer_does_not_hide_what_is_broken() -> None:
    data = sample().data().replace(b"berth 7", b"berth 8", 1)
    assert reason(data, keyring(STRANGER)) == "commitment-broken"


def test_a_format_of_another_version_could_not_be_judged() -> None:
    assert reason(Draft().open(format="groundwire-recording/2")) == "format-unknown"
    later = sample().data().replace(b'{"@":"open/1"', b'{"@":"open/2"', 1)
    assert reason(later) == "format-unknown"


def test_a_kind_that_has_to_be_understood_and_is_not_leaves_it_undecided() -> None:
    draft = Draft().open(must_understand=["request/1", "verdict/9"]).certificate().close()
    verdict = judge(draft)
    assert (verdict.state, verdict.reason) == ("undecided", "not-understood")
    assert judge(Draft().open(must_understand=["request/1"]).certificate().close()).state == "holds"


def test_unknown_kinds_are_chained_and_counted() -> None:
    draft = Draft().open().certificate()
    draft.entry("weather/1", {"report": "rain"}, wind=[3, 4])
    draft.entry("weather/1", {"report": "sun"}, wind=[])
    verdict = judge(draft.close())
    assert (verdict.state, verdict.not_understood) == ("holds", 2)
    assert "2 entries of unknown kinds" in verdict.does_not_prove
    assert reason(draft.data().replace(b'"wind":[3,4]', b'"wind":[3,5]')) == "chain-broken"


def test_the_first_thing_that_fails_is_named_with_its_line() -> None:
    draft = sample()
    first, second = draft.data().replace(b"berths", b"births", 1), b"[\\u0022Berth 9"
    data = first.replace(b'"Berth 7.', second, 1)
    verdict = judge(data)
    number = next(number for number, line in enumerate(lines(data), 1) if b"births" in line)
    assert (verdict.reason, verdict.line) == ("commitment-broken", number)


def test_a_failing_line_is_named_the_same_in_large_and_small_files() -> None:
    draft = Draft().open().certificate()
    for number in range(400):
        draft.note(text=f"note {number} " + "x" * 300)
    draft.close()
    good = lines(draft.data())
    for index in (7, 155, 156, 401, len(good) - 1):
        bad = good.copy()
        bad[index] = bad[index].replace(b'"', b'" ', 1)
        verdict = judge(b"".join(bad))
        assert verdict.reason in {"line-malformed", "line-not-canonical"}
        assert verdict.line == index + 1
    assert judge(draft).state == "holds"


def test_every_verdict_is_a_code_of_the_table() -> None:
    assert {judge(sample()).reason, judge(b"").reason, judge(b"x\n").reason} <= set(TABLE)


def test_a_redacted_recording_holds_and_says_who_took_what_out() -> None:
    draft = sample()
    gone = [draft.commitment_of(RESULT), draft.commitment_of(USER)]
    verdict = judge(draft.redacted(gone))
    assert (verdict.state, verdict.completeness, verdict.redacted) == ("holds", "closed", 2)
    assert verdict.contents == 24
    assert "2 contents were taken out by " + draft.identity.id in verdict.proves
    twice = draft.redacted(gone[:1]).redacted(gone[1:])
    assert (judge(twice).state, judge(twice).redacted) == ("holds", 2)


def test_a_redacted_recording_still_answers_the_head_of_the_original() -> None:
    draft = sample()
    redacted = draft.redacted([draft.commitment_of(RESULT)])
    assert judge(redacted, head=head_of(draft)).state == "holds"


def test_lines_are_taken_one_by_one_and_never_all_at_once() -> None:
    draft = Draft().open().certificate()
    for _ in range(50):
        draft.note()
    read: list[int] = []

    def streamed():
        for number, line in enumerate(lines(draft.checkpoint().data())):
            read.append(number)
            yield line

    assert verify_recording(streamed(), TRUSTED, files={}.get).state == "holds"
    assert len(read) == len(draft.raw)
