"""Guarded calls in read-outs: each with its decision and its end, and a receipt by itself."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

import groundwire as gw
from groundwire.attest.receipts import seal_receipt
from groundwire.audit.explain import life_of_call
from groundwire.audit.guarding.calls import count_of, guarded_calls
from groundwire.audit.guarding.receipts import (
    envelope_of_file,
    judge_receipt,
    judged_lines,
    recorded_call,
    run_and_number,
)
from groundwire.audit.guarding.words import call_line, closing_words
from groundwire.audit.report import audit_events
from groundwire.audit.summary import summary
from groundwire.documents.entry import Signature
from groundwire.documents.event import Ended, Event, Guarded
from groundwire.documents.grant import Sighting
from groundwire.documents.outcome import Unknown
from groundwire.documents.policy import ToolDeclaration
from groundwire.documents.profile import Fact
from groundwire.documents.verdict import GuardedCount
from groundwire.errors import EncodingError
from groundwire.recording.reader import read
from groundwire.session.project import Session
from groundwire.stores.memory import MemorySink
from groundwire.verify.recording import verify_recording
from tests.driving import answers, assistant, choice, exchange, reading, user
from tests.guarded import AUTHORITY, Call, file_at, replace, trusting
from tests.recorders import START, lines, recorder
from tests.stories import Story, call, frame, message, response, result

CALL = Call(0)
NOW = START + timedelta(minutes=5)


def story_of(*told: Guarded, beside: bool = False) -> list[Event]:
    """The calls of one response came to the table as told; one more went past it."""
    story = Story()
    story.declare(ToolDeclaration(name="edit_spec", effect="write"))
    names = sorted({each.call_id for each in told} | ({"call-9"} if beside else set()))
    calls = [call("edit_spec", {}, name) for name in names]
    story.request(frame(message("user", "Edit.")))
    story.respond(response(*calls))
    for each in told:
        story.tell(msgspec.structs.replace(each, step=len(story.events)))
    results = [result("done", name) for name in names]
    story.request(frame(message("user", "Edit."), message("assistant", *calls), *results))
    story.end()
    return story.events


def read_out(events: Sequence[Event], limit: int = 10) -> list[str]:
    return list(summary(audit_events(events, run="run-1"), limit=limit))


def test_a_read_out_says_of_each_call_what_was_decided_and_what_became_of_it() -> None:
    refused = Call(1, decision="deny", rules=("no-edits", "nothing-at-night"))
    told = read_out(story_of(*CALL.whole(), refused.decided(), refused.refused()))
    at = told.index("Guarded calls: 2: 1 executed, 0 passed, 1 refused, 0 unknown")
    coverage, first, second = told[at + 1 : at + 4]
    assert coverage == (
        "  coverage, measured on the wire: 2 of 2 calls with a result in a later request came to the "
        "guarded table"
    )
    assert first == (
        "  #1 `edit_spec` (call call-1): `api/openapi.yaml changed`; deny by `no-edits` and "
        "`nothing-at-night`; refused (decision-denied)"
    )
    assert second == (
        "  #0 `edit_spec` (call call-0): `api/openapi.yaml changed`; allow by "
        "`default/inside-the-folder`; executed; attested executed"
    )


def test_a_call_past_the_table_stands_in_the_coverage() -> None:
    told = read_out(story_of(*CALL.whole(), beside=True))
    assert any("1 of 2 calls" in line and "1 did not" in line for line in told)


def test_a_run_without_a_guard_says_nothing_of_guarded_calls() -> None:
    assert not any("uarded" in line for line in read_out(story_of()) if "ungoverned" not in line)


def test_an_intent_alone_is_unknown_and_its_effect_may_stand() -> None:
    (one,) = guarded_calls([CALL.decided(), CALL.intent()])
    assert (one.outcome, one.intent_alone) == ("unknown", True)
    assert "begun, and no outcome is recorded: its effect may stand" in call_line(one)
    assert count_of([one]) == GuardedCount(calls=1, unknown=1, intent_alone=1)


def test_what_is_lacking_is_said_by_name_and_whether_it_may_still_come() -> None:
    begun = [CALL.decided(), CALL.intent()]
    for told, lack in (
        (begun, "no-outcome"),
        ([*begun, CALL.executed()], "unattested"),
        ([CALL.decided(), CALL.executed(), CALL.attested()], "no-intent"),
    ):
        (one,) = guarded_calls(told)
        assert one.lacking == (lack,)
        assert f"; {lack}: " in call_line(one)
        assert "it may still come" in call_line(one)
        (ended,) = guarded_calls([*told, Ended(step=9, at="")])
        assert f"; {lack}: " in call_line(ended)
        assert "it may still come" not in call_line(ended)
        assert closing_words(ended) == lack


def test_a_call_that_is_closed_lacks_nothing() -> None:
    (one,) = guarded_calls(CALL.whole())
    assert one.lacking == ()
    assert closing_words(one) == "its executor attests `executed`"
    (refused,) = guarded_calls([CALL.decided(), CALL.intent(), CALL.refused()])
    assert refused.lacking == ()
    assert closing_words(refused).startswith("none: ")


def test_a_late_outcome_names_the_one_before_it() -> None:
    (one,) = guarded_calls(
        [CALL.decided(), CALL.intent(), CALL.unknown(), CALL.executed(late=True)]
    )
    assert "executed, late, after unknown" in call_line(one)


def test_an_unknown_outcome_says_why_and_that_its_effect_may_stand() -> None:
    (one,) = guarded_calls([CALL.decided(), CALL.intent(), CALL.unknown()])
    assert "unknown (cancelled): its effect may stand" in call_line(one)


def test_every_residual_of_a_receipt_is_shown_and_counted_and_none_hides_another() -> None:
    facts: tuple[Fact, ...] = (
        "declared-content", "environment-unknown", "files-only", "host-claimed", "non-atomic",
        "not-owned", "unread-overwrite",
    )  # fmt: skip
    weak, other = Call(0, residuals=facts), Call(1, residuals=("non-atomic",))
    told = read_out(story_of(*weak.whole(), *other.whole()))
    (shown,) = [line for line in told if line.startswith("  #0 ")]
    assert all(fact in shown for fact in facts)
    (counted,) = [line for line in told if line.startswith("  residuals: ")]
    assert "host-claimed of 1 call, non-atomic of 2 calls, not-owned of 1 call" in counted
    judged = judge_receipt(weak.envelope, trusting(), NOW)
    assert f"  residuals:      {', '.join(facts)}" in list(judged_lines(judged))


def test_a_receipt_in_which_nothing_was_found_to_weaken_it_says_so() -> None:
    judged = judge_receipt(CALL.envelope, trusting(), NOW)
    assert "  residuals:      none was found" in list(judged_lines(judged))


def test_what_was_seen_to_differ_after_the_effect_is_named() -> None:
    drift = Unknown(
        call=CALL.asked.call, error="", reason="drift", receipt=CALL.digest,
        observed=(
            Sighting(name=file_at("a.yaml"), seen="drift", claim="none"),
            Sighting(name=file_at("b.yaml"), seen="content-match", claim="none"),
            Sighting(name=file_at("c.yaml"), seen="not-observed", claim="none"),
        ),
    )  # fmt: skip
    (one,) = guarded_calls([CALL.decided(), CALL.intent(), CALL.outcome(drift)])
    told = call_line(one)
    assert "unknown (drift): its effect may stand" in told
    assert "`a.yaml holds something else` and `c.yaml was not looked at`" in told
    assert "b.yaml" not in told


def test_what_the_host_says_and_what_was_told_by_a_token_alone_is_named() -> None:
    conflict = Unknown(
        call=CALL.asked.call, error="", reason="conflict", receipt=CALL.digest,
        observed=(
            Sighting(name=file_at("a.yaml"), seen="drift", claim="conflict"),
            Sighting(name=file_at("b.yaml"), seen="token-match", claim="none"),
            Sighting(name=file_at("c.yaml"), seen="not-observed", claim="host-claimed"),
        ),
    )  # fmt: skip
    (one,) = guarded_calls([CALL.decided(), CALL.intent(), CALL.outcome(conflict)])
    told = call_line(one)
    assert "unknown (conflict): its effect may stand" in told
    assert "`a.yaml is not what the host says`, `b.yaml was seen by its token alone`" in told
    assert "`c.yaml is the host's word`" in told


def test_a_refusal_without_a_receipt_names_its_rules() -> None:
    (one,) = guarded_calls([Call(0, rules=("stop-line",)).refused("stopped")])
    assert "by `stop-line`; refused (stopped)" in call_line(one)


def test_a_receipt_alone_is_a_call_that_never_began() -> None:
    (one,) = guarded_calls([CALL.decided()])
    assert call_line(one).endswith("never begun")
    assert count_of([one]) == GuardedCount(calls=1, undecided=1)


def test_a_document_that_is_gone_is_said_to_be() -> None:
    (one,) = guarded_calls([replace(CALL.decided(), document=None, gone="redacted")])
    assert "what was decided is redacted" in call_line(one)


def test_only_so_many_calls_are_listed_and_the_rest_counted() -> None:
    every = [state for number in range(5) for state in Call(number).whole()]
    told = read_out(story_of(*every), limit=2)
    assert "  and 3 more; --limit shows more, --json all" in told


RUNS: dict[str, list[Guarded]] = {
    "whole": [*CALL.whole()],
    "alone": [CALL.decided(), CALL.intent()],
    "late": [CALL.decided(), CALL.intent(), CALL.unknown(), CALL.executed(late=True)],
    "mixed": [CALL.refused(), Call(1).passed(), Call(2).decided(), *Call(3).whole()],
}


@pytest.mark.parametrize("told", RUNS.values(), ids=RUNS)
def test_the_read_out_counts_what_the_verifier_counts(told: list[Guarded]) -> None:
    sink = recorded(*told)
    verdict = verify_recording(lines(sink.data), trusting(), files=sink.files.get)
    assert verdict.reason == "holds"
    assert count_of(guarded_calls(told)) == verdict.guarded


def recorded(*told: Guarded) -> MemorySink:
    sink = MemorySink()
    writer = recorder(sink)
    for each in told:
        writer.said(each)
    writer.close()
    return sink


def test_the_receipt_of_a_recorded_call_is_found_by_its_number() -> None:
    sink = recorded(*CALL.whole(), *Call(1, path="b.yaml").whole(), Call(2).passed())
    reader = read(lines(sink.data), sink.files.get)
    envelope, one = recorded_call(reader, 1)
    assert envelope == Call(1, path="b.yaml").envelope
    assert (one.number, one.outcome) == (1, "executed")
    for number, reason in ((2, "no-receipt"), (9, "no-such-guarded-call")):
        with pytest.raises(EncodingError) as refused:
            recorded_call(reader, number)
        assert refused.value.reason == reason
    assert refused.value.message == "The recording has no guarded call 9; they are #0 to #2."


def test_a_receipt_that_a_trusted_authority_signed_holds_and_says_what_was_decided() -> None:
    judged = judge_receipt(CALL.envelope, trusting(), NOW)
    assert (judged.standing, judged.reason, judged.window) == ("holds", "", "now")
    told = "\n".join(judged_lines(judged))
    change = CALL.asked.changes[0]
    for word in (
        "allow, by default/inside-the-folder", "changed api/openapi.yaml", str(change.before),
        str(change.after), CALL.asked.call, AUTHORITY.key_id, "tool_call in production",
        "does not prove: that the change was made",
    ):  # fmt: skip
        assert word in told


@pytest.mark.parametrize(
    ("decision", "word"),
    [("deny", "it denies, and permits nothing"), ("approve", "it permits nothing by itself")],
)
def test_a_receipt_that_permits_nothing_is_not_told_to_be_of_use(decision: Any, word: str) -> None:
    judged = judge_receipt(Call(0, decision=decision).envelope, trusting(), NOW)
    (good,) = [line for line in judged_lines(judged) if line.startswith("  good: ")]
    assert word in good
    assert "could still" not in good


def test_a_receipt_whose_call_has_ended_is_not_told_to_be_of_use() -> None:
    (ended,) = guarded_calls(story_of(*CALL.whole()))
    judged = judge_receipt(CALL.envelope, trusting(), NOW, ended)
    (good,) = [line for line in judged_lines(judged) if line.startswith("  good: ")]
    assert "its call has ended (executed)" in good
    assert "could still" not in good


def test_a_call_says_who_allowed_it_and_whether_beforehand() -> None:
    (done,) = guarded_calls(story_of(*CALL.whole()))
    key = "ed25519:" + "a" * 64
    asked = msgspec.structs.replace(done, requested=True)
    said = msgspec.structs.replace(asked, approvers=(key,))
    before = msgspec.structs.replace(done, approvers=(key,))
    assert "approved by" not in call_line(done)
    assert "; a person was asked;" in call_line(asked)
    assert "; approved by `ed25519:aaaa" in call_line(said)
    assert "; approved beforehand by `ed25519:aaaa" in call_line(before)


@pytest.mark.parametrize(
    ("minutes", "window", "word"),
    [(-1, "to-come", "not yet valid"), (0, "now", "could still"), (15, "over", "expired")],
)
def test_the_window_of_a_receipt_is_named_and_does_not_undo_it(
    minutes: int, window: str, word: str
) -> None:
    judged = judge_receipt(CALL.envelope, trusting(), START + timedelta(minutes=minutes))
    assert (judged.standing, judged.window) == ("holds", window)
    assert any(word in line for line in judged_lines(judged))


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
    ],
)
def test_a_key_that_may_not_decide_makes_a_receipt_not_hold_by_name(
    changes: dict[str, Any], reason: str
) -> None:
    judged = judge_receipt(CALL.envelope, trusting(**changes), NOW)
    assert (judged.standing, judged.reason) == ("does-not-hold", reason)
    assert any(reason in line for line in judged_lines(judged))


def test_a_signature_of_other_bytes_does_not_hold() -> None:
    other = seal_receipt(Call(1).receipt, AUTHORITY).signatures[0].sig
    forged = replace(CALL.envelope, signatures=(Signature(keyid=AUTHORITY.key_id, sig=other),))
    assert judge_receipt(forged, trusting(), NOW).reason == "bad-signature"


def test_a_signer_that_nobody_knows_leaves_it_undecided() -> None:
    judged = judge_receipt(CALL.envelope, trusting(authority=False), NOW)
    assert (judged.standing, judged.reason, judged.custody) == (
        "undecided",
        "unknown-signer",
        "unknown",
    )


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b"\xff", b"[" * 100_000, b'"x"'])
def test_what_is_no_envelope_is_told_so(data: bytes) -> None:
    with pytest.raises(EncodingError) as refused:
        envelope_of_file(data, "file")
    assert refused.value.reason == "not-an-envelope"


def test_a_run_and_a_number_are_told_from_a_file() -> None:
    assert run_and_number("runs/a.gw#12") == ("runs/a.gw", 12)
    assert run_and_number("a#b#0") == ("a#b", 0)
    for text in ("receipt.json", "a.gw#", "a.gw#x", "a.gw#-1", "a.gw#1.5", "a.gw#" + "9" * 16):
        assert run_and_number(text) is None


def test_the_life_of_a_call_says_how_it_came_to_the_table(tmp_path: Path) -> None:
    with Session(tmp_path / "run.gw", project=gw.Project(gw.Policy())) as run:
        exchange(run, [user("Edit.")], assistant(choice("call-0", "edit_spec")))
        rail = run._rail()
        assert rail is not None
        with rail.lock:
            for told in Call(run=run.run_id).whole():
                rail.say(told)
        exchange(run, [user("Edit."), answers("call-0", "done")], assistant(text="Done."))
    (life,) = life_of_call(reading(run.path), "call-0")
    (one,) = life.guarded
    assert (one.outcome, one.decision, one.attested) == ("executed", "allow", "executed")
