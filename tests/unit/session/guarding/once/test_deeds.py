"""What is to be done once: N06 whole, and what else two calls may be to one another."""

from __future__ import annotations

import asyncio
import contextvars
import subprocess
import sys
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

import groundwire as gw
from groundwire.authority.declarations import declare_tool
from groundwire.documents.declaration import Settling
from groundwire.documents.policy import ToolDeclaration
from groundwire.errors import GuardError
from groundwire.session.guarding.tallies import RunGuard
from tests.hands import verified
from tests.unit.session.guarding.calls import Place, call, state_folder, word

SETTLED = Settling(tool="get_payment", at="$.status", landed=("paid", 1), absent=("not_found",))
PAY = ToolDeclaration(
    name="pay_invoice",
    effect="external",
    operation="pay",
    volatile=("idempotency_key", "requested_at"),
    once_per=("invoice",),
    settled_by=SETTLED,
)
GET = ToolDeclaration(name="get_payment", effect="read")
ALLOW = {"rules": [{"id": "pay", "decide": "allow", "operations": ["pay"]}]}


class TimedOut(Exception):
    """The service did not answer."""


class Bank:
    """A service: what it did, what it says was done, and what it does next."""

    def __init__(self) -> None:
        self.paid: list[dict[str, Any]] = []
        self.fails = False
        self.says: object = {"status": "not_found"}

    def pay_invoice(self, **arguments: Any) -> str:
        self.paid.append(arguments)
        if self.fails:
            self.fails = False
            raise TimedOut
        return "paid"

    def get_payment(self, **arguments: Any) -> object:
        return self.says


@pytest.fixture
def bank() -> Bank:
    return Bank()


def place_of(tmp_path: Path, *, pay: ToolDeclaration = PAY, **rules: Any) -> Place:
    return Place(tmp_path / "project", declared=(pay, GET), rules={**ALLOW, **rules})


def table_of(place: Place, bank: Bank) -> gw.GuardedTable:
    def pay_invoice(**arguments: Any) -> str:
        return bank.pay_invoice(**arguments)

    def get_payment(**arguments: Any) -> object:
        return bank.get_payment(**arguments)

    return place.table(pay_invoice=pay_invoice, get_payment=get_payment)


def pay(invoice: object, number: str = "1", **more: Any) -> Any:
    given = {"invoice": invoice, "amount": 120, "idempotency_key": f"k-{number}", **more}
    return call("pay_invoice", f"c{number}", **given)


def timed_out(table: gw.GuardedTable, bank: Bank, asked: Any) -> None:
    bank.fails = True
    with pytest.raises(TimedOut):
        table.dispatch(asked)


# --- N06 ---------------------------------------------------------------------------------------

FIRST = pay("INV-7", "1", amount=120.0)


@pytest.mark.parametrize(
    ("variant", "then", "ends", "times"),
    [
        ("a: the key ignored, 120 is 120.00", pay("INV-7", "2"), "refused: once-unsettled", 1),
        ("b: another invoice", pay("INV-8", "2"), "executed", 2),
        ("e: case and white space make no other", pay("inv-7 ", "3"), "refused: once-unsettled", 1),
        ("nor what nobody sees", pay("I\u034fNV-7\ufe0f\0", "4"), "refused: once-unsettled", 1),
    ],
)
def test_after_an_unknown_outcome_the_same_deed_is_held(
    tmp_path: Path, bank: Bank, variant: str, then: Any, ends: str, times: int
) -> None:
    place = place_of(tmp_path)
    table = table_of(place, bank)
    with place.session() as run:
        first_at = place.clock.at
        timed_out(table, bank, FIRST)
        result = table.dispatch(then)
        assert word(result) == ends, variant
        assert len(bank.paid) == times
        if times == 1:
            assert run.run_id in result.message
            assert first_at.strftime("%Y-%m-%dT%H:%M") in result.message
            assert "INV" not in result.text
    assert verified(Path(run.path)) == ""


