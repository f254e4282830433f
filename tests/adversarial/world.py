"""The world of one attack: a home, a project in git, a guarded run, a clock, and whoever interferes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import groundwire as gw
from groundwire.testing.clock import SimulatedClock
from tests.hands import Done, Hands, coding_tools, own_declarations, verified
from tests.workplaces import Workplace, workplace

BEGINS = datetime.now(UTC).replace(microsecond=0)
"""What the simulated clock of each world says at first: heads are kept by the real one."""

SPEC = (
    "openapi: 3.0.3\ninfo:\n  title: Orders\n  version: 1.0.0\npaths:\n  /orders:\n    get:\n"
    "      security:\n      - oauth: [read]\n      parameters:\n"
    "      - $ref: '#/components/parameters/Limit'\n      - name: state\n        in: query\n"
    "        schema:\n          type: string\n          enum:\n          - open\n          - closed\n"
    "          example: open\n      - name: id\n        in: query\n        required: true\n"
    "        schema: {type: string}\n      responses:\n        '200':\n          description: fine\n"
    "          content:\n            application/json:\n              schema: {$ref: '#/components/schemas/Order'}\n"
    "components:\n  parameters:\n    Limit:\n      name: limit\n      in: query\n"
    "      schema: {type: integer}\n  schemas:\n    Order:\n      type: object\n"
    "      required: [id, timestamp]\n      properties:\n        id: {type: string}\n"
    "        timestamp: {type: string}\n        stage: {type: string, enum: [new, sent]}\n"
)
FIELD = "        timestamp: {type: string}\n"
"""What is read of an order: who takes it out has to be asked for."""
FILES = {
    ".gitignore": "__pycache__/\nbuild/\nruns/\n",
    "README.md": "# Tool\n\nUse it.\n",
    "app.py": "v1\n",
    "openapi.yaml": SPEC,
    "docs/guide.md": "# Guide\n",
    ".github/workflows/ci.yml": "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n",
}


class World:
    """One project, and as many runs of it as an attack opens."""

    def __init__(self, place: Workplace) -> None:
        self.place = place
        self.clock = SimulatedClock(BEGINS)
        self.last = ""
        self.baseline: dict[str, object] | None = None
        self.settled: list[object] = []
        self.runs: list[gw.Session] = []
        self._project: gw.Project | None = None
        self._hands: Hands | None = None
        self._tools: Sequence[object] | None = None
        self._policy: str | None = None

    # -- before the first call ------------------------------------------------------------------

    def policy(self, text: str) -> None:
        """`groundwire.toml` holds this when the run begins."""
        self._policy = text
        self.place.write("groundwire.toml", text)

    def tools(self, *tools: object) -> None:
        """The table has these beside the usual ones."""
        self._tools = [*coding_tools(), *tools]

    # -- the run --------------------------------------------------------------------------------

    @property
    def project(self) -> gw.Project:
        if self._project is None:
            self._project = gw.Project(clock=self.clock)
        return self._project

    def open(self, **how: Any) -> gw.Session:
        """A run more, entered; the first one is what `do` works in."""
        if self._tools is None:
            # A run knows the tools that were declared when it began.
            self._tools = coding_tools()
        path = self.place.top / "runs" / f"run-{len(self.runs)}.gw"
        run = self.project.session(path, **how)
        run.on("settled", self.settled.append)
        run.open()
        self.runs.append(run)
        return run

    @property
    def hands(self) -> Hands:
        if self._hands is None:
            run = self.runs[0] if self.runs else self.open()
            self._hands = Hands(self.project, run, self._tools or ())
        return self._hands

    @property
    def table_of(self) -> list[object]:
        """The tools of this world's table, to make another table of."""
        return list(self._tools or ())

    @property
    def run(self) -> gw.Session:
        return self.hands.run

    def do(self, tool: str, **arguments: object) -> Done:
        """What came of the call."""
        return self.seen(self.hands.call(tool, arguments))

    def call(self, tool: str, arguments: str, call_id: str = "") -> Done:
        """The same, of arguments as exact text."""
        return self.seen(self.hands.call(tool, arguments, call_id))

    def seen(self, done: Done) -> Done:
        """The outcome is said where the attack ends otherwise than it must."""
        self.last = f"{done.word} {done.message} {done.text[:200]}"
        return done

    def shell(self, command: str) -> Done:
        """What came of a command."""
        return self.do("run_command", command=command)

    def ran(self, command: str) -> Done:
        """What came of a command that was let run; one that was not shows nothing about it."""
        done = self.shell(command)
        assert done.word == "executed", f"it did not run: {done.word} {done.message}"
        return done

    # -- afterwards -----------------------------------------------------------------------------

    def ready(self) -> None:
        """What the attack needed is there: from here on nothing is to be changed."""
        self.baseline = self.standing()

    def close(self) -> None:
        """Every run is closed."""
        for run in reversed(self.runs):
            if run.is_open:
                run.close()

    def standing(self) -> dict[str, object]:
        """Every file of the working folder, its mode, links, and where each ref of git stands."""
        found: dict[str, object] = dict(self.place.contents())
        for path in sorted(self.place.folder.rglob("*")):
            below = path.relative_to(self.place.folder)
            if ".git" in below.parts and not _executes(below.parts):
                continue
            if path.is_symlink():
                found[f"link {below}"] = os.readlink(path)
            elif path.is_file():
                found[f"mode {below}"] = path.stat().st_mode
                if ".git" in below.parts:
                    found[f"git {below}"] = path.read_bytes()
        if (self.place.folder / ".git").is_dir():
            found["refs"] = self.place.git("for-each-ref", "--format=%(objectname) %(refname)")
            found["head"] = (self.place.folder / ".git" / "HEAD").read_bytes()
        return found

    def faults(self) -> str:
        """What is wrong with what was recorded; nothing where every recording verifies."""
        found = [verified(Path(run.path)) for run in self.runs if run.path is not None]
        return "; ".join(fault for fault in found if fault)


def _executes(parts: tuple[str, ...]) -> bool:
    """Whether the path in `.git` says what git runs."""
    return "hooks" in parts or parts[-1] in {
        "config",
        "config.worktree",
        "alternates",
        "attributes",
    }


@contextmanager
def world(*, git: bool = True) -> Iterator[World]:
    """A world of its own; nothing of it is left."""
    with workplace(FILES, git=git) as place, own_declarations():
        there = World(place)
        try:
            yield there
        finally:
            there.close()
