"""How long `import groundwire` takes, beside a Python that imports nothing.

`python -m bench.import_time` exits 1 where importing the library takes more than 120 ms in the
median. That is processor time of the importing process, so that a busy machine changes little; the
time on the wall stands beside it. The command line's own import is shown and has no bound.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

from bench.quiet import load, outcome

BOUND_MS = 120.0
ROUNDS = 15
BOUNDED = "groundwire"
IMPORTS = (BOUNDED, "groundwire.cli.main")
HEAVY = ("openai", "anthropic", "httpx", "httpx2", "typer", "rich", "pydantic", "cryptography")

TIMED = """
import sys, time
wall, worked = time.perf_counter(), time.process_time()
import {module}
worked, wall = time.process_time() - worked, time.perf_counter() - wall
print(worked * 1e3, wall * 1e3, *({heavy} & set(sys.modules)))
"""


def whole_process(statement: str) -> tuple[float, str]:
    """Milliseconds a Python takes from start to end for one statement, and what it printed."""
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", statement], check=True, capture_output=True, text=True
    )
    return (time.perf_counter() - started) * 1e3, done.stdout


def main() -> int:
    """Prints one line a module; 1 if the library's import is over its bound."""
    before, over = load(), False
    print(f"{'import':<22}{'median ms':>10}{'on the wall':>13}{'process ÷ bare':>16}  loaded")
    for module in IMPORTS:
        statement = TIMED.format(module=module, heavy=set(HEAVY))
        whole_process(statement)  # the first run writes byte code
        bare, whole, worked, waited, loaded = [], [], [], [], ""
        for _ in range(ROUNDS):  # in turns, so that a busy moment falls on both
            bare.append(whole_process("pass")[0])
            total, output = whole_process(statement)
            whole.append(total)
            figures = output.split(maxsplit=2)
            worked.append(float(figures[0]))
            waited.append(float(figures[1]))
            loaded = "".join(figures[2:]).strip()
        median, wall = statistics.median(worked), statistics.median(waited)
        ratio = statistics.median(whole) / statistics.median(bare)
        heavy = loaded or "nothing heavy"
        print(f"{module:<22}{median:>10.1f}{wall:>13.1f}{ratio:>16.2f}  {heavy}")
        over |= module == BOUNDED and median > BOUND_MS
    print(f"aim: {BOUNDED} <= {BOUND_MS:.0f} ms in the median")
    return outcome(over, before)


if __name__ == "__main__":
    sys.exit(main())
