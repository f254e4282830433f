"""Deeds: begun by one, settled, and never begun again but where nothing stands."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from groundwire.errors import GroundwireError, GuardError
from groundwire.keys.times import format_time
from groundwire.stores.writing.grants import Grants
from groundwire.stores.writing.once import Deed, Deeds, Try
from tests.unit.stores.writing.test_grants import NOW, OWNER, grant, plan

KEY = "gw1:" + "1" * 64
MOMENT = format_time(NOW)


@pytest.fixture
def grants(tmp_path: Path) -> Grants:
    return Grants(tmp_path / "state" / "grants.sqlite", OWNER)


@pytest.fixture
def deeds(grants: Grants) -> Deeds:
    return deeds_of(grants)


def deeds_of(grants: Grants, owner: str = OWNER, *alive: str) -> Deeds:
    return Deeds(grants.database, owner, lambda asked: asked in alive)


def attempt(number: int = 1, idempotency: str = "", key: str = KEY) -> Try:
    return Try(
        key=key, tool="pay", id=f"{number:032x}", run="run", call="gw1:c", idempotency=idempotency
    )


def begin(deeds: Deeds, asked: Try | None = None) -> str:
    """The reason for which it was not begun; "" where it was."""
    refused = deeds.begin_alone(asked or attempt(), MOMENT)[1]
    return "" if refused is None else refused.reason


def found(deeds: Deeds) -> Deed:
    deed = deeds.find(KEY)
    assert deed is not None
    return deed


def test_a_deed_is_begun_once(deeds: Deeds) -> None:
    assert deeds.refusal(KEY) is None
    assert begin(deeds) == ""
    assert begin(deeds, attempt(2)) == "once-running"
    assert found(deeds).id == attempt().id


@pytest.mark.parametrize(
    ("state", "reason"),
    [("landed", "already-done"), ("unknown", "once-unsettled"), ("refused", ""), ("absent", "")],
)
def test_what_became_of_a_try_decides_the_next(deeds: Deeds, state: str, reason: str) -> None:
    begin(deeds)
    deeds.settle(KEY, attempt().id, state)  # type: ignore[arg-type]  # one of the words
    refused = deeds.refusal(KEY)
    assert (refused.reason if refused else "") == reason
    assert begin(deeds, attempt(2)) == reason


def test_the_refusal_names_the_first_call_its_run_and_its_time(deeds: Deeds) -> None:
    begin(deeds)
    deeds.settle(KEY, attempt().id, "landed")
    refused = deeds.refusal(KEY)
    assert refused is not None
    assert all(each in refused.message for each in ("gw1:c", "run run", MOMENT))


def test_what_was_done_is_not_undone_by_a_later_word(deeds: Deeds) -> None:
    begin(deeds)
    deeds.settle(KEY, attempt().id, "landed")
    deeds.settle(KEY, attempt().id, "refused")
    assert found(deeds).state == "landed"


def test_an_unknown_end_may_turn_out_to_be_one(deeds: Deeds) -> None:
    begin(deeds)
    deeds.settle(KEY, attempt().id, "unknown")
    deeds.settle(KEY, attempt().id, "landed")
    assert begin(deeds, attempt(2)) == "already-done"


def test_while_an_end_is_being_written_down_the_try_is_still_carried_out(
    grants: Grants, deeds: Deeds, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(deeds)
    stood = found(deeds)
    seen: list[bool] = []
    transaction = grants.database.transaction

    def looking(*, durable: bool) -> object:
        seen.append(deeds.is_unsettled(stood))
        return transaction(durable=durable)

    monkeypatch.setattr(grants.database, "transaction", looking)
    deeds.settle(KEY, attempt().id, "landed")
    assert seen == [False]
    monkeypatch.undo()
    assert deeds.is_unsettled(stood)


def test_an_earlier_try_says_nothing_of_a_later_one(deeds: Deeds) -> None:
    begin(deeds)
    deeds.settle(KEY, attempt().id, "refused")
    begin(deeds, attempt(2))
    deeds.settle(KEY, attempt().id, "refused")
    assert found(deeds).state == "begun"


def test_a_try_after_an_absent_one_has_its_key_and_stays_absent_if_refused(deeds: Deeds) -> None:
    first, _ = deeds.begin_alone(attempt(1, "k-1"), MOMENT)
    assert first == "k-1"
    deeds.settle(KEY, attempt().id, "absent")
    assert begin(deeds, attempt(2, "k-2")) == "once-key-differs"
    assert deeds.begin_alone(attempt(3), MOMENT) == ("k-1", None)
    deeds.settle(KEY, attempt(3).id, "refused")
    assert found(deeds).state == "absent"
    assert begin(deeds, attempt(4, "k-2")) == "once-key-differs"


def test_keys_of_two_deeds_differ_and_of_one_do_not(deeds: Deeds) -> None:
    one, _ = deeds.begin_alone(attempt(1), MOMENT)
    deeds.settle(KEY, attempt(1).id, "absent")
    same, _ = deeds.begin_alone(attempt(2), MOMENT)
    other, _ = deeds.begin_alone(attempt(3, key="gw1:" + "2" * 64), MOMENT)
    assert one == same != other
    assert one.startswith("gw-")
    assert len(one) == 43


def test_the_deed_of_a_process_that_is_gone_is_unsettled(grants: Grants) -> None:
    begin(deeds_of(grants, "b" * 32))
    here = deeds_of(grants)
    assert begin(here, attempt(2)) == "once-unsettled"
    assert here.unsettled() == (found(here),)
    assert begin(deeds_of(grants, OWNER, "b" * 32), attempt(2)) == "once-running"
    assert deeds_of(grants, OWNER, "b" * 32).unsettled() == ()


def test_a_try_of_this_process_that_nobody_here_carries_out_is_unsettled(grants: Grants) -> None:
    begin(deeds_of(grants))
    assert begin(deeds_of(grants), attempt(2)) == "once-unsettled"


@pytest.mark.parametrize(("said", "reason"), [("landed", "already-done"), ("absent", "")])
def test_a_read_settles_what_is_unsettled(deeds: Deeds, said: str, reason: str) -> None:
    begin(deeds)
    deeds.settle(KEY, attempt().id, "unknown")
    assert deeds.read_as(found(deeds), said)  # type: ignore[arg-type]  # one of the words
    assert begin(deeds, attempt(2)) == reason


@pytest.mark.parametrize("state", ["begun", "landed", "refused"])
def test_a_read_settles_nothing_else(deeds: Deeds, state: str) -> None:
    begin(deeds)
    if state != "begun":
        deeds.settle(KEY, attempt().id, state)  # type: ignore[arg-type]  # one of the words
    assert not deeds.read_as(found(deeds), "absent")
    assert found(deeds).state == state


def test_a_read_of_an_earlier_try_settles_no_later_one(deeds: Deeds) -> None:
    begin(deeds)
    deeds.settle(KEY, attempt().id, "unknown")
    read = found(deeds)
    deeds.read_as(read, "absent")
    begin(deeds, attempt(2))
    deeds.settle(KEY, attempt(2).id, "unknown")
    assert not deeds.read_as(read, "absent")
    assert begin(deeds, attempt(3)) == "once-unsettled"


def test_a_deed_is_begun_with_its_grant_or_neither_is(grants: Grants, deeds: Deeds) -> None:
    def beside(number: int) -> object:
        return lambda connection, moment: deeds.begin(connection, moment, attempt(number))[1]

    grants.consume(grant(1), NOW, plan(1), "run", 0, beside(1))  # type: ignore[arg-type]  # it fits
    with pytest.raises(GuardError) as refused:
        grants.consume(grant(2), NOW, plan(2), "run", 1, beside(2))  # type: ignore[arg-type]  # it fits
    assert refused.value.reason == "once-running"
    assert [each.id for each in grants.unsettled()] == [grant(1).id]
    grants.consume(grant(2), NOW, None, "run", 1)  # it was not used up
    with pytest.raises(GroundwireError) as used:
        grants.consume(grant(2), NOW, None, "run", 1, beside(3))  # type: ignore[arg-type]  # it fits
    assert used.value.reason == "grant-used"
    late = NOW + timedelta(hours=1)
    with pytest.raises(GroundwireError) as over:
        grants.consume(grant(3), late, None, "run", 1, beside(4))  # type: ignore[arg-type]  # it fits
    assert over.value.reason == "grant-expired"
    assert found(deeds).id == attempt(1).id


def test_a_row_that_cannot_be_is_no_state(grants: Grants, deeds: Deeds) -> None:
    begin(deeds)
    with grants.database.transaction(durable=False) as connection:
        connection.execute("UPDATE deeds SET state = 'free'")
    with pytest.raises(GroundwireError) as damaged:
        deeds.refusal(KEY)
    assert damaged.value.reason == "grants-damaged"
