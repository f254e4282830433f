"""The run log: which runs there were, in recordings of their own."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from pathlib import Path

import pytest

from groundwire.documents.verdict import Head
from groundwire.errors import HostError
from groundwire.stores.runlog import RunLog, deletions
from tests.recorders import IDENTITY, STRANGER, Clock, Salts, key, keyring, verdict
from tests.unit.stores.disks import forked

HEAD = Head(run="run-1", segment=0, size=9, root="root:" + "a" * 64)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "runlog"


def log(folder: Path, clock: Clock | None = None) -> RunLog:
    return RunLog(
        folder,
        identity=lambda: IDENTITY,
        new_key=lambda: key("log"),
        clock=clock or Clock(),
        salts=Salts(),
    )


def entries(folder: Path) -> list[dict[str, object]]:
    return [
        json.loads(line)
        for path in sorted(folder.glob("*.gw"))
        for line in path.read_bytes().splitlines()
        if b'"@":"content"' not in line
    ]


def test_a_run_log_is_a_recording_that_verifies(folder: Path) -> None:
    written = log(folder)
    written.wrote(HEAD, state="opened", path="/runs/quay.gw")
    written.wrote(HEAD, state="closed", path="/runs/quay.gw")
    written.deleting(HEAD, reason="kept for 30 days")
    written.close()
    (path,) = folder.glob("*.gw")
    assert path.name == f"20260504T102030-{os.getpid()}.gw"
    said = verdict(path.read_bytes())
    assert (said.reason, said.completeness) == ("holds", "closed")
    kinds = [entry["@"] for entry in entries(folder)]
    assert kinds == [
        "open/1", "certificate/1", "run/1", "run/1", "checkpoint/1", "deletion/1", "checkpoint/1",
        "close/1", "checkpoint/1",
    ]  # fmt: skip


def test_an_entry_says_where_the_run_stands_and_the_path_is_a_content(folder: Path) -> None:
    log(folder).wrote(HEAD, state="checkpointed", path="/runs/quay.gw")
    entry = entries(folder)[-1]
    assert [entry[name] for name in ("run", "segment", "size", "root", "state")] == [
        "run-1", 0, 9, HEAD.root, "checkpointed",
    ]  # fmt: skip
    (path,) = folder.glob("*.gw")
    assert b'"text":"/runs/quay.gw"' in path.read_bytes()
    assert "quay" not in json.dumps(entry)


def test_a_closed_run_is_durable_in_the_log(folder: Path) -> None:
    written = log(folder)
    written.wrote(HEAD, state="opened", path="p")
    assert entries(folder)[-1]["@"] == "run/1"
    written.wrote(HEAD, state="closed", path="p")
    assert entries(folder)[-1]["@"] == "checkpoint/1"


def test_nothing_is_made_before_the_first_line(folder: Path) -> None:
    log(folder).close()
    assert not folder.exists()


def test_a_log_goes_on_after_its_close_in_another_file(folder: Path) -> None:
    written = log(folder)
    for _ in range(2):
        written.wrote(HEAD, state="opened", path="p")
        written.close()
    assert [path.name for path in sorted(folder.glob("*.gw"))] == [
        f"20260504T102030-{os.getpid()}-2.gw", f"20260504T102030-{os.getpid()}.gw",
    ]  # fmt: skip
    assert {verdict(path.read_bytes()).reason for path in folder.glob("*.gw")} == {"holds"}


def test_a_log_outlives_its_certificate_in_another_file(folder: Path) -> None:
    clock = Clock()
    written = log(folder, clock)
    written.wrote(HEAD, state="opened", path="p")
    clock.now += timedelta(days=31)
    written.wrote(HEAD, state="closed", path="p")
    written.close()
    assert len(list(folder.glob("*.gw"))) == 2
    assert [verdict(path.read_bytes()).completeness for path in folder.glob("*.gw")] == [
        "closed"
    ] * 2


def test_a_log_whose_clock_jumps_past_its_certificate_is_closed_under_another(folder: Path) -> None:
    clock = Clock()
    written = log(folder, clock)
    written.wrote(HEAD, state="opened", path="p")
    clock.now += timedelta(days=401)
    written.wrote(HEAD, state="closed", path="p")
    written.close()
    said = [verdict(path.read_bytes()) for path in folder.glob("*.gw")]
    assert [(each.reason, each.completeness) for each in said] == [("holds", "closed")] * 2


def test_a_forked_child_writes_a_log_of_its_own(folder: Path) -> None:
    written = log(folder)
    written.wrote(HEAD, state="opened", path="p")

    def child() -> None:
        written.wrote(HEAD, state="opened", path="child")
        written.close()

    assert forked(child) == "None"
    written.wrote(HEAD, state="closed", path="p")
    written.close()
    assert len(list(folder.glob("*.gw"))) == 2
    assert {verdict(path.read_bytes()).reason for path in folder.glob("*.gw")} == {"holds"}


def test_deletions_are_read_back_where_the_signer_is_trusted(folder: Path) -> None:
    written = log(folder)
    written.deleting(HEAD, reason="kept for 30 days")
    (found,) = deletions(folder, keyring())
    assert (found.run, found.segment, found.root, found.reason) == (
        "run-1", 0, HEAD.root, "kept for 30 days",
    )  # fmt: skip
    assert list(deletions(folder, keyring(STRANGER))) == []
    written.close()


def test_a_deletion_that_somebody_made_up_is_no_record(folder: Path) -> None:
    written = log(folder)
    written.deleting(HEAD, reason="r")
    written.close()
    (path,) = folder.glob("*.gw")
    line = next(line for line in path.read_bytes().splitlines() if b'"deletion/1"' in line)
    path.write_bytes(
        line.replace(b'"sig":"', b'"sig":"AAAA') + b"\n" + b'{"@":"deletion/1",garbage\n'
    )
    assert list(deletions(folder, keyring())) == []


def test_a_folder_that_is_not_there_has_no_deletions(folder: Path) -> None:
    assert list(deletions(folder, keyring())) == []


def test_a_log_that_cannot_be_read_is_said(folder: Path) -> None:
    (folder / "x.gw").mkdir(parents=True)
    with pytest.raises(HostError) as told:
        list(deletions(folder, keyring()))
    assert told.value.reason == "runlog-unreadable"
