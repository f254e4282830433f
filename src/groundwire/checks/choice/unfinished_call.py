"""Unfinished call: the response ended before the arguments of a call did.

A host that repairs such arguments runs a tool with what the model never chose.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from groundwire.canon.cut_json import is_cut
from groundwire.checks import made_up
from groundwire.checks.seams import Encounter, judged, no_response, not_applicable
from groundwire.checks.transcript import Transcript
from groundwire.checks.wording import clipped
from groundwire.documents.call import ToolCall
from groundwire.documents.event import Event, Responded
from groundwire.documents.finding import Assertion, Finding, Seam, Subject
from groundwire.documents.frame import CallPart, Response, ToolSpec, host_calls

# The providers' own words for a response that ended before the model had finished.
_CUT = frozenset(
    {
        "length",
        "max_tokens",
        "max_output_tokens",
        "model_context_window_exceeded",
        "content_filter",
        "refusal",
        "incomplete",
    }
)


class UnfinishedCall:
    """Always armed; one encounter for each response with calls for the host."""

    kind = "unfinished-call"
    seam: Seam = "choice"
    version = 1
    armed_by = "always"
    catches = "A call whose arguments break off: the response ended before they were whole JSON."
    fences = (
        "silent where the arguments are wrong rather than cut, because no ending would mend them",
        "silent about a tool that was offered without a schema, because its input is free text",
        "silent about empty arguments of a whole response, because that is how some models write none",
        (
            "an advisory where the last call is whole though its response was cut, because more may "
            "have been meant"
        ),
    )
    severity = "defect; advisory where the call is whole and only its response was cut"
    sees = (Responded,)

    def watch(self, transcript: Transcript) -> Watch:
        """A fresh watch for one run."""
        return Watch(transcript)

    def canary(self) -> Sequence[Event]:
        """A call whose arguments end in the middle of a string."""
        call = ToolCall(id="canary", name="canary_tool", arguments='{"text":"canary broke o')
        return (made_up.request(), made_up.response(CallPart(call)))


class Watch:
    """Judges each response alone."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._tools: tuple[ToolSpec, ...] = ()
        self._names: frozenset[str] = frozenset()

    def see(self, event: Event) -> Iterable[Encounter]:
        """One encounter for each response."""
        return (self._judge(event),) if isinstance(event, Responded) else ()

    def _judge(self, event: Responded) -> Encounter:
        response = event.response
        if response is None:
            return no_response(event)
        if response.error is not None:
            return not_applicable("error-response")
        free = self._free(event)
        calls = [call for call in host_calls(response) if call.name not in free]
        if not calls:
            return not_applicable("no-call")
        cut = not response.complete or response.stop in _CUT
        findings = [_finding(call, event, response) for call in calls if _breaks_off(call, cut=cut)]
        last = response.parts[-1]
        if cut and not findings and isinstance(last, CallPart) and last.call in calls:
            findings.append(_finding(last.call, event, response, advisory=True))
        return judged(findings)

    def _free(self, event: Responded) -> frozenset[str]:
        """The tools of the request that take free text."""
        request = self._transcript.request(event.exchange)
        tools = () if request is None or request.frame is None else request.frame.tools
        if tools is not self._tools:
            self._tools = tools
            self._names = frozenset(tool.name for tool in tools if not tool.schema)
        return self._names


def _breaks_off(call: ToolCall, *, cut: bool) -> bool:
    return is_cut(call.arguments) or (cut and not call.arguments.strip())


def _finding(
    call: ToolCall, event: Responded, response: Response, *, advisory: bool = False
) -> Finding:
    subjects = (Subject("call", call.id), Subject("tool", call.name))
    ended = f'stop "{response.stop}"' if response.stop else "no stop word"
    ended += "" if response.complete else ", and without the protocol's end"
    if advisory:
        what = "is whole, and the response it ends was cut: more calls or arguments may have been meant"
        repair = "A place to look: ask again with a higher limit if the model was not done."
    else:
        what = f"breaks off: its arguments end `{clipped(call.arguments[-40:], 40)}`"
        repair = (
            "Do not repair and run it: ask the model again, with a higher output limit if that is "
            "what cut it."
        )
    return Finding(
        kind=UnfinishedCall.kind,
        seam=UnfinishedCall.seam,
        subjects=subjects,
        witnesses=(
            Assertion(
                subject=subjects[0],
                predicate="arguments",
                value=call.arguments[-80:],
                provenance="the end of the call's arguments, as they came",
                step=event.step,
            ),
            Assertion(
                subject=subjects[0],
                predicate="response",
                value=ended,
                provenance="how the response ended",
                step=event.step,
            ),
        ),
        message=(
            f"The call of `{clipped(call.name, 48)}` {what} ({ended}). {repair} Nothing was blocked."
        ),
        lane=event.lane,
        step=event.step,
        grade="cut-response" if advisory else "cut-arguments",
        advisory=advisory,
    )
