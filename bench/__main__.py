"""Runs every measurement, or those named, one after the other: `python -m bench [NAME…]`."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
WORDS = {0: "held", 1: "OVER ITS BOUND", 2: "could not run"}


def measurements() -> list[str]:
    """The modules of this folder that run by themselves."""
    return sorted(
        path.stem
        for path in FOLDER.glob("*.py")
        if not path.stem.startswith("_") and '__name__ == "__main__"' in path.read_text("utf-8")
    )


def main(names: Sequence[str]) -> int:
    """0 if every measurement held its bounds; each prints its own numbers."""
    known = measurements()
    if unknown := [name for name in names if name not in known]:
        print(f"no measurement {', '.join(unknown)}; there are: {', '.join(known)}")
        return 2
    rows = []
    for name in names or known:
        print(f"--- bench.{name}", flush=True)
        started = time.perf_counter()
        code = subprocess.run([sys.executable, "-m", f"bench.{name}"], check=False).returncode
        rows.append((name, code, time.perf_counter() - started))
    print(f"\n{'measurement':<24}{'seconds':>9}  outcome")
    for name, code, seconds in rows:
        print(f"{name:<24}{seconds:>9.1f}  {WORDS.get(code, f'exit {code}')}")
    return int(any(code for _, code, _ in rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
