"""How long `import groundwire` takes, beside a Python that imports nothing.

`python -m bench.import_time` exits 1 where the median import takes more than 120 ms.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

BOUND_MS = 120.0
ROUNDS = 15
IMPORTS = ("groundwire", "groundwire.cli.main")
HEAVY = ("openai", "anthropic", "httpx", "httpx2", "typer", "rich", "pydantic", "cryptography")

TIMED = """
import sys, time
started = time.perf_counter()
import {module}
print((time.perf_counter() - started) * 1e3, *({heavy} & set(sys.modules)))
"""


def whole_process(statement: str) -> tuple[float, str]:
    """Milliseconds a Python takes from start to end for one statement, and what it printed."""
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", statement], check=True, capture_output=True, text=True
    )
    return (time.perf_counter() - started) * 1e3, done.stdout


def main() -> int:
    """Prints one line a module; 1 if an import is over its bound."""
    code = 0
    print(f"{'import':<22}{'median ms':>10}{'worst ms':>10}{'process ÷ bare':>16}  loaded")
    for module in IMPORTS:
        statement = TIMED.format(module=module, heavy=set(HEAVY))
        whole_process(statement)  # the first run writes byte code
        bare, whole, inside, loaded = [], [], [], ""
        for _ in range(ROUNDS):  # in turns, so that a busy moment falls on both
            bare.append(whole_process("pass")[0])
            total, output = whole_process(statement)
            whole.append(total)
            milliseconds, _, loaded = output.strip().partition(" ")
            inside.append(float(milliseconds))
        median = statistics.median(inside)
        ratio = statistics.median(whole) / statistics.median(bare)
        heavy = loaded or "nothing heavy"
        print(f"{module:<22}{median:>10.1f}{max(inside):>10.1f}{ratio:>16.2f}  {heavy}")
        code |= median > BOUND_MS
    print(f"bound: {BOUND_MS:.0f} ms in the median: {'over' if code else 'held'}")
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
