"""Missing tools: the host named a tool for each of its requests, and a call was composed without.

Two channels: what `run.tools([...])` says, and the tools an SDK call was given. A tool that was
composed and did not leave is the wire manifest's finding, never this one's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from groundwire.checks import made_up
from groundwire.checks.seams import (
    Encounter,
    Resting,
    at_requests,
    judged,
    not_applicable,
    unreachable,
)
from groundwire.checks.transcript import Transcript
from groundwire.checks.wording import listed
from groundwire.documents.event import Composed, Event, Expected, Requested
from groundwire.documents.finding import Assertion, Finding, Seam, Subject


class MissingTools:
    """Armed by `run.tools([...])`; one encounter for each SDK call."""

    kind = "missing-tools"
    seam: Seam = "compose"
    version = 1
    armed_by = "run.tools([...]) names the tools that each request offers"
    catches = "A tool that the host names for each request, and an SDK call composed without it."
    fences = (
        "silent for a tool that was composed and did not leave, because the wire check files that",
        "silent for a request whose SDK call nobody saw, because there is nothing to compare",
    )
    severity = "defect"
    sees = (Expected, Composed, Requested)

    def watch(self, transcript: Transcript) -> Watch:  # noqa: ARG002 -- reads events alone
        """A fresh watch for one run."""
        return Watch()

    def canary(self) -> Sequence[Event]:
        """A call composed without the one tool that was named."""
        return (
            Expected(step=made_up.BEFORE, at="", tools=("canary_tool",)),
            Composed(step=made_up.ASKED, at="", call=-1, tools=()),
        )


class Watch:
    """What was named last, and which SDK calls were seen."""

    def __init__(self) -> None:
        self._expected: tuple[str, ...] | None = None
        self._step = -1
        self._composed: set[int] = set()

    def rests(self) -> Resting | None:
        """Nothing was named and no call composed: every request has that said of it."""
        if self._expected is None and not self._composed:
            return at_requests(not_applicable("not-declared"))
        return None

    def see(self, event: Event) -> Iterable[Encounter]:
        """One encounter for each call composed, and for each request whose call nobody saw."""
        match event:
            case Expected(step=step, tools=tools):
                self._expected, self._step = tools, step
            case Composed():
                self._composed.add(event.call)
                yield self._judge(event)
            case Requested(composed=call) if call is None or call not in self._composed:
                if self._expected is None:
                    yield not_applicable("not-declared")
                elif not event.wire:
                    yield unreachable("imported-log")
                else:
                    yield unreachable("no-composed-channel")
            case _:
                pass

    def _judge(self, event: Composed) -> Encounter:
        if self._expected is None:
            return not_applicable("not-declared")
        missing = sorted(set(self._expected).difference(event.tools))
        return judged([self._finding(event, missing)] if missing else [])

    def _finding(self, event: Composed, missing: list[str]) -> Finding:
        subjects = tuple(Subject("tool", name) for name in missing)
        named = "run.tools([...]) names the tools that each request offers"
        given = f"the arguments of SDK call {event.call}, before serialisation"
        return Finding(
            kind=MissingTools.kind,
            seam=MissingTools.seam,
            subjects=subjects,
            witnesses=tuple(
                Assertion(
                    subject=subject, predicate="offered", value=value, provenance=source, step=step
                )
                for subject in subjects
                for value, source, step in (
                    ("named", named, self._step),
                    ("absent", given, event.step),
                )
            ),
            message=(
                f"The host names {listed(missing)} for each of its requests, and an SDK call was "
                "composed without. The model cannot call what it is not offered. Pass the tools "
                "to the call, or name only those that every request offers. Nothing was blocked."
            ),
            lane=0,
            step=event.step,
        )
