"""Foreign logs: runs that somebody else recorded, as events.

No byte of theirs crossed a wire that anyone kept, so every request is marked as imported and the
wire manifest says so instead of guessing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from groundwire.audit.report import (
    Problem,
    Report,
    audit_events,
    problem_report,
    unreadable,
)
from groundwire.documents.declaration import CheckRules
from groundwire.documents.event import Declared, Ended, Event, Requested, Responded
from groundwire.documents.frame import Frame, Response
from groundwire.documents.policy import Grounding, Policy, ToolDeclaration
from groundwire.errors import EncodingError
from groundwire.wire.importers import ImportProblem, Piece, pieces, read_piece


class Imported(Protocol):
    """What an importer gives for one run: frames and responses in the order they happened."""

    @property
    def run_id(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def format(self) -> str: ...
    @property
    def steps(self) -> Sequence[Frame | Response]: ...
    @property
    def notes(self) -> Sequence[str]: ...


def log_events(
    steps: Sequence[Frame | Response],
    *,
    declarations: Sequence[ToolDeclaration] = (),
    grounding: Grounding = "whole",
    arm_all: bool = False,
    checks: CheckRules | None = None,
) -> Iterator[Event]:
    """The events of an imported run, on one lane. A log has no clock: every time stamp is empty."""
    yield Declared(
        step=0,
        at="",
        declarations=tuple(declarations),
        grounding=grounding,
        posture="observe",
        arm_all=arm_all,
        checks=checks or CheckRules(),
    )
    exchange = -1
    for step, taken in enumerate(steps, start=1):
        match taken:
            case Frame():
                exchange += 1
                yield Requested(
                    step=step,
                    at="",
                    exchange=exchange,
                    lane=0,
                    attempt=1,
                    composed=None,
                    frame=taken,
                    wire=False,
                )
            case Response():
                yield Responded(step=step, at="", exchange=exchange, lane=0, response=taken)
    yield Ended(step=len(steps) + 1, at="")


def audit_log(
    run: Imported,
    *,
    file: str = "",
    declarations: Sequence[ToolDeclaration] = (),
    grounding: Grounding = "whole",
    arm_all: bool = False,
    checks: CheckRules | None = None,
) -> Report:
    """What the checks say of one imported run."""
    events = log_events(
        run.steps,
        declarations=declarations,
        grounding=grounding,
        arm_all=arm_all,
        checks=checks,
    )
    return audit_events(
        events, run=run.run_id, model=run.model, source=run.format, file=file, notes=run.notes
    )


def audit_file(
    file: str, data: bytes, *, schemas: Mapping[str, str], policy: Policy, arm_all: bool = False
) -> Iterator[Report]:
    """A report for each run of a log, and for each part of it that could not be read.

    Raises nothing for what stands in the log: what is no log at all is one problem.
    """
    try:
        for piece in pieces(data):
            yield from audit_piece(file, piece, schemas=schemas, policy=policy, arm_all=arm_all)
    except EncodingError as error:
        yield unreadable(file, error)


def audit_piece(
    file: str, piece: Piece, *, schemas: Mapping[str, str], policy: Policy, arm_all: bool
) -> Iterator[Report]:
    """A report for the run of one piece of a log, after one for each part of it that is no run."""
    for run in read_piece(piece, schemas):
        if isinstance(run, ImportProblem):
            problem = Problem(source=file, line=run.line, reason=run.reason, message=run.message)
            yield problem_report(problem)
        else:
            yield audit_log(
                run,
                file=file,
                declarations=policy.tools,
                grounding=policy.grounding,
                arm_all=arm_all,
                checks=policy.checks,
            )
