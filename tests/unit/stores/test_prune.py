"""Pruning: what is old enough goes under a record made before; nothing else is touched."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from groundwire.documents.verdict import Head
from groundwire.errors import HostError
from groundwire.recording.redact import redact
from groundwire.stores.disk.system import System
from groundwire.stores.file import FileSink
from groundwire.stores.prune import Report, prune
from tests.recorders import (
    IDENTITY,
    START,
    STRANGER,
    Clock,
    certificate,
    key,
    keyring,
    lines,
    recorder,
    response,
)
from tests.unit.stores.disks import Faulty

DAY = timedelta(days=1)
NOW = START + 40 * DAY


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "runs"


def run(
    folder: Path, name: str, *, age: int = 40, close: bool = True, attach: bool = False
) -> Path:
    path = folder / f"{name}.gw"
    sink = FileSink.create(path)
    writer = recorder(sink, run=f"run-{name}", clock=Clock(NOW - age * DAY))
    if attach:
        response(writer, 0, b"x" * 1_000_001)
    if close:
        writer.close()
    sink.close()
    return path


class Records:
    """The run log, in a list; `at_each` is done before a record is durable."""

    def __init__(self, at_each: Callable[[Head], None] = lambda _: None) -> None:
        self.heads: list[Head] = []
        self.at_each = at_each

    def __call__(self, head: Head) -> None:
        self.at_each(head)
        self.heads.append(head)

    @property
    def recorded(self) -> set[tuple[str, int, str]]:
        return {(head.run, head.segment, head.root) for head in self.heads}


def pruned(
    folder: Path, records: Records | None = None, *, before: datetime = NOW - 30 * DAY,
    system: System | None = None, known: set[tuple[str, int, str]] | None = None,
) -> Report:  # fmt: skip
    return prune(
        folder, closed_before=before, keyring=keyring(), record=records, recorded=known or set(),
        system=system,
    )  # fmt: skip


def kept(report: Report) -> dict[str, str]:
    return {each.name: each.why for each in report.kept}


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != ".gitignore")


def test_old_recordings_go_with_everything_of_theirs_and_young_ones_stay(folder: Path) -> None:
    path = run(folder, "old", attach=True)
    path.with_name("old.gw.cut-1").write_bytes(b"torn")
    path.with_name("old.gw.cut-1x").write_bytes(b"not ours")
    run(folder, "young", age=10)
    records = Records()
    report = pruned(folder, records)
    assert [each.name for each in report.pruned] == ["old.gw"]
    assert kept(report) == {"young.gw": "young"}
    assert names(folder) == ["old.gw.cut-1x", "young.gw"]
    assert [head.run for head in records.heads] == ["run-old"]


def test_the_record_names_the_end_of_the_file(folder: Path) -> None:
    path = run(folder, "old")
    whole = [line for line in lines(path.read_bytes()) if b'"@":"content"' not in line]
    records = Records()
    report = pruned(folder, records)
    assert records.heads[0].size == len(whole)
    assert records.heads[0].root.startswith("root:")
    (each,) = report.pruned
    assert each.closed_at == json.loads(whole[-2])["at"]


def test_the_record_is_made_before_anything_is_deleted(folder: Path) -> None:
    path = run(folder, "old", attach=True)
    seen: list[list[str]] = []
    pruned(folder, Records(lambda _: seen.append(names(folder))))
    assert seen == [["old.gw", "old.gw.d"]]
    assert not path.exists()


def test_where_no_record_can_be_made_nothing_is_deleted(folder: Path) -> None:
    run(folder, "a")
    run(folder, "b", attach=True)

    def full(_: Head) -> None:
        raise HostError("disk-full", "no room for a record")

    with pytest.raises(HostError, match="no room"):
        pruned(folder, Records(full))
    assert names(folder) == ["a.gw", "b.gw", "b.gw.d"]


def test_a_dry_run_deletes_and_records_nothing(folder: Path) -> None:
    run(folder, "old", attach=True)
    report = pruned(folder, None)
    assert [each.name for each in report.pruned] == ["old.gw"]
    assert names(folder) == ["old.gw", "old.gw.d"]


def test_open_recordings_stay_however_old(folder: Path) -> None:
    run(folder, "left-open", close=False)
    path = run(folder, "torn")
    path.write_bytes(path.read_bytes()[:-5])
    (folder / "empty.gw").write_bytes(b"")
    report = pruned(folder, Records())
    assert kept(report) == {"left-open.gw": "open", "torn.gw": "open", "empty.gw": "open"}


def test_a_recording_that_a_writer_has_open_stays(folder: Path) -> None:
    sink = FileSink.create(folder / "live.gw")
    writer = recorder(sink, clock=Clock(NOW - 40 * DAY))
    writer.checkpoint()
    assert kept(pruned(folder, Records())) == {"live.gw": "in-use"}
    sink.close()


@pytest.mark.parametrize("change", ["byte", "attachment", "stranger", "garbage behind"])
def test_a_recording_that_does_not_verify_stays_as_evidence(folder: Path, change: str) -> None:
    path = run(folder, "odd", attach=True)
    data = path.read_bytes()
    if change == "byte":
        path.write_bytes(data.replace(b'"unstated"', b'"unsTated"', 1))
    elif change == "attachment":
        (attached,) = [each for each in Path(f"{path}.d").iterdir() if len(each.name) == 64]
        attached.write_bytes(b"other")
    elif change == "garbage behind":
        path.write_bytes(data + b"more")
    ring = keyring(STRANGER) if change == "stranger" else keyring()
    report = prune(folder, closed_before=NOW, keyring=ring, recorded=set(), record=Records())
    assert kept(report) == {"odd.gw": "does-not-verify"}
    assert path.exists()


def test_a_redaction_does_not_make_a_recording_younger(folder: Path) -> None:
    path = run(folder, "old")
    note = next(line for line in lines(path.read_bytes()) if b'"@":"content"' in line)
    run_key = key("redactor")
    redacted = redact(
        lines(path.read_bytes()), [json.loads(note)["commitment"]], at="2026-06-13T00:00:00.000000Z",
        reason="asked for", identity=IDENTITY, run_key=run_key.signer,
        certificate=certificate(run_key, "run-old"),
    )  # fmt: skip
    path.write_bytes(b"".join(redacted.lines))
    assert [each.name for each in pruned(folder, Records()).pruned] == ["old.gw"]


# -- segments -----------------------------------------------------------------------------------


def segments(folder: Path, *, close: bool) -> list[Path]:
    paths = [folder / f"long-{number}.gw" for number in range(3)]
    clock = Clock(NOW - 39 * DAY)
    writer = recorder(FileSink.create(paths[0]), run="run-long", clock=clock)
    for path in paths[1:]:
        clock.now += 5 * DAY
        writer.rotate(
            sink=FileSink.create(path), certificate=certificate(key("run-long"), "run-long")
        )
    if close:
        writer.close()
    return paths


def test_a_run_in_segments_goes_as_one_by_the_age_of_its_last(folder: Path) -> None:
    segments(folder, close=True)
    report = pruned(folder, Records(), before=NOW - 30 * DAY)
    assert kept(report) == {f"long-{number}.gw": "young" for number in range(3)}
    report = pruned(folder, Records(), before=NOW - 28 * DAY)
    assert [each.segment for each in report.pruned] == [0, 1, 2]
    assert names(folder) == []


def test_segments_of_a_run_that_goes_on_stay(folder: Path) -> None:
    paths = segments(folder, close=True)
    paths[2].unlink()
    report = pruned(folder, Records(), before=NOW)
    assert kept(report) == {"long-0.gw": "open", "long-1.gw": "open"}
    assert names(folder) == ["long-0.gw", "long-1.gw"]


# -- killed half-way ----------------------------------------------------------------------------


class Killed(BaseException):
    """What a test calls `kill -9`."""


@pytest.mark.parametrize("call", ["open", "remove", "sync"])
@pytest.mark.parametrize("at", range(12))
def test_a_prune_killed_anywhere_is_finished_by_the_next(
    folder: Path, call: str, at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(folder, "a", attach=True)
    run(folder, "b")
    run(folder, "young", age=1)
    records, disk = Records(), Faulty()
    left = [at]
    note = disk._note

    def noted(name: str) -> None:
        note(name)
        if name == call:
            left[0] -= 1
            if left[0] < 0:
                raise Killed

    monkeypatch.setattr(disk, "_note", noted)
    with suppress(Killed):
        pruned(folder, records, system=disk)
    again = Records()
    pruned(folder, again, known=records.recorded)
    assert names(folder) == ["young.gw"]
    assert len(records.heads + again.heads) == 2
    assert {head.run for head in records.heads + again.heads} == {"run-a", "run-b"}


# -- what must not be followed ------------------------------------------------------------------


def test_links_are_not_followed(folder: Path, tmp_path: Path) -> None:
    outside = run(tmp_path / "outside", "precious")
    folder.mkdir()
    (folder / "link.gw").symlink_to(outside)
    (folder / "folder.gw").mkdir()
    report = pruned(folder, Records())
    assert kept(report) == {"link.gw": "not-a-file", "folder.gw": "not-a-file"}
    assert outside.exists()


def test_a_link_to_a_folder_is_not_pruned(folder: Path, tmp_path: Path) -> None:
    outside = run(tmp_path / "outside", "precious")
    folder.symlink_to(outside.parent)
    with pytest.raises(HostError) as told:
        pruned(folder, Records())
    assert told.value.reason == "folder-unsafe"
    assert outside.exists()


@pytest.mark.parametrize("what", ["missing", "file"])
def test_what_is_no_folder_is_refused(folder: Path, what: str) -> None:
    if what == "file":
        folder.write_text("")
    with pytest.raises(HostError) as told:
        pruned(folder, Records())
    assert told.value.reason == "folder-unsafe"


def test_attachments_behind_a_link_are_left(folder: Path, tmp_path: Path) -> None:
    path = run(folder, "old", attach=True)
    Path(f"{path}.d").rename(tmp_path / "elsewhere")
    Path(f"{path}.d").symlink_to(tmp_path / "elsewhere")
    report = pruned(folder, Records())
    assert kept(report) == {"old.gw": "does-not-verify"}
    assert any(len(each.name) == 64 for each in (tmp_path / "elsewhere").iterdir())


def test_a_strange_file_among_the_attachments_is_left_and_said(folder: Path) -> None:
    path = run(folder, "old", attach=True)
    strange = Path(f"{path}.d") / "notes.txt"
    strange.write_text("mine")
    with pytest.raises(HostError) as told:
        pruned(folder, Records())
    assert told.value.reason == "prune-failed"
    assert strange.exists()
    assert path.exists()


def test_files_of_other_kinds_and_other_folders_are_not_looked_at(folder: Path) -> None:
    run(folder / "deeper", "old")
    (folder / "notes.txt").write_text("mine")
    report = pruned(folder, Records())
    assert report == Report(pruned=(), kept=())
    assert (folder / "deeper" / "old.gw").exists()


def test_a_folder_that_cannot_be_written_is_one_clear_error(folder: Path) -> None:
    run(folder, "old")
    disk = Faulty()
    disk.fail = {"remove": errno.EACCES}
    with pytest.raises(HostError) as told:
        pruned(folder, Records(), system=disk)
    assert told.value.reason == "prune-failed"
    assert os.listdir(folder)


@pytest.mark.parametrize("what", ["pipe", "folder"])
def test_attack_no_plain_file_beside_a_recording_keeps_the_others_from_being_pruned(
    folder: Path, what: str
) -> None:
    path = run(folder, "old", attach=True)
    run(folder, "other")
    (attached,) = [each for each in folder.glob("old.gw.d/*") if len(each.name) == 64]
    attached.unlink()
    os.mkfifo(attached) if what == "pipe" else attached.mkdir()
    report = pruned(folder)
    assert kept(report) == {path.name: "does-not-verify"}
    assert [each.name for each in report.pruned] == ["other.gw"]
