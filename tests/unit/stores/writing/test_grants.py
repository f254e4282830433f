from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from groundwire.canon.digest import sha256, tagged
from groundwire.documents.grant import Grant
from groundwire.documents.target import Absent, Plan, Step
from groundwire.errors import GroundwireError
from groundwire.keys.times import format_time
from groundwire.stores.writing.grants import Grants

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
KEY = "ed25519:" + "0" * 64
RECEIPT = sha256(b"receipt")
OWNER = "a" * 32


def grant(number: int = 0, issued: datetime = NOW, minutes: int = 15) -> Grant:
    return Grant(
        authority=KEY, call=tagged("call", b""), changes=(), executor=KEY, expected=(),
        expires=format_time(issued + timedelta(minutes=minutes)), id=f"{number:032x}",
        issued=format_time(issued), receipt=RECEIPT,
    )  # fmt: skip


def plan(number: int = 0) -> Plan:
    step = Step(
        path="a.py", kind="created", state=Absent(), after=sha256(b"a"),
        held=f".gw-{number:032x}-0",
    )  # fmt: skip
    return Plan(write=f"{number:032x}", root="/project", steps=(step,))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "grants.sqlite"


@pytest.fixture
def grants(path: Path) -> Grants:
    return Grants(path, OWNER)


def reason(act: Any) -> str:
    with pytest.raises(GroundwireError) as raised:
        act()
    return raised.value.reason


def test_attack_a_grant_is_not_used_twice(grants: Grants) -> None:
    grants.consume(grant(), NOW, None, "run", 0)
    assert reason(lambda: grants.consume(grant(), NOW, None, "run", 1)) == "grant-used"


def test_attack_another_process_does_not_use_the_grant_again(grants: Grants, path: Path) -> None:
    grants.consume(grant(), NOW, None, "run", 0)
    other = Grants(path, "b" * 32)
    assert reason(lambda: other.consume(grant(), NOW, None, "run", 1)) == "grant-used"