def test_a_deed_that_no_read_settles_is_for_a_person_who_is_told_its_digest(
    tmp_path: Path, bank: Bank
) -> None:
    """A model that is told to read again would go on reading for ever."""
    place = place_of(tmp_path, pay=msgspec.structs.replace(PAY, settled_by=None))
    table = table_of(place, bank)
    with place.session():
        timed_out(table, bank, FIRST)
        result = table.dispatch(pay("INV-7", "2"))
        assert word(result) == "refused: once-for-person"
        assert result.refusal is not None
        assert result.refusal.next == "ask-person"
        assert "groundwire guard once gw1:" in result.message
        assert "gw1:" not in result.text
        assert word(table.dispatch(pay("INV-7", "3"))) == "refused: once-for-person"


def test_a_deed_that_a_read_settles_names_the_read(tmp_path: Path, bank: Bank) -> None:
    place = place_of(tmp_path)
    table = table_of(place, bank)
    with place.session():
        timed_out(table, bank, FIRST)
        result = table.dispatch(pay("INV-7", "2"))
        assert result.refusal is not None
        assert (result.refusal.next, "get_payment" in result.message) == ("read-again", True)


def test_a_refused_first_call_keeps_nobody_from_the_deed(tmp_path: Path, bank: Bank) -> None:
    freeze = {"id": "night", "since": "2026-03-01T00:00:00Z", "until": "2026-03-01T13:00:00Z"}
    freeze = {key: _spelled(value) for key, value in freeze.items()}
    place = place_of(tmp_path, freezes=[freeze])
    table = table_of(place, bank)
    with place.session():
        assert word(table.dispatch(FIRST)) == "refused: decision-denied"
        place.clock.at += timedelta(hours=2)
        assert word(table.dispatch(pay("INV-7", "2"))) == "executed"
    assert len(bank.paid) == 1


def _spelled(moment: str) -> str:
    return moment.replace("Z", ".000000Z")


def test_a_declared_read_that_found_nothing_frees_the_deed(tmp_path: Path, bank: Bank) -> None:
    place = place_of(tmp_path)
    table = table_of(place, bank)
    with place.session() as run:
        timed_out(table, bank, FIRST)
        assert word(table.dispatch(call("get_payment", "r", invoice="INV-7"))) == "passed: read"
        assert word(table.dispatch(pay("INV-7", "1"))) == "executed"
        assert word(table.dispatch(pay("INV-7", "1"))) == "refused: already-done"
    assert [each["idempotency_key"] for each in bank.paid] == ["k-1", "k-1"]
    assert verified(Path(run.path)) == ""


# --- what a read says --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "asked", "ends"),
    [
        ({"status": "Not_Found "}, "inv-7", "executed"),
        ('{"status": "not_found"}', "INV-7", "executed"),
        ({"status": "paid"}, "INV-7", "refused: already-done"),
        ({"status": 1.0}, "INV-7", "refused: already-done"),
        ({"status": "pending"}, "INV-7", "refused: once-unsettled"),
        ({"status": True}, "INV-7", "refused: once-unsettled"),
        ({}, "INV-7", "refused: once-unsettled"),
        ("not_found", "INV-7", "refused: once-unsettled"),
        (object(), "INV-7", "refused: once-unsettled"),
        ({"status": "not_found"}, "INV-8", "refused: once-unsettled"),
        ({"status": "not_found"}, None, "refused: once-unsettled"),
    ],
)
def test_only_a_read_of_this_deed_that_says_so_settles_it(
    tmp_path: Path, bank: Bank, said: object, asked: str | None, ends: str
) -> None:
    place = place_of(tmp_path)
    table = table_of(place, bank)
    with place.session():
        timed_out(table, bank, FIRST)
        bank.says = said
        arguments = {} if asked is None else {"invoice": asked}
        assert word(table.dispatch(call("get_payment", "r", **arguments))) == "passed: read"
        assert word(table.dispatch(pay("INV-7", "1"))) == ends


