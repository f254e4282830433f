from __future__ import annotations

import errno
import fcntl
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from groundwire.errors import HostError
from groundwire.stores.private_folder import OTHERS, OTHERS_WRITE, PrivateFolder, open_private

LIMIT = 1000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "keys"


@pytest.fixture
def folder(path: Path) -> Iterator[PrivateFolder]:
    with open_private(path, create=True) as opened:
        assert opened is not None
        yield opened


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_folder_that_is_not_there_is_not_made_by_looking(path: Path) -> None:
    with open_private(path, create=False) as opened:
        assert opened is None
    assert not path.parent.exists()


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_folders_and_files_are_private_whatever_the_umask(path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        with open_private(path, create=True) as opened:
            assert opened is not None
            opened.write("a", b"secret")
            with opened.locked():
                pass
    finally:
        os.umask(before)
    assert mode(path) == mode(path.parent) == 0o700
    assert {mode(file) for file in path.iterdir()} == {0o600}


def test_a_file_is_there_even_under_a_umask_that_takes_all(folder: PrivateFolder) -> None:
    before = os.umask(0o777)
    try:
        folder.write("a", b"secret")
    finally:
        os.umask(before)
    assert mode(folder.path / "a") == 0o600


@pytest.mark.parametrize("bits", [0o710, 0o701, 0o750, 0o755, 0o777, 0o720])
def test_a_folder_that_others_can_enter_is_refused_with_the_command_that_helps(
    path: Path, bits: int
) -> None:
    path.mkdir(parents=True)
    path.chmod(bits)
    with pytest.raises(HostError, match="chmod 700") as refused, open_private(path, create=True):
        pass
    assert refused.value.reason == "key-folder-unsafe"


def test_a_folder_that_everybody_can_exchange_is_refused(path: Path) -> None:
    path.mkdir(parents=True, mode=0o700)
    path.parent.chmod(0o777)
    with pytest.raises(HostError) as refused, open_private(path, create=False):
        pass
    assert refused.value.reason == "key-folder-unsafe"
    path.parent.chmod(0o1777)
    with open_private(path, create=False) as opened:
        assert opened is not None


def test_a_link_to_a_folder_is_refused(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    target.mkdir(mode=0o700)
    path.parent.mkdir()
    path.symlink_to(target)
    for create in (True, False):
        with pytest.raises(HostError) as refused, open_private(path, create=create):
            pass
        assert refused.value.reason == "key-folder-unsafe"


def test_a_link_to_nowhere_is_refused_and_nothing_is_made_there(path: Path, tmp_path: Path) -> None:
    path.parent.mkdir()
    path.symlink_to(tmp_path / "nowhere")
    with pytest.raises(HostError), open_private(path, create=True):
        pass
    assert not (tmp_path / "nowhere").exists()


def test_a_file_in_the_place_of_the_folder_is_refused(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"")
    with pytest.raises(HostError) as refused, open_private(path, create=True):
        pass
    assert refused.value.reason == "key-store-failed"


def test_another_users_folder_and_files_are_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_private(path, create=True) as folder:
        assert folder is not None
        folder.write("a", b"data")
        (path / "lock").touch(0o600)
        owner = os.geteuid()
        monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
        with pytest.raises(HostError, match=f"user {owner}") as refused:
            folder.read("a", forbidden=OTHERS, limit=LIMIT)
        assert refused.value.reason == "key-file-unsafe"
        with pytest.raises(HostError) as refused, folder.locked():
            pass
        assert refused.value.reason == "key-file-unsafe"
    with (
        pytest.raises(HostError, match=f"user {owner}") as refused,
        open_private(path, create=False),
    ):
        pass
    assert refused.value.reason == "key-folder-unsafe"


def test_a_file_comes_back_as_it_was_written_and_none_as_none(folder: PrivateFolder) -> None:
    folder.write("a", b"first")
    folder.write("a", b"second")
    assert folder.read("a", forbidden=OTHERS, limit=LIMIT) == b"second"
    assert folder.read("b", forbidden=OTHERS, limit=LIMIT) is None
    folder.remove("a")
    folder.remove("a")
    assert folder.names() == ()


@pytest.mark.parametrize(
    ("bits", "forbidden", "read"),
    [
        (0o600, OTHERS, True),
        (0o400, OTHERS, True),
        (0o640, OTHERS, False),
        (0o604, OTHERS, False),
        (0o644, OTHERS_WRITE, True),
        (0o664, OTHERS_WRITE, False),
        (0o646, OTHERS_WRITE, False),
    ],
)
def test_a_file_that_is_open_to_others_is_refused(
    folder: PrivateFolder, bits: int, forbidden: int, read: bool
) -> None:
    folder.write("a", b"data")
    (folder.path / "a").chmod(bits)
    if read:
        assert folder.read("a", forbidden=forbidden, limit=LIMIT) == b"data"
        return
    with pytest.raises(HostError, match="chmod 600") as refused:
        folder.read("a", forbidden=forbidden, limit=LIMIT)
    assert refused.value.reason == "key-file-unsafe"


def test_a_link_in_the_place_of_a_file_is_not_followed(
    folder: PrivateFolder, tmp_path: Path
) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"theirs")
    target.chmod(0o600)
    (folder.path / "a").symlink_to(target)
    with pytest.raises(HostError) as refused:
        folder.read("a", forbidden=OTHERS, limit=LIMIT)
    assert refused.value.reason == "key-store-failed"
    folder.write("a", b"ours")
    assert target.read_bytes() == b"theirs"
    assert not (folder.path / "a").is_symlink()


def test_a_link_in_the_place_of_the_lock_is_not_followed(
    folder: PrivateFolder, tmp_path: Path
) -> None:
    (folder.path / "lock").symlink_to(tmp_path / "made")
    with pytest.raises(HostError), folder.locked():
        pass
    assert not (tmp_path / "made").exists()


def test_a_pipe_in_the_place_of_a_file_is_refused_and_not_waited_for(
    folder: PrivateFolder,
) -> None:
    os.mkfifo(folder.path / "a", 0o600)
    with pytest.raises(HostError) as refused:
        folder.read("a", forbidden=OTHERS, limit=LIMIT)
    assert refused.value.reason == "key-file-unsafe"


def test_a_folder_in_the_place_of_a_file_is_one_clear_error(folder: PrivateFolder) -> None:
    (folder.path / "a").mkdir()
    with pytest.raises(HostError) as refused:
        folder.read("a", forbidden=OTHERS, limit=LIMIT)
    assert refused.value.reason == "key-file-unsafe"
    with pytest.raises(HostError) as refused:
        folder.write("a", b"data")
    assert refused.value.reason == "key-store-failed"
    assert folder.names() == ("a",)


def test_a_file_beyond_its_bound_is_not_read(folder: PrivateFolder) -> None:
    folder.write("a", bytes(LIMIT + 1))
    with pytest.raises(HostError) as refused:
        folder.read("a", forbidden=OTHERS, limit=LIMIT)
    assert refused.value.reason == "key-file-unsafe"


@pytest.mark.parametrize("failing", ["write", "fsync", "replace", "fchmod"])
def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    folder: PrivateFolder, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    folder.write("a", b"old")

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, failing, full)
        with pytest.raises(HostError, match="No space left") as refused:
            folder.write("a", b"new")
    assert refused.value.reason == "key-store-failed"
    assert folder.names() == ("a",)
    assert folder.read("a", forbidden=OTHERS, limit=LIMIT) == b"old"


