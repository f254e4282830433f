"""Live and replay are one fold: what was filed live comes out of the file again, bit for bit."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest

import groundwire as gw
from groundwire.audit.live.comparing import Comparison, compare_live
from groundwire.checks import registry
from groundwire.checks.engine import Engine
from groundwire.checks.registry import ALL_CHECKS
from groundwire.checks.seams import Check
from groundwire.documents.declaration import CheckRules, Off
from groundwire.documents.entry import DispositionEntry, FindingEntry
from groundwire.documents.event import Executed
from groundwire.documents.policy import Policy, ToolDeclaration
from groundwire.recording.reader import Reader
from groundwire.session.project import Session
from tests.driving import answers, assistant, choice, exchange, reading, replayed, user

ARMED = Policy(tools=(ToolDeclaration(name="drain", arguments_from=("list_hosts",)),))
INVENTED = assistant(choice("c1", "drain", '{"host": "kittiwake-7"}'))


def session(folder: Path, policy: Policy = ARMED, *, resume: bool = False) -> Session:
    return Session(folder / "run.gw", project=gw.Project(policy), resume=resume)


def work(run: Session) -> None:
    exchange(run, [user("Drain it.")], INVENTED)
    run.executed("c1", {"host": "kittiwake-7"}, "drained", name="drain")
    exchange(
        run,
        [user("Drain it."), INVENTED, answers("c1", "drained")],
        assistant(text="I drained it."),
    )


def compared(path: Path | None, checks: Iterable[Check] = ALL_CHECKS) -> Comparison:
    return compare_live([reading(path)], tuple(checks))


def newer(check: Check) -> Check:
    class Newer(type(check)):  # type: ignore[misc] -- made for the test
        version = check.version + 1

    return Newer()


def test_a_recording_gives_its_live_findings_and_rows_again(tmp_path: Path) -> None:
    with session(tmp_path) as run:
        work(run)
        assert run.findings
    found = compared(run.path)
    assert (found.state, found.reason) == ("equal", "")
    assert found.rows == len(ALL_CHECKS)
    assert found.findings == len(
        [e for e in reading(run.path).entries if isinstance(e, FindingEntry)]
    )


def test_under_dev_the_canaries_are_compared_too(tmp_path: Path) -> None:
    policy = msgspec.structs.replace(ARMED, posture="dev")
    run = session(tmp_path, policy).open()
    work(run)
    run.close(succeeded=False)
    assert compared(run.path).state == "equal"


def test_declared_rules_and_lines_that_switch_off_count_in_replay(tmp_path: Path) -> None:
    off = Off(check="unsupported-argument", reason="known", until="2099-01-01")
    with session(tmp_path, msgspec.structs.replace(ARMED, checks=CheckRules(off=(off,)))) as run:
        work(run)
        assert not [f for f in run.findings if f.kind == "unsupported-argument"]
    found = compared(run.path)
    assert found.state == "equal"
    (row,) = [row for row in run.rows if row.check == "unsupported-argument"]
    assert row.suppressed == 1


def test_a_check_that_judges_otherwise_without_a_new_version_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with session(tmp_path) as run:
        work(run)
    feed = Engine.feed
    monkeypatch.setattr(
        Engine,
        "feed",
        lambda self, event: tuple(
            msgspec.structs.replace(finding, message="something else")
            for finding in feed(self, event)
        ),
    )
    found = compared(run.path)
    assert (found.state, found.reason) == ("differs", "finding-differs")
    assert "finding 1" in found.text


def test_a_row_that_differs_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with session(tmp_path) as run:
        work(run)
    rows = Engine.rows
    monkeypatch.setattr(
        Engine,
        "rows",
        lambda self: tuple(msgspec.structs.replace(row, passed=99) for row in rows(self)),
    )
    found = compared(run.path)
    assert (found.state, found.reason) == ("differs", "row-differs")
    assert "missing-tools at compose" in found.text


def test_other_versions_of_checks_are_said_and_nothing_is_compared(tmp_path: Path) -> None:
    with session(tmp_path) as run:
        work(run)
    first, *others = ALL_CHECKS
    for checks in ([newer(first), *others], others):
        found = compared(run.path, checks)
        assert (found.state, found.reason) == ("unknown", "versions-differ")
        assert first.kind in found.text


def test_a_check_that_came_later_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    earlier = ALL_CHECKS[1:]
    monkeypatch.setattr(registry, "ALL_CHECKS", earlier)
    monkeypatch.setattr("groundwire.session.opening.ALL_CHECKS", earlier)
    monkeypatch.setattr(
        "groundwire.session.rail.Engine", lambda *, posture: Engine(earlier, posture=posture)
    )
    with session(tmp_path) as run:
        work(run)
    found = compared(run.path)
    assert (found.state, found.rows) == ("equal", len(earlier))


def test_results_that_the_policy_keeps_out_leave_nothing_to_say(tmp_path: Path) -> None:
    policy = msgspec.structs.replace(ARMED, content="commitments")
    served = [
        user("Drain it."),
        assistant(choice("c0", "list_hosts")),
        answers("c0", '["kittiwake-7"]'),
    ]
    with session(tmp_path, policy) as run:
        exchange(run, served, assistant(choice("c1", "drain", '{"host": "kittiwake-9"}')))
        assert run.findings
    found = compared(run.path)
    assert (found.state, found.reason) == ("unknown", "contents-missing")


def test_a_run_that_is_still_open_is_compared_as_far_as_it_stands(tmp_path: Path) -> None:
    run = session(tmp_path).open()
    try:
        work(run)
        assert run.findings
        run.checkpoint_now()
        found = compared(run.path)
        assert (found.state, found.rows) == ("equal", 0)
        assert "not closed" in found.text
    finally:
        run.close()


def test_a_run_over_several_files_is_compared_as_one(tmp_path: Path) -> None:
    policy = msgspec.structs.replace(ARMED, rotate_bytes=6_000)
    with session(tmp_path, policy) as run:
        messages = [user("Drain them.")]
        for number in range(12):
            called = assistant(choice(f"c{number}", "drain", f'{{"host": "kittiwake-{number}"}}'))
            exchange(run, messages, called)
            run.executed(f"c{number}", {"host": f"kittiwake-{number}"}, "x" * 400, name="drain")
            messages = [*messages, called, answers(f"c{number}", "x" * 400)]
            run._drain()  # the worker's share, at once
    files = sorted(tmp_path.glob("*.gw"), key=lambda path: reading(path).opening.segment)
    assert len(files) > 1
    found = compare_live([reading(path) for path in files])
    assert (found.state, found.reason) == ("equal", ""), found.text
    assert found.findings >= 12


def test_a_run_that_was_gone_on_with_after_a_crash_is_compared_part_by_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The worker's share at once, so that no checkpoint comes after the copy.
    monkeypatch.setattr("groundwire.session.run.hand_over", lambda act: act())
    crashed = session(tmp_path).open(bind=False)
    work(crashed)
    crashed.checkpoint_now()
    assert crashed.path is not None
    copy = tmp_path / "copy.gw"
    shutil.copy(crashed.path, copy)
    with Session(copy, project=gw.Project(ARMED), resume=True) as run:
        work(run)
        numbers = [event.execution for event in replayed(copy) if isinstance(event, Executed)]
    assert numbers == [0, 1]
    crashed.close()
    found = compared(copy)
    assert (found.state, found.rows) == ("equal", len(ALL_CHECKS)), found.text
    assert found.findings == 2 * len(crashed.findings)


def lines_of_a_killed_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    monkeypatch.setattr("groundwire.session.run.hand_over", lambda act: act())
    killed = session(folder).open(bind=False)
    work(killed)
    killed.checkpoint_now()
    assert killed.path is not None
    lines = killed.path.read_bytes().splitlines(keepends=True)
    killed.close()
    return lines


def test_a_run_that_was_killed_between_an_event_and_its_findings_is_equal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = lines_of_a_killed_run(tmp_path, monkeypatch)
    first = next(n for n, line in enumerate(lines) if line.startswith(b'{"@":"response/1"'))
    assert any(line.startswith(b'{"@":"finding/1"') for line in lines[first:])
    for end in range(first + 1, len(lines)):
        copy = tmp_path / f"copy{end}.gw"
        copy.write_bytes(b"".join(lines[:end]))
        found = compared(copy)
        assert found.state == "equal", (end, found.text)


@pytest.mark.parametrize("closed", [True, False])
def test_a_finding_that_is_taken_out_is_missed(
    closed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines_of_a_killed_run(tmp_path, monkeypatch)
    reader = reading(tmp_path / "run.gw")
    taken = next(entry for entry in reader.entries if isinstance(entry, FindingEntry))
    gone = (taken,) if closed else (taken, *entries_of(reader, DispositionEntry))
    monkeypatch.setattr(reader, "entries", [e for e in reader.entries if e not in gone])
    assert bool(entries_of(reader, DispositionEntry)) is closed
    found = compare_live([reader])
    assert (found.state, found.reason) == ("differs", "finding-differs")


def entries_of(reader: Reader, kind: type) -> list[object]:
    return [entry for entry in reader.entries if isinstance(entry, kind)]