def test_attack_of_many_threads_one_uses_the_grant(path: Path) -> None:
    stores = [Grants(path, OWNER) for _ in range(4)]
    used: list[int] = []
    refused: list[str] = []
    start = threading.Barrier(16, timeout=60)

    def use(number: int) -> None:
        start.wait()
        try:
            stores[number % 4].consume(grant(), NOW, None, "run", number)
            used.append(number)
        except GroundwireError as error:
            refused.append(error.reason)

    threads = [threading.Thread(target=use, args=(number,)) for number in range(16)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(60)
    assert len(used) == 1
    assert refused == ["grant-used"] * 15


TWO_PROCESSES = """
import sys
from pathlib import Path
from tests.unit.stores.writing.test_grants import NOW, Grants, grant
from groundwire.errors import GroundwireError
store, used = Grants(Path(sys.argv[1]), "c" * 32), 0
for number in range(200):
    try:
        store.consume(grant(number), NOW, None, "run", number)
        used += 1
    except GroundwireError as error:
        assert error.reason == "grant-used", error
print(used)
"""


def test_attack_of_two_processes_that_use_the_same_grants_each_grant_serves_one(path: Path) -> None:
    started = [
        subprocess.Popen(
            [sys.executable, "-c", TWO_PROCESSES, str(path)], stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    used = [int(each.communicate(timeout=120)[0]) for each in started]
    assert [each.returncode for each in started] == [0, 0]
    assert sum(used) == 200


def test_attack_an_expired_grant_is_not_used(grants: Grants) -> None:
    late = NOW + timedelta(minutes=15)
    assert reason(lambda: grants.consume(grant(), late, None, "run", 0)) == "grant-expired"


def test_attack_a_clock_set_back_makes_no_expired_grant_good(grants: Grants, path: Path) -> None:
    grants.consume(grant(1, NOW + timedelta(hours=1)), NOW + timedelta(hours=1), None, "run", 0)
    again = Grants(path, OWNER)
    assert reason(lambda: again.consume(grant(), NOW, None, "run", 1)) == "clock-went-back"


def test_attack_a_clock_set_back_makes_no_used_grant_good(path: Path) -> None:
    grants = Grants(path, OWNER)
    grants.consume(grant(), NOW, None, "run", 0)
    later = NOW + timedelta(days=2)
    for number in range(1, 300):  # used grants whose time is over are forgotten meanwhile
        grants.consume(grant(number, later), later, None, "run", number)
    count = sqlite3.connect(path).execute("SELECT count(*) FROM grants").fetchone()[0]
    assert count == 299
    assert reason(lambda: grants.consume(grant(), NOW, None, "run", 0)) == "clock-went-back"


def test_a_clock_set_back_a_little_holds_nobody_up(grants: Grants) -> None:
    grants.consume(grant(1, NOW + timedelta(minutes=5)), NOW + timedelta(minutes=5), None, "r", 0)
    grants.consume(grant(2), NOW, None, "run", 1)


def test_attack_a_clock_set_back_by_small_steps_makes_no_expired_grant_good(
    grants: Grants,
) -> None:
    for number, minutes in ((1, 60), (2, 50)):
        at = NOW + timedelta(minutes=minutes)
        grants.consume(grant(number, at), at, None, "run", number)
    at = NOW + timedelta(minutes=44)
    assert reason(lambda: grants.consume(grant(3, at), at, None, "run", 3)) == "clock-went-back"


def test_a_person_may_say_that_the_clock_was_wrong_before(grants: Grants) -> None:
    future = NOW + timedelta(days=400)
    grants.consume(grant(1, future), future, None, "run", 0)
    assert reason(lambda: grants.consume(grant(2), NOW, None, "r", 1)) == "clock-went-back"
    grants.accept_clock(NOW)
    grants.consume(grant(2), NOW, None, "run", 1)
    assert reason(lambda: grants.consume(grant(1, future), NOW, None, "r", 1)) == "grant-used"


def test_the_plan_is_kept_with_the_grant_and_found_by_its_receipt(
    grants: Grants, path: Path
) -> None:
    grants.consume(grant(), NOW, plan(), "run-1", 7)
    (write,) = Grants(path, "b" * 32).under(RECEIPT)
    assert (write.plan, write.state, write.run, write.sequence) == (plan(), "planned", "run-1", 7)
    assert write.owner == OWNER


def test_a_grant_that_is_refused_leaves_no_plan(grants: Grants) -> None:
    grants.consume(grant(), NOW, plan(), "run", 0)
    assert reason(lambda: grants.consume(grant(), NOW, plan(1), "run", 1)) == "grant-used"
    assert len(grants.unsettled()) == 1


@pytest.mark.parametrize("state", ["landed", "not-landed"])
def test_a_write_of_which_it_is_known_is_settled(grants: Grants, state: Any) -> None:
    grants.consume(grant(), NOW, plan(), "run", 0)
    grants.settle(grant().id, state)
    assert grants.unsettled() == ()
    assert grants.under(RECEIPT)[0].state == state


def test_a_write_of_which_nobody_knows_is_not_settled_and_not_pruned(grants: Grants) -> None:
    grants.consume(grant(), NOW, plan(), "run", 0)
    grants.settle(grant().id, "unknown")
    later = NOW + timedelta(days=90)
    for number in range(1, 300):
        grants.consume(grant(number, later), later, None, "run", number)
    assert [write.state for write in grants.unsettled()] == ["unknown"]


def test_plans_of_settled_writes_go_after_their_time(grants: Grants) -> None:
    grants.consume(grant(), NOW, plan(), "run", 0)
    grants.settle(grant().id, "landed")
    later = NOW + timedelta(days=31)
    for number in range(1, 300):
        grants.consume(grant(number, later), later, None, "run", number)
    assert grants.under(RECEIPT) == ()


@pytest.mark.parametrize(
    "garbage", [b"", b"not a database at all, whatever it is" * 40, b"SQLite format 3\0"]
)
def test_attack_a_garbled_or_emptied_database_is_refused_and_left_as_it_is(
    path: Path, garbage: bytes
) -> None:
    path.parent.mkdir()
    path.write_bytes(garbage)
    path.chmod(0o600)
    store = Grants(path, OWNER)
    assert reason(lambda: store.consume(grant(), NOW, None, "run", 0)) == "grants-damaged"
    assert path.read_bytes() == garbage


def test_attack_a_database_of_another_program_is_refused(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE grants (id TEXT PRIMARY KEY, expires TEXT)")
    path.chmod(0o600)
    store = Grants(path, OWNER)
    assert reason(lambda: store.consume(grant(), NOW, None, "run", 0)) == "grants-damaged"


def test_attack_a_database_put_in_the_place_of_the_open_one_is_not_used(
    grants: Grants, path: Path
) -> None:
    grants.consume(grant(), NOW, None, "run", 0)
    path.rename(path.with_suffix(".old"))
    assert reason(lambda: grants.consume(grant(), NOW, None, "run", 1)) == "grants-moved"


@pytest.mark.skipif(os.name == "nt", reason="mode bits are POSIX")
def test_attack_a_database_open_to_others_is_refused(grants: Grants, path: Path) -> None:
    grants.consume(grant(), NOW, None, "run", 0)
    path.chmod(0o666)
    assert reason(lambda: Grants(path, OWNER).unsettled()) == "grants-unsafe"


def test_attack_a_link_in_the_place_of_the_database_is_not_followed(
    path: Path, tmp_path: Path
) -> None:
    path.parent.mkdir()
    path.symlink_to(tmp_path / "elsewhere")
    store = Grants(path, OWNER)
    assert reason(lambda: store.consume(grant(), NOW, None, "run", 0)) == "grants-unwritable"
    assert not (tmp_path / "elsewhere").exists()


def test_a_forked_child_has_a_connection_of_its_own(grants: Grants, path: Path) -> None:
    grants.consume(grant(), NOW, None, "run", 0)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            grants.consume(grant(1), NOW, None, "run", 1)
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert reason(lambda: grants.consume(grant(1), NOW, None, "run", 2)) == "grant-used"


def test_a_plan_that_cannot_be_read_is_not_passed_over(grants: Grants, path: Path) -> None:
    grants.consume(grant(), NOW, plan(), "run", 0)
    grants.close()
    with sqlite3.connect(path) as other:
        other.execute("UPDATE writes SET plan = '{}'")
    assert reason(grants.unsettled) == "grants-damaged"


def test_a_write_is_settled_while_another_waits_for_the_medium_and_nobody_waits(
    grants: Grants, path: Path
) -> None:
    grants.consume(grant(1), NOW, plan(1), "run", 1)
    with grants._turn:  # as whoever consumes has it
        grants.settle(grant(1).id, "landed")
        assert [each.state for each in Grants(path, OWNER).under(RECEIPT)] == ["planned"]
    grants.consume(grant(2), NOW, plan(2), "run", 2)
    states = [each.state for each in Grants(path, OWNER).under(RECEIPT)]
    assert states == ["landed", "planned"]


def test_who_asks_here_sees_what_is_still_to_be_kept(grants: Grants) -> None:
    grants.consume(grant(1), NOW, plan(1), "run", 1)
    with grants._turn:
        grants.settle(grant(1).id, "not-landed")
    assert [each.state for each in grants.under(RECEIPT)] == ["not-landed"]


def test_what_was_settled_at_the_last_moment_of_anothers_turn_is_kept_after_it(
    grants: Grants, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grants.consume(grant(1), NOW, plan(1), "run", 1)
    serve = grants._serve_queued

    def serves_and_is_told() -> None:
        monkeypatch.setattr(grants, "_serve_queued", serve)
        serve()
        grants.settle(grant(1).id, "landed")  # the turn is still taken

    monkeypatch.setattr(grants, "_serve_queued", serves_and_is_told)
    grants.consume(grant(2), NOW, plan(2), "run", 2)
    states = [each.state for each in Grants(path, OWNER).under(RECEIPT)]
    assert states == ["landed", "planned"]


def test_that_a_write_could_not_be_settled_is_said(grants: Grants, path: Path) -> None:
    grants.consume(grant(1), NOW, plan(1), "run", 1)
    path.rename(path.with_name("elsewhere"))
    assert reason(lambda: grants.settle(grant(1).id, "landed")) == "grants-moved"


def test_a_consumed_grant_is_waited_for_on_the_medium_and_a_settled_write_is_not(
    grants: Grants, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    real = Grants._consume

    def consumes(self: Grants, connection: sqlite3.Connection, asked: Any) -> Any:
        seen.append(connection.execute("PRAGMA synchronous").fetchone()[0])
        return real(self, connection, asked)

    monkeypatch.setattr(Grants, "_consume", consumes)
    grants.settle(grant().id, "landed")
    for number in range(3):
        grants.consume(grant(number), NOW, plan(number), "run", number)
        grants.settle(grant(number).id, "landed")
    assert seen == [2, 2, 2]
