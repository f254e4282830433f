"""Unsupported quote: an answer puts words into a source's mouth that the source never said.

A quote of twelve characters or more that a sentence attributes to a tool, a file, a page, a person
or the user, and a citation `[n]`. Catches made-up, put-together and misattributed words; not a
paraphrase, and not a true quotation that means something else where it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from groundwire.checks import made_up
from groundwire.checks.claim.sentences.answers import answer_in
from groundwire.checks.claim.sentences.quote_finding import citation_finding, quote_finding
from groundwire.checks.claim.sentences.quoting import PASTED, Library, Shown, standing
from groundwire.checks.claim.sentences.unread import has_unread
from groundwire.checks.seams import Encounter, judged, not_applicable, unreachable
from groundwire.checks.transcript import Transcript
from groundwire.documents.event import Event, Responded
from groundwire.documents.finding import Finding, Seam
from groundwire.documents.frame import Frame, ResultPart, Text
from groundwire.grounding.marks import has_mark
from groundwire.grounding.sentences.quotes import Quote, citations, quotes

_NUMBERED = re.compile(r"\[(\d{1,3})\]")
_LEAST_NUMBERED = 2
# A word with a capital letter that does not begin the sentence.
_NAME = re.compile(r"(?<=\w )[A-Z][A-Za-z]+")


class UnsupportedQuote:
    """Always armed; one encounter a response."""

    kind = "unsupported-quote"
    seam: Seam = "claim"
    version = 1
    armed_by = "always"
    catches = (
        "Words of twelve characters or more that the answer attributes to a tool, file, page, "
        "person or the user stand in nothing that the run showed, or only elsewhere; or a "
        "citation `[n]` names no source."
    )
    fences = (
        (
            "silent about words in quotation marks that no sentence attributes to anybody, because "
            "a title, a name, an example or a suggestion is no quotation"
        ),
        (
            "silent about what the model gave to a tool itself, because it may quote what it wrote "
            "there"
        ),
        (
            "silent about case, white space, punctuation, markup and marked omissions, because a "
            "quotation may be tidied"
        ),
        (
            "silent about a source that the run was not shown, because a model may know a text by "
            "heart"
        ),
        (
            "silent where the run holds an image, a file or a part that is not read, because the "
            "words may stand there"
        ),
    )
    severity = "defect; advisory where most of the words stand in a source, or a file is named"
    sees = (Responded,)
    of_answers = True

    def watch(self, transcript: Transcript) -> Watch:
        """A fresh watch for one run."""
        return Watch(transcript)

    def canary(self) -> Sequence[Event]:
        """Words that a page never said."""
        page = ResultPart("canary", "The shop is open on Mondays.", name="canary_tool")
        return (
            made_up.request(
                made_up.message("user", Text("When is it open?")), made_up.message("tool", page)
            ),
            made_up.response(Text('The page says: "Closed for canary season until May."')),
        )


class Watch:
    """What every lane was shown, as words and as numbers of sources."""

    def __init__(self, transcript: Transcript) -> None:
        self._run = transcript
        self._library = Library(transcript)
        self._numbers: set[int] = set()
        self._counted = 0

    def see(self, event: Event) -> Iterable[Encounter]:
        """An answer is judged; what is none says why."""
        return (self._meet(event),) if isinstance(event, Responded) else ()

    def _meet(self, event: Responded) -> Encounter:
        text = answer_in(event, self._run)
        if isinstance(text, Encounter):
            return text
        attributed = list(quotes(text))
        cited = citations(text)
        if not attributed and not cited:
            return not_applicable("no-quote")
        frame = self._run.lane(event.lane).frame
        if frame is None:
            return unreachable("unreadable-body")
        texts = self._library.texts(frame)
        shown = [quote for quote in attributed if not has_mark(quote.text)]
        findings = self._quoted(event, shown, texts) + self._cited(event, cited, frame)
        if findings and frame.held_by_provider is not None:
            return unreachable("held-by-provider")
        if findings and has_unread(self._run, event.lane):
            return unreachable("unread-media")
        return judged(findings, spared=len(shown) < len(attributed))

    def _quoted(
        self, event: Responded, attributed: Sequence[Quote], texts: Sequence[Shown]
    ) -> list[Finding]:
        judgeable = [quote for quote in attributed if _is_of_this_run(quote, texts)]
        found = [(quote, standing(quote, texts)) for quote in judgeable]
        return [quote_finding(q, s, event, self._run) for q, s in found if s.grade != "found"]

    def _cited(self, event: Responded, cited: Sequence[int], frame: Frame) -> list[Finding]:
        if not cited:
            return []
        for served in self._run.served[self._counted :]:
            self._numbers |= set(map(int, _NUMBERED.findall(served.part.text)))
        self._counted = len(self._run.served)
        told = {int(number) for text in _told(frame) for number in _NUMBERED.findall(text)}
        known = self._numbers | told
        if len(known) < _LEAST_NUMBERED:
            # Nobody numbered the sources, so the numbers may count anything.
            return []
        return [citation_finding(n, known, event) for n in cited if n not in known]


def _told(frame: Frame) -> Iterable[str]:
    """What people and instructions say in this frame."""
    for message in frame.messages:
        if message.role != "assistant":
            yield from (part.text for part in message.parts if isinstance(part, Text))
    yield from (part.text for part in frame.system if isinstance(part, Text))


def _is_of_this_run(quote: Quote, texts: Sequence[Shown]) -> bool:
    """Whether the source may be one the run was shown, and not one the model knows by heart.

    Some result or pasted text must be there at all, and every name in the words before the quote.
    """
    if quote.source == "user":
        return True
    shown = [text for text in texts if text.voice == "result" or text.size >= PASTED]
    names = {name.casefold() for name in _NAME.findall(quote.lead.lstrip(" *_#>-"))}
    return bool(shown) and all(any(f" {n} " in text.words for text in texts) for n in names)