def test_a_short_write_is_completed(folder: PrivateFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: whole(descriptor, data[:3]))
    folder.write("a", b"0123456789")
    assert folder.read("a", forbidden=OTHERS, limit=LIMIT) == b"0123456789"


def test_a_file_is_synced_before_it_is_named_and_the_folder_after(
    folder: PrivateFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    fsync, replace = os.fsync, os.replace

    def watched_fsync(descriptor: int) -> None:
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        seen.append("sync folder" if is_folder else "sync file")
        fsync(descriptor)

    def watched_replace(*arguments: object, **named: object) -> None:
        seen.append("name")
        replace(*arguments, **named)  # type: ignore[arg-type] -- passed on as it came

    monkeypatch.setattr(os, "fsync", watched_fsync)
    monkeypatch.setattr(os, "replace", watched_replace)
    folder.write("a", b"data")
    assert seen == ["sync file", "name", "sync folder"]


def test_what_a_crash_left_half_written_does_not_stand_in_the_way(folder: PrivateFolder) -> None:
    (folder.path / ".a.new").write_bytes(b"half")
    folder.write("a", b"whole")
    assert folder.names() == ("a",)


def test_a_lock_is_let_go_of_though_a_copy_of_it_lives_on(folder: PrivateFolder) -> None:
    """A child forked while the lock was held keeps a copy of the descriptor for its life."""
    if not sys.platform.startswith("linux"):
        pytest.skip("finds the descriptor through /proc")
    descriptors = Path("/proc/self/fd")
    with folder.locked():
        lock = str(folder.path / "lock")
        held = [
            int(entry.name) for entry in descriptors.iterdir() if os.path.realpath(entry) == lock
        ]
        copy = os.dup(held[0])
    try:
        with open(folder.path / "lock", "rb") as again:
            fcntl.flock(again, fcntl.LOCK_EX | fcntl.LOCK_NB)
    finally:
        os.close(copy)


def test_the_lock_keeps_others_out(folder: PrivateFolder) -> None:
    with (
        folder.locked(),
        (folder.path / "lock").open("rb") as other,
        pytest.raises(BlockingIOError),
    ):
        fcntl.flock(other, fcntl.LOCK_SH | fcntl.LOCK_NB)


def test_an_error_inside_lets_go_of_the_lock(folder: PrivateFolder) -> None:
    with pytest.raises(KeyError), folder.locked():
        raise KeyError
    with folder.locked():
        pass
