from __future__ import annotations

import msgspec
import pytest

from groundwire.attest.receipts import Permit
from groundwire.documents.decision import Word
from groundwire.documents.outcome import Executed, Passed, Refused, Unknown
from groundwire.documents.target import Absent, Observation, Proposal, Seen
from groundwire.errors import GuardError, HostError
from groundwire.guard.drive import drive
from groundwire.guard.flow import guarded
from groundwire.guard.steps import (
    Acknowledge,
    Answer,
    Approve,
    Denied,
    Detect,
    Execute,
    GiveNotice,
    LetPass,
    NotWritten,
    Observe,
    Observed,
    OpenReceipt,
    Preflight,
    Propose,
    Proposed,
    Ran,
    Readings,
    ReadState,
    Recheck,
    RecordIntent,
    RecordOutcome,
    SealResult,
    Settled,
    Unmoved,
)
from tests.unit.attest.decisions import ASKED, CALL, permit
from tests.unit.guard.hosts import (
    ORDER,
    PROPOSAL,
    READING,
    TOUCHES,
    UNTIL_INTENT,
    Given,
    Script,
    observed,
    request,
)

replace = msgspec.structs.replace
DENIED = Denied(error=GuardError("protected-place", "Nobody writes there."), rules=("places",))


def settle(script: Script, profile: str = "enforce/1") -> Settled:
    return drive(guarded(request(profile)), script)


def test_a_call_that_is_allowed_walks_the_whole_order_once() -> None:
    script = Script()
    settled = settle(script)
    assert script.asked == list(ORDER)
    assert isinstance(settled.outcome, Executed)
    assert settled.outcome.receipt == permit().digest
    assert settled.value == "done"
    assert settled.recorded
    assert script.outcomes == [settled.outcome]


def test_the_authority_is_asked_about_exactly_this_call_and_change() -> None:
    script = Script()
    settle(script)
    (preflight,) = [step for step in script.steps if isinstance(step, Preflight)]
    (intent,) = [step for step in script.steps if isinstance(step, RecordIntent)]
    assert preflight.asked == intent.intent.asked == ASKED


@pytest.mark.parametrize("step", UNTIL_INTENT)
@pytest.mark.parametrize(
    "given",
    [DENIED, RuntimeError("x"), HostError("target-unreadable", "x"), None, Ran("yes"), object()],
    ids=["denied", "raises", "host-error", "nothing", "another-answer", "no-answer"],
)
def test_whatever_goes_wrong_before_the_effect_is_a_refusal(step: type, given: Given) -> None:
    script = Script({step: given})
    settled = settle(script)
    assert isinstance(settled.outcome, Refused)
    assert Execute not in script.asked
    assert script.asked == [*UNTIL_INTENT[: UNTIL_INTENT.index(step) + 1], RecordOutcome]
    reasons = {"protected-place", "host-failed", "host-answer", "target-unreadable"}
    assert settled.outcome.reason in reasons


def test_a_permit_of_another_call_reaches_no_effect() -> None:
    for other in (
        replace(ASKED, sequence=4),
        replace(ASKED, changes=()),
        replace(ASKED, environment="staging"),
    ):
        script = Script({OpenReceipt: permit(other)})
        settled = settle(script)
        assert isinstance(settled.outcome, Refused)
        assert settled.outcome.reason == "permit-for-another"
        assert Execute not in script.asked


def test_a_permit_that_nothing_opened_reaches_no_effect() -> None:
    script = Script({OpenReceipt: object.__new__(Permit)})
    settled = settle(script)
    assert isinstance(settled.outcome, Refused)
    assert settled.outcome.reason == "permit-not-opened"
    assert Execute not in script.asked


def test_a_denied_call_is_refused_with_its_rules() -> None:
    settled = settle(Script(decision="deny"))
    assert settled.outcome == Refused(
        call=ASKED.call, reason="decision-denied", rules=("inside-the-folder",)
    )


