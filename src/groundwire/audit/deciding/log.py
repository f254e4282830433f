"""Log: all calls of a run against a policy, as they were made, without running any."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from groundwire.audit.deciding.asking import Answer, Asker
from groundwire.checks.transcript import Transcript
from groundwire.documents.call import ToolCall
from groundwire.documents.event import Event, Executed, Guarded

_UNRECORDED: Final = (
    "no recorded response of a model made this call, and its tool did not run, or not with arguments"
    " that were recorded: the arguments are not in the recording, so nothing can be judged by them"
)


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
    """Each call of the run that its host was to carry out, answered.

    Also guarded calls that no response chose, with the arguments that their tool ran with. Of one
    that did not run nobody recorded them: it is not judged.
    """
    transcript = Transcript()
    answers: list[Answer] = []
    ran: list[Executed] = []
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
        if isinstance(event, Executed) and event.link == "unlinked":
            ran.append(event)
        if isinstance(event, Guarded) and event.link == "unlinked":
            answers += _of_no_response(event, ran, asker)
    return Decided(run, tuple(answers))


def _of_no_response(event: Guarded, ran: list[Executed], asker: Asker) -> list[Answer]:
    """What would be said of a guarded call that no response chose, once it has settled."""
    if event.state != "outcome" or event.late:
        return []
    found = None
    if event.outcome != "refused":
        found = next((each for each in reversed(ran) if each.name == event.name), None)
    if found is not None:
        ran.remove(found)
    if found is None or found.arguments is None:
        call = ToolCall(id="", name=event.name, arguments="")
        return [Answer(call=call, says="not-judged", message=_UNRECORDED)]
    call = ToolCall(id="", name=found.name, arguments=found.arguments)
    return [asker.ask_of_then(call)]
