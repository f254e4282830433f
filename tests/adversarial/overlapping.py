"""Calls that overlap: hundreds in one run, one grant for all, two processes, a forked child."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from datetime import timedelta
from pathlib import Path

import msgspec

from groundwire.attest.decided import inspect
from groundwire.documents.entry import Envelope
from groundwire.documents.grant import Grant
from groundwire.errors import GroundwireError
from groundwire.keys.signer import Signer
from groundwire.keys.times import format_time
from groundwire.stores.writing.grants import Grants
from tests.adversarial.attack import attack
from tests.adversarial.between import between
from tests.adversarial.world import World
from tests.unit.attest.decisions import GRANT

MANY = 200
CHECKOUT = Path(__file__).resolve().parents[2]


def _at_once(world: World, call: Callable[[int], str]) -> Counter[str]:
    world.do("read_file", path="README.md")
    start = threading.Barrier(16, timeout=60)

    def worker(number: int) -> str:
        if number < 16:
            start.wait()
        return call(number)

    # The run is bound to a context, which a thread does not take over by itself.
    contexts = [copy_context() for _ in range(MANY)]
    with ThreadPoolExecutor(16) as pool:
        return Counter(pool.map(lambda number: contexts[number].run(worker, number), range(MANY)))


@attack("overlapping", "200 calls at once, a file each", "16 threads, one table, one run",
        "200 executed, 200 grants", leaves=False)  # fmt: skip
def _(world: World) -> str:
    grants: list[str] = []

    def seen(envelope: Envelope, signer: Signer) -> Envelope:
        grants.append(inspect(envelope, Grant)[0].id)
        return envelope

    with between(grant=seen):
        words = _at_once(
            world,
            lambda number: (
                world.hands.do("create_file", path=f"made/{number}.txt", content=f"{number}\n").word
            ),
        )
    for number in range(MANY):
        assert world.place.read(f"made/{number}.txt") == f"{number}\n".encode()
    return f"{words['executed']} executed, {len(set(grants))} grants"


@attack("overlapping", "200 calls at once in the event loop", "adispatch, gathered",
        "200 executed", leaves=False)  # fmt: skip
def _(world: World) -> str:
    async def every() -> list[str]:
        return [
            done.word
            for done in await asyncio.gather(
                *(
                    world.hands.acall(
                        "create_file", {"path": f"made/{number}.txt", "content": f"{number}\n"}
                    )
                    for number in range(MANY)
                )
            )
        ]

    world.hands.do("read_file", path="README.md")
    words = Counter(asyncio.run(every()))
    for number in range(MANY):
        assert world.place.read(f"made/{number}.txt") == f"{number}\n".encode()
    return ", ".join(f"{count} {word}" for word, count in words.items())


@attack("overlapping", "200 calls at once on one file", "each adds a line at the same mark",
        "every line that is said to stand stands once", leaves=False)  # fmt: skip
def _(world: World) -> str:
    world.place.write("log.txt", "END\n")
    words = _at_once(
        world,
        lambda number: (
            world.hands.do(
                "edit_file", path="log.txt", old="END\n", new=f"line {number}\nEND\n"
            ).word
        ),
    )
    lines = (world.place.read("log.txt") or b"").decode().splitlines()
    assert len(lines) == len(set(lines))
    landed, unknown = words["executed"], words["unknown: drift"]
    # Where another call wrote before anybody looked, nobody can say that it stands as judged.
    assert 0 < landed <= len(lines) - 1 <= landed + unknown, (len(lines) - 1, words)
    drifted = {"refused: state-drifted", "refused: state-unmeasurable"}
    assert set(words) <= {"executed", "unknown: drift", *drifted}, words
    return "every line that is said to stand stands once"


@attack("overlapping", "200 calls with one grant for all", "the first grant is handed to every call",
        "1 executed, 199 refused", leaves=False)  # fmt: skip
def _(world: World) -> str:
    kept: list[Envelope] = []
    lock = threading.Lock()

    def same(envelope: Envelope, signer: Signer) -> Envelope:
        with lock:
            kept.append(envelope)
            return kept[0]

    with between(grant=same):
        words = _at_once(
            world,
            lambda number: world.hands.do(
                "create_file", path=f"made/{number}.txt", content="x"
            ).word.partition(":")[0],
        )
    made = len(list((world.place.folder / "made").iterdir()))
    assert made == words["executed"], (made, words)
    return f"{words['executed']} executed, {words['refused']} refused"


@attack("overlapping", "one grant consumed by 200 threads", "the same grant, asked of the store itself",
        "1 consumed, 199 refused: grant-used")  # fmt: skip
def _(world: World) -> str:
    now = world.clock()
    grant = msgspec.structs.replace(
        GRANT, issued=format_time(now), expires=format_time(now + timedelta(minutes=5))
    )
    grants = Grants(world.place.home / "grants.sqlite", "somebody")

    def consume(_: int) -> str:
        try:
            grants.consume(grant, now, None, "run", 0)
        except GroundwireError as error:
            return f"refused: {error.reason}"
        return "consumed"

    with ThreadPoolExecutor(16) as pool:
        words = Counter(pool.map(consume, range(MANY)))
    grants.close()
    return ", ".join(f"{count} {word}" for word, count in sorted(words.items()))


_TWO = """
import json, sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
import msgspec
from groundwire.errors import GroundwireError
from groundwire.keys.times import format_time
from groundwire.stores.writing.grants import Grants
from tests.unit.attest.decisions import GRANT
path, now = Path(sys.argv[1]), datetime(2031, 5, 2, 8, tzinfo=UTC)
grants = Grants(path, "process-" + sys.argv[2])
print("ready", flush=True)
sys.stdin.readline()
got = []
for number in range(100):
    grant = msgspec.structs.replace(
        GRANT, id=f"{number:032x}", issued=format_time(now),
        expires=format_time(now + timedelta(minutes=5)),
    )
    try:
        grants.consume(grant, now, None, "run", number)
        got.append(number)
    except GroundwireError as error:
        assert error.reason == "grant-used", error
