"""Runs that end badly or go on for long: resumed, rotated, cut, killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import openai
import pytest

import groundwire as gw
from groundwire.audit.recordings import open_recording
from groundwire.authority.keyrings import trusted_keyring
from groundwire.documents.entry import CloseEntry, NoteEntry, Open, RequestEntry
from groundwire.documents.policy import AnchorDeclaration, Policy
from groundwire.documents.verdict import Head
from groundwire.session.keeping import heads, known_head
from groundwire.testing.standin import StandIn
from groundwire.testing.turns import Turn
from tests.scenarios.test_sessions import _clients_are_closed, ask, client_of, entries, reading

__all__ = ["_clients_are_closed"]  # a fixture, for this file too


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def echo(request: dict[str, Any]) -> Turn:
    return Turn(text=f"echo {request['messages'][-1]['content'][:40]}")


def test_a_long_run_goes_on_in_segments_that_name_their_predecessor() -> None:
    project = gw.Project(Policy(rotate_bytes=20_000))
    with StandIn(echo) as here, project.session("runs/long.gw") as run:
        client = run.watch(client_of(here))
        for turn in range(12):
            ask(client, f"turn {turn} " + "words " * 500)
            run.checkpoint_now()
    files = sorted(Path("runs").glob("long*.gw"), key=lambda p: (len(p.name), p.name))
    assert len(files) > 2
    openings = [entries(file, Open)[0] for file in files]
    assert [opening.segment for opening in openings] == list(range(len(files)))
    assert {opening.run for opening in openings} == {run.run_id}
    for before, after in zip(files, openings[1:], strict=False):
        closing = reading(before)
        assert entries(before, CloseEntry)[0].next_segment
        assert after.previous is not None
        assert after.previous.size == len(closing.entries)
    exchanges = [r.exchange for file in files for r in entries(file, RequestEntry)]
    assert exchanges == list(range(12))
    assert entries(files[-1], CloseEntry)[0].next_segment is False


CRASHES = """
import os, sys
import groundwire as gw, openai
run = gw.Session("runs/crash.gw").open()
client = run.watch(openai.OpenAI(base_url=sys.argv[1] + "/v1", api_key="unused"))
for turn in range(3):
    client.chat.completions.create(model="m", messages=[{"role": "user", "content": f"turn {turn}"}])
    run.checkpoint_now()
