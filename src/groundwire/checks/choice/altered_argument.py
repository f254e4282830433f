"""Altered argument: what a tool ran with is not the JSON that the model wrote."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, TypeAlias

from groundwire.canon import digest, jcs
from groundwire.checks import made_up
from groundwire.checks.difference import ABSENT, Difference, differences, text_of
from groundwire.checks.seams import Encounter, judged, not_applicable, unreachable
from groundwire.checks.transcript import Transcript
from groundwire.checks.wording import clipped
from groundwire.documents.call import ToolCall
from groundwire.documents.event import Ended, Event, Executed, Responded
from groundwire.documents.finding import Assertion, Finding, Seam, Subject
from groundwire.documents.frame import CallPart, ToolSpec
from groundwire.errors import EncodingError
from groundwire.grounding.marks import has_mark

Grade: TypeAlias = Literal["repaired", "dropped", "defaulted", "coerced", "changed"]
_MOST = 20


class AlteredArgument:
    """Armed by executions; one encounter for each."""

    kind = "altered-argument"
    seam: Seam = "choice"
    version = 1
    armed_by = "an execution: `@gw.tool` or `run.executed(...)`"
    catches = (
        "A tool that ran with something else than the arguments on the wire: repaired, dropped, "
        "changed, coerced, or filled in."
    )
    fences = (
        "silent where the execution is joined to no call, because there is nothing to compare",
        "silent about another spelling of the same JSON, because 1.0 is 1 and keys have no order",
        (
            'an advisory where a value was only coerced (`"5"` to 5) or a missing one was filled in, '
            "because a tool's own signature may do that"
        ),
        "silent about a value that holds something withheld, because it is not what was sent",
    )
    severity = "defect; advisory where a value was coerced or filled in"
    sees = (Responded, Executed, Ended)

    def watch(self, transcript: Transcript) -> Watch:
        """A fresh watch for one run."""
        return Watch(transcript)

    def canary(self) -> Sequence[Event]:
        """A tool that ran with another text than its call has."""
        call = ToolCall(id="canary", name="canary_tool", arguments='{"id":"canary-1"}')
        return (
            made_up.request(tools=(ToolSpec(name=call.name, schema="{}"),)),
            made_up.response(CallPart(call)),
            made_up.executed(call, arguments='{"id":"canary-2"}'),
        )


class Watch:
    """Judges each execution against its call."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript

    def see(self, event: Event) -> Iterable[Encounter]:
        """One encounter for each execution; at the end one for each call that has none."""
        if isinstance(event, Responded):
            for part in () if event.response is None else event.response.parts:
                if isinstance(part, CallPart):
                    return ()
            return (not_applicable("no-call"),)
        if isinstance(event, Executed):
            return (self._judge(event),)
        if not isinstance(event, Ended):
            return ()
        return [
            unreachable("no-execution")
            for chosen in self._transcript.called
            if not chosen.executions and chosen.call.executed_by == "host"
        ]

    def _judge(self, event: Executed) -> Encounter:
        if event.link == "unlinked" or event.lane is None:
            return unreachable("unlinked")
        chosen = self._transcript.call(event.lane, event.call_id)
        if chosen is None:
            return unreachable("call-not-seen")
        if event.arguments is None:
            return unreachable(event.reason or "missing")
        ran = _decoded(event.arguments)
        if ran is None:
            return unreachable("no-json")
        written = _decoded(chosen.call.arguments.strip() or "{}")
        if written is None:
            return judged(
                [_finding(chosen.call, event, Difference((), ABSENT, ran[0]), "repaired")]
            )
        every = list(differences(written[0], ran[0], most=_MOST))
        shown = [
            difference
            for difference in every
            if not any(has_mark(text_of(side)) for side in (difference.before, difference.after))
        ]
        return judged(
            [_finding(chosen.call, event, each, _grade(each)) for each in shown],
            spared=len(shown) < len(every),
        )


def _decoded(text: str) -> tuple[jcs.JSON] | None:
    """The JSON value in a tuple, so that null is not taken for nothing."""
    try:
        return (jcs.decode_foreign(text.encode()).value,)
    except (EncodingError, UnicodeEncodeError):
        return None


def _grade(difference: Difference) -> Grade:
    before, after = difference.before, difference.after
    if before is ABSENT:
        return "defaulted"
    if after is ABSENT:
        return "dropped"
    if _same_scalar(before, after):
        return "coerced"
    return "changed"


def _same_scalar(before: object, after: object) -> bool:
    """Whether two scalars of different types are spelled alike: `"5"` and 5, `"true"` and true."""
    scalars = (str, int, float, bool)
    if not isinstance(before, scalars) or not isinstance(after, scalars):
        return False
    spelled = [text_of(side).strip('"').strip().casefold() for side in (before, after)]
    return spelled[0] == spelled[1]


def _finding(call: ToolCall, event: Executed, difference: Difference, grade: Grade) -> Finding:
    subjects = (Subject("call", call.id), Subject("tool", call.name))
    written = call.arguments if grade == "repaired" else text_of(difference.before)
    ran = text_of(difference.after)
    return Finding(
        kind=AlteredArgument.kind,
        seam=AlteredArgument.seam,
        subjects=subjects,
        witnesses=tuple(_witnesses(subjects[0], written, ran, event)),
        message=f"{_what(call, difference, grade, written, ran)} Nothing was blocked.",
        lane=-1 if event.lane is None else event.lane,
        step=event.step,
        path=difference.pointer,
        value_digest=digest.tagged("value", ran.encode(errors="surrogatepass")),
        grade=grade,
        advisory=grade in {"coerced", "defaulted"},
    )


def _witnesses(subject: Subject, written: str, ran: str, event: Executed) -> Iterator[Assertion]:
    for value, source in ((written, "the call on the wire"), (ran, "what the tool ran with")):
        yield Assertion(
            subject=subject,
            predicate="argument",
            value=value,
            provenance=source,
            step=event.step,
        )


def _what(call: ToolCall, difference: Difference, grade: Grade, written: str, ran: str) -> str:
    tool = f"`{clipped(call.name, 48)}`"
    place = f"`{clipped(difference.pointer, 80)}`" if difference.pointer else "its arguments"
    match grade:
        case "repaired":
            return (
                f"The call of {tool} has arguments that are no JSON, and the tool ran with "
                f"`{clipped(ran)}`: the host repaired what the model did not write. Refuse such a "
                "call and ask the model again."
            )
        case "dropped":
            return (
                f"The model gave {tool} {place} as `{clipped(written)}`, and the tool ran without "
                "it. Pass it on, or refuse the call."
            )
        case "changed":
            return (
                f"The model gave {tool} {place} as `{clipped(written)}`, and the tool ran with "
                f"`{clipped(ran)}`. Run what was chosen, or refuse the call."
            )
        case "coerced":
            return (
                f"The model gave {tool} {place} as `{clipped(written)}`, and the tool ran with "
                f"`{clipped(ran)}`: the same, as another type. A place to look."
            )
        case "defaulted":
            return (
                f"{tool} ran with {place} as `{clipped(ran)}`, which the model did not give. A "
                "place to look: a default is the tool's choice and not the model's."
            )