def test_a_read_that_began_before_nobody_knew_says_nothing(tmp_path: Path, bank: Bank) -> None:
    place = place_of(tmp_path)

    def get_payment(**arguments: Any) -> object:
        # The bank has not heard of it yet; the payment is made and times out before this is shown.
        timed_out(table, bank, FIRST)
        return {"status": "not_found"}

    def pay_invoice(**arguments: Any) -> str:
        return bank.pay_invoice(**arguments)

    table = place.table(pay_invoice=pay_invoice, get_payment=get_payment)
    with place.session():
        assert word(table.dispatch(call("get_payment", "r", invoice="INV-7"))) == "passed: read"
        assert word(table.dispatch(pay("INV-7", "2"))) == "refused: once-unsettled"


@pytest.mark.parametrize("profile", ["enforce/1", "observe/1"])
def test_a_tool_that_is_not_declared_to_read_settles_nothing(
    tmp_path: Path, bank: Bank, profile: str
) -> None:
    writes = msgspec.structs.replace(GET, effect="external", operation="pay")
    place = Place(tmp_path / "project", declared=(PAY, writes), rules={**ALLOW, "profile": profile})
    table = table_of(place, bank)
    with place.session():
        timed_out(table, bank, FIRST)
        assert not table.dispatch(call("get_payment", "r", invoice="INV-7")).refused
        again = table.dispatch(pay("INV-7", "1"))
    reason = again.outcome.because if profile == "observe/1" else again.outcome.reason
    assert reason == "once-unsettled"


def test_a_try_after_a_settled_one_carries_the_same_key(tmp_path: Path, bank: Bank) -> None:
    place = place_of(tmp_path, pay=msgspec.structs.replace(PAY, once_key="idempotency_key"))
    table = table_of(place, bank)
    with place.session():
        timed_out(table, bank, FIRST)
        table.dispatch(call("get_payment", "r", invoice="INV-7"))
        assert word(table.dispatch(pay("INV-7", "2"))) == "refused: once-key-differs"
        without = call("pay_invoice", "c3", invoice="INV-7", amount=120)
        assert word(table.dispatch(without)) == "executed"
    assert [each["idempotency_key"] for each in bank.paid] == ["k-1", "k-1"]


def test_a_key_is_filled_in_and_is_the_same_for_each_try(tmp_path: Path, bank: Bank) -> None:
    place = place_of(tmp_path, pay=msgspec.structs.replace(PAY, once_key="idempotency_key"))
    keys: list[str] = []

    def pay_invoice(invoice: str, amount: int, idempotency_key: str) -> str:
        keys.append(idempotency_key)
        assert gw.idempotency_key() == idempotency_key
        return bank.pay_invoice(invoice=invoice)

    def get_payment(**arguments: Any) -> object:
        return bank.says

    table = place.table(pay_invoice=pay_invoice, get_payment=get_payment)
    asked = call("pay_invoice", "c1", invoice="INV-7", amount=120)
    with place.session():
        timed_out(table, bank, asked)
        table.dispatch(call("get_payment", "r", invoice="INV-7"))
        assert word(table.dispatch(asked)) == "executed"
        other = call("pay_invoice", "c2", invoice="INV-8", amount=120)
        assert word(table.dispatch(other)) == "executed"
        unfit = call("pay_invoice", "c3", invoice="INV-9")
        assert word(table.dispatch(unfit)) == "refused: arguments-do-not-fit"
    assert keys[0] == keys[1] != keys[2]
    assert keys[0].startswith("gw-")
    assert len(keys) == 3


