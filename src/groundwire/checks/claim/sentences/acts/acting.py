"""Acting: the acts that an answer claims, each with what the run says of it.

Two kinds of finding come of it: nothing was done (`unsupported-action`), or what was tried failed
(`contradicted-action`). Both are judged here, by one rule and once, and filed by their own checks.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import TypeAlias
from weakref import WeakKeyDictionary

from groundwire.checks.claim.sentences.acts.deeds import Deeds, Ruling, Word
from groundwire.checks.claim.sentences.answers import answer_in
from groundwire.checks.seams import Encounter, judged, not_applicable, unreachable
from groundwire.checks.transcript import Transcript
from groundwire.documents.event import Event, Responded
from groundwire.documents.finding import Finding
from groundwire.documents.frame import Frame, Role, Text
from groundwire.grounding.folding import fold
from groundwire.grounding.marks import has_mark
from groundwire.grounding.sentences.acts import Act, acts

Maker: TypeAlias = Callable[[Act, Ruling, Responded, Transcript], Finding]
Rulings: TypeAlias = tuple[tuple[Act, Ruling], ...]


class Acting:
    """The acts of a run's answers, judged once for both checks that ask."""

    def __init__(self, transcript: Transcript) -> None:
        self._run = transcript
        self._deeds = Deeds(transcript)
        self._judged: tuple[int, Encounter | Rulings] = (-1, ())

    def meet(self, event: Responded) -> Encounter | Rulings:
        """Every act of this answer with its ruling, or why there is none."""
        if self._judged[0] != event.step:
            self._judged = event.step, self._judge(event)
        return self._judged[1]

    def told_before(self, lane: int) -> set[str]:
        """The verbs of the deeds that were told before the run began, where nobody saw the calls."""
        first = self._run.lane(lane).first  # what that holds was said before the run began
        return set() if first is None else {act.verb for act in acts(_texts(first, {"assistant"}))}

    def _judge(self, event: Responded) -> Encounter | Rulings:
        text = answer_in(event, self._run)
        if isinstance(text, Encounter):
            return text
        if not self._deeds.is_armed():
            return not_applicable("not-declared")
        told = list(acts(text, self._deeds.says()))
        claimed = [act for act in told if not has_mark(act.sentence.text)]
        if not claimed:
            return unreachable("withheld") if told else not_applicable("no-claimed-act")
        frame = self._run.lane(event.lane).frame
        if frame is None:
            return unreachable("unreadable-body")
        self._deeds.catch_up()
        rulings = tuple((act, self._deeds.rule(act, frame, said_in(frame))) for act in claimed)
        if all(ruling.word == "unjudged" for _, ruling in rulings):
            return not_applicable("no-owned-act")
        return rulings


# A run's two checks ask the same of the same transcript; when that is gone, so is the answer.
_OF_RUN: WeakKeyDictionary[Transcript, Acting] = WeakKeyDictionary()


def _acting_of(run: Transcript) -> Acting:
    known = _OF_RUN.get(run)
    if known is None:
        known = _OF_RUN[run] = Acting(run)
    return known


class Watch:
    """One encounter for each response; findings for the rulings in `words`."""

    def __init__(self, transcript: Transcript, words: frozenset[Word], make: Maker) -> None:
        self._run = transcript
        self._words = words
        self._make = make
        self._acting = _acting_of(transcript)

    def see(self, event: Event) -> Iterable[Encounter]:
        """An answer is judged; what is none says why."""
        return (self._meet(event),) if isinstance(event, Responded) else ()

    def _meet(self, event: Responded) -> Encounter:
        rulings = self._acting.meet(event)
        if isinstance(rulings, Encounter):
            return rulings
        filed = [(act, ruling) for act, ruling in rulings if ruling.word in self._words]
        if filed:
            before = self._acting.told_before(event.lane)
            filed = [(act, ruling) for act, ruling in filed if act.verb not in before]
        frame = self._run.lane(event.lane).frame
        if filed and frame is not None and frame.held_by_provider is not None:
            # The calls may stand in the state that the provider keeps.
            return unreachable("held-by-provider")
        return judged([self._make(act, ruling, event, self._run) for act, ruling in filed])


def said_in(frame: Frame) -> Callable[[], str]:
    """What users say in the frame, folded when it is asked for."""
    return lambda: fold(_texts(frame, {"user"}))


def _texts(frame: Frame, roles: Collection[Role]) -> str:
    return "\n".join(
        part.text
        for message in frame.messages
        if message.role in roles
        for part in message.parts
        if isinstance(part, Text)
    )
