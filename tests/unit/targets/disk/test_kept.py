from __future__ import annotations

import os
from pathlib import Path

import pytest

from groundwire.canon.digest import sha256
from groundwire.documents.edit import Delete
from groundwire.errors import EncodingError, HostError
from groundwire.targets.disk import kept as kept_module
from groundwire.targets.disk.kept import KeptBounds, KeptFiles
from groundwire.targets.disk.system import Disk
from tests.unit.targets.trees import Tree


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
