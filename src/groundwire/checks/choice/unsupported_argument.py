"""Unsupported argument: the model acted on a value that nothing served.

The calls of one response against the exact request it answers. Catches invention, pieces cut out
of a longer value and self-reference; where an argument's source is declared, also a real value from
another place. Elsewhere a value from an unrelated result passes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from groundwire.checks import made_up
from groundwire.checks.choice.argument_finding import Case, Held, Hidden, finding_of
from groundwire.checks.seams import Encounter, judged, no_response, not_applicable, unreachable
from groundwire.checks.transcript import Transcript
from groundwire.documents.call import ToolCall
from groundwire.documents.declaration import ArgumentSource
from groundwire.documents.event import Declared, Event, Responded
from groundwire.documents.finding import Seam
from groundwire.documents.frame import CallPart, Frame, Text, ToolSpec
from groundwire.documents.policy import ToolDeclaration
from groundwire.errors import EncodingError
from groundwire.grounding import substring
from groundwire.grounding.arguments.sources import Judged, judge, of_other_records, source_of
from groundwire.grounding.boundaries import standing
from groundwire.grounding.folding import fold, readings
from groundwire.grounding.ground import Ground, Support
from groundwire.grounding.leaves import Leaf, read_leaves
from groundwire.grounding.marks import beside_marks, has_mark
from groundwire.grounding.schemas import enum_strings, schema_value
from groundwire.grounding.spellings import composed


class UnsupportedArgument:
    """Armed per tool or argument, or for every tool by `arm_all`; one encounter a response."""

    kind = "unsupported-argument"
    seam: Seam = "choice"
    version = 2
    armed_by = "a tool's arguments_from, an argument's source, or --arm-all"
    catches = "An argument that nothing served: see [grounding](../explanation/grounding.md)."
    fences = (
        (
            "silent for a value from an unrelated result where nobody declared the argument's source, "
            "because it was served"
        ),
        (
            "silent for text under four characters and for numbers, unless the field says that they "
            "are identifiers or the author where they come from, because they stand everywhere or are "
            "rightly computed"
        ),
        (
            "silent for a text that the field's name or its length says a model words itself, but for "
            "the identifiers within it, because a model may word texts"
        ),
        (
            "silent where the provider keeps part of what the model sees, because the value may stand "
            "there"
        ),
        "silent where the run's texts are more than is held, because it may stand in the rest",
        "silent for a value that stands withheld, because nobody can say what it was",
        (
            "silent for a value that the host vouched for, and counted as such, because it was said to "
            "come from elsewhere"
        ),
        "silent for tools that the provider runs, because the host never sees those calls run",
    )
    severity = (
        "defect; advisory for dates and amounts that may have been computed, for words where nobody "
        "declared a source, for a real value from another place than declared, and where an image "
        "or file may have shown it"
    )
    sees = (Responded,)

    def watch(self, transcript: Transcript) -> Watch:
        """A fresh watch for one run."""
        return Watch(transcript)

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


class Watch:
    """Reads the transcript; keeps nothing of its own."""

    def __init__(self, transcript: Transcript) -> None:
        self._run = transcript

    def see(self, event: Event) -> Iterable[Encounter]:
        """One encounter for each response."""
        return (self._meet(event),) if isinstance(event, Responded) else ()

    def _is_armed(self) -> bool:
        return self._run.arm_all or any(map(_is_declared, self._run.tools.values()))

    def _arms(self, call: ToolCall) -> bool:
        if call.executed_by == "provider":
            return False
        declared = self._run.tools.get(call.name)
        return self._run.arm_all or (declared is not None and _is_declared(declared))

    def _meet(self, event: Responded) -> Encounter:
        request = self._run.request(event.exchange)
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

    def _judge(self, event: Responded, frame: Frame, armed: Sequence[ToolCall]) -> Encounter:
        # Another request of this lane may have gone out since the one that this answers.
        self._run.ground.show(event.lane, frame)
        cases: list[Case] = []
        unread = 0
        for call in armed:
            try:
                cases += self._cases(event.lane, frame, call)
            except EncodingError:
                unread += 1
        unsupported = [case for case in cases if case.is_unsupported]
        if unsupported and not self._run.ground.is_judgeable(event.lane):
            return unreachable("held-by-provider")
        if unsupported and self._run.ground.is_truncated(event.lane):
            return unreachable("index-truncated")
        filed = [case for case in cases if case.is_filed]
        held = self._held(event.lane) if filed else None
        findings = [finding_of(case, event, held) for case in filed if held is not None]
        if unread and not any(not finding.advisory for finding in findings):
            return unreachable("unreadable-arguments")
        if not cases:
            return not_applicable("no-text-argument")
        grades = [case.grade for case in cases]
        return judged(findings, grades, spared="withheld" in grades)

    def _cases(self, lane: int, frame: Frame, call: ToolCall) -> list[Case]:
        declaration = self._run.tools.get(call.name) or ToolDeclaration(name=call.name)
        if self._run.grounding == "substring" or self._run.rules.rules == "original":
            return self._by_substring(lane, frame, call, declaration)
        sources = declaration.arguments
        is_declared = (lambda path: source_of(sources, path) is not None) if sources else None
        leaves = read_leaves(call.arguments, is_declared)
        # Where single arguments are declared and nothing arms the rest, the rest is not judged.
        all_of_it = self._run.arm_all or bool(declaration.arguments_from)
        found: list[tuple[Leaf, ArgumentSource | None, Judged]] = []
        for leaf in leaves:
            source = source_of(sources, leaf.path) if sources else None
            if source is not None or all_of_it:
                found.append((leaf, source, self._judged(lane, frame.tools, leaf, source)))
        for number in of_other_records([(source, one) for _, source, one in found]):
            leaf, source, one = found[number]
            found[number] = (leaf, source, msgspec.structs.replace(one, astray="other-record"))
        return [
            Case(call, leaf, one, declaration.arguments_from, source) for leaf, source, one in found
        ]

    def _judged(
        self, lane: int, tools: tuple[ToolSpec, ...], leaf: Leaf, source: ArgumentSource | None
    ) -> Judged:
        ground = self._run.ground
        if has_mark(leaf.value):
            # A secret that was served has the same mark there. What stands beside one counts.
            support = ground.support(lane, leaf.value, tools, leaf.key)
            if support.grade == "exact":
                return Judged(support)
            support = _beside(ground, lane, leaf.value, tools)
            return Judged(support, free=support.grade == "exact")
        if source is not None:
            one = judge(ground, lane, leaf, source, tools)
        else:
            one = Judged(ground.support(lane, leaf.value, tools, leaf.key))
        # Last of all, so that a value counted as vouched for had no other support.
        if one.support.grade != "exact" and self._is_vouched(one.support.part or leaf.value):
            return Judged(Support(grade="exact", method="vouched"), free=True)
        return one

    def _is_vouched(self, value: str) -> bool:
        folded = fold(value)
        return any(
            standing(fold(vouched.value), folded)[0] == "whole"
            for vouched in self._run.vouched
            if vouched.source.strip() and vouched.value.strip()
        )

    def _held(self, lane: int) -> Held:
        ground = self._run.ground
        served, own = ground.counts(lane)
        hidden = Hidden(
            self._run.content == "commitments",
            {name: tool.content for name, tool in self._run.tools.items()},
        )
        return Held(served, own, unread=ground.has_unread(lane), hidden=hidden)

    def _by_substring(
        self, lane: int, frame: Frame, call: ToolCall, declaration: ToolDeclaration
    ) -> list[Case]:
        """The original's rule; it knows no numbers and no source of a single argument."""
        served, own = self._run.ground.texts(lane)
        schemas = {tool.name: tool.schema for tool in frame.tools}
        enums = enum_strings(schema_value(schemas.get(call.name, "")))
        external = [
            substring.ExternalGround(vouched.value, vouched.source)
            for vouched in self._run.vouched
            if vouched.value.strip() and vouched.source.strip()
        ]
        cases = []
        for leaf in read_leaves(call.arguments):
            if leaf.number:
                continue
            word, _ = substring.judge(
                leaf.value, served=served, own=own, enums=enums, external=external
            )
            match word:
                case "served" | "schema":
                    one = Judged(Support(grade="exact", method=f"substring-{word}"))
                case "external":
                    one = Judged(Support(grade="exact", method="vouched"), free=True)
                case "self" | "nowhere":
                    one = Judged(Support(grade=word))
            cases.append(Case(call, leaf, one, declaration.arguments_from, None))
        return cases


def _beside(ground: Ground, lane: int, value: str, tools: tuple[ToolSpec, ...]) -> Support:
    """How the identifiers beside the marks of secrets stand: the first that nothing served.

    Where there is none, `exact` by the method `withheld`.
    """
    for part in composed.identifiers(readings(beside_marks(value))[-1]):
        support = ground.support(lane, part, tools)
        if support.grade != "exact":
            return msgspec.structs.replace(support, part=support.part or part)
    return Support(grade="exact", method="withheld")


def _is_declared(tool: ToolDeclaration) -> bool:
    return bool(tool.arguments_from or tool.arguments)