def test_a_call_that_a_person_has_to_approve_is_refused_where_nobody_does() -> None:
    script = Script(decision="approve")
    settled = settle(script)
    assert script.asked == [*UNTIL_INTENT[:5], Approve, RecordOutcome]
    assert settled.outcome == Refused(
        call=ASKED.call, reason="nobody-to-ask", rules=("inside-the-folder",)
    )


@pytest.mark.parametrize("other", [replace(ASKED, sequence=4), replace(ASKED, run="run-b2")])
def test_an_approval_of_another_call_reaches_no_effect(other: object) -> None:
    script = Script({Approve: permit(other)}, "approve")  # type: ignore[arg-type] -- see the list
    settled = settle(script)
    assert isinstance(settled.outcome, Refused)
    assert settled.outcome.reason == "permit-for-another"
    assert Execute not in script.asked


def test_an_approval_of_this_call_is_carried_out() -> None:
    script = Script({Approve: permit()}, "approve")
    assert isinstance(settle(script).outcome, Executed)


def test_targets_that_were_not_asked_for_are_no_answer() -> None:
    settled = settle(Script({ReadState: Readings(())}))
    assert isinstance(settled.outcome, Refused)
    assert settled.outcome.reason == "host-answer"


def test_a_change_of_a_target_that_was_not_read_is_refused() -> None:
    elsewhere = replace(PROPOSAL.changes[0].name, path="another")
    for change in (
        replace(PROPOSAL.changes[0], name=elsewhere),
        replace(PROPOSAL.changes[0], kind="renamed", to=elsewhere),
    ):
        settled = settle(Script({Propose: Proposed(Proposal(changes=(change,)))}))
        assert isinstance(settled.outcome, Refused)
        assert settled.outcome.reason == "target-not-read"


def test_an_executor_that_says_that_nothing_stands_is_believed() -> None:
    given = NotWritten(GuardError("state-drifted", "x"))
    script = Script({Execute: given})
    settled = settle(script)
    assert settled.outcome == Refused(call=ASKED.call, reason="state-drifted", rules=())
    assert Observe not in script.asked
    assert script.asked[-3:] == [RecordOutcome, SealResult, Acknowledge]


@pytest.mark.parametrize(
    ("seen", "reason"),
    [
        ("content-match", None),
        ("token-match", None),
        ("drift", "drift"),
        ("not-observed", "unobserved"),
    ],
)
def test_what_is_seen_afterwards_decides_what_is_said(seen: Seen, reason: str | None) -> None:
    outcome = settle(Script({Observe: observed(seen)})).outcome
    if reason is None:
        assert isinstance(outcome, Executed)
    else:
        assert isinstance(outcome, Unknown)
        assert outcome.reason == reason
    assert not isinstance(outcome, Refused | Passed)
    assert [sighting.seen for sighting in outcome.observed] == [seen]


def test_the_hosts_word_against_what_was_seen_is_a_conflict_only_where_the_tool_ended_well() -> (
    None
):
    (name,) = TOUCHES.names
    state = Absent()
    given = Observed((Observation(name=name, seen="drift", state=state, claim="conflict"),))
    outcome = settle(Script({Observe: given})).outcome
    assert isinstance(outcome, Unknown)
    assert outcome.reason == "conflict"
    assert [each.claim for each in outcome.observed] == ["conflict"]
    script = Script({Observe: given, Execute: RuntimeError("x")})
    with pytest.raises(RuntimeError):
        settle(script)
    (outcome,) = script.outcomes
    assert isinstance(outcome, Unknown)
    assert (outcome.reason, [each.claim for each in outcome.observed]) == ("drift", ["none"])


@pytest.mark.parametrize("given", [Observed(()), RuntimeError("x"), None, Ran("seen")])
def test_an_effect_that_nobody_looked_at_is_unknown(given: Given) -> None:
    outcome = settle(Script({Observe: given})).outcome
    assert isinstance(outcome, Unknown)
    assert outcome.reason == "unobserved"


