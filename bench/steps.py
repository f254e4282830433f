"""What a step of a long run costs: time, bytes in the file, memory.

A step is one request whose body is the last one's with about 2 kB more, and its streamed response,
through a real session into a real file. Bodies are made, in one piece, before the clock starts.
Each step is timed by the wall and by the process's own time: where the two differ, the machine or
the disk was busy with something else.

Twice the steps cost more than twice the time by what a step costs more as its frame grows: every
byte of a body is compared with the last one's, a tenth of a step where that is 4 MB and all of it
reading memory, which whatever else the machine does makes slower. So that number is taken from five
runs of each length in turns, and of each hundred steps from the run that did them fastest. Each run
begins without what the one before it left behind: to free that would stand in the time of the
second. The collector's own work on what the run holds is in it.
`python -m bench.steps`
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

import groundwire as gw
import groundwire.session.run
from bench.quiet import load, outcome
from groundwire.documents.policy import Policy, ToolDeclaration
from groundwire.wire.decoder import Decoder
from groundwire.wire.split import Splitter

URL = "https://api.openai.com/v1/chat/completions"
TURNS = 5
BLOCK = 100
POLICY = Policy(tools=(ToolDeclaration(name="look", arguments_from=("look",)),))
TAIL = (
    b'],"model":"m","stream":true,"tools":[{"type":"function","function":{"name":"look",'
    b'"parameters":{"type":"object","properties":{"host":{"type":"string"}}}}}]}'
)


def message_pair(step: int) -> tuple[bytes, bytes]:
    """What one step adds: a call of the model and its result, about 2 kB."""
    call = (
        b'{"role":"assistant","tool_calls":[{"id":"call_%d","type":"function","function":'
        b'{"name":"look","arguments":"{\\"host\\": \\"petrel-%04d\\"}"}}]}' % (step, step)
    )
    rows = ",".join(
        f'{{\\"disk\\":\\"d{step:04d}-{row:02d}\\",\\"used\\":{(step * 37 + row * 11) % 997},'
        f'\\"note\\":\\"all quiet on shelf {row}\\"}}'
        for row in range(26)
    )
    result = (
        f'{{"role":"tool","tool_call_id":"call_{step}","content":'
        f'"{{\\"host\\":\\"petrel-{step + 1:04d}\\",\\"disks\\":[{rows}]}}"}}'
    ).encode()
    return call, result


def response(step: int) -> bytes:
    """The stream that chose the step's call."""
    chunk = (
        b'data: {"id":"chatcmpl-%d","object":"chat.completion.chunk","created":1,"model":"m",'
        b'"choices":[{"index":0,"delta":%b,"finish_reason":%b}]}\n\n'
    )
    call = (
        b'{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_%d","type":'
        b'"function","function":{"name":"look","arguments":"{\\"host\\": \\"petrel-%04d\\"}"}}]}'
        % (step, step)
    )
    return (
        chunk % (step, call, b"null") + chunk % (step, b"{}", b'"tool_calls"') + b"data: [DONE]\n\n"
    )


class Steps(NamedTuple):
    """Seconds of each step by the wall and by the process's time; bytes on the wire and on disk."""

    wall: list[float]
    busy: list[float]
    distinct: int
    size: int


def run_steps(folder: Path, steps: int) -> Steps:
    """What so many steps of one run took."""
    head = (
        b'{"messages":[{"role":"system","content":"You watch the fleet."},'
        b'{"role":"user","content":"Walk the hosts from petrel-0000 on."}'
    )
    grown = bytearray(head)
    distinct = len(head) + len(TAIL)
    wall, busy = [], []
    # The worker's share is done at once, on this thread, so that it is in the step's time.
    groundwire.session.run.hand_over = lambda act: act()
    with gw.Session(folder / f"steps-{steps}.gw", project=gw.Project(POLICY)) as run:
        for step in range(steps):
            body = b"".join((grown, TAIL))
            stream = response(step)
            began, busy_before = time.perf_counter(), time.process_time()
            attempt = run.sent("POST", URL, (("content-type", "application/json"),), body)
            assert attempt is not None
            attempt.responded(200, (("content-type", "text/event-stream"),))
            attempt.chunk(stream)
            attempt.ended("whole")
            busy.append(time.process_time() - busy_before)
            wall.append(time.perf_counter() - began)
            call, result = message_pair(step)
            grown += b"," + call + b"," + result
            distinct += len(call) + len(result) + 2 + len(stream)
        assert run.lost == 0, run.lost_reason
        assert run.findings == (), run.findings[:1]
    assert run.path is not None
    return Steps(wall, busy, distinct, run.path.stat().st_size)