print(json.dumps(got))
"""

_EDITING = """
import sys
WORDS = ("executed", "unknown: drift", "refused: state-drifted", "refused: state-unmeasurable")
import groundwire as gw
from tests.hands import Hands, coding_tools
project, tools = gw.Project(), coding_tools()
with project.session(sys.argv[1]) as run:
    hands = Hands(project, run, tools)
    hands.do("read_file", path="log.txt")
    print("ready", flush=True)
    sys.stdin.readline()
    landed = unknown = 0
    for number in range(30):
        done = hands.do("edit_file", path="log.txt", old="END\\n", new=f"{sys.argv[2]}-{number}\\nEND\\n")
        assert done.word in WORDS, done
        landed += done.word == "executed"
        unknown += done.word == "unknown: drift"
print(landed, unknown)
"""


def _two(program: str, *arguments: tuple[str, str]) -> list[str]:
    """What two processes printed that began at the same moment."""
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    running = [
        subprocess.Popen(
            [sys.executable, "-c", program, *given],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
        )
        for given in arguments
    ]  # fmt: skip
    for each in running:
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    for each in running:
        assert each.stdin is not None
        each.stdin.write("\n")
        each.stdin.flush()
    said = [each.communicate(timeout=300)[0].strip() for each in running]
    assert [each.returncode for each in running] == [0, 0], said
    return said


@attack("overlapping", "two processes, one store of grants", "each consumes the same 100 grants",
        "each of 100 grants was consumed once")  # fmt: skip
def _(world: World) -> str:
    path = str(world.place.home / "grants.sqlite")
    said = _two(_TWO, (path, "1"), (path, "2"))
    got = [number for each in said for number in msgspec.json.decode(each)]
    assert sorted(got) == list(range(100)), got
    return "each of 100 grants was consumed once"


@attack("overlapping", "two processes edit one file", "30 edits each, one state folder",
        "every line that is said to stand stands once", leaves=False)  # fmt: skip
def _(world: World) -> str:
    world.place.write("log.txt", "END\n")
    runs = world.place.top / "runs"
    said = _two(_EDITING, (str(runs / "one.gw"), "1"), (str(runs / "two.gw"), "2"))
    lines = (world.place.read("log.txt") or b"").decode().splitlines()
    assert len(lines) == len(set(lines))
    landed = sum(int(each.split()[0]) for each in said)
    # Where the other wrote before anybody looked, nobody can say that it stands as it was judged.
    unknown = sum(int(each.split()[1]) for each in said)
    assert 0 < landed <= len(lines) - 1 <= landed + unknown, (lines, said)
    return "every line that is said to stand stands once"


@attack("overlapping", "a forked child uses its parent's run", "os.fork, then a guarded call",
        "refused in the child")  # fmt: skip
def _(world: World) -> str:
    world.do("read_file", path="README.md")
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        word = "broke"
        try:
            word = world.hands.do("edit_file", path="README.md", old="Use it.", new="Used.").word
        finally:
            os.write(write, word.encode())
            os._exit(0)
    os.close(write)
    word = os.read(read, 200).decode()
    os.close(read)
    os.waitpid(child, 0)
    assert word.startswith("refused: "), word
    return "refused in the child"
