"""What a guarded call costs: a write with everything, beside a bare durable one; and a passed read.

Guarded: T1, propose, decide, sign and open a receipt, T2, a durable intent, a grant signed, opened
and consumed, the exchange, T3, outcome and attestation, durable and under a checkpoint. Bare: a temporary file, fsync,
rename, fsync of the folder. Both in turns on one disk. `python -m bench.guard [FOLDER]`
"""

from __future__ import annotations

import os
import sqlite3
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from pathlib import Path
from statistics import median
from typing import Any

import msgspec

from bench.quiet import load, outcome
from bench.targets import BODY, bare, high, seconds
from groundwire.documents.call import ToolCall
from groundwire.documents.governing import FileArguments, GuardRules, ReadArguments
from groundwire.documents.policy import Policy, ToolDeclaration
from groundwire.session.executions.wrapping import recorded
from groundwire.session.guarding.table import GuardedTable
from groundwire.session.project import Project

ROUNDS, PHASES, THREADS = 200, 8, 16
READS = 3000


def edit(path: str, old: str, new: str) -> None:
    """Carried out by groundwire, never here."""
    raise AssertionError


def ping(host: str) -> str:
    """A read of no file."""
    return "pong"


def read(path: str) -> str:
    """A read of a file, as it may be."""
    return "what it holds"


TOOLS: dict[str, Callable[..., object]] = {"edit": edit, "ping": ping, "read": read}


def guarded(folder: Path) -> tuple[Project, GuardedTable]:
    """A project that edits and reads below the folder."""
    declared = (
        ToolDeclaration(name="edit", effect="write", target=FileArguments(edit="replace")),
        ToolDeclaration(name="ping", effect="read"),
        ToolDeclaration(name="read", effect="read", target=ReadArguments(paths=("path",))),
    )

    project = Project(Policy(tools=declared, guard=GuardRules(folder=str(folder))))
    return project, project.guard(TOOLS.values())


def edits(table: GuardedTable, path: str, number: int) -> None:
    """One line of a file, through everything."""
    old, new = f"turn {number:06d}", f"turn {number + 1:06d}"
    arguments = f'{{"path":"{path}","old":"{old}","new":"{new}"}}'
    result = table.dispatch(ToolCall(id=f"{path}-{number}", name="edit", arguments=arguments))
    assert not result.refused, result.message


def alone(folder: Path, table: GuardedTable) -> tuple[list[Any], list[Any]]:
    """Bare and guarded writes in turns, on one thread."""
    plain, ours = [], []
    (folder / "bare").mkdir()
    bare(folder / "a", BODY + b"turn 000000\n")
    for number in range(ROUNDS):
        content = BODY + b"%d\n" % number
        plain.append(seconds(lambda: bare(folder / "bare/a", content)))  # noqa: B023 -- run at once
        ours.append(seconds(lambda: edits(table, "a", number)))  # noqa: B023 -- run at once
    return plain, ours


def together(folder: Path, table: GuardedTable) -> tuple[list[float], list[float], float]:
    """The same by many threads of one run, each on a file of its own; phases in turns.

    The third number is the processors' time for one guarded write, in seconds, of all threads.
    """
    plain: list[float] = []
    ours: list[float] = []
    busy = 0.0
    for thread in range(THREADS):
        (folder / f"{thread}").mkdir()
        (folder / f"bare/{thread}").mkdir()
        bare(folder / f"{thread}/a", BODY + b"turn 000000\n")
    barrier = threading.Barrier(THREADS)

    def bare_writes(thread: int, _: int) -> list[float]:
        barrier.wait()
        path = folder / f"bare/{thread}/a"
        return [seconds(lambda: bare(path, BODY))[0] for _ in range(10)]

    def guarded_writes(thread: int, phase: int) -> list[float]:
        barrier.wait()
        numbers = range(phase * 10, phase * 10 + 10)
        return [seconds(lambda: edits(table, f"{thread}/a", number))[0] for number in numbers]  # noqa: B023 -- run at once

    with ThreadPoolExecutor(THREADS) as pool:
        for phase in range(PHASES):
            for act, times in ((bare_writes, plain), (guarded_writes, ours)):
                began = time.process_time()
                # Each thread is in the run of this one.
                waiting = [
                    pool.submit(copy_context().run, act, thread, phase) for thread in range(THREADS)
                ]
                for each in waiting:
                    times.extend(each.result())
                busy += time.process_time() - began if times is ours else 0.0
    return plain, ours, busy / len(ours)


