"""Sources: what may ground the values of an answer, and the verdict that several checks share.

An answer is read once, whichever check asks first; so is each result.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from weakref import WeakKeyDictionary

from groundwire.checks.transcript import Served, Transcript
from groundwire.documents.event import Responded
from groundwire.documents.frame import Text, ToolSpec
from groundwire.grounding.answers.shelf import Shelf, Source
from groundwire.grounding.answers.verdict import LEAST_DIGITS, Verdict, judge
from groundwire.grounding.binding.text import read_answer
from groundwire.grounding.passages import without_looked_for
from groundwire.grounding.schemas import spec_texts


class Sources:
    """The shelf of the answer being judged, and its verdict."""

    def __init__(self) -> None:
        self._tools: tuple[ToolSpec, ...] = ()
        self._tool_texts = ""
        self._shelf: tuple[int, Shelf] | None = None
        self._verdict: tuple[int, Verdict] | None = None

    def shelf(self, event: Responded, run: Transcript) -> Shelf:
        """The sources of this answer: every result of the run, and what was said in its lane."""
        if self._shelf is None or self._shelf[0] != event.step:
            self._shelf = (event.step, Shelf(self._sources(event, run)))
        return self._shelf[1]

    def verdict(self, event: Responded, run: Transcript, text: str) -> Verdict:
        """What is to be said of the values of this answer."""
        if self._verdict is None or self._verdict[0] != event.step:
            off = run.rules.equivalences_off
            has_values = any(one.values for one in read_answer(text).segments)
            shelf = self.shelf(event, run) if has_values else Shelf(())
            self._verdict = (event.step, judge(text, shelf, LEAST_DIGITS, off))
        return self._verdict[1]

    def said(self, event: Responded, run: Transcript) -> list[str]:
        """The texts that exempt: the instructions, the tools as offered, what people said."""
        lane = run.lane(event.lane)
        frame = lane.frame
        texts = list(lane.heard)
        if frame is not None:
            texts += [part.text for part in frame.system if isinstance(part, Text)]
            if frame.tools is not self._tools:
                self._tools, self._tool_texts = frame.tools, _offered(frame.tools)
            texts.append(self._tool_texts)
        return texts + [vouched.value for vouched in run.vouched]

    def _sources(self, event: Responded, run: Transcript) -> list[Source]:
        # The lane's own results come last, so that the newest of them is found first.
        ordered = sorted(run.served, key=lambda one: (one.lane == event.lane, one.number))
        results = [_source(served) for served in reversed(ordered)]
        return results + [Source(text, "said") for text in self.said(event, run) if text.strip()]


_KNOWN: WeakKeyDictionary[Transcript, Sources] = WeakKeyDictionary()


def sources_of(run: Transcript) -> Sources:
    """The sources of this run, the same for every check that asks."""
    known = _KNOWN.get(run)
    if known is None:
        known = _KNOWN[run] = Sources()
    return known


def results_in(run: Transcript, lane: int) -> Sequence[Served]:
    """The results that were ever shown in the lane, in order."""
    return [served for served in run.served if served.lane == lane]


@lru_cache(maxsize=128)
def _offered(tools: tuple[ToolSpec, ...]) -> str:
    """Everything that the tool list shows the model; the same list comes with every request."""
    return "\n".join(text for tool in tools for text in spec_texts(tool))


def _source(served: Served) -> Source:
    arguments = "" if served.call is None else served.call.arguments
    text = without_looked_for(served.part.text)
    text = served.part.text if text is None else text
    return Source(text, "result", served.number, served.tool, arguments, served.part.call_id)
