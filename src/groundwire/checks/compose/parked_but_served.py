"""Parked but served: a group of tools was withheld, and a request offers tools of it all the same.

Two channels: what the host says of the group (`run.park`), and the tools the request crossed the
wire with. Only the group's own tools count, by their exact names.
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
from groundwire.checks.wording import clipped, listed
from groundwire.documents.event import Event, Parked, Requested
from groundwire.documents.finding import Assertion, Finding, Seam, Subject
from groundwire.documents.frame import Text, ToolSpec


class ParkedButServed:
    """Armed by a group of tools that is declared or parked; one encounter a request."""

    kind = "parked-but-served"
    seam: Seam = "compose"
    version = 1
    armed_by = "a group of tools: [[groups]], run.park(...)"
    catches = "A group of tools is parked, and a request still offers tools of it."
    fences = (
        "silent when the group is engaged, because then nothing contradicts the offer",
        (
            "silent about tools of other names or of no parked group, because only what a group "
            "owns is withheld with it"
        ),
        "silent when the request's tools could not be read, because then nothing can be compared",
    )
    severity = "defect"
    sees = (Requested,)

    def watch(self, transcript: Transcript) -> Watch:
        """A fresh watch for one run."""
        return Watch(transcript)

    def canary(self) -> Sequence[Event]:
        """A parked tool that is offered."""
        return (
            Parked(step=made_up.BEFORE, at="", group="canary", tools=("canary_tool",), parked=True),
            made_up.request(
                made_up.message("user", Text("Go on.")),
                tools=(ToolSpec(name="canary_tool", schema="{}"),),
            ),
        )


class Watch:
    """Keeps nothing: which groups are parked stands in the transcript."""

    def __init__(self, transcript: Transcript) -> None:
        self._run = transcript

    def rests(self) -> Resting | None:
        """No group is declared or parked."""
        return None if self._is_armed() else at_requests(not_applicable("not-declared"))

    def see(self, event: Event) -> Iterable[Encounter]:
        """One encounter for each request."""
        return (self._judge(event),) if isinstance(event, Requested) else ()

    def _is_armed(self) -> bool:
        return bool(self._run.parked or self._run.rules.groups)

    def _judge(self, event: Requested) -> Encounter:
        if not self._is_armed():
            return not_applicable("not-declared")
        parked = [group for group in self._run.parked.values() if group.parked]
        if not parked:
            return not_applicable("nothing-parked")
        if event.frame is None:
            return unreachable(event.reason or "unreadable-body")
        offered = {tool.name for tool in event.frame.tools}
        served = [(group, [name for name in group.tools if name in offered]) for group in parked]
        return judged([_finding(group, names, event) for group, names in served if names])


def _finding(group: Parked, names: Sequence[str], event: Requested) -> Finding:
    tools = tuple(Subject("tool", name) for name in dict.fromkeys(names))
    return Finding(
        kind=ParkedButServed.kind,
        seam=ParkedButServed.seam,
        subjects=(Subject("group", group.group), *tools),
        witnesses=tuple(
            Assertion(
                subject=tool, predicate="availability", value=value, provenance=source, step=step
            )
            for tool in tools
            for value, source, step in (
                ("suspended", f"the host parked the group `{clipped(group.group)}`", group.step),
                ("available", "the tools that the request offers", event.step),
            )
        ),
        message=(
            f"The group `{clipped(group.group)}` is parked, and the request still offers "
            f"{len(tools)} of its {len(set(group.tools))} tools: {listed(names)}. One channel says "
            "off, the other on, and nothing settles it. Withhold the tools, or engage the group "
            "again. Nothing was blocked."
        ),
        lane=event.lane,
        step=event.step,
        grade="still-served",
    )
