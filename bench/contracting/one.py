"""Two descriptions compared in a process of its own: `python -m bench.contracting.one OLD NEW`.

Prints how many changes there are and how many are undecided for budget; with `--where`, how the
processor's time was spent.
"""

from __future__ import annotations

import cProfile
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from groundwire.contracts.openapi.options import Options
from groundwire.contracts.port import Compared, Source, compare

ROOMS = (
    ("reading the files", ("contracts/reading",)),
    ("opening", ("contracts/openapi/opening",)),
    ("questions of schemas", ("contracts/jsonschema", "contracts/regex", "jsonschema_rs")),
    ("messages and exchanges", ("contracts/openapi",)),
)


def compared(old: Path, new: Path) -> Compared:
    """The two as the command compares them."""
    return compare("openapi", _source(old), _source(new), Options())


def _source(path: Path) -> Source:
    return Source(path.name, lambda name: path.read_bytes() if name == path.name else None)


def where(old: Path, new: Path) -> None:
    """Prints the share of processor time by part, of functions' own time under a profiler."""
    profile = cProfile.Profile(time.process_time)
    profile.runcall(compared, old, new)
    parts = dict.fromkeys([name for name, _ in ROOMS] + ["the rest"], 0.0)
    for each in profile.getstats():
        file = each.code if isinstance(each.code, str) else each.code.co_filename
        own = each.inlinetime
        name = next(
            (name for name, roots in ROOMS if any(each in file for each in roots)), "the rest"
        )
        parts[name] += own
    whole = sum(parts.values())
    for name, own in parts.items():
        print(f"  {name:<26}{100 * own / whole:>5.0f} %")


def main(arguments: Sequence[str]) -> int:
    """Compares, and prints the counts or where the time went."""
    old, new = (Path(each) for each in arguments[:2])
    if "--where" in arguments:
        where(old, new)
        return 0
    changes = compared(old, new).changes
    left = sum(1 for change in changes if change.reason in {"out-of-steps", "too-deep"})
    print(len(changes), left)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
