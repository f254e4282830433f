"""Whether the machine was quiet: a bound is put to a number only then."""

from __future__ import annotations

import os

BUSY = 1.5


def load() -> float:
    """The machine's load average over the last minute; 0 where none is told."""
    try:
        return os.getloadavg()[0]
    except (AttributeError, OSError):
        return 0.0


def outcome(over: bool, before: float) -> int:
    """Prints what is to be said of the bounds, and is the exit code: 1 where one did not hold.

    `before` is the load before the measurement: its own work counts later.
    """
    if not over:
        print("bounds: held")
    elif before >= BUSY:
        print(
            f"bounds: the machine was busy (load {before:.1f}), so a number over one says nothing"
        )
    else:
        print("bounds: OVER")
        return 1
    return 0
