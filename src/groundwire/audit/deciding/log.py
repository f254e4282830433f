"""Log: all calls of a run against a policy, as they were made, without running any."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from groundwire.audit.deciding.asking import Answer, Asker
from groundwire.checks.transcript import Transcript
from groundwire.documents.event import Event


class Decided(msgspec.Struct, frozen=True):
    """What would have been said of each call of one run, in the order in which they were made."""

    run: str
    answers: tuple[Answer, ...]

    @property
    def by_now(self) -> int:
        """How many calls were judged by their file as it is now, which is another than it was."""
        return sum(answer.by_now for answer in self.answers)

    def count(self, *says: str) -> int:
        """How many calls were answered so."""
        return sum(answer.says in says for answer in self.answers)


def decide_run(run: str, events: Iterable[Event], asker: Asker) -> Decided:
    """Each call of the run that its host was to carry out, answered."""
    transcript = Transcript()
    answers: list[Answer] = []
    heard = asked = 0
    for event in events:
        transcript.see(event)
        for served in transcript.served[heard:]:
            asker.known.heard(served.part.text)
        heard = len(transcript.served)
        answers += [
            asker.ask_of_then(chosen.call)
            for chosen in transcript.called[asked:]
            if chosen.call.executed_by == "host"
        ]
        asked = len(transcript.called)
    return Decided(run, tuple(answers))
