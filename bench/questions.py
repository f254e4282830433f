"""How often a person is asked in scripted, benign coding sessions under the default policy.

Each session begins in a fresh copy of a small project. A person is named in the policy, and a stand-in
answers each question with a yes, so that what depends on it goes on: a question is a request that was
put to them. The scripts are ours; what your agents do is another matter.
`python -m bench.questions [WORDS-OF-A-SESSION]`
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from tests.approving import ADA, answered, enrol, requests
from tests.benign.project import FILES
from tests.benign.steps import Step
from tests.benign.tasks import TASKS
from tests.hands import Done, Hands, coding_tools, own_declarations, verified
from tests.workplaces import Workplace, workplace

import groundwire as gw
from groundwire.documents.outcome import Refused, Unknown

BOUND: Final = 2
POLICY: Final = f'[[approvers]]\nname = "ada"\nkey = "{ADA.signer.key_id}"\n'


class Asked(NamedTuple):
    """How a session went."""

    steps: int
    questions: int
    wrong: tuple[str, ...]


def session(steps: Iterator[Step]) -> Asked:
    """Carries the steps out, each question answered with a yes."""
    count = 0
    wrong: list[str] = []
    with workplace({**FILES, "groundwire.toml": POLICY}) as place, own_declarations():
        os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        if sys.prefix != sys.base_prefix:
            os.environ["VIRTUAL_ENV"] = sys.prefix
        enrol(ADA.key())
        project = gw.Project("groundwire.toml")
        project._guard.desk().pause = _yes

        @gw.tool(effect="external", operation="publish")
        def publish(file: str) -> str:
            return f"published {file}"

        tools = [*coding_tools(), publish]
        with project.session(place.top / "session.gw") as run:
            hands = Hands(project, run, tools)
            for step in steps:
                count += 1
                problem = _wrong(hands.do(step.tool, **step.arguments), step, place)
                if problem:
                    wrong.append(f"{step.kind} {step.arguments}: {problem}")
        questions = len(list(requests()))
        if fault := verified(place.top / "session.gw"):
            wrong.append(fault)
    return Asked(count, questions, tuple(wrong))


def _yes(event: threading.Event, seconds: float) -> None:
    """What happens while a call waits: the person says yes to what was asked last."""
    answered(ADA)


def _wrong(done: Done, step: Step, place: Workplace) -> str:
    if isinstance(done.outcome, Refused | Unknown):
        return f"{done.word} {done.message[:200]}"
    if done.exit != step.exit or step.shows not in done.text:
        return f"exit {done.exit}: {done.text[-200:]!r}"
    if step.leaves is not None:
        path, text = step.leaves
        if text not in (place.read(path) or b"").decode():
            return f"{path} does not hold {text!r}"
    return ""


def main() -> int:
    named = " ".join(sys.argv[1:])
    told: list[Asked] = []
    print(f"{'session':<44}{'steps':>6}{'questions':>11}{'seconds':>9}")
    for name, steps in TASKS.items():
        if named not in name:
            continue
        began = time.perf_counter()
        asked = session(steps())
        told.append(asked)
        seconds = time.perf_counter() - began
        print(f"{name:<44}{asked.steps:>6}{asked.questions:>11}{seconds:>9.1f}", flush=True)
        for each in asked.wrong:
            print(f"    WRONG: {each[:300]}")
    if not told:
        print(f"no session has {named!r} in its name")
        return 2
    counts = [each.questions for each in told]
    print(
        f"questions: {median(counts):g} in the median of {len(counts)} sessions, {max(counts)} at"
        f" most, {sum(counts)} in {sum(each.steps for each in told)} steps (aim: {BOUND} in the median)"
    )
    wrong = any(each.wrong for each in told)
    over = median(counts) > BOUND or wrong
    print("bounds: OVER" if over else "bounds: held")
    return int(over)


if __name__ == "__main__":
    sys.exit(main())
