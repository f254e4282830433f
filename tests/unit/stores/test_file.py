"""The file: whole lines or none, private, one writer, and a clear word when the disk fails."""

from __future__ import annotations

import errno
import fcntl
import os
import resource
import stat
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from groundwire.canon.digest import sha256
from groundwire.errors import HostError
from groundwire.stores.file import FileSink
from tests.unit.stores.disks import Faulty, fork, forked


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs" / "quay.gw"


@pytest.fixture
def disk() -> Faulty:
    return Faulty()


@pytest.fixture
def sink(path: Path, disk: Faulty) -> Iterator[FileSink]:
    sink = FileSink.create(path, system=disk)
    yield sink
    disk.pretend_process = None
    sink.close()


def reason(act: object, *arguments: object) -> str:
    with pytest.raises(HostError) as told:
        act(*arguments)  # type: ignore[operator]  -- any callable
    return told.value.reason


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# -- what is made -------------------------------------------------------------------------------


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o777])
def test_the_file_is_its_owners_alone_whatever_the_mask(path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        sink = FileSink.create(path)
        sink.attach(sha256(b"x"), b"x")
        sink.close()
    finally:
        os.umask(before)
    assert (mode(path), mode(path.parent)) == (0o600, 0o700)
    folder = Path(f"{path}.d")
    assert mode(folder) == 0o700
    assert {mode(file) for file in folder.iterdir()} == {0o600}


def test_a_folder_that_was_made_ignores_itself(path: Path, sink: FileSink) -> None:
    assert (path.parent / ".gitignore").read_text() == "*\n"


def test_a_folder_that_was_there_is_left_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    FileSink.create(tmp_path / "quay.gw").close()
    assert mode(tmp_path) == 0o755
    assert not (tmp_path / ".gitignore").exists()


def test_only_the_last_folder_that_was_made_ignores_itself(tmp_path: Path) -> None:
    FileSink.create(tmp_path / "services" / "triage" / "runs" / "quay.gw").close()
    ignored = [file.parent.name for file in tmp_path.rglob(".gitignore")]
    assert ignored == ["runs"]
    assert mode(tmp_path / "services") == 0o700


def test_an_existing_file_is_never_written_over(path: Path, sink: FileSink) -> None:
    sink.append(b"mine\n")
    assert reason(FileSink.create, path) == "recording-exists"
    assert path.read_bytes() == b"mine\n"


@pytest.mark.parametrize("target", ["elsewhere", "nowhere/at/all"])
def test_a_link_in_the_files_place_is_not_followed(tmp_path: Path, target: str) -> None:
    (tmp_path / "quay.gw").symlink_to(tmp_path / target)
    assert reason(FileSink.create, tmp_path / "quay.gw") == "recording-exists"
    assert not (tmp_path / target).exists()


def test_a_folder_by_a_link_is_the_users_own_business(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "runs").symlink_to(tmp_path / "disk")
    sink = FileSink.create(tmp_path / "runs" / "quay.gw")
    assert sink.path == tmp_path / "disk" / "quay.gw"
    sink.close()


def test_every_file_is_opened_exclusively_without_links_and_for_appending(
    path: Path, sink: FileSink, disk: Faulty, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    real = os.open

    def noted(path: str, flags: int, mode: int = 0o777, **others: int) -> int:
        asked.append(flags)
        return real(path, flags, mode, **others)

    monkeypatch.setattr(os, "open", noted)
    FileSink.create(path.with_name("other.gw")).close()
    (flags,) = [flags for flags in asked if flags & os.O_CREAT]
    for wanted in (os.O_APPEND, os.O_EXCL, os.O_NOFOLLOW, os.O_CLOEXEC, os.O_WRONLY):
        assert flags & wanted == wanted


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_is_one_clear_error(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert reason(FileSink.create, tmp_path / "quay.gw") == "recording-unwritable"


@pytest.mark.parametrize("call", ["open", "lock", "sync"])
def test_a_file_that_cannot_be_made_is_one_clear_error(path: Path, disk: Faulty, call: str) -> None:
    path.parent.mkdir()
    disk.fail = {call: errno.EROFS}
    assert reason(lambda: FileSink.create(path, system=disk)) == "recording-unwritable"


# -- writing ------------------------------------------------------------------------------------


def test_what_was_appended_is_in_the_file_when_append_returns(path: Path, sink: FileSink) -> None:
    sink.append(b"one\n")
    sink.append(b"two\n")
    assert path.read_bytes() == b"one\ntwo\n"


@pytest.mark.parametrize("short", [1, 3, 7])
def test_a_short_write_is_completed(path: Path, sink: FileSink, disk: Faulty, short: int) -> None:
    disk.short = short
    sink.append(b"a long line of text\n")
    assert path.read_bytes() == b"a long line of text\n"


@pytest.mark.parametrize("room", range(0, 12, 3))
def test_a_full_disk_leaves_nothing_of_the_lines_and_works_again_when_there_is_room(
    path: Path, sink: FileSink, disk: Faulty, room: int
) -> None:
    sink.append(b"before\n")
    disk.room = room
    assert reason(sink.append, b"does not fit\n") == "disk-full"
    assert path.read_bytes() == b"before\n"
    disk.room = None
    sink.append(b"after\n")
    sink.sync()
    assert path.read_bytes() == b"before\nafter\n"


def test_a_write_that_takes_nothing_is_a_failure_and_not_a_loop(
    path: Path, sink: FileSink, disk: Faulty
) -> None:
    disk.short = 0
    assert reason(sink.append, b"line\n") == "write-failed"
    assert path.read_bytes() == b""


def test_where_a_part_cannot_be_taken_off_again_nothing_more_is_written(
    path: Path, sink: FileSink, disk: Faulty
) -> None:
    sink.append(b"before\n")
    disk.room, disk.fail = 4, {"truncate": errno.EIO}
    assert reason(sink.append, b"does not fit\n") == "disk-full"
    disk.room, disk.fail = None, {}
    assert reason(sink.append, b"after\n") == "write-failed"
    assert path.read_bytes() == b"before\ndoes"


def test_an_interrupt_half_way_leaves_nothing_of_the_lines(
    path: Path, sink: FileSink, disk: Faulty, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Faulty.write

    def interrupted(self: Faulty, descriptor: int, data: memoryview) -> int:
        real(self, descriptor, data[:2])
        raise KeyboardInterrupt

    monkeypatch.setattr(Faulty, "write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        sink.append(b"line\n")
    monkeypatch.undo()
    sink.append(b"next\n")
    assert path.read_bytes() == b"next\n"


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


def test_a_real_limit_on_the_files_size_is_a_full_disk(path: Path) -> None:
    program = """
        import sys
        from pathlib import Path
        from groundwire.errors import HostError
        from groundwire.stores.file import FileSink
        sink = FileSink.create(Path(sys.argv[1]))
        written = 0
        try:
            while True:
                sink.append(b"x" * 99 + b"\\n")
                written += 1
        except HostError as error:
            print(error.reason, written)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), str(path)],
        capture_output=True, text=True, check=True, preexec_fn=limited,
    )  # fmt: skip
    assert done.stdout.split() == ["disk-full", "40"]
    assert path.read_bytes() == (b"x" * 99 + b"\n") * 40


# -- durability ---------------------------------------------------------------------------------


def test_a_failed_sync_poisons_the_file_for_good(sink: FileSink, disk: Faulty) -> None:
    sink.append(b"one\n")
    disk.fail = {"sync": errno.EIO}
    assert reason(sink.sync) == "sync-failed"
    disk.fail = {}
    assert reason(sink.sync) == "sync-failed"
    assert reason(sink.append, b"two\n") == "sync-failed"
    assert reason(sink.attach, sha256(b"x"), b"x") == "sync-failed"


def test_a_file_that_was_deleted_is_noticed(path: Path, sink: FileSink) -> None:
    sink.append(b"one\n")
    path.unlink()
    assert reason(sink.sync) == "recording-deleted"
    assert reason(sink.append, b"two\n") == "recording-deleted"


def test_a_file_that_was_moved_is_noticed(path: Path, sink: FileSink) -> None:
    path.rename(path.with_suffix(".old"))
    assert reason(sink.sync) == "recording-deleted"


def test_a_file_that_another_one_replaced_is_noticed(path: Path, sink: FileSink) -> None:
    path.with_name("new").write_bytes(b"forged\n")
    path.with_name("new").replace(path)
    assert reason(sink.sync) == "recording-replaced"


def test_a_deleted_file_with_a_second_name_is_noticed(path: Path, sink: FileSink) -> None:
    os.link(path, path.with_name("copy.gw"))
    path.unlink()
    path.symlink_to(path.with_name("copy.gw"))
    assert reason(sink.sync) == "recording-replaced"


@pytest.mark.parametrize("content", [b"", b"one\nforged\n"])
def test_a_file_that_somebody_else_wrote_or_cut_is_noticed(
    path: Path, sink: FileSink, content: bytes
) -> None:
    sink.append(b"one\n")
    with path.open("r+b") as file:
        file.truncate(0)
        file.write(content)
    assert reason(sink.sync) == "recording-altered"


# -- one writer ---------------------------------------------------------------------------------


def test_a_forked_child_is_refused_and_the_parent_goes_on(path: Path, sink: FileSink) -> None:
    sink.append(b"parent\n")
    for act in (
        lambda: sink.append(b"child\n"),
        sink.sync,
        lambda: sink.attach(sha256(b"x"), b"x"),
    ):
        assert forked(act) == "forked"
    assert forked(sink.close) == "None"
    sink.append(b"parent again\n")
    sink.sync()
    assert path.read_bytes() == b"parent\nparent again\n"


def test_another_process_number_is_refused_whatever_lock_it_holds(
    path: Path, sink: FileSink, disk: Faulty
) -> None:
    disk.pretend_process = 1
    assert reason(sink.append, b"child\n") == "forked"
    assert reason(sink.sync) == "forked"
    assert path.read_bytes() == b""


def test_a_locked_file_has_no_second_writer(path: Path, disk: Faulty) -> None:
    disk.fail = {"lock": errno.EWOULDBLOCK}
    assert reason(lambda: FileSink.create(path, system=disk)) == "recording-in-use"


def test_a_child_that_lives_on_does_not_hold_the_parents_lock(path: Path) -> None:
    sink = FileSink.create(path)
    wait, go = os.pipe()
    child = fork()
    if child == 0:
        os.close(go)
        os.read(wait, 1)
        os._exit(0)
    sink.close()
    descriptor = os.open(path, os.O_RDONLY)
    try:
        # Whether or not the child has let go of its copy yet.
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    finally:
        os.close(descriptor)
        os.close(go)
        os.close(wait)
        os.waitpid(child, 0)


def test_a_closed_file_takes_nothing_and_closing_twice_is_closing_once(sink: FileSink) -> None:
    sink.close()
    sink.close()
    assert reason(sink.append, b"x\n") == "recording-closed"
    assert reason(sink.sync) == "recording-closed"


# -- attachments --------------------------------------------------------------------------------


def test_an_attachment_stands_under_its_digest(path: Path, sink: FileSink) -> None:
    sink.attach(sha256(b"large"), b"large")
    sink.attach(sha256(b"large"), b"large")
    folder = Path(f"{path}.d")
    assert sorted(file.name for file in folder.iterdir()) == [
        ".gitignore", sha256(b"large").removeprefix("sha256:"),
    ]  # fmt: skip
    assert (folder / sha256(b"large")[7:]).read_bytes() == b"large"


@pytest.mark.parametrize("call", ["write", "sync", "rename"])
def test_an_attachment_that_failed_is_not_there_not_even_in_part(
    path: Path, sink: FileSink, disk: Faulty, call: str
) -> None:
    sink.attach(sha256(b"first"), b"first")
    disk.fail = {call: errno.EIO}
    assert reason(sink.attach, sha256(b"large"), b"large") == "write-failed"
    disk.fail = {}
    names = {file.name for file in Path(f"{path}.d").iterdir()}
    if call != "sync":  # where only the folder could not be synced the file is there, whole
        assert names == {".gitignore", sha256(b"first")[7:]}
    sink.attach(sha256(b"large"), b"large")
    assert (Path(f"{path}.d") / sha256(b"large")[7:]).read_bytes() == b"large"


def test_a_full_disk_for_an_attachment_is_a_full_disk(sink: FileSink, disk: Faulty) -> None:
    sink.attach(sha256(b"first"), b"first")
    disk.room = 3
    assert reason(sink.attach, sha256(b"large"), b"large") == "disk-full"


def test_what_a_crash_left_of_an_attachment_is_in_nobodys_way(
    path: Path, sink: FileSink, disk: Faulty
) -> None:
    sink.attach(sha256(b"first"), b"first")
    part = Path(f"{path}.d") / f".{sha256(b'large')[7:]}.{os.getpid()}.part"
    part.write_bytes(b"lar")
    sink.attach(sha256(b"large"), b"large")
    assert not part.exists()


def test_a_link_in_the_place_of_the_attachments_folder_is_refused(
    path: Path, sink: FileSink, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    Path(f"{path}.d").symlink_to(tmp_path / "elsewhere")
    assert reason(sink.attach, sha256(b"x"), b"x") == "write-failed"
    assert list((tmp_path / "elsewhere").iterdir()) == []