def test_a_call_without_a_target_that_can_be_looked_at_is_executed_when_it_returns() -> None:
    nowhere = {
        Detect: replace(TOUCHES, effect="external", names=(), operation="send_mail"),
        ReadState: Readings(()),
        Propose: Proposed(Proposal(changes=())),
        Observe: Observed(()),
    }
    assert isinstance(settle(Script(nowhere)).outcome, Executed)


def by_the_hosts_word() -> dict[type, Given]:
    """Answers of a host that alone knows what is changed."""
    known = replace(PROPOSAL.changes[0].name, root="artifact:row")
    reading = replace(READING, name=known)
    return {
        Detect: replace(TOUCHES, names=(known,)),
        ReadState: Readings((reading,)),
        Propose: Proposed(Proposal(changes=(replace(PROPOSAL.changes[0], name=known),))),
        Observe: Observed(()),
    }


def test_a_change_that_only_the_host_knows_is_executed_and_nothing_of_it_observed() -> None:
    outcome = settle(Script(by_the_hosts_word())).outcome
    assert isinstance(outcome, Executed)
    assert outcome.observed == ()


def test_a_change_that_only_the_host_knows_is_unknown_where_its_tool_raised() -> None:
    script = Script({**by_the_hosts_word(), Execute: RuntimeError("x")})
    with pytest.raises(RuntimeError):
        settle(script)
    (outcome,) = script.outcomes
    assert isinstance(outcome, Unknown)
    assert outcome.reason == "tool-raised"


def test_an_outcome_that_could_not_be_recorded_is_said_to_be_so() -> None:
    settled = settle(Script({RecordOutcome: OSError("disk full")}))
    assert isinstance(settled.outcome, Executed)
    assert not settled.recorded


@pytest.mark.parametrize("given", [HostError("sync-failed", "x"), None, Ran("done")])
def test_an_effect_whose_record_is_not_durable_is_said_not_to_be_recorded(given: Given) -> None:
    script = Script({Acknowledge: given})
    settled = settle(script)
    assert isinstance(settled.outcome, Executed)
    assert not settled.recorded
    assert script.asked[-1] is Acknowledge


def test_a_result_that_could_not_be_sealed_is_recorded_all_the_same() -> None:
    settled = settle(Script({SealResult: RuntimeError("x")}))
    assert settled.recorded
    assert settled.sealed is None


def test_a_declared_read_passes_without_a_receipt() -> None:
    script = Script({Detect: replace(TOUCHES, effect="read")})
    settled = settle(script)
    assert script.asked == [Detect, LetPass, RecordOutcome]
    assert settled.outcome == Passed(
        because="", call=ASKED.call, error="", reason="read", would=None
    )
    assert settled.value == "done"


@pytest.mark.parametrize("effect", ["unstated", "write", "external", "destructive"])
def test_only_a_declared_read_passes(effect: str) -> None:
    script = Script({Detect: replace(TOUCHES, effect=effect)}, "deny")
    assert isinstance(settle(script).outcome, Refused)
    assert LetPass not in script.asked


@pytest.mark.parametrize("word", ["allow", "warn", "approve", "deny"])
def test_under_observation_a_call_passes_and_says_what_would_have_been(word: Word) -> None:
    script = Script(decision=word)
    settled = settle(script, "observe/1")
    assert Execute not in script.asked
    assert Approve not in script.asked
    assert settled.outcome == Passed(
        because="", call=ASKED.call, error="", reason="observe", would=word
    )


def test_under_observation_an_executor_that_says_that_nothing_stands_is_believed() -> None:
    script = Script({LetPass: NotWritten(GuardError("edit-not-found", "x"))})
    settled = settle(script, "observe/1")
    assert settled.outcome == Refused(call=ASKED.call, reason="edit-not-found", rules=())
    assert script.outcomes == [settled.outcome]


@pytest.mark.parametrize("step", UNTIL_INTENT[:5])
def test_under_observation_a_call_that_cannot_be_judged_passes_and_would_be_denied(
    step: type,
) -> None:
    for given in (RuntimeError("x"), DENIED, None):
        script = Script({step: given})
        outcome = settle(script, "observe/1").outcome
        assert isinstance(outcome, Passed)
        assert (outcome.reason, outcome.would) == ("observe", "deny")
        assert outcome.because
        assert Execute not in script.asked