client.chat.completions.create(model="m", messages=[{"role": "user", "content": "the last one"}])
os.kill(os.getpid(), int(sys.argv[2]))
"""


def crash(here: StandIn, number: int) -> int:
    return subprocess.run(
        [sys.executable, "-c", CRASHES, here.url, str(number)], check=False, timeout=60
    ).returncode


def test_a_run_that_was_killed_is_resumed_where_it_stood() -> None:
    with StandIn(echo) as here:
        assert crash(here, signal.SIGKILL) == -signal.SIGKILL
        torn = Path("runs/crash.gw")
        torn.write_bytes(torn.read_bytes() + b'{"@":"request/1","torn')
        with gw.Session(torn, resume=True) as run:
            ask(run.watch(client_of(here)), "after the crash")
    assert run.path == torn.absolute()
    notes = [note.topic for note in entries(torn, NoteEntry)]
    assert notes == ["recovered"]
    assert Path("runs/crash.gw.cut-1").read_bytes() == b'{"@":"request/1","torn'
    requests = entries(torn, RequestEntry)
    assert [request.exchange for request in requests] == list(range(5))


def test_a_file_behind_its_head_is_not_resumed() -> None:
    with StandIn(echo) as here:
        crash(here, signal.SIGKILL)
    torn = Path("runs/crash.gw")
    known = heads().get(entries(torn, Open)[0].run, 0)
    assert known is not None
    lines = torn.read_bytes().splitlines(keepends=True)
    marks = [n for n, line in enumerate(lines) if line.startswith(b'{"@":"checkpoint/1"')]
    torn.write_bytes(b"".join(lines[: marks[-2] + 1]))
    with pytest.raises(gw.HostError) as error:
        gw.Session(torn, resume=True, project=gw.Project(Policy(on_recording_error="stop"))).open()
    assert error.value.reason == "rolled-back"


def test_sigterm_writes_a_checkpoint_and_ends_the_process_as_it_would() -> None:
    with StandIn(echo) as here:
        assert crash(here, signal.SIGTERM) == -signal.SIGTERM
    lines = Path("runs/crash.gw").read_bytes().splitlines()
    assert lines[-1].startswith(b'{"@":"checkpoint/1"')


def test_a_process_that_exits_without_closing_leaves_a_checkpoint() -> None:
    with StandIn(echo) as here:
        script = CRASHES.replace("os.kill(os.getpid(), int(sys.argv[2]))", "")
        subprocess.run([sys.executable, "-c", script, here.url], check=True, timeout=60)
    lines = Path("runs/crash.gw").read_bytes().splitlines()
    assert lines[-1].startswith(b'{"@":"checkpoint/1"')


def test_checkpoints_are_kept_by_an_anchor_and_their_heads_outside_the_file() -> None:
    policy = Policy(anchors=(AnchorDeclaration(kind="folder", target="mirror"),))
    with StandIn(echo) as here, gw.Project(policy).session() as run:
        ask(run.watch(client_of(here)), "hello")
        run.checkpoint_now()
    [notes] = Path("mirror").glob("*.notes")
    assert notes.read_text().count("groundwire/") >= 2
    known = heads().get(run.run_id, 0)
    assert known is not None
    assert known.state == "closed"
    assert known.head.size == len(reading(run.path).entries)


def test_an_anchor_that_is_not_there_stops_nothing_and_is_noted() -> None:
    policy = Policy(anchors=(AnchorDeclaration(kind="http", target="http://127.0.0.1:9/notes"),))
    with StandIn(echo) as here, gw.Project(policy).session() as run:
        assert ask(run.watch(client_of(here)), "hello") == "echo hello"
        run.checkpoint_now()
    assert [note.topic for note in entries(run.path, NoteEntry)] == ["head-not-kept"]


def test_a_callback_that_fails_is_noted_and_changes_nothing() -> None:
    def fails(_: object) -> None:
        raise RuntimeError

    with StandIn(echo) as here, gw.Session() as run:
        run.on("checkpoint", fails)
        assert ask(run.watch(client_of(here)), "hello") == "echo hello"
        run.checkpoint_now()
    assert "callback-failed" in [note.topic for note in entries(run.path, NoteEntry)]


def test_a_watched_client_that_outlives_its_run_is_left_alone() -> None:
    with StandIn(echo) as here:
        with gw.Session() as run:
            client = run.watch(client_of(here))
        with pytest.warns(gw.UnwatchedRequest):
            assert ask(client, "hello") == "echo hello"
        assert isinstance(client, openai.OpenAI)
    assert entries(run.path, RequestEntry) == []


def test_a_run_that_goes_on_while_it_is_read_does_not_look_cut_back() -> None:
    with StandIn(echo) as here:
        run = gw.Session("runs/live.gw").open()
        ask(run.watch(client_of(here)), "hello")
        run.checkpoint_now()

        def head_after_the_run_went_on(name: str, segment: int) -> Head | None:
            run.close()
            return known_head(name, segment)

        evidence = open_recording(
            Path("runs/live.gw"), trusted_keyring(), head_after_the_run_went_on
        )
    assert evidence.verdict.state == "holds"
    assert evidence.verdict.closed


def test_what_is_no_recording_is_not_resumed_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.gw")
    stop = gw.Project(Policy(on_recording_error="stop"))
    Path("folder.gw").mkdir()
    for path in ("pipe.gw", "nothing.gw", "folder.gw"):
        with pytest.raises(gw.HostError):
            gw.Session(path, resume=True, project=stop).open()


def test_a_run_that_closes_while_its_worker_waits_for_it_is_not_rotated_any_more() -> None:
    project = gw.Project(Policy(rotate_bytes=1))
    with project.session("runs/late.gw") as run:
        rail = run._rail()
        assert rail is not None
        lock = rail.lock

        class Late:
            """The lock comes to the worker when the run has been closed."""

            def __enter__(self) -> None:
                rail.lock = lock
                run.close()
                lock.acquire()

            def __exit__(self, *_: object) -> None:
                lock.release()

        rail.lock = Late()  # type: ignore[assignment]  # put in its place meanwhile
        run._drain()
    assert run.lost == 0, run.lost_reason
    assert [file.name for file in Path("runs").glob("*.gw")] == ["late.gw"]