def test_a_key_that_no_service_takes_is_refused(tmp_path: Path, bank: Bank) -> None:
    place = place_of(tmp_path, pay=msgspec.structs.replace(PAY, once_key="idempotency_key"))
    table = table_of(place, bank)
    with place.session():
        long = word(table.dispatch(pay("INV-7", idempotency_key="k" * 256)))
        assert long == "refused: arguments-do-not-fit"
        assert word(table.dispatch(pay("INV-7", idempotency_key="k" * 255))) == "executed"


def test_an_async_tool_is_given_the_key_too(tmp_path: Path) -> None:
    place = place_of(tmp_path, pay=msgspec.structs.replace(PAY, once_key="idempotency_key"))
    keys: list[str] = []

    async def pay_invoice(invoice: str, idempotency_key: str) -> str:
        keys.append(idempotency_key)
        assert gw.idempotency_key() == idempotency_key
        return "paid"

    table = place.table(pay_invoice=pay_invoice)

    async def both() -> list[str]:
        asked = call("pay_invoice", "c1", invoice="INV-7")
        return [word(await table.adispatch(asked)), word(await table.adispatch(asked))]

    with place.session():
        assert asyncio.run(both()) == ["executed", "refused: already-done"]
    assert len(keys) == 1


def test_no_key_is_given_where_nothing_is_done_once() -> None:
    with pytest.raises(GuardError) as refused:
        gw.idempotency_key()
    assert refused.value.reason == "no-idempotency-key"


# --- what is one deed --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (7, 7.0, True), (7, "7", True), (0.1, 0.10, True), ("a\u00a0", "\uff21", True), ("straße", "STRASSE", True),
        (["A", 1], ["a ", 1.0], True), ({"n": "A"}, {"n": "a"}, True), ("in\u200bv", "INV", True),
        (1, True, False), ("1.10", "1.1", False), (1.10, "1.10", False), ("INV 7", "INV-7", False),
        ({"n": 1}, {"N": 1}, False), (["a"], "a", False), (123456789012345678901, 123456789012345678902, False),
    ],
)  # fmt: skip
def test_values_are_one_key_where_they_mean_the_same(
    tmp_path: Path, bank: Bank, one: object, other: object, same: bool
) -> None:
    place = place_of(tmp_path)
    table = table_of(place, bank)
    with place.session():
        assert word(table.dispatch(pay(one, "1"))) == "executed"
        second = word(table.dispatch(pay(other, "2")))
    assert second == ("refused: already-done" if same else "executed")


@pytest.mark.parametrize("nothing", [None, "", "  ", [], {}, ...])
def test_a_call_that_does_not_say_which_deed_it_is_does_none(
    tmp_path: Path, bank: Bank, nothing: object
) -> None:
    place = place_of(tmp_path)
    table = table_of(place, bank)
    arguments = {"amount": 1} if nothing is ... else {"amount": 1, "invoice": nothing}
    with place.session():
        result = table.dispatch(call("pay_invoice", **arguments))
    assert word(result) == "refused: once-key-missing"
    assert bank.paid == []


def test_a_deed_in_another_folder_is_another_and_what_a_host_says_of_where_it_is_is_none(
    tmp_path: Path, bank: Bank
) -> None:
    words = []
    for folder, tags in (("one", {}), ("one", {"environment": "staging"}), ("two", {})):
        rules = {**ALLOW, "environments": [{"name": "staging", "pattern": "staging/**"}]}
        place = Place(tmp_path / folder, declared=(PAY, GET), rules=rules)
        table = table_of(place, bank)
        with place.project.session(tmp_path / f"{len(words)}.gw", tags=tags):
            words.append(word(table.dispatch(pay("INV-7", "1"))))
    assert words == ["executed", "refused: already-done", "executed"]


# --- runs, threads, processes, deaths ------------------------------------------------------------


def test_a_deed_of_an_earlier_run_is_not_done_again(tmp_path: Path, bank: Bank) -> None:
    for number, ends in enumerate(("executed", "refused: already-done")):
        place = place_of(tmp_path)
        table = table_of(place, bank)
        with place.project.session(tmp_path / f"{number}.gw"):
            assert word(table.dispatch(pay("INV-7"))) == ends
    assert len(bank.paid) == 1


