"""What a person stopped does nothing more; who may lift a stop; a run that only plans only reads."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from groundwire.documents.approving import Approver
from groundwire.documents.event import Guarded
from groundwire.documents.outcome import Refused
from groundwire.errors import PolicyError
from groundwire.session.guarding.people import halting
from groundwire.session.guarding.people.halting import Watch
from groundwire.stores.people.stops import StopFolder
from tests.approving import ADA, BEN, Patience, enrol, requests
from tests.driving import replayed
from tests.halting import authority, lifted, opened, stopped, stops
from tests.unit.session.guarding.calls import Place, call, word


@pytest.fixture(autouse=True)
def nothing_seen() -> Iterator[None]:
    """Each test is a process of its own, as far as stops were seen."""
    halting._watches.clear()
    authority()  # good by every clock of the tests
    yield
    halting._watches.clear()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return place_of(tmp_path)


def place_of(folder: Path, **policy: Any) -> Place:
    made = Place(folder / "project", approvers=(ADA.approver,), **policy)
    enrol(ADA.key(), BEN.key())
    made.write("a.py", "x = 1\n")
    return made


def edit(place: Place) -> str:
    return word(place.table().dispatch(call("edit", path="a.py", old="1", new="2")))


def read(place: Place) -> str:
    return word(place.table().dispatch(call("read", path="a.py")))


# --- what a stop does --------------------------------------------------------------------------


@pytest.mark.parametrize("profile", ["observe/1", "enforce/1", "strict/1"])
@pytest.mark.parametrize("scope", ["all", "run"])
def test_a_stopped_run_does_nothing_at_its_next_call_under_any_profile(
    tmp_path: Path, profile: str, scope: str
) -> None:
    place = place_of(tmp_path, rules={"profile": profile})
    with place.session() as run:
        assert read(place) == "passed: read"
        stopped("all" if scope == "all" else run.run_id)
        assert edit(place) == "refused: stopped"
        assert read(place) == "refused: stopped"
        assert word(place.table().dispatch(call("nobody", x=1))) == "refused: stopped"
    assert place.text("a.py") == "x = 1\n"
    assert place.ran == [("read", {"path": "a.py"})]


def test_the_refusal_is_recorded_with_its_reason_and_tells_the_model_to_end(place: Place) -> None:
    with place.session() as run:
        stopped("all")
        result = place.table().dispatch(call("edit", path="a.py", old="1", new="2"))
    assert result.refusal is not None
    assert (result.refusal.next, result.refusal.reason) == ("stop", "stopped")
    assert "A person stopped this run" in result.refusal.says
    assert "groundwire stop --list" in result.message
    outcomes = [
        event.document
        for event in replayed(run.path)
        if isinstance(event, Guarded) and event.state == "outcome"
    ]
    assert len(outcomes) == 1
    assert '"reason":"stopped"' in outcomes[0]


def test_a_stop_of_another_run_holds_up_nobody_else(place: Place) -> None:
    stopped("another-run")
    with place.session():
        assert edit(place) == "executed"


def test_the_children_of_a_stopped_run_are_stopped_and_it_is_not_by_theirs(place: Place) -> None:
    with place.session() as run:
        child = run.child("researcher")
        with child:
            below = child.child("reader")
            with below:
                stopped(run.run_id)
                assert edit(place) == "refused: stopped"
            assert edit(place) == "refused: stopped"
    with place.project.session(place.folder.parent / "other.gw") as run:
        with run.child("one") as child:
            stopped(child.run_id)
            assert edit(place) == "refused: stopped"
        assert edit(place) == "executed"


def test_a_stop_that_comes_after_the_decision_still_stops_the_effect(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Just before its effect every call asks once more, with its intent recorded."""
    states: list[str] = []
    with place.session() as run:
        inner = run.record_guarded

        def then_stopped(said: Guarded, *, durable: bool) -> None:
            inner(said, durable=durable)
            states.append(said.state)
            if said.state == "intent":
                stopped(run.run_id)

        monkeypatch.setattr(run, "record_guarded", then_stopped)
        assert edit(place) == "refused: stopped"
    assert states[:2] == ["decided", "intent"]
    assert place.text("a.py") == "x = 1\n"


