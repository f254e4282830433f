"""Partial result: the model was shown less of a result than there is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from groundwire.checks import made_up
from groundwire.checks.claim.sentences.outcomes import is_failure
from groundwire.checks.seams import Encounter, judged, not_applicable, unreachable
from groundwire.checks.transcript import Served, Transcript, is_answer
from groundwire.checks.wording import clipped
from groundwire.documents.call import ToolCall
from groundwire.documents.event import Event, Executed, Requested, Responded
from groundwire.documents.finding import Assertion, Finding, Seam, Subject
from groundwire.documents.frame import CallPart, ResultPart
from groundwire.grounding.records.partial import Partial, partial_reason


class PartialResult:
    """Always armed; one encounter for each result when a frame first shows it."""

    kind = "partial-result"
    seam: Seam = "write"
    version = 1
    armed_by = (
        "always for marks of a cut; an execution, or a tool's total_at or next_at, for all else"
    )
    catches = (
        "A result of which the model was shown a part: cut by the host, without its structured "
        "content, fewer rows than its total, or with a next page that was not asked for."
    )
    fences = (
        "an advisory always, because a part may be all that is needed",
        (
            "silent about a page or a total until the turn's answer, and then where the tool was called "
            "again after it, because that is how pages are followed"
        ),
        "silent about errors, because they have no rest",
        (
            "silent where the host does not record what the tool returned and the text bears no mark, "
            "because nothing shows that there was more"
        ),
    )
    severity = "advisory"
    sees = (Requested, Responded)

    def watch(self, transcript: Transcript) -> Watch:
        """A fresh watch for one run."""
        return Watch(transcript)

    def canary(self) -> Sequence[Event]:
        """A result of which a beginning was served."""
        call = ToolCall(id="canary", name="canary_tool", arguments="{}")
        whole = '{"rows":["canary-1","canary-2","canary-3"]}'
        return (
            made_up.request(),
            made_up.response(CallPart(call)),
            made_up.executed(call, arguments="{}", result=whole),
            made_up.request(
                made_up.message("assistant", CallPart(call)),
                made_up.message("tool", ResultPart(call.id, whole[:24])),
            ),
        )


class Watch:
    """Looks at each result once; what has more pages is looked at again when the turn ends."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._open: dict[int, list[tuple[Served, Partial]]] = {}

    def see(self, event: Event) -> Iterable[Encounter]:
        """One encounter for each result that is new, and one for each answer after a page."""
        if isinstance(event, Requested):
            fresh = self._transcript.fresh
            if not fresh:
                return (not_applicable("no-new-result"),)
            return tuple([self._judge(each, event) for each in fresh])
        if isinstance(event, Responded) and self._open:
            response = event.response
            if response is not None and is_answer(response):
                waiting = self._open.pop(event.lane, [])
                return (self._end_turn(waiting, event),) if waiting else ()
        return ()

    def _judge(self, served: Served, event: Requested) -> Encounter:
        text = served.part.text
        if is_failure(text, is_error=served.part.is_error):
            return not_applicable("error")
        ran = _execution(served)
        declared = self._transcript.tools.get(served.tool)
        partial = partial_reason(text, ran, declared)
        if partial is None:
            told = ran is not None or (declared is not None and declared.total_at)
            return judged((), ("whole",)) if told else unreachable("nothing-to-compare")
        if partial.reason in {"total", "next-page"}:
            self._open.setdefault(served.lane, []).append((served, partial))
            return judged((), (partial.reason,))
        return judged([_finding(served, partial, event)], (partial.reason,))

    def _end_turn(self, waiting: list[tuple[Served, Partial]], event: Responded) -> Encounter:
        return judged(
            [
                _finding(served, partial, event)
                for served, partial in waiting
                if not self._is_followed(served)
            ]
        )

    def _is_followed(self, served: Served) -> bool:
        """Whether the tool was called again after this result was shown."""
        return any(
            chosen.call.name == served.tool
            and chosen.lane == served.lane
            and chosen.step > served.step
            for chosen in reversed(self._transcript.called)
        )


def _execution(served: Served) -> Executed | None:
    """What the tool returned, if the host told and it may be looked at."""
    executions = [] if served.chosen is None else served.chosen.executions
    if not executions or executions[-1].outcome != "returned" or executions[-1].result is None:
        return None
    return executions[-1]


def _finding(served: Served, partial: Partial, event: Requested | Responded) -> Finding:
    subjects = (Subject("call", served.part.call_id), Subject("tool", served.tool))
    whole = _whole(partial)
    return Finding(
        kind=PartialResult.kind,
        seam=PartialResult.seam,
        subjects=subjects,
        witnesses=(
            Assertion(
                subject=subjects[0],
                predicate="shown",
                value=f"{len(served.part.text.encode(errors='surrogatepass'))} bytes",
                provenance="the result in the request",
                step=served.step,
            ),
            Assertion(
                subject=subjects[0],
                predicate="there is",
                value=whole,
                provenance="what the tool returned, or what the result says of itself",
                step=event.step,
            ),
        ),
        message=f"{_what(served, partial, whole)} Nothing was blocked.",
        lane=event.lane,
        step=event.step,
        grade=partial.reason,
        advisory=True,
    )


def _whole(partial: Partial) -> str:
    if partial.total >= 0:
        return f"{partial.total} rows"
    if partial.whole is not None:
        return f"{len(partial.whole.encode(errors='surrogatepass'))} bytes"
    return "more"


def _what(served: Served, partial: Partial, whole: str) -> str:
    tool = f"`{clipped(served.tool, 48)}`"
    match partial.reason:
        case "cut" | "prefix":
            return (
                f"The model was shown a beginning of the result of {tool} ({whole} in all). A place "
                "to look: what is said of all of it rests on a part. Serve it whole, page it, or "
                "say in the result how much is missing."
            )
        case "content-only":
            return (
                f"The result of {tool} has structured content ({whole}), and only its text was "
                "served. A place to look: serve the structured content where the text does not "
                "hold it."
            )
        case "total":
            return (
                f"The result of {tool} holds {partial.rows} rows of {whole}, and the turn ended "
                "without another call of it. A place to look: follow the pages, or say that it is "
                "a part."
            )
        case "next-page":
            return (
                f"The result of {tool} names a next page, and the turn ended without another call "
                "of it. A place to look: follow it, or say that it is a part."
            )
