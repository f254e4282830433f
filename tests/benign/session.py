"""The session carried out under the guard, with no policy file, and what became of each step."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import groundwire as gw
from groundwire.documents.outcome import Refused, Unknown
from tests.benign.more_steps import more_steps
from tests.benign.project import FILES
from tests.benign.steps import Step, steps, within_limits
from tests.hands import Hands, coding_tools, own_declarations, verified
from tests.workplaces import Workplace, workplace

AT_LEAST = {"edit": 50, "test": 20, "grep": 2, "heredoc": 4, "stash": 3, "rename": 4, "format": 3,
            "build": 5, "commit": 8}  # fmt: skip


def every_step() -> Iterator[Step]:
    """The whole session, in order."""
    yield from steps()
    yield from more_steps()
    yield from within_limits()


def carry_out(say: Callable[[str], object]) -> int:
    """How the session went, told line by line; 0 where nothing was refused, asked or went wrong."""
    counts: Counter[str] = Counter()
    asked = refused = wrong = 0
    began = time.perf_counter()
    with workplace(FILES) as place, own_declarations():
        # The interpreter that runs this has the formatter beside it, and is the active one.
        os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        if sys.prefix != sys.base_prefix:
            os.environ["VIRTUAL_ENV"] = sys.prefix
        project = gw.Project()
        tools = coding_tools()
        with project.session(place.top / "benign.gw") as run:
            hands = Hands(project, run, tools)
            for number, step in enumerate(every_step(), 1):
                start = time.perf_counter()
                problem, kind = _made(hands, place, step)
                seconds = time.perf_counter() - start
                counts[step.kind] += 1
                asked += kind == "asked"
                refused += kind == "refused"
                wrong += kind == "wrong"
                end = "" if not kind else f"  {kind.upper()}: {problem}"
                say(f"{number:4}  {seconds * 1000:7.0f} ms  {step.kind:8} {_title(step)}{end}")
        fault = verified(place.top / "benign.gw")
    few = [f"{kind} {counts[kind]}" for kind, least in AT_LEAST.items() if counts[kind] < least]
    for problem in (*few, *([fault] if fault else ())):
        wrong += 1
        say(f"      WRONG: {problem}")
    total = sum(counts.values())
    kinds = ", ".join(f"{count} {kind}" for kind, count in counts.most_common())
    say(f"{total} steps in {time.perf_counter() - began:.1f} s: {kinds}; the recording verifies.")
    say(f"{refused} refused, {asked} asked" + (f", {wrong} went wrong" if wrong else ""))
    return 1 if asked or refused or wrong else 0


def _made(hands: Hands, place: Workplace, step: Step) -> tuple[str, str]:
    """What is wrong with how the step ended, and whether it was refused, asked or merely wrong."""
    done = hands.do(step.tool, **step.arguments)
    if isinstance(done.outcome, Refused):
        word = "asked" if done.outcome.reason == "approval-unavailable" else "refused"
        return f"{done.outcome.reason} {list(done.outcome.rules)} {done.message}", word
    if isinstance(done.outcome, Unknown):
        return f"unknown: {done.outcome.reason} {done.message}", "wrong"
    if done.exit != step.exit:
        return f"exit {done.exit}: {done.text[-300:]}", "wrong"
    if step.shows not in done.text:
        return f"{step.shows!r} is not in {done.text[-300:]!r}", "wrong"
    if step.leaves is not None:
        path, text = step.leaves
        if text not in (place.read(path) or b"").decode():
            return f"{path} does not hold {text!r}", "wrong"
    return "", ""


def _title(step: Step) -> str:
    given = step.arguments.get("command") or step.arguments.get("path") or "a patch"
    first = str(given).splitlines()[0]
    return f"{step.tool} {first if len(first) <= 70 else first[:67] + '...'}"