def test_of_fifty_threads_one_does_the_deed(tmp_path: Path, bank: Bank) -> None:
    place = place_of(tmp_path)
    table = table_of(place, bank)
    begin = threading.Barrier(50)
    words: list[str] = []

    def asks(number: int) -> None:
        begin.wait()
        words.append(word(table.dispatch(pay("INV-7", str(number)))))

    with place.session() as run:
        in_run = contextvars.copy_context()
        threads = [
            threading.Thread(target=in_run.copy().run, args=(asks, each)) for each in range(50)
        ]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    assert len(bank.paid) == 1
    assert words.count("executed") == 1
    others = {"refused: already-done", "refused: once-running", "refused: grants-busy"}
    assert set(words) <= {"executed", *others}
    assert verified(Path(run.path)) == ""


PROCESS = """
import os, sys
from pathlib import Path
from tests.unit.session.guarding.calls import word
from tests.unit.session.guarding.once.test_deeds import Bank, pay, place_of, table_of

class Counting(Bank):
    def pay_invoice(self, **arguments):
        if sys.argv[2] == "dies":
            os._exit(9)
        with open(sys.argv[3], "a") as paid:
            paid.write("paid\\n")
        return "paid"

place = place_of(Path(sys.argv[1]))
table = table_of(place, Counting())
with place.project.session(Path(sys.argv[1]) / f"{os.getpid()}.gw"):
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(5):
        print(word(table.dispatch(pay("INV-7", str(number)))), flush=True)
"""


