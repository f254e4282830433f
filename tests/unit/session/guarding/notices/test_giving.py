"""Notice of a call that a rule warns of: before its effect, to all, or the call is refused."""

from __future__ import annotations

import asyncio
import contextvars
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from groundwire.audit.guarding.calls import guarded_calls
from groundwire.audit.guarding.words import call_line
from groundwire.documents.canonical import decode, encode
from groundwire.documents.event import Guarded
from groundwire.documents.notice import Notice, NoticeDeclaration, Notified
from groundwire.documents.outcome import Executed, Passed, Refused
from groundwire.errors import GuardError, HostError
from groundwire.session.guarding.notices import sinks
from groundwire.session.guarding.notices.giving import notice_of
from groundwire.session.run import Run
from tests.driving import replayed
from tests.hands import verified
from tests.unit.attest.decisions import permit
from tests.unit.session.guarding.calls import Place, call, word
from tests.unit.stores.posting.sinks import SECRET, Answer, sink_server
from tests.unit.stores.posting.test_notices import acknowledging

WARNED = call("edit", path="a.py", old="1", new="2")
RULE = {"id": "careful", "decide": "warn", "paths": ["**"]}


def place_at(tmp_path: Path, *urls: str, **rules: Any) -> Place:
    os.environ["NOTICE_SECRET"] = SECRET  # every test runs in an environment of its own
    notices = tuple(NoticeDeclaration(url=url, secret_from="NOTICE_SECRET") for url in urls)
    place = Place(tmp_path / "project", rules={"rules": [RULE], **rules}, notices=notices)
    place.write("a.py", "x = 1\n")
    return place


def guarded(run: Any) -> list[Guarded]:
    return [event for event in replayed(run.path) if isinstance(event, Guarded)]


def notice_in(run: Any) -> Notified:
    (text,) = [each.document for each in guarded(run) if each.state == "noticed"]
    return decode((text or "").encode(), Notified)


def holds(run: Any) -> bool:
    return verified(run.path) == ""


def came(notified: Notified | None) -> list[tuple[str, str, str]]:
    assert notified is not None
    return [(each.sink, each.state, each.error) for each in notified.deliveries]


def test_the_recording_alone_is_given_notice_where_nobody_else_is_named(tmp_path: Path) -> None:
    place = place_at(tmp_path)
    table = place.table()
    with place.session() as run:
        result = table.dispatch(WARNED)
    assert isinstance(result.outcome, Executed)
    assert [each.state for each in guarded(run)] == [
        "decided", "noticed", "intent", "outcome", "attested",
    ]  # fmt: skip
    notified = notice_in(run)
    assert notified == result.notified
    assert came(notified) == [("recording", "acknowledged", "")]
    notice = notified.notice
    assert (notice.decision, notice.rules, notice.sequence) == ("warn", ("careful",), 0)
    assert (notice.receipt, notice.run) == (result.outcome.receipt, run.run_id)
    assert holds(run)
    (read,) = guarded_calls(guarded(run))
    assert read.notice == "acknowledged"
    assert "notice acknowledged" in call_line(read)
    assert repr(result).endswith("executed, notice acknowledged>")


def test_a_notice_holds_nothing_of_the_call_but_digests(tmp_path: Path) -> None:
    place = place_at(tmp_path)
    table = place.table()
    asked = call("edit", path="a.py", old="x = 1", new="password = 'hunter2'")
    with place.session():
        result = table.dispatch(asked)
    assert result.notified is not None
    text = encode(result.notified).decode()
    assert not [each for each in ("a.py", "hunter2", "x = 1", "edit") if each in text]


def test_of_what_a_rule_allows_or_denies_no_notice_is_given(tmp_path: Path) -> None:
    for decided in ("allow", "deny"):
        place = place_at(tmp_path, rules=[{**RULE, "decide": decided}])
        table = place.table()
        heard: list[object] = []
        with place.session() as run:
            run.on("notice", heard.append)
            result = table.dispatch(WARNED)
            table.dispatch(call("read", path="a.py"))
        assert (heard, result.notified) == ([], None)
        assert "noticed" not in [each.state for each in guarded(run)]


def test_the_notice_goes_out_before_the_effect_and_is_durable_before_the_intent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    make_durable, say = Run._make_durable, Run.record_guarded

    def durable(run: Run, *, covered: bool = False) -> None:
        make_durable(run, covered=covered)
        order.append("durable")

    def recorded(run: Run, said: Guarded, *, durable: bool) -> None:
        order.append(said.state)
        say(run, said, durable=durable)

    monkeypatch.setattr(Run, "_make_durable", durable)
    monkeypatch.setattr(Run, "record_guarded", recorded)
    place = place_at(tmp_path)
    table = place.table()
    with place.session() as run:
        run.on("notice", lambda _: order.append(f"told while {place.text('a.py')!r} stands"))
        assert word(table.dispatch(WARNED)) == "executed"
    order = order[order.index("decided") :]
    assert order[:5] == [
        "decided", "told while 'x = 1\\n' stands", "noticed", "durable", "intent",
    ]  # fmt: skip


