"""The findings of an ungoverned call, in words."""

from __future__ import annotations

import msgspec

from groundwire.checks.transcript import Chosen, Served
from groundwire.checks.wording import clipped
from groundwire.documents.declaration import Effect
from groundwire.documents.finding import Assertion, Finding, Subject

_CHANGES: frozenset[Effect] = frozenset({"write", "external", "destructive"})


class Beside(msgspec.Struct, frozen=True, kw_only=True):
    """A result of a call that never came to the table, and the declared effect of its tool."""

    served: Served
    chosen: Chosen
    effect: Effect


def finding_of(beside: Beside, step: int) -> Finding:
    """A defect where something could have changed or surely ran; else a place to look."""
    call = beside.chosen.call
    ran = bool(beside.chosen.executions)
    advisory = not ran and beside.effect not in _CHANGES
    name = clipped(call.name, 48)
    told = " The host told that its tool ran." if ran else ""
    look = "A place to look: nobody declared what this tool does. " if advisory else ""
    subjects = (Subject("call", call.id), Subject("tool", call.name))
    return Finding(
        kind="ungoverned-call",
        seam="write",
        subjects=subjects,
        witnesses=(
            Assertion(
                subject=subjects[0],
                predicate="guarded",
                value="false",
                provenance="the guarded calls of the run until this request",
                step=step,
            ),
            Assertion(
                subject=subjects[0],
                predicate="result",
                value=clipped(beside.served.part.text),
                provenance="the result in the request",
                step=beside.served.step,
            ),
        ),
        message=(
            f"A result of `{name}` (call {clipped(call.id, 48)}) reached the model, and the call never "
            f"came to the guarded table.{told} {look}Register the guarded tool alone, dispatch the call "
            "by the table, or say what it was: `effect` where the tool only reads, `run.authored(...)` "
            "where the host wrote the result. Nothing was blocked."
        ),
        lane=beside.served.lane,
        step=step,
        grade="ran-beside" if ran else beside.effect,
        advisory=advisory,
    )


class Overruled(msgspec.Struct, frozen=True, kw_only=True):
    """A result of a call that the table refused for `reason`. `ran`: the host told that it ran."""

    served: Served
    chosen: Chosen
    reason: str
    ran: bool


def finding_of_refused(overruled: Overruled, step: int) -> Finding:
    """A defect where the host told that the refused call ran; else a place to look."""
    call, ran = overruled.chosen.call, overruled.ran
    subjects = (Subject("call", call.id), Subject("tool", call.name))
    how = (
        "and the host told that its tool ran"
        if ran
        else "and what the model was shown of it reads as what a tool returned"
    )
    look = "" if ran else "A place to look: the words may be the host's own. "
    return Finding(
        kind="ungoverned-call",
        seam="write",
        subjects=subjects,
        witnesses=(
            Assertion(
                subject=subjects[0],
                predicate="guarded",
                value=f"refused: {clipped(overruled.reason, 64)}",
                provenance="the outcome that the guarded table recorded",
                step=step,
            ),
            Assertion(
                subject=subjects[0],
                predicate="result",
                value=clipped(overruled.served.part.text),
                provenance="the result in the request",
                step=overruled.served.step,
            ),
        ),
        message=(
            f"The guarded table refused `{clipped(call.name, 48)}` (call {clipped(call.id, 48)}, "
            f"{clipped(overruled.reason, 64)}), {how}. {look}Show the model the refusal that the table "
            "gave, or say that the host wrote the result: `run.authored(...)`. Nothing was blocked."
        ),
        lane=overruled.served.lane,
        step=step,
        grade="ran-refused" if ran else "answered-refused",
        advisory=not ran,
    )
