"""One guarded edit in a process that dies at a step: `python -m tests.adversarial.victim RUN WHEN STEP`."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any, NoReturn

import groundwire as gw
from groundwire.session.guarding.host import GuardHost
from groundwire.targets.disk.system import Disk
from groundwire.targets.shell import applying
from tests.hands import Hands, coding_tools


def _die() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("unreachable")


def die_at(when: str, step: str) -> None:
    """From here on the process dies before, or after, the step (or the disk's call) of this name."""
    if step.startswith("rest."):
        name = step.removeprefix("rest.")
        act = getattr(applying, name)

        def acted(*given: Any) -> Any:
            if when == "before":
                _die()
            act(*given)
            _die()

        setattr(applying, name, acted)
        return
    if step.startswith("disk."):
        name = step.removeprefix("disk.")
        true = getattr(Disk, name)

        def called(disk: Disk, *given: Any) -> Any:
            if when == "before":
                _die()
            answer = true(disk, *given)
            _die()
            return answer

        setattr(Disk, name, called)
        return
    answer = GuardHost.answer

    def answered(host: GuardHost, asked: Any) -> Any:
        mine = type(asked).__name__ == step
        if mine and when == "before":
            _die()
        given = answer(host, asked)
        if mine:
            _die()
        return given

    GuardHost.answer = answered  # type: ignore[method-assign]  # put in its place meanwhile


if __name__ == "__main__":
    run_path, when, step, shape = sys.argv[1:]
    project, tools = gw.Project(), coding_tools()
    with project.session(run_path) as run:
        hands = Hands(project, run, tools)
        hands.do("create_file", path="first.txt", content="first\n")
        die_at(when, step)
        if shape == "one":
            hands.do("edit_file", path="README.md", old="Use it.", new="Used.")
        elif shape == "command":
            command = (
                "sed -i 's/Use it/Used/' README.md; mkdir -p made build; ln -s ../app.py build/app"
            )
            hands.do("run_command", command=command)
        else:
            hands.do(
                "apply_patch",
                patch="--- a/README.md\n+++ b/README.md\n@@ -1,3 +1,3 @@\n # Tool\n \n-Use it.\n+Used.\n"
                "--- a/app.py\n+++ b/app.py\n@@ -1 +1 @@\n-v1\n+v2\n",
            )