def test_a_callback_acknowledges_takes_or_fails_and_one_failure_refuses(tmp_path: Path) -> None:
    def failing(_: object) -> None:
        raise ValueError("hunter2")

    for callbacks, states in (
        ([lambda _: "seen"], ["acknowledged"]),
        ([lambda _: None], ["sent"]),
        ([lambda _: "seen", failing], ["acknowledged", "failed"]),
        ([lambda _: True], ["failed"]),
    ):
        place = place_at(tmp_path)
        table = place.table()
        with place.session() as run:
            for each in callbacks:
                run.on("notice", each)
            result = table.dispatch(WARNED)
        assert result.notified is not None
        assert [each.state for each in result.notified.deliveries[1:]] == states
        assert result.notified == notice_in(run)
        if "failed" in states:
            assert word(result) == "refused: notice-failed"
            assert place.text("a.py") == "x = 1\n"
            assert isinstance(result.outcome, Refused)
            assert result.outcome.rules == ("careful",)
            assert f"callback-{len(states)} (" in result.message
            assert "hunter2" not in result.message + result.text
            assert [each.state for each in guarded(run)] == ["decided", "noticed", "outcome"]
        else:
            assert word(result) == "executed"
        assert holds(run)


def test_a_callback_that_hangs_refuses_the_call_and_its_late_yes_does_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sinks.CallbackSink.__init__, "__defaults__", (0.05,))
    held = threading.Event()
    place = place_at(tmp_path)
    table = place.table()
    with place.session() as run:
        run.on("notice", lambda _: held.wait(60) and "seen")
        result = table.dispatch(WARNED)
        held.set()
    assert word(result) == "refused: notice-failed"
    assert "callback-1 (timeout)" in result.message
    assert place.text("a.py") == "x = 1\n"


def test_a_posted_notice_and_its_acknowledgement_stand_in_the_recording(tmp_path: Path) -> None:
    with sink_server(acknowledging) as server:
        place = place_at(tmp_path, server.url)
        table = place.table()
        with place.session() as run:
            result = table.dispatch(WARNED)
        (got,) = server.got
    assert word(result) == "executed"
    assert came(result.notified) == [
        ("recording", "acknowledged", ""),
        (server.origin, "acknowledged", ""),
    ]
    assert got.document["notice"]["run"] == run.run_id
    assert run.path is not None
    assert SECRET.encode() not in run.path.read_bytes()


@pytest.mark.parametrize(
    ("answer", "error"), [(Answer(503), "status"), (Answer(301), "status"), (None, "unreachable")]
)
@pytest.mark.parametrize("profile", ["enforce/1", "strict/1"])
def test_a_server_that_does_not_take_it_refuses_whatever_the_others_made_of_it(
    tmp_path: Path, answer: Answer | None, error: str, profile: str
) -> None:
    with sink_server(acknowledging) as good, sink_server(answer or Answer()) as bad:
        url = bad.url if answer else "http://127.0.0.1:1/"
        where = [{"name": "here", "pattern": "**"}]
        place = place_at(tmp_path, good.url, url, profile=profile, environments=where)
        table = place.table()
        with place.session():
            result = table.dispatch(WARNED)
    assert word(result) == "refused: notice-failed"
    assert [each[1] for each in came(result.notified)] == ["acknowledged", "acknowledged", "failed"]
    assert came(result.notified)[2][2] == error
    assert place.text("a.py") == "x = 1\n"
    assert result.refusal is not None
    assert result.refusal.next == "ask-person"
    assert "127.0.0.1" not in result.text


def test_without_its_secret_a_server_is_told_nothing_and_the_call_refused(tmp_path: Path) -> None:
    with sink_server(acknowledging) as server:
        place = place_at(tmp_path, server.url)
        del os.environ["NOTICE_SECRET"]
        table = place.table()
        with place.session():
            result = table.dispatch(WARNED)
        assert server.got == []
    assert word(result) == "refused: notice-failed"
    assert "no-secret" in result.message


