"""Approvals used at the same moment, by keys that change meanwhile, and waits that are given up."""

from __future__ import annotations

import asyncio
import contextvars
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from groundwire.documents.approving import ApprovalRules
from groundwire.keys.ed25519 import encode_private_key
from groundwire.stores.keys import default_folder
from tests.approving import ADA, BEN, answered, enrol, requests
from tests.unit.session.guarding.calls import call, word
from tests.unit.session.guarding.people.test_asking import EDIT, SPEC, place

NOW = ApprovalRules(wait_seconds=0)


def test_two_calls_that_find_one_approval_use_it_once(tmp_path: Path) -> None:
    at = place(tmp_path, ADA, rules=NOW)
    table = at.table()
    desk = at.project._guard.desk()
    with at.project.session(tmp_path / "run.gw"):
        table.dispatch(EDIT)
        answered(ADA)
        taking = desk.uses.take

        def first_another(*approvals: Any, **named: Any) -> Any:
            assert taking(*approvals, **named) == 1  # somebody else was faster
            return taking(*approvals, **named)

        desk.uses.take = first_another  # type: ignore[method-assign]  # the test is in between
        assert word(table.dispatch(EDIT)) == "refused: approval-used"
    assert at.text("api.yaml") == SPEC


def test_twenty_threads_with_one_approval_have_one_effect(tmp_path: Path) -> None:
    at = place(tmp_path, ADA, rules=NOW)
    table = at.table()
    ended: list[str] = []
    with at.project.session(tmp_path / "run.gw"):
        table.dispatch(EDIT)
        answered(ADA)
        context = contextvars.copy_context()
        threads = [
            threading.Thread(
                target=lambda: ended.append(word(context.copy().run(table.dispatch, EDIT)))
            )
            for _ in range(20)
        ]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    assert ended.count("executed") == 1


def test_a_request_to_others_is_not_asked_again_of_these(tmp_path: Path) -> None:
    at = place(tmp_path, ADA, BEN, rules=NOW)
    with at.project.session(tmp_path / "run.gw") as run:
        at.table().dispatch(EDIT)
        enrol(BEN.key(state="retired", retired_at="2026-01-01T00:00:00.000000Z"))
        at.table().dispatch(EDIT)
    assert run.path is not None
    assert [len(request.approvers) for request, _ in requests()] == [2, 1]


def test_a_key_that_was_seen_to_be_ended_does_not_count_again(tmp_path: Path) -> None:
    at = place(tmp_path, ADA, rules=NOW)
    table = at.table()
    with at.project.session(tmp_path / "run.gw"):
        enrol(ADA.key(state="revoked", compromised_at="2026-01-01T00:00:00.000000Z"))
        assert word(table.dispatch(EDIT)) == "refused: approver-revoked"
        enrol(ADA.key())
        assert word(table.dispatch(EDIT)) == "refused: approver-revoked"


@pytest.mark.parametrize(
    "changes", [{"custody": "in-process"}, {"purposes": ("approval", "service")}]
)
def test_a_key_that_this_process_may_have_is_no_approver(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    at = place(tmp_path, ADA, rules=NOW)
    enrol(ADA.key(**changes))
    with at.project.session(tmp_path / "run.gw"):
        assert word(at.table().dispatch(EDIT)) == "refused: self-approval"


def test_a_key_whose_private_half_lies_here_in_the_clear_is_no_approver(tmp_path: Path) -> None:
    at = place(tmp_path, ADA, rules=NOW)
    with at.project.session(tmp_path / "before.gw"):
        assert word(at.table().dispatch(EDIT)) == "refused: approval-pending"
    path = default_folder(os.environ) / f"{ADA.signer.key_id.removeprefix('ed25519:')}.pem"
    path.write_bytes(encode_private_key(bytes([61]) * 32))
    path.chmod(0o600)
    with at.project.session(tmp_path / "run.gw"):
        assert word(at.table().dispatch(EDIT)) == "refused: self-approval"


def test_a_wait_that_is_given_up_ends_at_once(tmp_path: Path) -> None:
    at = place(tmp_path, ADA)
    looks: list[float] = []

    async def main() -> None:
        task = asyncio.ensure_future(at.table().adispatch(EDIT))
        loop = asyncio.get_running_loop()
        waits = asyncio.Event()

        def waiting(event: threading.Event, seconds: float) -> None:
            looks.append(seconds)
            loop.call_soon_threadsafe(waits.set)
            event.wait()

        at.project._guard.desk().pause = waiting
        await waits.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with at.project.session(tmp_path / "run.gw"):
        asyncio.run(main())
    assert len(looks) == 1


def test_another_call_is_not_the_subject_of_a_request(tmp_path: Path) -> None:
    at = place(tmp_path, ADA, rules=NOW)
    other = call(
        "edit", path="api.yaml", old="paths: {}", new="paths: {b: {}}", reason="it is needed"
    )
    with at.project.session(tmp_path / "run.gw"):
        at.table().dispatch(EDIT)
        answered(ADA)
        assert word(at.table().dispatch(other)) == "refused: approval-pending"
    assert len(list(requests())) == 2