def test_notice_is_given_of_a_warning_before_the_effect_and_it_is_looked_once_more() -> None:
    script = Script(decision="warn")
    settled = settle(script)
    told = (*UNTIL_INTENT[:6], GiveNotice, Recheck, RecordIntent)
    assert script.asked == [*told, *ORDER[len(UNTIL_INTENT) :]]
    assert isinstance(settled.outcome, Executed)
    (step,) = [each for each in script.steps if isinstance(each, GiveNotice)]
    assert step.permit.receipt.decision == "warn"
    assert step.permit.digest == settled.outcome.receipt


@pytest.mark.parametrize(
    "given",
    [DENIED, RuntimeError("x"), HostError("guard-not-recorded", "x"), None, Ran("yes"), object()],
    ids=["denied", "raises", "host-error", "nothing", "another-answer", "no-answer"],
)
def test_a_notice_that_was_not_given_refuses_the_call(given: Given) -> None:
    script = Script({GiveNotice: given}, "warn")
    for profile in ("enforce/1", "strict/1"):
        script.steps.clear()
        outcome = settle(script, profile).outcome
        assert isinstance(outcome, Refused)
        assert script.asked[-2:] == [GiveNotice, RecordOutcome]
        assert not {RecordIntent, Execute, LetPass} & set(script.asked)


def test_what_moved_while_notice_was_given_refuses_the_call() -> None:
    looked: list[type] = []

    def look() -> Answer:
        looked.append(Recheck)
        return Unmoved() if len(looked) == 1 else DENIED

    script = Script({Recheck: look}, "warn")
    outcome = settle(script).outcome
    assert isinstance(outcome, Refused)
    assert script.asked[-3:] == [GiveNotice, Recheck, RecordOutcome]


@pytest.mark.parametrize("given", [DENIED, RuntimeError("x"), None, Ran("yes")])
def test_under_observation_a_notice_that_was_not_given_holds_nothing_up(given: Given) -> None:
    script = Script({GiveNotice: given}, "warn")
    assert settle(script, "observe/1").outcome == Passed(
        because="", call=ASKED.call, error="", reason="observe", would="warn"
    )
    assert script.asked == [*UNTIL_INTENT[:5], GiveNotice, LetPass, RecordOutcome]


def test_under_observation_a_call_that_is_cancelled_while_notice_is_given_does_not_pass() -> None:
    script = Script({GiveNotice: KeyboardInterrupt()}, "warn")
    with pytest.raises(KeyboardInterrupt):
        settle(script, "observe/1")
    assert LetPass not in script.asked
    assert [type(outcome) for outcome in script.outcomes] == [Refused]


@pytest.mark.parametrize("word", ["allow", "approve", "deny"])
def test_only_of_a_warning_is_notice_given(word: Word) -> None:
    for profile in ("enforce/1", "observe/1"):
        script = Script({Approve: permit()}, word)
        settle(script, profile)
        assert GiveNotice not in script.asked


def test_what_no_profile_lets_through_is_refused_under_observation_too() -> None:
    for step in (Detect, Propose, Preflight):
        script = Script({step: replace(DENIED, final=True)})
        assert isinstance(settle(script, "observe/1").outcome, Refused)
        assert LetPass not in script.asked


def test_a_call_that_has_no_digest_is_refused_before_anything_is_asked() -> None:
    script = Script()
    settled = drive(guarded(request(call=replace(CALL, arguments="\ud800"))), script)
    assert isinstance(settled.outcome, Refused)
    assert settled.outcome.reason == "lone-surrogate"
    assert script.asked == [RecordOutcome]


def test_the_state_is_measured_again_after_the_decision_and_before_the_intent() -> None:
    script = Script({Recheck: Denied(error=GuardError("state-drifted", "x"))})
    assert settle(script).outcome == Refused(call=ASKED.call, reason="state-drifted", rules=())
    assert RecordIntent not in script.asked
