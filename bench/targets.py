"""What a guarded write of a file costs beside a bare durable one, and what each of them loses.

Bare: a temporary file, fsync, rename, fsync of the folder. Guarded: T1 (state and bytes), propose,
T2, a kept before-image, exchange, comparison, T3. Both in turns on one disk. Signature, grant and
record are not in it. `python -m bench.targets [FOLDER]`
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

from bench.contest import Add, Tally, by_renaming, contest, in_place
from bench.quiet import load, outcome
from groundwire.documents.edit import Replace, Rewrite, Whole
from groundwire.errors import GroundwireError
from groundwire.targets.disk.kept import KeptFiles
from groundwire.targets.disk.system import Disk
from groundwire.targets.files.target import FilesTarget

BODY = b"".join(b"line %04d of an ordinary source file\n" % line for line in range(110))
ROUNDS, PHASES, THREADS = 150, 8, 16
CONTEST = 200


class Counting(Disk):
    """The system, and how often it was asked to wait for the medium."""

    syncs = 0

    def sync(self, descriptor: int) -> None:
        self.syncs += 1
        super().sync(descriptor)


class Guarded:
    """Edits of files below one folder, through the target."""

    def __init__(self, folder: Path, disk: Disk | None = None) -> None:
        self.work = folder / "work"
        self.work.mkdir(exist_ok=True)
        self.disk = disk or Disk()
        kept = KeptFiles(folder / "kept", time.time, disk=self.disk)
        self.target = FilesTarget(self.work, kept, folder / "state", self.disk)

    def edit(self, path: str, number: int) -> None:
        """T1, propose, write, T3 of one line."""
        edit = Rewrite(
            path=path,
            edits=(Replace(old=f"turn {number:06d}\n", new=f"turn {number + 1:06d}\n"),),
        )
        readings = [self.target.read_state(name) for name in self.target.touches([edit])]
        proposal = self.target.propose([edit], readings)
        self.target.write_if_unchanged(proposal, os.urandom(16).hex())
        assert [seen.seen for seen in self.target.observe(proposal)] == ["content-match"]


def bare(path: Path, content: bytes) -> None:
    """The durable write that everybody knows."""
    beside = f"{path}.tmp"
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.write(descriptor, content)
    os.fsync(descriptor)
    os.close(descriptor)
    os.rename(beside, path)
    folder = os.open(path.parent, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def seconds(act: Callable[[], object]) -> tuple[float, float]:
    """What it took by the wall, and of this thread's own time."""
    began, busy = time.perf_counter(), time.thread_time()
    act()
    return time.perf_counter() - began, time.thread_time() - busy


def alone(folder: Path) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """Bare and guarded writes in turns, on one thread."""
    guarded, plain, ours = Guarded(folder), [], []
    other = folder / "bare"
    other.mkdir()
    bare(guarded.work / "a", BODY + b"turn 000000\n")
    for number in range(ROUNDS):
        plain.append(seconds(lambda: bare(other / "a", BODY + b"%d\n" % number)))  # noqa: B023 -- run at once
        ours.append(seconds(lambda: guarded.edit("a", number)))  # noqa: B023 -- run at once
    return plain, ours


def together(folder: Path) -> tuple[list[float], list[float]]:
    """The same by many threads, each on files of its own; phases in turns."""
    guarded, plain, ours = Guarded(folder), [], []
    other = folder / "bare"
    other.mkdir(exist_ok=True)
    for thread in range(THREADS):
        (guarded.work / f"{thread}").mkdir()
        (other / f"{thread}").mkdir()

    def bare_writes(thread: int) -> list[float]:
        barrier.wait()
        path = other / f"{thread}/a"
        return [seconds(lambda: bare(path, BODY))[0] for _ in range(10)]

    def guarded_writes(thread: int) -> list[float]:
        bare(guarded.work / f"{thread}/a", BODY + b"of %d turn 000000\n" % thread)
        barrier.wait()
        return [
            seconds(lambda: guarded.edit(f"{thread}/a", number))[0]  # noqa: B023 -- run at once
            for number in range(10)
        ]

    barrier = threading.Barrier(THREADS)
    with ThreadPoolExecutor(THREADS) as pool:
        for _ in range(PHASES):
            for took in pool.map(bare_writes, range(THREADS)):
                plain += took
            for took in pool.map(guarded_writes, range(THREADS)):
                ours += took
    return plain, ours


