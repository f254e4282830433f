from __future__ import annotations

import base64
import hashlib

import pytest

from tests.recordings import (
    IDENTITY,
    RESULT,
    RUN_KEY,
    STRANGER,
    ZERO,
    Draft,
    Hand,
    canonical,
    sample,
    statement,
)
from tests.unit.verify.judging import data_of, judge, keyring, reason


def running() -> Draft:
    return Draft().open().certificate().note()


def last_changed(draft: Draft, old: bytes, new: bytes) -> str:
    """The verdict's reason where only the last line, covered by nothing, is changed."""
    assert old in draft.raw[-1]
    raw = [*draft.raw[:-1], draft.raw[-1].replace(old, new)]
    return reason(data_of(raw), files=draft.files)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"size": 2}, "size"),
        ({"size": 4}, "size"),
        ({"head": "leaf:" + "1" * 64}, "head"),
        ({"head": ZERO}, "head"),
        ({"root": "root:" + "1" * 64}, "root"),
        ({"at": "2026-05-04T10:20:31.000000Z"}, "time"),
        ({"segment": 1}, "segment"),
    ],
)
def test_a_signed_checkpoint_is_about_exactly_the_entries_before_it(
    wrong: dict[str, object], named: str
) -> None:
    verdict = judge(running().checkpoint(**wrong))
    assert (verdict.reason, verdict.line) == ("checkpoint-wrong", 7)
    assert f"its {named} " in verdict.message


def test_a_checkpoint_of_another_run_is_refused() -> None:
    assert reason(running().checkpoint(run="run-elsewhere")) == "other-run"


def test_a_checkpoint_that_another_key_signed_is_refused() -> None:
    assert reason(running().checkpoint(by=STRANGER)) == "wrong-signer"
    # the identity key is not the run key either
    assert reason(running().checkpoint(by=IDENTITY)) == "wrong-signer"


def test_a_checkpoint_from_outside_the_certificates_window_is_refused() -> None:
    draft = Draft().open().certificate(not_after="2026-05-04T10:20:30.500000Z")
    assert reason(draft.checkpoint()) == "holds"
    draft = Draft().open().certificate(not_after="2026-05-04T10:20:30.500000Z").note()
    assert reason(draft.checkpoint()) == "outside-window"
    early = Draft().open().certificate(not_before="2026-05-04T10:20:30.750000Z")
    assert reason(early.checkpoint()) == "outside-window"


def test_a_checkpoint_taken_from_elsewhere_in_the_file_does_not_fit() -> None:
    draft = running().checkpoint()
    moved = draft.raw[-1]
    draft.note(text="more").checkpoint()
    taken = moved.replace(
        moved[moved.index(b'"prev"') :], draft.raw[-1][draft.raw[-1].index(b'"prev"') :]
    ).replace(b'"at":"2026-05-04T10:20:30.750000Z"', b'"at":"2026-05-04T10:20:31.250000Z"')
    verdict = judge(data_of([*draft.raw[:-1], taken]))
    assert (verdict.reason, "size" in verdict.message) == ("checkpoint-wrong", True)


@pytest.mark.parametrize("change", ["flip", "empty", "other"])
def test_a_signature_that_is_none_is_refused(change: str) -> None:
    draft = running().checkpoint()
    start = draft.raw[-1].index(b'"sig":"') + 7
    signature = draft.raw[-1][start : start + 88]
    other = {
        "flip": base64.b64encode(bytes([base64.b64decode(signature)[0] ^ 1]) + base64.b64decode(signature)[1:]),
        "empty": b"",
        "other": base64.b64encode(RUN_KEY.sign(b"something else")),
    }[change]  # fmt: skip
    assert last_changed(draft, signature, other) in {"bad-signature", "envelope-malformed"}


def test_the_last_checkpoint_has_no_second_spelling() -> None:
    draft = sample()
    line = draft.raw[-1]
    key = RUN_KEY.id.encode()
    start = line.index(b'"sig":"') + 7
    signature = line[start : start + 88]
    assert reason(draft) == "holds"
    loose = signature[:85] + bytes([signature[85] + 1]) + b"=="
    url_safe = signature.replace(b"+", b"-").replace(b"/", b"_")
    entry = b'{"keyid":"' + key + b'","sig":"' + signature + b'"}'
    for old, new in [
        (key, key.upper()),
        (key, STRANGER.id.encode()),
        (key, b""),
        (signature, signature.rstrip(b"=")),
        (signature, loose),
        (signature, url_safe if url_safe != signature else b"-" + signature[1:]),
        (signature, signature + b"\\n"),
        (entry, entry + b"," + entry),
        (b"[" + entry + b"]", b"[]"),
        (b"application/vnd.in-toto+json", b"application/vnd.in-toto.json"),
    ]:
        assert last_changed(draft, old, new) in {
            "envelope-malformed", "wrong-signer", "bad-signature",
        }  # fmt: skip


