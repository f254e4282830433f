"""Column type mismatch and missing column: rows against what the tool declares they hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from groundwire.canon import digest
from groundwire.checks import made_up
from groundwire.checks.seams import Encounter, Resting, judged, not_applicable, unreachable
from groundwire.checks.transcript import Served, Transcript
from groundwire.checks.wording import clipped
from groundwire.checks.write.results.column_types import Offence, offences
from groundwire.checks.write.results.fresh import any_seen, own_text
from groundwire.checks.write.results.rows import read_rows
from groundwire.documents.call import ToolCall
from groundwire.documents.declaration import Column
from groundwire.documents.event import Ended, Event, Requested
from groundwire.documents.finding import Assertion, Finding, Seam, Subject
from groundwire.documents.frame import CallPart, ResultPart
from groundwire.documents.policy import ToolDeclaration
from groundwire.grounding.marks import has_mark

_FENCES = (
    "silent about columns that are not declared, because a new one is no contradiction",
    "silent about results without rows, because another check looks at those",
    (
        "silent where the result is no list of objects and nothing is at rows_at, because rows that "
        "cannot be seen must not be guessed"
    ),
    "silent about meaning, because 0.0 is a good number and may be a wrong one",
    "silent about results that hold something withheld, because that is not what was there",
)


class ColumnTypeMismatch:
    """Armed by a tool's `columns`; one encounter for each of its results."""

    kind = "column-type-mismatch"
    seam: Seam = "write"
    version = 1
    armed_by = 'a tool\'s columns; `columns = "off"` switches it off'
    catches = "Rows that hold another type in a column than the tool declares."
    fences = _FENCES
    severity = "defect"
    sees = (Requested, Ended)

    def watch(self, transcript: Transcript) -> Watch:
        """A fresh watch for one run."""
        return Watch(transcript, missing=False)

    def canary(self) -> Sequence[Event]:
        """A text in a column of numbers."""
        return _canary('[{"count":"canary"}]')


class MissingColumn:
    """Armed by a tool's `columns`; one encounter for each of its results."""

    kind = "missing-column"
    seam: Seam = "write"
    version = 1
    armed_by = 'a tool\'s columns; `columns = "off"` switches it off'
    catches = "A column that the tool declares and no row has."
    fences = _FENCES
    severity = "defect"
    sees = (Requested, Ended)

    def watch(self, transcript: Transcript) -> Watch:
        """A fresh watch for one run."""
        return Watch(transcript, missing=True)

    def canary(self) -> Sequence[Event]:
        """Rows without the column."""
        return _canary('[{"name":"canary"}]')


def _canary(rows: str) -> Sequence[Event]:
    call = ToolCall(id="canary", name="canary_tool", arguments="{}")
    column = Column(name="count", type="number")
    return (
        made_up.declared(ToolDeclaration(name=call.name, columns=(column,))),
        made_up.request(
            made_up.message("assistant", CallPart(call)),
            made_up.message("tool", ResultPart(call.id, rows)),
        ),
    )


class Watch:
    """Looks at each result once, for one of both kinds."""

    def __init__(self, transcript: Transcript, *, missing: bool) -> None:
        self._transcript = transcript
        self._missing = missing

    def rests(self) -> Resting | None:
        """No tool declares columns, or they are switched off."""
        off = self._transcript.rules.columns == "off"
        if not off and any(tool.columns for tool in self._transcript.tools.values()):
            return None
        reason = "switched-off" if off else "no-armed-result"
        return Resting(fresh=not_applicable(reason))

    def see(self, event: Event) -> Iterable[Encounter]:
        """One encounter for each new result of an armed tool; one for new results without any.

        A run without results has one in all.
        """
        if isinstance(event, Ended) and not any_seen(self._transcript):
            yield not_applicable("no-result")
        if not isinstance(event, Requested):
            return
        fresh = self._transcript.fresh
        if not fresh:
            return
        tools = self._transcript.tools
        armed = [
            (served, tools[served.tool])
            for served in fresh
            if served.tool in tools and tools[served.tool].columns
        ]
        if self._transcript.rules.columns == "off":
            yield not_applicable("switched-off")
            return
        if not armed:
            yield not_applicable("no-armed-result")
        for served, declared in armed:
            yield self._judge(served, declared, event)

    def _judge(self, served: Served, declared: ToolDeclaration, event: Requested) -> Encounter:
        text = own_text(served)
        if text is None:
            return not_applicable("error")
        if has_mark(text):
            return unreachable("withheld")
        rows = read_rows(text, declared.rows_at).objects
        if not rows:
            return not_applicable("unreadable-rows")
        return judged(
            [
                self._finding(served, offence, event)
                for offence in offences(rows, declared.columns)
                if offence.missing == self._missing
            ]
        )

    def _finding(self, served: Served, offence: Offence, event: Requested) -> Finding:
        subjects = (Subject("tool", served.tool),)
        column = offence.column
        wanted = column.type + (" or null" if column.nullable else "")
        observed = (
            f"no row of {offence.of} has it"
            if offence.missing
            else f"{offence.rows} of {offence.of} rows hold something else, the first "
            + (f"{offence.got} {clipped(offence.sample)}" if offence.sample else offence.got)
        )
        return Finding(
            kind=MissingColumn.kind if self._missing else ColumnTypeMismatch.kind,
            seam="write",
            subjects=subjects,
            witnesses=tuple(
                Assertion(
                    subject=subjects[0],
                    predicate=column.name,
                    value=value,
                    provenance=source,
                    step=served.step,
                )
                for value, source in (
                    (wanted, "the tool's declared columns"),
                    (observed, f"the result of {served.part.call_id}"),
                )
            ),
            message=self._message(served, offence, wanted, observed),
            lane=event.lane,
            step=event.step,
            path="/" + column.name.replace("~", "~0").replace("/", "~1"),
            value_digest=digest.tagged("value", offence.got.encode()),
            grade=offence.got,
        )

    def _message(self, served: Served, offence: Offence, wanted: str, observed: str) -> str:
        name = f"`{clipped(offence.column.name, 48)}`"
        empty = (
            " If the column may be empty, declare it nullable."
            if offence.got in {"null", "missing"} and not offence.missing
            else ""
        )
        return (
            f"The tool `{clipped(served.tool, 48)}` declares the column {name} as {wanted}, and "
            f"{observed} (call {clipped(served.part.call_id, 48)}). Mend the tool or its "
            f"declaration.{empty} This judges types and never meaning. Nothing was blocked."
        )
