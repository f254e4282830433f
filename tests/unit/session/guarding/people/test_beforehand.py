"""Approvals given beforehand: what they cover, how often, until when, and that they are taken back."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from groundwire.attest.people.approvals import STANDINGS
from groundwire.documents.approval import ArgumentPattern
from groundwire.documents.approving import ApprovalRules
from groundwire.errors import EncodingError
from groundwire.keys.times import format_time
from tests.approving import ADA, BEN, enrol, mailbox
from tests.hands import verified
from tests.unit.session.guarding.calls import Place, call, word
from tests.unit.session.guarding.people.test_asking import SPEC, keyring, place, receipt_of, states

ONE = "5" * 32
NOW = ApprovalRules(wait_seconds=0)


def edit(path: str = "api.yaml", new: str = "paths: {a: {}}") -> Any:
    return call("edit", path=path, old="paths: {}", new=new)


def stand(here: Place, person: Any = ADA, **changes: Any) -> str:
    """The standing approval lies in the mailbox; its digest."""
    envelope = person.stands(here.clock.at, **changes)
    mailbox().post_standing(changes.get("id", ONE), person.signer.key_id, envelope)
    return STANDINGS.read(envelope, keyring())[1]


def test_what_was_allowed_beforehand_is_done_unasked_and_counted(tmp_path: Path) -> None:
    at = place(tmp_path, ADA, rules=NOW)
    stand(at)
    table = at.table()
    with at.project.session(tmp_path / "run.gw") as run:
        for use in (1, 2):
            at.write("api.yaml", SPEC)
            result = table.dispatch(edit())
            assert word(result) == "executed"
            (approved,) = receipt_of(result).approvals
            assert (approved.use, approved.uses, approved.shown) == (use, 2, "")
        at.write("api.yaml", SPEC)
        assert word(table.dispatch(edit())) == "refused: approval-pending"
    assert states(run)[:6] == ["decided", "approved", "intent", "outcome", "attested", "decided"]
    assert verified(tmp_path / "run.gw") == ""


@pytest.mark.parametrize(
    "changes",
    [
        {"tool": "write"},
        {"arguments": (ArgumentPattern(name="path", pattern="docs/**"),)},
        {"arguments": (ArgumentPattern(name="nothing", pattern="**"),)},
        {"effects": ("external",)},
        {"environments": ("staging",)},
        {"operations": ("deploy",)},
        {"since": "2026-03-02T00:00:00.000000Z", "until": "2026-03-03T00:00:00.000000Z"},
        {"since": "2026-02-01T00:00:00.000000Z", "until": "2026-02-02T00:00:00.000000Z"},
        {"at": "2026-03-02T00:00:00.000000Z"},
    ],
)
def test_what_it_does_not_cover_is_asked(tmp_path: Path, changes: dict[str, Any]) -> None:
    at = place(tmp_path, ADA, rules=NOW)
    stand(at, **changes)
    with at.project.session(tmp_path / "run.gw"):
        assert word(at.table().dispatch(edit())) == "refused: approval-pending"


def test_one_by_somebody_whom_the_policy_does_not_name_covers_nothing(tmp_path: Path) -> None:
    at = place(tmp_path, ADA, rules=NOW)
    enrol(BEN.key())
    stand(at, BEN)
    with at.project.session(tmp_path / "run.gw"):
        assert word(at.table().dispatch(edit())) == "refused: approval-pending"


def test_a_strangers_beside_it_is_not_listed(tmp_path: Path) -> None:
    at = place(tmp_path, ADA, rules=NOW)
    enrol(BEN.key())
    until = format_time(at.clock.at + timedelta(days=1))
    stand(at, BEN, until=until)
    stand(at, ADA, until=until)
    with at.project.session(tmp_path / "run.gw"):
        result = at.table().dispatch(edit())
    assert [each.approver for each in receipt_of(result).approvals] == [ADA.signer.key_id]


def test_one_that_was_taken_back_covers_nothing_even_when_that_is_gone(tmp_path: Path) -> None:
    at = place(tmp_path, ADA, rules=NOW)
    digest = stand(at)
    mailbox().post_revocation(ONE, ADA.signer.key_id, ADA.revokes(digest, at.clock.at))
    table = at.table()
    with at.project.session(tmp_path / "run.gw"):
        assert word(table.dispatch(edit())) == "refused: approval-pending"
        for path in mailbox().folder.glob("*.revocation.json"):
            path.unlink()
        assert word(table.dispatch(edit())) == "refused: approval-pending"


def test_where_two_have_to_two_have_to_have_said_the_same(tmp_path: Path) -> None:
    at = place(tmp_path, ADA, BEN, rules=ApprovalRules(needed=2, wait_seconds=0))
    until = format_time(at.clock.at + timedelta(days=1))
    stand(at, until=until)
    table = at.table()
    with at.project.session(tmp_path / "run.gw"):
        assert word(table.dispatch(edit())) == "refused: approval-pending"
        stand(at, BEN, until=until, uses=3)
        assert word(table.dispatch(edit())) == "refused: approval-pending"
        stand(at, BEN, until=until)
        result = table.dispatch(edit())
    assert word(result) == "executed"
    assert len(receipt_of(result).approvals) == 2


def test_it_allows_nothing_that_the_policy_denies(tmp_path: Path) -> None:
    rule = {"id": "no", "decide": "deny", "paths": ["*.yaml"]}
    at = place(tmp_path, ADA, guard={"rules": [rule]})
    stand(at)
    with at.project.session(tmp_path / "run.gw"):
        assert word(at.table().dispatch(edit())) == "refused: decision-denied"


def test_fifty_threads_use_it_no_more_often_than_it_says(tmp_path: Path) -> None:
    at = place(tmp_path, ADA, rules=NOW)
    stand(at, uses=7)
    for number in range(50):
        at.write(f"api{number}.yaml", SPEC)
    table = at.table()
    ended: list[str] = []

    def one(path: str) -> None:
        ended.append(word(table.dispatch(edit(path))))

    with at.project.session(tmp_path / "run.gw"):
        work: list[Callable[[], None]] = [partial(one, f"api{number}.yaml") for number in range(50)]
        threads = [threading.Thread(target=bound(each)) for each in work]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    assert sorted(ended) == ["executed"] * 7 + ["refused: approval-pending"] * 43
    assert verified(tmp_path / "run.gw") == ""


def bound(act: Callable[[], None]) -> Callable[[], None]:
    """The act, in the run of now, whichever thread does it."""
    context = contextvars.copy_context()
    return lambda: context.run(act)


def test_a_use_is_not_given_back_when_the_call_does_not_run(tmp_path: Path) -> None:
    at = place(tmp_path, ADA, rules=NOW)
    stand(at, uses=1)
    table = at.table()
    target = at.write("api.yaml", SPEC)
    with at.project.session(tmp_path / "run.gw"):
        taking = at.project._guard.desk().uses.take

        def moved(*arguments: Any, **named: Any) -> Any:
            target.write_text(SPEC + "x-note: other\n")
            return taking(*arguments, **named)

        at.project._guard.desk().uses.take = moved  # type: ignore[method-assign]  # the test is in between
        assert word(table.dispatch(edit())) == "refused: state-drifted"
        at.project._guard.desk().uses.take = taking  # type: ignore[method-assign]  # the test is in between
        assert word(table.dispatch(edit())) == "refused: approval-pending"


def test_a_standing_approval_outlives_no_month() -> None:
    since = datetime(2026, 3, 1, tzinfo=UTC)
    with pytest.raises(EncodingError, match="at most 31 days"):
        ADA.stands(since, until=format_time(since + timedelta(days=32)))
