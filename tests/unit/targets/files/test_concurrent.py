"""Two processes write one file, hundreds of times: what the other one wrote is never lost."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from bench.contest import Tally, by_renaming, contest, in_place

from groundwire.documents.edit import Whole
from groundwire.errors import GroundwireError
from tests.unit.stores.disks import fork
from tests.unit.targets.trees import Tree, fresh, replace


def guarded(tree: Tree) -> Callable[[int], bool]:
    """Adds a line by T1, propose and write; False where that was refused."""

    def add(number: int) -> bool:
        name = tree.target.locate("a")
        try:
            reading = tree.target.read_state(name)
            content = (reading.content or b"")[:200] + b"%d\n" % number
            proposal = tree.target.propose([Whole(path="a", content=content)], [reading])
            tree.target.write_if_unchanged(proposal, fresh())
        except GroundwireError as error:
            if error.reason not in {"state-drifted", "state-unmeasurable"}:
                raise
            return False
        return True

    return add


def run(tmp_path: Path, rounds: int, rival: Callable[[Path, bytes], None]) -> Tally:
    tree = Tree(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # a fork beside pytest's own threads
        tally = contest(tree.work / "a", rounds, guarded(tree), rival)
    assert set(tree.contents()) <= {"a", "rival"}
    return tally


@pytest.mark.parametrize("rival", [by_renaming, in_place])
def test_no_write_of_another_process_is_lost_in_a_hundred(
    tmp_path: Path, rival: Callable[[Path, bytes], None]
) -> None:
    assert run(tmp_path, 100, rival).lost == 0


@pytest.mark.slow
@pytest.mark.parametrize("rival", [by_renaming, in_place])
def test_no_write_of_another_process_is_lost_in_eight_hundred(
    tmp_path: Path, rival: Callable[[Path, bytes], None]
) -> None:
    tally = run(tmp_path, 800, rival)
    print(tally)
    assert tally.lost == 0
    assert tally.refused > 0, "the two never met"


def adds_lines(folder: Path, who: int, lines: int) -> None:
    tree = Tree(folder)
    for number in range(lines):
        while True:
            name = tree.target.locate("a")
            reading = tree.target.read_state(name)
            content = (reading.content or b"") + b"%d of %d\n" % (number, who)
            proposal = tree.target.propose([Whole(path="a", content=content)], [reading])
            try:
                tree.target.write_if_unchanged(proposal, fresh())
            except GroundwireError as error:
                if error.reason != "state-drifted":
                    raise
                continue
            break


def test_four_guarded_writers_of_one_file_lose_no_line(tmp_path: Path) -> None:
    Tree(tmp_path).file("a", b"")
    children = []
    for who in range(4):
        child = fork()
        if child == 0:
            try:
                adds_lines(tmp_path, who, 40)
            except BaseException:
                os._exit(1)
            os._exit(0)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
    lines = (tmp_path / "work/a").read_bytes().splitlines()
    assert sorted(lines) == sorted(b"%d of %d" % (n, who) for who in range(4) for n in range(40))


def test_sixteen_threads_write_files_of_their_own(tree: Tree) -> None:
    for number in range(16):
        tree.file(f"d/{number}", b"0\n")

    def work(number: int) -> None:
        for turn in range(10):
            tree.write(replace(f"d/{number}", f"{turn}", f"{turn + 1}"))

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(work, range(16)))
    assert set(tree.contents().values()) == {b"10\n"}
