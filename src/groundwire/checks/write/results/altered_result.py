"""Altered result: what entered the frame is not what the tool returned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from groundwire.canon import digest
from groundwire.checks import made_up
from groundwire.checks.difference import Difference, text_of
from groundwire.checks.seams import Encounter, Resting, judged, not_applicable, unreachable
from groundwire.checks.transcript import Served, Transcript
from groundwire.checks.wording import clipped
from groundwire.checks.write.results.rendering import compare
from groundwire.documents.call import ToolCall
from groundwire.documents.event import Event, Requested
from groundwire.documents.finding import Assertion, Finding, Seam, Subject
from groundwire.documents.frame import CallPart, ResultPart
from groundwire.grounding.marks import has_mark


class AlteredResult:
    """Armed by executions; one encounter for each result when a frame first shows it."""

    kind = "altered-result"
    seam: Seam = "write"
    version = 1
    armed_by = "an execution: `@gw.tool` or `run.executed(...)`"
    catches = "A result in the frame with values that the tool did not return."
    fences = (
        (
            "silent about another spelling: JSON, Python's repr and pprint, content blocks, a declared "
            "rendering, text around it, because each says the same"
        ),
        (
            "silent where only a part was served or its order changed, because that alters no value "
            "(partial-result looks at it)"
        ),
        (
            "silent where no rendering is known that leads from one to the other, because a host may "
            "word a result as it likes"
        ),
        "silent where the call is joined to no execution, because there is nothing to compare",
        "silent where one of both holds something withheld, because that is not what was there",
    )
    severity = "defect"
    sees = (Requested,)

    def watch(self, transcript: Transcript) -> Watch:
        """A fresh watch for one run."""
        return Watch(transcript)

    def canary(self) -> Sequence[Event]:
        """A number that is another in the frame."""
        call = ToolCall(id="canary", name="canary_tool", arguments="{}")
        return (
            made_up.request(),
            made_up.response(CallPart(call)),
            made_up.executed(call, arguments="{}", result='{"disk":"d1","used":412}'),
            made_up.request(
                made_up.message("assistant", CallPart(call)),
                made_up.message("tool", ResultPart(call.id, '{"disk":"d1","used":41}')),
            ),
        )


class Watch:
    """Looks at each result once."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript

    def rests(self) -> Resting | None:
        """The host has told nothing of what tools returned."""
        if self._transcript.executed:
            return None
        none, each = not_applicable("no-new-result"), unreachable("no-execution")
        return Resting(request=none, fresh=each, each=True)

    def see(self, event: Event) -> Iterable[Encounter]:
        """One encounter for each result that is new in this request."""
        if not isinstance(event, Requested):
            return
        fresh = self._transcript.fresh
        if not fresh:
            yield not_applicable("no-new-result")
        for each in fresh:
            yield self._judge(each, event)

    def _judge(self, served: Served, event: Requested) -> Encounter:
        executions = [] if served.chosen is None else served.chosen.executions
        if not executions:
            return unreachable("no-execution")
        ran = executions[-1]
        if ran.outcome != "returned":
            return not_applicable(ran.outcome)
        if ran.result is None:
            return unreachable(ran.reason or "missing")
        if has_mark(ran.result) or has_mark(served.part.text):
            return unreachable("withheld")
        compared = compare(ran, served.part.text)
        if compared.relation == "unknown":
            return unreachable("unknown-rendering")
        findings = [_finding(served, each, event) for each in compared.differences]
        return judged(findings, (compared.relation,))


def _finding(served: Served, difference: Difference, event: Requested) -> Finding:
    subjects = (Subject("call", served.part.call_id), Subject("tool", served.tool))
    returned, shown = text_of(difference.before), text_of(difference.after)
    return Finding(
        kind=AlteredResult.kind,
        seam=AlteredResult.seam,
        subjects=subjects,
        witnesses=tuple(
            Assertion(
                subject=subjects[0],
                predicate="result",
                value=value,
                provenance=source,
                step=event.step,
            )
            for value, source in (
                (returned, "what the tool returned"),
                (shown, "the result in the request"),
            )
        ),
        message=(
            f"The tool `{clipped(served.tool, 48)}` returned `{clipped(returned)}` at "
            f"`{clipped(difference.pointer, 80)}`, and the model was shown `{clipped(shown)}` there. "
            "Serve what the tool returned, or declare the rendering that makes one of the other. "
            "Nothing was blocked."
        ),
        lane=event.lane,
        step=event.step,
        path=difference.pointer,
        value_digest=digest.tagged("value", shown.encode(errors="surrogatepass")),
        grade="changed",
    )
