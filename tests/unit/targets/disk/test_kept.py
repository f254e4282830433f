from __future__ import annotations

import gc
import os
from contextlib import suppress
from pathlib import Path

import pytest

from groundwire.canon.digest import sha256
from groundwire.documents.edit import Delete, FileEdit
from groundwire.documents.target import Present
from groundwire.errors import EncodingError, HostError
from groundwire.targets.disk import kept as kept_module
from groundwire.targets.disk.kept import KeptBounds, KeptFiles
from groundwire.targets.disk.system import Disk
from tests.unit.targets.trees import Tree, Unsynced, replace


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def kept_in(folder: Path, clock: Clock | None = None, **bounds: float) -> KeptFiles:
    made = KeptBounds(**{name: int(value) for name, value in bounds.items()})
    return KeptFiles(folder / "kept", clock or Clock(), made)


def test_bytes_are_kept_by_their_digest_in_files_of_the_owner_alone(tmp_path: Path) -> None:
    kept = kept_in(tmp_path)
    digest = kept.keep(b"before")
    assert digest == sha256(b"before")
    assert kept.has(digest)
    assert kept.read(digest) == b"before"
    (file,) = (tmp_path / "kept").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "kept").stat().st_mode & 0o777 == 0o700
    assert kept.read(sha256(b"other")) is None


def test_what_is_too_large_is_not_kept(tmp_path: Path) -> None:
    assert kept_in(tmp_path, each=3).keep(b"1234") is None
    assert kept_in(tmp_path, total=3).keep(b"1234") is None
    assert kept_in(tmp_path, each=4).keep(b"1234") is not None


def test_the_oldest_goes_where_the_total_is_too_small(tmp_path: Path) -> None:
    clock = Clock()
    kept = kept_in(tmp_path, clock, total=10)
    digests = []
    for content in (b"first", b"other", b"third"):
        digests.append(kept.keep(content) or "")
        clock.now += 1
    assert [kept.has(digest) for digest in digests] == [False, True, True]


def test_room_is_made_for_more_than_one_but_not_of_what_a_write_still_counts_on(
    tmp_path: Path,
) -> None:
    clock = Clock()
    kept = kept_in(tmp_path, clock, total=64)

    def after(hours: int, *sizes: int) -> list[bool]:
        contents = [b"%d" % at * size for at, size in enumerate(sizes)]
        for content in contents[:-1]:
            kept.keep(content)
            clock.now += 1
        clock.now += 3600 * hours
        kept.keep(contents[-1])
        clock.now += 7200
        return [kept.has(sha256(content)) for content in contents]

    assert after(0, 1, 30, 33, 1) == [False, True, True, True]
    assert after(2, 1, 30, 33, 1) == [False, False, True, True]


class Waiting(Disk):
    """Counts what is waited for."""

    def __init__(self) -> None:
        self.waits = 0

    def sync(self, descriptor: int) -> None:
        self.waits += 1
        super().sync(descriptor)


def test_a_few_images_are_waited_for_one_by_one_and_many_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk, together = Waiting(), []

    def all_of_it(descriptor: int) -> bool:
        together.append(descriptor)
        return True

    monkeypatch.setattr(kept_module, "sync_file_system", all_of_it)
    kept = KeptFiles(tmp_path / "kept", Clock(), disk=disk)
    digests = [kept.keep(b"%d" % at) or "" for at in range(50)]
    assert disk.waits == 0
    kept.wait_for(digests[:2])
    assert (disk.waits, together) == (4, [])
    kept.wait_for(digests)
    assert (disk.waits, len(together)) == (4, 1)
    monkeypatch.setattr(kept_module, "sync_file_system", lambda _: False)
    kept.wait_for(digests)
    assert disk.waits == 104


