"""Result out of order: parallel calls were answered in another order than they were made.

An advisory: results carry ids, and a model may read them rightly in any order. Where the entity is
named only in the arguments, it may not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from groundwire.checks import made_up
from groundwire.checks.seams import Encounter, judged, not_applicable, unreachable
from groundwire.checks.transcript import Transcript
from groundwire.checks.wording import listed
from groundwire.checks.write.turns import Turn, turns_of
from groundwire.documents.call import ToolCall
from groundwire.documents.event import Event, Requested
from groundwire.documents.finding import Assertion, Finding, Seam, Subject
from groundwire.documents.frame import CallPart, ResultPart


class ResultOutOfOrder:
    """Always armed; one encounter for each request."""

    kind = "result-out-of-order"
    seam: Seam = "write"
    version = 1
    armed_by = "always"
    catches = "Parallel results that stand in another order than their calls."
    fences = (
        "silent where a call has no id or two share one, because order is then all that pairs them",
    )
    severity = "advisory"
    sees = (Requested,)

    def watch(self, transcript: Transcript) -> Watch:
        """A fresh watch for one run."""
        return Watch(transcript)

    def canary(self) -> Sequence[Event]:
        """Two calls whose results stand the other way round."""
        calls = [
            CallPart(ToolCall(id=name, name="canary_tool", arguments="{}"))
            for name in ("canary-1", "canary-2")
        ]
        return (
            made_up.request(
                made_up.message("assistant", *calls),
                made_up.message("tool", ResultPart("canary-2", "two")),
                made_up.message("tool", ResultPart("canary-1", "one")),
            ),
        )


class Watch:
    """Reads each lane's turns."""

    def __init__(self, transcript: Transcript) -> None:
        self._turns = turns_of(transcript)

    def see(self, event: Event) -> Iterable[Encounter]:
        """One encounter for each request."""
        return (self._judge(event),) if isinstance(event, Requested) else ()

    def _judge(self, event: Requested) -> Encounter:
        if event.frame is None:
            return unreachable(event.reason or "unreadable-body")
        turns = self._turns.show(event.lane, event.frame)
        for turn in [turn for turn in turns.parallel if _is_settled(turn)]:
            del turns.parallel[turn]
            turns.in_order += _is_comparable(turn)
        compared = [turn for turn in turns.parallel if _is_comparable(turn)]
        if not compared and not turns.in_order:
            return not_applicable("no-parallel-results")
        return judged(
            [_finding(turn, event) for turn in compared if turn.order != sorted(turn.order)]
        )


def _is_settled(turn: Turn) -> bool:
    """Whether every call was answered and nothing is to be said of the order, now or later."""
    if len(turn.order) < len(turn.calls):
        return False
    return not _is_comparable(turn) or turn.order == sorted(turn.order)


def _is_comparable(turn: Turn) -> bool:
    ids = [call.id for call in turn.calls]
    return len(turn.order) > 1 and "" not in ids and len(set(ids)) == len(ids)


def _finding(turn: Turn, event: Requested) -> Finding:
    answered = [turn.calls[place] for place in turn.order]
    made = [turn.calls[place] for place in sorted(turn.order)]
    subjects = tuple(Subject("call", call.id) for call in turn.calls)
    return Finding(
        kind=ResultOutOfOrder.kind,
        seam=ResultOutOfOrder.seam,
        subjects=subjects,
        witnesses=tuple(
            Assertion(
                subject=subjects[0],
                predicate="order",
                value=", ".join(call.id for call in calls),
                provenance=source,
                step=event.step,
            )
            for calls, source in (
                (made, "the assistant message with the calls"),
                (answered, "the results that follow it"),
            )
        ),
        message=(
            f"The model called {listed(call.id for call in made)}, and the results stand in the "
            f"order {listed(call.id for call in answered)}. A place to look: a model that reads "
            "results by position takes one for the other. Nothing was blocked."
        ),
        lane=event.lane,
        step=event.step,
        advisory=True,
    )
