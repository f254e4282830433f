"""Commands through a guarded table: run once, judged by what they leave, shown only when applied."""

from __future__ import annotations

import asyncio
import errno
import os
import shlex
import subprocess
from pathlib import Path

import msgspec
import pytest

from groundwire.attest.grants import inspect_attestation
from groundwire.canon.dsse import decode_base64
from groundwire.documents.governing import CommandArguments
from groundwire.documents.outcome import Executed, Passed, Refused
from groundwire.documents.policy import ToolDeclaration
from groundwire.errors import HostError
from groundwire.session.guarding.recovering import recover_writes
from groundwire.session.guarding.result import GuardedResult
from groundwire.session.guarding.ways.command import CommandText
from groundwire.targets.disk.system import Disk
from groundwire.targets.shell import applying, staged_command, staging
from groundwire.targets.shell.running import Command, Ran, not_contained, run_contained, run_in_copy
from groundwire.targets.stopping import Stop
from tests.unit.session.guarding.calls import Place, word
from tests.unit.targets.shell.commands import needs_overlay

RUN = ToolDeclaration(name="sh", effect="write", target=CommandArguments(command="cmd"))
DEPLOY = ToolDeclaration(
    name="deploy", effect="external", operation="deploy", target=CommandArguments(command="cmd")
)
pytestmark = needs_overlay


def place(folder: Path, **more: object) -> Place:
    return Place(folder / "project", declared=(RUN, DEPLOY), **more)  # type: ignore[arg-type]  # given by name


def ran(place: Place, command: str, tool: str = "sh") -> GuardedResult:
    with place.project.session():
        return place.table().dispatch((tool, {"cmd": command}, "c1"))


def reason(result: GuardedResult) -> str:
    assert isinstance(result.outcome, Refused)
    return result.outcome.reason


def test_a_command_is_applied_and_what_it_printed_is_the_result(tmp_path: Path) -> None:
    given = place(tmp_path)
    given.write("a.py", "x = 1\n")
    result = ran(given, "sed -i s/1/2/ a.py; echo said; echo warned >&2; exit 3")
    assert isinstance(result.outcome, Executed)
    assert given.text("a.py") == "x = 2\n"
    assert result.text == "said\n[standard error]\nwarned\n[exit code 3]\n"
    assert isinstance(result.value, CommandText)
    assert (result.value.exit, result.value.stdout, result.value.stderr) == (
        3,
        b"said\n",
        b"warned\n",
    )
    assert [each.seen for each in result.outcome.observed] == ["content-match"]
    assert given.ran == []


def engines(result: GuardedResult) -> dict[str, str]:
    """What the signed receipt says beside the decision."""
    assert result.receipt is not None
    statement = msgspec.json.decode(decode_base64(result.receipt.payload))
    found: dict[str, str] = statement["predicate"]["engines"]
    return found


def test_the_receipt_says_how_far_a_command_gets_here(tmp_path: Path) -> None:
    assert engines(ran(place(tmp_path), "echo x > a"))["containment"] == "contained"


def test_a_command_that_changes_nothing_passes(tmp_path: Path) -> None:
    given = place(tmp_path)
    given.write("a.py", "x = 1\n")
    result = ran(given, "grep -n x a.py")
    assert isinstance(result.outcome, Executed)
    assert result.text == "1:x = 1\n"


def test_what_a_refused_command_printed_is_shown_to_nobody(tmp_path: Path) -> None:
    given = place(tmp_path)
    given.write(".github/workflows/ci.yml", "on: push\n")
    result = ran(given, "echo secret; echo secret >&2; rm .github/workflows/ci.yml")
    assert reason(result) == "approval-unavailable"
    assert given.text(".github/workflows/ci.yml") == "on: push\n"
    assert result.value is None
    assert "secret" not in result.text + result.message


@pytest.mark.parametrize(
    "command",
    [
        "echo x > groundwire.toml",
        "mkdir -p .claude && echo x > .claude/settings.json",
        "mkdir -p runs && echo x > runs/forged.gw",
        "mv a groundwire.toml",
    ],
)
def test_a_command_writes_no_protected_place(tmp_path: Path, command: str) -> None:
    given = place(tmp_path)
    given.write("a", "x\n")
    assert reason(ran(given, command)) in {"protected-place", "change-kind-denied"}
    assert given.text("a") == "x\n"