def test_a_tools_own_code_does_not_run_either_where_it_was_stopped_at_the_last_moment(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    real = halting.Halting.found

    def found(self: halting.Halting, effect: Any) -> Any:
        asked.append(effect)
        if len(asked) == 2:
            stopped("all")
        return real(self, effect)

    monkeypatch.setattr(halting.Halting, "found", found)
    with place.session():
        assert read(place) == "refused: stopped"
    assert asked == ["read", "read"]
    assert place.ran == []


async def test_what_is_awaited_is_stopped_at_the_last_moment_too(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    ran: list[str] = []
    real = halting.Halting.found

    def found(self: halting.Halting, effect: Any) -> Any:
        asked.append(effect)
        if len(asked) % 2 == 0:
            stopped("all")
        return real(self, effect)

    async def show(path: str) -> str:
        await asyncio.sleep(0)
        ran.append(path)
        return path

    show.__name__ = "read"
    table = place.table(read=show)
    monkeypatch.setattr(halting.Halting, "found", found)
    with place.session():
        result = await table.adispatch(call("read", path="a.py"))
        assert word(result) == "refused: stopped"
        result = await table.adispatch(call("edit", path="a.py", old="1", new="2"))
        assert word(result) == "refused: stopped"
    assert ran == []
    assert place.text("a.py") == "x = 1\n"


def test_a_call_that_waits_for_a_person_is_refused(tmp_path: Path) -> None:
    rule = {"id": "ask", "decide": "approve", "tools": ["edit"]}
    place = place_of(tmp_path, rules={"rules": [rule]})
    with place.session() as run:
        desk = place.project._guard.desk()
        desk.pause = Patience(place.clock, [lambda: stopped(run.run_id)])
        assert edit(place) == "refused: stopped"
    assert len(list(requests())) == 1
    assert place.text("a.py") == "x = 1\n"


# --- what counts as a stop ----------------------------------------------------------------------


@pytest.mark.parametrize("data", [b"", b"{}", b"\xff\xfe", b"stop"])
def test_a_garbled_stop_holds_for_every_run(place: Place, data: bytes) -> None:
    stops().put_bytes("stop", "0b" * 16, data)
    with place.session():
        assert read(place) == "refused: stopped"


def test_a_stop_that_this_machines_authority_did_not_sign_holds_for_every_run(place: Place) -> None:
    """Whoever changed its scope would otherwise have freed the run that it names."""
    stopped("another-run", by=BEN.signer)
    with place.session():
        assert edit(place) == "refused: stopped"


def test_a_stop_whose_scope_was_changed_holds_for_every_run(place: Place) -> None:
    with place.session() as run:
        stopped(run.run_id)
        (path,) = stops().folder.glob("*.stop.json")
        text = path.read_text()
        path.write_text(text.replace('"payload":"', '"payload":"e30', 1))
        assert read(place) == "refused: stopped"


def test_a_folder_that_cannot_be_read_is_a_stop_until_it_can(place: Place) -> None:
    with place.session():
        assert read(place) == "passed: read"
        folder = stops().folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o777)
        assert read(place) == "refused: stopped"
        folder.chmod(0o700)
        assert read(place) == "passed: read"
        (folder / "x.stop.json").mkdir()
        assert read(place) == "refused: stopped"
        (folder / "x.stop.json").rmdir()
        assert read(place) == "passed: read"


def test_a_stop_that_was_seen_holds_in_this_process_though_its_file_is_gone(place: Place) -> None:
    with place.session():
        stopped("all")
        assert read(place) == "refused: stopped"
        shutil.rmtree(stops().folder)
        assert read(place) == "refused: stopped"
    with place.project.session(place.folder.parent / "later.gw"):
        assert read(place) == "refused: stopped"


def test_another_project_of_the_process_has_seen_it_too(place: Place, tmp_path: Path) -> None:
    with place.session():
        stopped("all")
        assert read(place) == "refused: stopped"
    shutil.rmtree(stops().folder)
    other = Place(tmp_path / "other")
    other.write("a.py", "x = 1\n")
    with other.session():
        assert read(other) == "refused: stopped"


def test_a_process_that_begins_afterwards_has_not_seen_it(place: Place) -> None:
    """What docs/explanation/limits.md says: a stop is kept from nobody who may write the folder."""
    stopped("all")
    shutil.rmtree(stops().folder)
    with place.session():
        assert read(place) == "passed: read"


# --- who lifts it -------------------------------------------------------------------------------


def test_an_approver_lifts_a_stop(place: Place) -> None:
    with place.session():
        digest = stopped("all")
        assert read(place) == "refused: stopped"
        lifted(digest, ADA)
        assert read(place) == "passed: read"
        assert edit(place) == "executed"


def test_a_garbled_stop_is_lifted_by_its_digest(place: Place) -> None:
    digest = stops().put_bytes("stop", "0b" * 16, b"garbled")
    lifted(digest, ADA)
    with place.session():
        assert read(place) == "passed: read"


def test_a_lift_stays_though_its_file_is_gone_and_lifts_one_stop_only(place: Place) -> None:
    with place.session():
        digest = stopped("all")
        assert read(place) == "refused: stopped"
        lifted(digest, ADA)
        assert read(place) == "passed: read"
        for path in stops().folder.glob("*.lift.json"):
            path.unlink()
        assert read(place) == "passed: read"
        stopped("all")
        assert read(place) == "refused: stopped"


def test_a_lift_by_anybody_else_lifts_nothing(place: Place) -> None:
    """By one whom the policy does not name, by the authority itself, and by a lift of another stop."""
    with place.session():
        digest = stopped("all")
        assert read(place) == "refused: stopped"
        lifted(digest, BEN)
        lifted("sha256:" + "0" * 64, ADA)
        own = authority()
        impostor = type(ADA)("authority", 1)
        impostor.signer = own  # type: ignore[assignment] -- whose key lies open to this process
        lifted(digest, impostor)
        assert read(place) == "refused: stopped"


@pytest.mark.parametrize(
    "changes",
    [
        {"state": "revoked", "compromised_at": "2020-01-01T00:00:00.000000Z"},
        {"state": "retired", "retired_at": "2027-01-01T00:00:00.000000Z"},
        {"custody": "in-process"},
        {"purposes": ("recording",)},
        {"purposes": ("approval", "recording")},
    ],
)
def test_a_key_that_does_not_count_lifts_nothing(place: Place, changes: Any) -> None:
    enrol(ADA.key(**changes))
    with place.session():
        lifted(stopped("all"), ADA)
        assert read(place) == "refused: stopped"


def test_who_may_say_yes_only_in_staging_lifts_nothing(tmp_path: Path) -> None:
    place = place_of(tmp_path)
    only = Approver(name="ada", key=ADA.signer.key_id, environments=("staging",))
    place = Place(tmp_path / "staging", approvers=(only,))
    place.write("a.py", "x = 1\n")
    with place.session():
        lifted(stopped("all"), ADA)
        assert read(place) == "refused: stopped"


def test_a_lifter_who_comes_into_the_keyring_later_counts_from_then_on(tmp_path: Path) -> None:
    place = Place(tmp_path / "project", approvers=(ADA.approver,))
    place.write("a.py", "x = 1\n")
    with place.session():
        lifted(stopped("all"), ADA)
        assert read(place) == "refused: stopped"
        enrol(ADA.key())
        assert read(place) == "passed: read"


# --- plan ---------------------------------------------------------------------------------------


def test_a_run_that_plans_does_nothing_but_read_until_a_person_opens_it(tmp_path: Path) -> None:
    place = place_of(tmp_path, rules={"phase": "plan"})
    with place.session() as run:
        assert read(place) == "passed: read"
        result = place.table().dispatch(call("edit", path="a.py", old="1", new="2"))
        assert word(result) == "refused: plan-phase"
        assert f"groundwire plan open {run.run_id}" in result.message
        assert word(place.table().dispatch(call("send", to="x"))) == "refused: plan-phase"
        opened(run.run_id, ADA)
        assert edit(place) == "executed"
        for path in stops().folder.glob("*.opening.json"):
            path.unlink()
        assert (
            word(place.table().dispatch(call("edit", path="a.py", old="2", new="3"))) == "executed"
        )
    assert place.text("a.py") == "x = 3\n"


def test_a_session_may_plan_though_the_policy_acts_and_its_recording_says_so(place: Place) -> None:
    with place.project.session(place.folder.parent / "plan.gw", phase="plan") as run:
        assert edit(place) == "refused: plan-phase"
        assert run.policy.guard.phase == "plan"
    with place.session():
        assert edit(place) == "executed"


def test_a_session_does_not_act_where_the_policy_plans(tmp_path: Path) -> None:
    place = place_of(tmp_path, rules={"phase": "plan"})
    with place.project.session(place.folder.parent / "act.gw", phase="act"):
        assert edit(place) == "refused: plan-phase"


def test_a_phase_that_there_is_not_is_refused(place: Place) -> None:
    with pytest.raises(PolicyError) as caught:
        place.project.session(phase="planing")  # type: ignore[arg-type] -- what a user may write
    assert caught.value.reason == "unknown-choice"


def test_a_child_plans_where_its_parent_does_and_is_opened_with_it(place: Place) -> None:
    with place.project.session(place.folder.parent / "plan.gw", phase="plan") as run:
        with run.child("one") as child:
            assert edit(place) == "refused: plan-phase"
            opened(child.run_id, ADA)
            assert edit(place) == "executed"
        place.write("a.py", "x = 1\n")
        assert edit(place) == "refused: plan-phase"
        opened(run.run_id, ADA)
        with run.child("two"):
            assert edit(place) == "executed"


def test_a_run_that_plans_only_plans_under_observe_too(tmp_path: Path) -> None:
    place = place_of(tmp_path, rules={"phase": "plan", "profile": "observe/1"})
    with place.session():
        assert read(place) == "passed: read"
        assert edit(place) == "refused: plan-phase"


@pytest.mark.parametrize("person", [BEN, ADA])
def test_nobody_else_opens_a_plan_and_no_other_run_is_opened(tmp_path: Path, person: Any) -> None:
    place = place_of(tmp_path, rules={"phase": "plan"})
    with place.session() as run:
        opened(run.run_id if person is BEN else "another-run", person)
        assert edit(place) == "refused: plan-phase"


def test_a_run_that_is_opened_is_stopped_all_the_same(tmp_path: Path) -> None:
    place = place_of(tmp_path, rules={"phase": "plan"})
    with place.session() as run:
        opened(run.run_id, ADA)
        assert edit(place) == "executed"
        stopped("all")
        assert edit(place) == "refused: stopped"


# --- looking ------------------------------------------------------------------------------------


class Counting(StopFolder):
    """Counts how often the folder is read."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.reads = 0

    def papers(self) -> Any:
        self.reads += 1
        return super().papers()


def long_after() -> datetime:
    return datetime.now(UTC) + timedelta(hours=1)


def test_a_folder_that_did_not_change_is_not_read_again(tmp_path: Path) -> None:
    folder = Counting(tmp_path / "stops")
    watch = Watch(folder, long_after)
    assert watch.look() is watch.look()
    folder.put_bytes("stop", "0c" * 16, b"")
    seen = watch.look()
    reads = folder.reads
    assert [watch.look() for _ in range(9)] == [seen] * 9
    assert folder.reads == reads
    folder.put_bytes("stop", "0d" * 16, b"x")
    assert len(watch.look().stops) == 2


def test_a_folder_that_has_just_changed_is_read_at_each_look(tmp_path: Path) -> None:
    """Two changes within one tick of its clock leave one mark: the second must not be overlooked."""
    folder = Counting(tmp_path / "stops")
    folder.put_bytes("stop", "0c" * 16, b"")
    watch = Watch(folder, lambda: datetime.fromtimestamp(folder.folder.stat().st_ctime, UTC))
    first = watch.look()
    reads = folder.reads
    for _ in range(3):
        assert watch.look() is first
    assert folder.reads == reads + 3


def test_a_forked_child_keeps_what_its_parent_saw(tmp_path: Path) -> None:
    watch = halting.watch_of(tmp_path / "stops")
    watch.folder.put_bytes("stop", "0c" * 16, b"")
    assert len(watch.look().stops) == 1
    shutil.rmtree(watch.folder.folder)
    watch._lock.acquire()
    halting._forked()
    assert halting.watch_of(tmp_path / "stops") is watch
    assert len(watch.look().stops) == 1


def test_the_outcome_of_a_stopped_call_says_that_nothing_was_done(place: Place) -> None:
    with place.session():
        stopped("all")
        result = place.table().dispatch(call("edit", path="a.py", old="1", new="2"))
    assert isinstance(result.outcome, Refused)
    assert result.receipt is None
    assert result.proposal is None
