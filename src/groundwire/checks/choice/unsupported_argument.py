"""Unsupported argument: the model acted on a value that nothing served.

The calls of one response against the exact request it answers. Catches invention, pieces cut out
of a longer value and self-reference, not misattribution: a value from an unrelated result passes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from groundwire.checks import made_up
from groundwire.checks.choice.argument_finding import Case, Held, Hidden, finding_of
from groundwire.checks.seams import Encounter, judged, no_response, not_applicable, unreachable
from groundwire.checks.transcript import Transcript
from groundwire.documents.call import ToolCall
from groundwire.documents.event import Declared, Ended, Event, Requested, Responded
from groundwire.documents.finding import Seam
from groundwire.documents.frame import CallPart, Frame, Text, ToolSpec
from groundwire.documents.policy import Grounding, ToolDeclaration
from groundwire.errors import EncodingError
from groundwire.grounding import substring
from groundwire.grounding.ground import Ground, Support
from groundwire.grounding.leaves import Leaf, read_leaves
from groundwire.grounding.schemas import enum_strings, schema_value


class UnsupportedArgument:
    """Armed per tool by `arguments_from`, or for every tool by `arm_all`; one encounter a response."""

    kind = "unsupported-argument"
    seam: Seam = "choice"
    version = 1
    armed_by = "a tool's arguments_from, or --arm-all"
    catches = "An argument that nothing served: see [grounding](../explanation/grounding.md)."
    fences = (
        "silent for a value from an unrelated result, because it was served",
        "silent where the provider keeps part of what is shown, because the value may stand there",
        "silent for tools that the provider runs, because the host never sees those calls run",
    )
    severity = "defect; advisory where the value may stand in an image or a file"
    sees = (Declared, Requested, Responded, Ended)

    def watch(self, transcript: Transcript) -> Watch:  # noqa: ARG002 -- reads events alone
        """A fresh watch for one run."""
        return Watch()

    def canary(self) -> Sequence[Event]:
        """A call with an identifier that stands nowhere in its request."""
        tool = ToolSpec(name="canary_tool", schema="{}")
        call = ToolCall(id="canary", name=tool.name, arguments='{"id":"canary-2719-invented"}')
        armed = ToolDeclaration(name=tool.name, arguments_from=("canary_source",))
        return (
            Declared(
                step=made_up.BEFORE,
                at="",
                declarations=(armed,),
                grounding="whole",
                posture="observe",
            ),
            made_up.request(made_up.message("user", Text("Restart it.")), tools=(tool,)),
            made_up.response(CallPart(call)),
        )


_Judge: TypeAlias = Callable[[Leaf, ToolCall], Support]


class Watch:
    """What is armed, what each lane sees, and the frames whose responses are still to come."""

    def __init__(self) -> None:
        self._from: dict[str, tuple[str, ...]] = {}
        self._arm_all = False
        self._grounding: Grounding = "whole"
        self._ground = Ground()
        self._hidden = Hidden()
        self._waiting: dict[int, Requested] = {}

    def see(self, event: Event) -> Iterable[Encounter]:
        """One encounter for each response."""
        match event:
            case Declared():
                self._declare(event)
            case Requested():
                self._show(event)
            case Responded():
                yield self._meet(event)
            case Ended():
                self._waiting.clear()
            case _:
                pass

    def _declare(self, event: Declared) -> None:
        self._grounding = event.grounding
        self._arm_all |= event.arm_all
        self._hidden = Hidden(
            event.content == "commitments", {t.name: t.content for t in event.declarations}
        )
        for tool in event.declarations:
            self._from[tool.name] = tool.arguments_from

    def _show(self, event: Requested) -> None:
        self._waiting[event.exchange] = event
        if event.frame is not None and self._is_armed():
            self._ground.show(event.lane, event.frame)

    def _is_armed(self) -> bool:
        return self._arm_all or any(self._from.values())

    def _meet(self, event: Responded) -> Encounter:
        request = self._waiting.pop(event.exchange, None)
        response = event.response
        if response is None:
            return no_response(event)
        if response.error is not None:
            return not_applicable("error-response")
        armed = [
            part.call
            for part in response.parts
            if isinstance(part, CallPart) and self._arms(part.call)
        ]
        if not armed:
            return not_applicable("no-armed-call" if self._is_armed() else "not-declared")
        if request is None or request.frame is None:
            reason = "request-not-seen" if request is None else request.reason
            return unreachable(reason or "unreadable-body")
        return self._judge(event, request.frame, armed)

    def _arms(self, call: ToolCall) -> bool:
        if call.executed_by == "provider":
            return False
        return self._arm_all or bool(self._from.get(call.name))

    def _judge(self, event: Responded, frame: Frame, armed: Sequence[ToolCall]) -> Encounter:
        self._ground.show(event.lane, frame)
        judge = self._judge_of(event.lane, frame)
        cases: list[Case] = []
        unread = 0
        for call in armed:
            try:
                leaves = read_leaves(call.arguments)
            except EncodingError:
                unread += 1
                continue
            declared = self._from.get(call.name, ())
            cases += [Case(call, leaf, judge(leaf, call), declared) for leaf in leaves]
        unsupported = [case for case in cases if case.support.grade != "exact"]
        if unsupported and not self._ground.is_judgeable(event.lane):
            return unreachable("held-by-provider")
        held = (
            self._held(event.lane) if unsupported else Held(0, 0, unread=False, hidden=self._hidden)
        )
        findings = [finding_of(case, event, held) for case in unsupported]
        if unread and not any(not finding.advisory for finding in findings):
            return unreachable("unreadable-arguments")
        if not cases:
            return not_applicable("no-text-argument")
        return judged(findings, [case.support.grade for case in cases])

    def _held(self, lane: int) -> Held:
        served, own = self._ground.counts(lane)
        return Held(served, own, unread=self._ground.has_unread(lane), hidden=self._hidden)

    def _judge_of(self, lane: int, frame: Frame) -> _Judge:
        if self._grounding == "whole":
            return lambda leaf, _: self._ground.support(lane, leaf.value, frame.tools)
        served, own = self._ground.texts(lane)
        schemas = {tool.name: tool.schema for tool in frame.tools}

        def by_substring(leaf: Leaf, call: ToolCall) -> Support:
            enums = enum_strings(schema_value(schemas.get(call.name, "")))
            word, _ = substring.judge(leaf.value, served=served, own=own, enums=enums)
            match word:
                case "served" | "schema" | "external":
                    return Support(grade="exact", method=f"substring-{word}")
                case "self" | "nowhere":
                    return Support(grade=word)

        return by_substring
