"""Result violates schema: what a tool gave no longer fits what is declared of its results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from groundwire.checks import made_up
from groundwire.checks.seams import Encounter, Resting, judged, not_applicable, unreachable
from groundwire.checks.transcript import Served, Transcript
from groundwire.checks.write.outputs.given import Given, NotGiven, executed, shown
from groundwire.checks.write.outputs.output_finding import Place, finding_of
from groundwire.checks.write.outputs.validator import Unusable, prepared
from groundwire.checks.write.results.fresh import any_seen
from groundwire.documents.call import ToolCall
from groundwire.documents.event import Ended, Event, Executed, Requested
from groundwire.documents.finding import Seam
from groundwire.documents.policy import ToolDeclaration
from groundwire.grounding.marks import has_mark

_NONE_ARMED = not_applicable("no-armed-result")


class ResultViolatesSchema:
    """Armed by a tool's declared output; one encounter for each of its results.

    It looks at values alone: a change of behaviour that the schema allows is none, and whether the
    schema is right is not asked.
    """

    kind = "result-violates-schema"
    seam: Seam = "write"
    version = 1
    armed_by = "a tool's output or output_schema, or the outputSchema of an MCP tool"
    catches = (
        "A result that does not fit the schema which the tool, its server or the operation behind it "
        "declares, though no file changed."
    )
    fences = (
        "silent about tools of which no output is declared, because nothing is promised of them",
        (
            "silent about errors, and about what the host says it wrote in a tool's place, because they "
            "are no outputs"
        ),
        (
            "silent about an MCP tool whose structured content was not recorded, because its text need "
            "not be the same"
        ),
        (
            "an advisory where the host does not record what the tool returned, because the text on the "
            "wire may be the host's rendering of it"
        ),
        (
            "silent where the result is no JSON, is cut, holds media or something withheld, because that "
            "is not what the schema speaks of"
        ),
        (
            "silent where the schema or the result is too large, or would take too many steps, or a "
            "pattern cannot be matched in linear time, because time is bounded"
        ),
        "silent about formats and encodings of texts, because readers of a schema need not know them",
        "one finding for each result, at the first place that does not fit, because one cause has many",
    )
    severity = "defect; an advisory where only the wire shows the result"
    sees = (Requested, Executed, Ended)

    def watch(self, transcript: Transcript) -> Watch:
        """A fresh watch for one run."""
        return Watch(transcript)

    def canary(self) -> Sequence[Event]:
        """A text where a number is declared."""
        call = ToolCall(id="canary", name="canary_tool", arguments="{}")
        schema = '{"type":"object","properties":{"count":{"type":"number"}}}'
        return (
            made_up.declared(ToolDeclaration(name=call.name, output_schema=schema)),
            made_up.executed(call, arguments="{}", result='{"count":"canary"}'),
        )


class Watch:
    """Looks at each execution, and at results of which no execution was told."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._any_executed = False

    def rests(self) -> Resting | None:
        """No tool declares its output."""
        if any(tool.output_schema for tool in self._transcript.tools.values()):
            return None
        return Resting(fresh=_NONE_ARMED)

    def see(self, event: Event) -> Iterable[Encounter]:
        """One encounter for each execution of an armed tool, and each result that no one told of.

        One for new results that none of them are of; a run without results has one in all.
        """
        if isinstance(event, Executed):
            self._any_executed = True
            return self._of_execution(event)
        if isinstance(event, Requested):
            return self._of_request(event)
        if isinstance(event, Ended) and not (self._any_executed or any_seen(self._transcript)):
            return (not_applicable("no-result"),)
        return ()

    def _armed(self, name: str) -> ToolDeclaration | None:
        declared = self._transcript.tools.get(name)
        return declared if declared is not None and declared.output_schema else None

    def _of_execution(self, event: Executed) -> tuple[Encounter, ...]:
        declared = self._armed(event.name)
        if declared is None:
            return ()
        place = Place(
            lane=event.lane or 0,
            step=event.step,
            call_id=event.call_id,
            source="what the host says the tool returned",
        )
        return (self._judge(executed(event, declared.output), declared, place),)

    def _of_request(self, event: Requested) -> tuple[Encounter, ...]:
        fresh = self._transcript.fresh
        armed = [(each, tool) for each in fresh if (tool := self._armed(each.tool)) is not None]
        if fresh and not armed:
            return (_NONE_ARMED,)
        return tuple(
            self._judge(self._shown(served, declared), declared, _place(served, event))
            for served, declared in armed
            if not _is_told(served)
        )

    def _shown(self, served: Served, declared: ToolDeclaration) -> Given | NotGiven:
        if served.part.text in self._transcript.authored:
            return NotGiven("authored", settled=True)
        return shown(served.part, declared.output)

    def _judge(self, given: Given | NotGiven, declared: ToolDeclaration, place: Place) -> Encounter:
        if isinstance(given, NotGiven):
            return (not_applicable if given.settled else unreachable)(given.reason)
        if has_mark(declared.output_schema):
            return unreachable("withheld")
        schema = prepared(declared.output_schema)
        if isinstance(schema, Unusable):
            return unreachable(schema.reason)
        misfit = schema.misfit(given.value)
        if isinstance(misfit, Unusable):
            return unreachable(misfit.reason)
        if misfit is None or (given.text is not None and schema.is_of_texts(given.text)):
            return judged(())
        return judged((finding_of(ResultViolatesSchema.kind, declared, misfit, place),))


def _is_told(served: Served) -> bool:
    return served.chosen is not None and bool(served.chosen.executions)


def _place(served: Served, event: Requested) -> Place:
    return Place(
        lane=event.lane,
        step=event.step,
        call_id=served.part.call_id,
        source="the result as the wire shows it",
        is_told=False,
    )
