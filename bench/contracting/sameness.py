"""Whether verdicts are the same on each run, and however a description is written."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from bench.contracting.packages import github_pair
from bench.contracting.pairs import opened, read
from bench.contracting.rewriting import EDITS, as_yaml
from groundwire.contracts.changes import Change
from groundwire.contracts.openapi.comparing import compare
from groundwire.contracts.openapi.description import Description
from groundwire.contracts.openapi.opening.opening import open_description

SETS = ("own-openapi", "issue-cases", "openapi-oasdiff")
SEEDS = range(5)
RUNS = 20
Verdict = frozenset[tuple[str, str]]


def pairs(every: int = 1) -> Iterator[tuple[str, Any, Any]]:
    """Pairs of descriptions out of the cases, as documents: one of `every`."""
    rows = [
        (f"{name} {row.get('id') or row.get('name') or row.get('n')}", row)
        for name in SETS
        for row in read(name)
        if row.get("type", "openapi") == "openapi" and isinstance(row["before"], dict)
    ]
    for name, row in rows[::every]:
        yield name, row["before"], row["after"]


def verdict(changes: Sequence[Change]) -> Verdict:
    """What is said of which operation; what is only noted is left out."""
    return frozenset(
        (change.grade, operation)
        for change in changes
        if change.grade != "noted"
        for operation in change.reaches
    )


def unlike(one: Verdict, other: Verdict) -> tuple[int, int]:
    """Of how many operations the two say something else.

    First of those that both decided, then of those that one of them left undecided: an edit may
    lead the search another way, and to the end of its budget.
    """
    operations = {operation for _, operation in one ^ other}
    left = {operation for grade, operation in one | other if grade == "undecided"}
    return len(operations - left), len(operations & left)


def differing(old: Any, new: Any, *, yaml: bool = True) -> Iterator[tuple[str, int, int]]:
    """The edits of the new document, or of both, after which another verdict is given.

    With each the two counts of `unlike`.
    """
    before = opened(old)
    plain = verdict(compare(before, opened(new)))
    for name, edit in EDITS.items():
        after = opened(edit(new))
        yield from _counted(name, plain, before, after)
        yield from _counted(f"{name}, on both sides", plain, opened(edit(old)), after)
    if yaml:
        data = as_yaml(new)
        other = open_description("api.yaml", lambda name: data if name == "api.yaml" else None)
        yield from _counted("YAML", plain, before, other)


def _counted(
    name: str, plain: Verdict, before: Description, after: Description
) -> Iterator[tuple[str, int, int]]:
    decided, left = unlike(plain, verdict(compare(before, after)))
    if decided or left:
        yield name, decided, left


def bytes_said(every: int, *, real: bool) -> bytes:
    """Everything that is said of the pairs, and of GitHub's with `real`."""
    said = [msgspec.json.encode(compare(opened(old), opened(new))) for _, old, new in pairs(every)]
    paths = github_pair() if real else None
    if paths is not None:
        old, new = (opened(path.read_text("utf-8")) for path in paths)
        said.append(msgspec.json.encode(compare(old, new)))
    return b"\n".join(said)


def answers(every: int, runs: int, *, real: bool) -> list[bytes]:
    """The bytes of so many processes, with the seeds of `SEEDS` in turn."""
    command = [sys.executable, "-m", "bench.contracting.sameness", str(every)]
    command += ["real"] if real else []
    found = []
    for run in range(runs):
        seed = str(SEEDS[run % len(SEEDS)])
        done = subprocess.run(
            command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        )
        found.append(done.stdout)
    return found


def repeated() -> bool:
    """Prints how many different answers so many runs gave; false where it is more than one."""
    found = answers(every=4, runs=RUNS, real=False)
    sizes = f"{len(found[0])} bytes, {sum(1 for _ in pairs(4))} pairs"
    print(f"{RUNS} runs, PYTHONHASHSEED 0-4: {len(set(found))} answer(s) ({sizes})")
    held = len(set(found)) == 1
    if github_pair() is not None:
        found = answers(every=10_000, runs=len(SEEDS), real=True)
        print(f"GitHub's pair, {len(found)} runs, one a seed: {len(set(found))} answer(s)")
        held &= len(set(found)) == 1
    return held


def rewritten() -> bool:
    """Prints what edits that mean nothing did to verdicts; false where they changed one."""
    tried, changed = 0, []
    for name, old, new in pairs():
        if "swagger" in old or "swagger" in new:
            continue
        tried += 2 * len(EDITS) + 1
        changed += [(name, *found) for found in differing(old, new)]
    print(f"edits that mean nothing: {tried} tried on cases, {len(changed)} changed a verdict")
    real = github_pair()
    if real is not None:
        old, new = (msgspec.json.decode(path.read_bytes()) for path in real)
        found = [("GitHub's pair", *each) for each in differing(old, new, yaml=False)]
        decided = sum(each[2] for each in found)
        print(
            f"on GitHub's pair: {2 * len(EDITS)} tried, {len(found)} changed something: of"
            f" {decided} operations what was decided, of {sum(each[3] for each in found)} what was"
            " left undecided for budget"
        )
        changed += found
    for name, edit, decided, left in changed[:10]:
        print(f"  {name}, {edit}: {decided} decided otherwise, {left} left or not left undecided")
    return not changed


if __name__ == "__main__":
    sys.stdout.buffer.write(bytes_said(int(sys.argv[1]), real="real" in sys.argv[2:]))