def least(runs: list[list[float]]) -> float:
    """Seconds that all steps of a run take, each hundred of them as in the run that was fastest."""
    starts = range(0, len(runs[0]), BLOCK)
    return sum(min(sum(run[start : start + BLOCK]) for run in runs) for start in starts)


def in_turns(folder: Path) -> tuple[list[Steps], list[Steps]]:
    """Runs of 1,000 steps and runs of 2,000, in turns, each in a folder of its own."""
    ones: list[Steps] = []
    twos: list[Steps] = []
    for turn in range(TURNS):
        for steps, runs in ((1000, ones), (2000, twos)):
            place = folder / f"{steps}-{turn}"
            place.mkdir()
            gc.collect()
            runs.append(run_steps(place, steps))
    return ones, twos


def peak(kind: str) -> float:
    """Peak memory in MB of a process that opens a session and does `kind`."""
    code = (
        "import sys; from pathlib import Path; from bench import steps; import tempfile;"
        f"steps.memory({kind!r})"
    )
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return float(out.stdout.split()[-1])


def memory(kind: str) -> None:
    """Prints this process's peak in MB after the work."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder + "/state"
        if kind == "idle":
            # One step, so that every module and table that a session needs is there.
            run_steps(Path(folder), 1)
            bytes(2_200_000)
        elif kind == "bodies":
            made = bytearray()
            for step in range(1000):
                made += b",".join(message_pair(step))
                b"".join((made, TAIL))
        else:
            run_steps(Path(folder), 1000)
    # Not getrusage: its peak begins with that of the process that started this one.
    status = Path("/proc/self/status").read_text()
    print(int(status.split("VmHWM:")[1].split()[0]) / 1024)


def no_shared_prefix() -> float:
    """MB/s of one pass over a body whose messages are known and whose beginning is not."""
    messages = [part for step in range(1000) for part in message_pair(step)]
    first = b'{"messages":[' + b",".join(messages) + TAIL
    other = b'{"messages":[' + b",".join(messages[2:]) + TAIL
    best = 0.0
    for _ in range(5):
        splitter, decoder = Splitter(), Decoder()
        decoder.frame(splitter.split(first, "openai-chat"), "openai-chat")
        gc.collect()
        began = time.perf_counter()
        decoder.frame(splitter.split(other, "openai-chat"), "openai-chat")
        best = max(best, len(other) / (time.perf_counter() - began) / 1e6)
    return best


def main() -> int:
    """Prints the table; 1 if something is over its aim on a quiet machine."""
    before = load()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder + "/state"
        run_steps(Path(folder), 20)
        ones, twos = in_turns(Path(folder))
    one = ones[0]
    twice = least([two.wall for two in twos]) / least([one.wall for one in ones])
    twice_busy = least([two.busy for two in twos]) / least([one.busy for one in ones])
    pairs = [sum(two.wall) / sum(one.wall) for one, two in zip(ones, twos, strict=True)]
    idle, bodies, full = peak("idle"), peak("bodies"), peak("steps")
    one_pass = no_shared_prefix()
    rows = [
        ("median step, 1,000 steps to 2 MB (ms)", median(one.wall) * 1e3, "<=", 1.5),
        ("  of the process's own time (ms)", median(one.busy) * 1e3, "", 0.0),
        ("slowest hundredth (ms)", sorted(one.wall)[990] * 1e3, "", 0.0),
        ("time of 2,000 steps / of 1,000 steps", twice, "<=", 2.2),
        ("  of the process's own time", twice_busy, "", 0.0),
        ("  of the middle one of five pairs of runs", median(pairs), "", 0.0),
        ("file / distinct wire text", one.size / one.distinct, "<", 3.0),
        ("peak above an idle session (MB)", full - idle, "<=", 40.0),
        ("  above it with the bench's own bodies alone (MB)", bodies - idle, "", 0.0),
        ("one pass without a shared prefix (MB/s)", one_pass, ">=", 250.0),
    ]
    over = False
    for name, value, sign, aim in rows:
        missed = bool(sign) and (value < aim if sign == ">=" else value > aim)
        over |= missed
        wanted = f"{sign} {aim:g}" if sign else ""
        print(f"{name:<50}{value:>10.2f}  {wanted}{'  OVER' if missed else ''}")
    return outcome(over, before)


if __name__ == "__main__":
    sys.exit(main())
