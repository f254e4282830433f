"""Stops on the disk: what counts as one, and that nothing garbled or unreadable is overlooked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from groundwire.canon.digest import sha256
from groundwire.documents.canonical import encode
from groundwire.documents.entry import Envelope, Signature
from groundwire.errors import HostError
from groundwire.stores.people import stops
from groundwire.stores.people.stops import StopFolder

ENVELOPE = Envelope(
    payload="e30=", payloadType="x/y", signatures=(Signature(keyid="k", sig="c2ln"),)
)
ID = "0a" * 16


@pytest.fixture
def folder(tmp_path: Path) -> StopFolder:
    return StopFolder(tmp_path / "guard" / "stops")


def put(folder: StopFolder, name: str, data: bytes) -> Path:
    folder.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder.folder / name
    path.write_bytes(data)
    path.chmod(0o600)
    return path


def test_nothing_is_made_by_looking(folder: StopFolder) -> None:
    assert folder.mark() is None
    assert folder.papers() == ()
    assert not folder.folder.exists()


def test_what_is_put_there_is_private_and_read_again(folder: StopFolder) -> None:
    digest = folder.put("stop", ID, ENVELOPE)
    (paper,) = folder.papers()
    assert (paper.kind, paper.envelope, paper.digest) == ("stop", ENVELOPE, digest)
    assert digest == sha256(encode(ENVELOPE))
    assert folder.folder.stat().st_mode & 0o777 == 0o700
    assert (folder.folder / paper.name).stat().st_mode & 0o777 == 0o600


def test_each_kind_is_told_by_its_name(folder: StopFolder) -> None:
    for kind in ("stop", "lift", "opening"):
        folder.put(kind, ID, ENVELOPE)
    put(folder, "notes.txt", b"")
    put(folder, ".x.stop.json.new", b"half a file")
    put(folder, "other.lift.json", b"{}")
    assert sorted(paper.kind for paper in folder.papers()) == ["lift", "opening", "stop"]


@pytest.mark.parametrize("name", [f"{ID}.stop.json", "whatever.stop.json", "a\nb.stop.json"])
@pytest.mark.parametrize("data", [b"", b"{}", b"\xff", b"stop everything", b"x" * 65536])
def test_a_garbled_stop_is_one(folder: StopFolder, name: str, data: bytes) -> None:
    put(folder, name, data)
    (paper,) = folder.papers()
    assert (paper.kind, paper.envelope, paper.digest) == ("stop", None, sha256(data))


def test_a_stop_that_cannot_be_read_is_one(folder: StopFolder, tmp_path: Path) -> None:
    put(folder, "big.stop.json", b"x" * (stops.MAX_FILE_BYTES + 1))
    put(folder, "open.stop.json", encode(ENVELOPE)).chmod(0o666)
    (folder.folder / "folder.stop.json").mkdir()
    (folder.folder / "link.stop.json").symlink_to(tmp_path / "nowhere")
    os.mkfifo(folder.folder / "pipe.stop.json", 0o600)
    papers = folder.papers()
    assert len(papers) == 5
    assert {(paper.kind, paper.digest, paper.envelope) for paper in papers} == {("stop", "", None)}


def test_a_folder_that_others_can_write_or_that_is_none_is_refused(folder: StopFolder) -> None:
    folder.put("stop", ID, ENVELOPE)
    folder.folder.chmod(0o777)
    with pytest.raises(HostError) as caught:
        folder.papers()
    assert caught.value.reason == "stops-unreadable"
    folder.folder.chmod(0o700)
    folder.folder.rename(folder.folder.with_name("moved"))
    folder.folder.write_bytes(b"")
    with pytest.raises(HostError) as caught:
        folder.papers()
    assert caught.value.reason == "stops-unreadable"


def test_a_folder_that_cannot_be_looked_at_is_not_an_empty_one(folder: StopFolder) -> None:
    folder.folder.parent.mkdir(parents=True)
    loop = folder.folder.parent
    loop.rmdir()
    loop.symlink_to(loop)
    with pytest.raises(HostError) as caught:
        folder.mark()
    assert caught.value.reason == "stops-unreadable"


def test_a_folder_of_too_much_is_refused(
    folder: StopFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stops, "MAX_FILES", 2)
    for number in range(3):
        put(folder, f"{number}.stop.json", b"")
    with pytest.raises(HostError) as caught:
        folder.papers()
    assert caught.value.reason == "stops-unreadable"


def test_every_change_of_the_folder_changes_its_mark(folder: StopFolder) -> None:
    folder.put("stop", ID, ENVELOPE)
    first = folder.mark()
    assert first == folder.mark()
    path = put(folder, f"{'1b' * 16}.lift.json", b"{}")
    second = folder.mark()
    assert second is not None
    assert first != second
    path.unlink()
    folder.folder.rename(folder.folder.with_name("moved"))
    assert folder.mark() is None


def test_who_sets_its_times_back_does_not_set_its_mark_back(folder: StopFolder) -> None:
    folder.put("stop", ID, ENVELOPE)
    seen = folder.mark()
    assert seen is not None
    marks = set()
    for _ in range(50_000):  # over many ticks of the file system's clock
        os.utime(folder.folder, ns=(seen[1], seen[1]))
        marks.add(folder.mark())
    assert len(marks) > 1


def test_one_that_is_put_away_is_kept_and_is_no_stop(folder: StopFolder) -> None:
    folder.put("stop", ID, ENVELOPE)
    (paper,) = folder.papers()
    folder.put_away(paper)
    assert folder.papers() == ()
    assert (folder.folder / f"{ID}.lifted.json").read_bytes() == encode(ENVELOPE)
    folder.put_away(paper)


def test_another_that_came_in_its_place_is_not_put_away(folder: StopFolder) -> None:
    folder.put("stop", ID, ENVELOPE)
    (paper,) = folder.papers()
    folder.put_bytes("stop", ID, b"another")
    folder.put_away(paper)
    assert [each.digest for each in folder.papers()] == [sha256(b"another")]


@pytest.mark.parametrize("name", ["", "0a", "../../x", "0A" * 16, "0a" * 17])
def test_a_name_of_another_making_is_refused(folder: StopFolder, name: str) -> None:
    with pytest.raises(HostError) as caught:
        folder.put("stop", name, ENVELOPE)
    assert caught.value.reason == "stops-unreadable"
