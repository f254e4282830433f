"""Guarded calls in a verdict: an effect without its receipt is named, an intent alone is unknown."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from groundwire.attest.receipts import seal_receipt
from groundwire.audit.guarding.calls import guarded_calls
from groundwire.audit.guarding.words import call_line
from groundwire.canon import jcs
from groundwire.canon.digest import tagged
from groundwire.documents.canonical import decode, encode
from groundwire.documents.entry import Signature
from groundwire.documents.event import Guarded
from groundwire.documents.notice import Notified
from groundwire.documents.outcome import Executed
from groundwire.documents.policy import Policy, ToolDeclaration
from groundwire.documents.verdict import GuardedCount, Verdict
from groundwire.keys.ed25519 import Ed25519Signer
from groundwire.keys.keyring import Keyring
from groundwire.keys.times import format_time
from groundwire.stores.memory import MemorySink
from groundwire.verify.recording import Segment, verify_recording, verify_segments
from tests.guarded import AUTHORITY, Call, replace, trusting
from tests.recorders import RUN, START, certificate, key, lines, recorder, seed
from tests.unit.recording.test_redact import commitment_of, taken_out

CALL = Call()


def judged(told: Iterable[Guarded], ring: Keyring | None = None) -> Verdict:
    sink = MemorySink()
    writer = recorder(sink)
    for each in told:
        writer.said(each)
    writer.close()
    return verify_recording(lines(sink.data), ring or trusting(), files=sink.files.get)


def test_a_call_that_was_decided_begun_done_and_attested_holds_and_is_counted() -> None:
    verdict = judged(CALL.whole())
    assert (verdict.reason, verdict.message) == ("holds", verdict.message)
    assert verdict.guarded == GuardedCount(calls=1, executed=1)
    assert (
        "Of 1 guarded call: 1 executed, each under a receipt for exactly it; 0 refused"
        in verdict.proves
    )
    assert "what a guarded call left is still there" in verdict.does_not_prove


def test_what_stands_there_after_a_drift_is_judged_again_and_stands_in_the_recording() -> None:
    told = [
        CALL.decided(), CALL.intent(), CALL.drifted(), CALL.rejudged(),
        CALL.attested(outcome="unknown"),
    ]  # fmt: skip
    assert judged(told).reason == "holds"
    assert judged(told).guarded == GuardedCount(calls=1, unknown=1)
    (read,) = guarded_calls(told)
    assert (read.outcome, read.second) == ("unknown", "approve")
    assert "what stands there now would have been `approve`" in call_line(read)


def test_an_intent_alone_reads_as_unknown_and_never_as_not_executed() -> None:
    verdict = judged([CALL.decided(), CALL.intent()])
    assert verdict.reason == "holds"
    assert verdict.guarded == GuardedCount(calls=1, unknown=1, intent_alone=1)
    assert "whether the effect of 1 guarded calls landed (1 have an intent alone)" in (
        verdict.does_not_prove
    )


def test_an_outcome_without_its_executors_word_is_said_to_be_unattested_and_is_no_fault() -> None:
    verdict = judged([CALL.decided(), CALL.intent(), CALL.executed()])
    assert verdict.reason == "holds"
    assert verdict.guarded == GuardedCount(calls=1, executed=1, unattested=1)
    assert "that the executor of 1 guarded call stands by its outcome (unattested" in (
        verdict.does_not_prove
    )


def test_an_unknown_outcome_can_be_unattested_and_a_refusal_cannot() -> None:
    unknown, refused = Call(0), Call(1)
    told = [unknown.decided(), unknown.intent(), unknown.unknown()]
    told += [refused.decided(), refused.intent(), refused.refused()]
    assert judged(told).guarded == GuardedCount(calls=2, unknown=1, refused=1, unattested=1)


@pytest.mark.parametrize(
    "changes", [{"seen": "drift"}, {"seen": "not-observed", "claim": "conflict"}]
)
def test_attack_an_effect_that_was_seen_to_be_another_is_not_executed(
    changes: dict[str, Any],
) -> None:
    executed = msgspec.convert(msgspec.json.decode(CALL.executed().document or ""), Executed)
    told = replace(executed, observed=(replace(executed.observed[0], **changes),))
    verdict = judged([CALL.decided(), CALL.intent(), CALL.outcome(told)])
    assert verdict.reason == "guarded-wrong"


def test_attack_an_attestation_that_stands_before_another_outcome_is_a_contradiction() -> None:
    told = [CALL.decided(), CALL.intent(), CALL.attested(outcome="refused"), CALL.executed()]
    assert judged(told).reason == "guarded-wrong"
    late = [CALL.decided(), CALL.intent(), CALL.unknown(), CALL.attested(outcome="unknown")]
    assert judged(late).reason == "holds"
    assert judged([*late, CALL.executed(late=True)]).reason == "guarded-wrong"


def test_a_late_outcome_takes_the_place_of_the_one_before_it() -> None:
    told = [CALL.decided(), CALL.intent(), CALL.unknown(), CALL.executed(late=True)]
    verdict = judged([*told, CALL.attested()])
    assert (verdict.reason, verdict.guarded) == ("holds", GuardedCount(calls=1, executed=1))


@pytest.mark.parametrize(
    ("told", "count"),
    [
        ([CALL.refused()], GuardedCount(calls=1, refused=1)),
        ([CALL.decided(), CALL.refused()], GuardedCount(calls=1, refused=1)),
        ([CALL.decided(), CALL.intent(), CALL.refused()], GuardedCount(calls=1, refused=1)),
        ([CALL.passed()], GuardedCount(calls=1, passed=1)),
        ([CALL.decided()], GuardedCount(calls=1, undecided=1)),
    ],
)
def test_what_changed_nothing_needs_no_receipt(told: list[Guarded], count: GuardedCount) -> None:
    verdict = judged(told)
    assert (verdict.reason, verdict.guarded) == ("holds", count)


OTHER = Call(path="another.yaml")
WARNED = Call(decision="warn")


def respelled(state: Any, error: Any) -> Guarded:
    """The notice of WARNED, with one more delivery that says this."""
    told = decode((WARNED.noticed("sent").document or "").encode(), Notified)
    own, other = told.deliveries
    changed = replace(told, deliveries=(own, replace(other, state=state, error=error)))
    return replace(WARNED.noticed(), document=encode(changed).decode())


def unrecorded() -> Guarded:
    told = decode((WARNED.noticed("sent").document or "").encode(), Notified)
    changed = replace(told, deliveries=told.deliveries[1:])
    return replace(WARNED.noticed(), document=encode(changed).decode())


_DIFFERS = {
    "no receipt": [CALL.executed()],
    "no intent": [CALL.decided(), CALL.executed()],
    "no receipt and unknown": [CALL.unknown()],
    "late and no receipt": [CALL.refused(), CALL.executed(late=True)],
    "late and no intent": [CALL.decided(), CALL.refused(), CALL.executed(late=True)],
    "intent of other changes": [CALL.decided(), OTHER.intent(receipt=CALL.digest)],
    "intent under another receipt": [CALL.decided(), CALL.intent(receipt=OTHER.digest)],
    "outcome under another receipt": [
        CALL.decided(), CALL.intent(), CALL.executed(receipt=OTHER.digest),
    ],
    "outcome of another call": [
        CALL.decided(), CALL.intent(), CALL.executed(call=tagged("call", b"another")),
    ],
    "receipt of another sequence": [replace(Call(1).decided(), guarded=0)],
    "a receipt that asks": [
        Call(decision="approve").decided(), Call(decision="approve").intent(),
    ],
    "a warning of which nobody had notice": [WARNED.decided(), WARNED.intent()],
    "a warning that somebody did not take": [
        WARNED.decided(), WARNED.noticed("acknowledged", "failed"), WARNED.intent(),
    ],
    "a receipt that denies": [Call(decision="deny").decided(), Call(decision="deny").intent()],
}  # fmt: skip


@pytest.mark.parametrize("told", _DIFFERS.values(), ids=_DIFFERS)
def test_an_effect_that_no_receipt_of_the_recording_permits_is_broken(told: list[Guarded]) -> None:
    verdict = judged(told)
    assert (verdict.state, verdict.reason) == ("broken", "guarded-unpermitted")
    assert verdict.line > 1


def test_a_warning_of_which_notice_was_given_holds_and_so_does_one_refused_for_it() -> None:
    done = [WARNED.decided(), WARNED.noticed("sent"), WARNED.intent(), WARNED.executed()]
    assert judged([*done, WARNED.attested()]).guarded == GuardedCount(calls=1, executed=1)
    assert judged([*done, WARNED.attested()]).reason == "holds"
    told = [WARNED.decided(), WARNED.noticed("failed"), WARNED.refused("notice-failed")]
    assert judged(told).reason == "holds"
    (read,) = guarded_calls(told)
    assert (read.outcome, read.notice) == ("refused", "failed")
    passed = [WARNED.decided(), WARNED.noticed("failed"), replace(WARNED.passed(), guarded=0)]
    assert judged(passed).reason == "holds"


def test_a_notice_that_is_withheld_is_held_against_nothing_and_counted() -> None:
    secret = Call(decision="warn", rules=("ghp_abcdefghijklmnopqrstuvwxyz0123456789",))
    told = [secret.decided(), secret.noticed("failed"), secret.intent(), secret.executed()]
    verdict = judged([*told, secret.attested()])
    assert verdict.reason == "holds"
    assert verdict.guarded.unchecked == 1


_WRONG = {
    "a notice before its receipt": [WARNED.noticed()],
    "two notices": [WARNED.decided(), WARNED.noticed(), WARNED.noticed()],
    "a notice after the intent": [CALL.decided(), CALL.intent(), CALL.noticed()],
    "a notice of what was allowed": [CALL.decided(), CALL.noticed()],
    "a notice of another call": [WARNED.decided(), WARNED.noticed(call=OTHER.asked.call + "0")],
    "a notice of another run": [WARNED.decided(), WARNED.noticed(run="run-elsewhere")],
    "a notice of another environment": [WARNED.decided(), WARNED.noticed(environment="staging")],
    "a notice of another operation": [WARNED.decided(), WARNED.noticed(operation="merge")],
    "a notice of another number": [WARNED.decided(), WARNED.noticed(sequence=7)],
    "a notice under another receipt": [WARNED.decided(), WARNED.noticed(receipt=OTHER.digest)],
    "a notice by other rules": [WARNED.decided(), WARNED.noticed(rules=("another",))],
    "a notice of no kind": [WARNED.decided(), replace(WARNED.noticed(), document='{"notice":1}')],
    "a notice that failed without a reason": [WARNED.decided(), respelled("failed", "")],
    "a notice that did not fail, with one": [WARNED.decided(), respelled("sent", "timeout")],
    "a notice that the recording does not have": [WARNED.decided(), unrecorded()],
    "two receipts": [CALL.decided(), CALL.decided()],
    "an intent before its receipt": [CALL.intent()],
    "two intents": [CALL.decided(), CALL.intent(), CALL.intent()],
    "two outcomes": [CALL.refused(), CALL.refused()],
    "late and nothing before": [replace(CALL.passed(), late=True)],
    "late twice": [
        CALL.decided(), CALL.intent(), CALL.unknown(), CALL.executed(late=True),
        CALL.executed(late=True),
    ],
    "passed after an intent": [CALL.decided(), CALL.intent(), CALL.passed()],
    "an outcome without a word": [replace(CALL.refused(), outcome="")],
    "another word than its document": [replace(CALL.refused(), outcome="passed")],
    "another reason than its document": [replace(CALL.refused(), reason="stop")],
    "a document of no kind": [replace(CALL.refused(), document='{"type":"refused"}')],
    "a document spelled otherwise": [
        replace(CALL.refused(), document=(CALL.refused().document or "") + " "),
    ],
    "no document": [replace(CALL.decided(), document=None)],
    "attested otherwise": [
        CALL.decided(), CALL.intent(), CALL.executed(), CALL.attested(outcome="unknown"),
    ],
    "attested of another receipt": [
        CALL.decided(), CALL.intent(), CALL.executed(), CALL.attested(receipt=OTHER.digest),
    ],
    "attested without a receipt": [CALL.refused(), CALL.attested(outcome="refused")],
    "attested twice": [*CALL.whole(), CALL.attested()],
    "judged again and no outcome": [CALL.decided(), CALL.intent(), CALL.rejudged()],
    "judged again what was executed": [
        CALL.decided(), CALL.intent(), CALL.executed(), CALL.rejudged(),
    ],
    "judged again twice": [
        CALL.decided(), CALL.intent(), CALL.drifted(), CALL.rejudged(), CALL.rejudged(),
    ],
    "judged again under another receipt": [
        CALL.decided(), CALL.intent(), CALL.drifted(), CALL.rejudged(receipt=OTHER.digest),
    ],
    "judged again as another call": [
        CALL.decided(), CALL.intent(), CALL.drifted(),
        CALL.rejudged(asked=replace(CALL.asked, environment="staging")),
    ],
    "a second judgement of no kind": [
        CALL.decided(), CALL.intent(), CALL.drifted(), replace(CALL.rejudged(), document='{"again":1}'),
    ],
}  # fmt: skip


@pytest.mark.parametrize("told", _WRONG.values(), ids=_WRONG)
def test_states_that_no_guard_records_are_broken(told: list[Guarded]) -> None:
    assert judged(told).reason == "guarded-wrong"


def test_a_receipt_of_another_run_is_named() -> None:
    assert judged(Call(run="run-elsewhere").whole()).reason == "other-run"


def test_a_receipt_whose_signature_does_not_hold_is_named() -> None:
    envelope = msgspec.structs.replace(
        CALL.envelope,
        signatures=(
            Signature(
                keyid=AUTHORITY.key_id,
                sig=seal_receipt(Call(1).receipt, AUTHORITY).signatures[0].sig,
            ),
        ),
    )
    assert judged([CALL.decided(envelope)]).reason == "bad-signature"


def test_an_envelope_that_holds_no_receipt_is_named() -> None:
    told = replace(CALL.decided(), document=CALL.attested().document)
    assert judged([told]).reason == "envelope-malformed"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"purposes": ("recording",)}, "wrong-purpose"),
        ({"state": "retired", "retired_at": "2026-02-01T00:00:00.000000Z"}, "retired-key"),
        ({"state": "revoked", "compromised_at": "2026-02-01T00:00:00.000000Z"}, "revoked-key"),
        (
            {"state": "revoked", "compromised_at": "2026-12-01T00:00:00.000000Z"},
            "revoked-undecidable",
        ),
        ({"not_after": "2026-02-01T00:00:00.000000Z"}, "expired-key"),
        ({"not_before": "2026-12-01T00:00:00.000000Z"}, "key-not-yet-valid"),
    ],
)
def test_a_key_that_may_not_decide_is_named(changes: dict[str, Any], reason: str) -> None:
    assert judged(CALL.whole(), trusting(**changes)).reason == reason


def test_an_authority_that_the_keyring_does_not_know_leaves_it_undecided_and_the_rest_checked() -> (
    None
):
    verdict = judged(CALL.whole(), trusting(authority=False))
    assert (verdict.state, verdict.reason) == ("undecided", "authority-unknown")
    assert verdict.guarded.executed == 1
    stranger = Ed25519Signer.from_seed(seed("stranger"))
    forged = seal_receipt(replace(CALL.receipt, authority=stranger.key_id), stranger)
    assert judged([CALL.decided(forged), CALL.intent()]).reason == "guarded-unpermitted"


def test_a_receipt_that_had_run_out_when_the_effect_began_is_undecided() -> None:
    old = Call(
        issued=format_time(START - timedelta(minutes=15)),
        expires=format_time(START),
    )
    verdict = judged(old.whole())
    assert (verdict.state, verdict.reason) == ("undecided", "receipt-expired")


def test_a_receipt_that_had_run_out_under_which_nothing_was_carried_out_is_no_doubt() -> None:
    old = Call(issued=format_time(START - timedelta(minutes=15)), expires=format_time(START))
    assert judged([old.decided(), old.intent(), old.refused()]).reason == "holds"
    assert judged([old.decided(), old.intent()]).reason == "receipt-expired"


def test_a_document_with_a_secret_in_it_is_withheld_and_not_broken() -> None:
    secret = Call(path="ghp_abcdefghijklmnopqrstuvwxyz0123456789.yaml")
    verdict = judged(secret.whole())
    assert verdict.reason == "holds"
    assert verdict.guarded.unchecked == 1
    assert "under which receipt 1 guarded calls went" in verdict.does_not_prove


def test_a_redacted_receipt_is_redacted_and_not_broken() -> None:
    sink = MemorySink()
    writer = recorder(sink)
    for each in CALL.whole():
        writer.said(each)
    writer.close()
    receipt = (CALL.decided().document or "").encode()
    redacted = taken_out(sink.data, commitment_of(sink.data, receipt))
    verdict = verify_recording(redacted.lines, trusting(), files=sink.files.get)
    assert (verdict.reason, verdict.redacted) == ("holds", 1)
    assert verdict.guarded == GuardedCount(calls=1, executed=1, unchecked=1)


LAX = Policy(tools=(ToolDeclaration(name="edit_spec", effect="write"),))


@pytest.mark.parametrize(
    ("declared", "reason"),
    [(None, "guarded-unpermitted"), (LAX, "holds")],
)
def test_a_receipt_is_of_the_policy_that_the_recording_names_or_declared_since(
    declared: Policy | None, reason: str
) -> None:
    sink = MemorySink()
    writer = recorder(sink)
    if declared is not None:
        writer.declared(msgspec.to_builtins(declared))
    lax = tagged("policy", jcs.encode(msgspec.to_builtins(LAX)))
    call = Call(asked=replace(CALL.asked, policy=lax))
    writer.said(call.decided())
    writer.close()
    verdict = verify_recording(lines(sink.data), trusting(), files=sink.files.get)
    assert verdict.reason == reason


def test_where_a_declared_policy_is_withheld_nobody_holds_a_receipt_against_it() -> None:
    sink = MemorySink()
    writer = recorder(sink)
    writer.declared({"agent": "ghp_abcdefghijklmnopqrstuvwxyz0123456789"})
    other = Call(asked=replace(CALL.asked, policy=tagged("policy", b"another")))
    writer.said(other.decided())
    writer.close()
    verdict = verify_recording(lines(sink.data), trusting(), files=sink.files.get)
    assert verdict.reason == "holds"


def over_two_segments(
    *,
    ends: Guarded,
    begins: Guarded | None = None,
    before: Iterable[Guarded] = (CALL.decided(), CALL.intent()),
) -> tuple[Segment, Segment]:
    first, second = MemorySink(), MemorySink()
    writer = recorder(first)
    for each in before:
        writer.said(each)
    if begins is not None:
        writer.said(begins)
    writer.rotate(sink=second, certificate=certificate(key(RUN)))
    writer.said(ends)
    writer.close()
    return (
        Segment(lines=lines(first.data), files=first.files.get),
        Segment(lines=lines(second.data), files=second.files.get),
    )


def test_calls_that_begin_in_one_segment_and_end_in_the_next_are_judged_as_one() -> None:
    both = verify_segments(over_two_segments(ends=CALL.executed()), trusting())
    assert [each.reason for each in both] == ["holds", "holds"]
    assert both[0].guarded == GuardedCount(calls=1, unknown=1, intent_alone=1)
    assert both[1].guarded == GuardedCount(calls=1, executed=1, unattested=1)
    wrong = verify_segments(over_two_segments(ends=CALL.executed(receipt=OTHER.digest)), trusting())
    assert [each.reason for each in wrong] == ["holds", "guarded-unpermitted"]


def test_a_notice_may_stand_in_one_segment_and_the_intent_in_the_next() -> None:
    parts = over_two_segments(before=(WARNED.decided(), WARNED.noticed()), ends=WARNED.intent())
    assert [each.reason for each in verify_segments(parts, trusting())] == ["holds", "holds"]
    alone = verify_recording(parts[1].lines, trusting(), files=parts[1].files)
    assert (alone.reason, alone.guarded.unchecked) == ("holds", 1)
    parts = over_two_segments(before=(WARNED.decided(),), ends=WARNED.noticed())
    assert [each.reason for each in verify_segments(parts, trusting())] == ["holds", "holds"]
    alone = verify_recording(parts[1].lines, trusting(), files=parts[1].files)
    assert alone.reason == "holds"
    parts = over_two_segments(before=(WARNED.decided(),), ends=WARNED.intent())
    wrong = [each.reason for each in verify_segments(parts, trusting())]
    assert wrong == ["holds", "guarded-unpermitted"]


def test_of_a_later_segment_alone_nobody_says_that_its_calls_were_not_permitted() -> None:
    _, second = over_two_segments(ends=CALL.executed())
    alone = verify_recording(second.lines, trusting(), files=second.files)
    assert (alone.reason, alone.guarded) == (
        "holds",
        GuardedCount(calls=1, executed=1, unattested=1, unchecked=1),
    )


def test_what_the_next_segment_attests_is_not_said_to_be_unattested() -> None:
    both = verify_segments(
        over_two_segments(ends=CALL.attested(), begins=CALL.executed()), trusting()
    )
    assert [each.guarded for each in both] == [GuardedCount(calls=1, executed=1)] * 2


def test_two_equal_documents_stand_once_and_both_are_read() -> None:
    told = [CALL.refused(), replace(CALL.refused(), guarded=1), replace(CALL.refused(), guarded=2)]
    assert judged(told).guarded == GuardedCount(calls=3, refused=3)
    told[2] = replace(told[2], reason="stop")
    assert judged(told).reason == "guarded-wrong"
