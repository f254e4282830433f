"""What a step costs the check of arguments on a long frame: what is new, whatever the frame's age.

Each step shows a frame with five results more, about 1.4 kB, and a response with five armed calls. The
frame grows to 400 kB. Times are CPU time; a plain loop taken in turns says how fast the machine is.
`python -m bench.checks`
"""

from __future__ import annotations

import sys
import time
from statistics import median

from bench.quiet import load, outcome
from groundwire.checks.choice.unsupported_argument import UnsupportedArgument
from groundwire.checks.engine import Engine
from groundwire.checks.registry import ALL_CHECKS
from groundwire.checks.seams import Check
from groundwire.documents.call import ToolCall
from groundwire.documents.event import Declared, Requested, Responded
from groundwire.documents.frame import (
    CallPart,
    Frame,
    Message,
    Part,
    Response,
    ResultPart,
    Role,
    Text,
    ToolSpec,
)
from groundwire.documents.strand import Strand

STEPS = 355
TOOLS = (ToolSpec(name="look", schema='{"properties":{"host":{"type":"string"}}}'),)


def message(role: Role, name: str, *parts: Part) -> Message:
    """A message; its name stands for its digest."""
    return Message(role=role, parts=parts, raw=b"", content_digest=name)


def calls_of(step: int, *, invented: bool) -> list[ToolCall]:
    """Five calls for the host that the last results showed, or for hosts that nothing showed."""
    hosts = [f"petrel-{step:04}" + (f"x{one}" if invented else "") for one in range(5)]
    return [
        ToolCall(id=f"c{step}-{one}", name="look", arguments=f'{{"host":"{host}","n":{one}}}')
        for one, host in enumerate(hosts)
    ]


def results_of(step: int, calls: list[ToolCall]) -> list[Message]:
    """Their results, each with the next host and four disks."""
    rows = ",".join(
        f'{{"disk":"d{step:04}-{row}","used":{(step * 37 + row * 11) % 997},"note":"all quiet"}}'
        for row in range(4)
    )
    text = f'{{"host":"petrel-{step + 1:04}","disks":[{rows}]}}'
    return [message("tool", call.id, ResultPart(call.id, text)) for call in calls]


def walk(checks: tuple[Check, ...], *, invented: bool) -> tuple[list[float], int]:
    """CPU seconds of each step, and how long the last frame's texts are."""
    engine = Engine(checks)
    engine.feed(
        Declared(step=0, at="", declarations=(), grounding="whole", posture="observe", arm_all=True)
    )
    shown = Strand([message("user", "u", Text("Walk the hosts from petrel-0000 on."))])
    seconds, size = [], 0
    for step in range(STEPS):
        frame = Frame(
            provider="p",
            model="m",
            system=(Text("You watch the fleet."),),
            tools=TOOLS,
            parameters="{}",
            messages=shown,
        )
        calls = calls_of(step, invented=invented)
        response = Response(
            provider="p",
            id="",
            model="m",
            parts=tuple(map(CallPart, calls)),
            stop=None,
            usage={},
            complete=True,
            content_digest=f"r{step}",
        )
        began = time.process_time()
        engine.feed(
            Requested(
                step=2 * step + 1,
                at="",
                exchange=step,
                lane=0,
                attempt=1,
                composed=None,
                frame=frame,
            )
        )
        engine.feed(Responded(step=2 * step + 2, at="", exchange=step, lane=0, response=response))
        seconds.append(time.process_time() - began)
        added = [message("assistant", f"a{step}", *map(CallPart, calls)), *results_of(step, calls)]
        size += sum(
            len(part.text) for m in added for part in m.parts if isinstance(part, ResultPart)
        )
        shown = shown.going_on(len(shown), added)
    return seconds, size


def loop() -> float:
    """CPU seconds of a plain loop of 200,000 turns: 13 ms on the machine the aim is for."""
    began, total = time.process_time(), 0
    for number in range(200_000):
        total += number & 7
    return time.process_time() - began


def main() -> int:
    """Prints the table; 1 if the check of arguments is over its aim on a quiet machine."""
    before = load()
    alone: tuple[Check, ...] = (UnsupportedArgument(),)
    over = False
    for name, checks, invented, aim in (
        ("arguments that were served", alone, False, 1.0),
        ("arguments that nothing served, five findings", alone, True, 0.0),
        ("all checks, arguments that were served", ALL_CHECKS, False, 0.0),
    ):
        reference = loop()
        seconds, size = walk(checks, invented=invented)
        reference = min(reference, loop())
        steady = median(seconds[-STEPS // 5 :]) * 1e3
        young = median(seconds[: STEPS // 5]) * 1e3
        over |= bool(aim) and steady > aim
        print(
            f"{name:<48}{steady:>7.2f} ms a step on {size // 1000} kB ({young:.2f} in the first fifth; "
            f"{steady / reference / 1e3:.3f} of the loop)" + (f"  <= {aim} ms" if aim else "")
        )
    return outcome(over, before)


if __name__ == "__main__":
    sys.exit(main())
