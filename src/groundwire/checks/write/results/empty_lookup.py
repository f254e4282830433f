"""Empty lookup: a value that a declared source served was looked up, and nothing was found.

It may be perfectly true. From here an honest nothing and a broken lookup are the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from groundwire.canon import digest
from groundwire.checks import made_up
from groundwire.checks.seams import Encounter, Resting, judged, not_applicable, unreachable
from groundwire.checks.transcript import Served, Transcript
from groundwire.checks.wording import clipped
from groundwire.checks.write.results.fresh import any_seen, own_text
from groundwire.checks.write.results.rows import Rows, read_rows
from groundwire.documents.call import ToolCall
from groundwire.documents.event import Ended, Event, Requested
from groundwire.documents.finding import Assertion, Finding, Seam, Subject
from groundwire.documents.frame import CallPart, ResultPart
from groundwire.documents.policy import ToolDeclaration
from groundwire.errors import EncodingError
from groundwire.grounding import boundaries
from groundwire.grounding.folding import fold, readings
from groundwire.grounding.leaves import Leaf, read_leaves


class EmptyLookup:
    """Armed by a tool's sources; one encounter for each of its results."""

    kind = "empty-lookup"
    seam: Seam = "write"
    version = 1
    armed_by = "a tool's arguments_from or arguments; `empty_lookups = false` switches it off"
    catches = "A lookup that found nothing for a value that one of its declared sources served."
    fences = (
        "an advisory always, because an empty answer may be true",
        (
            "silent where the result is neither a list nor a declared absence nor at rows_at, because "
            "rows that cannot be seen must not be guessed"
        ),
        "silent about values that no declared source served, because another check looks at those",
        "silent about the last page of a lookup that had rows, because pages end",
        "silent about errors, because they are no answer",
    )
    severity = "advisory"
    sees = (Requested, Ended)

    def watch(self, transcript: Transcript) -> Watch:
        """A fresh watch for one run."""
        return Watch(transcript)

    def canary(self) -> Sequence[Event]:
        """An identifier from the source, looked up, and no row."""
        listed = ToolCall(id="canary-1", name="canary_source", arguments="{}")
        found = ToolCall(id="canary-2", name="canary_tool", arguments='{"id":"canary-2719"}')
        armed = ToolDeclaration(name=found.name, arguments_from=(listed.name,))
        return (
            made_up.declared(armed),
            made_up.request(
                made_up.message("assistant", CallPart(listed), CallPart(found)),
                made_up.message("tool", ResultPart(listed.id, '[{"id":"canary-2719"}]')),
                made_up.message("tool", ResultPart(found.id, "[]")),
            ),
        )


class Watch:
    """Looks at each result once."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript

    def rests(self) -> Resting | None:
        """No tool's arguments are declared to come from results, or lookups are switched off."""
        off = not self._transcript.rules.empty_lookups
        if not off and any(map(_sources, self._transcript.tools.values())):
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
        armed = [served for served in fresh if self._sources(served)]
        if not self._transcript.rules.empty_lookups:
            yield not_applicable("switched-off")
            return
        if not armed:
            yield not_applicable("no-armed-result")
        for served in armed:
            yield self._judge(served, event)

    def _sources(self, served: Served) -> tuple[str, ...]:
        declared = self._transcript.tools.get(served.tool)
        return () if declared is None else _sources(declared)

    def _judge(self, served: Served, event: Requested) -> Encounter:
        text = own_text(served)
        declared = self._transcript.tools[served.tool]
        rows = Rows("unreadable") if text is None else read_rows(text, declared.rows_at)
        if text is None:
            return not_applicable("error")
        if rows.shape == "unreadable":
            return not_applicable("unreadable-rows")
        if not rows.empty or self._is_last_page(served, declared):
            return judged(())
        grounds = self._grounds(served)
        if not grounds:
            return unreachable("sources-served-nothing")
        call = served.call
        try:
            leaves = () if call is None else read_leaves(call.arguments)
        except EncodingError:
            return unreachable("unreadable-arguments")
        findings = []
        for leaf in leaves:
            holder = self._holder(leaf, grounds)
            if holder is not None:
                findings.append(_finding(served, leaf, holder, rows, event))
        if not findings:
            return judged(())
        return Encounter(disposition="checked-fail", findings=tuple(findings))

    def _grounds(self, served: Served) -> list[Served]:
        """Earlier results of the declared sources that say anything, in the order they came."""
        sources = self._sources(served)
        return [
            each
            for each in self._transcript.served[: served.number]
            if each.tool in sources and each.lane == served.lane and each.part.text.strip()
        ]

    def _holder(self, leaf: Leaf, grounds: Sequence[Served]) -> Served | None:
        value = fold(leaf.value)
        original = self._transcript.rules.rules == "original"
        for each in grounds:
            if original:
                if leaf.value.strip().lower() in each.part.text.lower():
                    return each
            elif any(
                boundaries.standing(text, value)[0] == "whole" for text in readings(each.part.text)
            ):
                return each
        return None

    def _is_last_page(self, served: Served, declared: ToolDeclaration) -> bool:
        """Whether the same lookup, but for a number such as a page or an offset, had rows before."""
        if self._transcript.rules.rules == "original" or served.call is None:
            return False
        words = _words(served.call)
        return words is not None and any(
            each.tool == served.tool
            and each.call is not None
            and each.lane == served.lane
            and each.call.arguments != served.call.arguments
            and _words(each.call) == words
            and bool((text := own_text(each)) and read_rows(text, declared.rows_at).rows)
            for each in self._transcript.served[: served.number]
        )


def _sources(declared: ToolDeclaration) -> tuple[str, ...]:
    named = (source.tool for source in declared.arguments if source.kind == "result")
    return tuple(dict.fromkeys((*declared.arguments_from, *(n for n in named if n))))


def _words(call: ToolCall) -> tuple[tuple[str, str], ...] | None:
    try:
        return tuple((leaf.pointer, leaf.value) for leaf in read_leaves(call.arguments))
    except EncodingError:
        return None


def _finding(served: Served, leaf: Leaf, holder: Served, rows: Rows, event: Requested) -> Finding:
    subjects = (Subject("tool", served.tool), Subject("tool", holder.tool))
    nothing = "a list without rows" if rows.shape == "rows" else "a declared absence"
    return Finding(
        kind=EmptyLookup.kind,
        seam=EmptyLookup.seam,
        subjects=subjects,
        witnesses=(
            Assertion(
                subject=subjects[0],
                predicate="looked up",
                value=leaf.value,
                provenance=f"the call {served.part.call_id}, {leaf.dotted or 'its arguments'}",
                step=served.step,
            ),
            Assertion(
                subject=subjects[1],
                predicate="served",
                value=leaf.value,
                provenance=f"the result of {holder.part.call_id}",
                step=holder.step,
            ),
            Assertion(
                subject=subjects[0],
                predicate="found",
                value=nothing,
                provenance="its result",
                step=served.step,
            ),
        ),
        message=(
            f"`{clipped(served.tool, 48)}` was asked for `{clipped(leaf.value)}` "
            f"({clipped(leaf.dotted or 'its arguments', 48)}, call {clipped(served.part.call_id, 48)}), "
            f"which `{clipped(holder.tool, 48)}` had served, and gave {nothing}. A place to look, "
            "never a verdict: the empty answer may be true, or the lookup does not know what the "
            "source knows. Nothing was blocked, changed or tried again."
        ),
        lane=event.lane,
        step=event.step,
        path=leaf.pointer,
        value_digest=digest.tagged("value", leaf.value.encode(errors="surrogatepass")),
        grade=rows.shape,
        advisory=True,
    )