def passed(table: GuardedTable, name: str, **arguments: str) -> tuple[float, float]:
    """A read through the table, and the same function called beside it; both are recorded. In µs."""
    text = msgspec.json.encode(arguments).decode()
    beside = recorded(TOOLS[name], name)
    ours, plain = [], []
    for number in range(READS):
        call = ToolCall(id=f"{name}-{number}", name=name, arguments=text)
        ours.append(seconds(lambda: table.dispatch(call))[0])  # noqa: B023 -- run at once
        plain.append(seconds(lambda: beside(**arguments))[0])
    return median(ours) * 1e6, median(plain) * 1e6


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """How often the medium was waited for meanwhile, by what file; SQLite's own are its commits."""
    found: Counter[str] = Counter()
    real = os.fsync

    def fsync(descriptor: int) -> None:
        path = os.readlink(f"/proc/self/fd/{descriptor}")
        found["recording" if path.endswith(".gw") else "target"] += 1
        real(descriptor)

    os.fsync = fsync  # type: ignore[assignment]  # counted, and done
    try:
        yield found
    finally:
        os.fsync = real


def main(folder: str | None) -> int:
    """Prints the table; 1 if something is over its bound on a quiet machine."""
    before = load()
    with tempfile.TemporaryDirectory(dir=folder) as made:
        os.environ["XDG_STATE_HOME"] = f"{made}/state"
        work = Path(made, "work")
        work.mkdir()
        project, table = guarded(work)
        with project.session(Path(made, "run.gw")):
            plain, ours = alone(work, table)
            plain_together, ours_together, processors = together(work, table)
            pings, reads = passed(table, "ping", host="db-1"), passed(table, "read", path="a")
            with counted() as syncs:
                edits(table, "a", ROUNDS)
        grants = sqlite3.connect(Path(made, "state/groundwire/guard/grants.sqlite"))
        used = grants.execute("SELECT count(*) FROM grants").fetchone()[0]
        grants.close()
    wall = [median(pair[0] for pair in each) for each in (plain, ours)]
    busy = median(pair[1] for pair in ours)
    extra = median(b[0] - a[0] for a, b in zip(plain, ours, strict=True))
    ratio = high(ours_together) / high(plain_together)
    rows = [
        ("bare durable write, one thread, median (ms)", wall[0] * 1e3, 0.0),
        ("guarded write, median (ms)", wall[1] * 1e3, 0.0),
        ("  of it this thread's own time (ms)", busy * 1e3, 0.0),
        ("  more than the bare one (ms)", extra * 1e3, 2.0),
        (f"bare, {THREADS} threads, slowest hundredth (ms)", high(plain_together) * 1e3, 0.0),
        (f"guarded, {THREADS} threads, slowest hundredth (ms)", high(ours_together) * 1e3, 0.0),
        ("  so many times the bare one", ratio, 3.5),
        ("  of the processors' time, each guarded write (ms)", processors * 1e3, 0.0),
        ("passed read, median (µs)", pings[0], 0.0),
        ("  more than the same call beside the table (µs)", pings[0] - pings[1], 60.0),
        ("passed read of a path, median (µs)", reads[0], 0.0),
        ("  more than the same call beside the table (µs)", reads[0] - reads[1], 0.0),
    ]
    over = False
    for name, value, bound in rows:
        over = over or bool(bound and value > bound)
        print(f"{name:<52}{value:>10.2f}" + (f"  bound {bound:g}" if bound else ""))
    print(
        f"fsyncs of one guarded write: {syncs['target']} of target and folder, "
        f"{syncs['recording']} of the recording, 1 of the grants; {used} grants used"
    )
    return outcome(over, before)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else None))
