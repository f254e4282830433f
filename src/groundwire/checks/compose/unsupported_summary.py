"""Unsupported summary: a message that replaces others holds what none of them held.

The message is a model's text, put by the host in the place of messages it dropped. From then on the
frame serves it as ground, so what it adds is checked here, once: identifiers, numbers, dates,
quotations, and deeds that no call did. Not what it leaves out: that is listed, and may be meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from groundwire.checks import made_up
from groundwire.checks.claim.sentences.acts.deeds import Deeds, Word
from groundwire.checks.compose.summaries import Summaries, Summary, counted, texts_of
from groundwire.checks.compose.summary_finding import summary_finding
from groundwire.checks.compose.summary_values import Extra, extra_values, lost_values
from groundwire.checks.seams import Encounter, judged, not_applicable, unreachable
from groundwire.checks.transcript import Transcript, answer_text
from groundwire.documents.event import Event, Requested, Responded
from groundwire.documents.finding import Seam
from groundwire.documents.frame import Text
from groundwire.grounding.folding import fold
from groundwire.grounding.sentences.acts import TOLD_OF, acts

_MOST = 20
_UNDONE: frozenset[Word] = frozenset({"no-call", "other-target", "failed"})


class UnsupportedSummary:
    """Always armed; one encounter a request."""

    kind = "unsupported-summary"
    seam: Seam = "compose"
    version = 1
    armed_by = "always"
    catches = (
        "A message that replaces others is a model's text and holds an identifier, a number, a "
        "date or a quotation that stands in nothing it replaced and nothing in view, or a deed "
        "that no call of the run did."
    )
    fences = (
        (
            "silent about a message that no model of the run wrote and no host called a summary, "
            "because what people and hosts write is ground"
        ),
        (
            "silent about single digits, about numbers rounded or written otherwise, and about a "
            "date whose day and month are held, because a summary may word what it holds"
        ),
        "silent where the provider keeps the conversation, because what was replaced is not seen",
    )
    severity = "defect for identifiers, quotations and declared deeds, advisory for the rest"
    sees = (Requested, Responded)

    def watch(self, transcript: Transcript) -> Watch:
        """A fresh watch for one run."""
        return Watch(transcript)

    def canary(self) -> Sequence[Event]:
        """A summary with an identifier that nothing it replaced holds."""
        told = (
            "So far the user has asked for a new gauge on the pump, and the pump was found to be "
            "canary-4102."
        )
        asked = made_up.message("user", Text("The pump needs a new gauge."))
        return (
            made_up.request(asked, made_up.message("user", Text("Go on."))),
            made_up.response(Text(told)),
            made_up.request(
                made_up.message("user", Text(told)), made_up.message("user", Text("Go on."))
            ),
        )


class Watch:
    """What models of the run wrote, to know a summary when a frame brings it in."""

    def __init__(self, transcript: Transcript) -> None:
        self._run = transcript
        self._summaries = Summaries(transcript)
        self._deeds = Deeds(transcript)

    def see(self, event: Event) -> Iterable[Encounter]:
        """One encounter for each request."""
        if isinstance(event, Requested):
            return (self._judge(event),)
        if isinstance(event, Responded) and event.response is not None:
            self._summaries.wrote(event.lane, answer_text(event.response))
        return ()

    def _judge(self, event: Requested) -> Encounter:
        if self._run.rules.rules == "original":
            return not_applicable("rules-original")
        if event.frame is None:
            return unreachable(event.reason or "unreadable-body")
        summary = self._summaries.of_request(self._run.lane(event.lane))
        if summary is None:
            return not_applicable("no-summary")
        view = _view(summary, event)
        replaced = texts_of(summary.replaced)
        extras = list(islice(extra_values(summary.text, [*replaced, *view]), _MOST))
        extras += self._events(summary, event)
        if extras and event.frame.held_by_provider is not None:
            return unreachable("held-by-provider")
        lost = lost_values(replaced, [summary.text, *view])
        about = counted(summary.replaced)
        return judged([summary_finding(extra, about, lost, event) for extra in extras])

    def _events(self, summary: Summary, event: Requested) -> list[Extra]:
        """The deeds that the summary records and no call of the run did."""
        if not self._deeds.is_armed():
            return []
        self._deeds.catch_up()
        told = "\n".join(texts_of(summary.replaced))
        rulings = [
            (act, self._deeds.rule(act, event.frame, lambda: fold(told)))
            for act in acts(summary.text, self._deeds.says(), by=TOLD_OF)
        ]
        return [
            Extra(act.sentence.text, "event", doubtful=not ruling.is_declared)
            for act, ruling in rulings
            if ruling.word in _UNDONE
        ]


def _view(summary: Summary, event: Requested) -> list[str]:
    """The texts that are in view beside the summary."""
    frame = event.frame
    if frame is None:
        return texts_of(summary.beside)
    told = [part.text for part in frame.system if isinstance(part, Text)]
    tools = [f"{tool.name} {tool.schema}" for tool in frame.tools]
    return [*texts_of(summary.beside), *told, *tools]
