"""Calls that end before their end: killed at every step, cancelled at every await."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import groundwire as gw
from groundwire.documents.outcome import Refused
from groundwire.session.guarding import host as hosting
from groundwire.session.guarding.result import GuardedResult
from tests.adversarial.attack import Attack, add
from tests.adversarial.world import World
from tests.hands import verified

CHECKOUT = Path(__file__).resolve().parents[2]
BEFORE, AFTER = "# Tool\n\nUse it.\n", "# Tool\n\nUsed.\n"
STEPS: Final = (
    "Detect", "ReadState", "Propose", "Preflight", "OpenReceipt", "Recheck", "RecordIntent",
    "Execute", "Observe", "RecordOutcome", "SealResult", "Acknowledge",
)  # fmt: skip
_BEGUN: Final = STEPS.index("Execute")
DISK: Final = ("disk.exchange", "disk.sync", "disk.rename", "disk.create")
REST: Final = ("rest._make_folder", "rest._set_link")
"""After the files of a command stand: its folders and links."""


def _killed(world: World, when: str, step: str, shape: str) -> str:
    """What stands once a process that died has been recovered, by the next run's own doing."""
    path = world.place.top / "runs" / "victim.gw"
    done = subprocess.run(
        [sys.executable, "-m", "tests.adversarial.victim", str(path), when, step, shape],
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)}, capture_output=True, text=True,
        check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL, (done.returncode, done.stderr[-600:])
    # The next run settles what the dead one left, before it does anything of its own.
    assert world.do("create_file", path="next.txt", content="next\n").word == "executed"
    world.close()
    readme, app = _text(world, "README.md"), _text(world, "app.py")
    assert readme in (BEFORE, AFTER), readme
    if shape == "two":
        assert (readme, app) in ((BEFORE, "v1\n"), (AFTER, "v2\n")), (readme, app)
    if shape == "command":
        there = world.place.folder
        made = ((there / "made").is_dir(), os.path.lexists(there / "build/app"))
        assert readme == AFTER, readme
        assert made == (True, True), made
    left = [each.name for each in world.place.folder.iterdir() if each.name.startswith(".gw-")]
    assert not left, left
    resumed = gw.Session(path, resume=True)
    resumed.open()
    resumed.close()
    fault = verified(path)
    assert not fault, fault
    return "nothing stands" if readme == BEFORE else "all of it stands"


def _text(world: World, path: str) -> str:
    return (world.place.read(path) or b"").decode()


def _kill(when: str, step: str, shape: str) -> None:
    ends: tuple[str, ...]
    if step.startswith("rest."):
        ends = ("all of it stands",)
    elif step.startswith("disk."):
        ends = ("nothing stands", "all of it stands")
    else:
        place = STEPS.index(step) + (when == "after")
        ends = ("nothing stands" if place <= _BEGUN else "all of it stands",)
    files = {"one": "one file", "two": "two files", "command": "a command"}[shape]

    def deed(world: World) -> str:
        return _killed(world, when, step, shape)

    add(Attack("dying", f"kill -9 {when} {step}, {files}",
               "SIGKILL, then another process's run recovers", ends, deed, leaves=False))  # fmt: skip


for _step in STEPS:
    for _when in ("before", "after"):
        _kill(_when, _step, "one")
for _step in (*DISK, "Execute"):
    for _when in ("before", "after"):
        _kill(_when, _step, "two")
for _step in DISK:
    for _when in ("before", "after"):
        _kill(_when, _step, "one")
for _step in REST:
    for _when in ("before", "after"):
        _kill(_when, _step, "command")


# --- cancelled at every await ---------------------------------------------------------------


def _cancelled(world: World, step: str, when: str) -> str:
    true = hosting.AsyncGuardHost.answer
    task: list[asyncio.Task[Any]] = []
    reached = [False]

    async def answer(host: Any, asked: Any) -> Any:
        mine = type(asked).__name__ == step
        if mine and when == "before":
            reached[0] = task[0].cancel()
        given = await true(host, asked)
        if mine and when == "after":
            reached[0] = task[0].cancel()
        return given

    async def main() -> str:
        call = world.hands.acall(
            "edit_file", {"path": "README.md", "old": "Use it.", "new": "Used."}
        )
        task.append(asyncio.ensure_future(call))
        try:
            return (await task[0]).word
        except asyncio.CancelledError:
            return "cancelled"

    world.do("read_file", path="README.md")
    hosting.AsyncGuardHost.answer = answer  # type: ignore[method-assign]  # put in its place meanwhile
    try:
        word = asyncio.run(main())
    finally:
        hosting.AsyncGuardHost.answer = true  # type: ignore[method-assign]  # put in its place meanwhile
    world.close()
    assert reached[0], f"{step} was never come to"
    settled = [each for each in world.settled if isinstance(each, GuardedResult)]
    mine = [each for each in settled if each.asked.call.name == "edit_file"]
    assert len(mine) == 1, f"settled {len(mine)} times"
    stands = _text(world, "README.md") == AFTER
    assert stands or _text(world, "README.md") == BEFORE
    refused = isinstance(mine[0].outcome, Refused)
    assert not (refused and stands), "it is said to be refused, and it stands"
    assert word == "cancelled", f"the cancellation was swallowed: {word}"
    kind = type(mine[0].outcome).__name__.lower()
    return f"{kind}, {'stands' if stands else 'nothing stands'}"


for _step in STEPS:
    for _when in ("before", "after"):

        def _deed(world: World, step: str = _step, when: str = _when) -> str:
            return _cancelled(world, step, when)

        _place = STEPS.index(_step)
        _ends = (
            ("refused, nothing stands",)
            if _place < _BEGUN
            else ("unknown, stands", "unknown, nothing stands", "executed, stands")
        )
        add(Attack("dying", f"cancelled {_when} {_step}", "task.cancel() at that await", _ends, _deed,
                   leaves=False))  # fmt: skip
