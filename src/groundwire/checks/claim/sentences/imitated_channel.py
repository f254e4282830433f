"""Imitated channel: a text of the model poses as a tool result, a notice or somebody's turn.

Whoever reads on, a person or the model itself in the next frame, takes it for what it poses as.
Catches marks that only hosts and templates write; not a result told in plain prose.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from groundwire.checks import made_up
from groundwire.checks.claim.sentences.answers import THE_ANSWER, digest_of
from groundwire.checks.seams import Encounter, judged, no_response, not_applicable
from groundwire.checks.transcript import Transcript, answer_text
from groundwire.checks.wording import clipped
from groundwire.documents.event import Event, Responded
from groundwire.documents.finding import Assertion, Finding, Seam, Subject
from groundwire.documents.frame import Frame, Text, ToolSpec
from groundwire.grounding.marks import has_mark
from groundwire.grounding.sentences.channels import Imitation, imitations

_POSES = {
    "template": "the marks between turns",
    "tool-result": "a tool result",
    "tool-call": "a tool call",
    "user-turn": "a turn of the user",
    "system-notice": "a notice of the system",
}
# Who asks for a dialogue or about prompts gets headers and tokens.
_ASKED = re.compile(
    r"\b(?:dialogues?|conversations?|transcripts?|scripts?|role-?play|interviews?|chats?|simulate|"
    r"few-shot|prompts?|templates?|tokens?|story|scene|screenplay|q&a|faq|react format)\b",
    re.I,
)


class ImitatedChannel:
    """Always armed; one encounter a response that holds text."""

    kind = "imitated-channel"
    seam: Seam = "claim"
    version = 1
    armed_by = "always"
    catches = (
        "A text of the model holds marks that only a host or a chat template writes, and so poses "
        "as a tool call, a tool result, a notice of the system or a turn of the user."
    )
    fences = (
        "silent in code, quotations and thinking aloud, because there a mark is shown, not used",
        (
            "silent about a mark that the system, the user or a tool wrote first, because then the "
            "model speaks of it or was told to write it"
        ),
        (
            "silent about roles' headers where the user asks for a dialogue or about prompts, "
            "because then they are the answer"
        ),
    )
    severity = "defect"
    sees = (Responded,)

    def watch(self, transcript: Transcript) -> Watch:
        """A fresh watch for one run."""
        return Watch(transcript)

    def canary(self) -> Sequence[Event]:
        """A tool result that the model wrote."""
        return (
            made_up.request(made_up.message("user", Text("Look it up."))),
            made_up.response(Text("<tool_result>canary: 12 rows</tool_result> There are 12.")),
        )


class Watch:
    """Reads the responses; the frame only where one has a mark."""

    def __init__(self, transcript: Transcript) -> None:
        self._run = transcript
        self._tools: tuple[ToolSpec, ...] = ()
        self._names: frozenset[str] = frozenset()

    def see(self, event: Event) -> Iterable[Encounter]:
        """One encounter for each response."""
        return (self._meet(event),) if isinstance(event, Responded) else ()

    def _meet(self, event: Responded) -> Encounter:
        if self._run.rules.rules == "original":
            return not_applicable("rules-original")
        response = event.response
        if response is None:
            return no_response(event)
        if response.error is not None:
            return not_applicable("error-response")
        text = answer_text(response)
        if not text.strip():
            return not_applicable("no-text")
        frame = self._run.lane(event.lane).frame
        found = list(imitations(text, self._offered(frame)))
        if not found:
            return not_applicable("no-mark")
        if frame is not None:
            served = [*_texts(frame), *(served.part.text for served in self._run.served)]
            found = [one for one in found if not _is_given(one, served, frame)]
        return judged([_finding(one, text, event) for one in found])

    def _offered(self, frame: Frame | None) -> frozenset[str]:
        tools = () if frame is None else frame.tools
        if tools is not self._tools:
            self._tools, self._names = tools, frozenset(tool.name for tool in tools)
        return self._names


def _is_given(one: Imitation, served: Sequence[str], frame: Frame) -> bool:
    """Whether others used the mark first, or the user asked for what has such marks."""
    asked = [
        part.text
        for message in frame.messages
        if message.role == "user"
        for part in message.parts
        if isinstance(part, Text)
    ]
    if one.posed in {"user-turn", "template"} and any(map(_ASKED.search, asked[-2:])):
        return True
    if one.name:
        # A call written out is the answer where the user names the tool.
        return any(one.name in text for text in asked)
    mark = one.mark.casefold()
    return any(mark in text.casefold() for text in served)


def _texts(frame: Frame) -> Iterator[str]:
    for message in frame.messages:
        if message.role != "assistant":
            yield from (part.text for part in message.parts if isinstance(part, Text))
    yield from (part.text for part in frame.system if isinstance(part, Text))
    yield from (f"{tool.description} {tool.schema}" for tool in frame.tools)


def _finding(one: Imitation, text: str, event: Responded) -> Finding:
    around = text[max(0, one.start - 20) : one.start + 160]
    shown = one.mark if has_mark(around) else around
    poses = _POSES[one.posed]
    subjects = (THE_ANSWER, Subject("tool", one.name)) if one.name else (THE_ANSWER,)
    ran = " Nothing was called by it." if one.posed == "tool-call" else ""
    return Finding(
        kind=ImitatedChannel.kind,
        seam=ImitatedChannel.seam,
        subjects=subjects,
        witnesses=(
            Assertion(
                subject=THE_ANSWER,
                predicate="channel",
                value=one.posed,
                provenance=f"the text `{clipped(shown, 120)}` at its character {one.start}",
                step=event.step,
            ),
            Assertion(
                subject=THE_ANSWER,
                predicate="channel",
                value="text of the model",
                provenance="the response, in which it is no more than text",
                step=event.step,
            ),
        ),
        message=(
            f"The model's text poses as {poses}: `{clipped(shown, 120)}`.{ran} Do not pass it on as "
            "such; check the host's stop sequences and how it reads calls. The answer was not "
            "changed."
        ),
        lane=event.lane,
        step=event.step,
        value_digest=digest_of(around),
        grade=one.posed,
    )
