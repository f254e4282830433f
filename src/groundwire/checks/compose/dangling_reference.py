"""Dangling reference: a tool is offered whose arguments come from results the window has dropped.

The model can then only remember or invent them. A result's tool is what it names itself, else that
of the call it answers, for dropped results and for those in view alike.
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
from groundwire.documents.call import ToolCall
from groundwire.documents.event import Declared, Event, Requested
from groundwire.documents.finding import Assertion, Finding, Seam, Subject
from groundwire.documents.frame import CallPart, ResultPart, Text, ToolSpec
from groundwire.documents.policy import ToolDeclaration


class DanglingReference:
    """Armed by a tool whose arguments come from results; one encounter a request."""

    kind = "dangling-reference"
    seam: Seam = "compose"
    version = 1
    armed_by = "a tool's arguments_from, or a source `result` of one of its arguments"
    catches = (
        "A tool is offered whose arguments come from the results of another tool, and every result "
        "of that tool has left the window."
    )
    fences = (
        (
            "silent when the other tool never had a result in the lane, because what is still to "
            "be fetched is the normal course"
        ),
        "silent when one result of it is in view, because the reference lives again",
        "silent about tools the request does not offer, because they cannot be called wrongly",
        "silent where the provider keeps the conversation, because it may hold what was dropped",
    )
    severity = "defect"
    sees = (Requested,)

    def watch(self, transcript: Transcript) -> Watch:
        """A fresh watch for one run."""
        return Watch(transcript)

    def canary(self) -> Sequence[Event]:
        """A result that the second request has dropped, and the tool that needs it."""
        user = made_up.message("user", Text("Go on."))
        call = CallPart(ToolCall(id="canary", name="canary_source", arguments="{}"))
        result = made_up.message("tool", ResultPart("canary", "canary-1"))
        tools = (ToolSpec(name="canary_tool", schema="{}"),)
        return (
            Declared(
                step=made_up.BEFORE,
                at="",
                declarations=(
                    ToolDeclaration(name="canary_tool", arguments_from=("canary_source",)),
                ),
                grounding="whole",
                posture="observe",
            ),
            made_up.request(user, made_up.message("assistant", call), result, tools=tools),
            made_up.request(user, tools=tools),
        )


class Watch:
    """Keeps nothing: results and whether they are in view stand in the transcript."""

    def __init__(self, transcript: Transcript) -> None:
        self._run = transcript

    def rests(self) -> Resting | None:
        """No tool's arguments are declared to come from results."""
        return None if self._grounds() else at_requests(not_applicable("not-declared"))

    def see(self, event: Event) -> Iterable[Encounter]:
        """One encounter for each request."""
        return (self._judge(event),) if isinstance(event, Requested) else ()

    def _judge(self, event: Requested) -> Encounter:
        grounds = self._grounds()
        if not grounds:
            return not_applicable("not-declared")
        if event.frame is None:
            return unreachable(event.reason or "unreadable-body")
        offered = [tool.name for tool in event.frame.tools if tool.name in grounds]
        if not offered:
            return not_applicable("no-grounded-tool")
        dropped, present = (
            self._results(event.lane) if self._run.lane(event.lane).has_dropped else (set(), set())
        )
        if not dropped:
            return not_applicable("nothing-dropped")
        missing = [
            (tool, [name for name in grounds[tool] if name in dropped and name not in present])
            for tool in dict.fromkeys(offered)
        ]
        found = [(tool, names) for tool, names in missing if names]
        if found and event.frame.held_by_provider is not None:
            return unreachable("held-by-provider")
        return judged([_finding(tool, names, event) for tool, names in found])

    def _grounds(self) -> dict[str, tuple[str, ...]]:
        """The tools that each declared tool's arguments come from."""
        found: dict[str, tuple[str, ...]] = {}
        for tool in self._run.tools.values():
            named = [source.tool for source in tool.arguments if source.kind == "result"]
            grounds = tuple(dict.fromkeys([*tool.arguments_from, *named]))
            if grounds:
                found[tool.name] = grounds
        return found

    def _results(self, lane: int) -> tuple[set[str], set[str]]:
        """The tools with a result that the lane has dropped, and those with one in view."""
        dropped: set[str] = set()
        present: set[str] = set()
        for served in self._run.served:
            # What the host wrote in a tool's place is no result of it.
            if served.lane == lane and served.tool and served.part.text not in self._run.authored:
                (present if served.visible else dropped).add(served.tool)
        return dropped, present


def _finding(tool: str, grounds: Sequence[str], event: Requested) -> Finding:
    return Finding(
        kind=DanglingReference.kind,
        seam=DanglingReference.seam,
        subjects=(Subject("tool", tool), *(Subject("tool", name) for name in grounds)),
        witnesses=(
            Assertion(
                subject=Subject("tool", tool),
                predicate="offered",
                value="offered",
                provenance="the tools that the request offers",
                step=event.step,
            ),
            *(
                Assertion(
                    subject=Subject("tool", name),
                    predicate="result",
                    value="dropped",
                    provenance="no message of the request holds a result of it any more",
                    step=event.step,
                )
                for name in grounds
            ),
        ),
        message=(
            f"`{clipped(tool)}` is offered, and its arguments come from results of "
            f"{listed(grounds)}, which the window has dropped. The model can only remember or "
            f"invent them. Call {listed(grounds, 'and')} again before `{clipped(tool)}`, or keep "
            "those results in view. Nothing was withheld."
        ),
        lane=event.lane,
        step=event.step,
        grade="dropped",
    )