def test_under_observation_the_call_runs_and_its_outcome_says_that_notice_failed(
    tmp_path: Path,
) -> None:
    with sink_server(Answer(500)) as server:
        place = place_at(tmp_path, server.url, profile="observe/1")
        table = place.table()
        with place.session() as run:
            result = table.dispatch(WARNED)
    assert isinstance(result.outcome, Passed)
    assert result.outcome.would == "warn"
    assert [name for name, _ in place.ran] == ["edit"]
    assert result.notified is not None
    assert result.notified.state == "failed"
    assert notice_in(run) == result.notified
    assert [each.state for each in guarded(run)] == ["decided", "noticed", "outcome"]
    (read,) = guarded_calls(guarded(run))
    assert (read.outcome, read.notice) == ("passed", "failed")
    assert "notice failed" in call_line(read)
    assert repr(result).endswith("notice failed>")
    assert holds(run)


def test_a_notice_that_cannot_be_recorded_refuses_the_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    say = Run.record_guarded

    def failing(run: Run, said: Guarded, *, durable: bool) -> None:
        if said.state == "noticed":
            raise HostError("guard-not-recorded", "the disk is full")
        say(run, said, durable=durable)

    monkeypatch.setattr(Run, "record_guarded", failing)
    place = place_at(tmp_path)
    table = place.table()
    with place.session():
        result = table.dispatch(WARNED)
    assert word(result) == "refused: notice-failed"
    assert came(result.notified) == [("recording", "failed", "not-recorded")]
    assert place.text("a.py") == "x = 1\n"


def test_a_file_that_moved_while_notice_was_given_is_not_written(tmp_path: Path) -> None:
    place = place_at(tmp_path)
    table = place.table()

    def another_hand(_: object) -> None:
        place.write("a.py", "another hand\n")

    with place.session() as run:
        run.on("notice", another_hand)
        result = table.dispatch(call("own", path="a.py", old="1", new="2"))
    assert word(result) == "refused: state-drifted"
    assert place.text("a.py") == "another hand\n"
    assert place.ran == []


def test_a_child_run_gives_notice_to_whoever_hears_of_its_parents(tmp_path: Path) -> None:
    place = place_at(tmp_path)
    table = place.table()
    heard: list[Notice] = []

    def failing(notice: Any) -> None:
        heard.append(notice)
        raise ValueError

    with place.session() as run:
        with run.child("helper") as child:
            run.on("notice", failing)  # later than the child began
            child.on("notice", lambda _: "seen")
            result = table.dispatch(WARNED)
        assert [each.run for each in heard] == [child.run_id]
    assert word(result) == "refused: notice-failed"
    assert [each[1] for each in came(result.notified)] == ["acknowledged", "failed", "acknowledged"]


async def test_while_a_sink_takes_its_time_the_event_loop_goes_on(tmp_path: Path) -> None:
    place = place_at(tmp_path)
    table = place.table()
    turned = threading.Event()

    def waits_for_the_loop(_: object) -> str:
        return "seen" if turned.wait(60) else ""

    with place.session() as run:
        run.on("notice", waits_for_the_loop)
        task = asyncio.ensure_future(table.adispatch(WARNED))
        for _ in range(3):
            await asyncio.sleep(0)
        turned.set()
        result = await task
    assert word(result) == "executed"
    assert [each[1] for each in came(result.notified)] == ["acknowledged", "acknowledged"]


async def test_a_call_that_is_cancelled_while_notice_is_given_has_no_effect(tmp_path: Path) -> None:
    place = place_at(tmp_path)
    table = place.table()
    begun, held = threading.Event(), threading.Event()

    def waits(_: object) -> str:
        begun.set()
        return "seen" if held.wait(60) else ""

    with place.session() as run:
        run.on("notice", waits)
        task = asyncio.ensure_future(table.adispatch(WARNED))
        assert await asyncio.to_thread(begun.wait, 60)
        task.cancel()
        held.set()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert place.text("a.py") == "x = 1\n"
    assert [each.outcome for each in guarded(run) if each.state == "outcome"] == ["refused"]


def test_many_calls_at_once_are_each_given_their_own_notice(tmp_path: Path) -> None:
    place = place_at(tmp_path)
    for number in range(24):
        place.write(f"{number}.py", "x = 1\n")
    table = place.table()
    heard: list[Any] = []
    with place.session() as run:
        run.on("notice", heard.append)
        begin = threading.Barrier(24, timeout=60)
        results: list[Any] = []

        def one(number: int) -> None:
            begin.wait()
            with run.lane(f"{number}"):
                asked = call("edit", f"c{number}", path=f"{number}.py", old="1", new="2")
                results.append(table.dispatch(asked))

        threads = [
            threading.Thread(target=contextvars.copy_context().run, args=(one, number))
            for number in range(24)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
    assert [word(each) for each in results] == ["executed"] * 24
    assert sorted(each.sequence for each in heard) == list(range(24))
    assert holds(run)


def test_notice_is_given_of_a_warning_alone() -> None:
    with pytest.raises(GuardError):
        notice_of(permit(), "2026-03-01T12:00:00.000000Z")
