"""A run that is open for longer than its certificate lasts, and one whose clock jumps."""

from __future__ import annotations

import os
from datetime import datetime, timedelta
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

import groundwire as gw
from groundwire.documents.entry import CertificateEntry, CheckpointEntry, NoteEntry, Open
from groundwire.documents.policy import Policy
from groundwire.documents.verdict import Verdict
from groundwire.recording.reader import read
from groundwire.session import clock, keeping, opening
from groundwire.session import run as running
from groundwire.stores.keys import KeyStore, default_folder
from groundwire.verify.recording import verify_recording

CHAT = "https://api.openai.com/v1/chat/completions"
BODY = b'{"model":"m","messages":[{"role":"user","content":"which berth is free?"}]}'


class Jumping:
    """The clock of the machine, ahead of itself by `ahead`."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def __call__(self) -> datetime:
        return clock.now() + self.ahead


@pytest.fixture
def jumping(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Jumping:
    monkeypatch.chdir(tmp_path)
    jumping = Jumping()
    # Checkpoints are taken where the test says, and by no other thread.
    monkeypatch.setattr(running, "hand_over", lambda _: None)
    return jumping


def kinds(path: Path | None) -> list[str]:
    assert path is not None
    names = {CertificateEntry: "certificate", CheckpointEntry: "checkpoint"}
    entries = read(path.read_bytes().splitlines(keepends=True), lambda _: None).entries
    found = [
        entry.topic if isinstance(entry, NoteEntry) else names.get(type(entry), "")
        for entry in entries
    ]
    return [name for name in found if name]


def judged(path: Path | None) -> Verdict:
    assert path is not None
    lines = path.read_bytes().splitlines(keepends=True)
    keyring = KeyStore(default_folder(os.environ)).keyring()
    return verify_recording(lines, keyring, files=lambda _: None)


def exchange(run: gw.Session) -> None:
    attempt = run.sent("POST", CHAT, (), BODY)
    assert attempt is not None
    attempt.responded(200, [("content-type", "application/json")])
    attempt.chunk(b'{"choices":[]}')
    attempt.ended("whole")


def test_a_run_that_is_open_for_longer_than_its_certificate_has_another_one(
    jumping: Jumping,
) -> None:
    with gw.Session("long.gw", project=gw.Project(clock=jumping)) as run:
        run.checkpoint_now()
        jumping.ahead = timedelta(days=366)
        run.checkpoint_now()
        jumping.ahead = timedelta(days=2 * 366)
    assert run.lost_reason == ""
    assert kinds(run.path).count("certified-again") == 2
    assert kinds(run.path)[-3:] == ["certified-again", "certificate", "checkpoint"]
    said = judged(run.path)
    assert (said.reason, said.completeness) == ("holds", "closed")


def test_a_clock_that_jumps_ahead_and_back_leaves_a_recording_that_holds(jumping: Jumping) -> None:
    with gw.Session("jump.gw", project=gw.Project(clock=jumping)) as run:
        exchange(run)
        jumping.ahead = timedelta(days=4000)
        run.checkpoint_now()
        jumping.ahead = timedelta()
        exchange(run)
        run.checkpoint_now()
    assert kinds(run.path).count("certified-again") == 1
    assert (judged(run.path).reason, run.lost) == ("holds", 0)


def test_a_run_of_a_package_that_was_not_installed_is_recorded_all_the_same(
    jumping: Jumping, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(opening, "version", missing)
    with gw.Session("tree.gw", project=gw.Project(clock=jumping)) as run:
        exchange(run)
    assert run.path is not None
    lines = run.path.read_bytes().splitlines(keepends=True)
    began = read(lines, lambda _: None).entries[0]
    assert isinstance(began, Open)
    assert began.pins["groundwire"] == "unknown"
    assert judged(run.path).reason == "holds"


def test_a_run_that_outlives_its_certificate_goes_on_in_another_file_under_a_good_one(
    jumping: Jumping,
) -> None:
    project = gw.Project(Policy(rotate_bytes=1), clock=jumping)
    with project.session("turn.gw") as run:
        first = run.path
        jumping.ahead = timedelta(days=366)
        attempt = run.sent("POST", CHAT, (), BODY)
        assert attempt is not None
        attempt.ended("closed")
        run._drain()
        assert run.path != first
    assert kinds(first)[-3:] == ["certified-again", "certificate", "checkpoint"]
    assert [judged(path).reason for path in (first, run.path)] == ["holds", "holds"]


def test_a_run_that_cannot_be_certified_again_says_that_it_is_no_longer_recorded(
    jumping: Jumping, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object) -> object:
        raise gw.HostError("private-key-missing", "the identity is gone")

    run = gw.Session("gone.gw", project=gw.Project(clock=jumping)).open()
    run.checkpoint_now()
    jumping.ahead = timedelta(days=366)
    monkeypatch.setattr(KeyStore, "identity", gone)
    with pytest.warns(gw.RecordingWarning, match="identity is gone"):
        run.checkpoint_now()
    assert (run.lost, run.lost_reason) == (1, "private-key-missing")
    run.close()
    assert judged(run.path).reason == "holds"


@pytest.mark.usefixtures("jumping")
def test_heads_that_are_taken_away_are_told_of_and_the_recording_goes_on() -> None:
    heard: list[object] = []
    run = gw.Session("heads.gw").open()
    run.on("recording-error", heard.append)
    run.checkpoint_now()
    (keeping.state_folder() / "heads.sqlite").unlink()
    with pytest.warns(gw.RecordingWarning, match="was moved, deleted or replaced"):
        run.checkpoint_now()
    assert (run.lost, run.lost_reason) == (1, "heads-moved")
    known = keeping.heads().get(run.run_id, 0)
    assert known is not None
    assert known.state == "checkpointed"
    exchange(run)
    run.close()
    assert [error.reason for error in heard if isinstance(error, gw.HostError)] == ["heads-moved"]
    assert "head-not-kept" in kinds(run.path)
    known = keeping.heads().get(run.run_id, 0)
    assert known is not None
    assert known.state == "closed"


@pytest.mark.usefixtures("jumping")
def test_a_run_that_must_be_recorded_stops_the_agent_when_its_heads_are_taken_away() -> None:
    run = gw.Project(Policy(on_recording_error="stop")).session("heads.gw").open()
    run.checkpoint_now()
    (keeping.state_folder() / "heads.sqlite").rename("heads.sqlite")
    with pytest.warns(gw.RecordingWarning):
        run.checkpoint_now()
    with pytest.raises(gw.HostError) as error:
        exchange(run)
    assert error.value.reason == "heads-moved"
    run.close()
    assert judged(run.path).completeness == "closed"


@pytest.mark.usefixtures("jumping")
@pytest.mark.parametrize("how", ["unlinked", "moved", "replaced"])
def test_a_recording_that_is_taken_away_is_told_of_at_the_next_checkpoint(how: str) -> None:
    run = gw.Session("away.gw").open()
    run.checkpoint_now()
    assert run.path is not None
    if how == "replaced":
        Path("other.gw").write_bytes(run.path.read_bytes())
        Path("other.gw").rename(run.path)
    else:
        run.path.rename("moved.gw")
    if how == "unlinked":
        Path("moved.gw").unlink()
    with pytest.warns(gw.RecordingWarning, match="no longer recorded"):
        run.checkpoint_now()
    reason = "recording-replaced" if how == "replaced" else "recording-deleted"
    assert run.lost >= 1
    assert run.lost_reason == reason
    run.close()


@pytest.mark.usefixtures("jumping")
def test_a_run_that_is_resumed_with_no_head_known_is_warned_of() -> None:
    crashed = gw.Session("crash.gw").open(bind=False)
    crashed.checkpoint_now()
    left = crashed.path
    assert left is not None
    Path("left.gw").write_bytes(left.read_bytes())
    crashed.close()
    keeping.heads().forget(crashed.run_id, 0)
    with pytest.warns(gw.RecordingWarning, match="no head of this recording"):
        run = gw.Session("left.gw", resume=True).open()
    run.close()
    assert kinds(run.path)[2:5] == ["head-unknown", "recovered", "certificate"]
    assert "before it was resumed" in judged(run.path).does_not_prove
    assert run.lost == 0


@pytest.mark.usefixtures("jumping")
def test_heads_that_were_taken_away_do_not_keep_a_file_from_being_resumed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    crashed = gw.Session("crash.gw").open(bind=False)
    crashed.checkpoint_now()
    assert crashed.path is not None
    Path("left.gw").write_bytes(crashed.path.read_bytes())
    crashed.close()
    (keeping.state_folder() / "heads.sqlite").unlink()
    with pytest.warns(gw.RecordingWarning, match="no head of this recording"):
        run = gw.Session("left.gw", resume=True).open()
    run.close()
    assert "was moved, deleted or replaced" in caplog.text
    assert judged(run.path).reason == "holds"
