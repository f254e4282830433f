from __future__ import annotations

from pathlib import Path

import pytest

from groundwire.errors import HostError
from groundwire.targets.disk.locks import exclusively
from groundwire.targets.disk.system import Disk
from tests.unit.stores.disks import forked
from tests.unit.targets.trees import Rival, Tree, replace


def is_free(state: Path) -> bool:
    """Whether another process could take every lock that there is."""

    def take() -> str:
        disk = Disk()
        for path in state.glob("*.lock"):
            disk.lock(disk.open_lock(str(path)))
        return "free"

    return forked(take) == "free"


def test_of_two_writers_in_one_place_one_waits(tmp_path: Path) -> None:
    with exclusively(tmp_path / "state", [(1, 2), (1, 2)], Disk()):
        assert not is_free(tmp_path / "state")
    assert is_free(tmp_path / "state")
    assert len(list((tmp_path / "state").iterdir())) == 1


def test_names_are_exchanged_under_the_lock(tmp_path: Path) -> None:
    free: list[bool] = []
    tree = Tree(tmp_path, Rival("exchange", lambda: free.append(is_free(tree.state))))
    tree.file("a", b"1\n")
    tree.write(replace("a", "1", "2"))
    assert free == [False]
    assert is_free(tree.state)


def test_a_folder_of_state_that_is_none_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "state").write_bytes(b"")
    with pytest.raises(HostError) as refused, exclusively(tmp_path / "state", [(1, 2)], Disk()):
        pass
    assert refused.value.reason == "journal-failed"
