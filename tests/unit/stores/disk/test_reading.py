from __future__ import annotations

import os
from pathlib import Path

import pytest

from groundwire.errors import HostError
from groundwire.stores.disk import reading
from groundwire.stores.disk.reading import open_to_read, segments_beside
from groundwire.stores.disk.system import System
from groundwire.verify.recording import verify_recording
from tests.recordings import Draft, lines, sample, sha256
from tests.unit.verify.judging import TRUSTED


def put(folder: Path, draft: Draft, name: str = "run.gw") -> Path:
    path = folder / name
    path.write_bytes(draft.data())
    for digest, data in draft.files.items():
        beside = folder / f"{name}.d"
        beside.mkdir(exist_ok=True)
        (beside / digest[7:]).write_bytes(data)
    return path


def refusal(path: Path) -> str:
    with pytest.raises(HostError) as caught:
        open_to_read(path)
    assert caught.value.reason == "recording-unreadable"
    return caught.value.message


def test_lines_and_files_are_those_on_disk(tmp_path: Path) -> None:
    draft = sample()
    with open_to_read(put(tmp_path, draft)) as file:
        assert list(file.lines()) == list(file.lines()) == lines(draft.data())
        assert {name: file.file(name) for name in draft.files} == draft.files
        assert file.opening is not None
        assert file.opening.run == draft.run
        assert verify_recording(file.lines(), TRUSTED, files=file.file).state == "holds"


def test_two_readers_of_one_file_do_not_disturb_each_other(tmp_path: Path) -> None:
    draft = sample(large=False)
    for number in range(30_000):
        draft.raw.append(b"%d" % number)
    with open_to_read(put(tmp_path, draft)) as file:
        one, other = file.lines(), file.lines()
        assert [(next(one), next(other)) for _ in range(20_000)][-1][0] == lines(draft.data())[
            19_999
        ]


def test_what_is_written_after_opening_is_not_seen(tmp_path: Path) -> None:
    path = put(tmp_path, Draft().open().certificate())
    before = path.read_bytes()
    with open_to_read(path) as file, path.open("ab") as writer:
        reader = file.lines()
        first = next(reader)
        writer.write(b"half a line")
        writer.flush()
        assert first + b"".join(reader) == before


@pytest.mark.parametrize("text", [b"", b"x", b"\n", b"\x00\x01\xff", b"\r\n\r", b"a\nb"])
def test_any_bytes_come_in_lines_and_nothing_is_lost(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "x.gw"
    path.write_bytes(text)
    with open_to_read(path) as file:
        assert b"".join(file.lines()) == text
        assert list(file.lines()) == lines(text)
        assert file.opening is None


def test_a_line_longer_than_any_may_be_comes_in_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "LARGEST_LINE", 10)
    path = tmp_path / "x.gw"
    path.write_bytes(b"y" * 30 + b"\n")
    with open_to_read(path) as file:
        assert [len(line) for line in file.lines()] == [12, 12, 7]


def test_what_is_no_file_is_refused_with_a_sentence(tmp_path: Path) -> None:
    assert "No such file" in refusal(tmp_path / "absent.gw")
    assert "folder" in refusal(tmp_path)
    os.mkfifo(tmp_path / "pipe.gw")
    assert "pipe" in refusal(tmp_path / "pipe.gw")
    (tmp_path / "link.gw").symlink_to(put(tmp_path, sample()))
    assert "symbolic link" in refusal(tmp_path / "link.gw")
    assert "cannot be read" in refusal(Path("/dev/full"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    path = put(tmp_path, sample())
    path.chmod(0)
    assert "Permission" in refusal(path)


def test_a_file_beside_the_recording_is_a_plain_file_of_that_name(tmp_path: Path) -> None:
    draft = sample()
    path = put(tmp_path, draft)
    (name,) = draft.files
    beside = tmp_path / "run.gw.d"
    secret = tmp_path / "secret"
    secret.write_bytes(b"private")
    other = sha256(b"private")
    with open_to_read(path) as file:
        assert file.file(other) is None
        (beside / other[7:]).symlink_to(secret)
        assert file.file(other) is None
        (beside / other[7:]).unlink()
        os.mkfifo(beside / other[7:])
        assert file.file(other) is None
        (beside / other[7:]).unlink()
        (beside / other[7:]).mkdir()
        assert file.file(other) is None
        for bad in ("", "sha256:", "sha256:../secret", "sha256:" + "A" * 64, "../secret"):
            assert file.file(bad) is None
        assert file.file(name) == draft.files[name]


def test_a_folder_beside_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    draft = sample()
    path = put(tmp_path, draft)
    (tmp_path / "run.gw.d").rename(tmp_path / "elsewhere")
    (tmp_path / "run.gw.d").symlink_to(tmp_path / "elsewhere")
    (name,) = draft.files
    with open_to_read(path) as file:
        assert file.file(name) is None


def test_a_huge_file_beside_the_recording_is_not_loaded(tmp_path: Path) -> None:
    path = put(tmp_path, sample())
    name = "sha256:" + "0" * 64
    with (tmp_path / "run.gw.d" / ("0" * 64)).open("wb") as file:
        file.truncate(reading.LARGEST_ATTACHMENT + 1)
    with open_to_read(path) as file:
        assert file.file(name) is None


class Failing(System):
    """A disk that fails after some reads."""

    def __init__(self, reads: int) -> None:
        self.left = reads

    def read(self, descriptor: int, size: int) -> bytes:
        self.left -= 1
        if self.left < 0:
            raise OSError(5, "Input/output error")
        return super().read(descriptor, size)


def test_a_disk_that_fails_is_no_broken_recording(tmp_path: Path) -> None:
    draft = Draft().open().certificate()
    for number in range(20):
        draft.note(text=f"{number} " + "x" * 100_000)
    path = put(tmp_path, draft)
    with open_to_read(path, Failing(2)) as file, pytest.raises(HostError) as caught:
        verify_recording(file.lines(), TRUSTED, files=file.file)
    assert caught.value.reason == "recording-unreadable"
    with pytest.raises(HostError) as refused:
        open_to_read(path, Failing(0))
    assert refused.value.reason == "recording-unreadable"


def test_the_segments_of_a_run_are_found_beside_each_other(tmp_path: Path) -> None:
    first = Draft().open().certificate().close(next_segment=True)
    second = first.next().close()
    put(tmp_path, second, "a-second.gw")
    path = put(tmp_path, first, "z-first.gw")
    put(tmp_path, sample(run="run-other"), "other.gw")
    (tmp_path / "noise.gw").write_bytes(b"noise")
    (tmp_path / "folder.gw").mkdir()
    names = [each.name for each in segments_beside(path)]
    assert names == ["z-first.gw", "a-second.gw"]
    assert segments_beside(tmp_path / "noise.gw") == [tmp_path / "noise.gw"]
    with pytest.raises(HostError):
        segments_beside(tmp_path / "absent.gw")


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    draft = sample()
    path = put(tmp_path, draft)
    (name,) = draft.files
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    for _ in range(3):
        with open_to_read(path) as file:
            list(file.lines())
            file.file(name)
            file.file("sha256:" + "0" * 64)
        with pytest.raises(HostError):
            open_to_read(tmp_path)
    assert before == (len(os.listdir("/proc/self/fd")) if before else 0)
