"""Drifted: what really became of targets that are not as they were to be, as changes to be judged."""

from __future__ import annotations

import msgspec

from groundwire.documents.question import Question
from groundwire.documents.receipt import touched_by
from groundwire.documents.target import Absent, Change, ChangeKind, Proposal, Reading


def about_what_became(question: Question, really: tuple[Reading, ...]) -> Question:
    """The same question, as if what stands there now had been proposed. Allows nothing."""
    proposal = Proposal(changes=what_became(question.proposal, really))
    asked = msgspec.structs.replace(question.asked, changes=touched_by(proposal))
    return msgspec.structs.replace(question, asked=asked, proposal=proposal, reached=())


def what_became(proposal: Proposal, really: tuple[Reading, ...]) -> tuple[Change, ...]:
    """For each target that was read before: the change from what stood there to what stands now.

    What cannot be read now is left out: nothing can be said of it.
    """
    now = {reading.name: reading for reading in really}
    found: list[Change] = []
    for change in proposal.changes:
        for name, before in ((change.name, change.before), (change.to, None)):
            reading = None if name is None else now.get(name)
            if name is None or reading is None:
                continue
            after = reading.content
            gone = isinstance(reading.state, Absent)
            if after == before or (after is None and not gone):
                continue
            kind: ChangeKind = (
                "created" if before is None else "deleted" if after is None else "changed"
            )
            state = change.state if before is not None else Absent()
            found.append(Change(name=name, kind=kind, state=state, before=before, after=after))
    return tuple(found)