def syncs(folder: Path, files: int) -> int:
    """How often a write of so many files waits for the medium."""
    disk = Counting()
    guarded = Guarded(folder, disk)
    edits = [Whole(path=f"s{number}", content=b"2") for number in range(files)]
    for edit in edits:
        (guarded.work / edit.path).write_bytes(b"1")
    readings = [guarded.target.read_state(name) for name in guarded.target.touches(edits)]
    proposal = guarded.target.propose(edits, readings)
    disk.syncs = 0
    guarded.target.write_if_unchanged(proposal, os.urandom(16).hex())
    return disk.syncs


def checks_then_renames(path: Path) -> Add:
    """As careful writers write: a look just before the rename."""

    def add(number: int) -> bool:
        before = path.read_bytes()
        beside = path.with_name("ours")
        beside.write_bytes(before[:200] + b"%d\n" % number)
        if path.read_bytes() != before:
            return False
        beside.rename(path)
        return True

    return add


def exchanges(guarded: Guarded) -> Add:
    """The same through the target."""

    def add(number: int) -> bool:
        name = guarded.target.locate("a")
        try:
            reading = guarded.target.read_state(name)
            content = (reading.content or b"")[:200] + b"%d\n" % number
            proposal = guarded.target.propose([Whole(path="a", content=content)], [reading])
            guarded.target.write_if_unchanged(proposal, os.urandom(16).hex())
        except GroundwireError:
            return False
        return True

    return add


def contests(folder: Path) -> dict[str, Tally]:
    """What rivals lost to each kind of writer."""

    class Unsynced(Disk):
        def sync(self, descriptor: int) -> None:
            return

    guarded = Guarded(folder, Unsynced())
    path = guarded.work / "a"
    return {
        "check, then rename; a rival that renames": contest(
            path, CONTEST, checks_then_renames(path), by_renaming
        ),
        "check, then rename; a rival that writes in place": contest(
            path, CONTEST, checks_then_renames(path), in_place
        ),
        "guarded; a rival that renames": contest(path, CONTEST, exchanges(guarded), by_renaming),
        "guarded; a rival that writes in place": contest(
            path, CONTEST, exchanges(guarded), in_place
        ),
    }


def high(times: list[float]) -> float:
    """The 99th hundredth."""
    return sorted(times)[int(len(times) * 0.99)]


def main(folder: str | None) -> int:
    """Prints the table; 1 if something is over its bound on a quiet machine, or bytes were lost."""
    before = load()
    with tempfile.TemporaryDirectory(dir=folder) as made:
        places = [Path(made, name) for name in ("alone", "together", "syncs", "contest")]
        for place in places:
            place.mkdir()
        tallies = contests(places[3])
        plain, ours = alone(places[0])
        plain_together, ours_together = together(places[1])
        one, three = syncs(places[2], 1), syncs(places[2], 3)
    wall = [median(pair[0] for pair in each) for each in (plain, ours)]
    busy = [median(pair[1] for pair in each) for each in (plain, ours)]
    extra = median(b[0] - a[0] for a, b in zip(plain, ours, strict=True))
    ratio = high(ours_together) / high(plain_together)
    rows = [
        ("bare durable write, one thread, median (ms)", wall[0] * 1e3, 0.0),
        ("guarded write with T1 to T3 (ms)", wall[1] * 1e3, 0.0),
        ("  over the bare one just before it, median (ms)", extra * 1e3, 2.0),
        ("  ratio of the medians", wall[1] / wall[0], 0.0),
        ("  of the thread's own time: bare (ms)", busy[0] * 1e3, 0.0),
        ("  of the thread's own time: guarded (ms)", busy[1] * 1e3, 0.0),
        ("16 threads: bare, slowest hundredth (ms)", high(plain_together) * 1e3, 0.0),
        ("16 threads: guarded, slowest hundredth (ms)", high(ours_together) * 1e3, 0.0),
        ("  ratio of the slowest hundredths", ratio, 3.5),
        ("fsyncs of a bare write", 2, 0.0),
        ("fsyncs of a guarded write of one file", one, 0.0),
        ("fsyncs of a guarded write of three files", three, 0.0),
    ]
    over = False
    for name, value, bound in rows:
        missed = bool(bound) and value > bound
        over |= missed
        wanted = f"<= {bound:g}" if bound else ""
        print(f"{name:<52}{value:>9.2f}  {wanted}{'  OVER' if missed else ''}")
    for name, tally in tallies.items():
        print(f"{name:<52}{tally.lost:>5} of {tally.rounds} lost, {tally.refused} refused")
        if name.startswith("guarded") and tally.lost:
            return 1
    return outcome(over, before)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else None))
