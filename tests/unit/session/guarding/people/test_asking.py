"""A call that a person has to allow: asked, answered, used once, recorded, and proven offline."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

import groundwire as gw
from groundwire.attest.receipts import inspect_receipt, read_receipt
from groundwire.documents.approval import shown_digest
from groundwire.documents.approving import ApprovalRules
from groundwire.documents.entry import Envelope
from groundwire.documents.event import Guarded
from groundwire.documents.receipt import Receipt
from groundwire.keys.times import format_time
from groundwire.stores.keys import KeyStore, default_folder
from tests.approving import ADA, BEN, Patience, Person, answered, enrol, mailbox, requests
from tests.driving import replayed
from tests.hands import verified
from tests.unit.session.guarding.calls import Place, call, word

SPEC = "openapi: 3.1.0\npaths: {}\n"
EDIT = call("edit", path="api.yaml", old="paths: {}", new="paths: {a: {}}", reason="it is needed")


def place(
    tmp_path: Path, *people: Person, acts: tuple[Callable[[], object], ...] = (),
    rules: ApprovalRules | None = None, guard: dict[str, Any] | None = None,
) -> Place:  # fmt: skip
    """A project that these people may approve in; `acts` happen while a call waits."""
    made = Place(
        tmp_path / "project", rules=guard, approvers=tuple(each.approver for each in people),
        approvals=rules or ApprovalRules(),
    )  # fmt: skip
    enrol(*(each.key() for each in people))
    made.write("api.yaml", SPEC)
    made.project._guard.desk().pause = Patience(made.clock, acts)
    return made


def states(run: Any) -> list[str]:
    return [event.state for event in replayed(run.path) if isinstance(event, Guarded)]


def keyring() -> Any:
    return KeyStore(default_folder(os.environ)).keyring()


def receipt_of(result: Any) -> Receipt:
    assert isinstance(result.receipt, Envelope)
    return read_receipt(result.receipt, keyring())[0]


def test_what_a_person_allows_is_done_once_and_its_receipt_names_them(tmp_path: Path) -> None:
    at = place(tmp_path, ADA, acts=(lambda: answered(ADA),))
    with at.project.session(tmp_path / "run.gw") as run:
        result = at.table().dispatch(EDIT)
    assert word(result) == "executed"
    assert at.text("api.yaml") == SPEC.replace("{}", "{a: {}}")
    assert states(run) == ["decided", "requested", "approved", "intent", "outcome", "attested"]
    receipt = receipt_of(result)
    assert [each.approver for each in receipt.approvals] == [ADA.signer.key_id]
    packet = mailbox().packet(next(requests())[0].id)
    assert packet is not None
    assert receipt.approvals[0].shown == shown_digest(packet)
    assert "-paths: {}" in packet.changes[0].diff
    assert packet.claim == "reason: it is needed"
    assert verified(tmp_path / "run.gw") == ""


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (lambda: answered(ADA, "denied"), "approval-denied"),
        (lambda: answered(BEN), "approval-expired"),
        (lambda: answered(ADA, shown="gw1:" + "0" * 64), "approval-expired"),
        (lambda: answered(ADA, subject="gw1:" + "0" * 64), "approval-expired"),
        (lambda: answered(ADA, request="sha256:" + "0" * 64), "approval-expired"),
        (lambda: enrol(ADA.key(state="retired", retired_at="2026-01-01T00:00:00.000000Z")), "approver-revoked"),
        (lambda: enrol(ADA.key(custody="in-process")), "self-approval"),
        (lambda: None, "approval-expired"),
    ],
)  # fmt: skip
def test_what_nobody_who_counts_has_allowed_is_refused(
    tmp_path: Path, act: Callable[[], object], reason: str
) -> None:
    at = place(tmp_path, ADA, acts=(act,))
    enrol(BEN.key())
    with at.project.session(tmp_path / "run.gw") as run:
        result = at.table().dispatch(EDIT)
    assert word(result) == f"refused: {reason}"
    assert at.text("api.yaml") == SPEC
    assert states(run) == ["decided", "requested", "outcome"]
    assert verified(tmp_path / "run.gw") == ""


def test_an_answer_that_comes_too_late_allows_nothing(tmp_path: Path) -> None:
    def late() -> None:
        at.clock.at += timedelta(seconds=901)
        answered(ADA)

    at = place(tmp_path, ADA, acts=(late,))
    with at.project.session(tmp_path / "run.gw"):
        assert word(at.table().dispatch(EDIT)) == "refused: approval-expired"


def test_an_answer_from_the_future_does_not_count_yet(tmp_path: Path) -> None:
    at = place(tmp_path, ADA)
    soon = format_time(at.clock.at + timedelta(seconds=10))
    at.project._guard.desk().pause = Patience(at.clock, (lambda: answered(ADA, at=soon),))
    with at.project.session(tmp_path / "run.gw"):
        assert word(at.table().dispatch(EDIT)) == "executed"
    waited = at.project._guard.desk().pause
    assert isinstance(waited, Patience)
    assert waited.waited > 9


def test_a_clock_that_is_set_back_makes_an_approval_good_for_no_longer(tmp_path: Path) -> None:
    def set_back() -> None:
        at.clock.at -= timedelta(days=2)

    def forward() -> None:
        at.clock.at += timedelta(seconds=900)

    at = place(tmp_path, ADA, acts=(forward, set_back))
    with at.project.session(tmp_path / "run.gw"):
        assert word(at.table().dispatch(EDIT)) == "refused: approval-expired"


def test_without_waiting_the_same_call_made_again_finds_the_answer(tmp_path: Path) -> None:
    at = place(tmp_path, ADA, rules=ApprovalRules(wait_seconds=0))
    table = at.table()
    with at.project.session(tmp_path / "run.gw"):
        first = table.dispatch(EDIT)
        again = table.dispatch(msgspec.structs.replace(EDIT, id="c2"))
        answered(ADA)
        spelled = EDIT.arguments.replace('":', '" : ')
        third = table.dispatch(msgspec.structs.replace(EDIT, id="c3", arguments=spelled))
    assert [word(each) for each in (first, again)] == ["refused: approval-pending"] * 2
    assert first.refusal is not None
    assert first.refusal.next == "ask-again"
    assert "groundwire approvals grant " + next(requests())[0].id in first.message
    assert word(third) == "executed"
    assert len(list(requests())) == 1
    assert verified(tmp_path / "run.gw") == ""


def test_looking_again_for_an_answer_is_not_told_to_stop(tmp_path: Path) -> None:
    at = place(tmp_path, ADA, rules=ApprovalRules(wait_seconds=0))
    table = at.table()
    with at.project.session(tmp_path / "run.gw"):
        ended = [table.dispatch(EDIT).refusal for _ in range(8)]
    assert {each.next for each in ended if each is not None} == {"ask-again"}


def test_an_approval_is_good_for_one_call(tmp_path: Path) -> None:
    at = place(tmp_path, ADA, rules=ApprovalRules(wait_seconds=0))
    table = at.table()
    with at.project.session(tmp_path / "run.gw"):
        table.dispatch(EDIT)
        answered(ADA)
        assert word(table.dispatch(EDIT)) == "executed"
        at.write("api.yaml", SPEC)
        assert word(table.dispatch(EDIT)) == "refused: approval-pending"
    assert len(list(requests())) == 2


def test_an_approval_is_for_these_bytes_alone(tmp_path: Path) -> None:
    at = place(tmp_path, ADA, rules=ApprovalRules(wait_seconds=0))
    table = at.table()
    other = call("edit", path="api.yaml", old="paths: {}", new="paths: {b: {}}")
    with at.project.session(tmp_path / "run.gw"):
        table.dispatch(EDIT)
        answered(ADA)
        assert word(table.dispatch(other)) == "refused: approval-pending"
        at.write("api.yaml", SPEC + "x-note: other\n")
        assert word(table.dispatch(EDIT)) == "refused: approval-pending"
    assert at.text("api.yaml") == SPEC + "x-note: other\n"


def test_a_file_that_moves_while_a_person_reads_is_not_written(tmp_path: Path) -> None:
    def moves() -> None:
        at.write("api.yaml", SPEC + "x-note: other\n")
        answered(ADA)

    at = place(tmp_path, ADA, acts=(moves,))
    with at.project.session(tmp_path / "run.gw"):
        assert word(at.table().dispatch(EDIT)) == "refused: state-drifted"


def test_a_policy_that_changes_while_a_call_waits_ends_it(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    policy = root / "groundwire.toml"
    policy.write_text(
        '[[approvers]]\nname = "ada"\nkey = "' + ADA.signer.key_id + '"\n'
        '[tools.edit]\neffect = "write"\ntarget = { files = "replace" }\n'
    )
    enrol(ADA.key())
    (root / "api.yaml").write_text(SPEC)
    project = gw.Project(policy)

    def changes(event: threading.Event, seconds: float) -> None:
        policy.write_text(policy.read_text() + "# more\n")

    project._guard.desk().pause = changes

    def edit(**arguments: Any) -> str:
        return "ran"

    table = project.guard([edit])
    with project.session(tmp_path / "run.gw"):
        assert word(table.dispatch(EDIT)) == "refused: policy-changed"


def test_two_people_have_to_be_two(tmp_path: Path) -> None:
    both = ApprovalRules(needed=2, wait_seconds=0)
    at = place(tmp_path, ADA, BEN, rules=both)
    table = at.table()
    with at.project.session(tmp_path / "run.gw"):
        table.dispatch(EDIT)
        answered(ADA)
        assert word(table.dispatch(EDIT)) == "refused: approval-pending"
        answered(BEN)
        result = table.dispatch(EDIT)
    assert word(result) == "executed"
    assert {each.approver for each in receipt_of(result).approvals} == {
        ADA.signer.key_id,
        BEN.signer.key_id,
    }


def test_a_no_counts_whatever_others_say(tmp_path: Path) -> None:
    at = place(tmp_path, ADA, BEN, rules=ApprovalRules(wait_seconds=0))
    table = at.table()
    with at.project.session(tmp_path / "run.gw"):
        table.dispatch(EDIT)
        answered(BEN)
        answered(ADA, "denied")
        assert word(table.dispatch(EDIT)) == "refused: approval-denied"


def test_a_request_that_ran_out_stays_so_when_the_clock_is_set_back(tmp_path: Path) -> None:
    at = place(tmp_path, ADA, rules=ApprovalRules(wait_seconds=0))
    table = at.table()
    with at.project.session(tmp_path / "run.gw"):
        table.dispatch(EDIT)
        answered(ADA)
        kept = {path: path.read_bytes() for path in mailbox().folder.glob("*.json")}
        at.clock.at += timedelta(seconds=901)
        table.dispatch(EDIT)
        for path, data in kept.items():  # what was forgotten is put back
            path.write_bytes(data)
            path.chmod(0o600)
        at.clock.at -= timedelta(seconds=900)
        assert word(table.dispatch(EDIT)) == "refused: approval-pending"
    assert at.text("api.yaml") == SPEC


def test_one_person_with_two_keys_is_one_person(tmp_path: Path) -> None:
    twin = Person("ada", 63)
    at = place(tmp_path, ADA, twin, BEN, rules=ApprovalRules(needed=2, wait_seconds=0))
    table = at.table()
    with at.project.session(tmp_path / "run.gw"):
        table.dispatch(EDIT)
        answered(ADA)
        answered(twin)
        assert word(table.dispatch(EDIT)) == "refused: approval-pending"


def test_where_too_few_can_answer_nobody_is_asked(tmp_path: Path) -> None:
    at = place(tmp_path, ADA, rules=ApprovalRules(needed=2))
    with at.project.session(tmp_path / "run.gw"):
        assert word(at.table().dispatch(EDIT)) == "refused: approver-unknown"
    assert list(requests()) == []


def test_a_rule_may_want_more_people_than_the_policy(tmp_path: Path) -> None:
    rule = {"id": "two-for-contracts", "decide": "approve", "paths": ["*.yaml"], "needed": 2}
    at = place(tmp_path, ADA, BEN, rules=ApprovalRules(wait_seconds=0), guard={"rules": [rule]})
    with at.project.session(tmp_path / "run.gw"):
        at.table().dispatch(EDIT)
    assert next(requests())[0].needed == 2


def test_what_the_policy_denies_nobody_is_asked_about(tmp_path: Path) -> None:
    rule = {"id": "no", "decide": "deny", "paths": ["*.yaml"]}
    at = place(tmp_path, ADA, guard={"rules": [rule]})
    with at.project.session(tmp_path / "run.gw"):
        assert word(at.table().dispatch(EDIT)) == "refused: decision-denied"
    assert list(requests()) == []


def test_under_observation_nobody_is_asked(tmp_path: Path) -> None:
    at = place(tmp_path, ADA, guard={"profile": "observe/1"})
    with at.project.session(tmp_path / "run.gw"):
        assert word(at.table().dispatch(EDIT)) == "passed: observe"
    assert list(requests()) == []


def test_a_cancelled_call_waits_no_longer_and_other_calls_are_not_held_up(tmp_path: Path) -> None:
    waits = threading.Event()

    def waiting(event: threading.Event, seconds: float) -> None:
        waits.set()
        event.wait()  # until it is given up

    at = place(tmp_path, ADA)
    at.project._guard.desk().pause = waiting

    async def main() -> str:
        table = at.table()
        at.write("a.py", "x = 1\n")
        async with at.project.session(tmp_path / "run.gw"):
            held = [asyncio.ensure_future(table.adispatch(EDIT)) for _ in range(40)]
            while not waits.is_set():
                await asyncio.sleep(0)
            other = await table.adispatch(call("edit", path="a.py", old="1", new="2"))
            for each in held:
                each.cancel()
            ended = await asyncio.gather(*held, return_exceptions=True)
            assert all(isinstance(each, asyncio.CancelledError) for each in ended)
        return word(other)

    assert asyncio.run(main()) == "executed"
    assert at.text("api.yaml") == SPEC


def test_a_receipt_says_who_allowed_it_and_holds_with_the_keyring_alone(tmp_path: Path) -> None:
    at = place(tmp_path, ADA, acts=(lambda: answered(ADA),))
    with at.project.session(tmp_path / "run.gw"):
        result = at.table().dispatch(EDIT)
    assert result.receipt is not None
    inspected, _ = inspect_receipt(result.receipt)
    assert inspected.decision == "allow"
    assert inspected.rules != ()


@pytest.mark.parametrize("wait", [0, 900])
def test_whoever_runs_the_agent_hears_once_what_grants_the_call(tmp_path: Path, wait: int) -> None:
    heard: list[Any] = []
    at = place(tmp_path, ADA, BEN, rules=ApprovalRules(wait_seconds=wait))
    with at.project.session(tmp_path / "run.gw") as run:
        run.on("approval", heard.append)
        with pytest.warns(gw.ApprovalNeeded) as warned:
            refused = at.table().dispatch(EDIT)
    assert word(refused) == f"refused: {'approval-expired' if wait else 'approval-pending'}"
    ((asked, _),) = requests()
    (told,) = heard
    assert msgspec.to_builtins(told) == {
        "approvers": ("ada", "ben"), "environment": "production", "expires": asked.expires,
        "id": asked.id, "tool": "edit",
    }  # fmt: skip
    (warning,) = warned
    assert f"`groundwire approvals grant {asked.id}`" in str(warning.message)
    assert "'edit'" in str(warning.message)


def test_a_call_that_was_answered_before_it_looked_announces_nothing(tmp_path: Path) -> None:
    heard: list[Any] = []
    at = place(tmp_path, ADA, rules=ApprovalRules(wait_seconds=0))
    with at.project.session(tmp_path / "run.gw") as run:
        at.table().dispatch(EDIT)
        answered(ADA)
        run.on("approval", heard.append)
        assert word(at.table().dispatch(EDIT)) == "executed"
    assert heard == []


def test_requests_whose_time_is_over_are_forgotten_with_a_new_one_and_no_other(
    tmp_path: Path,
) -> None:
    at = place(tmp_path, ADA, rules=ApprovalRules(wait_seconds=0, expires_seconds=600))
    with at.project.session(tmp_path / "run.gw"):
        at.table().dispatch(EDIT)
        answered(ADA)
        at.clock.at += timedelta(seconds=300)
        at.table().dispatch(call("edit", path="api.yaml", old="paths: {}", new="paths: {b: {}}"))
        first, second = (each.id for each, _ in requests())
        at.clock.at += timedelta(seconds=299)
        at.table().dispatch(call("edit", path="api.yaml", old="paths: {}", new="paths: {c: {}}"))
        assert {first, second} < {each.id for each, _ in requests()}
        at.clock.at += timedelta(seconds=2)
        at.table().dispatch(call("edit", path="api.yaml", old="paths: {}", new="paths: {d: {}}"))
    left = {each.id for each, _ in requests()}
    assert len(left) == 3
    assert second in left
    assert not list(mailbox().folder.glob(f"{first}.*"))
