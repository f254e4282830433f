"""Acting: the acts that an answer claims, each with what the run says of it.

Two kinds of finding come of it: nothing was done (`unsupported-action`), or what was tried failed
(`contradicted-action`). Both are judged here, by one rule, and filed by their own checks.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import lru_cache
from typing import TypeAlias

from groundwire.checks.claim.sentences.acts.deeds import Deeds, Ruling, Word
from groundwire.checks.claim.sentences.answers import WITHHELD, answer_in
from groundwire.checks.seams import Encounter, judged, not_applicable, unreachable
from groundwire.checks.transcript import Transcript
from groundwire.documents.event import Event, Requested, Responded
from groundwire.documents.finding import Finding
from groundwire.documents.frame import Frame, Role, Text
from groundwire.grounding.folding import fold
from groundwire.grounding.sentences.acts import Act, acts

Maker: TypeAlias = Callable[[Act, Ruling, Responded, Transcript], Finding]


class Watch:
    """One encounter for each response; findings for the rulings in `words`."""

    def __init__(self, transcript: Transcript, words: frozenset[Word], make: Maker) -> None:
        self._run = transcript
        self._words = words
        self._make = make
        self._deeds = Deeds(transcript)
        self._history: dict[int, str] = {}

    def see(self, event: Event) -> Iterable[Encounter]:
        """An answer is judged; what is none says why."""
        match event:
            case Requested(frame=frame) if frame is not None and event.lane not in self._history:
                self._history[event.lane] = _texts(frame, {"assistant"})
            case Responded():
                yield self._meet(event)
            case _:
                pass

    def _meet(self, event: Responded) -> Encounter:
        text = answer_in(event, self._run)
        if isinstance(text, Encounter):
            return text
        if not self._deeds.is_armed():
            return not_applicable("not-declared")
        claimed = claimed_acts(text, tuple(self._deeds.says().items()))
        if not claimed:
            return not_applicable("no-claimed-act")
        frame = self._run.lane(event.lane).frame
        if frame is None:
            return unreachable("unreadable-body")
        return self._judge(event, claimed, frame)

    def _judge(self, event: Responded, claimed: tuple[Act, ...], frame: Frame) -> Encounter:
        self._deeds.catch_up()
        said = fold(_texts(frame, {"user"}))
        rulings = [(act, self._deeds.rule(act, frame, said)) for act in claimed]
        if all(ruling.word == "unjudged" for _, ruling in rulings):
            return not_applicable("no-owned-act")
        filed = [(act, ruling) for act, ruling in rulings if ruling.word in self._words]
        if filed:
            # What was told before the run began was done before it, where nobody saw the calls.
            before = {act.verb for act in acts(self._history.get(event.lane, ""))}
            filed = [(act, ruling) for act, ruling in filed if act.verb not in before]
        if filed and frame.held_by_provider is not None:
            # The calls may stand in the state that the provider keeps.
            return unreachable("held-by-provider")
        findings = [self._make(act, ruling, event, self._run) for act, ruling in filed]
        return judged(findings)


@lru_cache(maxsize=4)
def claimed_acts(text: str, says: tuple[tuple[str, str], ...]) -> tuple[Act, ...]:
    """The acts an answer claims, without those that another's marked secret stands in."""
    return tuple(act for act in acts(text, dict(says)) if WITHHELD not in act.sentence.text)


def _texts(frame: Frame, roles: Collection[Role]) -> str:
    return "\n".join(
        part.text
        for message in frame.messages
        if message.role in roles
        for part in message.parts
        if isinstance(part, Text)
    )