def test_a_statement_in_another_spelling_is_refused_though_it_is_signed() -> None:
    for payload in (
        b'{"_type": "x"}',
        b"not json",
        statement("certificate", {}, "x", {}),
        statement("checkpoint", {"closed": False}, "x", {"rfc9162-sha256": "0" * 64}),
    ):
        draft = running()
        draft.entry("checkpoint/1", envelope=RUN_KEY.envelope(payload))
        assert reason(draft) == "envelope-malformed"


def test_a_certificate_for_another_run_is_refused() -> None:
    foreign = Draft().open().certificate(run="run-elsewhere").checkpoint(run="run-elsewhere")
    verdict = judge(foreign)
    assert (verdict.reason, verdict.line) == ("other-run", 4)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"purposes": ["approval"]}, "wrong-purpose"),
        ({"not_before": "2026-06-01T00:00:00.000000Z"}, "key-not-yet-valid"),
        ({"not_after": "2026-02-01T00:00:00.000000Z"}, "expired-key"),
        ({"state": "retired", "retired_at": "2026-03-01T00:00:00.000000Z"}, "retired-key"),
        ({"state": "revoked", "compromised_at": "2026-03-01T00:00:00.000000Z"}, "revoked-key"),
        (
            {"state": "revoked", "compromised_at": "2026-09-01T00:00:00.000000Z"},
            "revoked-undecidable",
        ),
    ],
)
def test_an_identity_that_the_keyring_refuses_breaks_the_recording(
    changes: dict[str, object], expected: str
) -> None:
    verdict = judge(sample(), keyring(IDENTITY, **changes))
    assert (verdict.state, verdict.reason, verdict.line) == ("broken", expected, 4)


def test_a_retired_key_verifies_what_it_signed_before() -> None:
    retired = keyring(IDENTITY, state="retired", retired_at="2026-09-01T00:00:00.000000Z")
    assert reason(sample(), retired) == "holds"


def test_a_revoked_key_counts_where_an_anchor_saw_it_before_it_was_stolen() -> None:
    revoked = keyring(IDENTITY, state="revoked", compromised_at="2026-09-01T00:00:00.000000Z")
    seen = "2026-05-05T00:00:00.000000Z"
    assert reason(sample(), revoked, anchored_at=seen) == "holds"
    too_late = "2026-09-02T00:00:00.000000Z"
    assert reason(sample(), revoked, anchored_at=too_late) == "revoked-undecidable"


def test_a_recording_signed_by_somebody_else_is_undecided_or_broken_and_never_holds() -> None:
    forged = sample(identity=STRANGER, key=Hand("their run key"))
    assert reason(forged) == "signer-unknown"
    # naming the trusted identity without its key does not help
    draft = Draft().open()
    predicate = {
        "identity": IDENTITY.id, "key": RUN_KEY.id, "not_after": "2036-05-04T10:20:30.000000Z",
        "not_before": "2026-05-04T10:20:30.000000Z", "public_key": RUN_KEY.text, "run": draft.run,
    }  # fmt: skip
    subject = {"sha256": hashlib.sha256(RUN_KEY.public).hexdigest()}
    envelope = STRANGER.envelope(statement("certificate", predicate, draft.run, subject))
    draft.entry("certificate/1", envelope=envelope)
    assert reason(draft.close()) == "identity-mismatch"
    envelope["signatures"][0]["keyid"] = IDENTITY.id
    again = Draft().open()
    again.entry("certificate/1", envelope=envelope)
    assert reason(again.close()) == "bad-signature"


def test_a_recovered_file_goes_on_under_a_new_key_and_only_that() -> None:
    draft = running().checkpoint().note("recovered", "12 bytes cut")
    draft.key = Hand("run key after the crash")
    assert reason(draft.certificate().note(text="on").checkpoint()) == "holds"
    old = running().checkpoint().note("recovered", "12 bytes cut")
    old.key = Hand("run key after the crash")
    assert reason(old.certificate().checkpoint(by=RUN_KEY)) == "wrong-signer"