def process(tmp_path: Path, how: str = "pays") -> subprocess.Popen[str]:
    began = subprocess.Popen(
        [sys.executable, "-c", PROCESS, str(tmp_path), how, str(tmp_path / "paid")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert began.stdout is not None
    assert began.stdout.readline() == "ready\n"
    return began


def test_of_four_processes_one_does_the_deed(tmp_path: Path) -> None:
    began = [process(tmp_path) for _ in range(4)]
    words = []
    for each in began:
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()
    for each in began:
        words += each.communicate(timeout=120)[0].split("\n")[:-1]
    assert (tmp_path / "paid").read_text() == "paid\n"
    assert words.count("executed") == 1
    assert len(words) == 20
    assert set(words) <= {"executed", "refused: already-done", "refused: once-running"}


def test_a_deed_whose_process_died_is_held(tmp_path: Path, bank: Bank) -> None:
    died = process(tmp_path, "dies")
    died.communicate("go\n", timeout=120)
    assert died.returncode == 9
    place = place_of(tmp_path)
    table = table_of(place, bank)
    with place.session():
        assert word(table.dispatch(pay("inv-7"))) == "refused: once-unsettled"
        bank.says = {"status": "paid"}
        table.dispatch(call("get_payment", "r", invoice="INV-7"))
        assert word(table.dispatch(pay("INV-7"))) == "refused: already-done"
    assert bank.paid == []


def test_while_a_cancelled_tool_goes_on_no_read_frees_its_deed(tmp_path: Path, bank: Bank) -> None:
    place = place_of(tmp_path)
    begun, go_on = threading.Event(), threading.Event()

    def pay_invoice(**arguments: Any) -> str:
        begun.set()
        assert go_on.wait(20)
        return bank.pay_invoice(**arguments)

    def get_payment(**arguments: Any) -> object:
        return bank.says

    table = place.table(pay_invoice=pay_invoice, get_payment=get_payment)
    words: list[str] = []

    async def story() -> None:
        first = asyncio.ensure_future(table.adispatch(pay("INV-7", "1")))
        await asyncio.to_thread(begun.wait, 20)
        first.cancel()
        await asyncio.sleep(0)
        await table.adispatch(call("get_payment", "r", invoice="INV-7"))
        words.append(word(await table.adispatch(pay("INV-7", "2"))))
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await first
        words.append(word(await table.adispatch(pay("INV-7", "3"))))

    with place.session() as run:
        asyncio.run(story())
    assert words[0] == "refused: once-running"
    assert words[1] in ("refused: already-done", "refused: once-unsettled")
    assert len(bank.paid) == 1
    assert verified(Path(run.path)) == ""


def test_a_call_that_is_interrupted_before_its_outcome_is_recorded_is_unsettled(
    tmp_path: Path, bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = place_of(tmp_path)
    table = table_of(place, bank)

    class Interrupted(BaseException):
        pass

    def interrupted(*_: object, **__: object) -> None:
        raise Interrupted

    with place.session():
        table.dispatch(pay("INV-8"))
        with monkeypatch.context() as broken:
            broken.setattr(RunGuard, "count", interrupted)
            with pytest.raises(Interrupted):
                table.dispatch(pay("INV-7"))
        assert word(table.dispatch(pay("INV-7", "2"))) == "refused: once-unsettled"
    assert len(bank.paid) == 2


# --- profiles, and what groundwire writes itself ---------------------------------------------------


def test_a_profile_that_observes_only_reports(tmp_path: Path, bank: Bank) -> None:
    place = place_of(tmp_path, profile="observe/1")
    table = table_of(place, bank)
    with place.session() as run:
        first, second = (table.dispatch(pay("INV-7", number)) for number in "12")
    assert [word(first), word(second)] == ["passed: observe", "passed: observe"]
    assert first.outcome.because == ""
    assert (second.outcome.because, second.outcome.would) == ("already-done", "deny")
    assert len(bank.paid) == 2
    assert verified(Path(run.path)) == ""


def test_under_observe_a_tool_still_gets_the_key_of_its_deed(tmp_path: Path) -> None:
    place = place_of(tmp_path, profile="observe/1")
    keys: list[str] = []

    def pay_invoice(**arguments: Any) -> str:
        keys.append(gw.idempotency_key())
        return "paid"

    table = place.table(pay_invoice=pay_invoice)
    with place.session():
        for invoice in ("INV-7", "inv-7", "INV-8", ""):
            table.dispatch(pay(invoice))
    assert keys[0] == keys[1]
    assert len(set(keys)) == 3


def test_what_was_observed_to_be_done_is_not_done_again_under_enforcement(
    tmp_path: Path, bank: Bank
) -> None:
    for profile, ends in (("observe/1", "passed: observe"), ("enforce/1", "refused: already-done")):
        place = place_of(tmp_path, profile=profile)
        table = table_of(place, bank)
        with place.project.session(tmp_path / f"{profile[:3]}.gw"):
            assert word(table.dispatch(pay("INV-7"))) == ends


def test_a_file_that_groundwire_writes_is_made_once(tmp_path: Path) -> None:
    make = declare_tool(
        "make", {"effect": "write", "target": {"files": "whole"}, "once_per": ["path"]}
    )
    place = Place(tmp_path / "project", declared=(make,))
    table = place.table()
    with place.session():
        assert word(table.dispatch(call("make", path="a.txt", content="1"))) == "executed"
        again = table.dispatch(call("make", path="A.txt", content="2"))
    assert word(again) == "refused: already-done"
    assert (place.text("a.txt"), place.text("A.txt")) == ("1", None)


# --- the store -------------------------------------------------------------------------------------


def test_values_of_a_key_stand_in_no_file_of_the_state(tmp_path: Path, bank: Bank) -> None:
    place = place_of(tmp_path)
    table = table_of(place, bank)
    with place.session():
        table.dispatch(pay("SECRET-4711"))
    found = [each for each in state_folder().rglob("*") if each.is_file()]
    assert found
    for each in found:
        assert b"secret-4711" not in each.read_bytes().lower()  # digits alone come by chance