def test_a_write_of_several_files_waits_for_what_they_held_before_it_begins(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[int] = []
    monkeypatch.setattr(KeptFiles, "wait_for", lambda _, digests: waited.append(len(digests)))
    tree.file("a", b"one")
    tree.file("b", b"two")
    tree.write(Delete(path="a"), Delete(path="b"))
    assert waited == [2]


def test_what_is_kept_again_is_young_again(tmp_path: Path) -> None:
    clock = Clock()
    kept = kept_in(tmp_path, clock, total=10)
    for content in (b"first", b"other", b"first", b"third"):
        kept.keep(content)
        clock.now += 1
    assert kept.has(sha256(b"first"))
    assert not kept.has(sha256(b"other"))


def test_what_is_too_old_is_gone_the_next_time(tmp_path: Path) -> None:
    clock = Clock()
    kept = kept_in(tmp_path, clock, age=60)
    digest = kept.keep(b"old") or ""
    (tmp_path / "kept/stranger").write_bytes(b"not ours")
    clock.now += 61
    assert not kept_in(tmp_path, clock, age=60).has(digest)
    assert (tmp_path / "kept/stranger").exists()


def test_a_torn_or_forged_image_is_not_there_and_is_made_anew(tmp_path: Path) -> None:
    kept = kept_in(tmp_path)
    digest = kept.keep(b"before") or ""
    (file,) = (tmp_path / "kept").iterdir()
    file.write_bytes(b"bef")
    assert kept.read(digest) is None
    kept.keep(b"before")
    assert kept.read(digest) == b"before"
    file.unlink()
    file.symlink_to("/etc/passwd")
    assert kept.read(digest) is None
    with pytest.raises(EncodingError):
        kept.read("sha256:../../etc/passwd".ljust(71, "0"))


@pytest.mark.parametrize("kind", ["open", "link", "file"])
def test_a_folder_that_others_reach_is_refused(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "kept"
    if kind == "open":
        folder.mkdir()
        folder.chmod(0o755)
    elif kind == "link":
        (tmp_path / "real").mkdir(mode=0o700)
        folder.symlink_to(tmp_path / "real")
    else:
        folder.write_bytes(b"")
    with pytest.raises(HostError) as refused:
        kept_in(tmp_path)
    assert refused.value.reason == "kept-folder-unsafe"


def test_a_folder_that_is_gone_is_told_of(tmp_path: Path) -> None:
    kept = kept_in(tmp_path)
    os.rmdir(tmp_path / "kept")
    with pytest.raises(HostError) as refused:
        kept.keep(b"x")
    assert refused.value.reason == "kept-failed"
    kept.close()
    kept.close()


def token_at(tree: Tree, name: str) -> Present:
    state = tree.target.read_state(tree.target.locate(name)).state
    assert isinstance(state, Present)
    return state


def take(tree: Tree, name: str, token: Present) -> bool:
    folder = os.open(tree.work, os.O_RDONLY)
    try:
        return tree.kept.take(name, folder, token)
    finally:
        os.close(folder)


def test_a_displaced_file_is_its_own_image(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    path = tree.file("a", b"1\n", 0o755)
    inode = path.stat().st_ino
    written = tree.write(replace("a", "1", "2"))
    (image,) = (tree.folder / "kept").iterdir()
    assert image.stat().st_ino == inode
    assert image.stat().st_mode & 0o777 == 0o600
    assert tree.contents() == {"a": b"2\n"}
    assert written.kept == (sha256(b"1\n"),)
    assert tree.kept.read(sha256(b"1\n")) == b"1\n"


def test_an_image_of_a_file_that_was_old_is_young(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    os.utime(tree.file("a", b"1\n"), (1, 1))
    tree.write(replace("a", "1", "2"))
    tree.kept.prune()
    assert tree.kept.has(sha256(b"1\n"))


def test_attack_a_file_with_another_name_is_kept_as_a_copy(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    os.link(tree.file("a", b"1\n"), tmp_path / "other-name")
    tree.write(replace("a", "1", "2"))
    (tmp_path / "other-name").write_bytes(b"forged\n")
    assert tree.kept.read(sha256(b"1\n")) == b"1\n"


def test_attack_a_file_that_somebody_has_open_to_write_does_not_become_an_image(
    tmp_path: Path,
) -> None:
    class Opened(Unsynced):
        """Somebody opens the file as soon as it was looked at for the last time but one."""

        theirs: list[int]

        def exchange(self, one: str, other: str, folder: int) -> None:
            self.theirs = [os.open(other, os.O_RDWR, dir_fd=folder)]
            super().exchange(one, other, folder)

        def is_open_for_writing(self, descriptor: int) -> bool:
            return False  # as where there are no leases

    disk = Opened()
    tree = Tree(tmp_path, disk)
    tree.file("a", b"1\n")
    tree.write(replace("a", "1", "2"))
    os.write(disk.theirs[0], b"forged")
    os.close(disk.theirs[0])
    assert tree.kept.read(sha256(b"1\n")) == b"1\n"


def test_attack_another_file_put_in_its_place_does_not_become_an_image(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    path = tree.file("a", b"1\n")
    token = token_at(tree, "a")
    path.rename(tree.work / "b")
    tree.file("a", b"2\n")
    assert not take(tree, "a", token)
    assert not take(tree, "nothing", token)
    assert tree.contents() == {"a": b"2\n", "b": b"1\n"}


def test_where_nobody_can_say_who_writes_a_copy_is_kept(tmp_path: Path) -> None:
    class NoLeases(Disk):
        def is_surely_closed(self, descriptor: int) -> bool:
            return False

    tree = Tree(tmp_path, NoLeases())
    inode = tree.file("a", b"1\n").stat().st_ino
    written = tree.write(replace("a", "1", "2"))
    (image,) = (tree.folder / "kept").iterdir()
    assert image.stat().st_ino != inode
    assert written.kept == (sha256(b"1\n"),)
    assert tree.contents() == {"a": b"2\n"}


@pytest.mark.parametrize("edit", [replace("a", "1", "2"), Delete(path="a")])
def test_where_nothing_can_be_kept_the_file_has_its_name_again(
    tmp_path: Path, edit: FileEdit
) -> None:
    class Full(Disk):
        def rename(self, old: str, folder: int, new: str, to_folder: int) -> None:
            raise OSError(28, "no room")

        def create(self, name: str, folder: int, mode: int) -> int:
            raise OSError(28, "no room")

    tree = Tree(tmp_path)
    tree.file("a", b"1\n")
    tree.kept._disk = Full()
    with pytest.raises(HostError) as refused:
        tree.write(edit)
    assert refused.value.reason == "kept-failed"
    assert tree.contents() == {"a": b"1\n"}


def test_attack_a_name_that_the_file_got_since_keeps_it_from_becoming_an_image(
    tmp_path: Path,
) -> None:
    tree = Tree(tmp_path)
    path = tree.file("a", b"1\n")
    token = token_at(tree, "a")
    os.link(path, tmp_path / "other-name")
    assert not take(tree, "a", token)
    assert tree.contents() == {"a": b"1\n"}


def held_open(folder: Path) -> int:
    """How many descriptors of this process are of the folder."""
    own, count = Path("/proc/self/fd"), 0
    for name in os.listdir(own):
        with suppress(OSError):
            count += os.readlink(own / name) == str(folder)
    return count


def test_a_folder_of_images_that_is_forgotten_holds_no_descriptor(tmp_path: Path) -> None:
    for _ in range(8):
        kept_in(tmp_path).keep(b"before")
    gc.collect()
    assert held_open(tmp_path / "kept") == 0
    kept = kept_in(tmp_path)
    assert held_open(tmp_path / "kept") == 1
    kept.close()
    kept.close()
    assert held_open(tmp_path / "kept") == 0
