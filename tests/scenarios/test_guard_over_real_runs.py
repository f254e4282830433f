"""The check of ungoverned calls over the recorded runs of real agents, as if each had had a guard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

from groundwire.audit.logs import log_events
from groundwire.checks.engine import Engine
from groundwire.checks.write.governed.ungoverned_call import UngovernedCall
from groundwire.documents.event import Declared, Event, Guarded, Requested, Responded
from groundwire.documents.finding import Finding
from groundwire.documents.frame import CallPart, Frame, Response
from groundwire.wire.importers import ImportProblem, pieces, read_piece

DATA = Path(__file__).parents[2] / ".." / "shared" / "data"
LOGS = tuple(
    f"{name}.dev.jsonl.gz" for name in ("agentdojo", "agentdyn", "cassettes", "taubench", "wire")
)
replace = msgspec.structs.replace
Steps = Sequence[Frame | Response]


def runs(name: str) -> Iterator[Steps]:
    if not (DATA / name).is_file():
        pytest.skip(f"{DATA / name} is not here")
    for piece in pieces((DATA / name).read_bytes()):
        for run in read_piece(piece, {}):
            if not isinstance(run, ImportProblem):
                yield run.steps


def guarded(steps: Steps, *, linked: bool, prefix: str, refused: str) -> Iterator[Event]:
    """The run on a watched wire, each of its calls at the table before its result is shown."""
    number = 0
    for event in log_events(steps):
        at = event.step * 1000  # there is room for the calls of a response behind it
        match event:
            case Declared():
                yield replace(event, guards=True)
            case Requested():
                yield replace(event, step=at, wire=True)
            case _:
                yield replace(event, step=at)
        if not isinstance(event, Responded) or event.response is None:
            continue
        for part in event.response.parts:
            if isinstance(part, CallPart) and part.call.executed_by == "host":
                by_id = linked and bool(part.call.id)
                number += 1
                yield Guarded(
                    step=at + 1, at="", guarded=number, state="outcome",
                    call_id=part.call.id if by_id else "", link="id" if by_id else "unlinked",
                    exchange=event.exchange if by_id else None, lane=event.lane if by_id else None,
                    name=prefix + part.call.name, document=None,
                    outcome="refused" if refused else "executed", reason=refused,
                )  # fmt: skip


def found(name: str, *, linked: bool, prefix: str = "", refused: str = "") -> list[Finding]:
    findings: list[Finding] = []
    for steps in runs(name):
        engine = Engine([UngovernedCall()])
        for event in guarded(steps, linked=linked, prefix=prefix, refused=refused):
            findings.extend(engine.feed(event))
    return findings


@pytest.mark.slow
@pytest.mark.parametrize("name", LOGS)
@pytest.mark.parametrize(("linked", "prefix"), [(True, ""), (False, ""), (False, "mcp__server__")])
def test_no_call_of_a_real_run_is_accused_that_came_to_the_table(
    name: str, prefix: str, *, linked: bool
) -> None:
    assert [each.message for each in found(name, linked=linked, prefix=prefix)] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", LOGS)
def test_results_of_refused_calls_are_places_to_look_and_never_errors_of_the_tool(
    name: str,
) -> None:
    findings = found(name, linked=True, refused="decision-denied")
    assert {(each.grade, each.advisory) for each in findings} <= {("answered-refused", True)}
    shown = [each.witnesses[1].value for each in findings]
    assert [text for text in shown if text.lower().startswith(("error", "invalid"))] == []
    assert findings or name.startswith("wire")  # hardly a result in there says what was done
