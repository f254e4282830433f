"""Recordings audited: segments as one run, whoever signed, and one bad file among good ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import groundwire as gw
from groundwire.audit.recordings import audit_recordings, open_recording
from groundwire.audit.replay import replay
from groundwire.audit.report import Report, merged
from groundwire.authority.keyrings import trusted_keyring
from groundwire.cli import main
from groundwire.documents.event import Requested
from groundwire.documents.policy import Policy, ToolDeclaration
from groundwire.session.keeping import known_head
from groundwire.testing.standin import StandIn
from groundwire.testing.turns import Call, Turn
from tests.recordings import IDENTITY, keyring_document
from tests.scenarios.test_bad_input import CHAT, exchange
from tests.scenarios.test_sessions import _clients_are_closed, ask, client_of

__all__ = ["_clients_are_closed"]  # a fixture, for this file too

POLICY = Policy(
    rotate_bytes=20_000,
    tools=(ToolDeclaration(name="restart", arguments_from=("list_hosts",)),),
)
INVENTED = Call(name="restart", arguments='{"host": "db-9181"}', id="call_1")


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def answer(request: dict[str, Any]) -> Turn:
    said = request["messages"][-1]["content"]
    return Turn(calls=(INVENTED,)) if "restart" in said else Turn(text="Noted.")


def record(path: str, *questions: str, policy: Policy = POLICY) -> gw.Session:
    """A conversation that grows by a question at a time, and is long."""
    with StandIn(answer) as here, gw.Project(policy).session(path) as run:
        client = run.watch(client_of(here))
        said: list[str] = []
        for question in questions:
            said.append(question)
            ask(client, *said)
            run.checkpoint_now()
    return run


def long_run() -> tuple[gw.Session, list[Path]]:
    questions = [f"turn {turn} " + "words " * 700 for turn in range(6)]
    questions[3] = "restart it"
    run = record("runs/long.gw", *questions)
    files = sorted(Path("runs").glob("long*.gw"), key=lambda path: (len(path.name), path.name))
    assert len(files) > 2
    return run, files


def audited(*paths: Path) -> Report:
    return merged(audit_recordings(paths, trusted_keyring(), known_head=known_head))


def audit(*arguments: str | Path) -> int:
    return main.run(["audit", *map(str, arguments)])


def test_the_segments_of_a_run_are_one_run_with_the_findings_of_the_live_one() -> None:
    run, files = long_run()
    report = audited(*reversed(files))
    [one] = report.runs
    assert one.run == run.run_id
    assert one.files == tuple(map(str, files))
    assert one.requests == 6
    assert one.standing == "holds"
    assert tuple(filed.finding for filed in report.findings) == run.findings
    assert len(run.findings) == 1
    assert report.rows == run.rows


def test_a_finding_says_in_which_segment_it_was_met() -> None:
    _, files = long_run()
    report = audited(*files)
    with_calls = [str(file) for file in files if b"db-9181" in file.read_bytes()]
    [filed] = report.findings
    assert filed.file == with_calls[0]
    assert filed.file != str(files[0])


def test_segments_that_do_not_follow_one_another_are_audited_apart_and_say_so() -> None:
    _, files = long_run()
    report = audited(files[0], files[2])
    assert [run.files for run in report.runs] == [(str(files[0]),), (str(files[2]),)]
    assert "goes on in another file" in " ".join(report.runs[0].notes)
    assert "begins with segment 2" in " ".join(report.runs[1].notes)
    assert report.problems == ()


def test_two_copies_of_a_segment_are_audited_apart_and_say_so() -> None:
    run = record("runs/a.gw", "turn 1")
    copy = Path("runs/b.gw")
    copy.write_bytes(run.path.read_bytes())
    report = audited(run.path, copy)
    assert [one.files for one in report.runs] == [(str(run.path),), (str(copy),)]
    assert all("counted twice" in " ".join(one.notes) for one in report.runs)


def test_a_broken_segment_keeps_nobody_from_auditing_the_others() -> None:
    _, files = long_run()
    data = files[1].read_bytes()
    files[1].write_bytes(data.replace(b"words words", b"words sword", 1))
    report = audited(*files)
    [problem] = report.problems
    assert (problem.source, problem.broken) == (str(files[1]), True)
    assert str(files[1]) not in {file for run in report.runs for file in run.files}
    assert sum(len(run.files) for run in report.runs) == len(files) - 1
    assert audit(*files) == 1


def test_a_recording_that_does_not_verify_ends_with_one_and_others_are_audited(
    capsys: pytest.CaptureFixture[str],
) -> None:
    good, bad = record("runs/good.gw", "turn 1"), record("runs/bad.gw", "turn 1")
    assert audit(good.path) == 0
    bad.path.write_bytes(bad.path.read_bytes().replace(b"turn 1", b"turn 2", 1))
    capsys.readouterr()
    assert audit(bad.path, "none.gw", good.path, "--json") == 1
    out, err = capsys.readouterr()
    read = json.loads(out)
    assert [run["files"] for run in read["runs"]] == [[str(good.path)]]
    assert [(each["source"], each["broken"]) for each in read["problems"]] == [
        (str(bad.path), True),
        ("none.gw", False),
    ]
    assert "bad.gw does not verify" in err
    assert "(reason: file-unreadable)" in err


def test_an_unknown_signer_ends_with_three_and_a_keyring_that_knows_it_with_zero(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run = record("runs/a.gw", "turn 1")
    Path("other.json").write_bytes(keyring_document(IDENTITY))
    assert main.run(["keys", "export", "-o", "own.json"]) == 0
    assert audit(run.path) == 0
    assert audit(run.path, "--keys", "own.json") == 0
    capsys.readouterr()
    assert audit(run.path, "--keys", "other.json") == 3
    assert "signer is unknown" in capsys.readouterr().out
    assert audit(run.path, "--keys", "other.json", "--json") == 3
    assert json.loads(capsys.readouterr().out)["runs"][0]["standing"] == "undecided"
    assert audit(run.path, "--keys", "none.json") == 3
    assert "keyring-unreadable" in capsys.readouterr().err


def test_a_defect_under_an_unknown_signer_is_a_defect() -> None:
    run = record("runs/a.gw", "restart it")
    Path("other.json").write_bytes(keyring_document(IDENTITY))
    assert audit(run.path, "--keys", "other.json") == 1


def test_explain_spells_out_what_does_not_print(capsys: pytest.CaptureFixture[str]) -> None:
    run = record("runs/a.gw", "turn \u202e\x9b31m over")
    for extra in ((), ("--json",)):
        capsys.readouterr()
        assert main.run(["explain", str(run.path), "--boundary", "0", *extra]) == 0
        out = capsys.readouterr().out
        assert all(line.isprintable() for line in out.splitlines())
        assert "\\u202e" in out


def test_a_request_with_a_result_that_the_policy_keeps_out_is_not_judged_offline() -> None:
    look = ToolDeclaration(name="look", content="commitments")
    asks = (
        b'{"model":"m","messages":[{"role":"user","content":"who?"},{"role":"assistant",'
        b'"tool_calls":[{"id":"c1","type":"function","function":{"name":"look","arguments":"{}"}}]},'
        b'{"role":"tool","tool_call_id":"c1","content":"customer-zq81"}]}'
    )
    with gw.Project(Policy(tools=(look,))).session() as run:
        exchange(run, CHAT, asks, b'{"choices":[{"message":{"role":"assistant","content":"zq"}}]}')
    assert run.path is not None
    reader = open_recording(run.path, trusted_keyring()).reader
    [request] = [event for event in replay(reader) if isinstance(event, Requested)]
    assert (request.frame, request.reason) == (None, "withheld")