def test_a_rule_is_asked_about_what_a_command_did_and_not_about_its_words(tmp_path: Path) -> None:
    rules = {"rules": [{"id": "keep", "decide": "deny", "paths": ["keep/**"]}]}
    given = place(tmp_path, rules=rules)
    given.write("keep/a", "x\n")
    hidden = "p=ke; python3 -c \"import os; os.remove('$p'+'ep/a')\" || perl -e 'unlink \"keep/a\"'"
    assert reason(ran(given, hidden)) == "decision-denied"
    assert given.text("keep/a") == "x\n"
    assert isinstance(ran(given, "echo 'rm -rf keep/a'").outcome, Executed)


def test_a_secret_in_the_output_is_not_given_out(tmp_path: Path) -> None:
    given = place(tmp_path, rules={"deny_read_kinds": ["login"]})
    result = ran(given, "printf 'machine a.example login me password %s\\n' hidden; echo x > made")
    assert reason(result) == "denied-to-read"
    assert given.text("made") is None
    assert "hidden" not in result.text + result.message


def test_what_no_tool_reads_a_command_does_not_read(tmp_path: Path) -> None:
    given = place(tmp_path, rules={"deny_read": [".env"]})
    given.write(".env", "TOKEN=secret\n")
    assert ran(given, "cat .env; echo done").text == "done\n"


def test_a_command_runs_once_also_where_it_is_only_observed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = []

    def counted(command: Command) -> Ran:
        count.append(command.words)
        return run_contained(command)

    given = place(tmp_path, rules={"profile": "observe/1"})
    table = given.project.guard(given.project.coding_tools())
    with given.project.session():
        table.dispatch(("run_command", {"command": "true"}, "c1"))  # the canary has run too
        monkeypatch.setattr(staging, "run_contained", counted)
        result = table.dispatch(("run_command", {"command": "echo x >> log"}, "c2"))
    assert isinstance(result.outcome, Passed)
    assert given.text("log") == "x\n"
    assert len(count) == 1


def test_under_observation_no_protected_place_is_written_either(tmp_path: Path) -> None:
    given = place(tmp_path, rules={"profile": "observe/1"})
    assert reason(ran(given, "echo x > groundwire.toml")) == "protected-place"


@pytest.mark.parametrize(
    ("profile", "expected"),
    [("enforce/1", "approval-unavailable"), ("strict/1", "decision-denied")],
)
def test_what_is_not_contained_is_asked_or_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, profile: str, expected: str
) -> None:
    def refuse(command: Command) -> Ran:
        raise not_contained("a test")

    monkeypatch.setattr(staging, "run_contained", refuse)
    given = place(tmp_path, rules={"profile": profile})
    result = ran(given, "echo x > made")
    assert reason(result) == expected
    assert given.text("made") is None
    assert result.ruling is not None
    assert "uncontained" in result.ruling.residuals


def test_an_external_command_is_asked_before_anything_runs(tmp_path: Path) -> None:
    given = place(tmp_path)
    result = ran(given, f"echo x > {shlex.quote(str(tmp_path / 'made'))}", "deploy")
    assert reason(result) == "approval-unavailable"
    assert given.ran == []
    assert not (tmp_path / "made").exists()


def test_an_external_command_that_a_rule_allows_is_the_tools_own_code(tmp_path: Path) -> None:
    allow = {"id": "deploys", "decide": "allow", "tools": ["deploy"]}
    given = place(tmp_path, rules={"rules": [allow], "environment": "development"})
    result = ran(given, "echo x > made", "deploy")
    if isinstance(result.outcome, Executed):
        assert given.ran == [("deploy", {"cmd": "echo x > made"})]
    else:
        assert reason(result) in {"approval-unavailable", "decision-denied"}
    assert given.text("made") is None


@pytest.mark.parametrize("arguments", [{}, {"cmd": 7}, {"cmd": "a\0b"}, {"command": "ls"}])
def test_arguments_that_are_no_command_are_refused(
    tmp_path: Path, arguments: dict[str, object]
) -> None:
    given = place(tmp_path)
    with given.project.session():
        result = given.table().dispatch(("sh", arguments, "c1"))
    assert reason(result) == "arguments-do-not-fit"


def test_the_event_loop_goes_on_while_a_command_runs(tmp_path: Path) -> None:
    given = place(tmp_path)

    async def both() -> tuple[list[GuardedResult], int]:
        turns = 0
        table = given.table()
        async with given.project.session():
            calls = [
                asyncio.ensure_future(table.adispatch(("sh", {"cmd": f"echo {n} > f{n}"}, f"c{n}")))
                for n in range(3)
            ]
            while not all(call.done() for call in calls):
                turns += 1
                await asyncio.wait(calls, timeout=0.001)
            return [call.result() for call in calls], turns

    results, turns = asyncio.run(both())
    assert [word(each) for each in results] == ["executed"] * 3
    assert [given.text(f"f{n}") for n in range(3)] == ["0\n", "1\n", "2\n"]
    assert turns > 10