def test_a_redaction_is_signed_by_an_identity_and_about_this_run() -> None:
    draft = sample()
    gone = [draft.commitment_of(RESULT)]
    assert reason(draft.redacted(gone)) == "holds"
    assert reason(draft.redacted(gone, run="run-elsewhere")) == "other-run"
    forged = draft.redacted(gone, by=STRANGER)
    assert reason(forged) == "signer-unknown"
    assert reason(forged, keyring(IDENTITY, STRANGER)) == "holds"
    refused = draft.redacted(gone, at="2026-05-04T10:20:00.000000Z")
    assert reason(refused, keyring(IDENTITY, not_before="2026-05-04T10:20:30.000000Z")) == (
        "key-not-yet-valid"
    )
    claimed = draft.redacted(gone, identity=STRANGER.id)
    assert reason(claimed) == "identity-mismatch"


def test_who_took_contents_out_of_a_run_of_another_identity_is_named() -> None:
    draft = sample()
    gone = [draft.commitment_of(RESULT)]
    own = judge(draft.redacted(gone))
    assert f"taken out by {IDENTITY.id}." in own.proves
    assert "did not record" not in own.proves
    assert "agreed" not in own.does_not_prove
    foreign = judge(draft.redacted(gone, by=STRANGER), keyring(IDENTITY, STRANGER))
    assert foreign.state == "holds"
    assert f"{STRANGER.id} did not record the run: that was {IDENTITY.id}." in foreign.proves
    assert "agreed to what another identity took out" in foreign.does_not_prove


def test_a_redaction_lists_what_is_gone_and_nothing_else() -> None:
    draft = sample()
    gone = draft.commitment_of(RESULT)
    lists_what_stands = draft.redacted([gone])
    index = next(i for i, line in enumerate(draft.raw) if gone.encode() in line)
    kept = [*lists_what_stands.raw[:index], draft.raw[index], *lists_what_stands.raw[index:]]
    verdict = judge(data_of(kept), files=draft.files)
    assert (verdict.reason, "still stands" in verdict.message) == ("redaction-wrong", True)
    verdict = judge(draft.redacted(["gw1:" + "0" * 64]))
    assert (verdict.reason, "nothing names" in verdict.message) == ("redaction-wrong", True)


def test_a_redaction_does_not_cover_more_than_it_lists() -> None:
    draft = sample()
    first, second = draft.commitment_of(RESULT), draft.commitment_of("watched: a client")
    redacted = draft.redacted([first])
    raw = [
        line
        for line in redacted.raw
        if not line.startswith(b'{"@":"content","commitment":"' + second.encode())
    ]
    assert len(raw) == len(redacted.raw) - 1
    assert reason(data_of(raw), files=draft.files) == "content-missing"


def test_an_envelope_of_the_appendix_that_is_malformed_is_named() -> None:
    draft = sample().certificate()
    draft.entry("redaction/1", envelope=IDENTITY.envelope(canonical({"x": 1})))
    assert reason(draft) == "envelope-malformed"


def test_attack_another_trusted_identity_goes_on_with_a_file_in_the_first_ones_name() -> None:
    draft = running().checkpoint().note("recovered", "0 bytes cut")
    draft.identity, draft.key = STRANGER, Hand("run key of another identity")
    draft.certificate().close()
    verdict = judge(draft, keyring(IDENTITY, STRANGER))
    assert (verdict.state, verdict.identity) == ("holds", f"{IDENTITY.id} and {STRANGER.id}")
    assert verdict.custody == "in-process and in-process"
    assert verdict.identity in verdict.proves
    assert "no checkpoint" not in verdict.does_not_prove


def test_attack_entries_put_behind_a_crash_and_signed_over_by_the_recovery() -> None:
    draft = running().checkpoint().note(text="by nobody").note(text="knows")
    draft.note("recovered", "0 bytes cut")
    draft.key = Hand("run key after the crash")
    verdict = judge(draft.certificate().close())
    assert verdict.state == "holds"
    assert "who wrote 2 entries that a recovery found under no checkpoint" in verdict.does_not_prove


def test_attack_a_certificate_that_is_shown_again_hides_no_entry_from_the_recovery() -> None:
    draft = running().checkpoint().note(text="by nobody").note("certified-again").certificate()
    draft.note("recovered", "0 bytes cut")
    draft.key = Hand("run key after the crash")
    verdict = judge(draft.certificate().close())
    assert verdict.state == "holds"
    assert "who wrote 3 entries that a recovery found under no checkpoint" in verdict.does_not_prove
