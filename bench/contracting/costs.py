"""What a comparison costs, beside the official oasdiff binary, each in a process of its own."""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from bench.contracting.packages import github_pair, oasdiff

ROUNDS = 5
# Of descriptions that were made up for it.
ROUNDS_MADE_UP = 2
SECONDS = 30  # of processor time, after which a process is killed
CIRCLES = (10, 20, 40, 200)
MOST_KB = 3 << 20
BOUNDED = f'ulimit -t {SECONDS} && ulimit -v {MOST_KB} && exec "$0" "$@"'
ONE_LINE, WHOLE, SMALL_MS = 0.6, 3.0, 40.0
MOST_MB = 250.0
MOST_LEFT = 0.01
OURS = [sys.executable, "-m", "bench.contracting.one"]


class Run(msgspec.Struct, frozen=True):
    """One process: processor time in seconds, its most memory in MB, and what it printed."""

    seconds: float
    megabytes: float
    said: str
    ended: bool = True


def run(command: Sequence[str]) -> Run:
    """The process of a command, on one core."""
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen(
            ["sh", "-c", BOUNDED, *command],
            stdout=out,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "GOMAXPROCS": "1"},
        )
        ended, megabytes = 0, 0.0
        while not ended:
            # What `wait4` tells of memory is this process's own where that is more.
            megabytes = most_memory(child.pid) or megabytes
            time.sleep(0.01)
            ended, status, used = os.wait4(child.pid, os.WNOHANG)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        return Run(used.ru_utime + used.ru_stime, megabytes, out.read(), child.returncode == 0)


def most_memory(pid: int) -> float:
    """The most memory that a process had so far, in MB; 0 where it cannot be told."""
    try:
        told = Path(f"/proc/{pid}/status").read_text("ascii", "replace")
    except OSError:
        return 0.0
    found = re.search(r"VmHWM:\s+(\d+) kB", told)
    return int(found[1]) / 1024 if found else 0.0


class Row(msgspec.Struct, frozen=True):
    """A pair, compared by both. `bounds` are for ours: seconds and MB, 0 where there is none."""

    name: str
    ours: Run
    theirs: Sequence[Run]
    bounds: tuple[float, float] = (0.0, 0.0)

    @property
    def over(self) -> bool:
        """Whether ours is over a bound."""
        most = self.bounds
        slow = most[0] and self.ours.seconds > most[0]
        large = most[1] and self.ours.megabytes > most[1]
        return bool(slow or large or not self.ours.ended)


def measured(name: str, pair: tuple[Path, Path], bounds: tuple[float, float] = (0.0, 0.0)) -> Row:
    """A pair compared by us and, in the same minute, by oasdiff where it is there."""
    paths = [str(path) for path in pair]
    binary = oasdiff()
    theirs: list[Run] = []
    if binary is not None:
        for _ in range(ROUNDS if bounds[0] else ROUNDS_MADE_UP):
            theirs.append(run([str(binary), "changelog", *paths, "-f", "json"]))
            if not theirs[-1].ended:
                break  # it would take as long again
    ours = run([*OURS, *paths])
    if ours.ended:
        ours = min(ours, run([*OURS, *paths]), key=lambda each: each.seconds)
    return Row(name, ours, theirs, bounds)


def pairs(folder: Path) -> list[tuple[str, tuple[Path, Path], tuple[float, float]]]:
    """The pairs that are compared; those of GitHub are left out where npm does not give them."""
    found = []
    real = github_pair()
    if real is not None:
        found.append(("GitHub, whole", real, (WHOLE, MOST_MB)))
        found.append(("GitHub, one line", (real[1], _one_line(real[1], folder)), (ONE_LINE, 0.0)))
    for count in CIRCLES:
        name = f"circles, {count} schemas"
        both = folder / f"old{count}.json", folder / f"new{count}.json"
        for path, changed in zip(both, (False, True), strict=True):
            path.write_bytes(msgspec.json.encode(recursive(count, changed=changed)))
        found.append((name, both, (0.0, 0.0)))
    return found


def _one_line(path: Path, folder: Path) -> Path:
    """The description with a bound in it: the first text of a request that has none gets one."""
    document = msgspec.json.decode(path.read_bytes())
    for item in document["paths"].values():
        for operation in item.values():
            body = operation.get("requestBody", {}) if isinstance(operation, dict) else {}
            schema = body.get("content", {}).get("application/json", {}).get("schema", {})
            for each in schema.get("properties", {}).values():
                if each.get("type") == "string" and "maxLength" not in each and "enum" not in each:
                    each["maxLength"] = 30
                    changed = folder / "one-line.json"
                    changed.write_bytes(msgspec.json.format(msgspec.json.encode(document)))
                    return changed
    raise LookupError("no text to bound")


def recursive(count: int, *, changed: bool) -> dict[str, Any]:
    """A description of schemas that refer to one another in circles, by lists and alternatives.

    In the changed one every tenth has a bound that the other lacks.
    """
    schemas: dict[str, Any] = {}
    for index in range(count):
        schemas[f"S{index}"] = {
            "type": "object",
            "properties": {
                "kind": {"type": "string", "enum": [f"k{index}"]},
                "name": {
                    "type": "string",
                    **({"maxLength": 9} if changed and not index % 10 else {}),
                },
                "next": _refer((index + 1) % count),
                "many": {"type": "array", "items": _refer(index * 7 % count)},
                "either": {"oneOf": [_refer((index + step) % count) for step in (1, 2, 3)]},
            },
            "required": ["kind"],
        }
    paths = {
        f"/s{index}": {
            "post": {
                "requestBody": {"content": {"application/json": {"schema": _refer(index)}}},
                "responses": {
                    "200": {
                        "description": "",
                        "content": {"application/json": {"schema": _refer(index)}},
                    }
                },
            }
        }
        for index in range(0, count, 5)
    }
    return {
        "openapi": "3.0.3",
        "info": {"title": "Circles", "version": "1"},
        "paths": paths,
        "components": {"schemas": schemas},
    }


def _refer(index: int) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/S{index}"}


def table(rows: Sequence[Row]) -> bool:
    """Prints a line a pair; false where ours is over a bound."""
    print(
        f"{'pair':<26}{'s':>7}{'MB':>6}{'told':>7}{'left':>5}  oasdiff {'s':>11}{'MB':>7}"
        f"{'findings':>14}{'answers':>9}{'ours ÷ its time':>17}"
    )
    for row in rows:
        told, _, left = (row.ours.said if row.ours.ended else "killed").strip().partition(" ")
        line = f"{row.name:<26}{row.ours.seconds:>7.2f}{row.ours.megabytes:>6.0f}{told:>7}{left:>5}"
        print(f"{line}  {_of_oasdiff(row)}{'  OVER' if row.over else ''}")
    return not any(row.over for row in rows)


def _of_oasdiff(row: Row) -> str:
    if not row.theirs:
        return "not there"
    times = sorted(each.seconds for each in row.theirs)
    ended = [each for each in row.theirs if each.ended]
    counts = sorted(len(re.findall(r'"id":', each.said)) for each in ended)
    spread = f"{counts[0]}-{counts[-1]}" if counts else "killed"
    return (
        f"{times[0]:>8.2f}-{times[-1]:<6.2f}{max(each.megabytes for each in row.theirs):>9.0f}"
        f"{spread:>14}{len({each.said for each in ended}):>9}"
        f"{row.ours.seconds / statistics.median(times):>17.2f}"
    )