def test_a_tool_whose_commands_are_staged_is_carried_out_by_groundwire(tmp_path: Path) -> None:
    report = place(tmp_path).table().report()
    assert report.carried_out == ("sh",)
    assert report.guarded == ("deploy", "sh")


def running(words: bytes) -> list[str]:
    """The processes of this machine whose command line has exactly these words at its end."""
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if each.read_bytes().endswith(words):
                found.append(each.parent.name)
        except OSError:
            continue  # it has just ended
    return found


@pytest.mark.parametrize("overlay", [True, False])
def test_a_cancelled_call_ends_its_command_and_nothing_of_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, overlay: bool
) -> None:
    def uncontained(command: Command) -> Ran:
        raise not_contained("not here")

    if not overlay:
        monkeypatch.setattr(staging, "run_contained", uncontained)
    given = place(tmp_path)
    seconds = b"20.%d\0" % int.from_bytes(os.urandom(6))
    command = f"echo x > made; sleep {seconds[:-1].decode()} & sleep {seconds[:-1].decode()}"
    told: list[str] = []

    def hear(result: object) -> None:
        assert isinstance(result, GuardedResult)
        told.append(word(result))

    async def cancelled() -> bool:
        table = given.table()
        with given.session() as run:
            run.on("settled", hear)
            call = asyncio.ensure_future(table.adispatch(("sh", {"cmd": command}, "c1")))
            for _ in range(3000):
                if len(running(b"sleep\0" + seconds)) == 2:
                    break
                await asyncio.wait({call}, timeout=0.005)
            assert not call.done()
            call.cancel()
            await asyncio.wait({call}, timeout=10)
            return call.done() and call.cancelled()

    assert asyncio.run(cancelled())
    assert running(b"sleep\0" + seconds) == []
    assert told == ["refused: call-cancelled"]
    assert given.text("made") is None


def test_a_command_that_was_to_be_ended_before_it_began_is_not_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[object] = []
    monkeypatch.setattr(subprocess, "Popen", lambda *words, **_: started.append(words))
    stop = Stop()
    stop.ask()
    command = Command(
        words=("/bin/sh", "-c", "echo x > made"), root=str(tmp_path), folder=str(tmp_path),
        environment={}, stop=stop,
    )  # fmt: skip
    with pytest.raises(HostError) as caught:
        run_in_copy(command)
    assert caught.value.reason == "call-cancelled"
    assert started == []


def test_a_command_that_died_after_its_files_is_recovered_whole_or_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = place(tmp_path)
    given.write("a.py", "x = 1\n")
    true = applying.apply_rest
    with given.project.session() as run:
        guard = given.project.run_guard(run)
        assert guard is not None
        state = guard.guard.state
        monkeypatch.setattr(staged_command, "apply_rest", _interrupt)
        with pytest.raises(KeyboardInterrupt):
            given.table().dispatch(("sh", {"cmd": "sed -i s/1/2/ a.py; mkdir made"}, "c1"))
        monkeypatch.setattr(staged_command, "apply_rest", true)
        assert (given.text("a.py"), (given.folder / "made").exists()) == ("x = 2\n", False)
        (write,) = state.grants().unsettled()
        given.write("made", "somebody's\n")
        state.grants().examined(write.id, "unknown")
        (found,) = recover_writes(state)
        assert (found.state, found.unsettled) == ("unknown", ("made",))
        (given.folder / "made").unlink()
        (found,) = recover_writes(state)
        assert (found.state, found.unsettled) == ("landed", ())
        assert (given.folder / "made").is_dir()


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def test_a_file_that_nobody_may_read_afterwards_is_told_by_its_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    true = Disk.open_file

    def open_file(disk: Disk, name: str, folder: int) -> int:
        if not os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode & 0o400:
            raise PermissionError(errno.EACCES, "Permission denied")
        return true(disk, name, folder)

    monkeypatch.setattr(Disk, "open_file", open_file)
    given = place(tmp_path)
    given.write("a.py", "x = 1\n")
    result = ran(given, "chmod 200 a.py")
    assert isinstance(result.outcome, Executed), result.message
    assert [(each.name.path, each.seen) for each in result.outcome.observed] == [
        ("a.py", "token-match")
    ]
    assert result.attestation is not None
    assert [each.seen for each in inspect_attestation(result.attestation).observed] == [
        "token-match"
    ]
