"""How fast logs are audited with every check, beside reading their texts once: `python -m bench.audit`.

The logs are the recorded runs in `../shared/data`, and one made here where that is missing. Every
tool is armed, and every answer's values are looked for. *Message text* is what the messages of a
run say, each counted once however many requests carried it: texts, reasoning, results, arguments.
What a log holds besides, above all the schemas of tools, is read too and counts for nothing.

Beside it stands *reading once*: the rows decoded and their texts cut into words, which no audit
could do without. Seconds are those of this process on a processor, the two in turns. Whatever the
library keeps of a text for when it comes again is forgotten before each, as in a new process.

Last, all logs are audited once by the command's workers: *together* is by the clock, from nothing
running to the last report, and says little while others use the machine.
"""

from __future__ import annotations

import gc
import gzip
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from functools import _lru_cache_wrapper
from pathlib import Path

import msgspec

from bench.quiet import load, outcome
from groundwire.audit.logs import audit_file
from groundwire.audit.report import Report, merged
from groundwire.audit.workers.pool import Pool, seldom_collecting
from groundwire.documents.declaration import CheckRules, Evidence
from groundwire.documents.frame import CallPart, Frame, Part, Reasoning, Response, ResultPart, Text
from groundwire.documents.policy import Policy
from groundwire.grounding.records.keeping import Kept
from groundwire.wire.importers import ImportedRun, import_log

SHARED = Path(__file__).resolve().parents[1] / ".." / "shared" / "data"
SPEED = 4.0  # MB of message text a second
TOGETHER = 15.0  # seconds by the clock, for all logs and by all cores
ROUNDS = 3
POLICY = Policy(checks=CheckRules(evidence=Evidence(posture="assist")))
_WORD = re.compile(r"\w+")


class Log(msgspec.Struct, frozen=True, kw_only=True):
    """A log in memory; `text` is how many bytes its messages say."""

    name: str
    data: bytes
    schemas: dict[str, str]
    runs: int
    text: int


def logs() -> Iterator[Log]:
    """Every log in the data folder that holds runs, else one of our own."""
    beside = SHARED / "schemas.json"
    schemas = (
        msgspec.json.decode(beside.read_bytes(), type=dict[str, str]) if beside.exists() else {}
    )
    for path in sorted(SHARED.glob("*.jsonl.gz")):
        log = _log(path.name.partition(".")[0], path.read_bytes(), schemas)
        if log.runs:
            yield log
    if not SHARED.is_dir():
        print("no recorded runs beside the checkout: one log is made here")
        yield _log("made", _made(), {})


def _log(name: str, data: bytes, schemas: dict[str, str]) -> Log:
    runs = [run for run in import_log(data, tool_schemas=schemas) if isinstance(run, ImportedRun)]
    size = sum(len(text.encode()) for run in runs for part in _parts(run) for text in _texts(part))
    return Log(name=name, data=data, schemas=schemas, runs=len(runs), text=size)


def _parts(run: ImportedRun) -> Iterator[Part]:
    """The parts of every message of the run: those of its last frame, and of the answer to that."""
    frames = [step for step in run.steps if isinstance(step, Frame)]
    if frames:
        yield from frames[-1].system
        for message in frames[-1].messages:
            yield from message.parts
    if run.steps and isinstance(last := run.steps[-1], Response):
        yield from last.parts


def _texts(part: Part) -> Iterator[str]:
    match part:
        case Text(text=text) | Reasoning(text=text) | ResultPart(text=text):
            yield text
        case CallPart(call=call):
            yield call.arguments
        case _:
            pass


def _made() -> bytes:
    """Runs that look machines up and restart them, about 2 MB."""
    rows = []
    for run in range(40):
        messages: list[dict[str, object]] = [{"role": "user", "content": f"Tidy bay {run}."}]
        for step in range(25):
            host = f"petrel-{run:02d}{step:02d}"
            call = {"id": f"c{step}", "name": "look", "arguments": {"host": host}}
            messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
            shelves = [
                {"host": f"petrel-{run:02d}{n:02d}", "used": n * 37 % 997} for n in range(60)
            ]
            found = msgspec.json.encode(shelves).decode()
            messages.append({"role": "tool", "tool_call_id": f"c{step}", "content": found})
        rows.append({"run_id": f"run-{run}", "model": "m", "messages": messages})
    return b"\n".join(map(msgspec.json.encode, rows))


def audited(log: Log) -> Report:
    """The report that the command makes of it."""
    with seldom_collecting():
        reports = audit_file(log.name, log.data, schemas=log.schemas, policy=POLICY, arm_all=True)
        return merged(reports)


def read_once(log: Log) -> int:
    """How many words stand in its texts."""
    data = gzip.decompress(log.data) if log.data.startswith(b"\x1f\x8b") else log.data
    words, left = 0, [msgspec.json.decode(row) for row in data.splitlines() if row.strip()]
    while left:
        value = left.pop()
        if isinstance(value, str):
            words += len(_WORD.findall(value.casefold()))
        elif isinstance(value, dict):
            left += value.values()
        elif isinstance(value, list):
            left += value
    return words


def forget() -> None:
    """Nothing that was read of any text is kept any more."""
    for kept in gc.get_objects():
        if isinstance(kept, (_lru_cache_wrapper, Kept)):
            kept.cache_clear() if isinstance(kept, _lru_cache_wrapper) else kept.clear()


def seconds(action: Callable[[Log], object], log: Log) -> float:
    """What one go costs on a processor."""
    forget()
    began = time.process_time()
    action(log)
    return time.process_time() - began


def together(found: list[Log]) -> float:
    """How long all logs take by the clock, by as many workers as there are cores."""
    began = time.perf_counter()
    with Pool() as pool:
        for log in found:
            given = pool.audit_file(
                log.name, log.data, schemas=log.schemas, policy=POLICY, arm_all=True
            )
            merged(given)
    return time.perf_counter() - began


def main() -> int:
    """Prints a line a log and one for all; 1 where a bound did not hold on a quiet machine."""
    before = load()
    text = spent = once = 0.0
    checks = 0
    found = list(logs())
    for log in found:
        turns = [(seconds(audited, log), seconds(read_once, log)) for _ in range(ROUNDS)]
        audit, read = (statistics.median(each) for each in zip(*turns, strict=True))
        size = log.text / 1e6
        checks = len(audited(log).rows)
        print(
            f"{log.name:<12}{log.runs:>5} runs {size:>6.2f} MB of message text {audit:>6.2f} s "
            f"{size / audit:>6.2f} MB/s, {audit / read:>5.1f} times reading once"
        )
        text, spent, once = text + size, spent + audit, once + read
    clock = together(found)
    print(
        f"{checks} checks, all logs: {text:.2f} MB in {spent:.2f} s of one core, "
        f"{text / spent:.2f} MB/s (aim >= {SPEED:.0f}), {spent / once:.1f} times reading once; "
        f"together {clock:.2f} s (aim <= {TOGETHER:.0f})"
    )
    return outcome(text / spent < SPEED or clock > TOGETHER, before)


if __name__ == "__main__":
    sys.exit(main())
