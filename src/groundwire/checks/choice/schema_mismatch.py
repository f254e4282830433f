"""Schema mismatch: a call against the schema that its own request served."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence

import msgspec

from groundwire.canon import digest
from groundwire.canon.cut_json import is_cut
from groundwire.checks import made_up
from groundwire.checks.choice.validator import Mismatch, Unusable, Validator, made_ready
from groundwire.checks.seams import Encounter, judged, no_response, not_applicable, unreachable
from groundwire.checks.transcript import Transcript
from groundwire.checks.wording import clipped
from groundwire.documents.call import ToolCall
from groundwire.documents.event import Event, Responded
from groundwire.documents.finding import Assertion, Finding, Seam, Subject
from groundwire.documents.frame import CallPart, ToolSpec, host_calls
from groundwire.grounding.marks import has_mark

_REMEMBERED = 512


class SchemaMismatch:
    """Always armed; one encounter for each response with calls for the host."""

    kind = "schema-mismatch"
    seam: Seam = "choice"
    version = 1
    armed_by = "always"
    catches = (
        "A call whose arguments do not fit the schema that the very request it answers served, or "
        "of a tool that this request did not offer."
    )
    fences = (
        (
            "silent where the schema is no schema, refers to another document, or is not there, because "
            "nothing was served to hold the call against"
        ),
        "silent about formats, because readers of a schema need not know them",
        "silent about arguments that break off, because that is another finding",
        "silent about a value that holds something withheld, because it is not what was sent",
    )
    severity = "defect"
    sees = (Responded,)

    def watch(self, transcript: Transcript) -> Watch:
        """A fresh watch for one run."""
        return Watch(transcript)

    def canary(self) -> Sequence[Event]:
        """A text where the schema has a number."""
        schema = '{"type":"object","properties":{"count":{"type":"integer"}}}'
        tool = ToolSpec(name="canary_tool", schema=schema)
        call = ToolCall(id="canary", name=tool.name, arguments='{"count":"canary"}')
        return (made_up.request(tools=(tool,)), made_up.response(CallPart(call)))


class Watch:
    """Validators by the exact text of their schema, so that each is made once."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._validators: OrderedDict[str, Validator | Unusable] = OrderedDict()
        self._tools: tuple[ToolSpec, ...] = ()
        self._by_name: dict[str, ToolSpec] = {}

    def see(self, event: Event) -> Iterable[Encounter]:
        """One encounter for each response."""
        return (self._judge(event),) if isinstance(event, Responded) else ()

    def _judge(self, event: Responded) -> Encounter:
        response = event.response
        if response is None:
            return no_response(event)
        if response.error is not None:
            return not_applicable("error-response")
        calls = host_calls(response)
        if not calls:
            return not_applicable("no-call")
        request = self._transcript.request(event.exchange)
        if request is None or request.frame is None:
            reason = "request-not-seen" if request is None else request.reason
            return unreachable(reason or "unreadable-body")
        tools = self._named(request.frame.tools)
        findings: list[Finding] = []
        lacking = ""
        for call in calls:
            judged_call = self._judge_call(call, tools, event, wire=request.wire)
            if isinstance(judged_call, str):
                lacking = judged_call
            else:
                findings += judged_call
        return unreachable(lacking) if lacking and not findings else judged(findings)

    def _named(self, tools: tuple[ToolSpec, ...]) -> dict[str, ToolSpec]:
        """The tools by their names; the same list comes with every request."""
        if tools is not self._tools:
            self._tools, self._by_name = tools, {tool.name: tool for tool in tools}
        return self._by_name

    def _judge_call(
        self, call: ToolCall, tools: dict[str, ToolSpec], event: Responded, *, wire: bool
    ) -> list[Finding] | str:
        tool = tools.get(call.name)
        if tool is None:
            if not tools or not wire:
                return "no-schema-served"
            return [_not_offered(call, tools, event)]
        validator = self._validator(tool.schema)
        if isinstance(validator, Unusable):
            return validator.reason
        try:
            arguments = msgspec.json.decode(call.arguments.strip() or "{}")
        except RecursionError:
            return "too-deep"
        except (msgspec.DecodeError, UnicodeEncodeError):
            if is_cut(call.arguments):
                return "unfinished-call"
            mismatch = Mismatch("", "json", "the arguments are no JSON")
            return [_finding(call, mismatch, call.arguments, event)]
        every = list(validator.mismatches(arguments))
        shown = [mismatch for mismatch in every if not has_mark(mismatch.value)]
        if every and not shown:
            return "withheld"
        return [_finding(call, mismatch, mismatch.value, event) for mismatch in shown]

    def _validator(self, schema: str) -> Validator | Unusable:
        known = self._validators.get(schema)
        if known is None:
            known = self._validators[schema] = made_ready(schema)
            if len(self._validators) > _REMEMBERED:
                self._validators.popitem(last=False)
        return known


def _not_offered(call: ToolCall, tools: dict[str, ToolSpec], event: Responded) -> Finding:
    subjects = (Subject("tool", call.name),)
    return Finding(
        kind=SchemaMismatch.kind,
        seam=SchemaMismatch.seam,
        subjects=subjects,
        witnesses=(
            Assertion(
                subject=subjects[0],
                predicate="called",
                value=call.id,
                provenance="the call in the response",
                step=event.step,
            ),
            Assertion(
                subject=subjects[0],
                predicate="offered",
                value="no",
                provenance=f"the {len(tools)} tools of the request that it answers",
                step=event.step,
            ),
        ),
        message=(
            f"The model called `{clipped(call.name, 48)}`, and the request it answers offers no tool "
            "of that name. Offer the tool, or answer the call with an error that names those that "
            "there are. Nothing was blocked."
        ),
        lane=event.lane,
        step=event.step,
        grade="not-offered",
    )


def _finding(call: ToolCall, mismatch: Mismatch, value: str, event: Responded) -> Finding:
    subjects = (Subject("tool", call.name),)
    pointer = clipped(mismatch.pointer, 80)
    what = f"`{pointer}` of its arguments does" if pointer else "its arguments do"
    return Finding(
        kind=SchemaMismatch.kind,
        seam=SchemaMismatch.seam,
        subjects=subjects,
        witnesses=(
            Assertion(
                subject=subjects[0],
                predicate="argument",
                value=value,
                provenance=f"the call {call.id}",
                step=event.step,
            ),
            Assertion(
                subject=subjects[0],
                predicate="schema",
                value=mismatch.rule,
                provenance="the tool's schema in the request that it answers",
                step=event.step,
            ),
        ),
        message=(
            f"The model called `{clipped(call.name, 48)}`, and {what} not fit the schema that "
            f"this request served: {clipped(mismatch.says, 160)}. Answer the call with that error, "
            "or mend the schema if the tool takes it. Nothing was blocked."
        ),
        lane=event.lane,
        step=event.step,
        path=mismatch.pointer,
        value_digest=digest.tagged("value", value.encode(errors="surrogatepass")),
        grade=mismatch.rule,
    )
