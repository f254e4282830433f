"""Ungoverned call: a result reached the model of a call that the guarded table never let through.

What is measured is the wire: calls in responses, results in later requests. Whether a tool ran that
nobody showed the model, in a subprocess or another library, is seen by nobody here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from groundwire.checks import made_up
from groundwire.checks.seams import Encounter, judged, not_applicable, unreachable
from groundwire.checks.transcript import Chosen, Served, Transcript
from groundwire.checks.write.governed.call_finding import (
    Beside,
    Overruled,
    finding_of,
    finding_of_refused,
)
from groundwire.checks.write.governed.loose import Loose
from groundwire.checks.write.governed.refused_words import reads_as_result
from groundwire.checks.write.governed.standing import Standing
from groundwire.checks.write.results.fresh import Fresh
from groundwire.documents.call import ToolCall
from groundwire.documents.declaration import Effect
from groundwire.documents.event import ChildStarted, Declared, Ended, Event, Guarded, Requested
from groundwire.documents.finding import Seam
from groundwire.documents.frame import CallPart, ResultPart


class UngovernedCall:
    """Armed by a guard; one encounter for each result when a frame first shows it."""

    kind = "ungoverned-call"
    seam: Seam = "write"
    version = 2
    armed_by = "a guarded call in the run, or `[guard]` in groundwire.toml"
    catches = (
        "A call whose result reached a later request and that never came to the guarded table, or that "
        "the table refused and the host ran anyway."
    )
    fences = (
        "silent in a run that has no guard, because nothing had to pass it",
        "silent for tools that the provider runs, because no table of the host could hold them",
        "silent for tools that are declared to read, because they change nothing",
        "silent for a result that the host wrote itself (`run.authored`), because no tool made it",
        "silent for calls that no response of this run chose, because they may have been guarded then",
        (
            "silent where a guarded call is linked to no call on the wire and could be this one, "
            "because frameworks lose call ids and know tools by other names; each stands for one call, "
            "and for none that was asked for after it, nor under the name of another offered tool"
        ),
        (
            "silent for a refused call whose result is in any words that a refusal could be in, because "
            "a host may put it as it likes; and where the call came to the table again and passed"
        ),
        (
            "silent for a call that was still waiting when the run started a child, because the "
            "child may have answered it and its own recording tells"
        ),
        "silent for logs, because what crossed no wire may have passed any table",
    )
    severity = (
        "defect where the tool is declared to write, reach out or destroy and the call never came to "
        "the table, or the host told of its execution; else advisory"
    )
    sees = (Declared, Requested, Guarded, ChildStarted, Ended)

    def watch(self, transcript: Transcript) -> Watch:
        """A fresh watch for one run."""
        return Watch(transcript)

    def canary(self) -> Sequence[Event]:
        """One call through the table, and another beside it."""
        inside = ToolCall(id="canary-1", name="canary_tool", arguments="{}")
        beside = ToolCall(id="canary-2", name="canary_tool", arguments="{}")
        return (
            made_up.request(),
            made_up.response(CallPart(inside), CallPart(beside)),
            made_up.guarded(inside),
            made_up.request(
                made_up.message("assistant", CallPart(inside), CallPart(beside)),
                made_up.message(
                    "tool", ResultPart(inside.id, "Refused."), ResultPart(beside.id, "done")
                ),
            ),
        )


class Watch:
    """Looks at each result once, from the moment the run is known to have a guard."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._fresh = Fresh(transcript)
        self._armed = False
        self._loose = Loose(transcript)
        self._standing = Standing(transcript)
        self._left_to_child: set[int] = set()

    def see(self, event: Event) -> Iterable[Encounter]:
        """One encounter for each result that is new in this request; one in all without a guard."""
        match event:
            case Declared():
                self._armed |= event.guards
            case Guarded():
                self._armed = True
                if event.link == "unlinked" or not event.call_id:
                    self._loose.came(event)
                else:
                    self._standing.came(event)
            case ChildStarted():
                self._left_to_child |= {id(chosen) for chosen in self._transcript.waiting()}
            case Requested():
                self._loose.asked(event)
                if self._armed:
                    yield from self._look(event.step, wire=event.wire)
            case Ended():
                if self._armed:
                    yield from self._look(event.step, wire=True)
                else:
                    yield not_applicable("no-guard")
            case _:
                pass

    def _look(self, step: int, *, wire: bool) -> Iterator[Encounter]:
        fresh = self._fresh.take()
        if not fresh:
            yield not_applicable("no-new-result")
        for served in fresh:
            yield self._judge(served, step) if wire else unreachable("imported-log")

    def _judge(self, served: Served, step: int) -> Encounter:
        chosen = served.chosen
        if chosen is None or chosen.response is None:
            return not_applicable("not-chosen-here")
        if chosen.call.executed_by == "provider":
            return not_applicable("run-by-the-provider")
        refused = self._standing.take_refusal(chosen) if chosen.guarded else ""
        if chosen.guarded and not self._standing.is_beside(refused):
            return self._overruled(served, chosen, refused, step)
        if served.part.text in self._transcript.authored:
            return _counted("authored")
        declared = self._transcript.tools.get(chosen.call.name)
        effect = "unstated" if declared is None else declared.effect
        if effect == "read":
            return _counted("declared-read")
        return self._untold(chosen) or self._beside(served, chosen, effect, step)

    def _overruled(self, served: Served, chosen: Chosen, refused: str, step: int) -> Encounter:
        """The call came to the table; where it was refused there, its result is no tool's."""
        text, is_error = served.part.text, served.part.is_error
        if not refused or text in self._transcript.authored:
            return _counted("guarded")
        ran = any(
            each.outcome == "returned"
            and each.result is not None
            and reads_as_result(each.result, is_error=False)
            for each in chosen.executions
        )
        if not ran and not reads_as_result(text, is_error=is_error):
            return _counted("guarded")
        if self._loose.take_of_its_name(chosen):
            return _counted("guarded-by-name")
        overruled = Overruled(served=served, chosen=chosen, reason=refused, ran=ran)
        return judged([finding_of_refused(overruled, step)], ("beside" if ran else "guarded",))

    def _beside(self, served: Served, chosen: Chosen, effect: Effect, step: int) -> Encounter:
        beside = Beside(served=served, chosen=chosen, effect=effect)
        return judged([finding_of(beside, step)], ("beside",))

    def _untold(self, chosen: Chosen) -> Encounter | None:
        """Why nobody can say that the call went past the table; None where one can."""
        if id(chosen) in self._left_to_child:
            return unreachable("child-run")
        if self._loose.take_of_its_name(chosen):
            return _counted("guarded-by-name")
        if self._loose.take_of_another_name(chosen):
            return unreachable("guarded-call-not-linked")
        return None


def _counted(grade: str) -> Encounter:
    return judged((), (grade,))
