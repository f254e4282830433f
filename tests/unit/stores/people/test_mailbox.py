"""The mailbox keeps what was put there; strangers' files in it say nothing."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest

from groundwire.attest.people.approvals import APPROVALS, REQUESTS
from groundwire.documents.approval import Packet
from groundwire.errors import HostError
from groundwire.stores.people.mailbox import Mailbox
from groundwire.stores.people.uses import Uses
from groundwire.stores.writing.database import Database
from tests.approving import ADA
from tests.unit.attest.decisions import IDENTITY
from tests.unit.attest.people.test_approvals import REQUEST, YES

ONE, TWO = "a" * 32, "b" * 32
PACKET = Packet(
    agent="a", arguments="{}", changes=(), claim="", effect="write", environment="production",
    operation="tool_call", residuals=(), rules=("r",), run="run", subject="gw1:" + "0" * 64,
    tool="edit", witnesses=(), would_allow="",
)  # fmt: skip


def test_requests_answers_and_packets_are_found_again(tmp_path: Path) -> None:
    box = Mailbox(tmp_path / "box")
    assert box.requests() == () == box.standings() == box.revocations()
    assert box.packet(ONE) is None
    before = box.mark()
    box.post_request(ONE, REQUESTS.seal(REQUEST, IDENTITY), PACKET)
    assert box.mark() != before
    box.post_answer(ONE, ADA.signer.key_id, APPROVALS.seal(YES, ADA.signer))
    assert [letter.id for letter in box.requests()] == [ONE]
    assert box.packet(ONE) == PACKET
    assert box.request(TWO) is None
    assert len(box.answers(ONE)) == 1
    assert box.answers(TWO) == ()
    assert (tmp_path / "box").stat().st_mode & 0o777 == 0o700
    box.forget(ONE)
    assert box.requests() == ()


def test_what_strangers_put_there_is_passed_over(tmp_path: Path) -> None:
    box = Mailbox(tmp_path / "box")
    box.post_request(ONE, REQUESTS.seal(REQUEST, IDENTITY), PACKET)
    for name, data in {
        f"{TWO}.request.json": b"{}",
        "x.request.json": b"{}",
        f"{'c' * 32}.request.json": b"\xff" * 100,
        f"{'d' * 32}.request.json": b"[" * 100_000,
    }.items():
        path = tmp_path / "box" / name
        path.write_bytes(data)
        path.chmod(0o600)
    (tmp_path / "box" / f"{'e' * 32}.request.json").mkdir()
    (tmp_path / "box" / f"{'f' * 32}.request.json").symlink_to("/dev/zero")
    (tmp_path / "box" / f"{ONE}.packet.json").write_bytes(b"{}")
    assert [letter.id for letter in box.requests()] == [ONE]
    assert box.packet(ONE) is None


@pytest.mark.parametrize("identity", ["", "../x", "A" * 32, "a" * 33])
def test_a_name_that_is_no_id_makes_no_file(tmp_path: Path, identity: str) -> None:
    box = Mailbox(tmp_path / "box")
    with pytest.raises(HostError):
        box.post_request(identity, REQUESTS.seal(REQUEST, IDENTITY), PACKET)
    with pytest.raises(HostError):
        box.post_answer(ONE, "ada", APPROVALS.seal(YES, ADA.signer))
    assert not list((tmp_path / "box").glob("*.json"))


def take(uses: Uses, *approvals: str, most: int = 1) -> int | None:
    return uses.take(approvals, most, call="c", run="r", sequence=0, at="now")


def test_uses_are_counted_to_their_end_by_all_processes(tmp_path: Path) -> None:
    one, other = Uses(Database(tmp_path / "uses.sqlite")), Uses(Database(tmp_path / "uses.sqlite"))
    assert [take(one, "a", most=2), take(other, "a", most=2), take(one, "a", most=2)] == [
        1,
        2,
        None,
    ]
    assert other.taken("a") == 2
    assert other.taken("b") == 0
    one.close()
    assert take(one, "a", most=3) == 3


def test_approvals_that_are_used_together_are_used_up_together(tmp_path: Path) -> None:
    uses = Uses(Database(tmp_path / "uses.sqlite"))
    assert take(uses, "a", most=2) == 1
    assert take(uses, "a", "b", most=2) == 2
    assert take(uses, "a", "b", most=2) is None
    assert uses.taken("b") == 2  # as many as the other one, with which it is used
    assert take(uses, most=2) is None


def test_attack_uses_that_were_taken_away_are_remembered_here(tmp_path: Path) -> None:
    uses = Uses(Database(tmp_path / "uses.sqlite"))
    assert take(uses, "a") == 1
    with sqlite3.connect(tmp_path / "uses.sqlite") as connection:
        connection.execute("DELETE FROM uses")
    assert uses.taken("a") == 1
    assert take(uses, "a") is None


def test_threads_take_each_use_once(tmp_path: Path) -> None:
    uses = Uses(Database(tmp_path / "uses.sqlite"))
    taken: list[int | None] = []
    threads = [
        threading.Thread(target=lambda: taken.append(take(uses, "a", most=9))) for _ in range(30)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(each for each in taken if each) == list(range(1, 10))
    assert taken.count(None) == 21
