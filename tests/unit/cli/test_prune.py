"""`groundwire prune`: what it says, what it deletes, and what the run log says afterwards."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from groundwire.attest.statements import seal_certificate
from groundwire.canon.dsse import encode_base64
from groundwire.cli.main import run
from groundwire.cli.prune import _prune
from groundwire.documents.statement import Certificate
from groundwire.keys.run_keys import new_run_key
from groundwire.keys.times import format_time
from groundwire.recording.segments.opening import Opening
from groundwire.recording.writer import Recorder
from groundwire.session import clock
from groundwire.stores.file import FileSink
from groundwire.stores.heads import Heads
from groundwire.stores.keys import KeyStore
from groundwire.stores.runlog import deletions
from groundwire.verify.recording import verify_recording
from tests.recorders import lines


@pytest.fixture
def state(own_home: Path) -> Path:
    return own_home / "state" / "groundwire"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "runs"


def recorded(folder: Path, state: Path, name: str, *, close: bool = True) -> Path:
    """A recording by this user's own identity, made now."""
    now = clock.now()
    identity = KeyStore(state / "keys").identity(now, clock.random_bytes(32))
    run_key = new_run_key(clock.random_bytes(32))
    certificate = Certificate(
        identity=identity.key_id, key=run_key.signer.key_id, run=f"run-{name}",
        not_before=format_time(now), not_after=format_time(now + timedelta(days=1)),
        public_key=encode_base64(run_key.signer.public_key),
    )  # fmt: skip
    sink = FileSink.create(folder / f"{name}.gw")
    writer = Recorder.open(
        opening=Opening(run=f"run-{name}"), sink=sink, clock=clock.now, salts=clock.Salts(),
        run_key=run_key.signer, certificate=seal_certificate(certificate, identity),
    )  # fmt: skip
    if close:
        writer.close()
        assert writer.milestone is not None
        heads = Heads(state / "heads.sqlite")
        heads.put(writer.milestone.head, state="closed", path=str(sink.path), at=writer.now())
        heads.close()
    sink.close()
    return sink.path


def test_closed_recordings_are_deleted_under_a_record_that_verifies(
    folder: Path, state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = recorded(folder, state, "done")
    going_on = recorded(folder, state, "going-on", close=False)
    assert run(["prune", "--runs", str(folder), "--keep-days", "0"]) == 0
    assert not path.exists()
    assert going_on.exists()
    said = capsys.readouterr().out
    assert "deleted  done.gw" in said
    assert "keeps  going-on.gw  its run is not over" in said
    keyring = KeyStore(state / "keys").keyring()
    (deletion,) = deletions(state / "runlog", keyring)
    assert (deletion.run, deletion.reason) == ("run-done", "kept for 0 days")
    (log,) = (state / "runlog").glob("*.gw")
    verdict = verify_recording(lines(log.read_bytes()), keyring, files=lambda _: None)
    assert (verdict.state, verdict.completeness) == ("holds", "closed")
    heads = Heads(state / "heads.sqlite")
    assert heads.get("run-done", 0) is None
    heads.close()


def test_a_dry_run_says_what_it_would_do_and_does_nothing(
    folder: Path, state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = recorded(folder, state, "done")
    assert run(["prune", "--runs", str(folder), "--keep-days", "0", "--dry-run"]) == 0
    assert path.exists()
    assert not (state / "runlog").exists()
    assert "would delete  done.gw" in capsys.readouterr().out


def test_json_is_one_document(
    folder: Path, state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded(folder, state, "done")
    recorded(folder, state, "open", close=False)
    assert run(["prune", "--runs", str(folder), "--keep-days", "0", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in said["pruned"]] == ["done.gw"]
    assert said["kept"] == [{"name": "open.gw", "why": "open"}]
    assert said["dry_run"] is False


def test_the_policy_says_which_folder_and_how_long(
    folder: Path, state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = recorded(folder, state, "done")
    (folder.parent / "groundwire.toml").write_text('[recording]\nkeep_days = 30\nruns = "runs"\n')
    assert run(["prune"]) == 0
    assert path.exists()
    assert "keeps  done.gw  it is not old enough" in capsys.readouterr().out


def test_where_nobody_says_how_long_nothing_is_deleted(
    folder: Path, state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = recorded(folder, state, "done")
    assert run(["prune", "--runs", str(folder)]) == 2
    assert "keep-days-unstated" in capsys.readouterr().err
    assert path.exists()


def test_a_negative_number_of_days_is_no_number_of_days(folder: Path, state: Path) -> None:
    path = recorded(folder, state, "done")
    assert run(["prune", "--runs", str(folder), "--keep-days", "-1"]) == 2
    assert path.exists()


def test_a_folder_that_is_not_there_is_one_clear_error(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["prune", "--runs", str(folder / "nowhere"), "--keep-days", "1"]) == 3
    assert "folder-unsafe" in capsys.readouterr().err


def test_a_recording_by_a_key_that_is_not_known_stays(
    folder: Path, state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = recorded(folder, tmp_path / "somebody else", "theirs")
    recorded(folder, state, "mine")
    assert run(["prune", "--runs", str(folder), "--keep-days", "0"]) == 0
    assert path.exists()
    assert "keeps  theirs.gw  it does not verify" in capsys.readouterr().out


def test_a_prune_that_was_ended_half_way_is_finished(folder: Path, state: Path) -> None:
    path = recorded(folder, state, "done")
    data = path.read_bytes()
    _prune(folder, 0, dry_run=False)
    path.write_bytes(data)  # as if it had been killed between the record and the deletion
    _prune(folder, 10_000, dry_run=False)
    assert not path.exists()
    assert len(list(deletions(state / "runlog", KeyStore(state / "keys").keyring()))) == 1


def test_attack_a_files_name_neither_moves_the_cursor_nor_adds_a_line(
    folder: Path, state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = recorded(folder, state, "plain")
    path.rename(folder / "\x1b[2J\nkeeps  evidence.gw.gw")
    (folder / "\udcff.gw").symlink_to("nowhere")
    for arguments in (["--dry-run"], ["--dry-run", "--json"]):
        assert run(["prune", "--runs", str(folder), "--keep-days", "0", *arguments]) == 0
    said = capsys.readouterr().out
    assert "\x1b" not in said
    assert "\nkeeps  evidence" not in said
    assert "udcff" in said
